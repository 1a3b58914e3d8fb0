#include "output/pair_filter.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include <vicinal/error.hpp>

namespace vicinal::inline VICINAL_API {
namespace {

constexpr std::size_t prefetch_distance = 32;  // pairs
constexpr auto no_prefetch = [](Pair) {};

// Branch-free: whether a pair stays is unpredictable. `prefetch` sees each pair long before
// `allows` does.
template <int D, class Allows, class Prefetch = decltype(no_prefetch)>
std::size_t compact(Pair* pairs, Image<D>* images, std::size_t count, const Allows& allows,
                    const Prefetch& prefetch = no_prefetch) {
    std::size_t kept = 0;
    const auto each = [&](const auto& move_image) {
        for (std::size_t k = 0; k < count; ++k) {
            prefetch(pairs[std::min(k + prefetch_distance, count - 1)]);
            // As one word: a copy through a vector register would take longer.
            const auto word = std::bit_cast<std::uint64_t>(pairs[k]);
            pairs[kept] = std::bit_cast<Pair>(word);
            move_image(kept, k);
            kept += allows(std::bit_cast<Pair>(word)) ? 1 : 0;
        }
    };
    if (images == nullptr)
        each([](std::size_t, std::size_t) {});
    else
        each([images](std::size_t to, std::size_t from) { images[to] = images[from]; });
    return kept;
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

// Writes the positions of pairs with j - i <= max_gap, in ascending order; returns how many.
std::size_t find_close(std::span<const Pair> pairs, Index max_gap, std::uint16_t* found) {
    constexpr std::size_t batch = 32;  // most batches have no close pair
    std::size_t count = 0;
    for (std::size_t begin = 0; begin < pairs.size(); begin += batch) {
        const std::size_t end = std::min(begin + batch, pairs.size());
        unsigned any = 0;
        for (std::size_t k = begin; k < end; ++k)
            any |= pairs[k].j - pairs[k].i <= max_gap ? 1u : 0u;
        if (any == 0) continue;
        for (std::size_t k = begin; k < end; ++k) {
            found[count] = static_cast<std::uint16_t>(k);
            count += pairs[k].j - pairs[k].i <= max_gap ? 1 : 0;
        }
    }
    return count;
}

// The same for pairs that pass a test.
template <class Test, class Prefetch>
std::size_t find_if(std::span<const Pair> pairs, std::uint16_t* found, const Test& test,
                    const Prefetch& prefetch) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        prefetch(pairs[std::min(k + prefetch_distance, pairs.size() - 1)]);
        found[count] = static_cast<std::uint16_t>(k);
        count += test(pairs[k]) ? 1 : 0;
    }
    return count;
}

// A small hash table of (group, mask).
class ClassTable {
  public:
    explicit ClassTable(std::size_t max_classes) : max_classes_(max_classes) {}

    // The class of a key, or max_classes if there are too many.
    std::size_t find(std::uint64_t key) {
        for (std::size_t slot = key * 0x9E3779B97F4A7C15u >> (64 - slot_bits);;
             slot = (slot + 1) % slots) {
            if (class_of_[slot] != 0 && keys_[slot] == key) return class_of_[slot] - 1u;
            if (class_of_[slot] != 0) continue;
            if (size_ == max_classes_) return max_classes_;
            keys_[slot] = key;
            class_of_[slot] = static_cast<std::uint8_t>(size_ + 1);
            return size_++;
        }
    }
    std::size_t size() const { return size_; }

  private:
    static constexpr unsigned slot_bits = 7;
    static constexpr std::size_t slots = 1 << slot_bits;
    std::size_t max_classes_, size_ = 0;
    std::array<std::uint64_t, slots> keys_{};
    std::array<std::uint8_t, slots> class_of_{};  // class + 1; 0 if the slot is free
};

}  // namespace

void PairFilter::assign(const Set& a, const Set& b, std::span<const Pair> excluded,
                        bool one_set) {
    const bool same = same_exclusions(a, b, excluded, one_set);
    a_ = a;
    b_ = b;
    one_set_ = one_set;
    grouped_ = a.grouped() || b.grouped();
    classified_ = grouped_ && one_set && assign_classes();
    if (!same) assign_exclusions(excluded);
}

