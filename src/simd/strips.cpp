#include "simd/strips.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/strips.cpp"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vicinal::HWY_NAMESPACE {

using Coordinates = hn::ScalableTag<std::int16_t>;
using C = hn::Vec<Coordinates>;

template <int D>
struct Joiner {
    const FinePoints<D>& points;
    StripScratch<D>& scratch;
    StripSink<D>& sink;
    BlockWriter<D>& writer = *sink.writer;
    const bool counting = writer.counting();
    std::array<MaybePair, 256> maybes;
    std::size_t maybe_count = 0;

    Joiner(const FinePoints<D>& p, StripScratch<D>& s, StripSink<D>& k)
        : points(p), scratch(s), sink(k) {}

    static constexpr Coordinates dc{};
    static constexpr Ids di{};

    struct Candidates {
        std::array<const std::uint16_t*, D> axis;
        const Index* value;
    };

    // ---- the strip -------------------------------------------------------------------------

    // Where the next entries go.
    struct Pen {
        std::array<std::uint16_t*, D> axis;
        Index *body, *entry;
    };

    // Whole vectors: what is written too much is overwritten by the next copy.
    static HWY_INLINE void append(const FinePoints<D>& from, std::uint32_t begin,
                                  std::uint32_t end, const Pen& to, std::size_t at) {
        const std::size_t n = end - begin;
        const hn::RebindToUnsigned<Coordinates> d16;
        for (std::size_t k = 0; k < n; k += hn::Lanes(d16))
            for (std::size_t a = 0; a < D; ++a)
                hn::StoreU(hn::LoadU(d16, from.axis[a] + begin + k), d16, to.axis[a] + at + k);
        for (std::size_t k = 0; k < n; k += hn::Lanes(di))
            hn::StoreU(hn::LoadU(di, from.instance + begin + k), di, to.body + at + k);
        if (to.entry != nullptr)
            for (std::size_t k = 0; k < n; k += hn::Lanes(di))
                hn::StoreU(hn::Iota(di, static_cast<std::uint32_t>(begin + k)), di,
                           to.entry + at + k);
    }

    // The other rows merged by x. Returns the number of slabs.
    std::size_t build(const StripRow<D>& row) {
        const FinePoints<D> from = points;
        std::array<CellRange, D == 2 ? 1 : 4> heads = row.others;
        const std::uint32_t last_x = from.cell_x[row.own.end - 1] + 1;
        std::size_t entries = 0, cells = 0;
        for (CellRange& h : heads) {
            // Only as far as the own cells reach: a row may be long and cut into many tasks.
            h.end = static_cast<std::uint32_t>(
                std::upper_bound(from.cell_x + h.begin, from.cell_x + h.end, last_x) -
                from.cell_x);
            entries += from.cell_start[h.end] - from.cell_start[h.begin];
            cells += h.end - h.begin;
        }
        Pen pen;
        for (std::size_t a = 0; a < D; ++a) {
            scratch.axis[a].resize(entries);
            pen.axis[a] = scratch.axis[a].data();
        }
        scratch.body.resize(entries);
        pen.body = scratch.body.data();
        pen.entry = nullptr;
        if (from.cell_mixed != nullptr || from.all_mixed) {
            scratch.entry.resize(entries);
            pen.entry = scratch.entry.data();
        }
        scratch.slab_x.resize(cells + 1);
        scratch.slab_start.resize(cells + 1);
        scratch.slab_mixed.resize(cells + 1);
        std::uint32_t* const slab_x = scratch.slab_x.data();
        std::uint32_t* const slab_start = scratch.slab_start.data();
        std::uint32_t* const slab_mixed = scratch.slab_mixed.data();
        std::size_t filled = 0, slabs = 0;
        std::uint32_t mixed = 0;
        constexpr std::uint32_t none = ~std::uint32_t{0};
        std::array<std::uint32_t, D == 2 ? 1 : 4> next;  // x at each head
        for (std::size_t u = 0; u < heads.size(); ++u)
            next[u] = heads[u].begin < heads[u].end ? from.cell_x[heads[u].begin] : none;
        for (;;) {
            const std::uint32_t x = *std::min_element(next.begin(), next.end());
            slab_x[slabs] = x;
            slab_start[slabs] = static_cast<std::uint32_t>(filled);
            slab_mixed[slabs] = mixed;
            if (x == none) return slabs;
            ++slabs;
            for (std::size_t u = 0; u < heads.size(); ++u)
                if (next[u] == x) {
                    const std::uint32_t c = heads[u].begin++;
                    const std::uint32_t begin = from.cell_start[c],
                                        end = from.cell_start[c + 1];
                    append(from, begin, end, pen, filled);
                    filled += end - begin;
                    if (from.cell_mixed != nullptr) mixed += from.cell_mixed[c];
                    next[u] = c + 1 < heads[u].end ? from.cell_x[c + 1] : none;
                }
        }
    }

    // ---- the test --------------------------------------------------------------------------

    struct Query {
        std::array<C, D> at;
        C sure, perhaps;  // one more than the bounds
        Index first;
        bool mixed;
    };

