// Pouchol et al. (2009), section 4.2: a fluid of particles falls over 2000 static spheres. The
// time is that of the collision detection of a frame: the static spheres are hashed again,
// although they never move, then the particles, and then the spheres are queried with the paths
// of the particles. On one thread, as published.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bench/papers/experiments.hpp"
#include "sim/fluid.hpp"
#include "sim/solids.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::papers {
namespace {

// Frames of a method, in ms; `first` and `last` are the means of a tenth of the frames.
struct Frames {
    explicit Frames(const std::string& method)
        : name(method),
          solids(Options<3>{.method = method, .threads = 1}),
          particles(Options<3>{.method = method, .threads = 1}) {}

    std::string name;
    Finder<double, 3> solids, particles;
    std::vector<double> hashing, inserting, probing, neighbours;
    double pairs = 0, near = 0, bytes = 0;  // sums over all frames; maximum of bytes

    double frame(std::size_t k) const { return hashing[k] + inserting[k] + probing[k]; }
    double mean(std::size_t begin, std::size_t end) const {
        double sum = 0;
        for (std::size_t k = begin; k < end; ++k) sum += frame(k);
        return sum / static_cast<double>(end - begin);
    }
    double mean() const { return mean(0, hashing.size()); }
    std::size_t tenth() const { return std::max<std::size_t>(1, hashing.size() / 10); }
    double first() const { return mean(0, tenth()); }
    double last() const { return mean(hashing.size() - tenth(), hashing.size()); }
};

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

}  // namespace

ResultTable p4_fluid(Extent extent) {
    sim::FluidSettings scene;
    int iterations = 1000, every = 20;  // frames measured
    if (extent == Extent::quick) {
        scene.n = 5'000;
        iterations = 60;
        every = 10;
    } else if (extent == Extent::usual) {
        scene.n = 50'000;
    }
    const auto fluid =
        sim::make_fluid(scene, {"auto", 1});  // waiting threads use processor time
    auto spheres = sim::random_spheres(scene.spheres, scene.smallest, scene.largest,
                                       {scene.length, scene.width, scene.height}, scene.seed);
    for (double& radius : spheres.radii)
        radius += scene.size / 2;  // paths are those of centres

    std::vector<Frames> subjects;
    for (const char* method :
         {"uniform_hash", "multilevel_hash", "hierarchical_hash", "kd_tree", "row_grid"})
        subjects.emplace_back(method);
    Finder<double, 3> particles(Options<3>{.method = "uniform_hash", .threads = 1});
    std::vector<double> along(3 * scene.n), measured;  // measured: iterations
    for (int k = 1; k <= iterations; ++k) {
        fluid->step();
        if (k % every != 0) continue;
        measured.push_back(k);
        const auto fields = fluid->fields();
        const auto positions = fields[0].values, velocities = fields[1].values;
        for (std::size_t c = 0; c < along.size(); ++c) along[c] = scene.dt * velocities[c];
        const ProcessorClock hashing;
        particles.update(points<3>(positions, scene.size));
        const double hashed = hashing.ms();
        for (Frames& subject : subjects) {
            subject.inserting.push_back(hashed);
            double before = 0;
            const ProcessorClock clock;
            const auto lap = [&] {
                const double now = clock.ms();
                return now - std::exchange(before, now);
            };
            subject.solids.update(vicinal::spheres<3>(spheres.centres, spheres.radii));
            subject.hashing.push_back(lap());
            subject.solids.probe(segments<3>(positions, along), [&](const Block<3>& block) {
                subject.pairs += static_cast<double>(block.pairs.size());
            });
            subject.probing.push_back(lap());
            subject.bytes =
                std::max(subject.bytes, static_cast<double>(subject.solids.report().bytes));
            lap();
            subject.particles.update(points<3>(positions, scene.size));
            subject.near += static_cast<double>(subject.particles.neighbours().indices.size());
            subject.neighbours.push_back(lap());
        }
    }

    ResultTable table;
    table.title = fmt::format(
        "Pouchol et al. (2009), section 4.2: {} particles fall over {} static spheres, {} "
        "iterations, one thread",
        scene.n, scene.spheres, iterations);
    table.columns = {"method",   "frame ms",      "static ms", "particles ms",
                     "paths ms", "first ms",      "last ms",   "kB",
                     "pairs",    "neighbours ms", "neighbours"};
    for (const Frames& s : subjects) {
        const auto frames = static_cast<double>(s.hashing.size());
        table.rows.push_back(
            {s.name,
             {s.mean(), mean(s.hashing), mean(s.inserting), mean(s.probing), s.first(),
              s.last(), s.bytes / 1e3, s.pairs / frames, mean(s.neighbours), s.near / frames}});
    }
    table.note = fmt::format(
        "Means of processor time over every {}th frame; first, last: over the first and\n"
        "the last tenth of them. frame: hashing of the static spheres and of the\n"
        "particles, then queries of the spheres with the particles' paths, exact tests\n"
        "included. kB: the structure of the static spheres. neighbours: a search for those\n"
        "of the particles within their diameter, by the same method, not in the frame; the\n"
        "paper takes uniform hashing. The paper does not give the number of particles and\n"
        "the box; here a cube of edge 4.",
        every);
    for (const Frames& s : subjects) {
        std::vector<double> frames;
        for (std::size_t k = 0; k < measured.size(); ++k) frames.push_back(s.frame(k));
        table.curves.push_back({s.name, measured, frames});
    }
    const Frames &multilevel = subjects[1], &hierarchical = subjects[2];
    const double gain = multilevel.mean() / hierarchical.mean();
    const double early = multilevel.first() / hierarchical.first(),
                 late = multilevel.last() / hierarchical.last();
    const double memory = hierarchical.bytes / multilevel.bytes;
    table.claims = {
        {.text = "hierarchical is 25 % faster than multilevel",
         .holds = gain >= 1.25,
         .measured = fmt::format("{:.2f} times as fast", gain),
         .why = "both methods share the hashing of the particles, and in our box, as the paper "
                "does not give its own, all of the largest cells have smaller ones in them"},
        {.text = "hierarchical needs at most 20 % more memory than multilevel",
         .holds = memory <= 1.2,
         .measured = fmt::format("{:.2f} times as much", memory)},
        {.text = "its gain decreases as particles collect at the bottom",
         .holds = late < early,
         .measured = fmt::format("{:.2f} times as fast in the first frames, {:.2f} in the last",
                                 early, late)}};
    return table;
}

}  // namespace vicinal::papers
