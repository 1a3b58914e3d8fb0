#include "row_grid/box_grid.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/flat.hpp"
#include "base/parallel.hpp"
#include "scene/bounds.hpp"
#include "simd/targets.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

constexpr double max_cells = 0x1p18;  // along an axis
constexpr std::uint64_t min_giant_rows = 256;

// Mean extent per axis of a fixed sample, summed serially: independent of threads.
template <Real T, int D>
std::array<double, D> mean_size(const Scene<T, D>& scene) {
    const std::size_t n = scene.bodies(), stride = n / 4096 + 1;
    const std::size_t sampled = (n + stride - 1) / stride;
    const auto count = static_cast<double>(sampled);
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

// Row boundaries should not intersect layers of bodies (on a floor, in a lattice). Returns how
// much earlier the first row should begin, as a fraction of a row's width, so that the fewest
// boxes of a sample cross a boundary.
template <Real T, int D>
double best_row_offset(const Scene<T, D>& scene, std::size_t axis, double begin, double width) {
    constexpr std::size_t leads = 8;
    std::array<unsigned, leads> across{};
    const std::size_t n = scene.bodies(), stride = n / 512 + 1;
    for (std::size_t i = 0; i < n; i += stride) {
        const Box<T, D> box = scene.box(static_cast<Index>(i));
        const double lo = (static_cast<double>(box.lo[axis]) - begin) / width;
        const double length = (static_cast<double>(box.hi[axis]) - begin) / width - lo;
        for (std::size_t k = 0; k < leads; ++k) {
            // Distance from the lower side to the next row boundary.
            const double at = lo + static_cast<double>(k) / leads;
            across[k] += std::floor(at) + 1 - at <= length;
        }
    }
    const auto best = std::min_element(across.begin(), across.end()) - across.begin();
    return static_cast<double>(best) / leads;
}

}  // namespace

// Chooses the row width such that a box has about one vector of candidates in its sweep, but
// only up to a few box lengths, because the density is not uniform.
template <Real T, int D>
void BoxGrid<T, D>::choose_rows(const Scene<T, D>& scene) {
    const QuantileBounds quantiles = quantile_bounds(scene);
    const Box<double, D> bounds = bounds_of(scene);
    const std::array<double, D> size = mean_size(scene);
    // A window that holds everything, unless a few bodies lie far outside the quantile bounds.
    std::array<double, D> extent, mean, ratio, begin;
    double volume = 1;
    for (std::size_t a = 0; a < D; ++a) {
        const double far = 2 * std::min(quantiles.extent[a], 1e37);
        begin[a] = std::max(bounds.lo[a], quantiles.centre[a] - far);
        extent[a] = std::max(std::min(bounds.hi[a], quantiles.centre[a] + far) - begin[a], 0.0);
        mean[a] = std::clamp(size[a], std::max(extent[a] * 0x1p-18, 1e-30), 1e38);
        ratio[a] = extent[a] / mean[a];
        volume *= std::max(std::min(extent[a], quantiles.extent[a]), mean[a]) / mean[a];
        cells_.axes[a] = a;
    }
    std::swap(cells_.axes[0],
              cells_.axes[static_cast<std::size_t>(
                  std::max_element(ratio.begin(), ratio.end()) - ratio.begin())]);
    // The sweep of a mean box spans 1.5 mean lengths: the box, and a bin of half its length.
    const double crossing = 1.5 * static_cast<double>(scene.size());
    constexpr double target_candidates = 12;  // candidates per box
    const double area = target_candidates * volume / crossing;
    double width = D == 2 ? area - 1 : std::sqrt(area) - 1;
    width = std::clamp(width, 2.6, D == 2 ? 32.0 : 8.0);
    for (std::size_t a = 0; a < D; ++a) {
        const std::size_t axis = cells_.axes[a];
        cell_[a] = mean[axis] * (a == 0 ? 0.5 : width);
        const double lead =
            a == 0 ? 0 : cell_[a] * best_row_offset(scene, axis, begin[axis], cell_[a]);
        begin_[a] = begin[axis] - lead;
        extent_[a] = extent[axis] + lead;
    }
}

template <Real T, int D>
void BoxGrid<T, D>::fit_cells() {
    constexpr float largest = 3e38f;  // coordinates may round to infinity, the origin must not
    for (std::size_t a = 0; a < D; ++a) {
        const double cells = std::min(extent_[a] / cell_[a], max_cells);
        cell_[a] = std::max(cell_[a], extent_[a] / max_cells);
        cells_.origin[a] = std::clamp(static_cast<float>(begin_[a]), -largest, largest);
        cells_.per_length[a] = std::max(static_cast<float>(1 / cell_[a]), 1 / largest);
        const auto last = static_cast<std::uint32_t>(cells);
        cells_.max_cell[a] = static_cast<float>(last);
        cells_.bits[a] = static_cast<unsigned>(std::bit_width(last));
    }
}

