#include "simd/strips.hpp"

#include <algorithm>
#include <cmath>

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

enum class Doubt : std::uint8_t { none, far, remains };

// A strip, and the test against it. What the test leaves open goes to Derived::keep_maybe.
template <int D, class Derived>
struct Strip {
    const FinePoints<D>& points;
    StripScratch<D>& scratch;
    StripSink<D>& sink;

    Strip(const FinePoints<D>& p, StripScratch<D>& s, StripSink<D>& k)
        : points(p), scratch(s), sink(k) {}

    static constexpr Coordinates dc{};
    static constexpr Ids di{};
    // How many hits a point has cannot be foretold, and a branch that fails costs more than a
    // few vectors: most are written as if they were so many, or fewer if that is usual.
    static constexpr std::size_t most_usual = 48;

    struct Candidates {
        std::array<const std::uint16_t*, D> axis;
        const Index* value;
    };

    // Where the next entries go.
    struct Pen {
        std::array<std::uint16_t*, D> axis;
        Index *body, *entry;
    };

    // Whole vectors, one for most cells: what is written too much is overwritten by the next
    // copy.
    static HWY_INLINE void append(const FinePoints<D>& from, std::uint32_t begin,
                                  std::uint32_t end, const Pen& to, std::size_t at) {
        const std::size_t n = end - begin, wide = hn::Lanes(dc);
        const hn::RebindToUnsigned<Coordinates> d16;
        for (std::size_t k = 0; k < n; k += wide) {
            for (std::size_t a = 0; a < D; ++a)
                hn::StoreU(hn::LoadU(d16, from.axis[a] + begin + k), d16, to.axis[a] + at + k);
            for (std::size_t j = k; j < k + wide; j += hn::Lanes(di))
                hn::StoreU(hn::LoadU(di, from.instance + begin + j), di, to.body + at + j);
            if (to.entry == nullptr) continue;
            for (std::size_t j = k; j < k + wide; j += hn::Lanes(di))
                hn::StoreU(count_from(static_cast<std::uint32_t>(begin + j)), di,
                           to.entry + at + j);
        }
    }

    // Rows merged by x, as far as they are near to the own cells, behind some room. Returns the
    // number of slabs.
    template <std::size_t rows>
    std::size_t build(std::array<CellRange, rows> heads, CellRange own_cells,
                      std::size_t room) {
        const FinePoints<D> from = points;
        const std::uint32_t last_x = from.cell_x[own_cells.end - 1] + 1;
        std::size_t entries = room + hn::Lanes(dc), cells = 0;
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
        scratch.slab_middle.resize(cells + 1);
        std::uint32_t* const slab_x = scratch.slab_x.data();
        std::uint32_t* const slab_start = scratch.slab_start.data();
        std::uint32_t* const slab_mixed = scratch.slab_mixed.data();
        std::uint32_t* const slab_middle = scratch.slab_middle.data();
        std::size_t filled = room, slabs = 0;
        std::uint32_t mixed_cells = 0;
        constexpr std::uint32_t none = ~std::uint32_t{0};
        std::array<std::uint32_t, rows> next;  // x at each head
        for (std::size_t u = 0; u < heads.size(); ++u)
            next[u] = heads[u].begin < heads[u].end ? from.cell_x[heads[u].begin] : none;
        const auto advance = [&](std::size_t u) {
            const std::uint32_t c = ++heads[u].begin;
            next[u] = c < heads[u].end ? from.cell_x[c] : none;
        };
        std::uint32_t own = own_cells.begin;  // the first own cell that may be near
        for (;;) {
            std::uint32_t x = *std::min_element(next.begin(), next.end());
            while (own < own_cells.end && from.cell_x[own] + 1 < x) ++own;
            if (own == own_cells.end) x = none;
            if (x != none && x + 1 < from.cell_x[own]) {  // sparse rows: leap over what is not
                for (std::size_t u = 0; u < heads.size(); ++u)
                    while (next[u] < from.cell_x[own] - 1) advance(u);
                continue;
            }
            slab_x[slabs] = x;
            slab_start[slabs] = static_cast<std::uint32_t>(filled);
            slab_mixed[slabs] = mixed_cells;
            if (x == none) return slabs;
            ++slabs;
            for (std::size_t u = 0; u < heads.size(); ++u)
                if (next[u] == x) {
                    const std::uint32_t c = heads[u].begin;
                    const std::uint32_t begin = from.cell_start[c],
                                        end = from.cell_start[c + 1];
                    append(from, begin, end, pen, filled);
                    if (u == rows / 2)
                        slab_middle[slabs - 1] = static_cast<std::uint32_t>(filled);
                    filled += end - begin;
                    if (from.cell_mixed != nullptr) mixed_cells += from.cell_mixed[c];
                    advance(u);
                }
        }
    }

    struct Query {
        std::array<C, D> at;
        Index first;
    };
    struct Bounds {
        C sure, perhaps;  // one more than the sums may be
    };
    using At = std::array<C, D>;

