// Bullet on our broad phase: pairs against a double loop, rays and boxes against a loop and
// against btDbvtBroadphase, and a dynamics world in lockstep with one on btDbvtBroadphase.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "scenes/random.hpp"
#include "support/environment.hpp"

#include <btBulletDynamicsCommon.h>
#include <vicinal/bullet.hpp>

namespace vicinal {
namespace {

btVector3 random_point(scenes::Random& random, double low, double high) {
    const auto one = [&] { return static_cast<btScalar>(random.uniform(low, high)); };
    const btScalar x = one(), y = one(), z = one();
    return {x, y, z};
}

struct Thing {
    btVector3 lower, upper, speed;
    int group, mask;
    btBroadphaseProxy* proxy = nullptr;
    bool overlaps(const Thing& other) const {
        return TestAabbAgainstAabb2(lower, upper, other.lower, other.upper);
    }
};

Thing random_thing(scenes::Random& random) {
    Thing thing{};
    thing.lower = random_point(random, 0, 12);
    const btVector3 size = random_point(random, 0, 1.5);
    thing.upper = thing.lower + size;
    thing.speed = random_point(random, -0.2, 0.2);
    const bool fixed = random.below(4) == 0;
    if (fixed) thing.speed.setZero();
    thing.group = fixed ? btBroadphaseProxy::StaticFilter : btBroadphaseProxy::DefaultFilter;
    thing.mask = fixed ? btBroadphaseProxy::AllFilter ^ btBroadphaseProxy::StaticFilter
                       : btBroadphaseProxy::AllFilter;
    return thing;
}

using UserPairs = std::set<std::pair<void*, void*>>;

std::pair<void*, void*> ordered(void* a, void* b) {
    return {std::min(a, b), std::max(a, b)};
}

UserPairs pairs_of(btBroadphaseInterface& broadphase) {
    UserPairs result;
    btOverlappingPairCache& cache = *broadphase.getOverlappingPairCache();
    for (int k = 0; k < cache.getNumOverlappingPairs(); ++k) {
        const btBroadphasePair& pair = cache.getOverlappingPairArrayPtr()[k];
        result.insert(ordered(pair.m_pProxy0->m_clientObject, pair.m_pProxy1->m_clientObject));
    }
    return result;
}

// Ignores groups and masks: also static bodies pair, but only some.
struct OddFilter : btOverlapFilterCallback {
    mutable std::size_t questions = 0;
    bool needBroadphaseCollision(btBroadphaseProxy* a, btBroadphaseProxy* b) const override {
        ++questions;
        return may_pair(a->m_clientObject, b->m_clientObject);
    }
    static bool may_pair(const void* a, const void* b) {
        return (reinterpret_cast<std::uintptr_t>(a) / sizeof(Thing) +
                reinterpret_cast<std::uintptr_t>(b) / sizeof(Thing)) %
                   3 !=
               0;
    }
};

class Steps {
  public:
    Steps(bool with_filter, int threads, btOverlappingPairCache* given = nullptr)
        : with_filter_(with_filter), broadphase_(threads, given) {
        if (with_filter) cache().setOverlapFilterCallback(&filter_);
        for (int k = 0; k < (test::run_light() ? 120 : 300); ++k) add();
    }
    void run(int steps) {
        for (int step = 0; step < steps; ++step) {
            for (auto& thing : things_) move(*thing);
            for (std::uint64_t k = random_.below(4); k > 0; --k) remove();
            for (std::uint64_t k = random_.below(4); k > 0; --k) add();
            broadphase_.calculateOverlappingPairs(nullptr);
            ASSERT_EQ(pairs_of(broadphase_), plain_pairs()) << "step " << step;
            if (with_filter_) {
                ASSERT_LE(filter_.questions, begun_) << "asked only at a begin";
            }
        }
    }
    void remove_all() {
        while (!things_.empty()) remove();
    }

