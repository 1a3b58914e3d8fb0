// The sieve decides which proposed candidates are pairs and writes them down. A method
// proposes runs of entries against each other; it never looks at a coordinate of a pair.
#pragma once

#include "core/blocks.hpp"
#include "core/decide.hpp"
#include "core/filter.hpp"
#include "core/packed.hpp"
#include "simd/boxes.hpp"
#include "simd/lists.hpp"
#include "simd/runs.hpp"
#include "simd/strips.hpp"

namespace vicinal {

// Consecutive entries of the packed arrays.
struct Run {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t size() const { return end - begin; }
};

// The owner rule, for methods that put a body in several places: a candidate counts only if
// at least one of the two has each bit of `either`, the first has all bits of `first` and the
// second all of `second`. The sieve adds the scene's image bits to `either` by itself.
struct Owner {
    Bits either = 0;
    Bits first = 0;
    Bits second = 0;
};

// What is put against what, for all workers of one search.
template <Real T, int D>
struct Question {
    const Scene<T, D>* scene = nullptr;
    const Scene<T, D>* queries = nullptr;  // null: the scene with itself
    const Filter<T, D>* filter = nullptr;
    ReachRule rule = ReachRule::sum;
    bool bare = false;  // probes: points have no cut-off of their own
    StripKernels<D> strips{};
    BoxKernels<D> boxes{};
    RunKernels<T, D> runs{};
    ListKernels<T, D> lists{};
};

// How the bodies of a list of pairs are recorded (simd/lists.hpp).
template <Real T>
struct Records {
    const T* values;
    bool boxes;  // else round, near by the rule
    ReachRule rule;
};

// What a worker keeps between tasks and steps.
template <int D>
struct SieveScratch {
    StripScratch<D> strip;
    BoxScratch box;
    std::size_t bytes() const { return strip.bytes() + box.bytes(); }
};

template <Real T, int D>
class Sieve final : private StripSink<D>, private BoxSink<D> {
  public:
    Sieve(const Question<T, D>& question, const Packed<T, D>& packed, BlockWriter<D>& out,
          SieveScratch<D>& scratch);
    // So a method that finds whole rows may be asked to mark them.
    void mark_rows(MarkTape& on, std::uint64_t* row_lengths) {
        this->tape = &on;
        this->lengths = row_lengths;
    }

    void one(std::size_t entry, Run run, Owner owner = {});  // one entry against a run
    void cross(Run a, Run b, Owner owner = {});              // two runs without common entries
    void self(Run run, Owner owner = {});                    // a run with itself
    void ask(Index query, Run run, Owner owner = {});        // an instance of the queries

    void one(Index first, Index second);  // two instances, the first one of the queries if any
    // Part of a row of boxes, each against those that follow it in the row; entries count if
    // on every axis of `either` one of the two has the bit.
    void sweep(const BoxRows<D>& rows, std::uint32_t first, std::uint32_t last,
               std::uint32_t row_end, Owner owner);
    // An instance, of the queries if any, as a box against a run of entries.
    void ask(const BoxRows<D>& rows, Index instance, const Box<float, D>& box, Run run,
             Owner owner);
    // Part of a row of points on the fine lattice with itself and the rows above.
    void strip(const FinePoints<D>& points, const StripRow<D>& row);
    // Part of such a row with all rows around: marks whole neighbour rows.
    void ring(const FinePoints<D>& points, const StripRing<D>& ring);

    // Pairs of entries, each once; those of two plain bodies are decided by their records.
    void list(const Records<T>& records, std::span<const EntryPair> pairs);
    // Pairs of entries, each once, whose boxes meet: if both are plain boxes, they touch.
    void meeting(std::span<const EntryPair> pairs);

  private:
    void look(const Index* first, const Index* second, std::size_t count) override;
    void look_across(const Index* first, const Index* second, std::size_t count);
    void look_at_ghosts(const Index* first, const Index* second, std::size_t count);
    void decide(const MaybePair* pairs, std::size_t count) override;
    bool decide(Index first, Index second) override { return touches(first, second); }
    void expect(Index first, Index second) override {
        scene_.prefetch(first);
        scene_.prefetch(second);
    }
    void settle(Index first, Index second);
    void settle(const EntryPair& near);
    struct Place {  // of an instance
        Index body;
        Image<D> at;
    };
    Place place_of(Index marked) const;
    Index instance_of(Index number) const;
    // Is there nothing to ask of two bodies that touch? Images always have bits.
    bool all_settled() const { return !question_.filter->active() && !packed_.owned(); }
    void hits(const Index* first, const Index* second, std::size_t count) override;
    bool touches(Index first, Index second) const;
    bool touches(const Place& first, const Place& second) const;
    BoxRows<D> with_bits(BoxRows<D> rows, unsigned needed);

    // How to test the first of two against a run.
    enum class Test : std::uint8_t { points, spheres, boxes, proxies, everything };

    struct First {  // the first of the two, loaded once
        Index instance;
        Bits bits;
        std::array<T, 2 * D> values;  // as in the packed columns
        T radius;
    };

    First load(std::size_t entry) const;
    First load_query(Index query) const;
    void sift(const First& first, Run run, Owner owner);
    void emit(const First& first, Index instance);
    void write(const Place& first, const Place& second);
    void write_marked(Index first, Index second);

    const Scene<T, D>& scene_;
    const Scene<T, D>& first_scene_;  // the queries, or the scene
    const Packed<T, D>& packed_;
    const Question<T, D> question_;
    BlockWriter<D>& out_;
    SieveScratch<D>& scratch_;
    FinePoints<D> points_{};
    const FaceImages<D>* faces_ = nullptr;  // where they are joined: the strip's
    typename BoxRows<D>::Kind box_kind_;
    Test test_;
    RunTest<T, D> near_test_ = nullptr;  // null: everything is near
    RunColumns<T, D> columns_{};
    bool one_set_;
    bool moving_;
};

}  // namespace vicinal
