#include "simd/strips.hpp"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/strip_join.cpp"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

#include "simd/strips-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vicinal::HWY_NAMESPACE {

// Pairs of a row with itself and the rows above.
template <int D>
struct Joiner : Strip<D, Joiner<D>> {
    using Base = Strip<D, Joiner<D>>;
    using Base::dc;
    using Base::di;
    using Base::points;
    using Base::scratch;
    using Base::sink;
    using typename Base::At;
    using typename Base::Bounds;
    using typename Base::Candidates;
    using typename Base::Query;
    BlockWriter<D>& writer = *sink.writer;
    const bool counting = writer.counting();
    std::array<MaybePair, 256> maybes;
    std::size_t maybe_count = 0;
    bool mixed = false;  // do hits of this cell need a look? Then they are entries, else bodies

    using Base::Base;

    void hand_maybes() {
        sink.decide(maybes.data(), maybe_count);
        maybe_count = 0;
    }

    bool keep_maybe(Doubt left, Index first, Index second) {
        if (left == Doubt::remains) {
            if (maybe_count == maybes.size()) hand_maybes();
            maybes[maybe_count++] = {first, second, mixed};
        }
        return left == Doubt::none;
    }

    // ---- the pairs -------------------------------------------------------------------------

    enum class Hits : std::uint8_t { counted, listed, looked_at };

    // Hits wait in queues, so that a vector is not read back while its stores are under way.
    // Two bodies are tested at a time, each with a queue of its own.
    static constexpr std::size_t queue = 2560, longest_run = queue / 4, slack = 32;
    static_assert(slack * sizeof(std::int16_t) >= HWY_MAX_BYTES);
    struct Segment {
        Index first;
        std::uint32_t begin, end;  // hits
    };
    struct Queue {
        Index* hits;
        std::size_t filled = 0;
        std::size_t segment_count = 0;
        std::array<Segment, 256> segments;
        bool has_room(std::size_t more_segments, std::size_t more) const {
            return segment_count + more_segments <= segments.size() && filled + more <= queue;
        }
    };
    std::array<Queue, 2> queues;

    void flush(Queue& q) {
        if (q.segment_count == 0) return;
        const float mean = static_cast<float>(q.filled) / static_cast<float>(q.segment_count);
        const auto usual =
            std::min(static_cast<std::size_t>(mean + 2 * std::sqrt(mean)), Base::most_usual);
        Pair* const begin = writer.room(q.filled + usual + slack);
        auto* out = reinterpret_cast<Index*>(begin);
        for (std::size_t s = 0; s < q.segment_count; ++s) {
            const auto i = hn::Set(di, q.segments[s].first);
            const std::size_t count = q.segments[s].end - q.segments[s].begin;
            const Index* const hits = q.hits + q.segments[s].begin;
            std::size_t k = 0;
            const auto write = [&] {
                const auto j = hn::LoadU(di, hits + k);
                hn::StoreInterleaved2(hn::Min(i, j), hn::Max(i, j), di, out + 2 * k);
                k += hn::Lanes(di);
            };
            while (k < usual) write();
            while (HWY_UNLIKELY(k < count)) write();
            out += 2 * count;
        }
        writer.wrote(static_cast<std::size_t>(reinterpret_cast<Pair*>(out) - begin));
        q.filled = q.segment_count = 0;
    }

    // ---- the row ---------------------------------------------------------------------------

