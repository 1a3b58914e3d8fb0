#include "row_grid/point_grid.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/flat.hpp"
#include "base/parallel.hpp"
#include "scene/bounds.hpp"
#include "simd/targets.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

constexpr double units_per_cell = 1 << unit_bits;  // for the widest cells
constexpr unsigned head_flags = 32;  // bit offset in a cell's record, above the entry

}  // namespace

template <Real T, int D>
bool PointGrid<T, D>::fits(const Scene<T, D>& scene) {
    has_ghosts_ = scene.images() == Images::ghosts;
    joined_ = {};
    any_joined_ = false;
    // Instance numbers must fit below the flag bits of row_grid/strips.hpp.
    const unsigned number_bits = has_ghosts_                        ? ghost_axis_shift
                                 : scene.images() == Images::native ? face_shift
                                                                    : 31;
    if (scene.size() == 0 || numbers(scene) > std::size_t{1} << number_bits) return false;
    if (scene.images() == Images::native &&
        !(scene.lattice().rectangular() && scene.lattice().change == 0))
        return false;

    const Box<double, D> place = bounds_of(scene);
    const auto cutoff = static_cast<double>(scene.view().cutoff);
    double extent = 0, farthest = has_ghosts_ ? 2 * scene.longest_shift() : 0;
    for (std::size_t a = 0; a < D; ++a) {
        extent = std::max(extent, place.hi[a] - place.lo[a]);
        farthest = std::max({farthest, std::abs(place.lo[a]), std::abs(place.hi[a])});
    }
    double error = 8 * std::numeric_limits<double>::epsilon() * farthest;
    constexpr auto eps = static_cast<double>(std::numeric_limits<T>::epsilon());
    if (scene.images() == Images::native) {
        // The formula rounds the difference of two coordinates (eps / 2 of the extent), adds a
        // whole period, which is exact, and rounds the rest as it would in an open domain.
        error += eps * extent;
    } else if (scene.periodic()) {
        // Let F be the farthest coordinate. In T the formula rounds the difference of two
        // coordinates (eps F / 2) and that of two shifts, each a sum of whole lattice vectors
        // (shifts of up to F / 2, F / 2 and F). In a rectangular box the sum has one term, with
        // an error of eps / 2 of it: 3/2 eps F in all. With three terms the error is 3/2 eps.
        const double roundings = scene.lattice().rectangular() ? 2 : 8;
        error += roundings * eps * farthest;
    }
    // Where squares underflow in T, the formula accepts any distance below this.
    error += 2 * std::sqrt(static_cast<double>(std::numeric_limits<T>::min()));
    const double smallest = (cutoff + 4 * error) * (1 + 0x1p-10);
    // Cells may be larger than needed if points lie far apart, but not much larger: one point
    // at 1e30 must not put all others into one cell.
    double cell = std::max(smallest, extent * 0x1.01p-15);
    if (!(cell <= 1.5 * smallest)) return false;
    // For a few points, testing all pairs is fastest: put them into one cell.
    constexpr std::size_t max_one_cell = 256;
    if (scene.size() <= max_one_cell && !scene.periodic())
        cell = std::max(cell, extent * (1 + 0x1p-6));
    if (!(cell > 0) || !std::isfinite(4 * extent) || !std::isfinite(cell)) return false;
    std::array<double, D> width;
    width.fill(cell);
    if (scene.images() == Images::native &&
        !choose_periodic_cells(scene.lattice(), place, width))
        return false;
    lattice_.units = units_per_cell / *std::max_element(width.begin(), width.end());
    if (scene.images() == Images::native) error += round_periods(scene.lattice());
    if (!std::isfinite(lattice_.units) || !(error * lattice_.units < 128)) return false;
    for (std::size_t a = 0; a < D; ++a) {
        // Cell 0 stays empty despite rounding, and so does the cell above the last.
        lattice_.cells[a] = 1 / width[a];
        lattice_.origin[a] = place.lo[a] - width[a] * (1 + 0x1p-10);
        if (!joined_[a])
            max_cell_[a] = static_cast<std::int64_t>((place.hi[a] - lattice_.origin[a]) *
                                                     lattice_.cells[a]);
        lattice_.bits[a] =
            static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(max_cell_[a]) + 1));
        if (lattice_.bits[a] > PointRecord::cell_bits) return false;
    }
    choose_bounds(cutoff * lattice_.units, error * lattice_.units);
    return true;
}

