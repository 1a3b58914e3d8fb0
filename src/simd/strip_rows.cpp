#include "simd/strips.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/strip_rows.cpp"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

#include "simd/strips-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vicinal::HWY_NAMESPACE {

// ---- the tape ------------------------------------------------------------------------------

// For every ring its instances, then cell by cell a head and the marks of its entries: a word
// for each vector of candidates.
constexpr std::size_t lanes = hn::MaxLanes(Coordinates());
using Word = std::conditional_t<(lanes > 16), std::uint32_t,
                                std::conditional_t<(lanes > 8), std::uint16_t, std::uint8_t>>;

struct RingHead {
    std::uint32_t cells, instances;
    std::uint32_t last;  // entry, and one more
};

struct CellHead {
    std::uint32_t first, last;  // entries
    std::uint32_t from, to;     // candidates
    std::size_t words() const { return (to - from + lanes - 1) / lanes; }
    std::size_t all_words() const { return (last - first) * words(); }
};

template <class T>
HWY_INLINE T* take(MarkTape& tape, std::size_t n) {
    static_assert(alignof(T) <= MarkTape::unit);
    return reinterpret_cast<T*>(tape.take(n * sizeof(T)));
}

// Copied in whole vectors: room for what is written too much.
HWY_INLINE Index* take_instances(MarkTape& tape, std::size_t n) {
    return take<Index>(tape, n + copied_at_once);
}

// ---- the first pass ------------------------------------------------------------------------

// Marks the neighbours of each entry.
template <int D>
struct Marker : Strip<D> {
    using Base = Strip<D>;
    using Base::dc;
    using Base::points;
    using Base::scratch;
    using Base::sink;
    using typename Base::Bounds;
    using typename Base::Candidates;
    using typename Base::Query;
    MarkTape& tape = *sink.tape;
    std::uint64_t* const lengths = sink.lengths;

    using Base::Base;

    // What the formula must decide is sent for, and waits until its row's length is noted.
    struct Maybe {
        MaybePair pair;
        Word* word;
        Word bit;
        std::uint32_t entry;
    };
    std::array<Maybe, 32> maybes;
    std::size_t maybe_count = 0;

    void decide_maybes() {
        for (std::size_t m = 0; m < maybe_count; ++m) {
            const Maybe& maybe = maybes[m];
            if (!sink.decide(maybe.pair.first, maybe.pair.second)) continue;
            *maybe.word = static_cast<Word>(*maybe.word | maybe.bit);
            ++lengths[maybe.entry];
        }
        maybe_count = 0;
    }

    // Returns how many of what the test leaves open are accepted at once.
    HWY_NOINLINE std::size_t keep_maybes(Candidates c, std::size_t own, std::size_t k,
                                         std::size_t end, std::uint32_t entry, Word* word) {
        std::size_t accepted = 0;
        for (std::uint64_t bits = Base::template between<false>(c, own, k, end); bits != 0;
             bits &= bits - 1) {
            const std::size_t lane = hwy::Num0BitsBelowLS1Bit_Nonzero64(bits), e = k + lane;
            const Doubt doubt = this->doubt(c, own, e);
            if (doubt == Doubt::far || e == own) continue;
            const auto bit = static_cast<Word>(Word{1} << lane);
            const MaybePair pair{c.value[own], c.value[e]};
            if (doubt == Doubt::remains && maybe_count < maybes.size()) {
                sink.expect(pair.first, pair.second);
                maybes[maybe_count++] = {pair, word, bit, entry};
            } else if (doubt == Doubt::none || sink.decide(pair.first, pair.second)) {
                *word = static_cast<Word>(*word | bit);
                ++accepted;
            }
        }
        return accepted;
    }

