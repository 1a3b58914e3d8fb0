// libFuzzer target: for any input values, a call on a few hundred bodies takes at most a second
// or is an error. Bytes choose domain, method, options and orders of magnitude; coordinates are
// random within those. finders.cpp checks the results.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/bodies.hpp"

namespace vicinal::test {
namespace {

constexpr std::size_t max_bodies = 300;
constexpr double max_seconds = 1;
// The address and undefined-behaviour sanitizers check every access, and at -O1 the kernels'
// vectors go through memory: calls take up to twelve times as long as in a release build, and
// on a busy machine, whose caches are shared, still longer.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VICINAL_SLOWED_DOWN
#endif
#endif
#ifdef VICINAL_SLOWED_DOWN
constexpr double slow_down = 20;
#else
constexpr double slow_down = 1;
#endif

// Processor time of all threads, so that a busy machine causes no false alarm.
double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Values from the input bytes; after their end, random values seeded by them. So the short
// inputs with which the fuzzer begins are complete scenes as well.
class Choices {
  public:
    Choices(const std::uint8_t* data, std::size_t size)
        : data_(data), size_(size), rest_(seed(data, size)) {}
    unsigned byte() {
        return at_ < size_ ? data_[at_++] : static_cast<unsigned>(rest_.below(256));
    }
    std::size_t below(std::size_t n) { return byte() % n; }
    bool chance(unsigned of_256) { return byte() < of_256; }
    // A power of ten: half of them near one, the others from 1e-30 to 1e30.
    double magnitude() {
        const unsigned b = byte();
        const int exponent =
            b < 128 ? static_cast<int>(b % 7) - 3 : static_cast<int>(b - 128) * 60 / 127 - 30;
        return std::pow(10.0, exponent);
    }
    double length() { return magnitude() * (1 + byte() / 64.0); }

  private:
    static std::uint64_t seed(const std::uint8_t* data, std::size_t size) {
        std::uint64_t sum = size;
        for (std::size_t b = 0; b < size; ++b) sum = sum * 0x9e3779b97f4a7c15 + data[b];
        return sum;
    }

    const std::uint8_t* data_;
    std::size_t size_, at_ = 0;
    scenes::Random rest_;
};

std::string text_of(double value) {
    char text[64];
    std::snprintf(text, sizeof(text), "%.17g", value);
    return text;
}

// A number within a range, uniform or logarithmic.
double any_number(Choices& choices, double minimum, double maximum) {
    const double part = choices.byte() / 255.0;
    const bool evenly = choices.chance(96);
    return std::clamp(evenly        ? minimum + part * (maximum - minimum)
                      : minimum > 0 ? minimum * std::pow(maximum / minimum, part)
                                    : maximum * std::pow(10, -60 * part),
                      minimum, maximum);
}

// A random method, except one, with some of its options.
template <int D>
std::string any_method(Choices& choices, const std::string& but) {
    std::vector<MethodInfo> all = methods();
    std::erase_if(all, [&](const MethodInfo& m) { return m.name == but; });
    const MethodInfo& method = all[choices.below(all.size())];
    std::string options;
    for (const OptionInfo& option : method.options) {
        if (!choices.chance(96)) continue;
        const bool numbers = option.minimum < option.maximum;
        std::string value;
        if (option.kind == OptionInfo::Kind::method) {
            value = any_method<D>(choices, method.name);
        } else if (option.kind == OptionInfo::Kind::list && choices.chance(128)) {
            for (int c = 0; c < 2 * D; ++c)  // two corners
                value += (c == 0 ? "(" : ", ") + text_of((c < D ? -1 : 1) * choices.length());
            value += ")";
        } else if (numbers && (option.choices.empty() || choices.chance(128))) {
            value = text_of(any_number(choices, option.minimum, option.maximum));
        } else if (!option.choices.empty()) {
            value = option.choices[choices.below(option.choices.size())];
        } else {
            continue;
        }
        options += (options.empty() ? "" : ", ") + option.name + "=" + value;
    }
    return method.name + "(" + options + ")";
}

template <int D>
Domain<D> any_domain(Choices& choices, double side) {
    std::array<double, D> sides;
    std::array<bool, D> periodic;
    const unsigned kind = choices.byte() % 8, axes = choices.byte();
    const bool cube = choices.chance(128);
    for (std::size_t a = 0; a < D; ++a) {
        sides[a] = cube                 ? side
                   : choices.chance(64) ? choices.length()
                                        : side * choices.length();
        periodic[a] = kind < 6 || (axes >> a & 1) != 0;
    }
    if (kind == 0) return Domain<D>::open();
    if (kind == 1) return Domain<D>::orthogonal(sides);
    if (kind == 6) return Domain<D>::orthogonal(sides, periodic);
    constexpr double skews[] = {0, 0.3, -1, 4, -20, 300, 1e5, 1e12};
    const auto skew = [&](std::size_t a) { return sides[a] * skews[choices.below(8)]; };
    if (kind == 2) return Domain<D>::sheared(sides, skew(1), choices.chance(128) ? skew(1) : 0);
    typename Domain<D>::Lattice h{};
    for (std::size_t a = 0; a < D; ++a) {
        h[a][a] = sides[a];
        for (std::size_t b = 0; b < D; ++b)
            if (b != a && (b < a || choices.chance(64))) h[a][b] = skew(b);
    }
    return Domain<D>::triclinic(h, periodic);
}

// Random positions in a random box, a few of them in another one; sizes likewise.
struct Magnitudes {
    double centre, extent, far, size, giant, motion;
    unsigned outliers;

