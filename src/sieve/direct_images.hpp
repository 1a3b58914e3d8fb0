// The search without ghosts, for a reach of many periods (Images::direct): tests all pairs of
// bodies, image by image. Its work grows with the number of lattice cells within reach, so it
// is limited: a search beyond the limit is an error.
#pragma once

#include "base/parallel.hpp"
#include "sieve/search_context.hpp"

namespace vicinal::inline VICINAL_API {

// The maximum number of image tests for this many pairs of bodies: 2^22, or 128 per pair if
// that is more; above 300 * 300 pairs the number per pair grows in proportion. In a cubic 3-D
// box that is a reach of 79 periods for one body, about 20 for ten, 2 for three hundred, 4 for
// a thousand. A higher max_pairs raises it.
std::uint64_t max_image_tests(std::uint64_t body_pairs, std::uint64_t max_pairs);

// Throws if the search would test more images than that.
template <Real T, int D>
void check_images(const SearchContext<T, D>& context, std::uint64_t max_pairs);

// Every pair whose first body is one of `firsts`, of the query scene or of the scene itself.
template <Real T, int D>
void search_images(const SearchContext<T, D>& context, Range firsts);

}  // namespace vicinal::inline VICINAL_API
