#include "sim/solids.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/stopwatch.hpp"
#include "scenes/random.hpp"
#include "sim/parallel.hpp"
#include "sim/vector.hpp"

namespace vicinal::sim {
namespace {

constexpr Index walls = 6;

// A particle that hits a sphere is placed this fraction of its clearance off the surface, so
// that rounding does not move it into the sphere as it slides along.
constexpr double margin = 1e-6;

// The maximum number of surfaces hit by one path; a corner of three stops a particle earlier.
constexpr int bounces = 4;

// Points spread evenly over the unit sphere: a spiral of equal areas with steps of the golden
// angle (Swinbank and Purser 2006). It uses no trigonometric functions, so that results are the
// same on every platform.
template <class F>
void spiral(std::uint64_t count, const F& position) {
    constexpr double cosine = -0.73736887807831963, sine = 0.67549029426152396;
    double x = 1, y = 0;
    for (std::uint64_t k = 0; k < count; ++k) {
        const double z = 1 - (2 * static_cast<double>(k) + 1) / static_cast<double>(count);
        const double r = std::sqrt(1 - z * z);
        position(Vector{r * x, r * y, z});
        const double turned = cosine * x - sine * y;
        y = sine * x + cosine * y;
        x = turned;
        const double off = std::sqrt(x * x + y * y);  // rounding must not accumulate
        x /= off;
        y /= off;
    }
}

double cube(double x) {
    return x * x * x;
}

}  // namespace

StaticSpheres random_spheres(std::uint64_t count, double smallest, double largest,
                             const Vector& extent, std::uint64_t seed) {
    StaticSpheres result;
    scenes::Random random(seed);
    for (std::uint64_t k = 0; k < count; ++k) {
        const double radius = 0.5 * random.uniform(smallest, largest);
        Vector centre;
        for (std::size_t a = 0; a < 3; ++a)
            centre[a] = random.uniform(radius, extent[a] - radius);
        result.centres.push_back(centre);
        result.radii.push_back(radius);
    }
    return result;
}

Solids::Solids(const Vector& extent, const StaticSpheres& spheres, double clearance,
               const How& how)
    : extent_(extent),
      centres_(spheres.centres),
      reach_(spheres.radii),
      clearance_(clearance),
      threads_(checked_threads(how.threads)),
      finder_(Options<3>{.method = how.method, .threads = how.threads}) {
    for (double& reach : reach_) reach += clearance;
    finder_.update(vicinal::spheres<3>(centres_, reach_));
}

std::vector<bool> Solids::clear(const std::vector<Vector>& positions, double more) const {
    std::vector<bool> result(positions.size());
    const double off = clearance_ + more;
    for (std::size_t k = 0; k < positions.size(); ++k) {
        const Vector& p = positions[k];
        result[k] = true;
        for (std::size_t a = 0; a < 3; ++a)
            if (p[a] < off || p[a] > extent_[a] - off) result[k] = false;
    }
    const Column<double> radii(&more, positions.size(), 0);
    for (const Pair& pair : finder_.probe(vicinal::spheres<3>(positions, radii)))
        result[pair.i] = false;
    return result;
}

Solids::Hit Solids::wall_hit(const Vector& from, const Vector& path) const {
    Hit first;
    for (std::size_t a = 0; a < 3; ++a) {
        const double to = from[a] + path[a], low = clearance_, high = extent_[a] - clearance_;
        if (to >= low && to <= high) continue;
        const double gap = to < low ? low - from[a] : high - from[a];
        const double time = std::clamp(gap / path[a], 0.0, 1.0);
        if (time < first.time) first = {time, static_cast<Index>(2 * a + (to < low ? 0 : 1))};
    }
    return first;
}

// The time at which the path enters the sphere; 2 if it does not.
double Solids::sphere_hit(Index sphere, const Vector& from, const Vector& path) const {
    const Vector d = from - centres_[sphere];
    const double inward = -dot(d, path);
    if (!(inward > 0)) return 2;
    const double outside = dot(d, d) - reach_[sphere] * reach_[sphere];
    if (outside <= 0) return 0;
    const double squared = inward * inward - dot(path, path) * outside;
    if (squared < 0) return 2;
    // The smaller root from the product of the roots, without cancellation.
    const double time = outside / (inward + std::sqrt(squared));
    return time <= 1 ? time : 2;
}

void Solids::bounce(const Hit& hit, Vector& position, Vector& velocity, Vector& path,
                    double restitution) const {
    position = position + hit.time * path;
    Vector normal{};
    if (hit.solid < walls) {
        const std::size_t a = hit.solid / 2;
        const bool low = hit.solid % 2 == 0;
        normal[a] = low ? 1 : -1;
        position[a] = low ? clearance_ : extent_[a] - clearance_;
    } else {
        const std::size_t s = hit.solid - walls;
        const Vector d = position - centres_[s];
        const double distance = length(d);
        normal = distance > 0 ? (1 / distance) * d : Vector{0, 0, 1};
        position = centres_[s] + (reach_[s] + margin * clearance_) * normal;
    }
    path = (1 - hit.time) * (path - dot(path, normal) * normal);
    const double across = dot(velocity, normal);
    if (across < 0) velocity = velocity - (1 + restitution) * across * normal;
}

std::uint64_t Solids::move(std::vector<Vector>& positions, std::vector<Vector>& velocities,
                           std::vector<Vector>& paths, double restitution) {
    bodies_.resize(positions.size());
    for (std::size_t i = 0; i < bodies_.size(); ++i) bodies_[i] = static_cast<Index>(i);
    constexpr int wedging = 3;  // solids hit in a step; an edge of the box counts as two
    std::uint64_t hit_count = 0;
    search_seconds_ = 0;
    still_.clear();
    for (int round = 0; !bodies_.empty() && round < bounces; ++round) {
        from_.resize(bodies_.size());
        along_.resize(bodies_.size());
        hits_.resize(bodies_.size());
        parallel_for(threads_, bodies_.size(), [&](std::size_t k) {
            from_[k] = positions[bodies_[k]];
            along_[k] = paths[bodies_[k]];
            hits_[k] = wall_hit(from_[k], along_[k]);
        });
        const common::Stopwatch watch;
        const auto pairs = finder_.probe(segments<3>(from_, along_));
        search_seconds_ += watch.seconds();
        for (const Pair& pair : pairs) {
            const double time = sphere_hit(pair.j, from_[pair.i], along_[pair.i]);
            // Ties are broken by the lowest index, independent of the order of pairs.
            Hit& first = hits_[pair.i];
            if (std::pair(time, pair.j + walls) < std::pair(first.time, first.solid))
                first = {time, pair.j + walls};
        }
        parallel_for(threads_, bodies_.size(), [&](std::size_t k) {
            const Index i = bodies_[k];
            if (hits_[k].time <= 1)
                bounce(hits_[k], positions[i], velocities[i], paths[i], restitution);
            else
                positions[i] = from_[k] + along_[k];
        });
        if (round == 0) wedged_.clear();
        std::size_t left = 0;
        for (std::size_t k = 0; k < bodies_.size(); ++k) {
            if (!(hits_[k].time <= 1)) continue;
            if (round == 0) wedged_.push_back({from_[k], length(along_[k])});
            if (round > 0 && round < wedging) wedged_[left] = wedged_[k];
            bodies_[left++] = bodies_[k];
        }
        bodies_.resize(left);
        if (round == 0) hit_count = left;
        if (round + 1 == wedging) still_ = bodies_;
    }
    // The velocity of a wedged particle must not grow by gravity in every step, although no
    // single solid stops it. It is scaled by the fraction of the path that was covered.
    for (std::size_t k = 0; k < still_.size(); ++k) {
        const double moved = length(positions[still_[k]] - wedged_[k].from);
        if (moved < wedged_[k].path_length)
            velocities[still_[k]] = (moved / wedged_[k].path_length) * velocities[still_[k]];
    }
    return hit_count;
}

// True for the positions that are deepest in their own sphere; ties go to the first sphere.
std::vector<bool> Solids::deepest(const std::vector<Vector>& positions,
                                  const std::vector<Index>& spheres) const {
    std::vector<bool> result(positions.size(), true);
    for (const Pair& pair : finder_.probe(points<3>(positions))) {
        const Index own = spheres[pair.i];
        const double depth = reach_[pair.j] - length(positions[pair.i] - centres_[pair.j]);
        const double own_depth = reach_[own] - length(positions[pair.i] - centres_[own]);
        if (std::pair(-depth, pair.j) < std::pair(-own_depth, own)) result[pair.i] = false;
    }
    return result;
}

SolidSamples Solids::samples(const Vector& spacing, double depth) const {
    SolidSamples result;
    const double cell = spacing[0] * spacing[1] * spacing[2];
    std::array<std::int64_t, 3> inside, behind;
    for (std::size_t a = 0; a < 3; ++a) {
        inside[a] = std::llround(extent_[a] / spacing[a]);
        behind[a] = static_cast<std::int64_t>(std::ceil(depth / spacing[a]));
    }
    std::array<std::int64_t, 3> k;
    for (k[2] = -behind[2]; k[2] < inside[2] + behind[2]; ++k[2])
        for (k[1] = -behind[1]; k[1] < inside[1] + behind[1]; ++k[1])
            for (k[0] = -behind[0]; k[0] < inside[0] + behind[0]; ++k[0]) {
                bool in_box = true;
                for (std::size_t a = 0; a < 3; ++a)
                    in_box = in_box && k[a] >= 0 && k[a] < inside[a];
                if (in_box) {  // skip the rest of the row inside the box
                    k[0] = inside[0] - 1;
                    continue;
                }
                Vector position;
                for (std::size_t a = 0; a < 3; ++a)
                    position[a] = (static_cast<double>(k[a]) + 0.5) * spacing[a];
                result.positions.push_back(position);
                result.volumes.push_back(cell);
            }
    // Shells one cell thick; each sample has its share of the volume.
    const double thickness = (spacing[0] + spacing[1] + spacing[2]) / 3;
    SolidSamples shells;
    std::vector<Index> spheres;
    for (std::size_t s = 0; s < centres_.size(); ++s) {
        const double radius = reach_[s] - clearance_;
        for (double outer = radius; outer > 0 && radius - outer < depth; outer -= thickness) {
            const double inner = std::max(0.0, outer - thickness);
            const double volume =
                4.0 / 3 * 3.14159265358979323846 * (cube(outer) - cube(inner));
            const auto count = static_cast<std::uint64_t>(std::max(1.0, volume / cell + 0.5));
            const double r = count == 1 ? 0 : 0.5 * (outer + inner);
            spiral(count, [&](const Vector& direction) {
                shells.positions.push_back(centres_[s] + r * direction);
                shells.volumes.push_back(volume / static_cast<double>(count));
                spheres.push_back(static_cast<Index>(s));
            });
        }
    }
    const std::vector<bool> kept = deepest(shells.positions, spheres);
    for (std::size_t p = 0; p < kept.size(); ++p)
        if (kept[p]) {
            result.positions.push_back(shells.positions[p]);
            result.volumes.push_back(shells.volumes[p]);
        }
    return result;
}

}  // namespace vicinal::sim
