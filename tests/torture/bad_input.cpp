// TORTURE, Bad input (the library's part): every fault is an error that names it, and after an
// error a finder works like a new one at its next update.
#include "torture.hpp"

namespace vicinal::test {
namespace {

template <class F>
class BadInput : public ::testing::Test {};
TYPED_TEST_SUITE(BadInput, Flavours, FlavourNames);

constexpr auto input = Error::Kind::input;
constexpr auto option = Error::Kind::option;

// After the error: queries fail until the next update, then the results are correct.
template <Real T, int D>
void expect_recovery(Finder<T, D>& finder) {
    expect_error(input, {"update"}, [&] { finder.count(); });
    const auto positions = scattered<T, D>(20, 0, 1);
    const auto bodies = points<D>(positions, 0.4);
    finder.update(bodies, Domain<D>::open());
    expect_answers(finder, reference::plain_pairs(bodies, Domain<D>::open()));
}

// Every method rejects the bodies in the same way, as input, as a second set and as queries.
template <Real T, int D>
void expect_refused(const Bodies<T, D>& bodies, const std::vector<std::string>& words,
                    std::optional<std::uint64_t> element = {}) {
    const std::vector<T> place(D, T{0}), radius(1, T{1});
    for (const std::string& method : method_names()) {
        SCOPED_TRACE(method);
        Finder<T, D> finder(with_method<D>(method, 2));
        expect_error(input, words, [&] { finder.update(bodies); }, element);
        expect_recovery(finder);
        finder.update(spheres<D>(place, radius));
        expect_error(input, words, [&] { finder.probe(bodies); }, element);
        EXPECT_EQ(finder.count(), 0u);
    }
}

template <Real T>
std::vector<std::pair<T, std::string>> not_finite() {
    constexpr T inf = std::numeric_limits<T>::infinity();
    return {{std::numeric_limits<T>::quiet_NaN(), "nan"}, {inf, "inf"}, {-inf, "-inf"}};
}

// Makes each axis of some elements of one array invalid, in turn.
template <Real T, int D>
void expect_array_checked(OwnedBodies<T, D> bodies, std::vector<T> OwnedBodies<T, D>::* array,
                          const std::string& name) {
    for (std::size_t body : {std::size_t{0}, std::size_t{17}, bodies.size() - 1})
        for (std::size_t axis = 0; axis < D; ++axis)
            for (const auto& [value, text] : not_finite<T>()) {
                SCOPED_TRACE(name + " " + std::to_string(body) + " " + "xyz"[axis] + " " +
                             text);
                T& spoilt = (bodies.*array)[body * D + axis];
                const T before = std::exchange(spoilt, value);
                expect_refused(bodies.view(),
                               {name + " " + "xyz"[axis], "body " + std::to_string(body), text},
                               body);
                spoilt = before;
            }
}

TYPED_TEST(BadInput, a_consumer_that_cannot_be_called) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(20, 0, 1);
    const auto bodies = points<D>(positions, 0.4);
    const Consumer<D> nothing;
    Finder<T, D> finder;
    finder.update(bodies);
    const std::vector<std::string> words{"consumer", "empty function"};
    expect_error(option, words, [&] { finder.for_each_block(nothing); });
    expect_error(option, words, [&] { finder.pairs_with(bodies, nothing); });
    expect_error(option, words, [&] { finder.probe(bodies, nothing); });
    expect_answers(finder, reference::plain_pairs(bodies, Domain<D>::open()));
}

TYPED_TEST(BadInput, not_a_finite_number) {
    VICINAL_FLAVOUR;
    using Owned = OwnedBodies<T, D>;
    const auto positions = scattered<T, D>(33, 0, 1);
    expect_array_checked(shaped<T, D>(positions, T(0.1), shape_cases[0]), &Owned::position,
                         "coordinate");
    expect_array_checked(shaped<T, D>(positions, T(0.1), shape_cases[1]), &Owned::position,
                         "coordinate");
    const ShapeCase moving_boxes = shape_cases[9];
    const auto boxes = shaped<T, D>(positions, T(0.1), moving_boxes);
    expect_array_checked(boxes, &Owned::position, "lower corner");
    expect_array_checked(boxes, &Owned::upper, "upper corner");
    expect_array_checked(boxes, &Owned::displacement, "displacement");
}

TYPED_TEST(BadInput, radius) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(33, 0, 1);
    auto faults = not_finite<T>();
    faults.emplace_back(T{-0.5}, "-0.5");
    faults.emplace_back(-std::numeric_limits<T>::denorm_min(), "-");
    for (std::size_t body : {0u, 17u, 32u})
        for (const auto& [value, text] : faults) {
            std::vector<T> radii(33, T(0.1));
            radii[body] = value;
            expect_refused(spheres<D>(positions, radii),
                           {"radius", "body " + std::to_string(body), text}, body);
        }
}

