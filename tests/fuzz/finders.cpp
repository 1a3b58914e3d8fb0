// Random scenes to every method; any difference from the plain double loop is a find. Bytes
// are read as small whole numbers and scaled, so that touching, coincident and aligned bodies
// are common rather than rare.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

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
    // Among images a shear carries far bodies over as many periods as they are out: the plain
    // search would try all of them.
    double far = 64;

  private:
    const std::uint8_t* data_;
    std::size_t size_, at_ = 0;
};

template <Real T, int D>
void run(Bytes bytes) {
    const ShapeCase& kind = shape_cases[bytes.next() % std::size(shape_cases)];
    const char* domain_name = domain_names[bytes.next() % std::size(domain_names)];
    if (std::string_view(domain_name) != "open") bytes.far = 8;
    std::array<double, D> period;
    for (double& p : period) p = 2 + bytes.length() * 4;
    OwnedBodies<T, D> bodies;
    bodies.kind = kind;
    bodies.cutoff = static_cast<T>(bytes.length());
    while (!bytes.empty() && bodies.size() < 40) {
        for (int a = 0; a < D; ++a) {
            const double x = bytes.coordinate();
            bodies.position.push_back(static_cast<T>(x));
            if (kind.shape == Shape::boxes)
                bodies.upper.push_back(static_cast<T>(x + bytes.length()));
            if (kind.swept)
                bodies.displacement.push_back(static_cast<T>(bytes.coordinate() / 8));
        }
        if (kind.shape == Shape::spheres)
            bodies.radius.push_back(static_cast<T>(bytes.length()));
    }
    const auto domain = make_domain<D>(domain_name, period, kind.swept);
    const Found<D> expected = tool::plain_pairs(bodies.view(), domain);
    for (const MethodInfo& method : methods()) {
        Options<D> options;
        options.domain = domain;
        options.method = method.name;
        options.threads = 1;
        Finder<T, D> finder(options);
        finder.update(bodies.view());
        const std::string wrong = difference<D>(expected, listed(finder.pairs(Order::sorted)));
        if (wrong.empty()) continue;
        std::fprintf(stderr, "%s %s %s %dD: %s\n", method.name.c_str(), kind.name, domain_name,
                     D, wrong.c_str());
        std::abort();
    }
}

}  // namespace
}  // namespace vicinal::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace vicinal::test;
    Bytes bytes(data, size);
    switch (bytes.next() % 4) {
        case 0:
            run<float, 2>(bytes);
            break;
        case 1:
            run<float, 3>(bytes);
            break;
        case 2:
            run<double, 2>(bytes);
            break;
        default:
            run<double, 3>(bytes);
            break;
    }
    return 0;
}
