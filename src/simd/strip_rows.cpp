#include "simd/strips.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/strip_rows.cpp"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

#include "simd/strips-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vicinal::HWY_NAMESPACE {

// The neighbours of each entry.
template <int D>
struct RowJoiner : Strip<D, RowJoiner<D>> {
    using Base = Strip<D, RowJoiner<D>>;
    using Base::dc;
    using Base::di;
    using Base::points;
    using Base::scratch;
    using Base::sink;
    using typename Base::At;
    using typename Base::Bounds;
    using typename Base::Candidates;
    using typename Base::Query;
    RowWriter& writer = *sink.row_writer;

    using Base::Base;

    // What the formula must decide is sent for and waits as long as the hits do.
    struct Maybes {
        std::array<MaybePair, 16> pairs;
        std::size_t count = 0;
    };
    std::array<Maybes, 2> maybes;

    bool keep_maybe(Doubt left, Index first, Index second) {
        Maybes& wait = maybes[turn / 2];
        if (left != Doubt::remains) return left == Doubt::none;
        // At once a body that meets itself: it must be found where it was met.
        if (first == second || wait.count == wait.pairs.size())
            return sink.decide(first, second);
        sink.expect(first, second);
        wait.pairs[wait.count++] = {first, second};
        return false;
    }

    // Rows are completed when the next ones are there: what was just stored in pieces is slow
    // to read.
    struct Late {
        Index body;
        Index* hits;
        Index* own;  // the body itself is among the hits, a vector's worth from here
        std::size_t count = 0;
    };
    std::array<Late, 2> late{};
    std::size_t turn = 0;  // which two of the writer's lanes are the next

    // A body is in its own row and must be taken out; the last one takes its place.
    void write_late() {
        Maybes& wait = maybes[1 - turn / 2];
        for (std::size_t m = 0; m < wait.count; ++m) {
            const auto [first, second] = wait.pairs[m];
            Late& one = late[late[0].body == first ? 0 : 1];
            if (sink.decide(first, second)) one.hits[one.count++] = second;
        }
        wait.count = 0;
        for (std::size_t i = 0; i < 2; ++i) {
            Late& one = late[i];
            if (one.count == 0) continue;
            one.own[find(one.own, one.body)] = one.hits[one.count - 1];
            writer.wrote((turn ^ 2) + i, one.body, one.count - 1);
            one.count = 0;
        }
    }

    // Which of so many ids as there are coordinates in a vector is this one.
    static HWY_INLINE std::size_t find(const Index* ids, Index id) {
        std::uint64_t bits = 0;
        for (std::size_t k = 0; k < hn::Lanes(dc); k += hn::Lanes(di))
            bits |= bits_of(di, hn::Eq(hn::LoadU(di, ids + k), hn::Set(di, id))) << k;
        return hwy::Num0BitsBelowLS1Bit_Nonzero64(bits);
    }

    // Entries that follow each other in a cell, the first at `own` in the strip, against
    // candidates from ... to - 1.
    template <std::size_t queries>
    HWY_INLINE void meet(std::size_t own, std::size_t from, std::size_t to) {
        Candidates c;
        for (std::size_t a = 0; a < D; ++a) c.axis[a] = scratch.axis[a].data();
        c.value = scratch.value.data();
        // Vectors are stored whole, and behind the hits may come what the formula accepts.
        const std::size_t most = to - from + 2 * hn::Lanes(dc) + Maybes{}.pairs.size();
        std::array<Query, queries> q;
        std::array<Index*, queries> begin, out, before;  // `before`: the body itself
        for (std::size_t i = 0; i < queries; ++i) {
            q[i] = Base::template query<false>(c, own + i);
            begin[i] = out[i] = before[i] = writer.room(turn + i, most);
        }
        const Bounds bounds = this->bounds();
        for (std::size_t k = from; k < to; k += hn::Lanes(dc)) {
            for (std::size_t i = 0; i < queries; ++i)
                before[i] = k <= own + i ? out[i] : before[i];
            this->template step<false, false>(q, bounds, c, k, out);
        }
        write_late();
        for (std::size_t i = 0; i < queries; ++i)
            late[i] = {c.value[own + i], begin[i], before[i],
                       static_cast<std::size_t>(out[i] - begin[i])};
        turn ^= 2;
    }

    // Rows of cells that will be met soon. Inline by force, or g++ would drop the calls.
    static constexpr std::uint32_t cells_ahead = 8;
    HWY_INLINE void expect(std::uint32_t first, std::uint32_t last, std::uint32_t end) const {
        first = std::min(first, end);
        last = std::min(last, end);
        for (std::uint32_t e = points.cell_start[first]; e < points.cell_start[last]; ++e)
            __builtin_prefetch(writer.place(points.instance[e]), 1);
    }

    std::uint64_t rows(const StripRing<D>& ring) {
        expect(ring.own.begin, ring.own.begin + cells_ahead, ring.own.end);
        const std::size_t slabs = this->build(ring.all, ring.own, 0);
        std::size_t lo = 0, own = 0, hi = 0;
        std::uint64_t candidates = 0;
        for (std::uint32_t c = ring.own.begin; c < ring.own.end; ++c) {
            const std::uint32_t x = points.cell_x[c];
            while (scratch.slab_x[lo] + 1 < x) ++lo;
            while (scratch.slab_x[own] < x) ++own;
            hi = std::max(hi, own);
            while (hi < slabs && scratch.slab_x[hi] <= x + 1) ++hi;
            const std::size_t from = scratch.slab_start[lo], to = scratch.slab_start[hi];
            std::uint32_t e = std::max(points.cell_start[c], ring.first);
            const std::uint32_t end = std::min(points.cell_start[c + 1], ring.last);
            const At behind = this->put_pad(e, to);
            candidates += (end - e) * (to - from);
            expect(c + cells_ahead, c + cells_ahead + 1, ring.own.end);
            std::size_t at = scratch.slab_middle[own] + (e - points.cell_start[c]);
            for (; e + 2 <= end; e += 2, at += 2) meet<2>(at, from, to);
            if (e < end) meet<1>(at, from, to);
            this->take_pad(behind, to);
        }
        write_late();
        return candidates;
    }
};

template <int D>
void rows(const FinePoints<D>& points, const StripRing<D>& ring, StripScratch<D>& scratch,
          StripSink<D>& sink) {
    RowJoiner<D> joiner(points, scratch, sink);
    sink.writer->candidates += joiner.rows(ring);
}

decltype(StripKernels<2>::rows) strip_rows_2() {
    return rows<2>;
}
decltype(StripKernels<3>::rows) strip_rows_3() {
    return rows<3>;
}

}  // namespace vicinal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vicinal {

HWY_EXPORT(strip_rows_2);
HWY_EXPORT(strip_rows_3);

template <int D>
decltype(StripKernels<D>::rows) strip_rows(std::int64_t target) {
    hwy::ChosenTarget chosen;
    chosen.Update(target);
    if constexpr (D == 2)
        return HWY_DISPATCH_TABLE(strip_rows_2)[chosen.GetIndex()]();
    else
        return HWY_DISPATCH_TABLE(strip_rows_3)[chosen.GetIndex()]();
}

template decltype(StripKernels<2>::rows) strip_rows<2>(std::int64_t);
template decltype(StripKernels<3>::rows) strip_rows<3>(std::int64_t);

}  // namespace vicinal
#endif