    // `queries` points that follow each other, the first one at `at` in the strip, against what
    // follows the first, up to `end`, so many candidates at a time as the queues have room for.
    // A second one meets itself there, its first hit.
    template <std::size_t queries, Hits treated>
    HWY_INLINE std::uint64_t meet(const Candidates& c, const Bounds& bounds, std::size_t at,
                                  std::size_t end, std::size_t piece) {
        constexpr bool count_only = treated == Hits::counted;
        std::array<Query, queries> q;
        for (std::size_t i = 0; i < queries; ++i) {
            for (std::size_t a = 0; a < D; ++a)
                q[i].at[a] = hn::Set(dc, static_cast<std::int16_t>(c.axis[a][at + i]));
            q[i].first = c.value[at + i];
        }
        std::uint64_t counted = 0;
        std::size_t itself = 1;
        std::size_t k = at + 1;
        while (k < end) {
            const std::size_t stop = std::min(end, k + piece);
            std::array<Index*, queries> out;
            for (std::size_t i = 0; i < queries; ++i) {
                Queue& wait = queues[i];
                if (!count_only && HWY_UNLIKELY(piece == longest_run) &&
                    !wait.has_room(1, longest_run + slack))
                    flush(wait);
                out[i] = wait.hits + wait.filled;
            }
            for (; k < stop; k += hn::Lanes(dc))
                this->template step<count_only>(q, bounds, c, k, out);
            for (std::size_t i = 0; i < queries; ++i) {
                Queue& wait = queues[i];
                const auto last = static_cast<std::size_t>(out[i] - wait.hits);
                const std::size_t first = wait.filled + (i == 1 ? itself : 0);
                if (treated == Hits::counted) {
                    counted += last - first;
                } else if (treated == Hits::looked_at) {
                    sink.look(q[i].first, wait.hits + first, last - first);
                } else {
                    wait.segments[wait.segment_count++] = {q[i].first,
                                                           static_cast<std::uint32_t>(first),
                                                           static_cast<std::uint32_t>(last)};
                    wait.filled = last;
                }
            }
            itself = 0;
        }
        return counted;
    }

    // Copies the own points, begin ... end - 1, so that they end before `to`. Whole vectors,
    // the last one first: what is written too much lies before them.
    void put_own(std::uint32_t begin, std::uint32_t end, std::size_t to) {
        const hn::RebindToUnsigned<Coordinates> d16;
        const std::size_t n = end - begin, wide = hn::Lanes(d16);
        Index* const values = mixed ? scratch.entry.data() : scratch.body.data();
        if (HWY_UNLIKELY(begin < wide)) {  // nothing may be read before the first entry
            for (std::size_t k = 0; k < n; ++k) {
                for (std::size_t a = 0; a < D; ++a)
                    scratch.axis[a][to - n + k] = points.axis[a][begin + k];
                values[to - n + k] =
                    mixed ? static_cast<Index>(begin + k) : points.instance[begin + k];
            }
            return;
        }
        for (std::size_t k = wide; k < n + wide; k += wide) {
            for (std::size_t a = 0; a < D; ++a)
                hn::StoreU(hn::LoadU(d16, points.axis[a] + end - k), d16,
                           scratch.axis[a].data() + to - k);
            for (std::size_t j = k; j + wide > k; j -= hn::Lanes(di))
                hn::StoreU(mixed ? count_from(static_cast<Index>(end - j))
                                 : hn::LoadU(di, points.instance + end - j),
                           di, values + to - j);
        }
    }

    // Points begin ... end - 1 of a cell with each other and those up to near_end in their own
    // row, and with candidates from ... to - 1 of the strip. Slabs before `from` have been done
    // with: the own points go there, so that all candidates are one run.
    template <Hits treated>
    void cell(std::uint32_t begin, std::uint32_t end, std::uint32_t near_end, std::size_t from,
              std::size_t to) {
        put_own(begin, near_end, from);
        Candidates c;
        for (std::size_t a = 0; a < D; ++a) c.axis[a] = scratch.axis[a].data();
        c.value = mixed ? scratch.entry.data() : scratch.body.data();
        const At behind = this->put_pad(begin, to);
        const std::uint64_t bodies = end - begin;
        writer.candidates +=
            bodies * (to - from) + bodies * (near_end - begin) - bodies * (bodies + 1) / 2;
        std::uint64_t counted = 0;
        std::size_t i = from - (near_end - begin);
        const std::size_t last = i + (end - begin);
        // All hits of the cell fit the queues, or else those of one piece of a run.
        const std::size_t meets = bodies / 2 + 1, most = meets * (to - i + slack);
        std::size_t piece = longest_run;
        if (most <= queue / 2 && meets <= 128) {
            piece = queue;
            if (treated != Hits::counted)
                for (Queue& wait : queues)
                    if (HWY_UNLIKELY(!wait.has_room(meets, most))) flush(wait);
        }
        const Bounds bounds = this->bounds();
        if (points.sure >= 0)  // else a point would not surely meet itself
            for (; i + 2 <= last; i += 2) counted += meet<2, treated>(c, bounds, i, to, piece);
        for (; i < last; ++i) counted += meet<1, treated>(c, bounds, i, to, piece);
        if (treated == Hits::counted) writer.add(counted);
        this->take_pad(behind, to);
    }