// Chooses the cell width so that a whole number of cells, 1 to `max_cell_`, fills the period.
// In units of that width the points lie between 1 + 2^-10 and max_cell_ + 1 - 2^-10, so that
// rounding cannot put one outside; the first and the last cell are narrower by as much, but
// still wide enough.
template <Real T, int D>
bool PointGrid<T, D>::choose_periodic_cells(const Lattice<T, D>& lattice,
                                            const Box<double, D>& place,
                                            std::array<double, D>& width) {
    for (std::size_t a = 0; a < D; ++a) {
        const auto period = static_cast<double>(lattice.h[a][a]);
        const double gap = period - (place.hi[a] - place.lo[a]);  // across the faces
        if (!lattice.periodic[a] || gap > width[a]) continue;     // no pair across these faces
        const double count = std::floor(period / (width[a] * (1 + 0x1p-8)));
        // With fewer than three cells, two would be adjacent on both sides.
        if (!(gap >= 0) || !(count >= 3)) return false;
        joined_[a] = any_joined_ = true;
        max_cell_[a] = static_cast<std::int64_t>(count);
        width[a] = period / (count - 0x1p-9);
    }
    return true;
}

// Rounds the periods to whole units. The unit is chosen so that the first period is exact, and
// in a cube all are. Returns the largest error of the others.
template <Real T, int D>
double PointGrid<T, D>::round_periods(const Lattice<T, D>& lattice) {
    double off = 0;
    bool first = true;
    for (std::size_t a = 0; a < D; ++a) {
        if (!joined_[a]) continue;
        const auto period = static_cast<double>(lattice.h[a][a]);
        // Slightly fewer units per cell, because coordinates and their cells are rounded
        // separately.
        if (std::exchange(first, false))
            lattice_.units = std::floor(period * lattice_.units * (1 - 0x1p-12)) / period;
        const double units = std::round(period * lattice_.units);
        off = std::max(off, std::abs(units - period * lattice_.units) / lattice_.units);
        period_[a] = static_cast<std::uint16_t>(static_cast<std::int64_t>(units));
    }
    return off;
}

// The accept and reject bounds of the strip join. Lengths are in units; r is the cut-off, e the
// error of a point's position. Positions are rounded down, so each component of a difference
// has an error below 1 + e, and the difference as a vector one below w = sqrt(D) (1 + e). Each
// of the D squares is rounded to a multiple of 2^15, so the error of their sum S is at most
// D / 2.
// - Accepted pairs have |difference| <= r + w: S <= (r + w)^2 / 2^15 + D / 2.
// - S <= (r - w)^2 / 2^15 - D / 2 proves a distance of at most r.
// If the exact sum of squares lies between (r - w)^2 and (r + w)^2, the pair is undecided and
// the formula decides it. The formula rounds as well: r is taken a millionth larger or smaller,
// and e covers the rest.
template <Real T, int D>
void PointGrid<T, D>::choose_bounds(double r, double e) {
    const double w = std::sqrt(double{D}) * (1.001 + e);
    // `outer` is little more than a cell, so reject_ is far below 2^15.
    const double outer = r * (1 + 1e-6) + w, inner = r * (1 - 1e-6) - w;
    reject_square_ = static_cast<std::int64_t>(std::ceil(outer * outer));
    accept_square_ = inner <= 0 ? -1 : static_cast<std::int64_t>(inner * inner);
    reject_ = static_cast<std::int16_t>(std::floor(outer * outer / 32768 + 0.5 * D));
    accept_ = inner <= 0 ? std::int16_t{-1}
                         : static_cast<std::int16_t>(
                               std::max(-1.0, std::floor(inner * inner / 32768 - 0.5 * D)));
}

// Calls put(record) for each instance, in order; bodies are read in batches.
template <Real T, int D>
template <class Put>
void PointGrid<T, D>::make_records(const Scene<T, D>& scene, Range instances,
                                   const Put& put) const {
    const PointLattice<D> lattice = lattice_;
    const PointRecordKernels<T, D> kernels = point_record_kernels<T, D>(scene.target());
    BatchReader<T, D> reader(scene.view().position);
    std::array<PointRecord, batch_size> records;
    const std::size_t bodies = std::clamp(scene.bodies(), instances.begin, instances.end);
    for (std::size_t k = instances.begin; k < bodies; k += batch_size) {
        const std::size_t count = std::min(bodies - k, batch_size);
        kernels.records(lattice, reader.read(k, count), static_cast<Index>(k), records.data());
        if (scene.any_shifted(k, k + count))
            for (std::size_t i = 0; i < count; ++i)
                if (scene.shifted(static_cast<Index>(k + i)))
                    records[i] = shifted_record(scene, static_cast<Index>(k + i));
        for (std::size_t i = 0; i < count; ++i) put(records[i]);
    }
    for (std::size_t k = bodies; k < instances.end; ++k) put(ghosts_[k - scene.bodies()]);
}

