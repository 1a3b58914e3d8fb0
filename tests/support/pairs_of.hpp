// All pairs of a list as a vector, in its order.
#pragma once

#include <vector>

#include <vicinal/pairs.hpp>

namespace vicinal::test {

template <int D>
std::vector<Pair> pairs_of(const PairList<D>& list) {
    return {list.begin(), list.end()};
}

}  // namespace vicinal::test