// False if there are too many classes.
bool PairFilter::assign_classes() {
    ClassTable table(max_classes);
    std::array<std::uint32_t, max_classes> group{}, mask{};
    classes_.resize(a_.bodies);
    for (Index i = 0; i < a_.bodies; ++i) {
        const std::uint32_t its_group = a_.group_of(i), its_mask = a_.mask_of(i);
        const std::size_t c = table.find(std::uint64_t{its_group} << 32 | its_mask);
        if (c == max_classes) return false;
        group[c] = its_group;
        mask[c] = its_mask;
        classes_[i] = static_cast<std::uint8_t>(c);
    }
    grouped_ = false;  // unless some pair of classes is not allowed
    for (std::size_t c = 0; c < table.size(); ++c) {
        class_allows_[c] = 0;
        for (std::size_t d = 0; d < table.size(); ++d)
            if ((group[c] & mask[d]) != 0 && (group[d] & mask[c]) != 0)
                class_allows_[c] |= 1u << d;
            else
                grouped_ = true;
    }
    return true;
}

bool PairFilter::same_exclusions(const Set& a, const Set& b, std::span<const Pair> excluded,
                                 bool one_set) const {
    static_assert(sizeof(Pair) == 2 * sizeof(Index));
    return excluded.size() == excluded_.size() && one_set == one_set_ &&
           (excluded.empty() ||
            (a.bodies == a_.bodies && b.bodies == b_.bodies &&
             std::memcmp(excluded.data(), excluded_.data(), excluded.size_bytes()) == 0));
}

void PairFilter::assign_exclusions(std::span<const Pair> excluded) {
    excluded_.resize(0);  // if one is invalid, none is kept
    if (excluded.empty()) return;
    for (std::size_t e = 0; e < excluded.size(); ++e)
        if (excluded[e].i >= a_.bodies || excluded[e].j >= b_.bodies)
            throw Error(Error::Kind::input,
                        "excluded pair " + std::to_string(e) + " names bodies " +
                            std::to_string(excluded[e].i) + " and " +
                            std::to_string(excluded[e].j) + ", but the sets have " +
                            std::to_string(a_.bodies) + " and " + std::to_string(b_.bodies) +
                            "; indices begin at 0");
    const auto of_row = [this](Pair pair) {
        return one_set_ && pair.i > pair.j ? Pair{pair.j, pair.i} : pair;
    };
    max_gap_ = one_set_ ? 0 : std::numeric_limits<Index>::max();
    offsets_.resize(a_.bodies + 1);
    signatures_.resize(a_.bodies);
    partners_.resize(excluded.size() + compared_at_once);
    std::fill(partners_.span().end() - compared_at_once, partners_.span().end(), Index{0});
    std::fill(signatures_.span().begin(), signatures_.span().end(), Signature{0});
    const auto offsets = offsets_.span();
    std::fill(offsets.begin(), offsets.end(), std::uint64_t{0});
    for (const Pair pair : excluded) {
        const Pair entry = of_row(pair);
        ++offsets[entry.i];
        max_gap_ = std::max(max_gap_, entry.j - entry.i);
    }
    std::uint64_t begin = 0;
    for (std::uint64_t& offset : offsets) begin += std::exchange(offset, begin);
    for (const Pair pair : excluded) {
        const Pair entry = of_row(pair);
        partners_[offsets[entry.i]++] = entry.j;
        const Index bit = adjacent() ? entry.j - entry.i : hash_bit(entry.j);
        signatures_[entry.i] |= static_cast<Signature>(1u << bit);
    }
    // Filling has moved every offset to the end of its row: move them back.
    for (std::size_t i = a_.bodies; i > 0; --i) offsets[i] = offsets[i - 1];
    offsets[0] = 0;
    for (std::size_t i = 0; i < a_.bodies; ++i)
        std::sort(partners_.data() + offsets[i], partners_.data() + offsets[i + 1]);
    excluded_.resize(excluded.size());
    std::copy(excluded.begin(), excluded.end(), excluded_.data());
}

// Rows are short: the first four partners are compared branch-free.
bool PairFilter::excludes(Pair pair) const {
    const std::uint64_t begin = offsets_[pair.i], size = offsets_[pair.i + 1] - begin;
    const Index* const row = partners_.data() + begin;
    unsigned found = 0;
    for (std::size_t k = 0; k < compared_at_once; ++k)
        found |= static_cast<unsigned>(row[k] == pair.j) & static_cast<unsigned>(k < size);
    if (size > compared_at_once) [[unlikely]]
        return std::binary_search(row, row + size, pair.j);
    return found != 0;
}

bool PairFilter::allows(Index i, Index j) const {
    if (grouped_ && !groups_allow(i, j)) return false;
    if (has_vertices() && have_common(a_.vertices_of(i), a_.vertices_per_body,
                                      b_.vertices_of(j), b_.vertices_per_body))
        return false;
    if (excluded_.size() == 0) return true;
    return !excludes(one_set_ && i > j ? Pair{j, i} : Pair{i, j});
}

