// The broad phase of an engine: bodies that come, move and go, a value per contact, and casts.
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include <vicinal/vicinal.hpp>

struct Ball {
    std::array<float, 3> x, speed;
    vicinal::Handle body;
};

struct Contact {
    int steps = 0;  // since it began
};

constexpr float radius = 0.5f, dt = 0.02f;
enum Layer : std::uint32_t { scenery = 1, dynamic = 2 };

static std::array<float, 3> corner(const Ball& ball, float side) {
    return {ball.x[0] + side, ball.x[1] + side, ball.x[2] + side};
}

int main() {
    vicinal::World<float, 3> world;
    // Layers: a group, and a mask of the groups it pairs with. Pieces of scenery never pair.
    world.add({-50, -1, -50}, {50, 0, 50}, scenery, dynamic);
    std::vector<Ball> balls;
    for (int k = 0; k < 1000; ++k) {
        const int column = k % 100;
        Ball ball{
            {static_cast<float>(column % 10) * 1.1f, static_cast<float>(k / 100) * 1.1f + 1,
             static_cast<float>(column / 10) * 1.1f},
            {},
            0};
        ball.body = world.add(corner(ball, -radius), corner(ball, radius), dynamic);
        balls.push_back(ball);
    }

    vicinal::PairMap<Contact, 3> contacts;
    for (int step = 0; step < 200; ++step) {
        for (Ball& ball : balls) {
            if (ball.x[1] <= radius) continue;  // lies on the ground: it costs nothing
            ball.speed[1] -= 9.81f * dt;
            ball.x[1] = std::fmax(radius, ball.x[1] + ball.speed[1] * dt);
            world.move(ball.body, corner(ball, -radius), corner(ball, radius));
        }
        contacts.apply(world.update());
        for (auto& [key, contact] : contacts) ++contact.steps;
        if (step == 100) {  // bodies may go at any time
            world.remove(balls.back().body);
            balls.pop_back();
        }
    }
    std::printf("%zu contacts\n", contacts.size());

    // What is below the first ball?
    const auto down =
        vicinal::Query<float, 3>::ray(balls[0].x, {0, -10, 0}).grouped(dynamic, scenery);
    const auto hit = world.closest(down);
    if (!hit) return 1;
    std::printf("body %u after %g of the way\n", hit->body, static_cast<double>(hit->fraction));

    // All bodies that a moving sphere touches, in order.
    std::vector<vicinal::Hit<float>> hits;
    world.all(vicinal::Query<float, 3>::sphere({-5, 0.5f, 5}, 0.25f).moving({20, 0, 0}), hits);
    // The same with a function, which says how far it still wants to look.
    std::size_t seen = 0;
    world.visit(vicinal::Query<float, 3>::box({0, 0, 0}, {2, 2, 2}), [&](const auto&) {
        return ++seen == 5 ? -1.0f : 1.0f;  // five are enough
    });
    return hit->body == 0 && hits.size() > 10 && seen == 5 ? 0 : 1;
}
