// Results with columns, compared with the plain loop and its vectors, bit by bit.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "support/compare.hpp"

namespace vicinal::test {

// Tells -0 from 0.
template <Real T>
auto bits(T value) {
    return std::bit_cast<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(
        value);
}

// The vectors and distances of pairs by the plain formula.
template <Real T, int D>
struct Measure {
    const Bodies<T, D>&first, &second;
    const Domain<D>& domain;

    Vector<T, D> vector(const reference::PlainPair<D>& pair) const {
        return reference::nearest_approach(
            reference::relative(first, pair.i, second, pair.j, pair.n, domain),
            first.swept() || second.swept());
    }
};

// The rows of a table: a pair and its columns.
template <Real T, int D>
struct Flat {
    std::vector<reference::PlainPair<D>> pairs;
    std::vector<Vector<T, D>> vectors;
    std::vector<T> distances;

    void add(std::int64_t i, std::int64_t j, const Image<D>* image) {
        reference::PlainPair<D> pair{static_cast<Index>(i), static_cast<Index>(j), {}};
        for (std::size_t a = 0; a < D && image != nullptr; ++a) pair.n[a] = (*image)[a];
        pairs.push_back(pair);
    }
    void add(const ColumnBlock<T, D>& block) {
        for (std::size_t k = 0; k < block.pairs.size(); ++k)
            add(block.pairs[k].i, block.pairs[k].j,
                block.images.empty() ? nullptr : &block.images[k]);
        vectors.insert(vectors.end(), block.vectors.begin(), block.vectors.end());
        distances.insert(distances.end(), block.distances.begin(), block.distances.end());
    }
};

template <Real T, int D, class I>
Flat<T, D> flat(const Rows<T, D, I>& rows) {
    Flat<T, D> result;
    for (std::size_t k = 0; k < rows.size(); ++k)
        for (std::size_t e = 0; e < rows[k].size(); ++e)
            result.add(rows.body(k), rows[k][e],
                       rows.images.empty() ? nullptr : &rows.images_of(k)[e]);
    result.vectors.assign(rows.vectors.begin(), rows.vectors.end());
    result.distances.assign(rows.distances.begin(), rows.distances.end());
    return result;
}

template <Real T, int D, class I>
Flat<T, D> flat(const PairColumns<T, D, I>& columns) {
    Flat<T, D> result;
    for (std::size_t k = 0; k < columns.size(); ++k)
        result.add(columns.i(k), columns.j(k),
                   columns.images.empty() ? nullptr : &columns.images[k]);
    result.vectors.assign(columns.vectors.begin(), columns.vectors.end());
    result.distances.assign(columns.distances.begin(), columns.distances.end());
    return result;
}

template <Real T, int D>
void compare_columns(const std::string& what, const Measure<T, D>& measure,
                     const Found<D>& expected, const Flat<T, D>& found, bool in_order = false) {
    SCOPED_TRACE(what);
    const Found<D> pairs = in_order ? found.pairs : sorted<D>(found.pairs);
    ASSERT_EQ(difference<D>(expected, pairs), "");
    const bool measured =
        measure.first.shape != Shape::boxes && measure.second.shape != Shape::boxes;
    ASSERT_EQ(found.vectors.size(), measured ? pairs.size() : 0);
    ASSERT_EQ(found.distances.size(), measured ? pairs.size() : 0);
    if (!measured) return;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const Vector<T, D> d = measure.vector(found.pairs[k]);
        for (std::size_t a = 0; a < D; ++a)
            ASSERT_EQ(bits(found.vectors[k][a]), bits(d[a]))
                << "pair " << k << ": " << found.vectors[k][a] << ", not " << d[a];
        ASSERT_EQ(bits(found.distances[k]), bits(std::sqrt(reference::dot(d, d))))
            << "pair " << k;
    }
}

template <Real T, int D, class I>
void compare_columns(const std::string& what, const Measure<T, D>& measure,
                     const Found<D>& expected, const PairColumns<T, D, I>& found,
                     bool in_order = false) {
    compare_columns(what, measure, expected, flat(found), in_order);
}

}  // namespace vicinal::test