    Magnitudes(Choices& choices, double side) {
        extent = choices.chance(128) ? side : choices.length();
        centre = choices.chance(160) ? 0 : choices.length();
        far = choices.chance(160) ? extent : choices.length();
        size = choices.chance(160) ? extent * choices.length() / 100 : choices.length();
        giant = choices.chance(160) ? size : choices.length();
        motion = choices.chance(160) ? size : choices.length();
        outliers = choices.byte();
    }
};

template <Real T, int D>
OwnedBodies<T, D> any_bodies(Choices& choices, const Magnitudes& m, const ShapeCase& kind,
                             double cutoff) {
    const unsigned b = choices.byte();
    const std::size_t n = b < 128 ? b % 40 : max_bodies * (b - 127) / 128;
    scenes::Random random(choices.byte());
    const auto finite = [](double x) {
        constexpr double largest = static_cast<double>(std::numeric_limits<T>::max()) / 4;
        return static_cast<T>(std::clamp(x, -largest, largest));
    };
    OwnedBodies<T, D> bodies;
    bodies.kind = kind;
    bodies.cutoff = finite(cutoff);
    for (std::size_t i = 0; i < n; ++i) {
        const bool odd = random.below(1024) < m.outliers;
        const double radius = random.uniform() * (odd ? m.giant : m.size);
        for (int a = 0; a < D; ++a) {
            const double x = m.centre + (random.uniform() - 0.5) * (odd ? m.far : m.extent);
            bodies.position.push_back(finite(x));
            if (kind.shape == Shape::boxes) {
                const double y = x + random.uniform() * (odd ? m.giant : m.size);
                bodies.upper.push_back(std::max(bodies.position.back(), finite(y)));
            }
            if (kind.swept)
                bodies.displacement.push_back(
                    finite((random.uniform() - 0.5) * (odd ? m.motion : m.size)));
        }
        if (kind.shape == Shape::spheres) bodies.radius.push_back(finite(radius));
    }
    if (choices.chance(24)) add_filter(bodies, FilterCase::groups, n, 6);
    return bodies;
}

// The next step: all bodies move a little.
template <Real T, int D>
void move_on(OwnedBodies<T, D>& bodies, double by) {
    scenes::Random random(5);
    for (std::size_t c = 0; c < bodies.position.size(); ++c) {
        const T x = bodies.position[c] + static_cast<T>(by * (random.uniform() - 0.5));
        if (!std::isfinite(x)) continue;
        if (!bodies.upper.empty()) {
            const T y = bodies.upper[c] + (x - bodies.position[c]);
            if (!std::isfinite(y) || y < x) continue;
            bodies.upper[c] = y;
        }
        bodies.position[c] = x;
    }
}

template <Real T, int D>
class Run {
  public:
    explicit Run(Choices choices) : choices_(choices) {
        const double side = choices_.length();
        Options<D> options;
        options.threads = 1;
        options.method = any_method<D>(choices_, "");
        options.domain = any_domain<D>(choices_, side);
        const Magnitudes m(choices_, side);
        const double cutoff = choices_.chance(128) ? m.size : side * choices_.length() / 10;
        const ShapeCase& kind = shape_cases[choices_.below(std::size(shape_cases))];
        bodies_ = any_bodies<T, D>(choices_, m, kind, cutoff);
        // Second sets of the same shape and of another.
        others_ = any_bodies<T, D>(choices_, m, kind, cutoff);
        const Magnitudes elsewhere(choices_, side);
        queries_ = any_bodies<T, D>(
            choices_, elsewhere, shape_cases[choices_.below(std::size(shape_cases))], cutoff);
        step_ = choices_.chance(128) ? m.size / 20 : choices_.length();
        describe(options, side, m);
        timed("construction", [&] { finder_ = Finder<T, D>(options); });
    }

