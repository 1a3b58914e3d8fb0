// The sieve decides which proposed candidates are pairs, and writes them. A method proposes
// runs of entries against each other; it never reads the coordinates of a pair.
#pragma once

#include <span>

#include "scene/packed.hpp"
#include "sieve/pair_emitter.hpp"
#include "sieve/search_context.hpp"

namespace vicinal::inline VICINAL_API {

// Consecutive entries of the packed arrays.
struct Run {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t size() const { return end - begin; }
};

// The owner rule, for methods that put a body in several cells: a candidate is accepted only if
// each bit of `either` is set for at least one of the two, all bits of `first` for the first
// and all bits of `second` for the second. The sieve itself adds the scene's lowest-image flags
// to `either`.
struct Owner {
    Bits either = 0;
    Bits first = 0;
    Bits second = 0;
};

// The records of the bodies in a list of pairs (simd/lists.hpp).
template <Real T>
struct Records {
    const T* values;
    bool boxes;  // else round, with this reach rule
    ReachRule rule;
};

template <Real T, int D>
class Sieve {
  public:
    Sieve(const SearchContext<T, D>& context, const Packed<T, D>& packed);

    void one(std::size_t entry, Run run, Owner owner = {});  // one entry against a run
    void cross(Run a, Run b, Owner owner = {});              // two runs without common entries
    void self(Run run, Owner owner = {});                    // a run with itself
    void probe_one(Index query, Run run, Owner owner = {});  // an instance of the query scene

    // Two instances, the first of the query scene if there is one.
    void test(Index first, Index second) { emitter_.test(first, second); }

    // Pairs of entries, each once; pairs of two unshifted bodies are decided by their records.
    void list(const Records<T>& records, std::span<const EntryPair> pairs);
    // Pairs of entries, each once, whose boxes overlap: if both are unshifted boxes, they
    // touch.
    void overlapping(std::span<const EntryPair> pairs);

  private:
    void emit_if_owner(const EntryPair& near);
    // True if touching bodies are pairs without further checks. Images always have bits.
    bool writes_directly() const { return !packed_.owned(); }

    struct First {  // the first of the two, loaded once
        Index instance;
        Bits bits;
        RunQuery<T, D> values;
    };

    void choose_test(const RunKernels<T, D>& kernels);
    void load(std::size_t entry, First& first) const;
    void load_query(Index query, First& first) const;
    void test_run(const First& first, Run run, Owner owner);
    std::size_t keep_owned(Bits first, Owner owner, std::span<Index> entries) const;
    void write(Index first, std::span<const Index> entries);

    const SearchContext<T, D> context_;
    const Scene<T, D>&scene_, &first_scene_;  // first_scene_: the query scene, or the scene
    const Packed<T, D>& packed_;
    BlockWriter<D>& out_;
    PairEmitter<T, D> emitter_;
    // What the columns are tested as: proxies if a test by bounds precedes the formula.
    PackedKind tested_;
    RunTest<T, D> near_test_ = nullptr;  // null: every entry passes
    RunColumns<T, D> columns_{};
    First query_;  // the last one loaded
};

}  // namespace vicinal::inline VICINAL_API
