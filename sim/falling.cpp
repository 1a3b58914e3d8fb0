#include "sim/falling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <tuple>

#include "common/stopwatch.hpp"
#include "scenes/arithmetic.hpp"
#include "scenes/random.hpp"
#include "sim/measure.hpp"
#include "sim/parallel.hpp"
#include "sim/settings.hpp"
#include "sim/vector.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::sim {
namespace {

constexpr double density = 1;

double mass_of(double radius) {
    return density * (4 * std::numbers::pi / 3) * (radius * radius * radius);
}

void check(const FallingSettings& s) {
    const auto inside = [](const char* name, double value, double least, double most) {
        if (value >= least && value <= most) return;
        refuse("falling: " + std::string(name) + " = " + written(value) +
               " is not a number from " + written(least) + " to " + written(most));
    };
    if (s.n > std::numeric_limits<Index>::max() - 8)  // the planes take numbers after theirs
        refuse("falling: n = " + std::to_string(s.n) +
               " is too large; take at most 4294967287");
    if (s.response != "pairwise" && s.response != "dem")
        refuse("falling: response = '" + s.response + "' is neither pairwise nor dem");
    inside("fill", s.fill, 1e-9, 10);
    inside("spread", s.spread, 0, 0.9);
    inside("gravity", s.gravity, 0, 1e9);
    inside("dt", s.dt, 0, 1e9);
    inside("friction", s.friction, 0, 100);
    inside("restitution", s.restitution, 0, 1);
    inside("damping", s.damping, 0, 1);
    inside("contact", s.contact, 5, 1e6);
    if (s.gravity == 0 && s.dt == 0)
        refuse("falling: without gravity there is no usual dt; give one");
}

// The bits of x, each followed by a zero.
std::uint32_t spaced(std::uint32_t x) {
    x = (x | x << 8) & 0x00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0fu;
    x = (x | x << 2) & 0x33333333u;
    return (x | x << 1) & 0x55555555u;
}

// The bodies in columns, columns along a Z curve: spheres that fall stay near those they meet,
// in space and in memory. Numbers are given once, so they say nothing of method or step.
std::vector<Vector> in_columns(std::vector<Vector> position) {
    constexpr double per_column = 64;
    const double edge =
        std::clamp(std::sqrt(static_cast<double>(position.size()) / per_column), 1.0, 65535.0);
    const auto column = [edge](const Vector& x) {
        const auto cell = [edge](double v) {
            return static_cast<std::uint32_t>(std::clamp(v, 0.0, 1.0) * edge);
        };
        return spaced(cell(x[0])) | spaced(cell(x[1])) << 1;
    };
    std::sort(position.begin(), position.end(), [&](const Vector& a, const Vector& b) {
        return std::tuple(column(a), a[2], a[0], a[1]) <
               std::tuple(column(b), b[2], b[0], b[1]);
    });
    return position;
}

std::vector<double> make_radii(const FallingSettings& s, scenes::Random& random) {
    std::vector<double> radii(s.n);
    if (radii.empty()) return radii;
    double cubes = 0;
    for (double& r : radii) {
        r = s.spread > 0 ? random.uniform(1 - s.spread, 1 + s.spread) : 1;
        cubes += r * r * r;
    }
    const double mean = scenes::cube_root(s.fill / (cubes * scenes::unit_ball(3)));
    for (double& r : radii) r *= mean;
    return radii;
}

std::vector<Vector> uniform_start(std::uint64_t n, scenes::Random& random) {
    std::vector<Vector> position(n);
    for (Vector& x : position)
        for (double& v : x) v = random.uniform();
    return in_columns(std::move(position));
}

// A cubic lattice, disturbed by as much as leaves even the largest spheres apart.
std::vector<Vector> lattice_start(std::uint64_t n, double largest, scenes::Random& random) {
    const std::uint64_t edge = scenes::edge_of_lattice(n, 3);
    const double spacing = 1 / static_cast<double>(edge);
    const double play = 0.999 * (spacing / 2 - largest);
    if (play < 0)
        refuse(
            "falling: at this fill and spread the spheres do not fit side by side, as "
            "response = dem needs them; take a smaller fill");
    std::vector<Vector> position;
    position.reserve(n);
    for (std::uint64_t k = 0; k < n; ++k) {
        const std::uint64_t site[3] = {k % edge, k / edge % edge, k / edge / edge};
        Vector x;
        for (std::size_t a = 0; a < 3; ++a)
            x[a] = (static_cast<double>(site[a]) + 0.5) * spacing + random.uniform(-play, play);
        position.push_back(x);
    }
    return in_columns(std::move(position));
}

// pairwise: the cloud has fallen in about 60 steps, the more the smaller the spheres, for a
// deep pile gives way more; this makes about six touching pairs a sphere at steps 50 to 60 from
// 50,000 to 5 million spheres of fill 0.1, as P1's have (Table 3, kd-tree-2).
// dem: the fastest sphere moves by a small share of the smallest radius.
double suitable_dt(const FallingSettings& s, double smallest) {
    if (s.dt > 0) return s.dt;
    return s.response == "pairwise" ? std::sqrt(2 / s.gravity * std::sqrt(smallest)) / 19.3
                                    : 0.01 * smallest / std::sqrt(2 * s.gravity);
}

// A contact is half a swing of its spring and lasts contact * dt, so one that is met at speed v
// gives way by v * contact * dt / pi (damping aside). Where that is more than a radius, spheres
// that have fallen from the top go through the floor and each other, and soon after that the
// lowest layers of a pile do under its weight.
void check_impact(const FallingSettings& s, double dt, double smallest) {
    const double longest = std::numbers::pi * smallest / (s.contact * std::sqrt(2 * s.gravity));
    if (dt <= longest) return;
    refuse("falling: with dt = " + written(dt) + " and contact = " + written(s.contact) +
           " a sphere that has fallen from the top sinks into the floor by more than its "
           "radius; take a dt of at most " +
           written(0.99 * longest, 3));
}

// What a loop over contacts finds out.
struct Tally {
    std::uint64_t contacts = 0;
    double overlap = 0;
    double elastic = 0;

