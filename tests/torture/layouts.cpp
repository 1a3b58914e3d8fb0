// All layouts of the caller's memory give the same result.
#include "torture.hpp"

namespace vicinal::test {
namespace {

template <class F>
class Layouts : public ::testing::Test {};
TYPED_TEST_SUITE(Layouts, Flavours, FlavourNames);

constexpr std::size_t bodies_per_layout = 100;  // more than one batch

// A caller's struct, with members that the library does not use.
template <Real T, int D>
struct Particle {
    char kind = 'a';
    std::array<T, D> lower{};
    double mass = std::nan("");
    std::array<T, D> upper{};
    T radius = 0;
    std::array<T, D> motion{};
    std::uint32_t group = 1, mask = 1;
    char name[5] = {};
};

template <Real T, int D>
std::vector<Particle<T, D>> particles() {
    scenes::Random random(2);
    std::vector<Particle<T, D>> all(bodies_per_layout);
    for (auto& p : all) {
        for (std::size_t a = 0; a < D; ++a) {
            p.lower[a] = static_cast<T>(random.uniform());
            p.upper[a] = p.lower[a] + static_cast<T>(random.uniform(0, 0.2));
            p.motion[a] = static_cast<T>(random.uniform(-0.2, 0.2));
        }
        p.radius = static_cast<T>(random.uniform(0, 0.2));
        p.group = 1u << random.below(3);
        p.mask = static_cast<std::uint32_t>(random.below(8));
    }
    return all;
}

// Prevents deduction: D of std::array is a std::size_t, ours is an int.
template <Real T, int D>
using Member = std::type_identity_t<std::array<T, D> Particle<T, D>::*>;

template <Real T, int D>
Vectors<T, D> member(const std::vector<Particle<T, D>>& all, Member<T, D> m) {
    Vectors<T, D> view;
    for (std::size_t a = 0; a < D; ++a)
        view.axis[a] = Column<T>(&(all[0].*m)[a], all.size(), sizeof(Particle<T, D>));
    return view;
}

template <Real T, int D>
std::vector<T> flat(const std::vector<Particle<T, D>>& all, Member<T, D> m) {
    std::vector<T> values;
    for (const auto& p : all) values.insert(values.end(), (p.*m).begin(), (p.*m).end());
    return values;
}

// All layouts give the same, correct result.
template <Real T, int D>
void expect_one_answer(const std::vector<Bodies<T, D>>& layouts) {
    const auto expected = reference::plain_pairs(layouts[0], cube<D>(0.9));
    EXPECT_FALSE(expected.empty());
    for (const auto& bodies : layouts) {
        EXPECT_TRUE(expected == reference::plain_pairs(bodies, cube<D>(0.9)));
        expect_same(bodies);
        expect_same(bodies, cube<D>(0.9));
    }
}

TYPED_TEST(Layouts, interleaved_structs_and_separate) {
    VICINAL_FLAVOUR;
    using P = Particle<T, D>;
    const auto all = particles<T, D>();
    const auto interleaved = flat(all, &P::lower);
    std::vector<std::array<T, D>> arrays;
    std::vector<std::array<T, D + 1>> padded;  // like float4 in 3-D
    std::array<std::vector<T>, D> columns;
    for (const P& p : all) {
        arrays.push_back(p.lower);
        padded.emplace_back();
        for (std::size_t a = 0; a < D; ++a) {
            padded.back()[a] = p.lower[a];
            columns[a].push_back(p.lower[a]);
        }
        padded.back()[D] = std::numeric_limits<T>::quiet_NaN();
    }
    Vectors<T, D> separated;
    if constexpr (D == 2)
        separated = separate(columns[0], columns[1]);
    else
        separated = separate(columns[0], columns[1], columns[2]);
    expect_one_answer<T, D>({points<D>(interleaved, 0.15), points<D>(arrays, 0.15),
                             points<D>(padded, 0.15), points<D>(separated, 0.15),
                             points<D>(member(all, &P::lower), 0.15)});
}

TYPED_TEST(Layouts, every_array_inside_a_struct) {
    VICINAL_FLAVOUR;
    using P = Particle<T, D>;
    const auto all = particles<T, D>();
    constexpr auto stride = static_cast<std::ptrdiff_t>(sizeof(P));
    const auto lower = flat(all, &P::lower), upper = flat(all, &P::upper),
               motion = flat(all, &P::motion);
    std::vector<T> radii;
    std::vector<std::uint32_t> groups, masks;
    for (const P& p : all) {
        radii.push_back(p.radius);
        groups.push_back(p.group);
        masks.push_back(p.mask);
    }
    const Column<T> radius(&all[0].radius, all.size(), stride);
    const Column<std::uint32_t> group(&all[0].group, all.size(), stride),
        mask(&all[0].mask, all.size(), stride);
    expect_one_answer<T, D>({boxes<D>(lower, upper).moving(motion).grouped(groups, masks),
                             boxes<D>(member(all, &P::lower), member(all, &P::upper))
                                 .moving(member(all, &P::motion))
                                 .grouped(group, mask)});
    expect_one_answer<T, D>(
        {spheres<D>(lower, radii), spheres<D>(member(all, &P::lower), radius)});
}

TYPED_TEST(Layouts, backwards) {
    VICINAL_FLAVOUR;
    // A reversed numpy array: the first element is the last in memory.
    const auto positions = scattered<T, D>(bodies_per_layout, 0, 1);
    std::vector<T> reversed;
    Vectors<T, D> view;
    for (std::size_t i = bodies_per_layout; i-- > 0;)
        reversed.insert(reversed.end(), &positions[i * D], &positions[i * D] + D);
    for (std::size_t a = 0; a < D; ++a)
        view.axis[a] = Column<T>(&reversed[(bodies_per_layout - 1) * D + a], bodies_per_layout,
                                 -static_cast<std::ptrdiff_t>(D * sizeof(T)));
    expect_one_answer<T, D>({points<D>(positions, 0.15), points<D>(view, 0.15)});
}

TYPED_TEST(Layouts, one_value_for_all) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(bodies_per_layout, 0, 1);
    const T radius = T(0.07);
    const std::vector<T> radii(bodies_per_layout, radius);
    expect_one_answer<T, D>({spheres<D>(positions, radii),
                             spheres<D>(positions, Column<T>(&radius, bodies_per_layout, 0))});
}

TYPED_TEST(Layouts, empty) {
    VICINAL_FLAVOUR;
    const std::vector<T> none;
    const std::vector<std::array<T, D>> no_arrays;
    const std::vector<std::uint32_t> no_groups;
    expect_same(points<D>(none, 1));
    expect_same(points<D>(no_arrays, 1), cube<D>(1));
    expect_same(spheres<D>(none, none));
    expect_same(boxes<D>(none, none).moving(none).grouped(no_groups, no_groups));
    expect_same(Bodies<T, D>{});
}

}  // namespace
}  // namespace vicinal::test