    // Between the bounds rounding of the squares is most of the doubt: look at them unrounded.
    template <bool count_only>
    HWY_NOINLINE Index* keep_maybes(std::uint64_t bits, const Query& q, const Candidates& c,
                                    std::size_t k, Index* out) {
        for (; bits != 0; bits &= bits - 1) {
            const std::size_t e = k + hwy::Num0BitsBelowLS1Bit_Nonzero64(bits);
            std::int64_t sum = 0;
            for (std::size_t a = 0; a < D; ++a) {
                const auto at = static_cast<std::uint16_t>(hn::GetLane(q.at[a]));
                const std::int64_t d =
                    static_cast<std::int16_t>(static_cast<std::uint16_t>(c.axis[a][e] - at));
                sum += d * d;
            }
            if (sum > points.perhaps_square) continue;
            if (sum <= points.sure_square) {
                if (!count_only) *out = c.value[e];
                ++out;
                continue;
            }
            if (maybe_count == maybes.size()) hand_maybes();
            maybes[maybe_count++] = {q.first, c.value[e], q.mixed};
        }
        return out;
    }

    void hand_maybes() {
        sink.decide(maybes.data(), maybe_count);
        maybe_count = 0;
    }

    HWY_INLINE C squares(const Query& q, const Candidates& c, std::size_t k) const {
        C sum = hn::Zero(dc);
        for (std::size_t a = 0; a < D; ++a) {
            const C x = hn::LoadU(dc, reinterpret_cast<const std::int16_t*>(c.axis[a] + k));
            const C d = hn::Sub(x, q.at[a]);
            const C dd = hn::MulFixedPoint15(d, d);
            sum = a == 0 ? dd : hn::Add(sum, dd);
        }
        return sum;
    }

    static HWY_INLINE Index* compress(std::uint64_t bits, const Index* value, Index* out) {
        compress_store(bits, hn::LoadU(di, value), out);
        return out + hwy::PopCount(bits);
    }

    template <bool masked, bool count_only>
    HWY_INLINE Index* step(const Query& q, const Candidates& c, std::size_t k, std::size_t end,
                           Index* out) {
        const C sum = squares(q, c, k);
        auto sure = hn::Gt(q.sure, sum), perhaps = hn::Gt(q.perhaps, sum);
        if (masked) {
            const auto valid = hn::FirstN(dc, end - k);
            sure = hn::And(sure, valid);
            perhaps = hn::And(perhaps, valid);
        }
        const auto maybe = hn::AndNot(sure, perhaps);
        if (HWY_UNLIKELY(!hn::AllFalse(dc, maybe)))
            out = keep_maybes<count_only>(bits_of(dc, maybe), q, c, k, out);
        if (count_only) return out + hn::CountTrue(dc, sure);
#if HWY_TARGET == HWY_SCALAR
        *out = c.value[k];
        return out + hn::CountTrue(dc, sure);
#else
        const std::uint64_t bits = bits_of(dc, sure);
        const std::size_t half = hn::Lanes(di);
        out = compress(bits & ((1u << half) - 1), c.value + k, out);
        return compress(bits >> half, c.value + k + half, out);
#endif
    }

    // In count_only the pointer only counts.
    template <bool count_only>
    HWY_INLINE Index* test(const Query& q, const Candidates& c, std::size_t from,
                           std::size_t to, Index* out) {
        const std::size_t n = hn::Lanes(dc);
        std::size_t k = from;
        for (; k + n <= to; k += n) out = step<false, count_only>(q, c, k, to, out);
        if (k < to) out = step<true, count_only>(q, c, k, to, out);
        return out;
    }

    // ---- the pairs -------------------------------------------------------------------------

    // Hits wait in a queue, so that a vector is not read back while its stores are under way.
    static constexpr std::size_t queue = 6144;
    struct Segment {
        Index first;
        std::uint32_t count;
    };
    std::array<Segment, 512> segments;
    std::size_t segment_count = 0, queued = 0;

    void flush() {
        auto* out = reinterpret_cast<Index*>(writer.room(queued));
        const Index* hits = scratch.hits.data();
        for (std::size_t s = 0; s < segment_count; ++s) {
            const auto i = hn::Set(di, segments[s].first);
            const std::size_t count = segments[s].count;
            for (std::size_t k = 0; k < count; k += hn::Lanes(di)) {
                const auto j = hn::LoadU(di, hits + k);
                hn::StoreInterleaved2(hn::Min(i, j), hn::Max(i, j), di, out + 2 * k);
            }
            out += 2 * count;
            hits += count;
        }
        writer.wrote(queued);
        queued = segment_count = 0;
    }

    // ---- the row ---------------------------------------------------------------------------

