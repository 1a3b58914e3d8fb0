// Poirrier (2009), section 6: touching spheres are pushed apart pair by pair.
#include <cmath>
#include <numeric>

#include "sim/falling_bodies.hpp"

namespace vicinal::sim {
namespace {

class Pairwise : public Falling {
  public:
    using Falling::Falling;

    void step() override {
        const common::Stopwatch watch;
        parallel_for(threads_, position_.size(), [&](std::size_t i) {
            velocity_[i][2] -= s_.gravity * dt_;
            contacts_[i] = 0;
        });
        drift();
        const Tally tally = part_all(search(RowKind::half));
        parallel_for(threads_, position_.size(), [&](std::size_t i) { hold(i); });
        sum_up(tally, [](std::size_t) { return 0.0; });
        statistics_.response_seconds = watch.seconds() - statistics_.search_seconds;
    }

    std::vector<Field> fields() const override { return body_fields(); }
    void visit(StateVisitor& visitor) override { visit_bodies(visitor); }

  private:
    // Treats every pair once, in an order that allows parallelism: first the pairs within
    // blocks of bodies, in order of (i, j) in each block, then those within blocks of blocks,
    // and so on. Blocks of the same size share no body.
    Tally part_all(const Rows<double, 3>& rows) {
        constexpr std::size_t growth = 8;
        const std::size_t n = position_.size();
        Tally tally;
        for (std::size_t inner = 0, outer = piece_size; inner < n;
             inner = outer, outer *= growth)
            tally += part_within(rows, inner, outer);
        return tally;
    }

    // The pairs within blocks of `outer` bodies, without those within blocks of `inner`.
    Tally part_within(const Rows<double, 3>& rows, std::size_t inner, std::size_t outer) {
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
        // Coincident spheres have no contact normal: the later one moves up.
        const Vector normal = distance > 0 ? (1 / distance) * d : Vector{0, 0, 1};
        const double mass_i = mass_of(radius_[i]), mass_j = mass_of(radius_[j]);
        const double share_i = mass_j / (mass_i + mass_j), share_j = 1 - share_i;
        const double overlap = reach - distance;
        position_[i] -= (overlap * share_i) * normal;
        position_[j] += (overlap * share_j) * normal;
        const Vector change = collision(velocity_[j] - velocity_[i], normal);
        velocity_[i] -= share_i * change;
        velocity_[j] += share_j * change;
        contacts_[i] += 1;
        contacts_[j] += 1;
        return {.contacts = 1,
                .overlap = overlap,
                .relative = overlap / reach,
                .relative_sum = overlap / reach};
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

}  // namespace

std::unique_ptr<Simulation> make_pairwise(const FallingSettings& settings, const How& how) {
    return std::make_unique<Pairwise>(settings, how);
}

}  // namespace vicinal::sim
