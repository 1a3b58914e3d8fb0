// A scene and the method that was built on it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "common/stopwatch.hpp"
#include "methods/registry.hpp"
#include "scene/scene.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class Structure {
  public:
    // A search needs no ghosts if the method has native periodicity; queries always do.
    enum class Use : std::uint8_t { search, queries };

    explicit Structure(const Choice& choice)
        : choice_(choice), method_(make_method<T, D>(choice)) {}

    // Returns the seconds spent on the scene; the rest is the method's.
    double build(const Bodies<T, D>& bodies, const Domain<D>& domain,
                 const Execution& execution, std::uint64_t max_bytes, Use use) {
        valid_ = false;
        common::Stopwatch watch;
        if (!complete_) {  // the last build failed, perhaps halfway
            scene_ = {};
            method_ = make_method<T, D>(choice_);
        }
        complete_ = false;
        scene_.assign(bodies, domain, execution);
        auto* const native = dynamic_cast<NativePeriodicity<T, D>*>(method_.get());
        if (use == Use::queries || !scene_.periodic() || native == nullptr ||
            !native->supports_natively(scene_))
            scene_.add_ghosts(max_bytes);
        const double seconds = watch.lap();
        if (scene_.images() != Images::direct) method_->build(scene_);
        valid_ = complete_ = true;
        return seconds;
    }

    // True if it holds the bodies of this step.
    bool valid() const { return valid_; }
    void invalidate() { valid_ = false; }

    const Choice& choice() const { return choice_; }
    const Scene<T, D>& scene() const { return scene_; }
    Method<T, D>& method() { return *method_; }
    const Method<T, D>& method() const { return *method_; }

  private:
    const Choice choice_;
    Scene<T, D> scene_;
    std::unique_ptr<Method<T, D>> method_;
    bool valid_ = false;
    bool complete_ = true;  // the last build did not throw
};

// Additional structures for queries that need another scene than the search. Each is built at
// the first such query of a step. Queries may be called from several threads at once: they lock
// the mutex.
template <Real T, int D>
struct QueryStructures {
    std::mutex mutex;
    std::unique_ptr<Structure<T, D>> with_ghosts;    // if the search has none
    std::unique_ptr<Structure<T, D>> moving_images;  // only queries move; a shear moves images
    std::unique_ptr<Structure<T, D>> without_reach;  // for nearest(), if images are direct
    std::unique_ptr<Structure<T, D>> tree;  // for nearest(), if the method cannot find them

    void invalidate() {
        for (auto* one : {&with_ghosts, &moving_images, &without_reach, &tree})
            if (*one) (*one)->invalidate();
    }
    // The method of nearest() where it is not that of the finder; else empty.
    std::string nearest_method() {
        const std::lock_guard lock(mutex);
        return tree && tree->valid() ? tree->choice().text() : std::string();
    }
};

}  // namespace vicinal::inline VICINAL_API