    static HWY_INLINE At load(const Candidates& c, std::size_t k) {
        At at;
        for (std::size_t a = 0; a < D; ++a)
            at[a] = hn::LoadU(dc, reinterpret_cast<const std::int16_t*>(c.axis[a] + k));
        return at;
    }

    static HWY_INLINE C squares(const Query& q, const At& at) {
        C sum = hn::Zero(dc);
        for (std::size_t a = 0; a < D; ++a) {
            const C d = hn::Sub(at[a], q.at[a]);
            const C dd = hn::MulFixedPoint15(d, d);
            sum = a == 0 ? dd : hn::Add(sum, dd);
        }
        return sum;
    }

    Bounds bounds() const {
        return {hn::Set(dc, static_cast<std::int16_t>(points.sure + 1)),
                hn::Set(dc, static_cast<std::int16_t>(points.perhaps + 1))};
    }

    // Between the bounds rounding of the squares is most of the doubt: look at them unrounded.
    Doubt doubt(const Query& q, const Candidates& c, std::size_t e) const {
        std::int64_t sum = 0;
        for (std::size_t a = 0; a < D; ++a) {
            const auto at = static_cast<std::uint16_t>(hn::GetLane(q.at[a]));
            const std::int64_t d =
                static_cast<std::int16_t>(static_cast<std::uint16_t>(c.axis[a][e] - at));
            sum += d * d;
        }
        if (sum > points.perhaps_square) return Doubt::far;
        return sum <= points.sure_square ? Doubt::none : Doubt::remains;
    }

    template <bool count_only>
    HWY_NOINLINE Index* keep_maybes(const Query& q, const Bounds& bounds, const Candidates& c,
                                    std::size_t k, Index* out) {
        const C sum = squares(q, load(c, k));
        const auto between = hn::AndNot(hn::Gt(bounds.sure, sum), hn::Gt(bounds.perhaps, sum));
        for (std::uint64_t bits = bits_of(dc, between); bits != 0; bits &= bits - 1) {
            const std::size_t e = k + hwy::Num0BitsBelowLS1Bit_Nonzero64(bits);
            if (!static_cast<Derived&>(*this).keep_maybe(doubt(q, c, e), q.first, c.value[e]))
                continue;
            if (!count_only) *out = c.value[e];
            ++out;
        }
        return out;
    }

    // Queries against one vector of candidates: hits are stored at `out`, which moves on. If
    // they are only counted, it only counts.
    template <bool count_only, std::size_t queries>
    HWY_INLINE void step(const std::array<Query, queries>& q, const Bounds& bounds,
                         const Candidates& c, std::size_t k, std::array<Index*, queries>& out) {
        const At at = load(c, k);
        std::array<hn::Mask<Coordinates>, queries> near;
        auto between = hn::MaskFromVec(hn::Zero(dc));
        for (std::size_t i = 0; i < queries; ++i) {
            const C sum = squares(q[i], at);
            near[i] = hn::Gt(bounds.sure, sum);
            between = hn::Or(between, hn::Xor(near[i], hn::Gt(bounds.perhaps, sum)));
        }
#if HWY_TARGET == HWY_SCALAR
        for (std::size_t i = 0; i < queries; ++i) {
            if (!count_only) *out[i] = c.value[k];
            out[i] += hn::CountTrue(dc, near[i]);
        }
#else
        const auto bits = half_bits(dc, near);
        for (std::size_t i = 0; i < queries; ++i) {
            const std::size_t lo = hwy::PopCount(bits[i].lo);
            if (!count_only) {
                compress_store(bits[i].lo, hn::LoadU(di, c.value + k), out[i]);
                compress_store(bits[i].hi, hn::LoadU(di, c.value + k + hn::Lanes(di)),
                               out[i] + lo);
            }
            out[i] += lo + hwy::PopCount(bits[i].hi);
        }
#endif
        if (HWY_UNLIKELY(
                !hn::AllFalse(dc, between)))  // last: a point that meets itself comes first
            for (std::size_t i = 0; i < queries; ++i)
                out[i] = keep_maybes<count_only>(q[i], bounds, c, k, out[i]);
    }

