#include "sim/fluid.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/stopwatch.hpp"
#include "scenes/random.hpp"
#include "sim/collide.hpp"
#include "sim/cubic_spline.hpp"
#include "sim/measure.hpp"
#include "sim/parallel.hpp"
#include "sim/settings.hpp"
#include "sim/solids.hpp"
#include "sim/vector.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::sim {
namespace {

constexpr double water = 1000;  // kg/m3

// The largest of some values.
struct Largest {
    double value = 0;
    Largest& operator+=(const Largest& other) {
        value = std::max(value, other.value);
        return *this;
    }
};

// Common parts of both models: particles of equal mass among solids.
class Fluid : public Simulation {
  public:
    Fluid(const FluidSettings& settings, double clearance, double mass, const How& how)
        : settings_(settings),
          mass_(mass),
          threads_(checked_threads(how.threads)),
          spheres_(random_spheres(settings.spheres, settings.smallest, settings.largest,
                                  {settings.length, settings.width, settings.height},
                                  settings.seed)),
          solids_({settings.length, settings.width, settings.height}, spheres_, clearance, how),
          finder_(Options<3>{.method = how.method, .threads = how.threads}) {}

    std::uint64_t bodies() const override { return positions_.size(); }
    double time() const override { return time_; }
    const StepStatistics& statistics() const override { return statistics_; }

    std::vector<Field> fields() const override {
        return {{"position", 3, flat(positions_)},
                {"velocity", 3, flat(velocities_)},
                {"radius", 1, radii_}};
    }
    std::vector<Field> solids() const override {
        if (spheres_.centres.empty()) return {};
        return {{"position", 3, flat(spheres_.centres)}, {"radius", 1, spheres_.radii}};
    }

    void visit(StateVisitor& visitor) override {
        visitor.value("time", time_);
        visitor.array("position", positions_);
        visitor.array("velocity", velocities_);
    }

  protected:
    void begin() {
        velocities_.assign(positions_.size(), Vector{});
        radii_.assign(positions_.size(), settings_.size / 2);
        paths_.resize(positions_.size());
    }

    // The neighbours of each particle within `distance`, in ascending order.
    const Rows<double, 3>& neighbours(double distance) {
        finder_.update(points<3>(positions_, distance));
        const Rows<double, 3>& rows = finder_.neighbours(RowKind::full, Order::sorted);
        statistics_.candidates = finder_.report().candidates;
        statistics_.pairs = rows.indices.size() / 2;
        return rows;
    }

    // Moves each particle along its path.
    void move() {
        statistics_.contacts =
            solids_.move(positions_, velocities_, paths_, settings_.restitution);
        statistics_.search_seconds += solids_.search_seconds();
    }

    void finish_step(double dt) {
        time_ += dt;
        const auto sums =
            parallel_sum<Mechanics>(threads_, positions_.size(), [&](std::size_t i) {
                const Vector& v = velocities_[i];
                return Mechanics{0.5 * mass_ * dot(v, v),
                                 mass_ * settings_.gravity * positions_[i][2], mass_ * v};
            });
        statistics_.kinetic = sums.kinetic;
        statistics_.potential = sums.potential;
        statistics_.momentum = sums.momentum;
    }

    FluidSettings settings_;
    double mass_;
    int threads_;
    StaticSpheres spheres_;
    Solids solids_;
    Finder<double, 3> finder_;
    double time_ = 0;
    std::vector<Vector> positions_, velocities_, paths_;
    std::vector<double> radii_;  // for output
    StepStatistics statistics_;
};

class Collide : public Fluid {
  public:
    Collide(const FluidSettings& settings, const How& how)
        : Fluid(settings, settings.size / 2,
                water * settings.size * settings.size * settings.size, how) {
        // Random positions outside the solids; particles may overlap each other.
        scenes::Random random(settings.seed + 1);
        std::uint64_t tried = 0;
        while (positions_.size() < settings.n) {
            std::vector<Vector> tried_positions(settings.n - positions_.size() + 100);
            for (Vector& p : tried_positions)
                p = {random.uniform(0, settings.length), random.uniform(0, settings.width),
                     random.uniform(0, settings.height)};
            tried += tried_positions.size();
            const std::vector<bool> clear = solids_.clear(tried_positions, 0);
            for (std::size_t k = 0;
                 k < tried_positions.size() && positions_.size() < settings.n; ++k)
                if (clear[k]) positions_.push_back(tried_positions[k]);
            if (tried > 100 * (settings.n + 1000))
                refuse(
                    "fluid: the spheres leave too little space for the particles; choose fewer "
                    "or smaller spheres");
        }
        begin();
        contacts_.resize(positions_.size());
        overlap_.resize(positions_.size());
    }

