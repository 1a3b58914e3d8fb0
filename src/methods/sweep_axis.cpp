// Sort and sweep along one axis: bodies are sorted by the lower side of their boxes on the axis
// of largest variance; each is tested against those that begin before it ends (Avril et al.'s
// sort-and-sweep, from scratch in every step). O(N log N) to sort; a body is tested against all
// that overlap it along the axis, so O(N^(5/3)) candidates for uniform density in 3-D. Wins on
// a few thousand bodies and on long, thin scenes; loses on large ones.
#include "methods/registry.hpp"

#include "structures/sweep_order.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T, int D>
class SweepAxis final : public Method<T, D> {
  public:
    explicit SweepAxis(const Choice&) {}

    void build(const Scene<T, D>& scene) override { order_.assign(scene, packed_); }

    std::size_t tasks() const override { return (packed_.size() + entries - 1) / entries; }

    void search(Range tasks, const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, packed_);

        for (std::size_t t = tasks.begin; t < tasks.end; ++t)
            for (std::size_t e = t * entries; e < std::min((t + 1) * entries, packed_.size());
                 ++e)
                sieve.one(e, order_.after(e));
    }

    void probe(const Scene<T, D>& queries, Range instances,
               const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, packed_);

        for (std::size_t q = instances.begin; q < instances.end; ++q) {
            const auto query = static_cast<Index>(q);
            sieve.probe_one(query, order_.around(queries.box(query)));
        }
    }

    Statistics statistics() const override {
        return {{"axis swept", static_cast<double>(order_.axis())}};
    }

  private:
    static constexpr std::size_t entries = 256;  // per task

    SweepOrder<T, D> order_;
    Packed<T, D> packed_;
};

}  // namespace

MethodEntry describe_sweep_axis() {
    return describe_method<SweepAxis>(
        {"sweep_axis",
         "sorted along one axis, each body against those that overlap it there",
         {}});
}

}  // namespace vicinal::inline VICINAL_API
