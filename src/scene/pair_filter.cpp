#include "scene/pair_filter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace vicinal::inline VICINAL_API {
namespace {

constexpr std::size_t prefetch_distance = 32;  // pairs
constexpr auto no_prefetch = [](Pair) {};

// Clears the bits of pairs that fail a test. Branch-free: whether a pair passes is
// unpredictable. `prefetch` sees each pair long before `passes` does.
template <class Passes, class Prefetch = decltype(no_prefetch)>
void clear_unless(std::span<const Pair> pairs, std::uint64_t* keep, const Passes& passes,
                  const Prefetch& prefetch = no_prefetch) {
    for (std::size_t begin = 0; begin < pairs.size(); begin += pairs_per_word) {
        const std::size_t end = std::min(begin + pairs_per_word, pairs.size());
        std::uint64_t bits = 0;
        for (std::size_t k = begin; k < end; ++k) {
            prefetch(pairs[std::min(k + prefetch_distance, pairs.size() - 1)]);
            bits |= std::uint64_t{passes(pairs[k])} << (k - begin);
        }
        keep[begin / pairs_per_word] &= bits;
    }
}

// True if two tuples have a number in common.
bool have_common(const std::uint32_t* a, std::size_t a_size, const std::uint32_t* b,
                 std::size_t b_size) {
    unsigned common = 0;
    for (std::size_t k = 0; k < a_size; ++k)
        for (std::size_t l = 0; l < b_size; ++l) common |= static_cast<unsigned>(a[k] == b[l]);
    return common != 0;
}

// The same for tuples of the usual sizes, branch-free, four comparisons at a time:
// whether two bodies are neighbours in a mesh is unpredictable. A tuple is loaded as its first
// two and its last two numbers, which may overlap, so that nothing beyond it is read.
template <std::size_t Size>
bool have_common(const std::uint32_t* a, const std::uint32_t* b) {
    static_assert(Size >= 2 && Size <= 4);
    using Four = std::uint32_t __attribute__((vector_size(16)));
    std::array<std::uint64_t, 2> halves;
    std::memcpy(&halves[0], b, sizeof halves[0]);
    std::memcpy(&halves[1], b + Size - 2, sizeof halves[1]);
    const auto four = std::bit_cast<Four>(halves);
    auto equal = four == a[0];
    for (std::size_t k = 1; k < Size; ++k) equal |= four == a[k];
    halves = std::bit_cast<std::array<std::uint64_t, 2>>(equal);
    return (halves[0] | halves[1]) != 0;
}

// Moves the images whose bits are set to `to`, in order.
template <int D>
void compact_images(const Image<D>* images, std::size_t count, const std::uint64_t* keep,
                    Image<D>* to) {
    for (std::size_t k = 0; k < count; ++k) {
        *to = images[k];
        to += keep[k / pairs_per_word] >> k % pairs_per_word & 1;
    }
}

}  // namespace

template <int D>
void PairFilter<D>::assign(const Set& a, const Set& b, std::span<const Pair> excluded,
                           bool one_set, std::int64_t target) {
    kernels_ = pair_mask_kernels(target);
    a_ = a;
    b_ = b;
    grouped_ = a.groups.given() || b.groups.given();
    classified_ = grouped_ && one_set && classes_.assign(a.groups, a.bodies);
    if (classified_ && classes_.all_allowed()) grouped_ = false;
    exclusions_.assign(excluded, a.bodies, b.bodies, one_set);
}

template <int D>
bool PairFilter<D>::allows(Index i, Index j) const {
    if (grouped_ && !may_pair(a_.groups, i, b_.groups, j)) return false;
    if (has_vertices() && have_common(a_.vertices_of(i), a_.vertices_per_body,
                                      b_.vertices_of(j), b_.vertices_per_body))
        return false;
    return exclusions_.empty() || !exclusions_.contains(i, j);
}

template <int D>
const BlockFilter<D>* PairFilter<D>::for_output(bool classes_tested) {
    classes_tested_ = classes_tested;
    const bool all_tested = classes_tested && !has_vertices() && exclusions_.empty();
    return active() && !all_tested ? this : nullptr;
}

template <int D>
void PairFilter<D>::test_groups(std::span<const Pair> pairs, std::uint64_t* keep) const {
    if (!classified_)
        return clear_unless(pairs, keep, [a = a_.groups, b = b_.groups](Pair pair) {
            return may_pair(a, pair.i, b, pair.j);
        });
    // A byte per body stays in cache where the caller's columns would not.
    clear_unless(pairs, keep,
                 [of = classes_.of_bodies().data(), &classes = classes_](Pair pair) {
                     return classes.allows(of[pair.i], of[pair.j]);
                 });
}

template <int D>
void PairFilter<D>::test_vertices(std::span<const Pair> pairs, std::uint64_t* keep) const {
    const Set a = a_, b = b_;  // local copies avoid aliasing reloads
    // If the indices of neighbours are far apart, nearly every tuple is a cache miss.
    const auto prefetch = [=](Pair pair) {
        __builtin_prefetch(a.vertices_of(pair.i));
        __builtin_prefetch(b.vertices_of(pair.j));
    };
    const auto test_equal = [&]<std::size_t Size>() {
        const auto tuple = [](const Set& set, Index i) { return set.vertices + i * Size; };
        clear_unless(
            pairs, keep,
            [=](Pair pair) { return !have_common<Size>(tuple(a, pair.i), tuple(b, pair.j)); },
            prefetch);
    };
    const bool equal = a.vertices_per_body == b.vertices_per_body;
    if (equal && a.vertices_per_body == 2) return test_equal.template operator()<2>();
    if (equal && a.vertices_per_body == 3) return test_equal.template operator()<3>();
    if (equal && a.vertices_per_body == 4) return test_equal.template operator()<4>();
    clear_unless(
        pairs, keep,
        [=](Pair pair) {
            return !have_common(a.vertices_of(pair.i), a.vertices_per_body,
                                b.vertices_of(pair.j), b.vertices_per_body);
        },
        prefetch);
}

// Clears the bits of pairs that are not allowed.
template <int D>
void PairFilter<D>::test(std::span<const Pair> pairs, std::uint64_t* keep) const {
    if (grouped_ && !classes_tested_) test_groups(pairs, keep);
    if (has_vertices()) test_vertices(pairs, keep);
    if (!exclusions_.empty()) exclusions_.remove(pairs, kernels_, keep);
}

template <int D>
std::size_t PairFilter<D>::keep_allowed(Pair* pairs, Image<D>* images,
                                        std::size_t count) const {
    constexpr std::size_t batch = Exclusions::max_pairs;
    std::size_t kept = 0;
    for (std::size_t begin = 0; begin < count; begin += batch) {
        const std::size_t n = std::min(batch, count - begin);
        std::array<std::uint64_t, batch / pairs_per_word> keep;
        keep.fill(~std::uint64_t{0});
        test({pairs + begin, n}, keep.data());
        if (images != nullptr) compact_images<D>(images + begin, n, keep.data(), images + kept);
        kept += kernels_.compact(pairs + begin, n, keep.data(), pairs + kept);
    }
    return kept;
}

template class PairFilter<2>;
template class PairFilter<3>;

}  // namespace vicinal::inline VICINAL_API
