#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/parallel.hpp"
#include "parts/cell.hpp"
#include "scene/check.hpp"
#include "simd/targets.hpp"

#include <vicinal/parts.hpp>

namespace vicinal::inline VICINAL_API {
namespace {

// Of the whole set; the owner of body i is owners[i].
std::vector<Part> parts_of(const Holders& holders, std::span<const PartNumber> owners,
                           std::size_t count) {
    std::vector<Part> parts(count);
    for (std::size_t p = 0; p < count; ++p) parts[p].number = static_cast<PartNumber>(p);
    const auto add = [&](PartNumber p, std::size_t i) {
        parts[p].bodies.push_back(static_cast<Index>(i));
    };
    const auto add_shared = [&](PartNumber p, std::size_t s) {
        parts[p].holders.add(static_cast<Index>(parts[p].bodies.size()), holders[s]);
        add(p, holders.bodies[s]);
    };
    std::size_t shared = 0;
    for (std::size_t i = 0; i < owners.size(); ++i) {
        if (shared < holders.size() && holders.bodies[shared] == i)
            add_shared(owners[i], shared++);
        else
            add(owners[i], i);
    }
    for (Part& part : parts) part.own = part.bodies.size();
    for (std::size_t s = 0; s < holders.size(); ++s) {
        const bool all = holders[s][0] == Holders::all_parts;
        const std::size_t holding = all ? count : holders[s].size();
        for (std::size_t k = 0; k < holding; ++k) {
            const PartNumber p = all ? static_cast<PartNumber>(k) : holders[s][k];
            if (p != owners[holders.bodies[s]]) add_shared(p, s);
        }
    }
    return parts;
}

// Appends the bodies of a range that are not inside the region of their owner. Nearly all are.
template <class IsInside>
void find_outside(Range range, const IsInside& is_inside, std::vector<Index>& outside) {
    constexpr std::size_t batch = 1024;
    std::array<Index, batch> found;
    while (range.begin < range.end) {
        const std::size_t end = std::min(range.end, range.begin + batch);
        std::size_t count = 0;
        for (std::size_t i = range.begin; i < end; ++i) {  // branch-free
            found[count] = static_cast<Index>(i);
            count += std::size_t{!is_inside(i)};
        }
        outside.insert(outside.end(), found.begin(), found.begin() + count);
        range.begin = end;
    }
}

// The same for points at rest: their extents as extent_of() returns them, all of one size but
// for rounding. With kinds, too: the cut-off of the view is the largest of the table, and half
// of it bounds a point of any kind. Local copies avoid aliasing reloads.
template <Real T, int D>
void find_points_outside(Range range, const Bodies<T, D>& bodies, double margin,
                         const Box<double, D> interior, std::vector<Index>& outside) {
    constexpr double rounding = 64 * std::numeric_limits<double>::epsilon() +
                                64 * static_cast<double>(std::numeric_limits<T>::epsilon());
    const double half = (1 + rounding) * (static_cast<double>(half_size(bodies, 0)) + margin);
    const std::array<Column<T>, D> axis = bodies.position.axis;
    find_outside(
        range,
        [=](std::size_t i) {
            unsigned yes = 1;
            for (std::size_t a = 0; a < D; ++a) {
                const auto x = static_cast<double>(axis[a][i]);
                const double rounded = half + rounding * std::abs(x);
                yes &= unsigned{x - rounded > interior.lo[a]} &
                       unsigned{x + rounded < interior.hi[a]};
            }
            return yes != 0;
        },
        outside);
}

}  // namespace

template <Real T, int D>
std::vector<Vector<double, D>> cell_positions(const Bodies<T, D>& bodies,
                                              const Domain<D>& domain) {
    const Cell<T, D> cell = cell_of(bodies, domain);
    std::vector<Vector<double, D>> positions(bodies.size());
    parallel_for(available_threads(), bodies.size(), [&](std::size_t i) {
        positions[i] = cell.wrapped(extent_of(bodies, i).centre);
    });
    return positions;
}

template <Real T, int D>
Vector<double, D> cell_lengths(const Domain<D>& domain) {
    return Cell<T, D>(domain).lengths();
}

template <Real T, int D>
Holders find_holders(const Bodies<T, D>& bodies, const Domain<D>& domain,
                     const Regions<D>& regions,
                     std::type_identity_t<std::span<const PartNumber>> owners,
                     int given_threads, double margin) {
    const int threads = checked_threads(given_threads);
    const Cell<T, D> cell = cell_of(bodies, domain);
    check_values(bodies, traits_of(bodies.shape).name, {threads, choose_target()});
    const std::size_t n = bodies.size();
    std::vector<Box<double, D>> interiors;
    for (const auto& sides : regions.sides())
        interiors.push_back(cell.interior({sides.lower, sides.upper}));
    const auto widened = [&](std::size_t i) {
        Extent<D> extent = extent_of(bodies, i);
        for (double& half : extent.half) half += margin;
        return extent;
    };
    std::vector<Holders> pieces(piece_count(threads, n));
    parallel_ranges(threads, n, [&](Range range, std::size_t piece) {
        std::vector<Index> outside;
        if (owners.size() == 1 && is_point(bodies) && !bodies.swept())
            find_points_outside(range, bodies, margin, interiors[owners[0]], outside);
        else
            find_outside(
                range,
                [&](std::size_t i) {
                    const auto owner = owners.size() == 1 ? owners[0] : owners[i];
                    return Cell<T, D>::contains(interiors[owner], widened(i));
                },
                outside);
        std::vector<PartNumber> found;
        for (const Index i : outside) {
            found.assign(1, owners.size() == 1 ? owners[0] : owners[i]);
            cell.for_each_image(widened(i), [&](const Box<double, D>& box) {
                regions.find_meeting({box.lo, box.hi}, found);
            });
            std::sort(found.begin(), found.end());
            found.erase(std::unique(found.begin(), found.end()), found.end());
            if (found.size() == 1) continue;
            if (found.size() > Holders::max_listed) found.assign(1, Holders::all_parts);
            pieces[piece].add(i, found);
        }
    });
    Holders holders = std::move(pieces[0]);
    for (std::size_t p = 1; p < pieces.size(); ++p) {
        const std::uint64_t base = holders.parts.size();
        holders.bodies.insert(holders.bodies.end(), pieces[p].bodies.begin(),
                              pieces[p].bodies.end());
        holders.parts.insert(holders.parts.end(), pieces[p].parts.begin(),
                             pieces[p].parts.end());
        for (std::size_t k = 1; k < pieces[p].offsets.size(); ++k)
            holders.offsets.push_back(base + pieces[p].offsets[k]);
    }
    return holders;
}

template <Real T, int D>
bool are_within(const Bodies<T, D>& bodies, const Bodies<T, D>& before, double margin,
                int given_threads) {
    check_arrays(bodies, traits_of(bodies.shape).name);
    if (bodies.size() != before.size()) return false;
    const int threads = checked_threads(given_threads);
    std::vector<char> within(piece_count(threads, bodies.size()), 1);
    parallel_ranges(threads, bodies.size(), [&](Range range, std::size_t piece) {
        const Bodies<T, D> now = bodies, then = before;  // avoid aliasing reloads
        unsigned all = 1;
        for (std::size_t i = range.begin; i < range.end; ++i) {
            const Extent<D> a = extent_of(now, i), b = extent_of(then, i);
            for (std::size_t k = 0; k < D; ++k)
                all &= unsigned{std::abs(a.centre[k] - b.centre[k]) + (a.half[k] - b.half[k]) <=
                                margin};
        }
        within[piece] = all != 0 ? 1 : 0;
    });
    return std::ranges::all_of(within, [](char yes) { return yes != 0; });
}

template <Real T, int D>
std::vector<Part> split(const Bodies<T, D>& bodies, const Domain<D>& domain, std::size_t parts,
                        std::type_identity_t<std::span<const double>> weights) {
    constexpr std::size_t max_parts = 1u << 20;
    if (parts < 1 || parts > max_parts)
        throw Error(Error::Kind::option, "split: " + std::to_string(parts) +
                                             " parts; give a number from 1 to " +
                                             std::to_string(max_parts));
    if (!weights.empty() && weights.size() != bodies.size())
        throw Error(Error::Kind::input, "split: " + std::to_string(weights.size()) +
                                            " weights for " + std::to_string(bodies.size()) +
                                            " bodies; give one per body");
    const auto positions = cell_positions(bodies, domain);
    std::vector<double> estimated;
    if (weights.empty() && parts > 1) {
        estimated = work_estimates(bodies, domain);
        weights = estimated;
    }
    const Regions<D> regions(positions, weights, parts, cell_lengths<T, D>(domain));
    std::vector<PartNumber> owners(bodies.size());
    parallel_for(available_threads(), owners.size(),
                 [&](std::size_t i) { owners[i] = regions.part_at(positions[i]); });
    return parts_of(find_holders(bodies, domain, regions, owners), owners, parts);
}

#define VICINAL_INSTANTIATE(T, D)                                                           \
    template std::vector<Vector<double, D>> cell_positions<T, D>(const Bodies<T, D>&,       \
                                                                 const Domain<D>&);         \
    template Vector<double, D> cell_lengths<T, D>(const Domain<D>&);                        \
    template Holders find_holders(const Bodies<T, D>&, const Domain<D>&, const Regions<D>&, \
                                  std::span<const PartNumber>, int, double);                \
    template bool are_within(const Bodies<T, D>&, const Bodies<T, D>&, double, int);        \
    template std::vector<Part> split(const Bodies<T, D>&, const Domain<D>&, std::size_t,    \
                                     std::span<const double>);
VICINAL_INSTANTIATE(float, 2)
VICINAL_INSTANTIATE(float, 3)
VICINAL_INSTANTIATE(double, 2)
VICINAL_INSTANTIATE(double, 3)
#undef VICINAL_INSTANTIATE

}  // namespace vicinal::inline VICINAL_API
