#include "sim/mpi/ranked_fluid.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <string>

#include "sim/collide.hpp"
#include "sim/settings.hpp"
#include "sim/vector.hpp"

namespace vicinal::sim {
namespace {

constexpr std::uint64_t steps_per_migration = 10;

StaticSpheres spheres_of(const FluidSettings& s) {
    return random_spheres(s.spheres, s.smallest, s.largest, {s.length, s.width, s.height},
                          s.seed);
}

// Reads or sets the records of a simulation by name.
class Records : public StateVisitor {
  public:
    std::map<std::string, std::vector<std::byte>, std::less<>> records;
    bool sets = false;

    template <class V>
    std::vector<V> get(std::string_view name) const {
        const std::vector<std::byte>& bytes = records.find(name)->second;
        std::vector<V> values(bytes.size() / sizeof(V));
        if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }
    template <class V>
    void set(std::string_view name, const std::vector<V>& values) {
        const auto bytes = std::as_bytes(std::span(values));
        records[std::string(name)].assign(bytes.begin(), bytes.end());
    }

  private:
    void bytes(std::string_view name, void* data, std::size_t size) override {
        std::vector<std::byte>& record = records[std::string(name)];
        if (!sets) {
            const auto* const from = static_cast<const std::byte*>(data);
            record.assign(from, from + size);
        } else if (size > 0 && size == record.size()) {
            std::memcpy(data, record.data(), size);
        }
    }
    void size(std::string_view, std::uint64_t&) override {}  // that of the record's bytes
};

}  // namespace

void check_ranked(const FluidSettings& settings) {
    if (settings.model != "collide")
        refuse("fluid: model=" + settings.model +
               " runs in one process; use vicinal run, or model=collide");
    constexpr std::uint64_t max_particles = std::numeric_limits<int>::max();  // counts of MPI
    if (settings.n > max_particles)
        refuse("fluid: n is " + std::to_string(settings.n) + "; over ranks give at most " +
               std::to_string(max_particles));
}

RankedFluid::RankedFluid(MPI_Comm communicator, const FluidSettings& settings, const How& how,
                         Simulation& whole)
    : communicator_(communicator),
      settings_(settings),
      solids_({settings.length, settings.width, settings.height}, spheres_of(settings),
              settings.size / 2, how),
      finder_(communicator, {.method = how.method, .threads = how.threads}, settings.size / 4) {
    Records state;
    whole.visit(state);
    time_ = state.get<double>("time")[0];
    const auto positions = state.get<Vector>("position"),
               velocities = state.get<Vector>("velocity");
    int rank = 0, ranks = 1;
    MPI_Comm_rank(communicator, &rank);
    MPI_Comm_size(communicator, &ranks);
    for (auto i = static_cast<std::size_t>(rank); i < positions.size();
         i += static_cast<std::size_t>(ranks)) {
        ids_.push_back(i);
        positions_.push_back(positions[i]);
        velocities_.push_back(velocities[i]);
    }
    paths_.resize(ids_.size());
}

void RankedFluid::step() {
    finder_.update(points<3>(positions_, settings_.size), ids_);
    if (steps_++ % steps_per_migration == 0) {
        migrate();
        finder_.update(points<3>(positions_, settings_.size), ids_);
    }
    const Rows<double, 3>& rows = finder_.neighbours(Columns::ij, Order::sorted);
    std::vector<Vector> x = positions_, v = velocities_;
    std::vector<std::uint64_t> contacts;
    for (std::size_t i = 0; i < ids_.size(); ++i) contacts.push_back(rows[i].size());
    finder_.forward(x);
    finder_.forward(v);
    finder_.forward(contacts);
    for (std::size_t i = 0; i < ids_.size(); ++i) {
        CollideResponse response(settings_);
        for (const Index j : rows[i])
            response.add(settings_, x[i] - x[j], v[i] - v[j],
                         std::max(contacts[i], contacts[j]), ids_[i] < finder_.id(j));
        velocities_[i] = v[i] + response.change;
        paths_[i] = settings_.dt * velocities_[i] + response.push;
    }
    solids_.move(positions_, velocities_, paths_, settings_.restitution);
    time_ += settings_.dt;
}

// Particles go to the ranks in whose regions they are.
void RankedFluid::migrate() {
    const mpi::Migration migration = finder_.rebalance();
    ids_ = migration.move(std::span<const std::uint64_t>(ids_));
    positions_ = migration.move(std::span<const Vector>(positions_));
    velocities_ = migration.move(std::span<const Vector>(velocities_));
    paths_.resize(ids_.size());
}

void RankedFluid::collect(Simulation& whole) {
    struct Particle {
        std::uint64_t id;
        Vector position, velocity;
    };
    std::vector<Particle> mine;
    for (std::size_t i = 0; i < ids_.size(); ++i)
        mine.push_back({ids_[i], positions_[i], velocities_[i]});
    int rank = 0, ranks = 1;
    MPI_Comm_rank(communicator_, &rank);
    MPI_Comm_size(communicator_, &ranks);
    const auto count = static_cast<int>(mine.size());
    std::vector<int> counts(static_cast<std::size_t>(ranks)), begins(counts.size());
    MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, communicator_);
    for (std::size_t r = 1; r < counts.size(); ++r) begins[r] = begins[r - 1] + counts[r - 1];
    std::vector<Particle> all(
        rank == 0 ? static_cast<std::size_t>(begins.back() + counts.back()) : 0);
    MPI_Datatype particle = MPI_DATATYPE_NULL;  // so that counts are numbers of particles
    MPI_Type_contiguous(static_cast<int>(sizeof(Particle)), MPI_BYTE, &particle);
    MPI_Type_commit(&particle);
    MPI_Gatherv(mine.data(), count, particle, all.data(), counts.data(), begins.data(),
                particle, 0, communicator_);
    MPI_Type_free(&particle);
    if (rank != 0) return;
    std::vector<Vector> positions(all.size()), velocities(all.size());
    for (const Particle& p : all) {
        positions[p.id] = p.position;
        velocities[p.id] = p.velocity;
    }
    Records state;
    state.sets = true;
    state.set("time", std::vector<double>{time_});
    state.set("position", positions);
    state.set("velocity", velocities);
    whole.visit(state);
}

}  // namespace vicinal::sim
