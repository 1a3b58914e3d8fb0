// The pieces of code in docs/cpp.md, in its order, each checked.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include <vicinal/vicinal.hpp>

// Unlike assert(), also in release builds.
static void check(bool holds, const char* what) {
    if (holds) return;
    std::printf("wrong: %s\n", what);
    std::exit(1);
}

// side^3 points at integer coordinates. In a periodic box each has 6 neighbours at distance 1.
static std::vector<double> cube(int side) {
    std::vector<double> xyz;
    for (int i = 0; i < side * side * side; ++i)
        for (int c : {i % side, i / side % side, i / side / side}) xyz.push_back(c);
    return xyz;
}

static vicinal::Options<3> periodic(double side) {
    vicinal::Options<3> options;
    options.domain = vicinal::Domain<3>::orthogonal({side, side, side});
    return options;
}

static void loop() {
    std::vector<double> xyz = cube(5);
    vicinal::Finder<double, 3> finder(periodic(5));
    for (int step = 0; step < 3; ++step) {
        for (double& c : xyz) c += 0.25;
        const auto& pairs = finder.pairs(vicinal::points<3>(xyz, 1.0));  // update and search
        std::size_t across = 0;
        for (auto [i, j, image] : pairs.with_images()) across += image != vicinal::Image<3>{};
        check(pairs.size() == 375 && across == 75, "pairs of a step");
    }
}

static void columns() {
    const std::vector<double> xyz = cube(5);
    vicinal::Finder<double, 3> finder(periodic(5));
    const auto atoms = vicinal::points<3>(xyz, 1.0);

    const auto& rows = finder.neighbours(atoms, vicinal::Columns::ijSdD);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto neighbours = rows[i];        // indices
        const auto images = rows.images_of(i);  // the image of each neighbour
        const auto distances = rows.distances_of(i);
        const auto vectors = rows.vectors_of(i);  // from body i to each neighbour
        check(neighbours.size() == 6 && images.size() == 6, "rows");
        check(distances[0] == 1 && std::abs(vectors[0][0]) <= 1, "columns of rows");
    }

    vicinal::PairForm form;
    form.order = vicinal::Order::sorted;
    form.kind = vicinal::RowKind::full;           // also (j, i, -n)
    form.layout = vicinal::PairLayout::two_by_n;  // all i, then all j
    auto edges = finder.pairs<std::int64_t>(atoms, vicinal::Columns::ijD, form);
    const std::int64_t* first = edges.indices.data();
    const std::int64_t* second = first + edges.size();
    check(edges.size() == 750 && edges.i(0) == first[0] && edges.j(9) == second[9], "edges");
    check(edges.images.empty() && edges.vectors.size() == 750, "columns that were requested");

    vicinal::Rows<double, 3> mine = finder.take_neighbours(atoms, vicinal::Columns::ijd);
    check(mine.indices.size() == 750, "rows of the caller");
}

static void allocator() {
    const std::vector<double> xyz = cube(5);
    static std::atomic<std::size_t> bytes_in_use = 0;
    vicinal::Options<3> options;
    options.allocator.allocate = [](std::size_t bytes, void*) {
        bytes_in_use += bytes;
        return std::malloc(bytes);
    };
    options.allocator.release = [](void* memory, std::size_t bytes, void*) {
        bytes_in_use -= bytes;
        std::free(memory);
    };
    {
        vicinal::Finder<double, 3> finder(options);
        const auto pairs = finder.pairs(vicinal::points<3>(xyz, 1.0), vicinal::Columns::ijd);
        check(pairs.size() == 300 && bytes_in_use >= 300 * 16, "own memory");
    }
    check(bytes_in_use == 0, "own memory, released");
}

static void layouts() {
    const std::vector<float> x{0, 1, 5}, y{0, 0, 0}, z{0, 0, 0};
    const auto by_axis = vicinal::points<3>(vicinal::separate(x, y, z), 1.0);

    struct Particle {
        double mass;
        std::array<double, 3> position;
        double radius;
    };
    const std::vector<Particle> particles{{1, {0, 0, 0}, 0.5}, {1, {1, 0, 0}, 0.5}};
    const auto balls = vicinal::spheres<3>(particles, &Particle::position, &Particle::radius);
    vicinal::Vectors<double, 3> centres;
    for (std::size_t a = 0; a < 3; ++a)
        centres.axis[a] = {&particles[0].position[a], particles.size(), sizeof(Particle)};
    const auto strided = vicinal::spheres<3>(centres, 0.5);

    check(vicinal::find_pairs(by_axis).size() == 1, "an array per axis");
    check(vicinal::find_pairs(balls).size() == 1, "members");
    check(vicinal::find_pairs(strided).size() == 1, "strides");
}

