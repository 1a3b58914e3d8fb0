// Brute force: tests every body against every other. O(N^2) time, O(N) memory. The reference
// for all other methods, and the fastest for a few dozen bodies; too slow beyond thousands.
#include "methods/registry.hpp"

#include <numeric>

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T, int D>
class BruteForce final : public Method<T, D> {
  public:
    explicit BruteForce(const Choice&) {}

    void build(const Scene<T, D>& scene) override {
        const auto instances = packed_.entries(scene.size());
        std::iota(instances.begin(), instances.end(), Index{0});
        packed_.fill(scene, {});
    }

    std::size_t tasks() const override { return (packed_.size() + rows - 1) / rows; }

    void search(Range tasks, const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, packed_);

        for (std::size_t t = tasks.begin; t < tasks.end; ++t) {
            const Run run{t * rows, std::min((t + 1) * rows, packed_.size())};
            sieve.self(run);
            sieve.cross(run, {run.end, packed_.size()});
        }
    }

    void probe(const Scene<T, D>&, Range instances,
               const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, packed_);

        for (std::size_t q = instances.begin; q < instances.end; ++q)
            sieve.probe_one(static_cast<Index>(q), {0, packed_.size()});
    }

  private:
    static constexpr std::size_t rows = 64;  // entries per task

    Packed<T, D> packed_;
};

}  // namespace

MethodEntry describe_brute_force() {
    return describe_method<BruteForce>(
        {"brute_force", "every body against every other; the reference for all methods", {}});
}

}  // namespace vicinal::inline VICINAL_API