    void join(const StripRow<D>& row) {
        scratch.hits.resize(2 * queue);
        for (std::size_t i = 0; i < 2; ++i) queues[i].hits = scratch.hits.data() + i * queue;
        std::size_t room = 0;  // for the own points of a cell and the next
        for (std::uint32_t c = row.own.begin; c < row.own.end; ++c)
            room = std::max<std::size_t>(
                room, points.cell_start[std::min(c + 2, row.row_end)] - points.cell_start[c]);
        const std::size_t slabs = this->build(row.others, row.own, room + hn::Lanes(dc));
        std::size_t lo = 0, hi = 0;
        for (std::uint32_t c = row.own.begin; c < row.own.end; ++c) {
            const std::uint32_t x = points.cell_x[c];
            while (lo < slabs && scratch.slab_x[lo] + 1 < x) ++lo;
            hi = std::max(hi, lo);
            while (hi < slabs && scratch.slab_x[hi] <= x + 1) ++hi;
            const bool next = c + 1 < row.row_end && points.cell_x[c + 1] == x + 1;
            mixed = points.all_mixed;
            if (points.cell_mixed != nullptr)
                mixed = mixed || points.cell_mixed[c] != 0 ||
                        (next && points.cell_mixed[c + 1] != 0) ||
                        scratch.slab_mixed[lo] != scratch.slab_mixed[hi];
            const std::uint32_t begin = std::max(points.cell_start[c], row.first);
            const std::uint32_t end = std::min(points.cell_start[c + 1], row.last);
            const std::uint32_t near_end = points.cell_start[c + (next ? 2 : 1)];
            const std::size_t from = scratch.slab_start[lo], to = scratch.slab_start[hi];
            if (mixed)
                cell<Hits::looked_at>(begin, end, near_end, from, to);
            else if (counting)
                cell<Hits::counted>(begin, end, near_end, from, to);
            else
                cell<Hits::listed>(begin, end, near_end, from, to);
        }
        for (Queue& q : queues) flush(q);
        if (maybe_count > 0) hand_maybes();
    }
};

template <int D>
void join(const FinePoints<D>& points, const StripRow<D>& row, StripScratch<D>& scratch,
          StripSink<D>& sink) {
    Joiner<D> joiner(points, scratch, sink);
    joiner.join(row);
}

decltype(StripKernels<2>::join) strip_join_2() {
    return join<2>;
}
decltype(StripKernels<3>::join) strip_join_3() {
    return join<3>;
}

}  // namespace vicinal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vicinal {

HWY_EXPORT(strip_join_2);
HWY_EXPORT(strip_join_3);

template <int D>
decltype(StripKernels<D>::join) strip_join(std::int64_t target) {
    hwy::ChosenTarget chosen;
    chosen.Update(target);
    if constexpr (D == 2)
        return HWY_DISPATCH_TABLE(strip_join_2)[chosen.GetIndex()]();
    else
        return HWY_DISPATCH_TABLE(strip_join_3)[chosen.GetIndex()]();
}

template decltype(StripKernels<2>::join) strip_join<2>(std::int64_t);
template decltype(StripKernels<3>::join) strip_join<3>(std::int64_t);

}  // namespace vicinal
#endif
