// Many small systems in one call: molecules and crystals of a data set, replicas, tiles.
//
//     // 1000 systems of 100 atoms each, one cubic box for all
//     auto rows = vicinal::find_batch(vicinal::points<3>(xyz, 5.0), offsets, box);
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include <vicinal/finder.hpp>

namespace vicinal::inline VICINAL_API {

// The full neighbour rows of all systems, each searched by itself. System s consists of bodies
// offsets[s] ... offsets[s + 1] - 1; offsets begin with 0 and end with the number of bodies.
// `domains` holds one domain for each system, or one for all. The domain of `options` is not
// used. Rows and indices refer to the bodies as given. A task per system; limits apply to each
// system. An error names the system; its element is a body as given. Excluded pairs, which are
// numbered within one set, are an Error. Rows of methods other than auto and row_grid are
// sorted, so that results never depend on threads.
template <IndexType I = Index, Real T, int D>
VICINAL_EXPORT Rows<T, D, I> find_batch(
    const Bodies<T, D>& bodies, std::span<const std::uint64_t> offsets,
    std::type_identity_t<std::span<const Domain<D>>> domains, Columns columns = Columns::ijS,
    const Options<D>& options = {}, Order order = Order::any);

// The same with one domain for all systems.
template <IndexType I = Index, Real T, int D>
Rows<T, D, I> find_batch(const Bodies<T, D>& bodies, std::span<const std::uint64_t> offsets,
                         const std::type_identity_t<Domain<D>>& domain,
                         Columns columns = Columns::ijS, const Options<D>& options = {},
                         Order order = Order::any) {
    return find_batch<I, T, D>(bodies, offsets, std::span(&domain, 1), columns, options, order);
}

#define VICINAL_DECLARE(T, D, I)                                                         \
    extern template Rows<T, D, I> find_batch<I, T, D>(                                   \
        const Bodies<T, D>&, std::span<const std::uint64_t>, std::span<const Domain<D>>, \
        Columns, const Options<D>&, Order);
#define VICINAL_DECLARE_INDICES(T, D)    \
    VICINAL_DECLARE(T, D, std::uint32_t) \
    VICINAL_DECLARE(T, D, std::int32_t)  \
    VICINAL_DECLARE(T, D, std::int64_t)
VICINAL_DECLARE_INDICES(float, 2)
VICINAL_DECLARE_INDICES(float, 3)
VICINAL_DECLARE_INDICES(double, 2)
VICINAL_DECLARE_INDICES(double, 3)
#undef VICINAL_DECLARE_INDICES
#undef VICINAL_DECLARE

}  // namespace vicinal::inline VICINAL_API
