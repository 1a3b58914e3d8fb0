// The search without ghosts, for a reach of many periods (Images::direct): pair by pair, image
// by image. Its work grows with the volume that the reach spans, in cells of the lattice, so it
// is bounded: beyond the bound it is an error.
#pragma once

#include "base/parallel.hpp"
#include "sieve/search_context.hpp"

namespace vicinal::inline VICINAL_API {

// How many images may be tested for this many pairs of bodies: 2^22, or 128 for each pair if
// that is more, and proportionally more for each if there are more than 300 * 300. In a cubic
// 3-D box that is a reach of 79 periods for one body, about 20 for ten, 2 for three hundred, 4
// for a thousand. A higher max_pairs raises it.
std::uint64_t max_image_tests(std::uint64_t body_pairs, std::uint64_t max_pairs);

// Throws if more images than that would have to be tested.
template <Real T, int D>
void check_images(const SearchContext<T, D>& context, std::uint64_t max_pairs);

// Every pair whose first body is one of `firsts`, of the query scene or of the scene itself.
template <Real T, int D>
void search_images(const SearchContext<T, D>& context, Range firsts);

}  // namespace vicinal::inline VICINAL_API
