// What a finder did at its last update and search, for people and for benchmarks.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API {

// A method-specific figure, such as the number of records per body.
struct Statistic {
    std::string name;
    double value;
};
using Statistics = std::vector<Statistic>;

template <int D>
struct Report {
    std::string method;           // as run, with all options
    std::string why;              // why this method
    std::string nearest_method;   // the method of nearest(), if it is another one
    bool exact = true;            // false: the method's options let it miss pairs
    std::string simd = "scalar";  // instruction set of the sieve
    int threads = 0;
    std::uint64_t bodies = 0;
    std::uint64_t ghosts = 0;      // copies of bodies across periodic faces
    std::uint64_t candidates = 0;  // pairs the method proposed to the sieve
    std::uint64_t pairs = 0;
    Statistics statistics;    // method-specific, explained on the method's page
    std::uint64_t bytes = 0;  // memory the finder holds, pairs included
    std::array<std::array<double, D>, D> lattice{};  // as used: shear offset reduced
    struct {
        double scene = 0;   // checking the input, making ghosts
        double build = 0;   // ordering the bodies
        double search = 0;  // proposing and deciding
        double output = 0;  // sorting, making rows
        double total() const { return scene + build + search + output; }
    } seconds;
};

}  // namespace vicinal::inline VICINAL_API
