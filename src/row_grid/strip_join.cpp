#include "row_grid/strips.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "simd/dispatch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "row_grid/strip_join.cpp"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

#include "row_grid/class_test-inl.hpp"
#include "row_grid/strips-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vicinal::inline VICINAL_API::HWY_NAMESPACE {

// Pairs of a row with itself and the rows above.
template <int D>
struct Joiner : Strip<D> {
    using Base = Strip<D>;
    using Base::dc;
    using Base::di;
    using Base::points;
    using Base::scratch;
    using Base::sink;
    using typename Base::Bounds;
    using typename Base::Candidates;
    using typename Base::Query;
    BlockWriter<D>& writer = *sink.writer;
    // Are hits only counted? With classes, they are pairs until they are tested.
    const bool counting = writer.counting() && points.classes == nullptr;
    std::array<UndecidedPair, 256> undecided;
    std::size_t undecided_count = 0;
    // True if hits of the current cell may need individual resolution: instances may have flag
    // bits.
    bool cell_flagged = false;
    bool queues_flagged = false;  // the same for the hits in the queues
    const Index owner_axes = points.joined ? 0 : ghost_axis_mask;

    using Base::Base;

    void flush_undecided() {
        sink.decide(undecided.data(), undecided_count);
        undecided_count = 0;
    }

    // Of the undecided lanes, those that the exact sum accepts go to `out`, and those that the
    // formula must decide are queued.
    template <bool count_only, bool any_cell>
    HWY_NOINLINE Index* queue_undecided(Candidates c, std::size_t own, std::size_t k,
                                        std::size_t end, Index* out) {
        for (std::uint64_t bits = Base::template between<any_cell>(c, own, k, end); bits != 0;
             bits &= bits - 1) {
            const std::size_t e = k + hwy::Num0BitsBelowLS1Bit_Nonzero64(bits);
            const Decision outcome = this->classify_undecided(c, own, e);
            if (outcome == Decision::undecided) {
                if (undecided_count == undecided.size()) flush_undecided();
                undecided[undecided_count++] = {c.value[own], c.value[e]};
            }
            if (outcome != Decision::accept) continue;
            if (!count_only) *out = c.value[e];
            ++out;
        }
        return out;
    }

    // Tests queries against one vector of candidates and appends hits at `out`; if they are
    // only counted, `out` only advances.
    template <bool count_only, bool any_cell, bool last, std::size_t queries>
    HWY_INLINE void step(const std::array<Query, queries>& q, const Bounds& bounds,
                         const Candidates& c, std::size_t k, std::size_t end,
                         std::array<Index*, queries>& out) {
        std::array<hn::Mask<Coordinates>, queries> near;
        const bool any_undecided =
            Base::template test<any_cell, last>(q, bounds, c, k, end, near);
        const auto bits = wide_bits(dc, near);
        for (std::size_t i = 0; i < queries; ++i) {
            if (!count_only) compress_store(bits[i], c.value + k, out[i]);
            out[i] += bits[i].count();
        }
        if (HWY_UNLIKELY(any_undecided))  // after the stores: the self-hit must come first
            for (std::size_t i = 0; i < queries; ++i)
                out[i] = queue_undecided<count_only, any_cell>(c, q[i].own, k, end, out[i]);
    }

    // ---- the pairs -------------------------------------------------------------------------

    enum class Hits : std::uint8_t { counted, listed };

    // Hits are queued, so that a vector is not loaded while its stores are in flight
    // (store-forwarding stall). Two points are tested at a time, each with its own queue.
    static constexpr std::size_t queue = 1024, longest_run = queue / 2;
    static constexpr std::size_t slack = 64;  // padding for overrun: two vectors of coordinates
    static_assert(slack * sizeof(std::int16_t) >= 2 * HWY_MAX_BYTES);
    static constexpr std::size_t apart = 16 + queue + slack;  // an entry precedes each queue
    struct Queue {
        Index* begin;  // candidates hit; their query points are `apart` entries further on
        Index* end;
        std::size_t filled() const { return static_cast<std::size_t>(end - begin); }
    };
    std::array<Queue, 2> queues;

    void make_queues() {
        scratch.hits.resize(4 * apart);
        Index* next = scratch.hits.data() + (apart - queue - slack);
        for (Queue& q : queues) q.begin = q.end = std::exchange(next, next + 2 * apart);
    }