template <Real T, int D>
PointRecord PointGrid<T, D>::shifted_record(const Scene<T, D>& scene, Index k) const {
    PointRecord r = lattice_.record(scene.centre(k), k);
    r.place |= PointRecord::shifted;
    return r;
}

// The flagged number of a ghost or a shifted body: see row_grid/strips.hpp.
template <Real T, int D>
Index PointGrid<T, D>::marked(const Scene<T, D>& scene, Index k, Bits home) {
    const Index away = Scene<T, D>::image_bits & ~Index{home};
    bool is_one_up = true;  // these bits determine its image
    for (std::size_t a = 0; a < D; ++a) is_one_up &= scene.image(k)[a] == int(away >> a & 1);
    const Index number = is_one_up            ? scene.body(k)
                         : k < scene.bodies() ? static_cast<Index>(scene.size()) + k
                                              : k;
    return needs_resolve | away << ghost_axis_shift | number;
}

// Computes the records of ghosts in advance, because the sort may read them twice.
template <Real T, int D>
void PointGrid<T, D>::make_ghosts(const Scene<T, D>& scene) {
    const std::size_t bodies = scene.bodies(), count = scene.size() - bodies;
    ghosts_.resize(count);
    parallel_ranges(scene.threads(), count, [&](Range r, std::size_t) {
        constexpr std::size_t ahead = 16;  // prefetch distance: a ghost's body may be anywhere
        for (std::size_t g = r.begin; g < r.end; ++g) {
            if (g + ahead < r.end) scene.prefetch(static_cast<Index>(bodies + g + ahead));
            ghosts_[g] = shifted_record(scene, static_cast<Index>(bodies + g));
        }
    });
}

// Sorts the points and writes the kernels' columns. Keeps one record per cell, with the entry
// where the cell begins and the union of its entries' lowest-image flags; its `shifted` bit
// is set if any entry is a ghost or a shifted body.
template <Real T, int D>
void PointGrid<T, D>::sort(const Scene<T, D>& scene, Packed<T, D>& packed) {
    const std::size_t n = scene.size();
    const int threads = scene.threads();
    const auto make = [&](Range range, std::size_t, const auto& put) {
        make_records(scene, range, put);
    };
    const auto by_cell = [](const PointRecord& r) { return r.cell(); };
    make_ghosts(scene);
    sorter_.scatter_with_slack(n, lattice_.all_bits(), threads, n, make, by_cell);

    PointColumns<D> all{};
    for (std::size_t a = 0; a < D; ++a) {
        axis_[a].resize(n);
        all.axis[a] = axis_[a].data();
    }
    cell_.resize(n);
    all.cell = cell_.data();
    all.instance = packed.entries(n).data();
    Bits* const bits = has_ghosts_ ? packed.own_bits(n).data() : nullptr;
    marked_.resize(has_ghosts_ ? n : 0);
    sorter_.for_each_bucket(threads, by_cell,
                            [&](Range entries, const PointRecord* bucket,
                                const std::uint32_t* order, const auto& keep) {
                                write_bucket(scene, all, bits, entries, bucket, order, keep);
                            });
}

template <Real T, int D>
template <class Keep>
void PointGrid<T, D>::write_bucket(const Scene<T, D>& scene, const PointColumns<D>& all,
                                   Bits* bits, Range entries, const PointRecord* bucket,
                                   const std::uint32_t* order, const Keep& keep) {
    const auto unpack = point_record_kernels<T, D>(scene.target()).unpack;
    PointRecord head{0, 0};  // matches no cell: cell 0 is empty
    std::array<PointRecord, 1 + batch_size> batch;
    batch[0] = head;
    for (std::size_t k = 0; k < entries.size(); k += batch_size) {
        const std::size_t count = std::min(entries.size() - k, batch_size),
                          first = entries.begin + k;
        PointColumns<D> to = all;
        for (std::size_t a = 0; a < D; ++a) to.axis[a] += first;
        to.cell += first;
        to.instance += first;
        std::uint64_t begins = unpack(lattice_, bucket, order + k, count, to, batch.data());
        if (bits == nullptr) {
            for (; begins != 0; begins &= begins - 1) {
                const auto i = static_cast<std::size_t>(std::countr_zero(begins));
                keep({batch[i + 1].place, first + i});
            }
        } else {
            for (std::size_t i = 0; i < count; ++i) {
                if ((begins >> i & 1) != 0) {
                    if (head.place != 0) keep(head);
                    head = {batch[i + 1].place, first + i};
                }
                mark(scene, batch[i + 1], first + i, bits, head);
            }
        }
        batch[0] = batch[count];
    }
    if (bits != nullptr) keep(head);
}