TYPED_TEST(BadInput, cut_off) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(5, 0, 1);
    auto faults = not_finite<T>();
    faults.emplace_back(T{-0.5}, "-0.5");
    for (const auto& [value, text] : faults)
        expect_refused(points<D>(positions, static_cast<double>(value)), {"cut-off", text});
}

TYPED_TEST(BadInput, reach_whose_square_overflows) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(5, 0, 1);
    const T large = std::sqrt(std::numeric_limits<T>::max()) * T(1.01);
    expect_refused(points<D>(positions, static_cast<double>(large)), {"cut-off", "overflow"});
    std::vector<T> radii(5, T{1});
    radii[3] = radii[4] = large / 2;
    expect_refused(spheres<D>(positions, radii), {"radius", "body 3", "overflow"}, 3);
}

TYPED_TEST(BadInput, lower_above_upper) {
    VICINAL_FLAVOUR;
    for (std::size_t axis = 0; axis < D; ++axis) {
        std::vector<T> lower(20 * D, T{0}), upper(20 * D, T{1});
        lower[13 * D + axis] = T{1.5};
        lower[15 * D + axis] = T{7};
        const std::string letter(1, "xyz"[axis]);
        expect_refused(boxes<D>(lower, upper),
                       {"body 13", "lower " + letter, "1.5", "upper", "1"}, 13);
    }
}

TYPED_TEST(BadInput, the_first_of_many_faults_whatever_the_threads) {
    VICINAL_FLAVOUR;
    const std::size_t n = 20000;
    auto positions = scattered<T, D>(n, 0, 1);
    for (std::size_t body : {9000u, 12345u, 19999u})
        positions[body * D + 1] = std::numeric_limits<T>::quiet_NaN();
    for (int threads : {1, 2, 3, 8}) {
        Finder<T, D> finder(with_method<D>("auto", threads));
        expect_error(
            input, {"coordinate y", "body 9000", "nan"},
            [&] { finder.update(points<D>(positions, 0.001)); }, 9000);
    }
}

TYPED_TEST(BadInput, lengths_that_differ) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(9, 0, 1), fewer = scattered<T, D>(8, 0, 1);
    const std::vector<T> radii(8, T{1});
    const std::vector<std::uint32_t> groups(10, 1);
    expect_refused(spheres<D>(positions, radii), {"radius", "8", "9"});
    expect_refused(spheres<D>(positions, std::span<const T>()), {"radius", "0", "9"});
    expect_refused(boxes<D>(positions, fewer), {"upper corner x", "8", "9"});
    expect_refused(points<D>(positions, 1).moving(fewer), {"displacement x", "8", "9"});
    expect_refused(points<D>(positions, 1).grouped(groups), {"group", "10", "9"});
    expect_refused(points<D>(positions, 1).grouped({}, groups), {"mask", "10", "9"});
    const std::vector<std::uint32_t> numbers(27, 1);
    const auto refuse_vertices = [&](std::size_t count, std::size_t each,
                                     const std::vector<std::string>& words) {
        expect_refused(
            points<D>(positions, 1).with_vertices(std::span(numbers).first(count), each),
            words);
    };
    refuse_vertices(26, 3, {"vertices", "26", "9", "give 3 per body"});
    refuse_vertices(27, 2, {"vertices", "27", "9", "give 2 per body"});
    refuse_vertices(0, 3, {"vertices", "0", "9", "give 3 per body"});
    refuse_vertices(27, 0, {"vertices", "0 per body", "1 to 8"});
    refuse_vertices(27, 9, {"vertices", "9 per body", "1 to 8"});
    auto ragged = points<D>(positions, 1);
    ragged.position.axis[D - 1].count = 5;
    expect_refused(ragged, {std::string("coordinate ") + "xyz"[D - 1], "5", "9"});
    const std::vector<T> odd(9 * D - 1, T{0});
    expect_error(input, {std::to_string(9 * D - 1), "whole vectors"},
                 [&] { points<D>(odd, 1); });
}

