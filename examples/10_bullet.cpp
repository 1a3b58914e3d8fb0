// A Bullet program whose broad phase is ours: the line that says btDbvtBroadphase elsewhere.
#include <cstdio>
#include <memory>
#include <vector>

#include <btBulletDynamicsCommon.h>
#include <vicinal/bullet.hpp>

int main() {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btSequentialImpulseConstraintSolver solver;
    vicinal::bullet::Broadphase broadphase;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);

    btBoxShape ground(btVector3(50, 1, 50)), cube(btVector3(0.5f, 0.5f, 0.5f));
    btVector3 inertia;
    cube.calculateLocalInertia(1, inertia);
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    for (int k = 0; k <= 200; ++k) {
        const bool first = k == 0;
        bodies.push_back(std::make_unique<btRigidBody>(
            first ? 0.0f : 1.0f, nullptr,
            first ? static_cast<btCollisionShape*>(&ground) : &cube, inertia));
        btTransform at(btTransform::getIdentity());
        const btVector3 place(static_cast<float>(k % 5), 1.0f + static_cast<float>(k / 25),
                              static_cast<float>(k / 5 % 5));
        at.setOrigin(first ? btVector3(0, -1, 0) : place * 1.1f);
        bodies.back()->setWorldTransform(at);
        world.addRigidBody(bodies.back().get());
    }
    for (int step = 0; step < 240; ++step) world.stepSimulation(1.0f / 60, 0);

    btCollisionWorld::ClosestRayResultCallback ray(btVector3(0, 50, 0), btVector3(0, -50, 0));
    world.rayTest(ray.m_rayFromWorld, ray.m_rayToWorld, ray);
    const int pairs = world.getPairCache()->getNumOverlappingPairs();
    std::printf("%d pairs; a ray ends at height %g\n", pairs, double{ray.m_hitPointWorld.y()});
    for (auto& body : bodies) world.removeRigidBody(body.get());
    return ray.hasHit() && pairs >= 200 ? 0 : 1;
}