    Tally& operator+=(const Tally& other) {
        contacts += other.contacts;
        overlap = std::max(overlap, other.overlap);
        elastic += other.elastic;
        return *this;
    }
};

// The floor and the walls: a plane is an axis and a side.
struct Plane {
    std::size_t axis;
    double at;
    double outward;  // -1: bodies are above it, 1: below
};
constexpr std::array<Plane, 5> planes{
    {{2, 0, -1}, {0, 0, -1}, {0, 1, 1}, {1, 0, -1}, {1, 1, 1}}};

class Falling : public Simulation {
  public:
    Falling(const FallingSettings& settings, const How& how)
        : s_(settings),
          threads_(checked_threads(how.threads)),
          finder_(Options<3>{.method = how.method, .threads = how.threads}) {
        check(s_);
        scenes::Random random(s_.seed);
        radius_ = make_radii(s_, random);
        const auto [least, most] = std::minmax_element(radius_.begin(), radius_.end());
        dt_ = suitable_dt(s_, s_.n > 0 ? *least : 1);
        if (s_.response == "dem") check_impact(s_, dt_, s_.n > 0 ? *least : 1);
        position_ = s_.response == "pairwise"
                        ? uniform_start(s_.n, random)
                        : lattice_start(s_.n, s_.n > 0 ? *most : 0, random);
        velocity_.resize(s_.n);
    }

    std::uint64_t bodies() const override { return position_.size(); }
    double time() const override { return time_; }
    const StepStatistics& statistics() const override { return statistics_; }

  protected:
    std::size_t plane_count() const { return s_.walls ? planes.size() : 1; }

    void drift() {
        parallel_for(threads_, position_.size(),
                     [&](std::size_t i) { position_[i] += dt_ * velocity_[i]; });
        time_ += dt_;
    }

    const Rows<3>& search(RowKind kind) {
        const common::Stopwatch watch;
        finder_.update(spheres<3>(position_, radius_));
        const Rows<3>& rows = finder_.neighbours(kind, Order::sorted);
        statistics_.search_seconds = watch.seconds();
        statistics_.candidates = finder_.report().candidates;
        statistics_.pairs = finder_.report().pairs;
        return rows;
    }