    // Not inlined: else the loops that call it would not be unrolled.
    HWY_NOINLINE void flush(Queue& q) {
        const std::size_t filled = q.filled();
        if (filled == 0) return;
        if (queues_flagged) return flush_flagged(q);
        if (points.classes != nullptr) return flush_classes(q);
        const Index* const second = q.begin;
        Pair* const out = writer.reserve(filled + slack);
        for (std::size_t k = 0; k < filled; k += hn::Lanes(di))
            store_pairs(hn::Load(di, second + apart + k), hn::Load(di, second + k), out + k);
        writer.commit(filled);
        q.end = q.begin;
    }

    // Prefetches output memory for the next flush, which would stall on the writes: about as
    // much as the hits of this many points need.
    template <std::size_t points>
    HWY_INLINE void prefetch_pairs() const {
        constexpr std::size_t line = 64, ahead = 1024;  // bytes
        const std::uintptr_t next = reinterpret_cast<std::uintptr_t>(writer.place()) + ahead +
                                    (queues[0].filled() + queues[1].filled()) * sizeof(Pair);
        for (std::size_t k = 0; k < 2 * points; ++k)
            __builtin_prefetch(reinterpret_cast<const void*>(next + k * line), 1);
    }

    // Hits whose classes may pair become pairs.
    void flush_classes(Queue& q) {
        const ClassTest test(*points.classes);
        const std::size_t filled = q.filled();
        const Index* const second = q.begin;
        Pair* const out = writer.reserve(filled + slack);
        std::size_t written = 0;
        for (std::size_t k = 0; k < filled; k += hn::Lanes(di)) {
            const std::size_t count = std::min(filled - k, hn::Lanes(di));
            auto i = hn::Load(di, second + apart + k), j = hn::Load(di, second + k);
            const std::uint64_t allowed =
                test.take_classes(i, j) & ((std::uint64_t{1} << count) - 1);
            store_pairs(compress(allowed, i), compress(allowed, j), out + written);
            written += hwy::PopCount(allowed);
        }
        writer.commit(written);
        q.end = q.begin;
    }

    // Hits of two unshifted bodies become pairs. The others are resolved individually, except
    // pairs of which neither is the lowest image on some axis: another combination of images
    // reports them.
    void flush_flagged(Queue& q) {
        const hn::RebindToSigned<Ids> ds;
        const std::size_t filled = q.filled();
        std::optional<ClassTest> test;
        if (points.classes != nullptr) test.emplace(*points.classes);
        Index *const first = q.begin + apart, *const second = q.begin;
        Pair* const out = counting ? nullptr : writer.reserve(filled + slack);
        std::size_t written = 0, left = 0;
        for (std::size_t k = 0; k < filled; k += hn::Lanes(di)) {
            const std::size_t count = std::min(filled - k, hn::Lanes(di));
            auto i = hn::Load(di, first + k), j = hn::Load(di, second + k);
            std::uint64_t allowed = (std::uint64_t{1} << count) - 1;
            if (test) allowed &= test->take_classes(i, j);
            const auto flagged = hn::Lt(hn::BitCast(ds, hn::Or(i, j)), hn::Zero(ds));
            const auto owned =
                hn::Eq(hn::And(hn::And(i, j), hn::Set(di, owner_axes)), hn::Zero(di));
            const std::uint64_t plain = allowed & ~bits_of(ds, flagged),
                                others = allowed & bits_of(ds, flagged) & bits_of(di, owned);
            if (!counting) store_pairs(compress(plain, i), compress(plain, j), out + written);
            written += hwy::PopCount(plain);
            compress_store(others, i, first + left);
            compress_store(others, j, second + left);
            left += hwy::PopCount(others);
        }
        if (counting)
            writer.add(written);
        else
            writer.commit(written);
        if (left > 0) sink.resolve_marked(first, second, left);
        q.end = q.begin;
    }

    // ---- the row ---------------------------------------------------------------------------

