#include "core/images.hpp"

namespace vicinal {

template <Real T, int D>
void search_images(const Question<T, D>& question, Range firsts, BlockWriter<D>& out) {
    const Scene<T, D>& scene = *question.scene;
    const bool one_set = question.queries == nullptr;
    const Scene<T, D>& first_scene = one_set ? scene : *question.queries;
    const bool moving = scene.view().swept() || first_scene.view().swept();
    for (std::size_t f = firsts.begin; f < firsts.end; ++f) {
        const auto i = static_cast<Index>(f);
        const Item<T, D> first(first_scene.view(), i, question.bare);
        for (Index j = one_set ? i : 0; j < scene.bodies(); ++j) {
            if (question.filter->active() && !question.filter->allows(i, j)) continue;
            const Item<T, D> second(scene.view(), j, question.bare);
            const auto shifts = scene.images(first_scene, i, j);
            for_each_between(shifts.lo, shifts.hi, [&](const Shift<D>& n) {
                if (one_set && i == j && n <= Shift<D>{}) return;
                ++out.candidates;
                if (!touch<T, D>(first, second, scene.lattice().shift(n),
                                 scene.lattice().drift(n), question.rule, moving))
                    return;
                Image<D> image;
                for (std::size_t a = 0; a < D; ++a) image[a] = static_cast<std::int16_t>(n[a]);
                out.push({i, j}, image);
            });
        }
    }
}

template void search_images(const Question<float, 2>&, Range, BlockWriter<2>&);
template void search_images(const Question<float, 3>&, Range, BlockWriter<3>&);
template void search_images(const Question<double, 2>&, Range, BlockWriter<2>&);
template void search_images(const Question<double, 3>&, Range, BlockWriter<3>&);

}  // namespace vicinal
