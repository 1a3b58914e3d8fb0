// Bodies for tests: any scene in any shape, with motion and filters, owning its arrays.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "scenes/random.hpp"
#include "scenes/scenes.hpp"

#include <vicinal/vicinal.hpp>

namespace vicinal::test {

struct ShapeCase {
    const char* name;
    Shape shape;
    ReachRule rule;
    bool swept;
};

inline constexpr ShapeCase shape_cases[] = {
    {"points", Shape::points, ReachRule::sum, false},
    {"spheres_sum", Shape::spheres, ReachRule::sum, false},
    {"spheres_max", Shape::spheres, ReachRule::max, false},
    {"spheres_min", Shape::spheres, ReachRule::min, false},
    {"boxes", Shape::boxes, ReachRule::sum, false},
    {"swept_points", Shape::points, ReachRule::sum, true},
    {"swept_spheres_sum", Shape::spheres, ReachRule::sum, true},
    {"swept_spheres_max", Shape::spheres, ReachRule::max, true},
    {"swept_spheres_min", Shape::spheres, ReachRule::min, true},
    {"swept_boxes", Shape::boxes, ReachRule::sum, true},
};

template <Real T, int D>
struct OwnedBodies {
    ShapeCase kind{};
    T cutoff = 0;
    std::vector<T> position, upper, radius, displacement;
    std::vector<std::uint32_t> group, mask;
    std::vector<int> species;  // kinds of points
    std::vector<T> cutoffs;
    std::vector<Pair> excluded;
    std::vector<std::uint32_t> vertices;
    std::size_t vertices_per_body = 0;

    Bodies<T, D> view() const {
        Bodies<T, D> bodies = kind.shape == Shape::points ? points<D>(position, cutoff)
                              : kind.shape == Shape::spheres
                                  ? spheres<D>(position, radius, kind.rule)
                                  : boxes<D>(position, upper);
        if (kind.swept) bodies = bodies.moving(displacement);
        if (!group.empty()) bodies = bodies.grouped(group, mask);
        if (!cutoffs.empty()) bodies = bodies.with_kinds(species, cutoffs);
        if (!vertices.empty()) bodies = bodies.with_vertices(vertices, vertices_per_body);
        return bodies.excluding(excluded);
    }
    std::size_t size() const { return position.size() / D; }
};

// The workload's bodies in another shape of about the same size: points become spheres of
// half the cut-off, spheres become boxes around them, and so on.
template <Real T, int D>
OwnedBodies<T, D> make_bodies(const scenes::Workload& workload, const ShapeCase& kind,
                              std::uint64_t seed) {
    const std::size_t n = workload.size();
    scenes::Random random(seed);
    OwnedBodies<T, D> result;
    result.kind = kind;
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double r = workload.cutoff / 2;
        if (workload.shape == Shape::spheres) r = workload.radius[i];
        std::array<double, D> lo, hi;
        for (std::size_t a = 0; a < D; ++a) {
            const double x = workload.position[i * D + a];
            lo[a] = workload.shape == Shape::boxes ? x : x - r;
            hi[a] = workload.shape == Shape::boxes ? workload.upper[i * D + a] : x + r;
        }
        if (workload.shape == Shape::boxes) r = (hi[0] - lo[0]) / 2;
        if (workload.shape == Shape::points) r *= random.uniform() + 0.5;
        mean += r / static_cast<double>(n);
        for (std::size_t a = 0; a < D; ++a) {
            const bool box = kind.shape == Shape::boxes;
            const double centre = workload.shape == Shape::boxes ? lo[a] / 2 + hi[a] / 2
                                                                 : workload.position[i * D + a];
            result.position.push_back(static_cast<T>(box ? lo[a] : centre));
            if (box) result.upper.push_back(static_cast<T>(hi[a]));
        }
        if (kind.shape == Shape::spheres) result.radius.push_back(static_cast<T>(r));
    }
    result.cutoff =
        static_cast<T>(workload.shape == Shape::points ? workload.cutoff : 2 * mean);
    if (kind.swept)
        for (std::size_t c = 0; c < n * D; ++c)  // some at rest, some along an axis
            result.displacement.push_back(
                random.uniform() < 0.3 ? T{0}
                                       : static_cast<T>(6 * mean * (random.uniform() - 0.5)));
    return result;
}

// Every thousandth sphere is a giant, which covers thousands of the cells of the small ones.
inline scenes::Workload with_giants(scenes::Workload workload) {
    for (std::size_t i = 0; i < workload.size(); ++i)
        workload.radius[i] = i % 1000 == 0 ? 0.4 : 5e-5;
    return workload;
}

enum class FilterCase { none, groups, exclusions, vertices, kinds };
inline constexpr std::size_t filter_cases = 5;