static void motion() {
    const std::vector<double> centres{0, 0, 5, 0}, radii{0.5, 0.5}, displacements{10, 0, 0, 0};
    const auto moving = vicinal::spheres<2>(centres, radii).moving(displacements);
    check(vicinal::find_pairs(moving).size() == 1, "a sphere that passes another in the step");
}

static void history() {
    std::vector<double> x{0, 0, 1, 0, 2, 0};
    std::vector<vicinal::Index> ids{10, 20, 30};
    vicinal::Finder<double, 2> finder;
    vicinal::PairMap<int, 2> age;  // a value per pair that lives as long as the pair
    const auto step = [&] {
        finder.update(vicinal::points<2>(x, 1.0).identified(ids));
        const auto& changes = finder.changes();
        for (const auto& key : changes.began) std::printf("%u meets %u\n", key.i, key.j);
        for (const auto& key : changes.ended) std::printf("%u leaves %u\n", key.i, key.j);
        age.apply(changes);
        for (auto& [key, value] : age) ++value;
    };
    step();
    x = {2, 0, 1, 0};  // body 10 is removed, the others are in another order
    ids = {30, 20};
    step();
    check(age.size() == 1 && *age.find(30, 20) == 2, "history by ids");
}

static void kinds() {
    const std::vector<double> x{0, 0, 1, 0, -1, 0};
    const std::vector<int> species{0, 1, 1};            // oxygen, hydrogen
    const std::vector<double> table{-1, 1.2, 1.2, -1};  // only oxygen and hydrogen pair
    const auto bonds = vicinal::points<2>(x).with_kinds(species, table);
    check(vicinal::find_pairs(bonds).size() == 2, "kinds");
}

static void filters() {
    const std::vector<double> x{0, 0, 1, 0, 2, 0, 3, 0};
    constexpr std::uint32_t solid = 1, fluid = 2;
    const std::vector<std::uint32_t> group{solid, solid, fluid, fluid};
    const std::vector<std::uint32_t> mask{fluid, fluid, solid | fluid, solid | fluid};
    const auto atoms = vicinal::points<2>(x, 1.0);
    const auto grouped = atoms.grouped(group, mask);  // solid and solid never pair

    const std::vector<vicinal::Pair> bonds{{0, 1}, {1, 2}};
    const auto unbonded = atoms.excluding(bonds);

    const std::vector<std::uint32_t> corners{0, 1, 1, 2, 2, 3, 8, 9};  // two vertices per edge
    const auto edges = atoms.with_vertices(corners, 2);  // neighbours in the mesh never pair

    check(vicinal::find_pairs(grouped).size() == 2, "groups");
    check(vicinal::find_pairs(unbonded).size() == 1, "exclusions");
    check(vicinal::find_pairs(edges).size() == 1, "vertices");
}

static void streaming() {
    const std::vector<double> xyz = cube(5);
    vicinal::Finder<double, 3> finder(periodic(5));
    const auto atoms = vicinal::points<3>(xyz, 1.0);

    struct alignas(64) Sum {  // one cache line per worker
        double value = 0;
    };
    std::vector<Sum> sums(static_cast<std::size_t>(finder.report().threads));
    finder.for_each_block(atoms, vicinal::Columns::ijd,
                          [&](const vicinal::ColumnBlock<double, 3>& block) {
                              Sum& sum = sums[static_cast<std::size_t>(block.worker)];
                              for (const double d : block.distances) sum.value += d;
                          });
    double total = 0;
    for (const Sum& sum : sums) total += sum.value;
    check(total == 375, "blocks");
}

static void two_sets() {
    const std::vector<double> walls{0, 0, 4, 0}, wall_radii{1, 1};
    const std::vector<double> grains{1.5, 0, 2, 0, 4, 1}, grain_radii{0.5, 0.5, 0.5};
    vicinal::Finder<double, 2> finder;
    finder.update(vicinal::spheres<2>(walls, wall_radii));  // once, if the walls are at rest

    // Pairs (grain, wall).
    const auto hits =
        finder.pairs_with(vicinal::spheres<2>(grains, grain_radii), vicinal::Columns::ijd);
    // The walls that each query overlaps: here, the box from (1, -1) to (5, 1).
    const std::vector<double> lower{1, -1}, upper{5, 1};
    const auto inside = finder.probe_rows(vicinal::boxes<2>(lower, upper));
    // The two walls nearest to each grain, with distances between centres, nearest first.
    const auto nearest = finder.nearest(vicinal::points<2>(grains), 2);

    check(hits.size() == 2 && hits.distances.size() == 2, "two sets");
    check(inside.size() == 1 && inside[0].size() == 2, "probes");
    check(nearest[0][0] == 0 && nearest.distances_of(0)[0] == 1.5, "nearest");
}

