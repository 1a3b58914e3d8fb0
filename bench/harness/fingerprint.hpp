// An order-independent hash of a set of pairs, for lists that are too long to be sorted at
// every repeat of a benchmark.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <vicinal/finder.hpp>

namespace vicinal::bench {

// The number of pairs and two independent sums of their hashes. Sums do not depend on the order
// of the pairs but do detect repeated pairs. There are two, because 64 bits are not enough for
// sums of 10^8 pairs.
struct Fingerprint {
    std::uint64_t count = 0;
    std::array<std::uint64_t, 2> sums{};

    bool operator==(const Fingerprint&) const = default;

    void add(Index i, Index j, std::uint64_t image) {
        const std::uint64_t pair = std::uint64_t{i} << 32 | j;
        const std::uint64_t hash = mixed(pair + mixed(image));
        ++count;
        sums[0] += hash;
        sums[1] += mixed(hash ^ (pair * 0xd6e8feb86659fd93U));
    }
    void add(const Fingerprint& other) {
        count += other.count;
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += other.sums[k];
    }
    std::string hash() const { return fmt::format("{:016x}{:016x}", sums[0], sums[1]); }

  private:
    // The finaliser of splitmix64 (Steele, Lea, Flood 2014).
    static std::uint64_t mixed(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }
};

// Describes how `found` differs; empty if it is the same set.
inline std::string difference(const Fingerprint& expected, const Fingerprint& found) {
    if (found == expected) return "";
    return fmt::format("{} pairs with hash {}, but the first row has {} with hash {}",
                       found.count, found.hash(), expected.count, expected.hash());
}

// Sums for pairs in canonical orientation, i < j (or i == j and an image whose first nonzero
// component is positive), and for reversed pairs; all are hashed in canonical orientation.
struct Spellings {
    Fingerprint forward, backward;

    template <int D>
    void add(Index i, Index j, const Image<D>& n) {
        const bool turn = i > j || (i == j && n < Image<D>{});
        std::uint64_t image = 0;
        for (const int value : n)
            image = image << 16 | static_cast<std::uint16_t>(turn ? -value : value);
        if (turn)
            backward.add(j, i, image);
        else
            forward.add(i, j, image);
    }
    void add(Index i, Index j) { i > j ? backward.add(j, i, 0) : forward.add(i, j, 0); }

    // The fingerprint of a list that holds each pair once.
    Fingerprint once() const {
        Fingerprint both = forward;
        both.add(backward);
        return both;
    }
    // The fingerprint of a list that holds each pair in both directions. If the directions
    // differ, it matches no list.
    Fingerprint both_ways() const {
        if (forward == backward) return forward;
        Fingerprint broken = once();
        broken.sums[0] = ~broken.sums[0];
        return broken;
    }
};

template <int D>
void add_block(const Block<D>& block, Spellings& to) {
    for (std::size_t k = 0; k < block.pairs.size(); ++k) {
        const Pair pair = block.pairs[k];
        if (block.images.empty())
            to.add(pair.i, pair.j);
        else
            to.add<D>(pair.i, pair.j, block.images[k]);
    }
}

template <int D>
Fingerprint fingerprint(const PairList<D>& pairs) {
    Spellings spellings;
    for (const Block<D>& block : pairs.blocks()) add_block(block, spellings);
    return spellings.once();
}

template <Real T, int D>
Fingerprint fingerprint(const Rows<T, D>& rows) {
    Spellings spellings;
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::uint64_t k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k) {
            const Index row = rows.body(i);
            if (rows.images.empty())
                spellings.add(row, rows.indices[k]);
            else
                spellings.add<D>(row, rows.indices[k], rows.images[k]);
        }
    return spellings.both_ways();
}

template <Real T, int D>
Fingerprint fingerprint(const PairColumns<T, D>& pairs) {
    Spellings spellings;
    for (std::size_t k = 0; k < pairs.size(); ++k)
        if (pairs.images.empty())
            spellings.add(pairs.i(k), pairs.j(k));
        else
            spellings.add<D>(pairs.i(k), pairs.j(k), pairs.images[k]);
    return spellings.once();
}

// The fingerprint of the pairs that a finder delivers in blocks.
template <Real T, int D>
Fingerprint streamed_fingerprint(Finder<T, D>& finder) {
    Spellings spellings;
    std::mutex mutex;
    finder.for_each_block([&](const Block<D>& block) {
        Spellings part;
        add_block(block, part);
        const std::lock_guard lock(mutex);
        spellings.forward.add(part.forward);
        spellings.backward.add(part.backward);
    });
    return spellings.once();
}

// The number of pairs that are in only one of the lists, counting repeats. In `found` each pair
// is expected `times` times, in either direction.
inline std::uint64_t differences(std::vector<Pair> expected, std::vector<Pair> found,
                                 std::uint64_t times) {
    for (Pair& pair : found)
        if (pair.i > pair.j) std::swap(pair.i, pair.j);
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    std::uint64_t surplus = 0;
    auto have = found.begin();
    for (const Pair& pair : expected) {
        for (; have != found.end() && *have < pair; ++have) ++surplus;
        std::uint64_t copies = 0;
        for (; have != found.end() && *have == pair; ++have) ++copies;
        surplus += copies > times ? copies - times : times - copies;
    }
    surplus += static_cast<std::uint64_t>(found.end() - have);
    return (surplus + times - 1) / times;
}

}  // namespace vicinal::bench