    // Tests `queries` consecutive points, the first at `at` in the strip, against the
    // candidates after the first, up to `end`, as many at a time as the queues can hold. A
    // second point finds itself as its first hit: that hit is stored just before its queue, and
    // the entry overwritten there is restored.
    template <std::size_t queries, Hits treated, bool any_cell>
    HWY_INLINE std::uint64_t test_points(const Candidates& c, const Bounds& bounds,
                                         std::size_t at, std::size_t end) {
        constexpr bool count_only = treated == Hits::counted;
        std::array<Query, queries> q;
        for (std::size_t i = 0; i < queries; ++i)
            q[i] = Base::template query<any_cell>(c, at + i);
        std::uint64_t counted = 0;
        std::size_t itself = 1;
        std::size_t k = at + 1;
        while (k < end) {
            const std::size_t stop = std::min(end, k + longest_run);
            std::array<Index*, queries> begin, out;
            std::array<Index, queries> before;
            HWY_UNROLL(2)
            for (std::size_t i = 0; i < queries; ++i) {
                Queue& hits = queues[i];
                if (!count_only && HWY_UNLIKELY(hits.filled() + (stop - k) + slack > queue))
                    flush(hits);
                begin[i] = hits.end;
                out[i] = begin[i] - (i == 1 ? itself : 0);
                before[i] = *out[i];
            }
            // Candidates of any cell are padded with entries in no cell.
            const std::size_t whole = any_cell ? stop : stop - (stop - k) % hn::Lanes(dc);
            for (; k < whole; k += hn::Lanes(dc))
                step<count_only, any_cell, false>(q, bounds, c, k, stop, out);
            if constexpr (!any_cell)
                if (k < stop) step<count_only, false, true>(q, bounds, c, k, stop, out);
            k = stop;
            HWY_UNROLL(2)
            for (std::size_t i = 0; i < queries; ++i) {
                const auto found = static_cast<std::size_t>(out[i] - begin[i]);
                if (count_only) {
                    counted += found;
                    continue;
                }
                if (i == 1 && itself == 1) begin[i][-1] = before[i];
                const auto first = hn::Set(di, c.value[at + i]);
                Index* const firsts = begin[i] + apart;
                constexpr std::size_t usual =
                    32;  // usually enough; a fixed count avoids a mispredict
                std::size_t n = 0;
                for (; n < usual; n += hn::Lanes(di)) hn::StoreU(first, di, firsts + n);
                for (; HWY_UNLIKELY(n < found); n += hn::Lanes(di))
                    hn::StoreU(first, di, firsts + n);
                queues[i].end = out[i];
            }
            if (!count_only) prefetch_pairs<queries>();
            itself = 0;
        }
        return counted;
    }

    // Copies the own points, begin ... end - 1, so that they end before `to`. Whole vectors,
    // the last one first, so that overrun lies before them.
    void copy_own_points(std::uint32_t begin, std::uint32_t end, std::size_t to) {
        const hn::CappedTag<std::uint16_t, copied_at_once> copied;
        const std::size_t n = end - begin, wide = hn::Lanes(copied);
        const Index* const from = cell_flagged ? points.marked : points.instance;
        Index* const values = scratch.value.data();
        if (HWY_UNLIKELY(begin < wide)) {  // nothing may be read before the first entry
            for (std::size_t k = 0; k < n; ++k) {
                for (std::size_t a = 0; a < D; ++a)
                    scratch.axis[a][to - n + k] = points.axis[a][begin + k];
                values[to - n + k] = from[begin + k];
            }
            return;
        }
        for (std::size_t k = wide; k < n + wide; k += wide) {
            for (std::size_t a = 0; a < D; ++a)
                hn::StoreU(hn::LoadU(copied, points.axis[a] + end - k), copied,
                           scratch.axis[a].data() + to - k);
            for (std::size_t j = k; j + wide > k; j -= hn::Lanes(di))
                hn::StoreU(hn::LoadU(di, from + end - j), di, values + to - j);
        }
    }

    // Joins points begin ... end - 1 of a cell with each other, with those up to near_end in
    // their own row, and with candidates from ... to - 1 of the strip. Slabs before `from` are
    // finished: the own points are copied there, so that all candidates are contiguous.
    template <Hits treated>
    void cell(std::uint32_t begin, std::uint32_t end, std::uint32_t near_end, std::size_t from,
              std::size_t to) {
        copy_own_points(begin, near_end, from);
        Candidates c;
        for (std::size_t a = 0; a < D; ++a) c.axis[a] = scratch.axis[a].data();
        c.value = scratch.value.data();
        const std::size_t first = from - (near_end - begin), last = first + (end - begin);
        // In a crowded cell a few points at a time, so that the search can be cancelled.
        constexpr std::size_t max_candidates = std::size_t{1} << 18;
        std::size_t step = last - first;
        if (HWY_UNLIKELY(step * (to - first) > max_candidates))
            step = std::max<std::size_t>(max_candidates / (to - first), 1) * 2;
        for (std::size_t i = first; i < last; i += step) {
            const std::size_t part_end = std::min(last, i + step);
            const std::uint64_t bodies = part_end - i;
            writer.count_candidates(bodies * (to - i) - bodies * (bodies + 1) / 2);
            test_all<treated, false>(c, i, part_end, to);
        }
    }

