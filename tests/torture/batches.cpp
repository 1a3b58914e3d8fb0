// Many small systems in one call: each has the pairs that the double loop finds in it.
#include "support/columns.hpp"
#include "torture.hpp"

namespace vicinal::test {
namespace {

template <class F>
class Batches : public ::testing::Test {};
TYPED_TEST_SUITE(Batches, Flavours, FlavourNames);

// Systems of these sizes, one after the other, in boxes of about 1.
constexpr std::size_t sizes[] = {0, 1, 2, 33, 0, 14, 1, 25, 0};

// All bodies, and the same bodies system by system.
template <Real T, int D>
struct Systems {
    OwnedBodies<T, D> all;
    std::vector<OwnedBodies<T, D>> each;
    std::vector<std::uint64_t> offsets{0};

    Systems(T reach, const ShapeCase& kind, bool kinds) {
        std::vector<T> x;
        for (const std::size_t given : sizes) {
            const std::size_t n = reach < 1 ? given : std::min<std::size_t>(given, 8);
            auto part = scattered<T, D>(n, -0.2, 1.2, offsets.size());
            if (given == 14) part = std::vector<T>(n * D, T(0.5));  // all at one place
            x.insert(x.end(), part.begin(), part.end());
            offsets.push_back(offsets.back() + n);
        }
        all = shaped<T, D>(x, reach, kind);
        if (kinds) add_kinds(all, 3);
        for (std::size_t s = 0; s + 1 < offsets.size(); ++s) each.push_back(part_of(s));
    }
    OwnedBodies<T, D> part_of(std::size_t s) const {
        const auto cut = [&](auto& values, std::size_t per_body) {
            if (values.empty()) return;
            using V = std::remove_cvref_t<decltype(values)>;
            const auto begin = values.begin();
            values = V(begin + static_cast<std::ptrdiff_t>(offsets[s] * per_body),
                       begin + static_cast<std::ptrdiff_t>(offsets[s + 1] * per_body));
        };
        OwnedBodies<T, D> part = all;
        cut(part.position, D);
        cut(part.upper, D);
        cut(part.displacement, D);
        cut(part.radius, 1);
        cut(part.species, 1);
        return part;
    }
};

template <Real T, int D>
void expect_batches(const Systems<T, D>& systems, std::span<const Domain<D>> domains,
                    const std::vector<std::string>& methods) {
    const auto domain_of = [&](std::size_t s) -> const Domain<D>& {
        return domains[domains.size() == 1 ? 0 : s];
    };
    std::vector<Found<D>> expected;
    for (std::size_t s = 0; s < systems.each.size(); ++s)
        expected.push_back(
            both_ways<D>(reference::plain_pairs(systems.each[s].view(), domain_of(s))));
    const bool boxes = systems.all.kind.shape == Shape::boxes;
    int threads = 0;
    for (const std::string& method : methods) {
        SCOPED_TRACE(method);
        threads = threads % 3 + 1;
        const auto rows =
            find_batch(systems.all.view(), systems.offsets, domains,
                       boxes ? Columns::ijS : Columns::ijSdD, with_method<D>(method, threads));
        ASSERT_EQ(rows.size(), systems.all.size());
        const Flat<T, D> found = flat(rows);
        for (std::size_t s = 0; s < systems.each.size(); ++s) {
            // The entries of the system, numbered within it.
            Flat<T, D> own;
            const auto first = static_cast<Index>(systems.offsets[s]);
            for (std::size_t e = rows.offsets[systems.offsets[s]];
                 e < rows.offsets[systems.offsets[s + 1]]; ++e) {
                auto pair = found.pairs[e];
                pair.i -= first;
                pair.j -= first;
                own.pairs.push_back(pair);
                if (boxes) continue;
                own.vectors.push_back(found.vectors[e]);
                own.distances.push_back(found.distances[e]);
            }
            const auto part = systems.each[s].view();
            compare_columns("system " + std::to_string(s),
                            Measure<T, D>{part, part, domain_of(s)}, expected[s], own);
            if (::testing::Test::HasFatalFailure()) return;
        }
    }
}

// Reaches of a part of the box, and of more than all of it.
TYPED_TEST(Batches, every_shape_in_every_domain) {
    VICINAL_FLAVOUR;
    std::size_t turn = 0;
    for (const ShapeCase& kind : shape_cases)
        for (const double reach : {0.2, 1.3})
            for (const bool kinds : {false, true}) {
                if (kinds && kind.shape != Shape::points) continue;
                const Systems<T, D> systems(static_cast<T>(reach), kind, kinds);
                for (const char* const name : domain_names) {
                    SCOPED_TRACE(std::string(kind.name) + " " + name + " " +
                                 std::to_string(reach));
                    const Domain<D> domain = make_domain<D>(name, lengths<D>(1), kind.swept);
                    const auto all = method_names();
                    expect_batches<T, D>(systems, std::span(&domain, 1),
                                         {"auto", all[turn++ % all.size()]});
                }
            }
}

// Open systems among periodic ones have zero images.
TYPED_TEST(Batches, a_domain_for_each_system) {
    VICINAL_FLAVOUR;
    for (const bool swept : {false, true}) {
        const Systems<T, D> systems(T(0.4), shape_cases[swept ? 5 : 0], false);
        std::vector<Domain<D>> domains;
        for (std::size_t s = 0; s < systems.each.size(); ++s)
            domains.push_back(make_domain<D>(domain_names[s % std::size(domain_names)],
                                             lengths<D>(1 + 0.1 * static_cast<double>(s)),
                                             swept));
        expect_batches<T, D>(systems, domains, method_names());
        std::fill(domains.begin(), domains.end(), Domain<D>::open());
        expect_batches<T, D>(systems, domains, {"auto"});
    }
}

}  // namespace
}  // namespace vicinal::test
