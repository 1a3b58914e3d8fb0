// Sweep over all pairs (Avril et al. 2010, sections 4 and 5, "brute force"): the triangle of
// all pairs is divided into tasks with equal numbers of pairs; nothing is sorted. The two parts
// that the paper times are the phases `build` (boxes) and `search` (overlap) of the report.
// O(N^2) for every scene: for measuring how the two parts scale, and for a few dozen bodies.
#include "methods/registry.hpp"

#include <numeric>

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T, int D>
class SweepAllPairs final : public Method<T, D> {
  public:
    explicit SweepAllPairs(const Choice&) {}

    void build(const Scene<T, D>& scene) override {
        const auto instances = packed_.entries(scene.size());
        std::iota(instances.begin(), instances.end(), Index{0});
        packed_.fill(scene, {});
    }

    // At most 960, which is divisible by most small numbers of threads.
    std::size_t tasks() const override {
        return static_cast<std::size_t>(
            std::min<std::uint64_t>(row_begin(packed_.size()) / 4096 + 1, 960));
    }

    void search(Range tasks, const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, packed_);

        for (std::size_t t = tasks.begin; t < tasks.end; ++t) join(cut(t), cut(t + 1), sieve);
    }

    void probe(const Scene<T, D>&, Range instances,
               const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, packed_);

        for (std::size_t q = instances.begin; q < instances.end; ++q)
            sieve.probe_one(static_cast<Index>(q), {0, packed_.size()});
    }

  private:
    // Pairs before row r, if row r holds the pairs of entry r with later entries. One of the
    // factors is even.
    std::uint64_t row_begin(std::uint64_t r) const {
        const std::uint64_t n = packed_.size(), other = n == 0 ? 0 : 2 * n - 1 - r;
        return r % 2 == 0 ? r / 2 * other : other / 2 * r;
    }

    // The first pair of task t.
    std::uint64_t cut(std::size_t t) const {
        const std::uint64_t pairs = row_begin(packed_.size()), parts = tasks();
        return pairs / parts * t + std::min<std::uint64_t>(t, pairs % parts);
    }

    void join(std::uint64_t first, std::uint64_t last, Sieve<T, D>& sieve) const {
        std::uint64_t row = 0, beyond = packed_.size();  // the row that holds the first pair
        while (beyond - row > 1) {
            const std::uint64_t middle = row + (beyond - row) / 2;
            (row_begin(middle) <= first ? row : beyond) = middle;
        }
        for (; first < last; ++row) {
            const std::uint64_t end = std::min(last, row_begin(row + 1));
            const std::uint64_t from = row + 1 + (first - row_begin(row));
            sieve.one(row, {from, from + (end - first)});
            first = end;
        }
    }

    Packed<T, D> packed_;
};

}  // namespace

MethodEntry describe_sweep_all_pairs() {
    return describe_method<SweepAllPairs>(
        {"sweep_all_pairs",
         "all pairs, divided evenly among threads; boxes and overlap timed separately",
         {}});
}

}  // namespace vicinal::inline VICINAL_API