    void step() override {
        const common::Stopwatch watch;
        const Rows<double, 3>& rows = neighbours(settings_.size);
        statistics_.search_seconds = watch.seconds();
        respond(rows);
        move();
        statistics_.contacts += statistics_.pairs;
        finish_step(settings_.dt);
        statistics_.response_seconds = watch.seconds() - statistics_.search_seconds;
    }

    std::vector<Field> fields() const override {
        auto result = Fluid::fields();
        result.push_back({"contacts", 1, contacts_});
        result.push_back({"overlap", 1, overlap_});
        return result;
    }

  private:
    void respond(const Rows<double, 3>& rows) {
        next_.resize(positions_.size());
        const auto deepest =
            parallel_sum<Largest>(threads_, positions_.size(), [&](std::size_t i) {
                CollideResponse response(settings_);
                for (const Index j : rows[i])
                    response.add(settings_, positions_[i] - positions_[j],
                                 velocities_[i] - velocities_[j],
                                 std::max(rows[i].size(), rows[j].size()), i < j);
                contacts_[i] = static_cast<double>(rows[i].size());
                overlap_[i] = response.overlap;
                next_[i] = velocities_[i] + response.change;
                paths_[i] = settings_.dt * next_[i] + response.push;
                return Largest{response.overlap};
            });
        statistics_.overlap = deepest.value;
        std::swap(velocities_, next_);
    }

    std::vector<Vector> next_;                // velocities
    std::vector<double> contacts_, overlap_;  // of each particle with others, for output
};

class Sph : public Fluid {
  public:
    Sph(const FluidSettings& settings, const How& how)
        : Fluid(settings, settings.size / 4, 0, how),
          spacing_(spacing(settings)),
          kernel_(1.2 * std::max({spacing_[0], spacing_[1], spacing_[2]})),
          samples_(solids_.samples(spacing_, kernel_.support())),
          sample_finder_(Options<3>{.method = how.method, .threads = how.threads}) {
        mass_ = water * spacing_[0] * spacing_[1] * spacing_[2];
        sample_finder_.update(points<3>(samples_.positions));
        fill_block();
        begin();
        densities_.assign(positions_.size(), water);
        neighbours_.resize(positions_.size());
        pressures_.resize(positions_.size());
        accelerations_.resize(positions_.size());
        double top = 0;
        for (const Vector& p : positions_) top = std::max(top, p[2]);
        sound_ =
            settings.sound > 0 ? settings.sound : 10 * std::sqrt(2 * settings.gravity * top);
        if (!(sound_ > 0))
            refuse(
                "fluid: sound=0 derives the speed of sound from gravity, which is 0; give "
                "sound in m/s");
    }

    // Symplectic Euler: forces at the current positions, then velocities, then positions.
    void step() override {
        const common::Stopwatch watch;
        const Rows<double, 3>& rows = neighbours(kernel_.support());
        find_samples();
        statistics_.search_seconds = watch.seconds();
        find_densities(rows);
        find_accelerations(rows);
        const double dt = step_length();
        parallel_for(threads_, positions_.size(), [&](std::size_t i) {
            velocities_[i] = velocities_[i] + dt * accelerations_[i];
            paths_[i] = dt * velocities_[i];
        });
        move();
        finish_step(dt);
        const auto densest = parallel_sum<Largest>(
            threads_, positions_.size(), [&](std::size_t i) { return Largest{densities_[i]}; });
        statistics_.own = {{"dt", dt, "length of the step"},
                           {"largest_density", densest.value, "largest density"}};
        statistics_.response_seconds = watch.seconds() - statistics_.search_seconds;
    }

    std::vector<Field> fields() const override {
        auto result = Fluid::fields();
        result.push_back({"density", 1, densities_});
        result.push_back({"neighbours", 1, neighbours_});
        return result;
    }

    void visit(StateVisitor& visitor) override {
        Fluid::visit(visitor);
        visitor.array("density", densities_);  // for output; the next step computes its own
    }