// The bits and the flagged instance of an entry, if there are ghosts.
template <Real T, int D>
void PointGrid<T, D>::mark(const Scene<T, D>& scene, const PointRecord& r, std::size_t entry,
                           Bits* bits, PointRecord& head) {
    bits[entry] = static_cast<Bits>(Scene<T, D>::image_bits | unshifted_bit);
    marked_[entry] = r.instance();
    if ((r.place & PointRecord::shifted) != 0) {
        head.place |= PointRecord::shifted;
        bits[entry] = scene.lowest_image_flags(r.instance());
        marked_[entry] = marked(scene, r.instance(), bits[entry]);
    }
    head.rest |= std::uint64_t{bits[entry]} << head_flags;
}

template <Real T, int D>
void PointGrid<T, D>::list_cells(int threads, std::size_t entries) {
    const std::size_t buckets = sorter_.buckets();
    const unsigned x_bits = lattice_.bits[0];
    const auto row_of = [x_bits](const PointRecord& r) { return r.cell() >> x_bits; };
    // Calls f(cell, record) where a row begins.
    const auto for_each_row = [&](std::size_t b, const auto& f) {
        const PointRecord* before = sorter_.last_before(b);
        std::uint64_t last = before != nullptr ? row_of(*before) : 0;
        std::size_t cell = sorter_.kept_before(b);
        for (const PointRecord& r : sorter_.kept(b)) {
            if (row_of(r) != last) f(cell, r);
            last = row_of(r);
            ++cell;
        }
    };
    first_row_.resize(buckets);
    parallel_short_tasks(threads, buckets, [&](std::size_t b, int) {
        std::uint32_t rows = 0;
        for_each_row(b, [&](std::size_t, const PointRecord&) { ++rows; });
        first_row_[b] = rows;
    });
    cells_ = sorter_.kept();
    rows_ = exclusive_scan(1, first_row_.span());
    cell_x_.resize(cells_ + 1);
    cell_start_.resize(cells_ + 1);
    row_key_.resize(rows_);
    row_cell_.resize(rows_ + 1);
    // Ghosts and shifted bodies must be resolved individually.
    cell_flags_.resize(has_ghosts_ ? cells_ + 1 : 0);
    if (has_ghosts_) cell_flags_[cells_] = 0;
    cell_x_[cells_] = ~std::uint32_t{0};
    cell_start_[cells_] = static_cast<std::uint32_t>(entries);
    row_cell_[rows_] = static_cast<std::uint32_t>(cells_);
    parallel_short_tasks(threads, buckets, [&](std::size_t b, int) {
        std::size_t cell = sorter_.kept_before(b), row = first_row_[b];
        const std::uint64_t x_mask = (std::uint64_t{1} << x_bits) - 1;
        for (const PointRecord& r : sorter_.kept(b)) {
            cell_x_[cell] = static_cast<std::uint32_t>(r.cell() & x_mask);
            if (has_ghosts_) {
                const bool mixed = (r.place & PointRecord::shifted) != 0;
                cell_flags_[cell] =
                    static_cast<std::uint8_t>((r.rest >> head_flags & Scene<T, D>::image_bits) |
                                              (mixed ? has_ghosts : 0u));
            }
            cell_start_[cell++] = static_cast<std::uint32_t>(r.rest);
        }
        for_each_row(b, [&](std::size_t first, const PointRecord& r) {
            row_key_[row] = row_of(r);
            row_cell_[row++] = static_cast<std::uint32_t>(first);
        });
    });
}

template <Real T, int D>
void PointGrid<T, D>::assign(const Scene<T, D>& scene, Packed<T, D>& packed) {
    sort(scene, packed);
    list_cells(scene.threads(), scene.size());
}

// Instance numbers, with ghosts also those of shifted bodies: see row_grid/strips.hpp.
template <Real T, int D>
std::size_t PointGrid<T, D>::numbers(const Scene<T, D>& scene) const {
    return scene.size() + (has_ghosts_ ? scene.bodies() : 0);
}

