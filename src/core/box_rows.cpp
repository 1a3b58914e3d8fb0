#include "core/box_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"

namespace vicinal {
namespace {

constexpr double most_cells = 0x1p18;       // along an axis
constexpr std::uint64_t least_giant = 256;  // rows

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

// Layers of bodies, on a floor or in a lattice, should not lie across the rows' sides: by which
// part of its width the first row must begin earlier so that the fewest boxes do, of a sample.
template <Real T, int D>
double best_lead(const Scene<T, D>& scene, std::size_t axis, double begin, double width) {
    constexpr std::size_t leads = 8;
    std::array<unsigned, leads> across{};
    const std::size_t n = scene.bodies(), stride = n / 512 + 1;
    for (std::size_t i = 0; i < n; i += stride) {
        const Box<T, D> box = scene.box(static_cast<Index>(i));
        const double lo = (static_cast<double>(box.lo[axis]) - begin) / width;
        const double length = (static_cast<double>(box.hi[axis]) - begin) / width - lo;
        for (std::size_t k = 0; k < leads; ++k) {
            // How far below the next side the box begins.
            const double at = lo + static_cast<double>(k) / leads;
            across[k] += std::floor(at) + 1 - at <= length;
        }
    }
    const auto best = std::min_element(across.begin(), across.end()) - across.begin();
    return static_cast<double>(best) / leads;
}

}  // namespace

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
        cells_.axes[a] = a;
    }
    std::swap(cells_.axes[0],
              cells_.axes[static_cast<std::size_t>(
                  std::max_element(ratio.begin(), ratio.end()) - ratio.begin())]);
    // A box of mean size crosses one and a half of its lengths, with the bins.
    const double crossing = 1.5 * static_cast<double>(scene.size());
    constexpr double wanted = 12;  // candidates per box
    const double area = wanted * volume / crossing;
    double width = D == 2 ? area - 1 : std::sqrt(area) - 1;
    width = std::clamp(width, 2.6, D == 2 ? 32.0 : 8.0);
    for (std::size_t a = 0; a < D; ++a) {
        const std::size_t axis = cells_.axes[a];
        cell_[a] = mean[axis] * (a == 0 ? 0.5 : width);
        const double lead =
            a == 0 ? 0 : cell_[a] * best_lead(scene, axis, begin[axis], cell_[a]);
        begin_[a] = begin[axis] - lead;
        extent_[a] = extent[axis] + lead;
    }
}

template <Real T, int D>
void BoxGrid<T, D>::fit_cells() {
    constexpr float largest = 3e38f;  // a place may be infinite: the origin must not
    for (std::size_t a = 0; a < D; ++a) {
        const double cells = std::min(extent_[a] / cell_[a], most_cells);
        cell_[a] = std::max(cell_[a], extent_[a] / most_cells);
        cells_.origin[a] = std::clamp(static_cast<float>(begin_[a]), -largest, largest);
        cells_.per_length[a] = std::max(static_cast<float>(1 / cell_[a]), 1 / largest);
        const auto most = static_cast<std::uint32_t>(cells);
        cells_.most[a] = static_cast<float>(most);
        cells_.bits[a] = static_cast<unsigned>(std::bit_width(most));
    }
}

// A few boxes at a time: their cells component by component, so that the compiler uses vectors,
// and then their entries without a branch, for whether a box crosses into the next row cannot
// be foretold.
template <Real T, int D>
template <class Key>
struct BoxGrid<T, D>::Batch {
    static constexpr std::size_t most = 64;
    // The row axes, near and far in the keys; in 2-D the only one is the far one.
    static constexpr std::size_t near = 1, far = D - 1;
    static constexpr Key near_home = D == 3 ? 1 : 0, far_home = Key{1} << (row_axes - 1);
    struct Entry {
        std::uint32_t box;
        Key key;
    };
    std::array<std::array<float, most>, D> lo, hi;             // the sweep axis first
    std::array<std::array<std::int32_t, most>, D> cell, more;  // the first, how many follow
    std::array<Key, most> key;                                 // of the first row
    std::array<std::uint32_t, most> crosses_near, crosses_far, crosses_both;
    std::array<Entry, 4 * most> entries;   // of the first two rows along each row axis
    std::array<std::uint32_t, most> wide;  // boxes in more than two rows along an axis
    std::size_t entry_count = 0, wide_count = 0;
    unsigned near_shift, far_shift;
    Key next_near, next_far;

    explicit Batch(const Cells& cells) {
        near_shift = row_axes + cells.bits[0];
        far_shift = near_shift + (D == 3 ? cells.bits[near] : 0);
        next_near = Key{1} << near_shift;
        next_far = Key{1} << far_shift;
    }

