// Bullet: btDbvt, the dynamic tree of its broad phase. The boxes are inserted one by one, then
// the tree is collided with itself, which finds each pair once.
#include <BulletCollision/BroadphaseCollision/btDbvt.h>

#include "bench/peers/peer.hpp"
#include "common/stopwatch.hpp"

namespace vicinal::peers {
namespace {

// btDbvt stores a user pointer per box; here it holds the index.
void* pointer(int i) {
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(i));
}

class Keep : public btDbvt::ICollide {
  public:
    explicit Keep(std::vector<Pair>& out) : out_(out) {}
    void Process(const btDbvtNode* a, const btDbvtNode* b) override {
        out_.push_back({number(a), number(b)});
    }

  private:
    static Index number(const btDbvtNode* node) {
        return static_cast<Index>(reinterpret_cast<std::uintptr_t>(node->data));
    }
    std::vector<Pair>& out_;
};

class Bullet : public Peer {
  public:
    void prepare(const Problem& problem) override {
        boxes_.clear();
        for (std::size_t i = 0; i < problem.size(); ++i)
            boxes_.push_back(
                btDbvtVolume::FromMM(corner(problem.position, i), corner(problem.upper, i)));
    }

    void run(int threads, Found& found) override {
        found.clear(threads);
        const common::Stopwatch watch;
        btDbvt tree;
        for (int i = 0; i < boxes_.size(); ++i) tree.insert(boxes_[i], pointer(i));
        Keep keep(found.parts[0]);
        tree.collideTT(tree.m_root, tree.m_root, keep);
        found.seconds = watch.seconds();
    }

  private:
    static btVector3 corner(const std::vector<double>& values, std::size_t i) {
        return {static_cast<btScalar>(values[i * 3]), static_cast<btScalar>(values[i * 3 + 1]),
                static_cast<btScalar>(values[i * 3 + 2])};
    }

    btAlignedObjectArray<btDbvtVolume> boxes_;
};

}  // namespace

PeerInfo bullet() {
    return {"bullet",
            "boxes in 3-D, float",
            [](const Problem& problem) {
                return problem.shape == Shape::boxes && problem.dim == 3 && problem.single;
            },
            false,
            true,
            [](const Problem&) -> std::unique_ptr<Peer> { return std::make_unique<Bullet>(); }};
}

}  // namespace vicinal::peers