    // `rotational`: the energy of body i's spin.
    template <class F>
    void sum_up(const Tally& tally, const F& rotational) {
        statistics_.contacts = tally.contacts;
        statistics_.overlap = tally.overlap;
        const auto totals = parallel_sum<Mechanics>(
            threads_, position_.size(), [&](std::size_t i) -> Mechanics {
                const double mass = mass_of(radius_[i]);
                return {mass / 2 * dot(velocity_[i], velocity_[i]) + rotational(i),
                        mass * s_.gravity * position_[i][2], mass * velocity_[i]};
            });
        statistics_.kinetic = totals.kinetic;
        statistics_.potential = totals.potential + tally.elastic;
        statistics_.momentum = totals.momentum;
    }

    std::vector<Field> body_fields() const {
        return {{"position", 3, flat(position_)},
                {"velocity", 3, flat(velocity_)},
                {"radius", 1, radius_}};
    }

    void visit_bodies(StateVisitor& visitor) {
        visitor.value("time", time_);
        visitor.array("position", position_);
        visitor.array("velocity", velocity_);
        visitor.array("radius", radius_);
    }

    FallingSettings s_;
    int threads_;
    Finder<double, 3> finder_;
    double dt_ = 0, time_ = 0;
    std::vector<Vector> position_, velocity_;
    std::vector<double> radius_;
    StepStatistics statistics_;
};

class Pairwise : public Falling {
  public:
    using Falling::Falling;

    void step() override {
        const common::Stopwatch watch;
        parallel_for(threads_, position_.size(),
                     [&](std::size_t i) { velocity_[i][2] -= s_.gravity * dt_; });
        drift();
        const Tally tally = part_all(search(RowKind::half));
        parallel_for(threads_, position_.size(), [&](std::size_t i) { hold(i); });
        sum_up(tally, [](std::size_t) { return 0.0; });
        statistics_.response_seconds = watch.seconds() - statistics_.search_seconds;
    }

    std::vector<Field> fields() const override { return body_fields(); }
    void visit(StateVisitor& visitor) override { visit_bodies(visitor); }

  private:
    // Every pair in turn, in an order that lets threads share the work: first those within
    // blocks of bodies, block by block in the order of (i, j), then those within blocks of
    // blocks, and so on. Blocks of one size have no body in common.
    Tally part_all(const Rows<3>& rows) {
        constexpr std::size_t growth = 8;
        const std::size_t n = position_.size();
        Tally tally;
        for (std::size_t inner = 0, outer = piece_size; inner < n;
             inner = outer, outer *= growth)
            tally += part_within(rows, inner, outer);
        return tally;
    }

    // The pairs within blocks of `outer` bodies, without those within blocks of `inner`.
    Tally part_within(const Rows<3>& rows, std::size_t inner, std::size_t outer) {
        const std::size_t n = position_.size();
        std::vector<Tally> tallies((n + outer - 1) / outer);
        parallel_tasks(threads_, tallies.size(), [&](std::size_t block, int) {
            const std::size_t end = std::min((block + 1) * outer, n);
            Tally tally;
            std::size_t begin = inner == 0 ? 0 : block * outer;  // of the next inner block
            for (std::size_t i = block * outer; i < end; ++i) {
                if (i == begin) begin += inner;
                const std::span<const Index> row = rows[i];
                if (row.empty() || row.back() < begin) continue;
                for (const Index j : row)
                    if (j >= begin && j < end) tally += part(i, j);
            }
            tallies[block] = tally;
        });
        return std::accumulate(tallies.begin(), tallies.end(), Tally{},
                               [](Tally sum, const Tally& t) { return sum += t; });
    }

    // Pushes two spheres apart, if they still overlap, and stops them from coming nearer.
    Tally part(std::size_t i, std::size_t j) {
        const double reach = radius_[i] + radius_[j];
        const Vector d = position_[j] - position_[i];
        const double square = dot(d, d);
        if (square >= reach * reach) return {};
        const double distance = std::sqrt(square);
        // Spheres in one place have no direction of their own: the later one goes up.
        const Vector normal = distance > 0 ? (1 / distance) * d : Vector{0, 0, 1};
        const double mass_i = mass_of(radius_[i]), mass_j = mass_of(radius_[j]);
        const double share_i = mass_j / (mass_i + mass_j), share_j = 1 - share_i;
        const double overlap = reach - distance;
        position_[i] -= (overlap * share_i) * normal;
        position_[j] += (overlap * share_j) * normal;
        const Vector change = collision(velocity_[j] - velocity_[i], normal);
        velocity_[i] -= share_i * change;
        velocity_[j] += share_j * change;
        return {1, overlap, 0};
    }