static void batch() {
    std::vector<double> xyz = cube(4);
    const std::vector<double> second = cube(5);
    xyz.insert(xyz.end(), second.begin(), second.end());

    // Bodies 0 ... 63 are the first system, 64 ... 188 the second.
    const std::vector<std::uint64_t> offsets{0, 64, 189};
    const std::vector<vicinal::Domain<3>> boxes{vicinal::Domain<3>::orthogonal({4, 4, 4}),
                                                vicinal::Domain<3>::orthogonal({5, 5, 5})};
    const auto rows = vicinal::find_batch(vicinal::points<3>(xyz, 1.0), offsets, boxes,
                                          vicinal::Columns::ijSdD);
    check(rows.size() == 189 && rows.indices.size() == 6 * 189, "a batch");
    check(std::ranges::all_of(rows[64], [](vicinal::Index j) { return j >= 64; }), "systems");
}

static void errors() {
    std::vector<double> xyz = cube(5);
    xyz[3 * 7 + 1] = std::numeric_limits<double>::quiet_NaN();
    vicinal::Finder<double, 3> finder;
    bool caught = false;
    try {
        finder.pairs(vicinal::points<3>(xyz, 1.0));
    } catch (const vicinal::Error& error) {
        std::printf("%s\n", error.what());  // one line: the fault and the remedy
        if (error.kind() == vicinal::Error::Kind::input && error.element())
            caught = *error.element() == 7;  // the index of the body
    }
    check(caught, "the error names the body");
    xyz[3 * 7 + 1] = 1;
    check(finder.pairs(vicinal::points<3>(xyz, 1.0)).size() == 300,
          "the finder after an error");
}

static void cancelling() {
    const std::vector<double> xyz = cube(60);
    std::atomic<bool> stop = true;  // set by another thread, a signal handler, a button
    vicinal::Options<3> options;
    options.cancelled = [&] { return stop.load(); };
    vicinal::Finder<double, 3> finder(options);
    const auto atoms = vicinal::points<3>(xyz, 5.0);
    bool cancelled = false;
    try {
        finder.pairs(atoms);
    } catch (const vicinal::Error& error) {
        cancelled = error.kind() == vicinal::Error::Kind::cancelled;
    }
    check(cancelled, "a call that is cancelled");
}

static void threads() {
    const std::vector<double> xyz = cube(5);
    auto options = periodic(5);
    options.threads = 2;
    vicinal::Finder<double, 3> finder(options);
    const auto& rows = finder.neighbours(vicinal::points<3>(xyz, 1.0), vicinal::Columns::ijD);

    // A loop of your own on the library's threads.
    std::vector<double> sum(rows.size());
    constexpr std::size_t bodies_per_task = 64;
    const std::size_t tasks = (rows.size() + bodies_per_task - 1) / bodies_per_task;
    vicinal::parallel_tasks(options.threads, tasks, [&](std::size_t task, int /*worker*/) {
        const std::size_t end = std::min((task + 1) * bodies_per_task, rows.size());
        for (std::size_t i = task * bodies_per_task; i < end; ++i)
            for (const auto& d : rows.vectors_of(i)) sum[i] += d[0] + d[1] + d[2];
    });
    check(sum == std::vector<double>(125, 0.0), "a loop on the library's threads");
}

static void method() {
    const std::vector<double> xyz = cube(5);
    auto options = periodic(5);
    options.method = "verlet(skin=0.3)";
    vicinal::Finder<double, 3> finder(options);
    check(finder.count(vicinal::points<3>(xyz, 1.0)) == 375, "a method by name");
    const auto& report = finder.report();
    std::printf("%s: %s\n", report.method.c_str(), report.why.c_str());
}

int main() {
    loop();
    columns();
    allocator();
    layouts();
    motion();
    history();
    kinds();
    filters();
    streaming();
    two_sets();
    batch();
    errors();
    cancelling();
    threads();
    method();
}
