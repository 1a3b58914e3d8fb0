// The context of a search, for every method: the scene, the query scene if there is one, the
// kernels, and this worker's output.
#pragma once

#include "output/blocks.hpp"
#include "scene/pair_classes.hpp"
#include "scene/scene.hpp"
#include "simd/kernels.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
struct SearchContext {
    const Scene<T, D>* scene = nullptr;
    const Scene<T, D>* queries = nullptr;  // null: pairs within the scene
    ReachRule rule = ReachRule::sum;
    // If not null, search() must leave out pairs whose classes may not pair (see ClassTester).
    const PairClasses* classes = nullptr;
    bool ignore_cutoff = false;  // probes: the cut-off of the scene's points is ignored
    Kernels<T, D> kernels{};
    // Of the worker that a task runs on.
    BlockWriter<D>* writer = nullptr;
    int worker = 0;

    const Scene<T, D>& first_scene() const { return queries != nullptr ? *queries : *scene; }
    bool one_set() const { return queries == nullptr; }
    bool moving() const { return scene->view().swept() || first_scene().view().swept(); }
    SearchContext for_worker(BlockWriter<D>& its_writer, int number) const {
        SearchContext own = *this;
        own.writer = &its_writer;
        own.worker = number;
        return own;
    }
};

}  // namespace vicinal::inline VICINAL_API