    // The change of a relative velocity by a collision along `normal`, with friction.
    Vector collision(const Vector& relative, const Vector& normal) const {
        const double approach = -dot(relative, normal);
        if (approach <= 0) return {};
        const double kick = (1 + s_.restitution) * approach;
        const Vector slip = relative + approach * normal;
        const double speed = length(slip);
        const double brake = s_.friction * kick < speed ? s_.friction * kick / speed : 1.0;
        return kick * normal - brake * slip;
    }

    void hold(std::size_t i) {
        for (std::size_t p = 0; p < plane_count(); ++p) {
            const Plane& plane = planes[p];
            const double limit = plane.at - plane.outward * radius_[i];
            double& x = position_[i][plane.axis];
            if (plane.outward * (x - limit) <= 0) continue;
            x = limit;
            Vector inward{};
            inward[plane.axis] = -plane.outward;
            velocity_[i] += collision(velocity_[i], inward);
        }
    }
};

class Dem : public Falling {
  public:
    Dem(const FallingSettings& settings, const How& how) : Falling(settings, how) {
        spin_.resize(position_.size());
        next_velocity_.resize(position_.size());
        next_spin_.resize(position_.size());
        springs_.offsets.assign(position_.size() + 1, 0);
    }

    // Positions first, then velocities: contacts and energies are those at the step's end.
    void step() override {
        const common::Stopwatch watch;
        drift();
        const Rows<3>& rows = search(RowKind::full);
        make_room(rows);
        const auto tally = parallel_sum<Tally>(threads_, position_.size(),
                                               [&](std::size_t i) { return push(i, rows[i]); });
        std::swap(velocity_, next_velocity_);
        std::swap(spin_, next_spin_);
        std::swap(springs_, next_springs_);
        sum_up(tally, [&](std::size_t i) { return inertia(i) / 2 * dot(spin_[i], spin_[i]); });
        statistics_.response_seconds = watch.seconds() - statistics_.search_seconds;
    }

    std::vector<Field> fields() const override {
        auto result = body_fields();
        result.push_back({"spin", 3, flat(spin_)});
        return result;
    }

    void visit(StateVisitor& visitor) override {
        visit_bodies(visitor);
        visitor.array("spin", spin_);
        visitor.array("spring offsets", springs_.offsets);
        visitor.array("spring partners", springs_.partners);
        visitor.array("spring stretches", springs_.stretches);
    }

  private:
    // The tangential springs of the contacts, as rows: a pair's in the row of the lower number,
    // partners in ascending order, planes after all bodies. Rows that are merged in parallel
    // rather than a PairMap: at millions of contacts that takes a fraction of its time.
    struct Springs {
        std::vector<std::uint64_t> offsets;
        std::vector<Index> partners;
        std::vector<Vector> stretches;
    };

    struct Side {
        Vector velocity, spin;
        double radius, mass;
    };

    Side side(std::size_t i) const {
        return {velocity_[i], spin_[i], radius_[i], mass_of(radius_[i])};
    }

    double inertia(std::size_t i) const {
        return 0.4 * mass_of(radius_[i]) * (radius_[i] * radius_[i]);
    }

    bool touches(std::size_t i, const Plane& plane) const {
        return plane.outward * (position_[i][plane.axis] - plane.at) + radius_[i] >= 0;
    }

    void make_room(const Rows<3>& rows) {
        const std::size_t n = position_.size();
        auto& offsets = next_springs_.offsets;
        offsets.resize(n + 1);
        parallel_for(threads_, n, [&](std::size_t i) {
            std::uint64_t count = 0;
            for (const Index j : rows[i]) count += j > i;
            for (std::size_t p = 0; p < plane_count(); ++p) count += touches(i, planes[p]);
            offsets[i + 1] = count;
        });
        offsets[0] = 0;
        std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
        next_springs_.partners.resize(offsets[n]);
        next_springs_.stretches.resize(offsets[n]);
    }