// Kinds of points with the same largest cut-off: some pairs of kinds have it, others a smaller
// one, 0, or never pair. Other shapes have no kinds.
template <Real T, int D>
void add_kinds(OwnedBodies<T, D>& bodies, std::uint64_t seed) {
    if (bodies.kind.shape != Shape::points) return;
    scenes::Random random(seed);
    const T c = bodies.cutoff;
    bodies.cutoffs = {c,     c / 2, T{0},       T{-1},  //
                      c / 2, T{-2}, c,          c / 3,  //
                      T{0},  c,     c * T(0.9), c / 7, T{-1}, c / 3, c / 7, c};
    for (std::size_t i = 0; i < bodies.size(); ++i)
        bodies.species.push_back(static_cast<int>(random.below(4)));
}

// `each` of `vertices` vertices per body. Their numbers use all 32 bits.
template <Real T, int D>
void add_vertices(OwnedBodies<T, D>& bodies, std::size_t each, std::uint64_t vertices,
                  std::uint64_t seed) {
    scenes::Random random(seed);
    bodies.vertices_per_body = each;
    for (std::size_t k = 0; k < each * bodies.size(); ++k)
        bodies.vertices.push_back(
            static_cast<std::uint32_t>(~(random.below(vertices) * 0x9E3779B9u)));
}

template <Real T, int D>
void add_filter(OwnedBodies<T, D>& bodies, FilterCase filter, std::size_t others,
                std::uint64_t seed) {
    scenes::Random random(seed);
    const auto pick = [&](std::size_t n) {
        return static_cast<Index>(random.uniform() * static_cast<double>(n));
    };
    if (filter == FilterCase::groups)
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            bodies.group.push_back(1u << pick(2));  // eight classes: tested in kernels
            bodies.mask.push_back(pick(4));
        }
    if (filter == FilterCase::exclusions && bodies.size() > 0 && others > 0)
        for (std::size_t e = 0; e < 20 * bodies.size(); ++e)
            bodies.excluded.push_back({pick(bodies.size()), pick(others)});
    if (filter == FilterCase::kinds) add_kinds(bodies, seed);
    if (filter == FilterCase::vertices) add_vertices(bodies, 1 + seed % 8, 3 * 4 * 4, seed);
}

// Domains that fit the bodies: the periods are a little less than their extent, so that some
// lie outside, and never so small that the images would not fit 16 bits.
template <Real T, int D>
std::array<double, D> periods_for(const OwnedBodies<T, D>& bodies) {
    std::array<double, D> periods;
    for (std::size_t a = 0; a < D; ++a) {
        double lo = 0, hi = 0, reach = static_cast<double>(bodies.cutoff), far = 0;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const auto x = static_cast<double>(bodies.position[i * D + a]);
            lo = i == 0 ? x : std::min(lo, x);
            hi = i == 0 ? x : std::max(hi, x);
            far = std::max(far, std::abs(x));
            if (!bodies.radius.empty())
                reach = std::max(reach, static_cast<double>(bodies.radius[i]));
            if (!bodies.upper.empty())
                reach = std::max(reach, static_cast<double>(bodies.upper[i * D + a]) - x);
        }
        periods[a] = std::max({0.9 * (hi - lo), far / 1000, 1.1 * reach});
    }
    // The period of a flat scene is not its thickness, which would need thousands of images.
    const double longest = *std::max_element(periods.begin(), periods.end());
    for (double& period : periods) {
        period = std::max(period, 0.5 * longest);
        if (!(period > 0)) period = 1;
    }
    return periods;
}

inline constexpr const char* domain_names[] = {
    "open",         "periodic",  "slab",        "wire",   "sheared",
    "sheared_back", "triclinic", "left_handed", "skewed",
};

template <int D>
Domain<D> make_domain(const std::string& name, const std::array<double, D>& period,
                      bool swept) {
    const auto x = std::size_t{0}, y = std::size_t{1}, last = std::size_t{D - 1};
    std::array<bool, D> slab, wire{};
    slab.fill(true);
    slab[last] = false;
    wire[x] = true;
    const double change = 0.07 * period[y];
    if (name == "open") return Domain<D>::open();
    if (name == "periodic") return Domain<D>::orthogonal(period);
    if (name == "slab") return Domain<D>::orthogonal(period, slab);
    if (name == "wire") return Domain<D>::orthogonal(period, wire);
    if (name == "sheared")
        return Domain<D>::sheared(period, 0.5 * period[y], swept ? change : 0);
    if (name == "sheared_back")  // the shear changes even if bodies are at rest
        return Domain<D>::sheared(period, -7.33333 * period[y], -change);
    typename Domain<D>::Lattice h{};
    for (std::size_t a = 0; a < D; ++a) h[a][a] = period[a];
    const double skew = name == "skewed" ? 2.25 : 0.3;
    h[y][x] = skew * period[x];
    h[x][y] = name == "skewed" ? 0 : -0.2 * period[y];
    if (D == 3) {
        h[last][x] = -0.4 * skew * period[x];
        h[last][y] = 0.25 * skew * period[y];
    }
    if (name == "left_handed") std::swap(h[x], h[y]);
    return Domain<D>::triclinic(h);
}

}  // namespace vicinal::test
