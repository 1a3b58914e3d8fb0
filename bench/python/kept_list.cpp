// What bench/python/ratios.py compares arrays with: the list that a finder of the C++ interface
// keeps, in blocks, as double loops over its pairs read it.
#include <chrono>
#include <memory>
#include <span>

#include <vicinal/vicinal.hpp>

namespace {

template <vicinal::Real T>
double seconds(const T* x, std::size_t n, double cutoff, std::uint64_t* count) {
    static vicinal::Finder<T, 3> finder({.threads = 1});
    const auto begin = std::chrono::steady_clock::now();
    const auto& pairs = finder.pairs(vicinal::points<3>(std::span(x, 3 * n), cutoff));
    const auto end = std::chrono::steady_clock::now();
    *count = pairs.size();
    return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

extern "C" double kept_list_float(const float* x, std::size_t n, double cutoff,
                                  std::uint64_t* count) {
    return seconds(x, n, cutoff, count);
}
extern "C" double kept_list_double(const double* x, std::size_t n, double cutoff,
                                   std::uint64_t* count) {
    return seconds(x, n, cutoff, count);
}