TYPED_TEST(BadInput, null_pointers) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(9, 0, 1);
    for (std::size_t axis = 0; axis < D; ++axis) {
        const std::string letter(1, "xyz"[axis]);
        const auto without = [&](Bodies<T, D> bodies, Vectors<T, D> Bodies<T, D>::* array) {
            (bodies.*array).axis[axis].data = nullptr;
            return bodies;
        };
        const auto hulls = boxes<D>(positions, positions).moving(positions);
        expect_refused(without(points<D>(positions, 1), &Bodies<T, D>::position),
                       {"coordinate " + letter, "null", "9"});
        expect_refused(without(hulls, &Bodies<T, D>::position),
                       {"lower corner " + letter, "null"});
        expect_refused(without(hulls, &Bodies<T, D>::upper),
                       {"upper corner " + letter, "null"});
        expect_refused(without(hulls, &Bodies<T, D>::displacement),
                       {"displacement " + letter, "null"});
    }
    const Column<T> none(nullptr, 9);
    expect_refused(spheres<D>(positions, none), {"radius", "null"});
    expect_refused(points<D>(positions, 1).grouped({nullptr, 9}), {"group", "null"});
    expect_refused(points<D>(positions, 1).grouped({}, {nullptr, 9}), {"mask", "null"});
}

TYPED_TEST(BadInput, more_bodies_than_indices) {
    VICINAL_FLAVOUR;
    const std::array<T, D> place{};
    Vectors<T, D> many;
    for (std::size_t a = 0; a < D; ++a)
        many.axis[a] = Column<T>(&place[a], std::size_t{1} << 32, 0);
    for (const std::string& method : method_names()) {
        Finder<T, D> finder(with_method<D>(method));
        expect_error(Error::Kind::limit, {"4294967296"},
                     [&] { finder.update(points<D>(many)); });
        expect_recovery(finder);
    }
}

TYPED_TEST(BadInput, exclusions_out_of_range) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(9, 0, 1);
    for (const Pair bad : {Pair{0, 9}, Pair{9, 0}, Pair{4294967295u, 1}}) {
        const std::vector<Pair> excluded{{1, 2}, bad};
        const auto bodies = points<D>(positions, 1), spoilt = bodies.excluding(excluded);
        const std::vector<std::string> words{"excluded pair 1", std::to_string(bad.i),
                                             std::to_string(bad.j), "9"};
        for (const std::string& method : method_names()) {
            SCOPED_TRACE(method);
            Finder<T, D> finder(with_method<D>(method));
            expect_error(input, words, [&] { finder.update(spoilt); });
            expect_recovery(finder);
            finder.update(bodies);
            expect_error(input, words, [&] { finder.pairs_with(spoilt); });
            expect_error(input, words, [&] { finder.probe(spoilt); });
        }
    }
}

TYPED_TEST(BadInput, periods) {
    VICINAL_FLAVOUR;
    for (std::size_t axis = 0; axis < D; ++axis)
        for (double length : {0.0, -0.0, -1.5, std::nan(""), HUGE_VAL, -HUGE_VAL}) {
            auto sides = lengths<D>(1);
            sides[axis] = length;
            const std::vector<std::string> words{std::string("along ") + "xyz"[axis],
                                                 length == -1.5 ? "-1.5" : "period"};
            expect_error(input, words, [&] { Domain<D>::orthogonal(sides); });
            expect_error(input, words, [&] { Domain<D>::sheared(sides, 0.1); });
        }
    for (double bad : {std::nan(""), HUGE_VAL}) {
        expect_error(input, {"shear offset"}, [&] { Domain<D>::sheared(lengths<D>(1), bad); });
        expect_error(input, {"change"}, [&] { Domain<D>::sheared(lengths<D>(1), 0, bad); });
    }
    std::array<bool, D> only_x{};
    only_x[0] = true;
    expect_error(input, {"periodic along x and y"},
                 [&] { Domain<D>::sheared(lengths<D>(1), 0, 0, only_x); });
}