namespace {

template <class Key, int D>
std::uint64_t rows_of(const BoxBatch<Key, D>& batch, std::size_t i) {
    const auto of = [&](std::size_t a) {
        return std::uint64_t{1} + static_cast<std::uint32_t>(batch.more[a][i]);
    };
    return D == 3 ? of(batch.near) * of(batch.far) : of(batch.far);
}

// Calls f(key) for those rows of a box that are not among the entries of its batch.
template <class Key, int D, class F>
void for_each_later_row(const BoxBatch<Key, D>& batch, std::size_t i, const F& f) {
    for (std::int32_t u = 0; u <= batch.more[batch.far][i]; ++u)
        for (std::int32_t v = u < 2 ? 2 : 0; v <= (D == 3 ? batch.more[batch.near][i] : 0); ++v)
            f((batch.key[i] + static_cast<Key>(u) * batch.next_far +
               static_cast<Key>(v) * batch.next_near) |
              (u == 0 ? batch.far_home : 0) | (v == 0 ? batch.near_home : 0));
}

// Calls f(box) for each of the bits.
template <class F>
void for_each_bit(std::uint64_t bits, const F& f) {
    for (; bits != 0; bits &= bits - 1) f(static_cast<std::uint32_t>(std::countr_zero(bits)));
}

// Removes boxes and their entries from a batch of `count` boxes.
template <class Key, int D>
void remove(BoxBatch<Key, D>& batch, std::uint64_t boxes, std::size_t count) {
    std::size_t to = 0;
    for (std::size_t e = 0; e < batch.entries; ++e) {
        batch.entry_key[to] = batch.entry_key[e];
        batch.entry_box[to] = batch.entry_box[e];
        to += (boxes >> batch.entry_box[e] & 1) == 0;
    }
    batch.entries = to;
    batch.wide &= ~boxes;
    batch.longest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if ((boxes >> i & 1) != 0) continue;
        BoxRecord<Key, D> r;
        r = BoxEntry<Key, D>{batch, static_cast<std::uint32_t>(i), 0};
        batch.longest = std::max(batch.longest, r.box.hi[0] - r.box.lo[0]);
    }
}

// Makes batches of a scene's boxes.
template <Real T, class Key, int D>
class BoxReader {
  public:
    explicit BoxReader(const Scene<T, D>& scene)
        : scene_(scene),
          kind_(scene.packed_kind()),
          lower_(scene.view().position),
          upper_(scene.view().upper) {}

    void read(const BoxCells<D>& cells, std::size_t k, std::size_t count,
              BoxBatch<Key, D>& batch) {
        const auto first = static_cast<Index>(k);
        if (kind_ == PackedKind::boxes)
            return given_.make(cells, lower_.read(k, count), upper_.read(k, count), first,
                               count, batch);
        if (kind_ == PackedKind::spheres)
            return given_.make_balls(cells, lower_.read(k, count), read_radii(k, count), first,
                                     count, batch);
        PointBatch<float, D> lower{}, upper{};
        for (std::size_t a = 0; a < D; ++a) {
            lower.axis[a] = lo_[a].data();
            upper.axis[a] = hi_[a].data();
        }
        for (std::size_t i = 0; i < batch_size; ++i) {
            const auto box = scene_.box(static_cast<Index>(k + std::min(i, count - 1)));
            for (std::size_t a = 0; a < D; ++a) {
                lo_[a][i] = static_cast<float>(box.lo[a]);
                hi_[a][i] = static_cast<float>(box.hi[a]);
            }
        }
        made_.make(cells, lower, upper, first, count, batch);
    }

  private:
    // As BatchReader::read().
    const T* read_radii(std::size_t k, std::size_t count) {
        const Radii<T>& radius = scene_.view().radius;
        if (count == batch_size && !radius.equal() &&
            radius.each().stride == std::ptrdiff_t{sizeof(T)})
            return &radius[k];
        for (std::size_t i = 0; i < batch_size; ++i)
            radius_[i] = radius[k + std::min(i, count - 1)];
        return radius_.data();
    }