    // All axes at once: they usually lie in the same lines.
    static void copy(const Vectors<T, D>& from, const Cells& cells, std::size_t k,
                     std::size_t count, std::array<std::array<float, most>, D>& to) {
        std::array<const std::byte*, D> at;
        std::array<std::ptrdiff_t, D> stride;
        for (std::size_t a = 0; a < D; ++a) {
            const Column<T>& column = from.axis[cells.axes[a]];
            at[a] = reinterpret_cast<const std::byte*>(&column[k]);
            stride[a] = column.stride;
        }
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t a = 0; a < D; ++a) {
                to[a][i] = static_cast<float>(*reinterpret_cast<const T*>(at[a]));
                at[a] += stride[a];
            }
    }

    void load(const Scene<T, D>& scene, const Cells& cells, std::size_t k, std::size_t count) {
        const Bodies<T, D>& view = scene.view();
        if (view.shape == Shape::boxes && !scene.imaged() && !view.swept()) {
            copy(view.position, cells, k, count, lo);
            copy(view.upper, cells, k, count, hi);
        } else {
            for (std::size_t i = 0; i < count; ++i) {
                const auto box = cells.place(scene.box(static_cast<Index>(k + i)));
                for (std::size_t a = 0; a < D; ++a) {
                    lo[a][i] = box.lo[a];
                    hi[a][i] = box.hi[a];
                }
            }
        }
        // All of them, so that the loops have a fixed length: what is beyond `count` is not
        // used, but must be a number.
        for (std::size_t a = 0; a < D; ++a) {
            std::fill(lo[a].data() + count, lo[a].data() + most, 0.0f);
            std::fill(hi[a].data() + count, hi[a].data() + most, 0.0f);
            for (std::size_t i = 0; i < most; ++i) cell[a][i] = cells.cell(lo[a][i], a);
            if (a == 0) continue;
            for (std::size_t i = 0; i < most; ++i)
                more[a][i] = cells.cell(hi[a][i], a) - cell[a][i];
        }
        const auto near_by = static_cast<int>(near_shift), far_by = static_cast<int>(far_shift);
        for (std::size_t i = 0; i < most; ++i)
            key[i] = static_cast<Key>(cell[0][i]) << row_axes |
                     (D == 3 ? static_cast<Key>(cell[near][i]) << near_by : 0) |
                     static_cast<Key>(cell[far][i]) << far_by;
        for (std::size_t i = 0; i < most; ++i) {
            crosses_near[i] = D == 3 && more[near][i] > 0;
            crosses_far[i] = more[far][i] > 0;
            crosses_both[i] = crosses_near[i] & crosses_far[i];
        }
        std::int32_t widest = 0;
        for (std::size_t i = 0; i < most; ++i)
            widest |= (D == 3 ? more[near][i] : 0) | more[far][i];
        list(count, widest > 1);
    }

    void list(std::size_t count, bool any_wide) {
        Entry* to = entries.data();
        for (std::size_t i = 0; i < count; ++i) {
            const auto box = static_cast<std::uint32_t>(i);
            *to++ = {box, key[i] | far_home | near_home};
            if (D == 3) {
                *to = {box, (key[i] + next_near) | far_home};
                to += crosses_near[i];
            }
            *to = {box, (key[i] + next_far) | near_home};
            to += crosses_far[i];
            if (D == 3) {
                *to = {box, key[i] + next_near + next_far};
                to += crosses_both[i];
            }
        }
        entry_count = static_cast<std::size_t>(to - entries.data());
        wide_count = 0;
        if (!any_wide) return;
        for (std::size_t i = 0; i < count; ++i) {
            wide[wide_count] = static_cast<std::uint32_t>(i);
            wide_count += std::max(D == 3 ? more[near][i] : 0, more[far][i]) > 1;
        }
    }

    std::uint64_t rows(std::uint32_t i) const {
        const auto of = [&](std::size_t a) {
            return std::uint64_t{1} + static_cast<std::uint32_t>(more[a][i]);
        };
        return D == 3 ? of(near) * of(far) : of(far);
    }
    // The entries after those listed.
    template <class F>
    void rest(std::uint32_t i, const F& f) const {
        for (std::int32_t u = 0; u <= more[far][i]; ++u)
            for (std::int32_t v = u < 2 ? 2 : 0; v <= (D == 3 ? more[near][i] : 0); ++v)
                f((key[i] + static_cast<Key>(u) * next_far + static_cast<Key>(v) * next_near) |
                  (u == 0 ? far_home : 0) | (v == 0 ? near_home : 0));
    }

    // Takes the entries of giants out of the list: they go elsewhere.
    template <class F>
    void without_giants(std::uint64_t giant_rows, const F& giant) {
        const auto is_giant = [&](std::uint32_t i) { return rows(i) > giant_rows; };
        std::uint32_t* const wides = wide.data();
        if (std::none_of(wides, wides + wide_count, is_giant)) return;
        Entry* const end = std::remove_if(entries.data(), entries.data() + entry_count,
                                          [&](const Entry& e) { return is_giant(e.box); });
        entry_count = static_cast<std::size_t>(end - entries.data());
        for (std::size_t w = 0; w < wide_count; ++w)
            if (is_giant(wides[w])) giant(wides[w]);
        wide_count = static_cast<std::size_t>(
            std::remove_if(wides, wides + wide_count, is_giant) - wides);
    }
};

