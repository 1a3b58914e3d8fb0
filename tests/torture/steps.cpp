// TORTURE, Sameness over time: a finder that lives through many steps answers like a new one,
// whatever it kept from the last.
#include "torture.hpp"

namespace vicinal::test {
namespace {

template <class F>
class Steps : public ::testing::Test {};
TYPED_TEST_SUITE(Steps, Flavours, FlavourNames);

// Few, many or all bodies move between two steps, a little or to anywhere.
template <Real T>
void move_some(std::vector<T>& places, std::size_t step) {
    scenes::Random random(step);
    const double share = std::array{0.0, 0.02, 0.2, 1.0}[step % 4];
    for (T& x : places) {
        const double u = random.uniform(), by = random.uniform(-1, 1);
        if (u >= share) continue;
        x = step % 3 == 0 ? static_cast<T>(by) : x + static_cast<T>(0.02 * by);
    }
}

TYPED_TEST(Steps, bodies_that_move) {
    VICINAL_FLAVOUR;
    auto places = scattered<T, D>(150, -1, 1);
    std::vector<T> radii(150, T(0.05));
    for (std::size_t i = 0; i < 150; i += 7) radii[i] *= 3;  // several cells
    std::vector<std::pair<std::string, Finder<T, D>>> finders;
    for (const std::string& method : method_extremes())
        finders.emplace_back(method, Finder<T, D>(with_method<D>(method)));
    for (std::size_t step = 0; step < 12; ++step) {
        SCOPED_TRACE(step);
        const auto equal = points<D>(places, 0.1);
        const auto various = spheres<D>(places, radii);
        for (const auto& bodies : {equal, step < 6 ? equal : various}) {
            const Found<D> expected = tool::plain_pairs(bodies, {});
            for (auto& [method, finder] : finders) {
                SCOPED_TRACE(method);
                finder.update(bodies);
                EXPECT_EQ(difference<D>(expected, listed(finder.pairs(Order::sorted))), "");
            }
        }
        move_some(places, step);
    }
}

}  // namespace
}  // namespace vicinal::test
