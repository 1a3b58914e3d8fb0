#include "bench_subject.hpp"

#include <fmt/format.h>

#include "text.hpp"

namespace vicinal::tool {

Subject make_subject(const SceneChoice& choice, const ShapeFlags& flags) {
    const Layout contradictions(flags, false);  // refused before the scene is made
    const scenes::Workload scene = choice.make();
    if (flags.boxes && scene.shape == Shape::points)
        throw UsageError(
            fmt::format("the points of '{}' are no --boxes; leave it out", choice.name));
    const bool boxed = flags.boxes && scene.shape == Shape::spheres;
    const bool given = flags.boxes || !flags.cutoff.empty() || !flags.radius.empty();
    ShapeFlags shape = flags;
    if (boxed || !given) {
        shape.boxes = scene.shape == Shape::boxes;
        if (scene.shape == Shape::spheres) shape.radius = "column";
        if (scene.shape == Shape::points) shape.cutoff = fmt::format("{}", scene.cutoff);
    }
    std::vector<std::string> words{choice.name};
    words.insert(words.end(), choice.parameters.begin(), choice.parameters.end());
    const std::string name = join(words, " ");
    return {name, BodyFile(name, Layout(shape, true), to_table(scene)), boxed};
}

}  // namespace vicinal::tool
