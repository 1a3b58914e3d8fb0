// TORTURE, Sameness: the result depends only on the bodies and the domain.
#include "torture.hpp"

#include <thread>

namespace vicinal::test {
namespace {

template <class F>
class Sameness : public ::testing::Test {};
TYPED_TEST_SUITE(Sameness, Flavours, FlavourNames);

// A random scene of any size, shape, filter and domain.
template <Real T, int D>
struct AnyScene {
    OwnedBodies<T, D> bodies;
    Domain<D> domain = Domain<D>::open();

    AnyScene(std::uint64_t seed, std::size_t max_bodies) {
        scenes::Random random(seed);
        const auto n = static_cast<std::size_t>(random.below(max_bodies + 1));
        const double scale = random.below(8) == 0 ? 1e4 : 1;
        const auto& kind = shape_cases[random.below(std::size(shape_cases))];
        const double reach = scale * random.uniform(0, 0.3);
        bodies = shaped<T, D>(scattered<T, D>(n, -scale / 3, scale, seed),
                              static_cast<T>(reach), kind);
        for (T& r : bodies.radius) r *= static_cast<T>(random.uniform(0, 2));
        add_filter(bodies, static_cast<FilterCase>(random.below(filter_cases)), n, seed);
        if (random.below(2) == 0) return;
        const char* name = domain_names[random.below(std::size(domain_names) - 1)];
        domain = make_domain<D>(name, lengths<D>(scale), kind.swept);
    }
};

template <Real T, int D>
Found<D> answer_of_a_new_finder(const std::string& method, const Bodies<T, D>& bodies,
                                const Domain<D>& domain) {
    return listed(find_pairs(bodies, with_method<D>(method, 1, domain), Order::sorted));
}

TYPED_TEST(Sameness, thread_counts) {
    VICINAL_FLAVOUR;
    for (const Domain<D>& domain : {Domain<D>::open(), cube<D>(0.95)}) {
        if (!domain.is_open() && (run_light() || D == 3)) continue;
        for (const std::string& method : method_names()) {
            SCOPED_TRACE(method);
            // Enough bodies for parallel loops over them.
            const std::size_t n = method == "brute_force" ? 1500 : 9000;
            const auto positions = scattered<T, D>(n, 0, 1);
            const auto bodies = points<D>(positions, D == 2 ? 0.02 : 0.06);
            Finder<T, D> alone(with_method<D>(method, 1, domain));
            alone.update(bodies);
            const auto any = listed(alone.pairs());
            const auto candidates = alone.report().candidates;  // rows may have other numbers
            const auto rows = rows_of(alone.neighbours());
            const auto order = alone.order();
            EXPECT_EQ(difference<D>(answer_of_a_new_finder<T, D>("auto", bodies, domain),
                                    sorted<D>(any)),
                      "");
            for (int threads : {2, 3, 8}) {
                SCOPED_TRACE(threads);
                Finder<T, D> finder(with_method<D>(method, threads, domain));
                finder.update(bodies);
                EXPECT_TRUE(any == listed(finder.pairs())) << "another order";
                EXPECT_EQ(difference<D>(sorted<D>(any), listed(finder.pairs(Order::sorted))),
                          "");
                EXPECT_EQ(difference<D>(rows, rows_of(finder.neighbours())), "");
                EXPECT_EQ(finder.count(), any.size());
                EXPECT_EQ(finder.report().candidates, candidates);
                EXPECT_EQ(finder.report().threads, threads);
                EXPECT_EQ(finder.order(), order);
            }
        }
    }
}

TYPED_TEST(Sameness, many_bodies_against_the_double_loop) {
    VICINAL_FLAVOUR;
    const std::size_t n = run_light() ? 1500 : 5000;
    const auto positions = scattered<T, D>(n, 0, 1);
    expect_same(points<D>(positions, D == 2 ? 0.02 : 0.06));
}

TYPED_TEST(Sameness, permuted_input) {
    VICINAL_FLAVOUR;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(seed);
        AnyScene<T, D> scene(seed, 60);
        scene.bodies.excluded.clear();
        const std::size_t n = scene.bodies.size();
        std::vector<Index> from(n);
        for (std::size_t i = 0; i < n; ++i) from[i] = static_cast<Index>(i);
        scenes::Random random(seed);
        for (std::size_t i = n; i > 1; --i) std::swap(from[i - 1], from[random.below(i)]);
        OwnedBodies<T, D> other = scene.bodies;
        const auto move = [&](auto& to, const auto& array) {
            const std::size_t width = array.size() / std::max<std::size_t>(n, 1);
            for (std::size_t c = 0; c < array.size(); ++c)
                to[c] = array[from[c / width] * width + c % width];
        };
        move(other.position, scene.bodies.position);
        move(other.upper, scene.bodies.upper);
        move(other.radius, scene.bodies.radius);
        move(other.displacement, scene.bodies.displacement);
        move(other.group, scene.bodies.group);
        move(other.mask, scene.bodies.mask);
        move(other.species, scene.bodies.species);
        move(other.vertices, scene.bodies.vertices);
        for (const std::string& method : method_names()) {
            auto found = answer_of_a_new_finder<T, D>(method, other.view(), scene.domain);
            for (auto& pair : found) {
                pair.i = from[pair.i];
                pair.j = from[pair.j];
                if (!reference::is_canonical<D>(pair)) pair = reference::reversed<D>(pair);
            }
            EXPECT_EQ(difference<D>(answer_of_a_new_finder<T, D>(method, scene.bodies.view(),
                                                                 scene.domain),
                                    sorted<D>(found)),
                      "")
                << method;
        }
    }
}

TYPED_TEST(Sameness, another_scene_every_step) {
    VICINAL_FLAVOUR;
    for (const std::string& method : method_names()) {
        Finder<T, D> finder(with_method<D>(method, 2));
        for (std::uint64_t step = 0; step < 60; ++step) {
            SCOPED_TRACE(method + " step " + std::to_string(step));
            const AnyScene<T, D> scene(step, step % 10 == 0 ? 300 : 50);
            finder.update(scene.bodies.view(), scene.domain);
            expect_answers(finder, answer_of_a_new_finder<T, D>(method, scene.bodies.view(),
                                                                scene.domain));
        }
    }
}

TYPED_TEST(Sameness, a_thousand_scenes_later) {
    VICINAL_FLAVOUR;
    const AnyScene<T, D> last(4711, 200);
    const std::uint64_t steps = run_light() ? 200 : 1000;
    for (const std::string& method : method_names()) {
        SCOPED_TRACE(method);
        Finder<T, D> finder(with_method<D>(method));
        for (std::uint64_t step = 0; step < steps; ++step) {
            AnyScene<T, D> scene(step, 30);
            const std::uint64_t use = step % 7;
            const bool spoilt = use == 6 && scene.bodies.size() > 0;
            if (spoilt) scene.bodies.position[0] = std::numeric_limits<T>::quiet_NaN();
            try {
                finder.update(scene.bodies.view(), scene.domain);
                EXPECT_FALSE(spoilt);
            } catch (const Error&) {
                EXPECT_TRUE(spoilt);
                continue;
            }
            if (use == 0) finder.count();
            if (use == 1) finder.pairs();
            if (use == 2) finder.neighbours(RowKind::half);
            if (use == 3) finder.for_each_block([](const Block<D>&) {});
            if (use == 4) finder.probe(as_queries(scene.bodies.view()));
        }
        finder.update(last.bodies.view(), last.domain);
        expect_answers(finder, reference::plain_pairs(last.bodies.view(), last.domain));
        EXPECT_EQ(
            difference<D>(answer_of_a_new_finder<T, D>(method, last.bodies.view(), last.domain),
                          listed(finder.pairs(Order::sorted))),
            "");
    }
}

TYPED_TEST(Sameness, two_finders_in_two_threads) {
    VICINAL_FLAVOUR;
    for (const std::string& method : method_names()) {
        SCOPED_TRACE(method);
        std::array<int, 2> wrong{};
        const auto work = [&](std::size_t who) {
            Finder<T, D> finder(with_method<D>(method, 2));
            for (std::uint64_t step = 0; step < 20; ++step) {
                const AnyScene<T, D> scene(1000 * who + step, 120);
                finder.update(scene.bodies.view(), scene.domain);
                const auto expected = reference::plain_pairs(scene.bodies.view(), scene.domain);
                wrong[who] += expected != listed(finder.pairs(Order::sorted));
                wrong[who] += expected != streamed(finder);
                wrong[who] += both_ways<D>(expected) !=
                              rows_of(finder.neighbours(RowKind::full, Order::sorted));
            }
        };
        std::thread first(work, 0), second(work, 1);
        first.join();
        second.join();
        EXPECT_EQ(wrong[0] + wrong[1], 0);
    }
}

TYPED_TEST(Sameness, one_finder_queried_by_two_threads) {
    VICINAL_FLAVOUR;
    // Const functions may be called by several threads at once.
    const auto positions = scattered<T, D>(300, 0, 1), queries = scattered<T, D>(300, 0, 1, 2);
    const auto bodies = points<D>(positions, 0.1), others = points<D>(queries, 0.1);
    const auto expected = reference::plain_pairs(others, bodies, Domain<D>::open());
    for (const std::string& method : method_names()) {
        SCOPED_TRACE(method);
        Finder<T, D> finder(with_method<D>(method, 2));
        finder.update(bodies);
        const Finder<T, D>& standing = finder;
        std::array<int, 2> wrong{};
        const auto work = [&](std::size_t who) {
            for (int k = 0; k < 5; ++k)
                wrong[who] += expected != listed(standing.pairs_with(others, Order::sorted));
        };
        std::thread first(work, 0), second(work, 1);
        first.join();
        second.join();
        EXPECT_EQ(wrong[0] + wrong[1], 0);
    }
}

TYPED_TEST(Sameness, finders_that_move) {
    VICINAL_FLAVOUR;
    const AnyScene<T, D> scene(3, 100), other(8, 100);
    const auto expected = reference::plain_pairs(scene.bodies.view(), scene.domain);
    for (const std::string& method : method_names()) {
        SCOPED_TRACE(method);
        Finder<T, D> first(with_method<D>(method, 2));
        first.update(scene.bodies.view(), scene.domain);
        first.pairs();
        Finder<T, D> second(std::move(first));
        expect_answers(second, expected);
        first = Finder<T, D>(with_method<D>(method));  // a moved-from finder can be assigned
        first.update(other.bodies.view(), other.domain);
        expect_answers(first, reference::plain_pairs(other.bodies.view(), other.domain));
        first = std::move(second);
        expect_answers(first, expected);
        std::vector<Finder<T, D>> many;
        many.push_back(std::move(first));
        for (int k = 0; k < 5; ++k) many.emplace_back(with_method<D>(method));
        expect_answers(many.front(), expected);
    }
}

TYPED_TEST(Sameness, a_finder_moved_from_refuses_all_but_a_new_life) {
    VICINAL_FLAVOUR;
    const AnyScene<T, D> scene(3, 100);
    const auto bodies = scene.bodies.view();
    Finder<T, D> gone;
    const Finder<T, D> kept(std::move(gone));
    const Consumer<D> consumer = [](const Block<D>&) {};
    for (const std::function<void()>& call : std::vector<std::function<void()>>{
             [&] { gone.update(bodies); },
             [&] { gone.update(bodies, scene.domain); },
             [&] { gone.pairs(); },
             [&] { gone.take_pairs(); },
             [&] { gone.for_each_block(consumer); },
             [&] { gone.count(); },
             [&] { gone.neighbours(); },
             [&] { gone.pairs_with(bodies); },
             [&] { gone.pairs_with(bodies, consumer); },
             [&] { gone.probe(bodies); },
             [&] { gone.probe(bodies, consumer); },
             [&] { gone.order(); },
             [&] { gone.report(); },
         })
        expect_error(Error::Kind::input, {"moved from", "assign"}, call);
    Finder<T, D> also_gone(
        std::move(gone));  // moved-from: it can only be destroyed or assigned
    expect_error(Error::Kind::input, {"moved from"}, [&] { also_gone.count(); });
    gone = Finder<T, D>();
    gone.update(bodies, scene.domain);
    expect_answers(gone, reference::plain_pairs(bodies, scene.domain));
}

TYPED_TEST(Sameness, a_list_moved_from_is_empty) {
    VICINAL_FLAVOUR;
    const AnyScene<T, D> scene(3, 100);
    const Options<D> options{.domain = scene.domain};
    const auto expect_empty = [](const PairList<D>& list) {
        EXPECT_EQ(list.size(), 0u);
        EXPECT_TRUE(list.empty() && list.blocks().empty());
        EXPECT_TRUE(list.begin() == list.end());
    };
    PairList<D> first = find_pairs(scene.bodies.view(), options), third;
    const auto found = listed(first);
    ASSERT_FALSE(found.empty());
    PairList<D> second = std::move(first);
    expect_empty(first);
    third = std::move(second);
    expect_empty(second);
    EXPECT_TRUE(listed(third) == found);
    first = std::move(third);
    EXPECT_TRUE(listed(first) == found);
    second = std::move(third);  // moved-from
    expect_empty(second);
}

TYPED_TEST(Sameness, the_lists_of_one_call_outlive_the_finder) {
    VICINAL_FLAVOUR;
    const AnyScene<T, D> scene(3, 100);
    const auto expected = reference::plain_pairs(scene.bodies.view(), scene.domain);
    for (const std::string& method : method_names()) {
        auto list = find_pairs(scene.bodies.view(), with_method<D>(method, 1, scene.domain),
                               Order::sorted);
        PairList<D> moved = std::move(list);
        list = PairList<D>();
        EXPECT_EQ(difference<D>(expected, listed(moved)), "") << method;
        EXPECT_TRUE(list.empty());
        Finder<T, D> finder(with_method<D>(method, 1, scene.domain));
        finder.update(scene.bodies.view());
        const PairList<D> taken = finder.take_pairs(Order::sorted);
        expect_answers(finder, expected);
        finder.update(points<D>(std::span<const T>()));
        EXPECT_EQ(difference<D>(expected, listed(taken)), "") << method;
    }
}

// TORTURE, Time: cases without persistent state.
TYPED_TEST(Sameness, steps_in_which_nothing_or_everything_moves) {
    VICINAL_FLAVOUR;
    for (const ShapeCase& kind : shape_cases)
        for (const Domain<D>& domain : {Domain<D>::open(), cube<D>(1)}) {
            const auto here = shaped<T, D>(scattered<T, D>(50, 0, 1), T(0.2), kind);
            const auto there = shaped<T, D>(scattered<T, D>(50, 0.5, 1.5, 7), T(0.2), kind);
            const auto at_here = reference::plain_pairs(here.view(), domain);
            const auto at_there = reference::plain_pairs(there.view(), domain);
            for (const std::string& method : method_names()) {
                SCOPED_TRACE(std::string(kind.name) + " " + method);
                Finder<T, D> finder(with_method<D>(method, 1, domain));
                for (int step : {0, 0, 0, 1, 1, 0, 1, 0, 0}) {
                    finder.update(step == 0 ? here.view() : there.view());
                    expect_answers(finder, step == 0 ? at_here : at_there);
                }
            }
        }
}

}  // namespace
}  // namespace vicinal::test