  private:
    btOverlappingPairCache& cache() { return *broadphase_.getOverlappingPairCache(); }
    void add() {
        things_.push_back(std::make_unique<Thing>(random_thing(random_)));
        Thing& t = *things_.back();
        t.proxy = broadphase_.createProxy(t.lower, t.upper, BOX_SHAPE_PROXYTYPE, &t, t.group,
                                          t.mask, nullptr);
    }
    void remove() {
        const std::size_t k = random_.below(things_.size());
        Thing* const gone = things_[k].get();
        broadphase_.destroyProxy(gone->proxy, nullptr);
        for (const auto& [a, b] : pairs_of(broadphase_)) ASSERT_TRUE(a != gone && b != gone);
        std::erase_if(overlapping_,
                      [&](const auto& p) { return p.first == gone || p.second == gone; });
        kept_.push_back(std::move(things_[k]));  // addresses are not given again
        things_.erase(things_.begin() + static_cast<std::ptrdiff_t>(k));
    }
    void move(Thing& t) {
        for (int a = 0; a < 3; ++a)
            if (t.lower[a] < 0 || t.upper[a] > 13)
                t.speed[a] = t.lower[a] < 0 ? std::abs(t.speed[a]) : -std::abs(t.speed[a]);
        t.lower += t.speed;
        t.upper += t.speed;
        broadphase_.setAabb(t.proxy, t.lower, t.upper, nullptr);
    }
    UserPairs plain_pairs() {
        UserPairs result, overlapping;
        for (std::size_t i = 0; i < things_.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                Thing &a = *things_[i], &b = *things_[j];
                if (!a.overlaps(b)) continue;
                overlapping.insert(ordered(&a, &b));
                const bool wanted = with_filter_
                                        ? OddFilter::may_pair(&a, &b)
                                        : (a.group & b.mask) != 0 && (b.group & a.mask) != 0;
                if (wanted) result.insert(ordered(&a, &b));
            }
        for (const auto& pair : overlapping) begun_ += overlapping_.count(pair) == 0 ? 1 : 0;
        overlapping_ = overlapping;
        return result;
    }

    bool with_filter_;
    OddFilter filter_;
    scenes::Random random_{5};
    bullet::Broadphase broadphase_;
    std::vector<std::unique_ptr<Thing>> things_, kept_;
    UserPairs overlapping_;
    std::size_t begun_ = 0;
};

TEST(BulletBroadphase, NoPairIsMissing) {
    Steps(false, 2).run(300);
}
TEST(BulletBroadphase, NoPairIsMissingInACacheOfTheCaller) {
    btHashedOverlappingPairCache cache;
    Steps steps(false, 1, &cache);
    steps.run(100);
    ASSERT_GT(cache.getNumOverlappingPairs(), 0);
    steps.remove_all();
    ASSERT_EQ(cache.getNumOverlappingPairs(), 0);
}
// Their removeOverlappingPair() does nothing.
TEST(BulletBroadphase, CacheWithDeferredRemovalIsRefused) {
    btSortedOverlappingPairCache sorted;
    btNullPairCache null;
    for (btOverlappingPairCache* cache : {static_cast<btOverlappingPairCache*>(&sorted),
                                          static_cast<btOverlappingPairCache*>(&null)}) {
        try {
            bullet::Broadphase broadphase(1, cache);
            FAIL() << "accepted";
        } catch (const Error& error) {
            EXPECT_STREQ(error.what(),
                         "the pair cache defers the removal of pairs; give a "
                         "btHashedOverlappingPairCache, or none");
        }
    }
}
TEST(BulletBroadphase, FilterCallbackIsAskedWhenAPairBegins) {
    Steps(true, 1).run(300);
}

// The boxes that a ray enters, decided in the callback by Bullet's own test.
struct RayHits : btBroadphaseRayCallback {
    btVector3 from, to;
    std::set<void*> hits;
    void* nearest = nullptr;
    btScalar least = 2;