    const Scene<T, D>& scene_;
    const PackedKind kind_;
    std::array<T, batch_size> radius_;
    BatchReader<T, D> lower_, upper_;
    std::array<std::array<float, batch_size>, D> lo_, hi_;
    BoxRecordKernels<T, Key, D> given_ = box_record_kernels<T, Key, D>(scene_.target());
    BoxRecordKernels<float, Key, D> made_ = box_record_kernels<float, Key, D>(scene_.target());
};

}  // namespace

template <Real T, int D>
template <class Key, class Put>
void BoxGrid<T, D>::make_entries(const Scene<T, D>& scene, Range range, Part& part,
                                 const Put& put) const {
    const BoxCells<D> cells = cells_;
    // Accumulated locally and stored at the end: adjacent parts belong to other threads (false
    // sharing).
    std::uint64_t entries = 0;
    float longest = 0;
    part.giants.clear();
    BoxReader<T, Key, D> reader(scene);
    BoxBatch<Key, D> batch(cells);
    using Entry = BoxEntry<Key, D>;
    for (std::size_t k = range.begin; k < range.end; k += batch_size) {
        const std::size_t count = std::min(range.end - k, batch_size);
        reader.read(cells, k, count, batch);
        std::uint64_t giants = 0;
        for_each_bit(batch.wide, [&](std::uint32_t i) {
            if (rows_of(batch, i) <= giant_rows_) return;
            giants |= std::uint64_t{1} << i;
            Record<Key> r;
            r = Entry{batch, i, 0};
            part.giants.push_back({r.instance, r.box});
        });
        if (giants != 0) remove(batch, giants, count);  // also from batch.longest
        longest = std::max(longest, batch.longest);
        // Box by box, so that the order does not depend on where batches begin.
        std::size_t e = 0;
        const auto put_until = [&](std::size_t box) {
            for (; e < batch.entries && batch.entry_box[e] < box; ++e)
                put(Entry{batch, batch.entry_box[e], batch.entry_key[e]});
        };
        for_each_bit(batch.wide, [&](std::uint32_t box) {
            put_until(box + 1);
            for_each_later_row(batch, box, [&](Key key) {
                put(Entry{batch, box, key});
                ++entries;
            });
        });
        put_until(batch_size);
        entries += batch.entries;
        if (entries > budget_) break;
    }
    part.longest = longest;
}

// False if there are too many entries for these rows.
template <Real T, int D>
template <class Key>
bool BoxGrid<T, D>::order(const Scene<T, D>& scene, Sorter<Record<Key>>& sorter,
                          Packed<T, D>& packed) {
    const std::size_t instances = scene.size();
    const int threads = scene.threads();
    parts_.resize(piece_count(threads, instances));
    const auto make = [&](Range range, std::size_t p, const auto& put) {
        make_entries<Key>(scene, range, parts_[p], put);
    };
    unsigned bits = 0;
    for (const unsigned b : cells_.bits) bits += b;
    const std::uint64_t n =
        sorter.scatter_with_slack(instances, bits, threads, budget_, make, bin_of);
    if (n > budget_) return false;
    longest_ = 0;
    giants_.clear();
    for (const Part& part : parts_) {
        longest_ =
            std::max(longest_, part.longest * (1 + 1e-6f));  // covers the rounding of lengths
        giants_.insert(giants_.end(), part.giants.begin(), part.giants.end());
    }

    entries_ = n;
    write(scene, sorter, packed);
    list_rows(sorter);
    return true;
}