TYPED_TEST(BadInput, lattices) {
    VICINAL_FLAVOUR;
    using Lattice = typename Domain<D>::Lattice;
    const auto positions = scattered<T, D>(9, 0, 1);
    const auto refused = [&](const Lattice& h, const std::vector<std::string>& words) {
        for (const std::string& method : method_names()) {
            Finder<T, D> finder(with_method<D>(method));
            expect_error(input, words, [&] {
                finder.update(points<D>(positions, 0.1), Domain<D>::triclinic(h));
            });
            expect_recovery(finder);
        }
    };
    Lattice good{};
    for (std::size_t a = 0; a < D; ++a) good[a][a] = 2;
    Lattice flat = good, broken = good;
    flat[1] = flat[0];
    refused(flat, {"domain", "volume", "0", "independent"});
    refused(Lattice{}, {"domain", "volume", "0"});
    for (double bad : {std::nan(""), HUGE_VAL, 1e300}) {
        if (bad == 1e300 && sizeof(T) == 8) continue;
        broken[1][0] = bad;
        refused(broken, {"domain", "component x", "lattice vector 1"});
    }
}

TYPED_TEST(BadInput, more_periods_than_images_count) {
    VICINAL_FLAVOUR;
    const auto refused = [](std::vector<T> along_x, std::vector<std::uint64_t> any_of,
                            const std::string& axis) {
        std::vector<T> positions(along_x.size() * D, T{0.5});
        for (std::size_t i = 0; i < along_x.size(); ++i) positions[i * D] = along_x[i];
        for (const std::string& method : method_names()) {
            SCOPED_TRACE(method);
            Finder<T, D> finder(with_method<D>(method));
            try {
                finder.update(points<D>(positions, 0.25), cube<D>(1));
                ADD_FAILURE() << "no error";
            } catch (const Error& error) {
                const std::string message = error.what();
                EXPECT_EQ(error.kind(), input);
                ASSERT_TRUE(error.element().has_value()) << message;
                EXPECT_EQ(std::count(any_of.begin(), any_of.end(), *error.element()), 1)
                    << message;
                const auto body = "body " + std::to_string(*error.element());
                for (const std::string& word : {body, axis, std::string("32767")})
                    EXPECT_NE(message.find(word), std::string::npos) << message;
            }
            expect_recovery(finder);
        }
    };
    refused({T{0.5}, T{40000.5}, T{0.25}}, {1}, "axis x");
    refused({T{0.5}, T{0.25}, T{-40000.5}}, {2}, "axis x");
    refused({T{0.5}, T(1e30)}, {1}, "axis x");
    refused({T{0.5}, T{20000.5}, T{-20000.5}}, {1, 2}, "axis x");
}

TYPED_TEST(BadInput, second_set_out_of_image_range) {
    VICINAL_FLAVOUR;
    const std::vector<T> near(D, T{0.5}), far(D, T{40000.5});
    for (const std::string& method : method_names()) {
        Finder<T, D> finder(with_method<D>(method, 1, cube<D>(1)));
        finder.update(points<D>(near, 0.25));
        expect_error(
            input, {"body 0", "periods"}, [&] { finder.pairs_with(points<D>(far, 0.25)); }, 0);
        expect_error(input, {"body 0", "periods"}, [&] { finder.probe(points<D>(far)); }, 0);
    }
}

TYPED_TEST(BadInput, second_set_of_another_kind) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(9, 0, 1);
    const std::vector<T> radii(9, T{1});
    Finder<T, D> finder;
    finder.update(points<D>(positions, 0.5));
    expect_error(input, {"spheres", "points"},
                 [&] { finder.pairs_with(spheres<D>(positions, radii)); });
    expect_error(input, {"cut-off", "0.25", "0.5"},
                 [&] { finder.pairs_with(points<D>(positions, 0.25)); });
    finder.update(spheres<D>(positions, radii));
    expect_error(input, {"rule"},
                 [&] { finder.pairs_with(spheres<D>(positions, radii, ReachRule::max)); });
}