    // Entries that follow each other in a cell, the first at `own` in the strip.
    template <std::size_t queries>
    HWY_INLINE void mark(const Candidates& c, const Bounds& bounds, const CellHead& cell,
                         std::uint32_t entry, std::size_t own, Word* marks) {
        const std::size_t words = cell.words();
        std::array<Query, queries> q;
        std::array<std::size_t, queries> count{};
        for (std::size_t i = 0; i < queries; ++i)
            q[i] = Base::template query<false>(c, own + i);
        const auto test_word = [&]<bool last>(std::size_t w,
                                              std::bool_constant<last>) HWY_ATTR {
            const std::size_t k = cell.from + w * lanes;
            std::array<hn::Mask<Coordinates>, queries> near;
            const bool open = Base::template test<false, last>(q, bounds, c, k, cell.to, near);
            const auto bits = wide_bits(dc, near);
            for (std::size_t i = 0; i < queries; ++i) {
                marks[i * words + w] = static_cast<Word>(bits[i].together());
                count[i] += bits[i].count();
            }
            if (HWY_UNLIKELY(open))
                for (std::size_t i = 0; i < queries; ++i)
                    count[i] += keep_maybes(c, own + i, k, cell.to,
                                            entry + static_cast<std::uint32_t>(i),
                                            marks + i * words + w);
        };
        for (std::size_t w = 0; w + 1 < words; ++w) test_word(w, std::false_type());
        test_word(words - 1, std::true_type());
        for (std::size_t i = 0; i < queries; ++i) {
            // Nobody is its own neighbour.
            const std::size_t at = own + i - cell.from;
            Word& word = marks[i * words + at / lanes];
            const auto bit = static_cast<Word>(Word{1} << at % lanes);
            count[i] -= (word & bit) != 0;
            word = static_cast<Word>(word & ~bit);
            lengths[entry + i] = count[i];
        }
        if (maybe_count >= maybes.size() / 2) decide_maybes();
    }

    void mark(const StripRing<D>& ring) {
        const auto [slabs, entries] = this->merge(ring.all, ring.own, 0, {});
        *take<RingHead>(tape, 1) = {ring.own.end - ring.own.begin, entries, ring.last};
        const typename Base::Pen pen =
            this->pen(entries + lanes, take_instances(tape, entries));
        this->copy(pen);
        Candidates c;
        for (std::size_t a = 0; a < D; ++a) c.axis[a] = pen.axis[a];
        c.value = pen.value;
        const Bounds bounds = this->bounds();
        std::size_t lo = 0, own = 0, hi = 0;  // slabs
        for (std::uint32_t i = ring.own.begin; i < ring.own.end; ++i) {
            const std::uint32_t x = points.cell_x[i], begin = points.cell_start[i];
            while (scratch.slab_x[lo] + 1 < x) ++lo;
            while (scratch.slab_x[own] < x) ++own;
            hi = std::max(hi, own);
            while (hi < slabs && scratch.slab_x[hi] <= x + 1) ++hi;
            const CellHead cell{std::max(begin, ring.first),
                                std::min(points.cell_start[i + 1], ring.last),
                                scratch.slab_start[lo], scratch.slab_start[hi]};
            *take<CellHead>(tape, 1) = cell;
            Word* marks = take<Word>(tape, cell.all_words());
            const std::size_t words = cell.words();
            sink.writer->candidates +=
                std::uint64_t{cell.last - cell.first} * (cell.to - cell.from);
            std::size_t at = scratch.slab_middle[own] + (cell.first - begin);
            std::uint32_t e = cell.first;
            if constexpr (lanes > 16)  // and registers for four
                for (; e + 4 <= cell.last; e += 4, at += 4, marks += 4 * words)
                    mark<4>(c, bounds, cell, e, at, marks);
            for (; e + 2 <= cell.last; e += 2, at += 2, marks += 2 * words)
                mark<2>(c, bounds, cell, e, at, marks);
            if (e < cell.last) mark<1>(c, bounds, cell, e, at, marks);
        }
        decide_maybes();
    }
};

template <int D>
void mark(const FinePoints<D>& points, const StripRing<D>& ring, StripScratch<D>& scratch,
          StripSink<D>& sink) {
    Marker<D>(points, scratch, sink).mark(ring);
}

// ---- the second pass -----------------------------------------------------------------------

// Writes those of some candidates that are marked, in whole vectors; returns the end.
HWY_INLINE Index* expand(const Word* marks, std::size_t words, const Index* ids, Index* out) {
    for (std::size_t w = 0; w < words; ++w) {
        const WideBits bits = WideBits::of(marks[w]);
        compress_store(bits, ids + w * lanes, out);
        out += bits.count();
    }
    return out;
}