    template <bool count_only>
    void cell(std::uint32_t begin, std::uint32_t end, std::uint32_t near_end, std::size_t from,
              std::size_t to, bool mixed) {
        Candidates own, strip;
        own.axis = points.axis;
        own.value = points.instance;
        for (std::size_t a = 0; a < D; ++a) strip.axis[a] = scratch.axis[a].data();
        strip.value = mixed ? scratch.entry.data() : scratch.body.data();
        std::uint32_t base = 0;  // of the own candidates
        if (mixed) {
            base = begin;
            scratch.own_entry.resize(near_end - begin);
            for (std::uint32_t k = begin; k < near_end; ++k) scratch.own_entry[k - begin] = k;
            for (std::size_t a = 0; a < D; ++a) own.axis[a] += begin;
            own.value = scratch.own_entry.data();
        }
        Query q;
        q.mixed = mixed;
        q.sure = hn::Set(dc, static_cast<std::int16_t>(points.sure + 1));
        q.perhaps = hn::Set(dc, static_cast<std::int16_t>(points.perhaps + 1));
        const std::uint64_t bodies = end - begin;
        writer.candidates +=
            bodies * (to - from) + bodies * (near_end - begin) - bodies * (bodies + 1) / 2;
        const std::array<const std::uint16_t*, D> axis = points.axis;
        const Index* const instance = points.instance;
        Index* const hits = scratch.hits.data();
        std::size_t counted = 0;
        for (std::uint32_t i = begin; i < end; ++i) {
            for (std::size_t a = 0; a < D; ++a)
                q.at[a] = hn::Set(dc, static_cast<std::int16_t>(axis[a][i]));
            q.first = mixed ? i : instance[i];
            // Long runs in pieces, so that the queue stays small.
            std::size_t a = i + 1 - base, b = from;
            const std::size_t a_end = near_end - base;
            do {
                const std::size_t a_next = std::min(a + queue / 4, a_end);
                const std::size_t b_next = std::min(b + queue / 4, to);
                if (!count_only && (queued + (a_next - a) + (b_next - b) > queue ||
                                    segment_count == segments.size()))
                    flush();
                Index* const start = hits + queued;
                Index* out = test<count_only>(q, own, a, a_next, start);
                out = test<count_only>(q, strip, b, b_next, out);
                const auto count = static_cast<std::size_t>(out - start);
                if (count_only) {
                    counted += count;
                } else if (mixed) {
                    sink.look(i, start, count);
                } else {
                    segments[segment_count++] = {q.first, static_cast<std::uint32_t>(count)};
                    queued += count;
                }
                a = a_next;
                b = b_next;
            } while (HWY_UNLIKELY(a < a_end || b < to));
        }
        if (count_only) writer.add(counted);
    }

    void join(const StripRow<D>& row) {
        scratch.hits.resize(queue);
        const std::size_t slabs = build(row);
        std::size_t lo = 0, hi = 0;
        for (std::uint32_t c = row.own.begin; c < row.own.end; ++c) {
            const std::uint32_t x = points.cell_x[c];
            while (lo < slabs && scratch.slab_x[lo] + 1 < x) ++lo;
            hi = std::max(hi, lo);
            while (hi < slabs && scratch.slab_x[hi] <= x + 1) ++hi;
            const bool next = c + 1 < row.row_end && points.cell_x[c + 1] == x + 1;
            bool mixed = points.all_mixed;
            if (points.cell_mixed != nullptr)
                mixed = mixed || points.cell_mixed[c] != 0 ||
                        (next && points.cell_mixed[c + 1] != 0) ||
                        scratch.slab_mixed[lo] != scratch.slab_mixed[hi];
            const std::uint32_t begin = std::max(points.cell_start[c], row.first);
            const std::uint32_t end = std::min(points.cell_start[c + 1], row.last);
            const std::uint32_t near_end = points.cell_start[c + (next ? 2 : 1)];
            const std::size_t from = scratch.slab_start[lo], to = scratch.slab_start[hi];
            if (counting && !mixed)
                cell<true>(begin, end, near_end, from, to, false);
            else
                cell<false>(begin, end, near_end, from, to, mixed);
        }
        if (queued > 0) flush();
        if (maybe_count > 0) hand_maybes();
    }
};

template <int D>
void join(const FinePoints<D>& points, const StripRow<D>& row, StripScratch<D>& scratch,
          StripSink<D>& sink) {
    Joiner<D> joiner(points, scratch, sink);
    joiner.join(row);
}

StripJoin<2> join2() {
    return &join<2>;
}
StripJoin<3> join3() {
    return &join<3>;
}

}  // namespace vicinal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vicinal {

HWY_EXPORT(join2);
HWY_EXPORT(join3);

template <int D>
StripJoin<D> strip_join(std::int64_t target) {
    hwy::ChosenTarget chosen;
    chosen.Update(target);
    if constexpr (D == 2)
        return HWY_DISPATCH_TABLE(join2)[chosen.GetIndex()]();
    else
        return HWY_DISPATCH_TABLE(join3)[chosen.GetIndex()]();
}

template <int D>
std::size_t StripScratch<D>::bytes() const {
    std::size_t sum = body.bytes() + entry.bytes() + slab_x.bytes() + slab_start.bytes() +
                      slab_mixed.bytes() + own_entry.bytes() + hits.bytes();
    for (const auto& a : axis) sum += a.bytes();
    return sum;
}

template StripJoin<2> strip_join<2>(std::int64_t);
template StripJoin<3> strip_join<3>(std::int64_t);
template struct StripScratch<2>;
template struct StripScratch<3>;

}  // namespace vicinal
#endif