    RayHits(const btVector3& a, const btVector3& b) : from(a), to(b) {
        btVector3 direction = to - from;
        direction.normalize();
        for (int k = 0; k < 3; ++k) {
            m_rayDirectionInverse[k] =
                direction[k] == 0 ? btScalar(BT_LARGE_FLOAT) : btScalar(1) / direction[k];
            m_signs[k] = m_rayDirectionInverse[k] < 0;
        }
        m_lambda_max = direction.dot(to - from);
    }
    bool process(const btBroadphaseProxy* proxy) override {
        const btVector3 bounds[2] = {proxy->m_aabbMin, proxy->m_aabbMax};
        btScalar first = 1;
        if (btRayAabb2(from, m_rayDirectionInverse, m_signs, bounds, first, 0, m_lambda_max)) {
            hits.insert(proxy->m_clientObject);
            first = std::max(first, btScalar(0));  // the ray begins inside
            if (first < least || (first == least && proxy->m_clientObject < nearest)) {
                least = first;
                nearest = proxy->m_clientObject;
            }
        }
        return true;
    }
};

struct NearestOnly : RayHits {
    using RayHits::RayHits;
    std::size_t calls = 0;
    bool process(const btBroadphaseProxy* proxy) override {
        ++calls;
        RayHits::process(proxy);
        // With a little room, because Bullet's test and ours round differently.
        if (nearest != nullptr) m_lambda_max = least * btScalar(1.001) + btScalar(1e-4);
        return true;
    }
};

struct BoxHits : btBroadphaseAabbCallback {
    btVector3 lower, upper;
    std::set<void*> hits;
    bool process(const btBroadphaseProxy* proxy) override {
        if (TestAabbAgainstAabb2(lower, upper, proxy->m_aabbMin, proxy->m_aabbMax))
            hits.insert(proxy->m_clientObject);
        return true;
    }
};

TEST(BulletBroadphase, RaysAndBoxesHitWhatTheyHitInDbvt) {
    scenes::Random random(9);
    bullet::Broadphase ours(1);
    btDbvtBroadphase theirs;
    std::vector<Thing> things(2000);
    std::vector<btBroadphaseProxy*> others;
    for (Thing& t : things) {
        t = random_thing(random);
        t.proxy = ours.createProxy(t.lower, t.upper, 0, &t, t.group, t.mask, nullptr);
        others.push_back(theirs.createProxy(t.lower, t.upper, 0, &t, t.group, t.mask, nullptr));
    }
    std::size_t hits = 0, calls = 0;
    for (int round = 0; round < 3; ++round) {
        for (int ray = 0; ray < 500; ++ray) {
            const btVector3 from = random_point(random, -3, 15),
                            to = ray % 5 == 0 ? from + btVector3(0, -20, 0)
                                              : random_point(random, -3, 15);
            RayHits a(from, to), b(from, to);
            ours.rayTest(from, to, a);
            theirs.rayTest(from, to, b);
            ASSERT_EQ(a.hits, b.hits);
            ASSERT_EQ(a.nearest, b.nearest);
            NearestOnly c(from, to);
            ours.rayTest(from, to, c);
            ASSERT_EQ(c.nearest, b.nearest);
            hits += a.hits.size();
            calls += c.calls;
            BoxHits d, e;
            d.lower = e.lower = from;
            d.upper = e.upper = from + random_point(random, 0, 2);
            ours.aabbTest(d.lower, d.upper, d);
            theirs.aabbTest(e.lower, e.upper, e);
            ASSERT_EQ(d.hits, e.hits);
        }
        for (std::size_t k = 0; k < things.size(); ++k) {  // moved, and not yet updated
            Thing& t = things[k];
            t.lower += t.speed;
            t.upper += t.speed;
            ours.setAabb(t.proxy, t.lower, t.upper, nullptr);
            theirs.setAabb(others[k], t.lower, t.upper, nullptr);
        }
        if (round == 0) ours.calculateOverlappingPairs(nullptr);
    }
    EXPECT_GT(hits, 1000u);
    EXPECT_LT(calls, hits * 2 / 3) << "no early out";
    for (std::size_t k = 0; k < things.size(); ++k) {
        ours.destroyProxy(things[k].proxy, nullptr);
        theirs.destroyProxy(others[k], nullptr);
    }
    ours.resetPool(nullptr);
}

// A dynamics world of cubes over a ground.
class Cubes {
  public:
    Cubes(std::unique_ptr<btBroadphaseInterface> broadphase, int n)
        : dispatcher_(&configuration_),
          broadphase_(std::move(broadphase)),
          world_(&dispatcher_, broadphase_.get(), &solver_, &configuration_) {
        world_.setGravity({0, -10, 0});
        add(&ground_, 0, {0, -1, 0});
        for (int k = 0; k < n; ++k)
            add(&cube_, 1,
                {btScalar(k % 8) * btScalar(0.9) + btScalar(k % 3) * btScalar(0.1),
                 btScalar(k / 64) * btScalar(1.3) + 1, btScalar(k / 8 % 8) * btScalar(0.9)});
    }
    ~Cubes() {
        for (auto& body : bodies_) world_.removeRigidBody(body.get());
    }
    void step() { world_.stepSimulation(btScalar(1) / 60, 0); }
    void copy_states(const Cubes& from) {
        for (std::size_t k = 0; k < bodies_.size(); ++k) {
            btRigidBody& to = *bodies_[k];
            const btRigidBody& other = *from.bodies_[k];
            to.setWorldTransform(other.getWorldTransform());
            to.setInterpolationWorldTransform(other.getInterpolationWorldTransform());
            to.setLinearVelocity(other.getLinearVelocity());
            to.setAngularVelocity(other.getAngularVelocity());
            to.forceActivationState(other.getActivationState());
        }
    }
    // Pairs of bodies with a contact.
    std::set<std::pair<int, int>> contacts() {
        std::set<std::pair<int, int>> result;
        for (int m = 0; m < dispatcher_.getNumManifolds(); ++m) {
            const btPersistentManifold& manifold = *dispatcher_.getManifoldByIndexInternal(m);
            if (manifold.getNumContacts() == 0) continue;
            const int a = manifold.getBody0()->getUserIndex(),
                      b = manifold.getBody1()->getUserIndex();
            result.insert({std::min(a, b), std::max(a, b)});
        }
        return result;
    }

