// Compares all methods with the plain double loop on random scenes. Each scene has a few steps,
// in which bodies move, stop and move again, and a shear may advance. At each step, the pairs
// of one set, those with a second set and a probe of any shape are compared. Bytes are read as
// small whole numbers and scaled, so that touching, coincident and aligned bodies are common
// rather than rare.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "support/bodies.hpp"
#include "support/compare.hpp"

namespace vicinal::test {
namespace {

class Bytes {
  public:
    Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
    unsigned next() { return at_ < size_ ? data_[at_++] : 0u; }
    bool empty() const { return at_ >= size_; }
    // A coordinate: mostly small multiples of a quarter, sometimes far away or slightly off.
    double coordinate() {
        const unsigned b = next();
        double x = (static_cast<int>(b & 63) - 32) * 0.25;
        if ((b & 0xc0) == 0xc0) x = std::nextafter(x, 1e9);
        if ((b & 0xc0) == 0x80) x *= far;
        return x;
    }
    double length() { return (next() & 15) * 0.125; }
    // The change of a shear during the step, in periods: a fraction, a few, slightly off, tiny.
    double change() {
        const unsigned b = next();
        double x = (static_cast<int>(b & 31) - 16) * 0.25;
        if ((b & 0xc0) == 0x40) x = std::nextafter(x, 1e9);
        if ((b & 0xc0) == 0x80) x /= 3;
        if ((b & 0xc0) == 0xc0) x *= 0x1p-12;
        return x;
    }
    // A shear moves the images of bodies that are many periods outside by as many periods; the
    // plain search would test all of these images.
    double far = 64;

  private:
    const std::uint8_t* data_;
    std::size_t size_, at_ = 0;
};

// With displacements; each step decides whether they are used.
template <Real T, int D>
OwnedBodies<T, D> read_bodies(Bytes& bytes, const ShapeCase& kind, T cutoff,
                              std::size_t max_bodies) {
    OwnedBodies<T, D> bodies;
    bodies.kind = kind;
    bodies.cutoff = cutoff;
    while (!bytes.empty() && bodies.size() < max_bodies) {
        for (int a = 0; a < D; ++a) {
            const double x = bytes.coordinate();
            bodies.position.push_back(static_cast<T>(x));
            if (kind.shape == Shape::boxes)
                bodies.upper.push_back(static_cast<T>(x + bytes.length()));
            bodies.displacement.push_back(static_cast<T>(bytes.coordinate() / 8));
        }
        if (kind.shape == Shape::spheres)
            bodies.radius.push_back(static_cast<T>(bytes.length()));
    }
    return bodies;
}

// What changes from step to step.
struct Step {
    bool bodies_move, others_move, ask_first, mesh, kinds;
    double change, offset;  // of a shear, in periods
    double by;              // displacement of bodies
};

Step read_step(Bytes& bytes, const ShapeCase& kind) {
    const unsigned b = bytes.next();
    Step step{};
    step.bodies_move = kind.swept != ((b & 1) != 0);
    step.others_move = (b & 2) != 0;
    step.ask_first = (b & 4) != 0;
    step.change = (b & 8) != 0 ? 0 : bytes.change();
    step.offset = static_cast<double>(bytes.next() & 15) / 8 - 1;
    step.by = (b & 16) != 0 ? 0 : 0.01 * bytes.length();
    step.mesh = (b & 32) != 0;
    step.kinds = (b & 64) != 0;
    return step;
}

template <Real T, int D>
void move_on(OwnedBodies<T, D>& bodies, double by) {
    for (std::size_t c = 0; c < bodies.position.size(); ++c) {
        const auto x = static_cast<T>(by * (static_cast<double>(c * 7 % 5) - 2));
        bodies.position[c] += x;
        if (!bodies.upper.empty()) bodies.upper[c] += x;
    }
}

// With or without vertices.
template <Real T, int D>
void set_vertices(OwnedBodies<T, D>& bodies, bool given, std::size_t each) {
    bodies.vertices.clear();
    if (given) add_vertices(bodies, each, 30, each);
}

// With or without kinds of points.
template <Real T, int D>
void set_kinds(OwnedBodies<T, D>& bodies, bool given, std::uint64_t seed) {
    bodies.species.clear();
    bodies.cutoffs.clear();
    if (given) add_kinds(bodies, seed);
}

// The default, four others in turn, and one inside verlet with a list from the first step on.
// With all methods in every scene, the fuzzer would run few scenes.
std::vector<std::string> chosen_methods(Bytes& bytes) {
    const std::vector<MethodInfo> all = methods();
    const unsigned b = bytes.next();
    std::vector<std::string> names{"auto"};
    for (unsigned k = 0; k < 4; ++k) names.push_back(all[(b + 5 * k) % all.size()].name);
    const std::string& inner = all[bytes.next() % all.size()].name;
    if (inner != "verlet")
        names.push_back("verlet(inner=" + inner + ", skin=" + (b < 128 ? "0.125" : "1") + ")");
    return names;
}

template <Real T, int D>
class Run {
  public:
    explicit Run(Bytes bytes) {
        const ShapeCase& kind = shape_cases[bytes.next() % std::size(shape_cases)];
        const unsigned domain = bytes.next() % (std::size(domain_names) + 4);
        sheared_ = domain >= std::size(domain_names);
        name_ = sheared_ ? "moving shear" : domain_names[domain];
        for (double& p : period_) p = 2 + bytes.length() * 4;
        const auto cutoff = static_cast<T>(bytes.length());
        names_ = chosen_methods(bytes);
        const unsigned counts = bytes.next();
        for (unsigned s = 0; s <= counts % 3; ++s) steps_.push_back(read_step(bytes, kind));
        if (name_ != "open") bytes.far = 8;
        for (const Step& step : steps_)
            if (sheared_ && std::abs(step.change) > 0.25) bytes.far = 2;
        const ShapeCase& asking = shape_cases[bytes.next() % std::size(shape_cases)];
        others_ = read_bodies<T, D>(bytes, kind, cutoff, counts / 4 % 8);
        queries_ = read_bodies<T, D>(bytes, asking, cutoff, counts / 32);
        bodies_ = read_bodies<T, D>(bytes, kind, cutoff, 40);
    }

