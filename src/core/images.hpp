// The search without ghosts, for a reach of many periods (Scene::by_images): each two bodies,
// image by image.
#pragma once

#include "core/parallel.hpp"
#include "core/sieve.hpp"

namespace vicinal {

// Every pair whose first body is one of `firsts`, of the queries or of the scene itself.
template <Real T, int D>
void search_images(const Question<T, D>& question, Range firsts, BlockWriter<D>& out);

}  // namespace vicinal
