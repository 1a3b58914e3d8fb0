#include <algorithm>
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
        parts[p].holders.add(holders[i]);
    };
    for (std::size_t i = 0; i < owners.size(); ++i) add(owners[i], i);
    for (Part& part : parts) part.own = part.bodies.size();
    for (std::size_t i = 0; i < owners.size(); ++i) {
        const bool all = holders[i][0] == Holders::all_parts;
        const std::size_t holding = all ? count : holders[i].size();
        for (std::size_t k = 0; k < holding; ++k) {
            const PartNumber p = all ? static_cast<PartNumber>(k) : holders[i][k];
            if (p != owners[i]) add(p, i);
        }
    }
    return parts;
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
                     std::type_identity_t<std::span<const PartNumber>> owners) {
    const Cell<T, D> cell = cell_of(bodies, domain);
    check_values(bodies, traits_of(bodies.shape).name, {available_threads(), choose_target()});
    const std::size_t n = bodies.size();
    const int threads = available_threads();
    std::vector<Box<double, D>> interiors;
    for (const auto& sides : regions.sides())
        interiors.push_back(cell.interior({sides.lower, sides.upper}));
    std::vector<Holders> pieces(piece_count(threads, n));
    parallel_ranges(threads, n, [&](Range range, std::size_t piece) {
        std::vector<PartNumber> found;
        pieces[piece].offsets.reserve(range.size() + 1);
        pieces[piece].parts.reserve(range.size());
        for (std::size_t i = range.begin; i < range.end; ++i) {
            const PartNumber owner = owners.size() == 1 ? owners[0] : owners[i];
            const Extent<D> extent = extent_of(bodies, i);
            found.assign(1, owner);
            if (cell.contains(interiors[owner], extent)) {
                pieces[piece].add(found);
                continue;
            }
            cell.for_each_image(extent, [&](const Box<double, D>& box) {
                regions.find_meeting({box.lo, box.hi}, found);
            });
            std::sort(found.begin(), found.end());
            found.erase(std::unique(found.begin(), found.end()), found.end());
            if (found.size() > Holders::max_listed) found.assign(1, Holders::all_parts);
            pieces[piece].add(found);
        }
    });
    Holders holders = std::move(pieces[0]);
    for (std::size_t p = 1; p < pieces.size(); ++p) {
        const std::uint64_t base = holders.parts.size();
        holders.parts.insert(holders.parts.end(), pieces[p].parts.begin(),
                             pieces[p].parts.end());
        for (std::size_t k = 1; k < pieces[p].offsets.size(); ++k)
            holders.offsets.push_back(base + pieces[p].offsets[k]);
    }
    return holders;
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
                                  std::span<const PartNumber>);                             \
    template std::vector<Part> split(const Bodies<T, D>&, const Domain<D>&, std::size_t,    \
                                     std::span<const double>);
VICINAL_INSTANTIATE(float, 2)
VICINAL_INSTANTIATE(float, 3)
VICINAL_INSTANTIATE(double, 2)
VICINAL_INSTANTIATE(double, 3)
#undef VICINAL_INSTANTIATE

}  // namespace vicinal::inline VICINAL_API
