// FCL: DynamicAABBTreeCollisionManager, the manager its documentation recommends. All boxes are
// registered at once, so that it can build its tree top-down; collide() then finds each pair
// once. The callback only stores the pair, without an exact test.
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>

#include "bench/peers/peer.hpp"
#include "common/stopwatch.hpp"

namespace vicinal::peers {
namespace {

// A body that consists of its bounds. FCL's own box has a centre and sides, so its corners
// would be rounded again.
template <class T>
class Bounds : public fcl::CollisionGeometry<T> {
  public:
    Bounds(const fcl::Vector3<T>& lower, const fcl::Vector3<T>& upper) {
        this->aabb_local = fcl::AABB<T>(lower, upper);
    }
    void computeLocalAABB() override {}
};

template <class T>
class Fcl : public Peer {
  public:
    void prepare(const Problem& problem) override {
        const auto corner = [](const std::vector<double>& values, std::size_t i) {
            return fcl::Vector3<T>(static_cast<T>(values[i * 3]),
                                   static_cast<T>(values[i * 3 + 1]),
                                   static_cast<T>(values[i * 3 + 2]));
        };
        objects_.clear();
        pointers_.clear();
        objects_.reserve(problem.size());
        for (std::size_t i = 0; i < problem.size(); ++i) {
            objects_.emplace_back(std::make_shared<Bounds<T>>(corner(problem.position, i),
                                                              corner(problem.upper, i)));
            objects_.back().computeAABB();
            pointers_.push_back(&objects_.back());
        }
    }

    void run(int threads, Found& found) override {
        found.clear(threads);
        Output output{objects_.data(), found.parts[0]};
        const common::Stopwatch watch;
        fcl::DynamicAABBTreeCollisionManager<T> manager;
        manager.registerObjects(pointers_);
        manager.setup();
        manager.collide(&output, keep);
        found.seconds = watch.seconds();
    }

  private:
    using Object = fcl::CollisionObject<T>;

    struct Output {
        const Object* first;
        std::vector<Pair>& pairs;
    };

    static bool keep(Object* a, Object* b, void* data) {
        auto& output = *static_cast<Output*>(data);
        output.pairs.push_back(
            {static_cast<Index>(a - output.first), static_cast<Index>(b - output.first)});
        return false;  // go on
    }

    std::vector<Object> objects_;
    std::vector<Object*> pointers_;
};

}  // namespace

PeerInfo fcl_tree() {
    return {"fcl",
            "boxes in 3-D",
            [](const Problem& problem) {
                return problem.shape == Shape::boxes && problem.dim == 3;
            },
            false,
            true,
            [](const Problem& problem) -> std::unique_ptr<Peer> {
                if (problem.single) return std::make_unique<Fcl<float>>();
                return std::make_unique<Fcl<double>>();
            }};
}

}  // namespace vicinal::peers