    // Behind the last candidate, a vector's worth of what is near to nothing in an entry's
    // cell: two to three cells away along x, less than one along the others (sums of squares
    // remain below 2^15). Returns what was there.
    At put_pad(std::uint32_t entry, std::size_t to) {
        At behind;
        for (std::size_t a = 0; a < D; ++a) {
            auto* const pad = reinterpret_cast<std::int16_t*>(scratch.axis[a].data() + to);
            behind[a] = hn::LoadU(dc, pad);
            const unsigned cell_begin = points.axis[a][entry] >> fine_bits << fine_bits;
            const unsigned away = a == 0 ? 3u << fine_bits : 0u;
            hn::StoreU(hn::Set(dc, static_cast<std::int16_t>(cell_begin + away)), dc, pad);
        }
        return behind;
    }
    void take_pad(const At& behind, std::size_t to) {
        for (std::size_t a = 0; a < D; ++a)
            hn::StoreU(behind[a], dc,
                       reinterpret_cast<std::int16_t*>(scratch.axis[a].data() + to));
    }
};

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
        wait.pairs[wait.count++] = {first, second, false};
        return false;
    }

    // Hits wait in scratch until the next ones are there: what was just stored in pieces is
    // slow to read.
    struct Late {
        Index body;
        Index* hits;
        Index* own;  // the body itself is among the hits, a vector's worth from here
        std::size_t count = 0;
    };
    std::array<Late, 2> late{};
    std::size_t room = 0;  // for the hits of one entry, of four
    std::size_t turn = 0;  // which two of the four are the next

    // A body is in its own row and must be taken out; the last one takes its place.
    void write_late() {
        Maybes& wait = maybes[1 - turn / 2];
        for (std::size_t m = 0; m < wait.count; ++m) {
            const auto [first, second, mixed] = wait.pairs[m];
            Late& one = late[late[0].body == first ? 0 : 1];
            if (sink.decide(first, second)) one.hits[one.count++] = second;
        }
        wait.count = 0;
        for (Late& one : late) {
            if (one.count == 0) continue;
            one.own[find(one.own, one.body)] = one.hits[one.count - 1];
            const std::size_t n = one.count - 1;
            Index* const row = writer.row(one.body, n);
            for (std::size_t k = 0; k < Base::most_usual; k += hn::Lanes(di))
                hn::StoreU(hn::LoadU(di, one.hits + k), di, row + k);
            for (std::size_t k = Base::most_usual; k < n; k += hn::Lanes(di))
                hn::StoreU(hn::LoadU(di, one.hits + k), di, row + k);
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

    void make_room(std::size_t candidates) {
        const std::size_t needed = candidates + 2 * hn::Lanes(dc) + Base::most_usual;
        if (needed <= room) return;
        write_late();
        room = 2 * needed;
        scratch.hits.resize(4 * room);
    }

    // Entries that follow each other in a cell, the first at `own` in the strip, against
    // candidates from ... to - 1.
    template <std::size_t queries>
    HWY_INLINE void meet(std::size_t own, std::size_t from, std::size_t to) {
        Candidates c;
        for (std::size_t a = 0; a < D; ++a) c.axis[a] = scratch.axis[a].data();
        c.value = scratch.body.data();
        std::array<Query, queries> q;
        std::array<Index*, queries> begin, out, before;  // `before`: the body itself
        for (std::size_t i = 0; i < queries; ++i) {
            for (std::size_t a = 0; a < D; ++a)
                q[i].at[a] = hn::Set(dc, static_cast<std::int16_t>(c.axis[a][own + i]));
            q[i].first = c.value[own + i];
            begin[i] = out[i] = before[i] = scratch.hits.data() + (turn + i) * room;
        }
        const Bounds bounds = this->bounds();
        for (std::size_t k = from; k < to; k += hn::Lanes(dc)) {
            for (std::size_t i = 0; i < queries; ++i)
                before[i] = k <= own + i ? out[i] : before[i];
            this->template step<false>(q, bounds, c, k, out);
        }
        write_late();
        for (std::size_t i = 0; i < queries; ++i)
            late[i] = {q[i].first, begin[i], before[i],
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
            make_room(to - from);
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
void join(const FinePoints<D>& points, const StripRow<D>& row, StripScratch<D>& scratch,
          StripSink<D>& sink) {
    Joiner<D> joiner(points, scratch, sink);
    joiner.join(row);
}

template <int D>
void rows(const FinePoints<D>& points, const StripRing<D>& ring, StripScratch<D>& scratch,
          StripSink<D>& sink) {
    RowJoiner<D> joiner(points, scratch, sink);
    sink.writer->candidates += joiner.rows(ring);
}

StripKernels<2> strip_kernels_2() {
    return {join<2>, rows<2>};
}
StripKernels<3> strip_kernels_3() {
    return {join<3>, rows<3>};
}

}  // namespace vicinal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vicinal {

HWY_EXPORT(strip_kernels_2);
HWY_EXPORT(strip_kernels_3);

template <int D>
StripKernels<D> strip_kernels(std::int64_t target) {
    hwy::ChosenTarget chosen;
    chosen.Update(target);
    if constexpr (D == 2)
        return HWY_DISPATCH_TABLE(strip_kernels_2)[chosen.GetIndex()]();
    else
        return HWY_DISPATCH_TABLE(strip_kernels_3)[chosen.GetIndex()]();
}

template <int D>
std::size_t StripScratch<D>::bytes() const {
    std::size_t sum = body.bytes() + entry.bytes() + slab_x.bytes() + slab_start.bytes() +
                      slab_mixed.bytes() + slab_middle.bytes() + hits.bytes();
    for (const auto& a : axis) sum += a.bytes();
    return sum;
}

template StripKernels<2> strip_kernels<2>(std::int64_t);
template StripKernels<3> strip_kernels<3>(std::int64_t);
template struct StripScratch<2>;
template struct StripScratch<3>;

}  // namespace vicinal
#endif
