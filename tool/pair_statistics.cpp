#include "pair_statistics.hpp"

#include <limits>
#include <numbers>
#include <numeric>

#include <vicinal/error.hpp>

namespace vicinal::tool {
namespace {

double ball(double radius, int dim) {
    return dim == 2 ? std::numbers::pi * (radius * radius)
                    : 4 * std::numbers::pi / 3 * (radius * radius * radius);
}

double determinant(const Domain<2>::Lattice& m) {
    return m[0][0] * m[1][1] - m[0][1] * m[1][0];
}

double determinant(const Domain<3>::Lattice& m) {
    double sum = 0;
    for (std::size_t a = 0; a < 3; ++a) {
        const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
        sum += m[0][a] * (m[1][b] * m[2][c] - m[1][c] * m[2][b]);
    }
    return sum;
}

// The extent of the bodies along lattice vector k, in units of it.
template <Real T, int D>
double extent(const Bodies<T, D>& bodies, const typename Domain<D>::Lattice& lattice,
              std::size_t k) {
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    auto replaced = lattice;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        for (int a = 0; a < D; ++a)
            replaced[k][static_cast<std::size_t>(a)] =
                static_cast<double>(bodies.position(i, a));
        const double coordinate = determinant(replaced) / determinant(lattice);
        lowest = std::min(lowest, coordinate);
        highest = std::max(highest, coordinate);
    }
    return bodies.size() == 0 ? 0 : highest - lowest;
}

}  // namespace

Coordination::Coordination(std::span<const std::uint64_t> degrees)
    : bodies(degrees.size()),
      pairs(std::accumulate(degrees.begin(), degrees.end(), std::uint64_t{0}) / 2) {
    std::vector<std::uint64_t> sorted(degrees.begin(), degrees.end());
    std::ranges::sort(sorted);
    for (const std::uint64_t degree : sorted) {
        if (counts.empty() || counts.back().neighbours != degree) counts.push_back({degree, 0});
        ++counts.back().bodies;
    }
}

double Coordination::mean() const {
    return bodies == 0 ? 0 : 2 * static_cast<double>(pairs) / static_cast<double>(bodies);
}

std::uint64_t Coordination::isolated() const {
    return counts.empty() || counts[0].neighbours > 0 ? 0 : counts[0].bodies;
}

std::uint64_t Radial::count(std::size_t begin, std::size_t end) const {
    return std::accumulate(pairs.begin() + static_cast<std::ptrdiff_t>(begin),
                           pairs.begin() + static_cast<std::ptrdiff_t>(end), std::uint64_t{0});
}

double Radial::g(std::size_t begin, std::size_t end) const {
    if (!defined()) return std::numeric_limits<double>::quiet_NaN();
    const double shell = ball(edges[end], dim) - ball(edges[begin], dim);
    return 2 * static_cast<double>(count(begin, end)) / static_cast<double>(bodies) /
           (density() * shell);
}

double Radial::neighbours(std::size_t end) const {
    if (bodies == 0) return 0;
    return 2 * static_cast<double>(count(0, end)) / static_cast<double>(bodies);
}

double Radial::neighbour_density() const {
    return neighbours(bins()) / ball(cutoff(), dim);
}

void Radial::check() const {
    const double first_shell = ball(edges[1], dim);
    if (std::isnormal(first_shell) && std::isnormal(ball(cutoff(), dim)) &&
        (volume == 0 || std::isnormal(volume)))
        return;
    throw Error(Error::Kind::input,
                "g(r): the volume of the bodies or of a shell is too large or too small for a "
                "number; use another unit of length");
}

std::vector<double> bin_edges(double cutoff, std::size_t bins) {
    std::vector<double> edges(bins + 1);
    for (std::size_t k = 0; k < bins; ++k)
        edges[k] = cutoff * static_cast<double>(k) / static_cast<double>(bins);
    edges[bins] = cutoff;
    return edges;
}

template <Real T, int D>
double volume_of(const Bodies<T, D>& bodies, const Domain<D>& domain) {
    auto lattice = domain.lattice();
    // Files may give an open axis as a vector of zeros; as in the library, it is then x, y or
    // z.
    for (std::size_t k = 0; k < D; ++k)
        if (!domain.periodic()[k] && lattice[k] == std::array<double, D>{}) lattice[k][k] = 1;
    double volume = std::abs(determinant(lattice));
    for (std::size_t k = 0; k < D; ++k)
        if (!domain.periodic()[k]) volume *= extent(bodies, lattice, k);
    return volume;
}

template double volume_of(const Bodies<float, 2>&, const Domain<2>&);
template double volume_of(const Bodies<float, 3>&, const Domain<3>&);
template double volume_of(const Bodies<double, 2>&, const Domain<2>&);
template double volume_of(const Bodies<double, 3>&, const Domain<3>&);

}  // namespace vicinal::tool
