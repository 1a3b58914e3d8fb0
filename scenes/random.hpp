// A random number generator. The standard specifies engines but not distributions, so
// std::normal_distribution or std::shuffle would give different scenes with another standard
// library. Only + - * / and sqrt are used, which IEEE 754 rounds correctly.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace vicinal::scenes {

// xoshiro256** (Blackman and Vigna 2018), seeded by splitmix64 as they recommend.
class Random {
  public:
    explicit Random(std::uint64_t seed) {
        for (auto& word : state_) {
            seed += 0x9e3779b97f4a7c15U;
            std::uint64_t z = seed;
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
            word = z ^ (z >> 31);
        }
    }

    std::uint64_t next() {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    // In [0, 1), with 53 random bits.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

    double uniform(double low, double high) { return low + (high - low) * uniform(); }

    // 0 ... count - 1, each equally likely: the incomplete last round of values is rejected.
    std::uint64_t below(std::uint64_t count) {
        const std::uint64_t rounds = UINT64_MAX / count;
        std::uint64_t value = next();
        while (value >= rounds * count) value = next();
        return value % count;
    }

    // Mean 0, variance 1, at most 6 in magnitude.
    double normal() {
        double sum = 0;
        for (int i = 0; i < 12; ++i) sum += uniform();
        return sum - 6;
    }

  private:
    std::array<std::uint64_t, 4> state_{};
};

}  // namespace vicinal::scenes