    // Tests each of the points i ... last - 1 of a strip against all that follow it, up to
    // `to`.
    template <Hits treated, bool any_cell>
    HWY_INLINE void test_all(const Candidates& c, std::size_t i, std::size_t last,
                             std::size_t to) {
        if (treated == Hits::listed && HWY_UNLIKELY(cell_flagged != queues_flagged)) {
            for (Queue& q : queues) flush(q);
            queues_flagged = cell_flagged;
        }
        const Bounds bounds = this->bounds();
        std::uint64_t counted = 0;
        if (points.accept >= 0)  // else a point might not accept itself
            for (; i + 2 <= last; i += 2)
                counted += test_points<2, treated, any_cell>(c, bounds, i, to);
        for (; i < last; ++i) counted += test_points<1, treated, any_cell>(c, bounds, i, to);
        if (treated == Hits::counted) writer.add(counted);
    }

    bool periodic() const { return points.cell_flags != nullptr || points.joined; }

    // Decides from the union of cell flags how hits are treated. False if no two entries can be
    // a pair, because on some axis none is the lowest image (cells of ghosts).
    bool classify(unsigned flags) {
        constexpr unsigned all = (1u << D) - 1;
        cell_flagged = (flags & has_ghosts) != 0;
        return points.joined || (flags & all) == all;
    }

    // Up to this many points in the row and the others together, all pairs are tested: one or
    // two vectors of candidates per point cost less than building slabs. The threshold is a
    // compromise: see docs/fast-path.md.
    static constexpr std::size_t max_all_pairs = 128;

    // Calls f(cells, faces) for the cells of other rows, and for those across periodic faces.
    template <class F>
    static void for_each_other(const HalfStrip<D>& row, const F& f) {
        for (std::size_t u = 0; u < row.rows; ++u) f(row.others[u], row.faces.crossed[u]);
        const auto single = [&](const auto& beyond) {
            f({beyond.cell, beyond.cell + 1}, beyond.faces);
        };
        for (std::size_t k = 0; k < row.faces.lows; ++k) single(row.faces.low[k]);
        for (std::size_t k = 0; k < row.faces.highs; ++k) single(row.faces.high[k]);
    }

    template <Hits treated>
    void test_all_pairs(const HalfStrip<D>& row, std::uint32_t own_end, std::size_t all) {
        const std::size_t wide = hn::Lanes(dc);
        typename Base::Cursor cursor = this->cursor(all + 2 * wide);
        scratch.cell.resize(all + 2 * wide);
        cursor.cell = scratch.cell.data();
        scratch.pieces.resize(1 + row.others.size() + row.faces.low.size() +
                              row.faces.high.size());
        StripPiece* piece = scratch.pieces.data();
        std::uint32_t filled = 0;
        const auto add = [&](std::uint32_t begin, std::uint32_t end, Index faces) {
            *piece = {begin, end, filled, faces};
            piece += begin < end;
            filled += end - begin;
        };
        add(row.first, own_end, 0);
        for_each_other(row, [&](CellRange cells, Index faces) {
            add(points.cell_start[cells.begin], points.cell_start[cells.end], faces);
        });
        scratch.pieces.resize(static_cast<std::size_t>(piece - scratch.pieces.data()));
        this->copy(cursor);
        if (points.joined) this->cross_faces(cursor, row.faces.down);
        // Padding in no cell: queries are in cells 1 to 2^15 - 2.
        const hn::RebindToUnsigned<Coordinates> d16;
        hn::StoreU(hn::Set(d16, 0xffff), d16, cursor.cell + filled);
        Candidates c;
        for (std::size_t a = 0; a < D; ++a) c.axis[a] = cursor.axis[a];
        c.value = cursor.value;
        c.cell = cursor.cell;
        const std::uint64_t bodies = row.last - row.first;
        writer.count_candidates(bodies * filled - bodies * (bodies + 1) / 2);
        test_all<treated, true>(c, 0, bodies, filled);
    }

