// Results as sorted lists of (i, j, image), to be compared pair by pair.
#pragma once

#include <algorithm>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "reference/plain.hpp"
#include "support/pairs_of.hpp"

#include <vicinal/vicinal.hpp>

namespace vicinal::test {

template <int D>
using Found = std::vector<reference::PlainPair<D>>;

template <int D>
void append(Found<D>& found, const Block<D>& block) {
    for (std::size_t p = 0; p < block.pairs.size(); ++p) {
        reference::PlainPair<D> pair{block.pairs[p].i, block.pairs[p].j, {}};
        if (!block.images.empty())
            for (std::size_t a = 0; a < D; ++a) pair.n[a] = block.images[p][a];
        found.push_back(pair);
    }
}

// In the order of the list.
template <int D>
Found<D> listed(const PairList<D>& list) {
    Found<D> found;
    for (const Block<D>& block : list.blocks()) append(found, block);
    return found;
}

template <int D>
Found<D> sorted(Found<D> found) {
    std::sort(found.begin(), found.end());
    return found;
}

template <Real T, int D>
Found<D> rows_of(const Rows<T, D>& rows) {
    Found<D> found;
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::uint64_t e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e) {
            reference::PlainPair<D> pair{rows.body(i), rows.indices[e], {}};
            if (!rows.images.empty())
                for (std::size_t a = 0; a < D; ++a) pair.n[a] = rows.images[e][a];
            found.push_back(pair);
        }
    return found;
}

template <int D>
Found<D> both_ways(const Found<D>& found) {
    Found<D> all = found;
    for (const auto& pair : found) all.push_back(reference::reversed<D>(pair));
    return sorted<D>(all);
}

// Empty if the two are equal, otherwise the first differences.
template <int D>
std::string difference(const Found<D>& expected, const Found<D>& found) {
    if (expected == found) return {};
    std::ostringstream text;
    text << "expected " << expected.size() << " pairs, found " << found.size() << ";";
    const auto show = [&](const char* what, const Found<D>& a, const Found<D>& b) {
        Found<D> rest;
        std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
        if (rest.empty()) return;
        text << " " << what << " " << rest.size() << ":";
        for (std::size_t p = 0; p < std::min<std::size_t>(rest.size(), 4); ++p) {
            text << " (" << rest[p].i << "," << rest[p].j;
            for (int n : rest[p].n) text << "," << n;
            text << ")";
        }
    };
    show("missing", sorted<D>(expected), sorted<D>(found));
    show("extra", sorted<D>(found), sorted<D>(expected));
    return text.str();
}

}  // namespace vicinal::test