  private:
    // An integer number of cells along each edge of the box.
    static Vector spacing(const FluidSettings& s) {
        const auto fit = [&](double edge) {
            return edge / std::max(1.0, std::floor(edge / s.size + 0.5));
        };
        return {fit(s.length), fit(s.width), fit(s.height)};
    }

    // Fills cells layer by layer, except inside solids.
    void fill_block() {
        const auto cells = [&](double edge, std::size_t a) {
            return static_cast<std::uint64_t>(std::max(1.0, edge / spacing_[a] + 0.5));
        };
        const std::uint64_t nx = cells(settings_.block_length, 0),
                            ny = cells(settings_.block_width, 1);
        double z = settings_.block_bottom + 0.5 * spacing_[2];
        for (; positions_.size() < settings_.n; z += spacing_[2]) {
            if (z > settings_.height)
                refuse("fluid: only " + std::to_string(positions_.size()) + " of " +
                       std::to_string(settings_.n) +
                       " particles fit below the ceiling; make the block longer or wider, "
                       "lower block_bottom or choose fewer particles");
            std::vector<Vector> layer;
            for (std::uint64_t y = 0; y < ny; ++y)
                for (std::uint64_t x = 0; x < nx; ++x)
                    layer.push_back({(static_cast<double>(x) + 0.5) * spacing_[0],
                                     (static_cast<double>(y) + 0.5) * spacing_[1], z});
            const std::vector<bool> clear = solids_.clear(layer, 0.2 * settings_.size);
            for (std::size_t k = 0; k < layer.size() && positions_.size() < settings_.n; ++k)
                if (clear[k]) positions_.push_back(layer[k]);
        }
    }

    // The samples of solids within the kernel's support of each particle, in ascending order.
    void find_samples() {
        const double reach = kernel_.support();
        const Column<double> radii(&reach, positions_.size(), 0);
        const auto pairs =
            sample_finder_.probe(vicinal::spheres<3>(positions_, radii), Order::sorted);
        first_.assign(positions_.size() + 1, 0);
        near_.clear();
        for (const Pair& pair : pairs) {
            ++first_[pair.i + 1];
            near_.push_back(pair.j);
        }
        for (std::size_t i = 0; i < positions_.size(); ++i) first_[i + 1] += first_[i];
    }

    std::span<const Index> samples_near(std::size_t i) const {
        return {near_.data() + first_[i], near_.data() + first_[i + 1]};
    }

    // Pressures by Tait's equation. Negative pressures are clamped to 0, so that a surface does
    // not clump.
    void find_densities(const Rows<double, 3>& rows) {
        const double stiffness = water * sound_ * sound_ / 7;
        parallel_for(threads_, positions_.size(), [&](std::size_t i) {
            double sum = kernel_.value(0);
            for (const Index j : rows[i])
                sum += kernel_.value(length(positions_[i] - positions_[j]));
            double density = mass_ * sum;
            for (const Index b : samples_near(i))
                density += water * samples_.volumes[b] *
                           kernel_.value(length(positions_[i] - samples_.positions[b]));
            densities_[i] = density;
            neighbours_[i] = static_cast<double>(rows[i].size());
            const double x = density / water, x3 = x * x * x;
            pressures_[i] = std::max(0.0, stiffness * (x3 * x3 * x - 1));
        });
    }

    // Monaghan's viscosity between two approaching particles; `approach` is the dot product of
    // their relative velocity and distance vectors.
    double viscous(double approach, double distance, double mean_density) const {
        if (approach >= 0) return 0;
        const double h = kernel_.h();
        return -settings_.viscosity * sound_ * h * approach /
               ((distance * distance + 0.01 * h * h) * mean_density);
    }