template <int D>
std::size_t PairFilter::keep_without_common_vertex(Pair* pairs, Image<D>* images,
                                                   std::size_t count) const {
    const Set a = a_, b = b_;  // local copies avoid aliasing reloads
    // If the indices of neighbours are far apart, nearly every tuple is a cache miss.
    const auto prefetch = [=](Pair pair) {
        __builtin_prefetch(a.vertices_of(pair.i));
        __builtin_prefetch(b.vertices_of(pair.j));
    };
    const auto keep_equal = [&]<std::size_t Size>() {
        const auto tuple = [](const Set& set, Index i) { return set.vertices + i * Size; };
        return compact<D>(
            pairs, images, count,
            [=](Pair pair) { return !have_common<Size>(tuple(a, pair.i), tuple(b, pair.j)); },
            prefetch);
    };
    const bool equal = a.vertices_per_body == b.vertices_per_body;
    if (equal && a.vertices_per_body == 2) return keep_equal.template operator()<2>();
    if (equal && a.vertices_per_body == 3) return keep_equal.template operator()<3>();
    if (equal && a.vertices_per_body == 4) return keep_equal.template operator()<4>();
    return compact<D>(
        pairs, images, count,
        [=](Pair pair) {
            return !have_common(a.vertices_of(pair.i), a.vertices_per_body,
                                b.vertices_of(pair.j), b.vertices_per_body);
        },
        prefetch);
}

template <int D>
std::size_t PairFilter::keep_allowed(Pair* pairs, Image<D>* images, std::size_t count) const {
    if (grouped_ && classified_)
        count = compact<D>(pairs, images, count,
                           [classes = classes_.data(), allows = class_allows_](Pair pair) {
                               return (allows[classes[pair.i]] >> classes[pair.j] & 1) != 0;
                           });
    else if (grouped_)
        count = compact<D>(pairs, images, count,
                           [this](Pair pair) { return groups_allow(pair.i, pair.j); });
    if (has_vertices()) count = keep_without_common_vertex<D>(pairs, images, count);
    if (excluded_.size() == 0) return count;

    constexpr std::size_t batch = 1024;
    std::size_t kept = 0;
    for (std::size_t begin = 0; begin < count; begin += batch) {
        const std::size_t end = std::min(begin + batch, count);
        std::array<std::uint16_t, batch> excluded;
        const std::size_t found = find_excluded({pairs + begin, end - begin}, excluded.data());
        std::size_t from = begin;
        const auto keep_until = [&](std::size_t to) {
            if (kept < from) {
                std::copy(pairs + from, pairs + to, pairs + kept);
                if (images != nullptr) std::copy(images + from, images + to, images + kept);
            }
            kept += to - from;
            from = to + 1;
        };
        for (std::size_t e = 0; e < found; ++e) keep_until(begin + excluded[e]);
        keep_until(end);
    }
    return kept;
}

// Writes the positions of excluded pairs, in ascending order; returns how many.
std::size_t PairFilter::find_excluded(std::span<const Pair> pairs, std::uint16_t* found) const {
    const Signature* const signatures = signatures_.data();
    std::size_t count = 0;
    const auto keep_if = [&](const auto& test) {
        std::size_t kept = 0;
        for (std::size_t c = 0; c < count; ++c) {
            const std::uint16_t k = found[c];
            found[kept] = k;
            kept += test(pairs[k]) ? 1 : 0;
        }
        count = kept;
    };
    if (adjacent()) {
        count = find_close(pairs, max_gap_, found);
        keep_if([=](Pair pair) { return (signatures[pair.i] >> (pair.j - pair.i) & 1) != 0; });
        return count;
    }
    const auto has_bit = [=](Pair pair) {
        return (signatures[pair.i] >> hash_bit(pair.j) & 1) != 0;
    };
    if (max_gap_ < a_.bodies / 8) {
        count = find_close(pairs, max_gap_, found);
        keep_if(has_bit);
    } else {  // most pairs are that close
        count = find_if(pairs, found, has_bit,
                        [=](Pair pair) { __builtin_prefetch(signatures + pair.i); });
    }
    // The rows are far apart in memory: prefetch all before the first is needed.
    for (std::size_t c = 0; c < count; ++c)
        __builtin_prefetch(offsets_.data() + pairs[found[c]].i);
    for (std::size_t c = 0; c < count; ++c)
        __builtin_prefetch(partners_.data() + offsets_[pairs[found[c]].i]);
    keep_if([this](Pair pair) { return excludes(pair); });
    return count;
}

template std::size_t PairFilter::keep_allowed<2>(Pair*, Image<2>*, std::size_t) const;
template std::size_t PairFilter::keep_allowed<3>(Pair*, Image<3>*, std::size_t) const;

}  // namespace vicinal::inline VICINAL_API