    // Joins the row by testing all pairs, if the points are few. Hits are treated as for a
    // cell. False if there are too many points.
    bool try_all_pairs(const HalfStrip<D>& row) {
        const std::uint32_t own_end = points.cell_start[row.row_end];
        std::size_t all = own_end - row.first;
        unsigned flags = 0;
        for_each_other(row, [&](CellRange cells, Index faces) {
            all += points.cell_start[cells.end] - points.cell_start[cells.begin];
            if (faces != 0 && cells.begin < cells.end) flags |= has_ghosts;
        });
        if (all > max_all_pairs) return false;
        if (points.cell_flags != nullptr) {
            const auto add = [&](CellRange cells, Index) {
                for (std::uint32_t c = cells.begin; c < cells.end; ++c)
                    flags |= points.cell_flags[c];
            };
            add({row.own.begin, row.row_end}, 0);
            for_each_other(row, add);
        }
        if (periodic() && !classify(flags)) return true;
        if (counting && !cell_flagged)
            test_all_pairs<Hits::counted>(row, own_end, all);
        else
            test_all_pairs<Hits::listed>(row, own_end, all);
        return true;
    }

    void join(const HalfStrip<D>& row) {
        make_queues();
        if (!try_all_pairs(row)) join_slabs(row);
        for (Queue& q : queues) flush(q);
        if (undecided_count > 0) flush_undecided();
    }

    void join_slabs(const HalfStrip<D>& row) {
        std::size_t reserved = 0;  // for the own points of a cell and the next
        for (std::uint32_t c = row.own.begin; c < row.own.end; ++c)
            reserved = std::max<std::size_t>(
                reserved,
                points.cell_start[std::min(c + 2, row.row_end)] - points.cell_start[c]);
        const auto [slabs, entries] =
            this->merge(row.others, row.own, reserved + hn::Lanes(dc), row.faces);
        const typename Base::Cursor cursor = this->cursor(entries + hn::Lanes(dc));
        this->copy(cursor);
        if (points.joined) this->cross_faces(cursor, row.faces.down);
        std::size_t lo = 0, hi = 0;
        for (std::uint32_t c = row.own.begin; c < row.own.end; ++c) {
            const std::uint32_t x = points.cell_x[c];
            while (lo < slabs && scratch.slab_x[lo] + 1 < x) ++lo;
            hi = std::max(hi, lo);
            while (hi < slabs && scratch.slab_x[hi] <= x + 1) ++hi;
            const bool next = c + 1 < row.row_end && points.cell_x[c + 1] == x + 1;
            if (periodic()) {
                unsigned flags = 0;
                if (points.cell_flags != nullptr)
                    flags = points.cell_flags[c] | (next ? points.cell_flags[c + 1] : 0u);
                for (std::size_t slab = lo; slab < hi; ++slab)
                    flags |= scratch.slab_flags[slab];
                if (!classify(flags)) continue;
            }
            const std::uint32_t begin = std::max(points.cell_start[c], row.first);
            const std::uint32_t end = std::min(points.cell_start[c + 1], row.last);
            const std::uint32_t near_end = points.cell_start[c + (next ? 2 : 1)];
            const std::size_t from = scratch.slab_start[lo], to = scratch.slab_start[hi];
            if (counting && !cell_flagged)
                cell<Hits::counted>(begin, end, near_end, from, to);
            else
                cell<Hits::listed>(begin, end, near_end, from, to);
        }
    }
};

template <int D>
void join(const QuantisedPoints<D>& points, const HalfStrip<D>& row, StripScratch<D>& scratch,
          StripSink<D>& sink) {
    Joiner<D> joiner(points, scratch, sink);
    joiner.join(row);
}

template <int D>
StripJoin<D> make_kernels() {
    return join<D>;
}
VICINAL_DEFINE_KERNELS_D(StripJoin, strip_join, make_kernels)

}  // namespace vicinal::inline VICINAL_API::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vicinal::inline VICINAL_API {
VICINAL_EXPORT_KERNELS_D(StripJoin, strip_join)
}  // namespace vicinal::inline VICINAL_API
#endif
