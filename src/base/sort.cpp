#include "base/sort.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace vicinal::inline VICINAL_API {

void sort_indices(Index* first, std::size_t count) {
    constexpr std::size_t max_ranked = 64, lanes = 4;
    if (count > max_ranked) return std::sort(first, first + count);
    std::array<Index, max_ranked> values;
    const std::size_t end = (count + lanes - 1) / lanes * lanes;
    std::copy(first, first + count, values.data());
    std::fill(values.data() + count, values.data() + end, std::numeric_limits<Index>::max());
    for (std::size_t k = 0; k < count; ++k) {
        std::array<std::uint32_t, lanes> below{};
        for (std::size_t v = 0; v < end; v += lanes)
            for (std::size_t l = 0; l < lanes; ++l) below[l] += values[v + l] < values[k];
        first[below[0] + below[1] + below[2] + below[3]] = values[k];
    }
}

}  // namespace vicinal::inline VICINAL_API