    void calls() {
        constexpr std::size_t neighbours[] = {1, 3, 50, 10000, 1000000, 1000000000};
        for (int step = 0; step < 3; ++step) {
            if (!timed("update", [&] { finder_.update(bodies_.view()); })) return;
            const unsigned which = choices_.byte();
            const Order order = choices_.chance(128) ? Order::sorted : Order::any;
            if (which % 2 == 0) timed("pairs", [&] { finder_.pairs(order); });
            if (which % 3 == 0) timed("count", [&] { finder_.count(); });
            if (which % 5 == 0) timed("changes", [&] { finder_.changes(); });
            if (which % 7 == 0)
                timed("neighbours", [&] {
                    finder_.neighbours(which & 8 ? RowKind::half : RowKind::full, order,
                                       which & 16 ? RowOrder::spatial : RowOrder::body);
                });
            if (which % 4 == 1) timed("probe", [&] { finder_.probe(queries_.view(), order); });
            if (which % 4 == 2)
                timed("pairs_with", [&] { finder_.pairs_with(others_.view(), order); });
            if (which % 9 == 4) timed("order", [&] { finder_.order(); });
            if (which % 4 == 3) {
                const std::size_t k = neighbours[choices_.below(6)];
                const T max_distance = choices_.chance(128) ? std::numeric_limits<T>::infinity()
                                                            : static_cast<T>(choices_.length());
                const std::string call = "nearest " + std::to_string(k);
                if (which & 32)
                    timed(call, [&] { finder_.nearest(k, max_distance); });
                else
                    timed(call + " to queries",
                          [&] { finder_.nearest(queries_.view(), k, max_distance); });
            }
            move_on(bodies_, step_);
        }
    }

  private:
    void describe(const Options<D>& options, double side, const Magnitudes& m) {
        char text[512];
        std::snprintf(
            text, sizeof(text),
            "%s %dD %s, %zu %s (%zu others, %zu queries: %s), side %g, extent %g at %g, "
            "size %g, outliers %u: %g, %g, motion %g, cut-off %g, lattice",
            sizeof(T) == 4 ? "float" : "double", D, options.method.c_str(), bodies_.size(),
            bodies_.kind.name, others_.size(), queries_.size(), queries_.kind.name, side,
            m.extent, m.centre, m.size, m.outliers, m.far, m.giant, m.motion,
            static_cast<double>(bodies_.cutoff));
        what_ = text;
        for (std::size_t k = 0; k < D; ++k) {
            what_ += options.domain.periodic()[k] ? " (" : " open (";
            for (const double x : options.domain.lattice()[k]) {
                std::snprintf(text, sizeof(text), " %g", x);
                what_ += text;
            }
            what_ += ")";
        }
    }

    // False if the call was an error.
    bool timed(const std::string& call, const std::function<void()>& f) {
        const double before = processor_seconds();
        bool good = true;
        try {
            f();
        } catch (const Error&) {
            good = false;
        }
        const double seconds = processor_seconds() - before;
        if (seconds <= max_seconds * slow_down) return good;
        std::fprintf(stderr, "%s took %.1f s: %s\n", call.c_str(), seconds, what_.c_str());
        std::abort();
    }

    Choices choices_;
    OwnedBodies<T, D> bodies_, others_, queries_;
    double step_ = 0;
    std::string what_;
    Finder<T, D> finder_;
};

template <Real T, int D>
void run(const Choices& choices) {
    try {
        Run<T, D>(choices).calls();
    } catch (const Error&) {  // of a domain or an option
    }
}

}  // namespace
}  // namespace vicinal::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace vicinal::test;
    Choices choices(data, size);
    switch (choices.below(4)) {
        case 0:
            run<float, 2>(choices);
            break;
        case 1:
            run<float, 3>(choices);
            break;
        case 2:
            run<double, 2>(choices);
            break;
        default:
            run<double, 3>(choices);
            break;
    }
    return 0;
}
