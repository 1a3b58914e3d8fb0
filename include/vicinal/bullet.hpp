// A broad phase for Bullet, on a World: use it where a program says btDbvtBroadphase.
//
//     vicinal::bullet::Broadphase broadphase;  // all cores
//     btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
//
// Link the CMake target vicinal::bullet, or vicinal::vicinal and your Bullet: for one in double
// precision define BT_USE_DOUBLE_PRECISION, and link that one instead of vicinal::bullet. The
// pairs are those of the boxes that Bullet gives, exactly; they are found in
// calculateOverlappingPairs(), which Bullet calls once a step, and not before. So a new object
// collides from the next step on, and a destroyed one loses its pairs at once. The order of
// pairs does not depend on the number of threads.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <BulletCollision/BroadphaseCollision/btBroadphaseInterface.h>
#include <BulletCollision/BroadphaseCollision/btOverlappingPairCache.h>

#include <vicinal/error.hpp>
#include <vicinal/world.hpp>

namespace vicinal::inline VICINAL_API::bullet {

class Broadphase : public btBroadphaseInterface {
  public:
    // The pair cache is the caller's, or by default one of this object. Filter callbacks are
    // set there, as with any other broad phase; they are asked when a pair begins. A cache that
    // removes pairs later (btSortedOverlappingPairCache) is refused: it leaves that to the
    // broad phase, and would keep pairs of objects that are no longer there.
    explicit Broadphase(int threads = 0, btOverlappingPairCache* pair_cache = nullptr)
        : threads_(threads), world_(threads), pair_cache_(pair_cache) {
        if (pair_cache_ != nullptr && pair_cache_->hasDeferredRemoval())
            throw Error(Error::Kind::option,
                        "the pair cache defers the removal of pairs; give a "
                        "btHashedOverlappingPairCache, or none");
        if (pair_cache_ != nullptr) return;
        own_cache_ = std::make_unique<btHashedOverlappingPairCache>();
        pair_cache_ = own_cache_.get();
    }

    btBroadphaseProxy* createProxy(const btVector3& lower, const btVector3& upper, int,
                                   void* client, int group, int mask, btDispatcher*) override {
        auto proxy = std::make_unique<btBroadphaseProxy>(lower, upper, client, group, mask);
        // The cache decides who may collide: its filter callback may ignore groups and masks.
        const Handle body = world_.add(vector(lower), vector(upper));
        if (body >= proxies_.size()) proxies_.resize(body + std::size_t{1});
        proxy->m_uniqueId = static_cast<int>(body) + 1;
        proxies_[body] = std::move(proxy);
        return proxies_[body].get();
    }

    void destroyProxy(btBroadphaseProxy* proxy, btDispatcher* dispatcher) override {
        const Handle body = body_of(proxy);
        world_.pairs_of(body, others_);
        world_.remove(body);  // what may fail comes first
        for (const Handle other : others_)
            pair_cache_->removeOverlappingPair(proxy, proxies_[other].get(), dispatcher);
        proxies_[body].reset();
    }

    void setAabb(btBroadphaseProxy* proxy, const btVector3& lower, const btVector3& upper,
                 btDispatcher*) override {
        proxy->m_aabbMin = lower;
        proxy->m_aabbMax = upper;
        world_.move(body_of(proxy), vector(lower), vector(upper));
    }
    void getAabb(btBroadphaseProxy* proxy, btVector3& lower, btVector3& upper) const override {
        lower = proxy->m_aabbMin;
        upper = proxy->m_aabbMax;
    }

    // Near objects come early. A callback that returns false, or sets m_lambda_max to less than
    // the distance of a hit, spares the farther ones.
    void rayTest(const btVector3& from, const btVector3& to, btBroadphaseRayCallback& callback,
                 const btVector3& lower = btVector3(0, 0, 0),
                 const btVector3& upper = btVector3(0, 0, 0)) override {
        const btScalar length = callback.m_lambda_max;
        world_.visit(Query<btScalar, 3>::box(vector(from + lower), vector(from + upper))
                         .moving(vector(to - from)),
                     [&](const Hit<btScalar>& hit) {
                         if (!callback.process(proxies_[hit.body].get())) return btScalar(-1);
                         return callback.m_lambda_max < length ? callback.m_lambda_max / length
                                                               : btScalar(1);
                     });
    }
    void aabbTest(const btVector3& lower, const btVector3& upper,
                  btBroadphaseAabbCallback& callback) override {
        world_.visit(Query<btScalar, 3>::box(vector(lower), vector(upper)),
                     [&](const Hit<btScalar>& hit) {
                         callback.process(proxies_[hit.body].get());
                         return btScalar(1);
                     });
    }

    void calculateOverlappingPairs(btDispatcher* dispatcher) override {
        const Changes<3>& changes = world_.update();
        for (const PairKey<3>& key : changes.ended)
            if (proxies_[key.i] != nullptr && proxies_[key.j] != nullptr)
                pair_cache_->removeOverlappingPair(proxies_[key.i].get(), proxies_[key.j].get(),
                                                   dispatcher);
        for (const PairKey<3>& key : changes.began)
            pair_cache_->addOverlappingPair(proxies_[key.i].get(), proxies_[key.j].get());
    }

    btOverlappingPairCache* getOverlappingPairCache() override { return pair_cache_; }
    const btOverlappingPairCache* getOverlappingPairCache() const override {
        return pair_cache_;
    }

    void getBroadphaseAabb(btVector3& lower, btVector3& upper) const override {
        lower.setValue(BT_LARGE_FLOAT, BT_LARGE_FLOAT, BT_LARGE_FLOAT);
        upper = -lower;
        for (const auto& proxy : proxies_) {
            if (proxy == nullptr) continue;
            lower.setMin(proxy->m_aabbMin);
            upper.setMax(proxy->m_aabbMax);
        }
        if (world_.size() == 0) lower = upper = btVector3(0, 0, 0);
    }

    // Of an empty broad phase: forgets its history, so that what follows is as in a new one.
    void resetPool(btDispatcher*) override {
        if (world_.size() > 0) return;
        world_ = World<btScalar, 3>(threads_);
        proxies_.clear();
    }

    void printStats() override {}

  private:
    static Vector<btScalar, 3> vector(const btVector3& x) { return {x.x(), x.y(), x.z()}; }
    static Handle body_of(const btBroadphaseProxy* proxy) {
        return static_cast<Handle>(proxy->m_uniqueId - 1);
    }

    int threads_;
    World<btScalar, 3> world_;
    std::vector<std::unique_ptr<btBroadphaseProxy>> proxies_;  // by body
    std::unique_ptr<btHashedOverlappingPairCache> own_cache_;
    btOverlappingPairCache* pair_cache_;
    std::vector<Handle> others_;
};

}  // namespace vicinal::inline VICINAL_API::bullet
