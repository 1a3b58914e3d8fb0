// TORTURE, Sameness over time: after many steps, a finder gives the same results as a new one.
#include "torture.hpp"

namespace vicinal::test {
namespace {

template <class F>
class Steps : public ::testing::Test {};
TYPED_TEST_SUITE(Steps, Flavours, FlavourNames);

// Few, many or all bodies move between two steps, a little or to random positions.
template <Real T>
void move_some(std::vector<T>& positions, std::size_t step) {
    scenes::Random random(step);
    const double share = std::array{0.0, 0.02, 0.2, 1.0}[step % 4];
    for (T& x : positions) {
        const double u = random.uniform(), by = random.uniform(-1, 1);
        if (u >= share) continue;
        x = step % 3 == 0 ? static_cast<T>(by) : x + static_cast<T>(0.02 * by);
    }
}

TYPED_TEST(Steps, bodies_that_move) {
    VICINAL_FLAVOUR;
    auto positions = scattered<T, D>(150, -1, 1);
    std::vector<T> radii(150, T(0.05));
    for (std::size_t i = 0; i < 150; i += 7) radii[i] *= 3;  // several cells
    std::vector<std::pair<std::string, Finder<T, D>>> finders;
    for (const std::string& method : method_extremes(next_turn()))
        finders.emplace_back(method, Finder<T, D>(with_method<D>(method)));
    for (std::size_t step = 0; step < 12; ++step) {
        SCOPED_TRACE(step);
        const auto equal = points<D>(positions, 0.1);
        const auto various = spheres<D>(positions, radii);
        for (const auto& bodies : {equal, step < 6 ? equal : various}) {
            const Found<D> expected = reference::plain_pairs(bodies, Domain<D>::open());
            for (auto& [method, finder] : finders) {
                SCOPED_TRACE(method);
                finder.update(bodies);
                EXPECT_EQ(difference<D>(expected, listed(finder.pairs(Order::sorted))), "");
            }
        }
        move_some(positions, step);
    }
}

// The positions of thousands of bodies depend on the step alone: the capacity of the last step
// is too small for the next, or far too large. A new finder with another method gives the
// reference.
TYPED_TEST(Steps, thousands_that_come_together_and_part) {
    VICINAL_FLAVOUR;
    const std::size_t n = 9000;  // enough for two threads to share
    const auto everywhere = scattered<T, D>(n, -1, 1);
    std::vector<T> radii(n, T(0.01));
    std::vector<Finder<T, D>> finders;
    for (const int threads : {1, 2}) finders.emplace_back(with_method<D>("row_grid", threads));
    for (const std::size_t step : {0u, 0u, 1u, 2u, 2u, 0u, 3u, 1u}) {
        SCOPED_TRACE(step);
        std::vector<T> positions(
            everywhere.begin(),
            everywhere.begin() + static_cast<std::ptrdiff_t>(D * (n - 100 * step)));
        // All bodies in the lower quarter; most of them in one corner.
        for (std::size_t k = 0; k < positions.size(); ++k) {
            if (step == 1 && k % D == D - 1) positions[k] = (positions[k] - 3) / 4;
            if (step == 2 && k / D % 8 != 0) positions[k] = (positions[k] + 9) / 10;
        }
        radii.resize(positions.size() / D, T(0.01));
        for (const auto& bodies :
             {points<D>(positions, T(D == 2 ? 0.01 : 0.05)), spheres<D>(positions, radii)}) {
            Finder<T, D> other(with_method<D>("compact_grid", 1));
            other.update(bodies);
            const Found<D> expected = listed(other.pairs(Order::sorted));
            EXPECT_FALSE(expected.empty());
            for (Finder<T, D>& finder : finders) {
                finder.update(bodies);
                EXPECT_EQ(difference<D>(expected, listed(finder.pairs(Order::sorted))), "");
            }
        }
    }
}

}  // namespace
}  // namespace vicinal::test