struct Copy {
    const Index* from = nullptr;
    Index* to = nullptr;
    std::size_t count = 0;
};

// Not one index more: beside it somebody else may be writing.
HWY_INLINE void copy(const Copy& row) {
    const Ids di;
    constexpr std::size_t wide = hn::MaxLanes(di);
    if (HWY_UNLIKELY(row.count < wide)) {
        std::copy_n(row.from, row.count, row.to);
        return;
    }
    const auto move = [&](std::size_t k) {
        hn::StoreU(hn::LoadU(di, row.from + k), di, row.to + k);
    };
    for (std::size_t k = 0; k + wide < row.count; k += wide) move(k);
    move(row.count - wide);
}

// Sends for the lines of a row that will be written soon, as many as most have. Inline by
// force, or g++ would drop the calls.
constexpr std::size_t rows_ahead = 16;
HWY_INLINE void expect_row(const Index* row) {
    const auto first = reinterpret_cast<std::uintptr_t>(row);  // it may end before that
    for (std::uintptr_t line = 0; line < 3 * 64; line += 64)
        __builtin_prefetch(reinterpret_cast<const void*>(first + line), 1, 2);
}

void fill(MarkTape tape, const MarkTape& end, const RowPlaces& rows, Buffer<Index>& room) {
    constexpr std::size_t slack = 2 * lanes;  // what is written too much
    while (!(tape == end)) {
        const RingHead ring = *take<RingHead>(tape, 1);
        const Index* const instances = take_instances(tape, ring.instances);
        const std::uint64_t free_end = rows.in_turn ? rows.begin[ring.last] : 0;
        for (std::uint32_t i = 0; i < ring.cells; ++i) {
            const CellHead cell = *take<CellHead>(tape, 1);
            const Word* marks = take<Word>(tape, cell.all_words());
            const std::size_t words = cell.words(), most = words * lanes + slack;
            const Index* const candidates = instances + cell.from;
            room.resize(2 * most);
            std::array<Index*, 2> rooms{room.data(), room.data() + most};
            // What was just stored in pieces is slow to read: a row is copied to its place when
            // the next has been written.
            Copy late;
            for (std::uint32_t e = cell.first; e < cell.last; ++e, marks += words) {
                Index* const to = rows.indices + rows.begin[e];
                if (rows.begin[e] + most <= free_end) {
                    expand(marks, words, candidates, to);
                    continue;
                }
                if (e + rows_ahead < rows.entries)
                    expect_row(rows.indices + rows.begin[e + rows_ahead]);
                const Index* const written = expand(marks, words, candidates, rooms[0]);
                copy(late);
                late = {rooms[0], to, static_cast<std::size_t>(written - rooms[0])};
                std::swap(rooms[0], rooms[1]);
            }
            copy(late);
        }
    }
}

decltype(StripKernels<2>::mark) strip_mark_2() {
    return mark<2>;
}
decltype(StripKernels<3>::mark) strip_mark_3() {
    return mark<3>;
}
RowFill strip_fill_now() {
    return fill;
}

}  // namespace vicinal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vicinal {

HWY_EXPORT(strip_mark_2);
HWY_EXPORT(strip_mark_3);
HWY_EXPORT(strip_fill_now);

template <int D>
decltype(StripKernels<D>::mark) strip_mark(std::int64_t target) {
    hwy::ChosenTarget chosen;
    chosen.Update(target);
    if constexpr (D == 2)
        return HWY_DISPATCH_TABLE(strip_mark_2)[chosen.GetIndex()]();
    else
        return HWY_DISPATCH_TABLE(strip_mark_3)[chosen.GetIndex()]();
}

template decltype(StripKernels<2>::mark) strip_mark<2>(std::int64_t);
template decltype(StripKernels<3>::mark) strip_mark<3>(std::int64_t);

RowFill strip_fill(std::int64_t target) {
    hwy::ChosenTarget chosen;
    chosen.Update(target);
    return HWY_DISPATCH_TABLE(strip_fill_now)[chosen.GetIndex()]();
}

}  // namespace vicinal
#endif