    // Each term is antisymmetric in the two particles to the last bit, so that momentum is lost
    // only by the rounding of sums. Samples of a solid take the pressure of the particle, as in
    // water at rest.
    void find_accelerations(const Rows<double, 3>& rows) {
        parallel_for(threads_, positions_.size(), [&](std::size_t i) {
            const double density = densities_[i], pressure = pressures_[i];
            const double own = pressure / (density * density);
            Vector a{0, 0, -settings_.gravity};
            for (const Index j : rows[i]) {
                const Vector d = positions_[i] - positions_[j];
                const double distance = length(d);
                const double other = pressures_[j] / (densities_[j] * densities_[j]);
                const double push = own + other +
                                    viscous(dot(velocities_[i] - velocities_[j], d), distance,
                                            0.5 * (density + densities_[j]));
                a -= (mass_ * push * kernel_.slope_over_distance(distance)) * d;
            }
            for (const Index b : samples_near(i)) {
                const Vector d = positions_[i] - samples_.positions[b];
                const double distance = length(d);
                const double behind =
                    std::max(0.0, pressure + density * settings_.gravity * d[2]);
                const double push =
                    own + behind / (water * water) +
                    viscous(dot(velocities_[i], d), distance, 0.5 * (density + water));
                a -= (water * samples_.volumes[b] * push *
                      kernel_.slope_over_distance(distance)) *
                     d;
            }
            accelerations_[i] = a;
        });
    }

    // CFL conditions: sound, diffusion of momentum, motion, and acceleration from rest cover at
    // most a quarter of h (Monaghan 1992, §10.3).
    double step_length() const {
        const auto largest = [&](const std::vector<Vector>& vectors) {
            return std::sqrt(
                parallel_sum<Largest>(threads_, vectors.size(), [&](std::size_t i) {
                    return Largest{dot(vectors[i], vectors[i])};
                }).value);
        };
        const double signal = sound_ * (1 + 1.2 * settings_.viscosity) + largest(velocities_);
        double dt = std::min(settings_.dt, 0.25 * kernel_.h() / signal);
        const double force = largest(accelerations_);
        if (force > 0) dt = std::min(dt, 0.25 * std::sqrt(kernel_.h() / force));
        return dt;
    }

    Vector spacing_;
    CubicSpline kernel_;
    SolidSamples samples_;
    Finder<double, 3> sample_finder_;  // holds the samples
    double sound_ = 0;
    std::vector<double> densities_, pressures_;  // at the beginning of the last step
    std::vector<double> neighbours_;             // their number, for output
    std::vector<Vector> accelerations_;
    std::vector<std::uint64_t> first_;  // samples near particle i: near_[first_[i]] ...
    std::vector<Index> near_;
};

void check(const FluidSettings& s) {
    const auto positive = [](const char* name, double value) {
        if (!(value > 0) || !std::isfinite(value))
            refuse(std::string("fluid: ") + name + " must be above 0");
    };
    positive("size", s.size);
    positive("smallest", s.smallest);
    positive("length", s.length);
    positive("width", s.width);
    positive("height", s.height);
    positive("dt", s.dt);
    constexpr std::uint64_t most_spheres = 10'000'000;
    if (s.spheres > most_spheres)
        refuse("fluid: spheres is " + std::to_string(s.spheres) + "; give at most " +
               std::to_string(most_spheres));
    if (!(s.largest >= s.smallest)) refuse("fluid: largest must not be below smallest");
    const double edge = std::min({s.length, s.width, s.height});
    if (s.spheres > 0 && !(s.largest < edge))
        refuse("fluid: largest must be below length, width and height");
    if (!(4 * s.size <= edge))
        refuse("fluid: length, width and height must be at least 4 times size");
    if (!(s.gravity >= 0) || !std::isfinite(s.gravity))
        refuse("fluid: gravity must be 0 or above");
    if (!(s.restitution >= 0 && s.restitution <= 1))
        refuse("fluid: restitution must be 0 to 1");
    if (s.model != "sph") return;
    positive("block_length", s.block_length);
    positive("block_width", s.block_width);
    if (!(s.block_bottom >= 0)) refuse("fluid: block_bottom must be 0 or above");
    if (!(s.sound >= 0) || !std::isfinite(s.sound)) refuse("fluid: sound must be 0 or above");
    if (!(s.viscosity >= 0) || !std::isfinite(s.viscosity))
        refuse("fluid: viscosity must be 0 or above");
}

}  // namespace

std::unique_ptr<Simulation> make_fluid(const FluidSettings& settings, const How& how) {
    check(settings);
    if (settings.model == "collide") return std::make_unique<Collide>(settings, how);
    if (settings.model == "sph") return std::make_unique<Sph>(settings, how);
    refuse("fluid: unknown model '" + settings.model + "'; available: collide, sph");
}

}  // namespace vicinal::sim
