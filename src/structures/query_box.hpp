// The bounds of a query.
#pragma once

#include "scene/scene.hpp"

namespace vicinal::inline VICINAL_API {

// Scene::box, with the same margins. The paths of points and spheres in an open domain, of
// which a call may have millions, are bounded here without branches.
template <Real T, int D>
[[gnu::always_inline]] inline Box<T, D> query_box(const Scene<T, D>& queries, Index q) {
    const Bodies<T, D>& view = queries.view();
    if (queries.periodic() || !view.swept() || is_box(view)) return queries.box(q);
    constexpr T eps = std::numeric_limits<T>::epsilon();
    constexpr T largest = std::numeric_limits<T>::max();  // methods need finite sides
    const T h = half_size(view, q);
    Box<T, D> box;
    for (std::size_t a = 0; a < D; ++a) {
        const T x = view.position.axis[a][q], u = view.displacement.axis[a][q];
        const T lo = x - h + std::min(u, T{0}), hi = x + h + std::max(u, T{0});
        const T pad = 16 * eps * (std::abs(u) + h);
        box.lo[a] = std::max(lo - (pad + 4 * eps * std::abs(lo)), -largest);
        box.hi[a] = std::min(hi + (pad + 4 * eps * std::abs(hi)), largest);
    }
    return box;
}

}  // namespace vicinal::inline VICINAL_API
