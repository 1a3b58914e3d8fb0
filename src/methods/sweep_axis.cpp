// Sweep along one axis: bodies sorted by where their boxes begin on the axis along which they
// are spread widest; each is put against those that begin before it ends (P2's sort-and-sweep,
// brute force in that every step starts from scratch). O(N log N) to sort; a body meets all
// those abreast of it, so O(N^(5/3)) candidates for bodies spread evenly in 3-D. Wins on a few
// thousand bodies and on scenes long and thin; loses on large ones.
#include "methods/registry.hpp"

#include "core/sweep_order.hpp"

namespace vicinal {
namespace {

template <Real T, int D>
class SweepAxis final : public Method<T, D> {
  public:
    explicit SweepAxis(const Choice&) {}

    void build(const Scene<T, D>& scene) override { order_.assign(scene, packed_); }

    const Packed<T, D>& packed() const override { return packed_; }

    std::size_t tasks() const override { return (packed_.size() + entries - 1) / entries; }

    void search(Range tasks, Sieve<T, D>& sieve) const override {
        for (std::size_t t = tasks.begin; t < tasks.end; ++t)
            for (std::size_t e = t * entries; e < std::min((t + 1) * entries, packed_.size());
                 ++e)
                sieve.one(e, order_.after(e));
    }

    void probe(const Scene<T, D>& queries, Range instances, Sieve<T, D>& sieve) const override {
        for (std::size_t q = instances.begin; q < instances.end; ++q) {
            const auto query = static_cast<Index>(q);
            sieve.ask(query, order_.around(queries.box(query)));
        }
    }

    std::size_t bytes() const override { return packed_.bytes() + order_.bytes(); }

    Figures figures() const override {
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
        {"sweep_axis", "sorted along one axis, each body against those abreast of it", {}});
}

}  // namespace vicinal
