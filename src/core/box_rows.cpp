#include "core/box_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"

namespace vicinal {
namespace {

// Mean extent per axis, of a fixed sample: summed in one order, whatever the threads.
template <Real T, int D>
std::array<double, D> mean_size(const Scene<T, D>& scene) {
    const std::size_t n = scene.bodies(), stride = n / 16384 + 1;
    const auto count = static_cast<double>((n + stride - 1) / stride);
    std::array<double, D> mean{};
    for (std::size_t i = 0; i < n; i += stride) {
        const Box<T, D> box = scene.box(static_cast<Index>(i));
        for (std::size_t a = 0; a < D; ++a)
            mean[a] +=
                2 * ((static_cast<double>(box.hi[a]) / 2 - static_cast<double>(box.lo[a]) / 2) /
                     count);
    }
    return mean;
}

}  // namespace

template <Real T, int D>
Box<float, D> BoxGrid<T, D>::place(const Box<T, D>& box) const {
    Box<float, D> result;
    for (std::size_t a = 0; a < D; ++a) {
        result.lo[a] = static_cast<float>(box.lo[axes_[a]]);
        result.hi[a] = static_cast<float>(box.hi[axes_[a]]);
    }
    return result;
}

// Monotone, which is all that the search relies on; places far outside the bulk share the
// first or the last cell.
template <Real T, int D>
std::int32_t BoxGrid<T, D>::cell(float x, std::size_t axis) const {
    const double c = (static_cast<double>(x) - origin_[axis]) * per_cell_[axis];
    return static_cast<std::int32_t>(std::clamp(c, 0.0, static_cast<double>(most_[axis])));
}

template <Real T, int D>
typename BoxGrid<T, D>::Span BoxGrid<T, D>::span(const Box<float, D>& box) const {
    Span s;
    for (std::size_t a = 0; a < row_axes; ++a) {
        s.lo[a] = cell(box.lo[a + 1], a + 1);
        s.hi[a] = cell(box.hi[a + 1], a + 1);
    }
    return s;
}

template <Real T, int D>
std::uint64_t BoxGrid<T, D>::row_key(const Row& row) const {
    std::uint64_t key = 0;
    for (std::size_t a = row_axes; a-- > 0;)
        key = key << bits_[a + 1] | static_cast<std::uint32_t>(row[a]);
    return key;
}

template <Real T, int D>
unsigned BoxGrid<T, D>::key_bits() const {
    unsigned sum = 0;
    for (const unsigned b : bits_) sum += b;
    return sum;
}

template <Real T, int D>
typename BoxGrid<T, D>::Tally BoxGrid<T, D>::tally(const Scene<T, D>& scene) {
    parts_.assign(piece_count(scene.threads(), scene.size()), Tally());
    parallel_ranges(scene.threads(), scene.size(), [&](Range r, std::size_t p) {
        Tally part;
        for (std::size_t k = r.begin; k < r.end; ++k) {
            const Box<float, D> box = place_of(scene, k);
            const Span rows = span(box);
            if (giant(rows)) {
                part.giants += 1;
            } else {
                part.entries += rows.count();
                part.longest = std::max(part.longest, box.hi[0] - box.lo[0]);
            }
        }
        parts_[p] = part;
    });
    Tally all;
    for (const Tally& part : parts_) {
        all.entries += part.entries;
        all.giants += part.giants;
        all.longest = std::max(all.longest, part.longest);
    }
    return all;
}

// Rows so wide that a box meets about a vector's worth of candidates along its sweep, but no
// wider than a few boxes, for space is not filled evenly.
template <Real T, int D>
void BoxGrid<T, D>::choose_rows(const Scene<T, D>& scene) {
    const Bulk bulk = bulk_of(scene);
    const Box<double, D> bounds = bounds_of(scene);
    const std::array<double, D> size = mean_size(scene);
    // A window that holds everything, unless a few bodies are far away from the bulk.
    std::array<double, D> extent, mean, ratio, begin;
    double volume = 1;
    for (std::size_t a = 0; a < D; ++a) {
        const double far = 2 * std::min(bulk.extent[a], 1e37);
        begin[a] = std::max(bounds.lo[a], bulk.centre[a] - far);
        extent[a] = std::max(std::min(bounds.hi[a], bulk.centre[a] + far) - begin[a], 0.0);
        mean[a] = std::clamp(size[a], std::max(extent[a] * 0x1p-18, 1e-30), 1e38);
        ratio[a] = extent[a] / mean[a];
        volume *= std::max(std::min(extent[a], bulk.extent[a]), mean[a]) / mean[a];
        axes_[a] = a;
    }
    std::swap(axes_[0], axes_[static_cast<std::size_t>(
                            std::max_element(ratio.begin(), ratio.end()) - ratio.begin())]);
    // A box of mean size crosses one and a half of its lengths, with the bins.
    const double crossing = 1.5 * static_cast<double>(scene.size());
    constexpr double wanted = 12;  // candidates per box
    const double area = wanted * volume / crossing;
    double width = D == 2 ? area - 1 : std::sqrt(area) - 1;
    width = std::clamp(width, 1.5, D == 2 ? 32.0 : 8.0);
    for (std::size_t a = 0; a < D; ++a) {
        const std::size_t axis = axes_[a];
        origin_[a] = begin[axis];
        cell_[a] = mean[axis] * (a == 0 ? 0.5 : width);
    }
    giant_rows_ = std::numeric_limits<double>::infinity();
    const double most = 4 * static_cast<double>(scene.size()) + 4096;
    Tally all;
    for (int round = 0;; ++round) {
        for (std::size_t a = 0; a < D; ++a) {
            const double cells = std::min(extent[axes_[a]] / cell_[a], 0x1p18);
            cell_[a] = std::max(cell_[a], extent[axes_[a]] / 0x1p18);
            per_cell_[a] = 1 / cell_[a];
            most_[a] = static_cast<std::int32_t>(cells);
            bits_[a] =
                static_cast<unsigned>(std::bit_width(static_cast<std::uint32_t>(most_[a])));
        }
        all = tally(scene);
        if (all.entries <= most) break;
        giant_rows_ = 256;
        if (round > 0)
            for (std::size_t a = 1; a < D; ++a) cell_[a] *= 2;
    }
    longest_ = all.longest * (1 + 1e-6f);  // it was rounded
    if (all.entries >= static_cast<double>(std::numeric_limits<Index>::max()))
        throw Error(Error::Kind::limit, "row_grid: too many entries for 32-bit indices");
    entries_ = static_cast<std::size_t>(all.entries);
}

template <Real T, int D>
template <class Key>
void BoxGrid<T, D>::order(const Scene<T, D>& scene, Sorter<Record<Key>>& sorter,
                          Packed<T, D>& packed) {
    const int threads = scene.threads();
    // Each piece writes where those before it end.
    std::vector<std::size_t> first;
    std::vector<std::size_t> first_giant;
    std::size_t at = 0, at_giant = 0;
    for (const Tally& part : parts_) {
        first.push_back(at);
        first_giant.push_back(at_giant);
        at += static_cast<std::size_t>(part.entries);
        at_giant += static_cast<std::size_t>(part.giants);
    }
    giants_.resize(at_giant);
    sorter.records.resize(at);
    parallel_ranges(threads, scene.size(), [&](Range r, std::size_t p) {
        Record<Key>* to = sorter.records.data() + first[p];
        Giant* to_giant = giants_.data() + first_giant[p];
        for (std::size_t k = r.begin; k < r.end; ++k) {
            const Box<float, D> box = place_of(scene, k);
            const Span rows = span(box);
            if (giant(rows)) {
                *to_giant++ = {static_cast<Index>(k), box};
                continue;
            }
            const auto bin = static_cast<Key>(cell(box.lo[0], 0));
            for_each_between(rows.lo, rows.hi, [&](const Row& row) {
                unsigned home = 0;
                for (std::size_t a = 0; a < row_axes; ++a)
                    home |= unsigned{row[a] == rows.lo[a]} << a;
                const auto place =
                    static_cast<Key>(static_cast<Key>(row_key(row)) << bits_[0] | bin);
                *to++ = {box, static_cast<Index>(k),
                         static_cast<Key>(place << row_axes | home)};
            });
        }
    });
    sorter.sort(key_bits(), threads,
                [](const Record<Key>& r) { return std::uint64_t{r.key} >> row_axes; });

    const std::size_t n = entries_;
    for (std::size_t a = 0; a < D; ++a) {
        lo_[a].resize(n);
        hi_[a].resize(n);
    }
    const std::span<Index> instances = packed.entries(n);
    const std::span<Bits> bits = packed.own_bits(n);
    const auto row_of = [&](std::size_t e) {
        return std::uint64_t{sorter.records[e].key} >> (row_axes + bits_[0]);
    };
    std::vector<std::size_t> rows(piece_count(threads, n), 0);
    parallel_ranges(threads, n, [&](Range r, std::size_t p) {
        for (std::size_t e = r.begin; e < r.end; ++e) {
            const Record<Key>& record = sorter.records[e];
            for (std::size_t a = 0; a < D; ++a) {
                lo_[a][e] = record.box.lo[a];
                hi_[a][e] = record.box.hi[a];
            }
            instances[e] = record.instance;
            if (e == 0 || row_of(e) != row_of(e - 1)) ++rows[p];
            const auto home = static_cast<unsigned>(record.key & ((1u << row_axes) - 1)) << D;
            bits[e] = static_cast<Bits>(home | scene.home(record.instance));
        }
    });
    row_count_ = exclusive_scan(1, std::span(rows));
    row_key_.resize(row_count_);
    row_start_.resize(row_count_ + 1);
    row_start_[row_count_] = static_cast<std::uint32_t>(n);
    parallel_ranges(threads, n, [&](Range r, std::size_t p) {
        std::size_t row = rows[p];
        for (std::size_t e = r.begin; e < r.end; ++e)
            if (e == 0 || row_of(e) != row_of(e - 1)) {
                row_key_[row] = row_of(e);
                row_start_[row++] = static_cast<std::uint32_t>(e);
            }
    });
}

template <Real T, int D>
void BoxGrid<T, D>::assign(const Scene<T, D>& scene, Packed<T, D>& packed) {
    choose_rows(scene);
    if (key_bits() + row_axes <= 32)
        order(scene, short_, packed);
    else
        order(scene, long_, packed);
}

template <Real T, int D>
BoxRows<D> BoxGrid<T, D>::rows() const {
    BoxRows<D> view{};
    for (std::size_t a = 0; a < D; ++a) {
        view.lo[a] = lo_[a].data();
        view.hi[a] = hi_[a].data();
    }
    view.bin = static_cast<float>(cell_[0] * (1 + 0x1p-10));
    view.bins_begin = static_cast<float>(origin_[0] + 1.01 * cell_[0]);
    view.bins_end = static_cast<float>(origin_[0] + (most_[0] - 0.01) * cell_[0]);
    return view;
}

template <Real T, int D>
std::size_t BoxGrid<T, D>::row_of(std::uint32_t entry) const {
    const std::uint32_t* begin = row_start_.data();
    return static_cast<std::size_t>(std::upper_bound(begin, begin + row_count_, entry) - begin -
                                    1);
}

template <Real T, int D>
std::size_t BoxGrid<T, D>::bytes() const {
    std::size_t sum = short_.bytes() + long_.bytes() + row_key_.bytes() + row_start_.bytes() +
                      giants_.capacity() * sizeof(Giant);
    for (std::size_t a = 0; a < D; ++a) sum += lo_[a].bytes() + hi_[a].bytes();
    return sum;
}

template class BoxGrid<float, 2>;
template class BoxGrid<float, 3>;
template class BoxGrid<double, 2>;
template class BoxGrid<double, 3>;

}  // namespace vicinal