template <Real T, int D>
template <class Key, class Put>
void BoxGrid<T, D>::make_entries(const Scene<T, D>& scene, Range range, Part& part,
                                 const Put& put) const {
    const Cells cells = cells_;
    part.entries = 0;
    part.longest = 0;
    part.giants.clear();
    Batch<Key> batch(cells);
    for (std::size_t k = range.begin; k < range.end; k += batch.most) {
        const std::size_t count = std::min(range.end - k, batch.most);
        batch.load(scene, cells, k, count);
        const auto record = [&batch, k](std::uint32_t i, Key key) {
            Record<Key> r;
            for (std::size_t a = 0; a < D; ++a) {
                r.box.lo[a] = batch.lo[a][i];
                r.box.hi[a] = batch.hi[a][i];
            }
            r.instance = static_cast<Index>(k + i);
            r.key = key;
            return r;
        };
        batch.without_giants(giant_rows_, [&](std::uint32_t i) {
            const Record<Key> r = record(i, 0);
            part.giants.push_back({r.instance, r.box});
            batch.hi[0][i] = batch.lo[0][i];  // its length does not count
        });
        float longest = part.longest;
        for (std::size_t i = 0; i < batch.most; ++i)
            longest = std::max(longest, batch.hi[0][i] - batch.lo[0][i]);
        part.longest = longest;
        // Box by box, so that the order does not depend on where batches begin.
        std::size_t e = 0;
        const auto put_until = [&](std::uint32_t box) {
            for (; e < batch.entry_count && batch.entries[e].box < box; ++e)
                put(record(batch.entries[e].box, batch.entries[e].key));
        };
        for (std::size_t w = 0; w < batch.wide_count; ++w) {
            const std::uint32_t box = batch.wide[w];
            put_until(box + 1);
            batch.rest(box, [&](Key key) {
                put(record(box, key));
                ++part.entries;
            });
        }
        put_until(batch.most);
        part.entries += batch.entry_count;
        if (part.entries > budget_) return;
    }
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
    const auto place = [](const Record<Key>& r) { return r.key >> row_axes; };
    unsigned bits = 0;
    for (const unsigned b : cells_.bits) bits += b;
    const std::uint64_t n = sorter.count(instances, bits, threads, make, place);
    if (n > budget_) return false;
    sorter.scatter(instances, threads, make, place);
    longest_ = 0;
    giants_.clear();
    for (const Part& part : parts_) {
        longest_ = std::max(longest_, part.longest * (1 + 1e-6f));  // it was rounded
        giants_.insert(giants_.end(), part.giants.begin(), part.giants.end());
    }

    entries_ = n;
    std::array<float*, D> lo, hi;
    for (std::size_t a = 0; a < D; ++a) {
        lo_[a].resize(n);
        hi_[a].resize(n);
        lo[a] = lo_[a].data();
        hi[a] = hi_[a].data();
    }
    Index* const instance = packed.entries(n).data();
    Bits* const own_bits = packed.own_bits(n).data();
    // Of every row the first record is kept, its instance replaced by the entry where the row
    // begins.
    sorter.take(threads, place,
                [&scene, lo, hi, instance, own_bits, shift = row_axes + cells_.bits[0]](
                    Range entries, const Record<Key>* bucket, const std::uint32_t* order,
                    const auto& keep) {
                    Key last = ~Key{0};
                    for (std::size_t k = 0; k < entries.size(); ++k) {
                        const Record<Key>& r = bucket[order[k]];
                        const std::size_t e = entries.begin + k;
                        for (std::size_t a = 0; a < D; ++a) {
                            lo[a][e] = r.box.lo[a];
                            hi[a][e] = r.box.hi[a];
                        }
                        instance[e] = r.instance;
                        const auto home = static_cast<unsigned>(r.key & ((1u << row_axes) - 1))
                                          << D;
                        own_bits[e] = static_cast<Bits>(home | scene.home(r.instance));
                        const Key row = r.key >> shift;
                        if (row == last) continue;
                        last = row;
                        Record<Key> head = r;
                        head.instance = static_cast<Index>(e);
                        keep(head);
                    }
                });
    list_rows(sorter);
    return true;
}

// A row that lies in two buckets was kept twice.
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
    // What touches this many rows is a giant. A few dozen large bodies may have many entries,
    // but not so many bodies that entries run out.
    giant_rows_ = std::max(least_giant, n / 16);
    for (int round = 0;; ++round) {
        fit_cells();
        unsigned bits = row_axes;
        for (const unsigned b : cells_.bits) bits += b;
        // Below 32, for there are shifts by as many.
        if (bits < 32 ? order(scene, short_, packed) : order(scene, long_, packed)) break;
        giant_rows_ = least_giant;
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
    // A cell's number is the integer part of something that is off by less than
    // 2^18 (2^-24 + 2^-24) = 1/32.
    const auto origin = static_cast<double>(cells_.origin[0]);
    const double cell = 1 / static_cast<double>(cells_.per_length[0]);
    view.bin = static_cast<float>(1.08 * cell);
    view.bins_begin = static_cast<float>(origin + 1.08 * cell);
    view.bins_end =
        static_cast<float>(origin + (static_cast<double>(cells_.most[0]) - 0.08) * cell);
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