  private:
    void add(btCollisionShape* shape, btScalar mass, const btVector3& at) {
        btVector3 inertia(0, 0, 0);
        if (mass > 0) shape->calculateLocalInertia(mass, inertia);
        auto body = std::make_unique<btRigidBody>(mass, nullptr, shape, inertia);
        body->setWorldTransform(
            btTransform(btQuaternion(at.x(), at.y(), at.z(), 5).normalized(), at));
        if (mass == 0) body->setWorldTransform(btTransform(btQuaternion::getIdentity(), at));
        body->setInterpolationWorldTransform(body->getWorldTransform());
        body->setUserIndex(static_cast<int>(bodies_.size()));
        world_.addRigidBody(body.get());
        bodies_.push_back(std::move(body));
    }

    btDefaultCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_;
    btSequentialImpulseConstraintSolver solver_;
    std::unique_ptr<btBroadphaseInterface> broadphase_;
    btDiscreteDynamicsWorld world_;
    btBoxShape ground_{btVector3(50, 1, 50)}, cube_{btVector3(0.5, 0.5, 0.5)};
    std::vector<std::unique_ptr<btRigidBody>> bodies_;
};

TEST(BulletBroadphase, LockstepWithDbvt) {
    const int n = test::run_light() ? 120 : 500;
    Cubes ours(std::make_unique<bullet::Broadphase>(2), n),
        theirs(std::make_unique<btDbvtBroadphase>(), n);
    std::size_t contacts = 0;
    for (int step = 0; step < 300; ++step) {
        ours.copy_states(theirs);
        theirs.step();
        ours.step();
        const auto expected = theirs.contacts();
        ASSERT_EQ(ours.contacts(), expected) << "step " << step;
        contacts += expected.size();
    }
    EXPECT_GT(contacts, 1000u);
}

}  // namespace
}  // namespace vicinal