template <Real T, int D>
bool PointGrid<T, D>::add_classes(const Scene<T, D>& scene, const Packed<T, D>& packed,
                                  const PairClasses& classes) {
    VICINAL_ASSERT(classes.has_kernel_tables());
    const unsigned shift = class_shift(classes);
    if (numbers(scene) > std::size_t{1} << shift) return false;
    const std::size_t n = packed.size();
    classed_.resize(n);
    const Index* const instances = packed.instances();
    const Index* const from = has_ghosts_ ? marked_.data() : instances;
    const std::uint8_t* const of_body = classes.of_bodies().data();
    parallel_ranges(scene.threads(), n, [&](Range r, std::size_t) {
        // Prefetch distance: bodies are in the caller's order.
        constexpr std::size_t ahead = 32;
        for (std::size_t e = r.begin; e < r.end; ++e) {
            if (e + ahead < r.end)
                __builtin_prefetch(of_body + scene.body(instances[e + ahead]));
            classed_[e] = from[e] | Index{of_body[scene.body(instances[e])]} << shift;
        }
    });
    return true;
}

template <Real T, int D>
QuantisedPoints<D> PointGrid<T, D>::points() const {
    QuantisedPoints<D> view{};
    for (std::size_t a = 0; a < D; ++a) view.axis[a] = axis_[a].data();
    view.cell = cell_.data();
    view.cell_x = cell_x_.data();
    view.cell_start = cell_start_.data();
    view.cell_flags = has_ghosts_ ? cell_flags_.data() : nullptr;
    view.marked = has_ghosts_ ? marked_.data() : nullptr;
    view.joined = any_joined_;
    view.last_x = joined_[0] ? static_cast<std::uint32_t>(max_cell_[0]) : 0;
    view.period = period_;
    view.accept = accept_;
    view.reject = reject_;
    view.accept_square = accept_square_;
    view.reject_square = reject_square_;
    return view;
}

template <Real T, int D>
void PointGrid<T, D>::cross_faces(std::size_t r, const std::array<int, 2>& step,
                                  Beside& row) const {
    const std::array<std::int64_t, 2> from{
        row_y(r), static_cast<std::int64_t>(row_key_[r] >> lattice_.bits[1])};
    for (std::size_t a = 1; a < D; ++a) {
        const std::int64_t cell = from[a - 1] + step[a - 1];
        if (!joined_[a] || (1 <= cell && cell <= max_cell_[a])) continue;
        row.key += static_cast<std::uint64_t>(cell < 1 ? max_cell_[a] : -max_cell_[a])
                   << (a == 1 ? 0 : lattice_.bits[1]);
        row.crossed |= a == 1 ? face_y : face_z;
        if (cell < 1) row.down |= a == 1 ? face_y_down : face_z_down;
    }
}

template <Real T, int D>
std::size_t PointGrid<T, D>::find_row(std::uint64_t key) const {
    const std::uint64_t* begin = row_key_.data();
    return static_cast<std::size_t>(std::lower_bound(begin, begin + rows_, key) - begin);
}

template <Real T, int D>
std::uint32_t PointGrid<T, D>::cell_of(std::uint32_t entry) const {
    const std::uint32_t* begin = cell_start_.data();
    return static_cast<std::uint32_t>(std::upper_bound(begin, begin + cells_, entry) - begin -
                                      1);
}

template <Real T, int D>
std::size_t PointGrid<T, D>::row_of(std::uint32_t cell) const {
    const std::uint32_t* begin = row_cell_.data();
    return static_cast<std::size_t>(std::upper_bound(begin, begin + rows_, cell) - begin - 1);
}

template <Real T, int D>
std::int64_t PointGrid<T, D>::cell_at(double x, std::size_t axis) const {
    const double c = std::floor((x - lattice_.origin[axis]) * lattice_.cells[axis]);
    return static_cast<std::int64_t>(
        std::clamp(c, 0.0, static_cast<double>(max_cell_[axis] + 1)));
}

template <Real T, int D>
std::uint64_t PointGrid<T, D>::key_of_row(std::int64_t y, std::int64_t z) const {
    auto key = static_cast<std::uint64_t>(y);
    if constexpr (D == 3) key |= static_cast<std::uint64_t>(z) << lattice_.bits[1];
    return key;
}

template class PointGrid<float, 2>;
template class PointGrid<float, 3>;
template class PointGrid<double, 2>;
template class PointGrid<double, 3>;

}  // namespace vicinal::inline VICINAL_API
