// Soft spheres (Cundall & Strack 1979): springs and dashpots between touching spheres.
#include <algorithm>
#include <limits>
#include <numbers>
#include <numeric>

#include "sim/falling_bodies.hpp"

namespace vicinal::sim {
namespace {

class Dem : public Falling {
  public:
    Dem(const FallingSettings& settings, const How& how) : Falling(settings, how) {
        spin_.resize(position_.size());
        next_velocity_.resize(position_.size());
        next_spin_.resize(position_.size());
        overlap_.resize(position_.size());
        springs_.offsets.assign(position_.size() + 1, 0);
    }

    // Positions first, then velocities: contacts and energies are those at the step's end.
    void step() override {
        const common::Stopwatch watch;
        drift();
        const Rows<double, 3>& rows = search(RowKind::full);
        reserve_springs(rows);
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
        result.push_back({"angular_velocity", 3, flat(spin_)});
        result.push_back({"overlap", 1, overlap_});
        return result;
    }

    void visit(StateVisitor& visitor) override {
        visit_bodies(visitor);
        visitor.array("angular_velocity", spin_);
        visitor.array("spring_offsets", springs_.offsets);
        visitor.array("spring_partners", springs_.partners);
        visitor.array("spring_stretches", springs_.stretches);
    }

  private:
    // The tangential springs of the contacts as CSR rows: a pair is in the row of its lower
    // index, partners are ascending, planes come after all bodies. Merging rows in parallel is
    // several times faster than a PairMap at millions of contacts.
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

    void reserve_springs(const Rows<double, 3>& rows) {
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

    // The total force on body i, summed in the order of its partners. The force of a pair is
    // computed from both sides, by the same formula from the same values.
    Tally push(std::size_t i, std::span<const Index> partners) {
        Tally tally, all;  // of the pairs with i < j, and of all
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
            all += found;
            if (i == high) {
                force += f;
                continue;
            }
            force -= f;
            keep(j, spring);
            tally += found;
        }
        contacts_[i] = static_cast<double>(all.contacts);
        overlap_[i] = all.overlap;
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
            found.contacts = 0;  // these are of pairs only
            found.relative_sum = 0;
            tally += found;
        }
        next_velocity_[i] = velocity_[i] + (dt_ / mass_of(radius_[i])) * force;
        next_spin_[i] = spin_[i] + (dt_ / inertia(i)) * torque;
        return tally;
    }

    // The force on b of two bodies that overlap by `overlap` along `normal` (from a to b). All
    // contacts have the same duration, so the stiffness follows from the reduced mass. For
    // solid spheres, a tangential spring with 2/7 of the stiffness has the same period.
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
        // The tangential spring rotates with the contact.
        spring = spring - dot(spring, normal) * normal + dt_ * slip;
        Vector drag = -tangential * spring - dashpot * slip;
        const double size = length(drag);
        if (size > s_.friction * press) {
            drag = (s_.friction * press / size) * drag;
            spring = (-1 / tangential) * drag;
        }
        // A plane has no radius: the diameter is then that of the sphere.
        const double relative_overlap =
            overlap / (b.radius > 0 ? a.radius + b.radius : 2 * a.radius);
        found = {.contacts = press > 0 ? 1u : 0u,
                 .overlap = overlap,
                 .relative = relative_overlap,
                 .relative_sum = press > 0 ? relative_overlap : 0,
                 .elastic =
                     (stiffness * (overlap * overlap) + tangential * dot(spring, spring)) / 2};
        return press * normal + drag;
    }

    std::vector<Vector> spin_, next_velocity_, next_spin_;
    std::vector<double> overlap_;  // the deepest of each body with others, for output
    Springs springs_, next_springs_;
};

}  // namespace

std::unique_ptr<Simulation> make_dem(const FallingSettings& settings, const How& how) {
    return std::make_unique<Dem>(settings, how);
}

}  // namespace vicinal::sim