// Writes the kernels' columns. Keeps one record per row: its key, and as `instance` the entry
// where the row begins.
template <Real T, int D>
template <class Key>
void BoxGrid<T, D>::write(const Scene<T, D>& scene, Sorter<Record<Key>>& sorter,
                          Packed<T, D>& packed) {
    BoxColumns<Key, D> all{};
    for (std::size_t a = 0; a < D; ++a) {
        lo_[a].resize(entries_);
        hi_[a].resize(entries_);
        all.lo[a] = lo_[a].data();
        all.hi[a] = hi_[a].data();
    }
    all.instance = packed.entries(entries_).data();
    Bits* const bits = packed.own_bits(entries_).data();
    const auto unpack = box_record_kernels<T, Key, D>(scene.target()).unpack;
    const auto write_batch = [=, &scene](const Record<Key>* bucket, const std::uint32_t* order,
                                         std::size_t begin, std::size_t count, Key* keys) {
        BoxColumns<Key, D> to = all;
        for (std::size_t a = 0; a < D; ++a) {
            to.lo[a] += begin;
            to.hi[a] += begin;
        }
        to.instance += begin;
        to.key = keys;
        unpack(bucket, order, count, to);
        constexpr Key home = (Key{1} << row_axes) - 1;
        for (std::size_t i = 0; i < count; ++i)
            bits[begin + i] = static_cast<Bits>((keys[i] & home) << D | scene.image_bits);
        if (!scene.periodic()) return;
        for (std::size_t i = 0; i < count; ++i)
            bits[begin + i] = static_cast<Bits>((keys[i] & home) << D |
                                                scene.lowest_image_flags(to.instance[i]));
    };
    sorter.for_each_bucket(
        scene.threads(), bin_of,
        [&write_batch, shift = row_axes + cells_.bits[0]](
            Range entries, const Record<Key>* bucket, const std::uint32_t* order,
            const auto& keep) {
            std::array<Key, batch_size> keys;
            Key last = ~Key{0};
            for (std::size_t k = 0; k < entries.size(); k += batch_size) {
                const std::size_t count = std::min(entries.size() - k, batch_size);
                write_batch(bucket, order + k, entries.begin + k, count, keys.data());
                // Sorted: if the last entry is in the current row, all are.
                if (keys[count - 1] >> shift == last) continue;
                for (std::size_t i = 0; i < count; ++i) {
                    if (keys[i] >> shift == last) continue;
                    last = keys[i] >> shift;
                    Record<Key> head{};
                    head.instance = static_cast<Index>(entries.begin + k + i);
                    head.key = keys[i];
                    keep(head);
                }
            }
        });
}

// A row that spans two buckets has two records: the second is skipped.
template <Real T, int D>
template <class Key>
void BoxGrid<T, D>::list_rows(const Sorter<Record<Key>>& sorter) {
    row_key_.resize(sorter.kept());
    row_start_.resize(sorter.kept() + 1);
    row_count_ = 0;
    for (std::size_t b = 0; b < sorter.buckets(); ++b)
        for (const Record<Key>& r : sorter.kept(b)) {
            const std::uint64_t row = std::uint64_t{r.key} >> (row_axes + cells_.bits[0]);
            if (row_count_ > 0 && row_key_[row_count_ - 1] == row) continue;
            row_key_[row_count_] = row;
            row_start_[row_count_++] = r.instance;
        }
    row_start_[row_count_] = static_cast<std::uint32_t>(entries_);
}

template <Real T, int D>
void BoxGrid<T, D>::assign(const Scene<T, D>& scene, Packed<T, D>& packed) {
    choose_rows(scene);
    const std::uint64_t n = scene.size();
    budget_ = std::min<std::uint64_t>(4 * n + 4096, std::numeric_limits<Index>::max());
    // A box that touches more rows than this is a giant. A few dozen large bodies may have many
    // entries each; if the entries exceed the budget, the threshold is lowered.
    giant_rows_ = std::max(min_giant_rows, n / 16);
    for (int round = 0;; ++round) {
        fit_cells();
        unsigned bits = row_axes;
        for (const unsigned b : cells_.bits) bits += b;
        // Not 32, because keys are shifted by as many bits.
        if (bits < 32 ? order(scene, short_, packed) : order(scene, long_, packed)) break;
        giant_rows_ = min_giant_rows;
        if (round > 0)
            for (std::size_t a = 1; a < D; ++a) cell_[a] *= 2;
    }
}

template <Real T, int D>
BoxRows<D> BoxGrid<T, D>::rows() const {
    BoxRows<D> view{};
    for (std::size_t a = 0; a < D; ++a) {
        view.lo[a] = lo_[a].data();
        view.hi[a] = hi_[a].data();
    }
    // A cell number is the integer part of a quotient with an error of less than
    // 2^18 (2^-24 + 2^-24) = 1/32.
    const auto origin = static_cast<double>(cells_.origin[0]);
    const double cell = 1 / static_cast<double>(cells_.per_length[0]);
    view.bin = static_cast<float>(1.08 * cell);
    view.bins_begin = static_cast<float>(origin + 1.08 * cell);
    view.bins_end =
        static_cast<float>(origin + (static_cast<double>(cells_.max_cell[0]) - 0.08) * cell);
    return view;
}

template <Real T, int D>
std::size_t BoxGrid<T, D>::row_of(std::uint32_t entry) const {
    const std::uint32_t* begin = row_start_.data();
    return static_cast<std::size_t>(std::upper_bound(begin, begin + row_count_, entry) - begin -
                                    1);
}

template class BoxGrid<float, 2>;
template class BoxGrid<float, 3>;
template class BoxGrid<double, 2>;
template class BoxGrid<double, 3>;

}  // namespace vicinal::inline VICINAL_API