TYPED_TEST(BadInput, use_before_update) {
    VICINAL_FLAVOUR;
    const std::vector<T> place(D, T{0});
    const auto body = points<D>(place, 1);
    for (const std::string& method : method_names()) {
        SCOPED_TRACE(method);
        Finder<T, D> finder(with_method<D>(method));
        expect_error(input, {"update"}, [&] { finder.pairs(); });
        expect_error(input, {"update"}, [&] { finder.count(); });
        expect_error(input, {"update"}, [&] { finder.neighbours(); });
        expect_error(input, {"update"}, [&] { finder.for_each_block([](const Block<D>&) {}); });
        expect_error(input, {"update"}, [&] { finder.pairs_with(body); });
        expect_error(input, {"update"}, [&] { finder.probe(body); });
        expect_error(input, {"update"}, [&] { finder.probe(body, [](const Block<D>&) {}); });
        expect_error(input, {"update"}, [&] { finder.order(); });
        EXPECT_EQ(finder.report().bodies, 0u);
        expect_recovery(finder);
    }
}

TYPED_TEST(BadInput, a_consumer_that_throws) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(300, 0, 1);
    const auto bodies = points<D>(positions, 0.25);
    const auto expected = reference::plain_pairs(bodies, Domain<D>::open());
    for (const std::string& method : method_names())
        for (int threads : {1, 3}) {
            SCOPED_TRACE(method);
            Finder<T, D> finder(with_method<D>(method, threads));
            finder.update(bodies);
            const auto fail = [](const Block<D>&) { throw std::range_error("enough"); };
            EXPECT_THROW(finder.for_each_block(fail), std::range_error);
            EXPECT_THROW(finder.probe(bodies, fail), std::range_error);
            // Not taken for missing memory of the library.
            const auto starve = [](const Block<D>&) { throw std::bad_alloc(); };
            EXPECT_THROW(finder.for_each_block(starve), std::bad_alloc);
            expect_answers(finder, expected);
        }
}

TYPED_TEST(BadInput, a_box_needing_more_copies_than_memory) {
    VICINAL_FLAVOUR;
    const std::vector<T> place(D, T{0});
    auto options = with_method<D>("auto", 1, cube<D>(1));
    options.max_bytes = 1 << 20;
    Finder<T, D> finder(options);
    expect_error(Error::Kind::limit, {"bytes"}, [&] { finder.update(points<D>(place, 3000)); });
    expect_recovery(finder);
}

TEST(BadOptions, threads) {
    for (int threads : {-1, -1000, 5000}) {
        Options<3> options;
        options.threads = threads;
        expect_error(option, {"threads", std::to_string(threads)},
                     [&] { Finder<float, 3> finder(options); });
    }
}

TEST(BadOptions, methods) {
    const auto refused = [](const std::string& method, const std::vector<std::string>& words) {
        SCOPED_TRACE(method);
        expect_error(option, words, [&] { Finder<double, 2> finder(with_method<2>(method)); });
        const std::vector<double> none;
        expect_error(option, words,
                     [&] { find_pairs(points<2>(none), with_method<2>(method)); });
    };
    refused("gird", {"unknown method 'gird'", "did you mean"});
    refused("", {"unknown method ''"});
    refused("()", {"unknown method ''"});
    refused("Brute_Force", {"'Brute_Force'", "did you mean 'brute_force'"});
    refused("quantum", {"unknown method 'quantum'"});
    for (const MethodInfo& method : methods()) {
        refused(method.name + "(wrong=1)", {method.name, "'wrong'"});
        refused(method.name + "(wrong)", {method.name, "'wrong'"});
        refused(method.name + "(=1)", {method.name, "''"});
        refused(method.name + "(", {method.name, "parenthesis"});
        refused(method.name + ")", {method.name});
        refused(method.name + "(,)", {method.name});
        for (const OptionInfo& known : method.options) {
            const auto with = [&](const std::string& value) {
                refused(method.name + "(" + known.name + "=" + value + ")",
                        {method.name, known.name});
            };
            with("");
            with("wrong");
            with("1 2");
            if (!known.choices.empty()) continue;
            with("nan");
            with("inf");
            with("1e400");
            with(std::to_string(known.maximum * 2 + 1));
            with(std::to_string(known.minimum - 1));
        }
    }
}

}  // namespace
}  // namespace vicinal::test
