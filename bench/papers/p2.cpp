// P2: the two parts of a parallel broad phase, update of the boxes and overlapping pairs, on
// one or more threads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "bench/papers/experiments.hpp"
#include "scenes/random.hpp"
#include "scenes/scenes.hpp"

#include <vicinal/boxes_of.hpp>
#include <vicinal/finder.hpp>

namespace vicinal::papers {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct Published {  // ms on 1, 2, 4 and 8 cores
    const char* name;
    std::size_t bodies;
    double boxes[4], overlap[4];
};
constexpr Published published[] = {
    {"cubes", 20'000, {8.89, 4.96, 2.76, 1.52}, {53.3, 31.65, 18.76, 11.43}},
    {"balls", 10'000, {4.45, 2.48, 1.4, 0.74}, {26.7, 15.7, 9.51, 5.82}},
    {"skittles", 3'500, {1.6, 0.9, 0.5, 0.27}, {10.71, 6.35, 3.74, 2.31}}};

double at_threads(const double (&figures)[4], int threads) {
    for (std::size_t k = 0; k < 4; ++k)
        if (threads == 1 << k) return figures[k];
    return unknown;
}

// A random rotation, from a quaternion in the unit ball.
std::array<Vector<float, 3>, 3> rotation(scenes::Random& random) {
    for (;;) {
        std::array<double, 4> q;
        double square = 0;
        for (double& x : q) {
            x = random.uniform(-1, 1);
            square += x * x;
        }
        if (square > 1 || square < 1e-3) continue;
        const auto [w, x, y, z] = q;
        const double s = 2 / square;
        const auto f = [](double value) { return static_cast<float>(value); };
        return {{{f(1 - s * (y * y + z * z)), f(s * (x * y - w * z)), f(s * (x * z + w * y))},
                 {f(s * (x * y + w * z)), f(1 - s * (x * x + z * z)), f(s * (y * z - w * x))},
                 {f(s * (x * z - w * y)), f(s * (y * z + w * x)), f(1 - s * (x * x + y * y))}}};
    }
}

// Rigid bodies, each a box in its local frame with a random rotation. The environment, a floor,
// is the last body.
struct Rigid {
    std::vector<Vector<float, 3>> vertices;
    std::vector<std::uint64_t> first{0};
    std::vector<Transform<float, 3>> transforms;

    explicit Rigid(std::size_t n) {
        const auto workload = scenes::make("equal_spheres", n, 1, {{"fill", 0.1}});
        scenes::Random random(2);
        for (std::size_t i = 0; i < n; ++i) {
            const auto r = static_cast<float>(workload.radius[i] / std::sqrt(3.0));
            Transform<float, 3> place;
            place.rotation = rotation(random);
            for (std::size_t a = 0; a < 3; ++a)
                place.translation[a] = static_cast<float>(workload.position[3 * i + a]);
            add({-r, -r, -r}, {r, r, r}, place);
        }
        Transform<float, 3> still;
        for (std::size_t a = 0; a < 3; ++a) still.rotation[a][a] = 1;
        add({0, 0, -1}, {1, 1, 0.02f}, still);
    }

    void add(const Vector<float, 3>& lower, const Vector<float, 3>& upper,
             const Transform<float, 3>& place) {
        const auto corners = corners_of<float, 3>(lower, upper);
        vertices.insert(vertices.end(), corners.begin(), corners.end());
        first.push_back(vertices.size());
        transforms.push_back(place);
    }
};

constexpr int repeats = 9;

double boxes_ms(const Rigid& rigid, Boxes<float, 3>& boxes, int threads) {
    std::vector<double> ms;
    for (int k = 0; k < repeats; ++k) {
        boxes_of<float, 3>({rigid.vertices, rigid.first}, rigid.transforms, boxes, threads);
        ms.push_back(boxes.seconds * 1e3);
    }
    return median(ms);
}

struct Overlap {
    double ms = 0;
    std::uint64_t pairs = 0, environment = 0;
};

Overlap overlap(const Boxes<float, 3>& boxes, const char* method, int threads) {
    Finder<float, 3> finder(Options<3>{.method = method, .threads = threads});
    std::vector<double> ms;
    Overlap result;
    for (int k = 0; k < repeats; ++k) {
        finder.update(boxes.view());
        const auto& pairs = finder.pairs();
        const auto& seconds = finder.report().seconds;
        ms.push_back((seconds.build + seconds.search) * 1e3);
        if (k > 0) continue;
        const auto floor = static_cast<Index>(boxes.lower.size() - 1);
        for (const Pair& pair : pairs) ++(pair.j == floor ? result.environment : result.pairs);
    }
    result.ms = median(ms);
    return result;
}

// The serial fraction of the work, from the speed-up (Karp and Flatt).
double serial_fraction(double speed_up, int threads) {
    if (threads == 1) return unknown;
    return (1 / speed_up - 1.0 / threads) / (1 - 1.0 / threads);
}

}  // namespace

ResultTable p2(Extent extent) {
    ResultTable table;
    table.title = "P2: update of the boxes and overlapping pairs, on several threads";
    table.columns = {"bodies, part, threads", "ms", "P2", "speed-up", "P2", "serial share"};
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    std::vector<int> counts;
    for (int t = 1; t <= cores; ++t) counts.push_back(t);
    counts.push_back(cores + 1);  // more threads than cores
    if (cores > 1) counts.push_back(2 * cores);
    for (const Published& scene : published) {
        const std::size_t bodies = extent == Extent::quick ? scene.bodies / 10 : scene.bodies;
        const Rigid rigid(bodies);
        Boxes<float, 3> boxes;
        const auto add = [&](const std::string& part, int threads, double ms, double alone,
                             const double(&paper)[4]) {
            const double theirs = bodies == scene.bodies ? at_threads(paper, threads) : unknown,
                         speed_up = alone / ms;
            table.rows.push_back(
                {fmt::format("{} {}, {}, {}", bodies, scene.name, part, threads),
                 {ms, theirs, speed_up, paper[0] / theirs,
                  serial_fraction(speed_up, threads)}});
        };
        double alone = 0;
        for (const int threads : counts) {
            const double ms = boxes_ms(rigid, boxes, threads);
            if (threads == 1) alone = ms;
            add("boxes", threads, ms, alone, scene.boxes);
        }
        Overlap found;
        for (const char* method : {"sweep_all_pairs", "sweep_axis"})
            for (const int threads : counts) {
                found = overlap(boxes, method, threads);
                if (threads == 1) alone = found.ms;
                add(method, threads, found.ms, alone, scene.overlap);
            }
        table.note +=
            fmt::format("{} {}: {} pairs, and {} with the environment, one static body.\n",
                        bodies, scene.name, found.pairs, found.environment);
    }
    table.note += fmt::format(
        "P2: the published figure, on as many cores. This machine has {} cores; beyond\n"
        "that threads share them. The paper's overlap times grow linearly with the bodies:\n"
        "it must have sorted, as sweep_axis does, although its text describes a test of all\n"
        "pairs. Its speed-up of 5.1 on 8 cores is 4.8 by its own tables, a serial share of\n"
        "9.5 %.",
        cores);
    return table;
}

}  // namespace vicinal::papers
