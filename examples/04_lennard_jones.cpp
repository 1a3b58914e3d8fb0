// Molecular dynamics of a Lennard-Jones liquid in a periodic box, in reduced units: velocity
// Verlet at constant energy. The finder gives the vectors to the neighbours, images included.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include <vicinal/vicinal.hpp>

using Vec = std::array<double, 3>;

// A face-centred cubic lattice of cells^3 cells, 4 atoms in each.
static std::vector<Vec> lattice(int cells, double cell) {
    std::vector<Vec> x;
    for (int c = 0; c < cells * cells * cells; ++c)
        for (const Vec& basis : {Vec{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}})
            x.push_back({(c % cells + basis[0]) * cell, (c / cells % cells + basis[1]) * cell,
                         (c / cells / cells + basis[2]) * cell});
    return x;
}

static double kinetic_energy(const std::vector<Vec>& v) {
    double sum = 0;
    for (const Vec& u : v) sum += (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) / 2;
    return sum;
}

static double largest_momentum(const std::vector<Vec>& v) {
    Vec sum{};
    for (const Vec& u : v)
        for (std::size_t a = 0; a < 3; ++a) sum[a] += u[a];
    return std::max({std::abs(sum[0]), std::abs(sum[1]), std::abs(sum[2])});
}

int main() {
    constexpr int cells = 5, steps = 400;
    constexpr double density = 0.8442, temperature = 1.44, cutoff = 2.5, dt = 0.002;
    const double cell = std::cbrt(4 / density), side = cells * cell;
    std::vector<Vec> x = lattice(cells, cell), v(x.size()), force(x.size());

    std::mt19937 random(1);
    std::normal_distribution<double> normal(0, std::sqrt(temperature));
    Vec mean{};
    for (Vec& u : v)
        for (std::size_t a = 0; a < 3; ++a)
            mean[a] += (u[a] = normal(random)) / static_cast<double>(v.size());
    for (Vec& u : v)
        for (std::size_t a = 0; a < 3; ++a)
            u[a] -= mean[a];  // the liquid as a whole is at rest

    vicinal::Options<3> options;
    options.domain = vicinal::Domain<3>::orthogonal({side, side, side});
    vicinal::Finder<double, 3> finder(options);

    // Force and potential energy. The potential is shifted to be 0 at the cut-off.
    const double at_cutoff = 4 * (std::pow(cutoff, -12) - std::pow(cutoff, -6));
    const auto compute_forces = [&] {
        double potential = 0;
        const auto& rows =
            finder.neighbours(vicinal::points<3>(x, cutoff), vicinal::Columns::ijD);
        for (std::size_t i = 0; i < x.size(); ++i) {
            force[i] = {};
            for (const Vec& d : rows.vectors_of(i)) {  // from i to its neighbour
                const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                const double s6 = 1 / (r2 * r2 * r2);
                potential += (4 * (s6 * s6 - s6) - at_cutoff) / 2;  // each pair is in two rows
                const double f = 24 * (2 * s6 * s6 - s6) / r2;
                for (std::size_t a = 0; a < 3; ++a) force[i][a] -= f * d[a];
            }
        }
        return potential;
    };

    const double before = compute_forces() + kinetic_energy(v);
    double after = before;
    for (int step = 1; step <= steps; ++step) {
        for (std::size_t i = 0; i < x.size(); ++i)
            for (std::size_t a = 0; a < 3; ++a) {
                v[i][a] += force[i][a] * dt / 2;
                x[i][a] += v[i][a] * dt;  // atoms may leave the box: images refer to x as it is
            }
        const double potential = compute_forces();
        for (std::size_t i = 0; i < x.size(); ++i)
            for (std::size_t a = 0; a < 3; ++a) v[i][a] += force[i][a] * dt / 2;
        after = potential + kinetic_energy(v);
        if (step % 100 == 0)
            std::printf("step %d: energy per atom %.5f, temperature %.3f\n", step,
                        after / static_cast<double>(x.size()),
                        2 * kinetic_energy(v) / (3 * static_cast<double>(x.size())));
    }
    const double drift = std::abs(after - before) / kinetic_energy(v);
    const double momentum = largest_momentum(v);
    std::printf("drift of the energy %.1e of the kinetic energy, momentum %.1e\n", drift,
                momentum);
    return drift < 1e-4 && momentum < 1e-9 ? 0 : 1;
}
