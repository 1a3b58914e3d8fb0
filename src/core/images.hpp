// The search without ghosts, for a reach of many periods (Scene::by_images): each two bodies,
// image by image. Its work grows with the volume that the reach spans, in cells of the lattice,
// so there is a bound to it: beyond, it is an error.
#pragma once

#include "core/parallel.hpp"
#include "core/sieve.hpp"

namespace vicinal {

// How many images may be tested, for so many pairs of bodies: 2^22, or 128 for each pair if
// that is more, and in proportion more for each where there are more than 300 * 300. In a cubic
// 3-D box that is a reach of 79 periods for one body, about 20 for ten, 2 for three hundred, 4
// for a thousand. A higher max_pairs raises it.
std::uint64_t max_image_tests(std::uint64_t body_pairs, std::uint64_t max_pairs);

// Throws if there are more than that.
template <Real T, int D>
void check_images(const Question<T, D>& question, std::uint64_t max_pairs);

// Every pair whose first body is one of `firsts`, of the queries or of the scene itself.
template <Real T, int D>
void search_images(const Question<T, D>& question, Range firsts, BlockWriter<D>& out);

}  // namespace vicinal