    void check() {
        std::vector<Finder<T, D>> finders;
        for (const std::string& name : names_) {
            Options<D> options;
            options.method = name;
            options.threads = 1;
            finders.emplace_back(options);
        }
        for (const Step& step : steps_) {
            move_on(bodies_, step.by);
            bodies_.kind.swept = step.bodies_move;
            others_.kind.swept = step.others_move;
            set_vertices(bodies_, step.mesh, 3);
            set_vertices(others_, step.mesh, 2);
            set_vertices(queries_, step.mesh, 4);
            set_kinds(bodies_, step.kinds, 1);
            set_kinds(others_, step.kinds, 2);
            const Domain<D> domain = domain_at(step);
            own_ = reference::plain_pairs(bodies_.view(), domain);
            with_ = reference::plain_pairs(others_.view(), bodies_.view(), domain);
            probe_ = reference::plain_probe(bodies_.view(), queries_.view(), domain);
            for (std::size_t f = 0; f < finders.size(); ++f) {
                finders[f].update(bodies_.view(), domain);
                if (step.ask_first) compare_queries(finders[f], names_[f]);
                compare("pairs", names_[f], own_, finders[f].pairs(Order::sorted));
                if (!step.ask_first) compare_queries(finders[f], names_[f]);
            }
            // A step of a dense scene takes seconds with sanitizers.
            if (own_.size() + with_.size() + probe_.size() > 4096) return;
        }
    }

  private:
    Domain<D> domain_at(const Step& step) const {
        if (!sheared_) return make_domain<D>(name_, period_, step.bodies_move);
        return Domain<D>::sheared(period_, step.offset * period_[1], step.change * period_[1]);
    }

    void compare_queries(const Finder<T, D>& finder, const std::string& method) const {
        compare("pairs_with", method, with_, finder.pairs_with(others_.view(), Order::sorted));
        compare("probe", method, probe_, finder.probe(queries_.view(), Order::sorted));
    }

    void compare(const char* call, const std::string& method, const Found<D>& expected,
                 const PairList<D>& list) const {
        const std::string wrong = difference<D>(expected, listed(list));
        if (wrong.empty()) return;
        std::fprintf(stderr, "%s %s: %s%s, others%s, queries %s; %s %dD %s: %s\n",
                     method.c_str(), call, bodies_.kind.name,
                     bodies_.kind.swept ? " moving" : " at rest",
                     others_.kind.swept ? " moving" : " at rest", queries_.kind.name,
                     name_.c_str(), D, sizeof(T) == 4 ? "float" : "double", wrong.c_str());
        std::abort();
    }

    bool sheared_;
    std::string name_;
    std::array<double, D> period_;
    std::vector<std::string> names_;
    std::vector<Step> steps_;
    OwnedBodies<T, D> bodies_, others_, queries_;
    Found<D> own_, with_, probe_;
};

}  // namespace
}  // namespace vicinal::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace vicinal::test;
    Bytes bytes(data, size);
    switch (bytes.next() % 4) {
        case 0:
            Run<float, 2>(bytes).check();
            break;
        case 1:
            Run<float, 3>(bytes).check();
            break;
        case 2:
            Run<double, 2>(bytes).check();
            break;
        default:
            Run<double, 3>(bytes).check();
            break;
    }
    return 0;
}
