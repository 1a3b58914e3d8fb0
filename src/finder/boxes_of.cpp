#include <vicinal/boxes_of.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/parallel.hpp"
#include "finder/call.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

[[noreturn]] void refuse(const std::string& message) {
    throw Error(Error::Kind::input, "boxes_of: " + message);
}

template <Real T, int D>
void check(const Vertices<T, D>& vertices, std::size_t bodies, int threads) {
    const auto& first = vertices.first;
    if (first.size() != bodies + 1)
        refuse(std::to_string(first.size()) + " offsets for " + std::to_string(bodies) +
               " transforms; give one per transform and the end");
    if (first[0] != 0 || first[bodies] != vertices.positions.size())
        refuse("the offsets go from " + std::to_string(first[0]) + " to " +
               std::to_string(first[bodies]) + ", but there are " +
               std::to_string(vertices.positions.size()) +
               " vertices; begin with 0 and end with the number of vertices");
    const std::size_t bad =
        find_first(threads, bodies, [&](std::size_t b) { return first[b] >= first[b + 1]; });
    if (bad < bodies)
        refuse("body " + std::to_string(bad) + " has no vertex; give every body at least one");
}

}  // namespace

template <Real T, int D>
std::vector<Vector<T, D>> corners_of(const Vector<T, D>& lower, const Vector<T, D>& upper) {
    std::vector<Vector<T, D>> corners(std::size_t{1} << D);
    for (std::size_t c = 0; c < corners.size(); ++c)
        for (std::size_t a = 0; a < D; ++a)
            corners[c][a] = (c >> a & 1u) != 0 ? upper[a] : lower[a];
    return corners;
}

template <Real T, int D>
void boxes_of(const Vertices<T, D>& vertices, std::span<const Transform<T, D>> transforms,
              Boxes<T, D>& result, int threads) {
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t n = transforms.size();
    const int team = checked_threads(threads);
    check(vertices, n, team);
    with_memory_errors("store the boxes", [&] {
        result.lower.resize(n);
        result.upper.resize(n);
    });
    // Small tasks: bodies may have thousands of vertices, so even a few hundred bodies are
    // worth several threads.
    constexpr std::size_t per_task = 64;
    const std::size_t tasks = (n + per_task - 1) / per_task;
    parallel_tasks(team, tasks, [&](std::size_t t, int) {
        for (std::size_t b = t * per_task; b < std::min(n, (t + 1) * per_task); ++b) {
            const Transform<T, D> place = transforms[b];
            Vector<T, D> lower, upper;
            for (std::uint64_t v = vertices.first[b]; v < vertices.first[b + 1]; ++v)
                for (std::size_t a = 0; a < D; ++a) {
                    T x = place.translation[a];
                    for (std::size_t c = 0; c < D; ++c)
                        x += place.rotation[a][c] * vertices.positions[v][c];
                    // NaN is propagated, so that the finder rejects it.
                    const bool take = v == vertices.first[b] || std::isnan(x);
                    if (take || x < lower[a]) lower[a] = x;
                    if (take || x > upper[a]) upper[a] = x;
                }
            result.lower[b] = lower;
            result.upper[b] = upper;
        }
    });
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    result.seconds = seconds.count();
}

#define VICINAL_INSTANTIATE(T, D)                                                   \
    template std::vector<Vector<T, D>> corners_of<T, D>(const Vector<T, D>&,        \
                                                        const Vector<T, D>&);       \
    template void boxes_of(const Vertices<T, D>&, std::span<const Transform<T, D>>, \
                           Boxes<T, D>&, int);
VICINAL_INSTANTIATE(float, 2)
VICINAL_INSTANTIATE(float, 3)
VICINAL_INSTANTIATE(double, 2)
VICINAL_INSTANTIATE(double, 3)
#undef VICINAL_INSTANTIATE

}  // namespace vicinal::inline VICINAL_API