    Vector stretch(std::size_t i, std::size_t partner) const {
        const auto* first = springs_.partners.data() + springs_.offsets[i];
        const auto* last = springs_.partners.data() + springs_.offsets[i + 1];
        const auto* found = std::find(first, last, partner);
        return found == last ? Vector{} : springs_.stretches[found - springs_.partners.data()];
    }

    // All that body i feels, in the order of its partners; a pair's force is computed from
    // both sides, by the same formula from the same numbers.
    Tally push(std::size_t i, std::span<const Index> partners) {
        Tally tally;
        Vector force{0, 0, -mass_of(radius_[i]) * s_.gravity}, torque{};
        std::uint64_t slot = next_springs_.offsets[i];
        const auto keep = [&](std::size_t partner, const Vector& spring) {
            next_springs_.partners[slot] = static_cast<Index>(partner);
            next_springs_.stretches[slot++] = spring;
        };
        for (const Index j : partners) {
            const std::size_t low = std::min<std::size_t>(i, j),
                              high = std::max<std::size_t>(i, j);
            const Vector d = position_[high] - position_[low];
            const double distance = length(d);
            const Vector normal = distance > 0 ? (1 / distance) * d : Vector{0, 0, 1};
            Vector spring = stretch(low, high);
            Tally found;
            const Vector f = contact(side(low), side(high), normal,
                                     radius_[i] + radius_[j] - distance, spring, found);
            torque -= radius_[i] * cross(normal, f);
            if (i == high) {
                force += f;
                continue;
            }
            force -= f;
            keep(j, spring);
            tally += found;
        }
        for (std::size_t p = 0; p < plane_count(); ++p) {
            const Plane& plane = planes[p];
            if (!touches(i, plane)) continue;
            Vector normal{};
            normal[plane.axis] = plane.outward;
            const double distance = plane.outward * (plane.at - position_[i][plane.axis]);
            Vector spring = stretch(i, position_.size() + p);
            Tally found;
            const Side still{{}, {}, 0, std::numeric_limits<double>::infinity()};
            const Vector f =
                contact(side(i), still, normal, radius_[i] - distance, spring, found);
            torque -= radius_[i] * cross(normal, f);
            force -= f;
            keep(position_.size() + p, spring);
            found.contacts = 0;  // they count pairs
            tally += found;
        }
        next_velocity_[i] = velocity_[i] + (dt_ / mass_of(radius_[i])) * force;
        next_spin_[i] = spin_[i] + (dt_ / inertia(i)) * torque;
        return tally;
    }

    // The force on b, of two that overlap by `overlap` along `normal` (from a to b). Every
    // contact lasts as many steps, so the stiffness follows from the reduced mass; the
    // tangential spring has the same period for solid spheres at 2/7 of it.
    Vector contact(const Side& a, const Side& b, const Vector& normal, double overlap,
                   Vector& spring, Tally& found) const {
        const double reduced = 1 / (1 / a.mass + 1 / b.mass);
        const double frequency = std::numbers::pi / (s_.contact * dt_);
        const double stiffness = reduced * (frequency * frequency);
        const double tangential = stiffness * 2 / 7;
        const double dashpot = 2 * s_.damping * reduced * frequency;
        const Vector rolling = a.radius * a.spin + b.radius * b.spin;
        const Vector relative = b.velocity - a.velocity - cross(rolling, normal);
        const double parting = dot(relative, normal);
        const double press = std::max(0.0, stiffness * overlap - dashpot * parting);
        const Vector slip = relative - parting * normal;
        // The contact turns with the pair, and the spring with it.
        spring = spring - dot(spring, normal) * normal + dt_ * slip;
        Vector drag = -tangential * spring - dashpot * slip;
        const double size = length(drag);
        if (size > s_.friction * press) {
            drag = (s_.friction * press / size) * drag;
            spring = (-1 / tangential) * drag;
        }
        found = {press > 0 ? 1u : 0u, overlap,
                 (stiffness * (overlap * overlap) + tangential * dot(spring, spring)) / 2};
        return press * normal + drag;
    }

    std::vector<Vector> spin_, next_velocity_, next_spin_;
    Springs springs_, next_springs_;
};

}  // namespace

std::unique_ptr<Simulation> make_falling(const FallingSettings& settings, const How& how) {
    if (settings.response == "dem") return std::make_unique<Dem>(settings, how);
    return std::make_unique<Pairwise>(settings, how);
}

}  // namespace vicinal::sim
