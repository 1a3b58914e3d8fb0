// Code shared by the two strip kernels, compiled once per target: include after
// <hwy/highway.h>.
#if defined(VICINAL_SIMD_STRIPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VICINAL_SIMD_STRIPS_INL
#undef VICINAL_SIMD_STRIPS_INL
#else
#define VICINAL_SIMD_STRIPS_INL
#endif

#include <algorithm>
#include <array>
#include <cstdint>

#include "row_grid/strips.hpp"
#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vicinal::inline VICINAL_API::HWY_NAMESPACE {

using Coordinates = hn::ScalableTag<std::int16_t>;
using C = hn::Vec<Coordinates>;

// Entries copied per step; most cells hold no more.
constexpr std::size_t copied_at_once = 16;

enum class Decision : std::uint8_t { accept, reject, undecided };

// A strip, and the test against it.
template <int D>
struct Strip {
    const QuantisedPoints<D>& points;
    StripScratch<D>& scratch;
    StripSink<D>& sink;

    Strip(const QuantisedPoints<D>& p, StripScratch<D>& s, StripSink<D>& k)
        : points(p), scratch(s), sink(k) {}

    static constexpr Coordinates dc{};
    static constexpr hn::RebindToUnsigned<Coordinates> du{};
    static constexpr Ids di{};

    struct Candidates {
        std::array<const std::uint16_t*, D> axis;
        const Index* value;
        const std::uint16_t* cell = nullptr;  // only if candidates may lie in any cell of a row
    };

    // Output cursor for copied entries.
    struct Cursor {
        std::array<std::uint16_t*, D> axis;
        Index* value;
        std::uint16_t* cell;
    };

    // Copies pieces in order (overrun is overwritten by the next piece), one array at a time:
    // all arrays together would need more registers than there are.
    void copy(const Cursor& cursor) const {
        const QuantisedPoints<D> from = points;
        const StripPiece* const pieces = scratch.pieces.data();
        const std::size_t count = scratch.pieces.size();
        const auto each = [=](const auto& copy_one) {
            for (const StripPiece* p = pieces; p != pieces + count; ++p) {
                std::size_t k = 0;
                do {
                    copy_one(p->begin + k, p->to + k);
                    k += copied_at_once;
                } while (HWY_UNLIKELY(k < p->end - p->begin));
            }
        };
        const hn::CappedTag<std::uint16_t, copied_at_once> d16;
        const auto coordinates = [&](const std::uint16_t* source, std::uint16_t* target) {
            each([=](std::size_t e, std::size_t to) {
                for (std::size_t k = 0; k < copied_at_once; k += hn::Lanes(d16))
                    hn::StoreU(hn::LoadU(d16, source + e + k), d16, target + to + k);
            });
        };
        for (std::size_t a = 0; a < D; ++a) coordinates(from.axis[a], cursor.axis[a]);
        if (cursor.cell != nullptr) coordinates(from.cell, cursor.cell);
        const Index* const values = from.marked != nullptr ? from.marked : from.instance;
        each([=](std::size_t e, std::size_t to) {
            for (std::size_t k = 0; k < copied_at_once; k += hn::Lanes(di))
                hn::StoreU(hn::LoadU(di, values + e + k), di, cursor.value + to + k);
        });
    }

    // After copy(): shifts the pieces across periodic faces by their periods, and sets their
    // flag bits.
    void cross_faces(const Cursor& cursor, unsigned down) const {
        const FaceImages<D>& images = FaceImages<D>::towards(down);
        const hn::CappedTag<std::uint16_t, copied_at_once> d16;
        for (const StripPiece& p : scratch.pieces.span()) {
            if (p.faces == 0) continue;
            const Image<D>& image = images.of(p.faces, false);
            const std::size_t n = p.end - p.begin;
            const auto each = [=](auto d, auto* to, const auto& change) {
                for (std::size_t k = 0; k < n; k += hn::Lanes(d)) {
                    const auto was = hn::LoadU(d, to + p.to + k);
                    hn::StoreU(hn::IfThenElse(hn::FirstN(d, n - k), change(was), was), d,
                               to + p.to + k);
                }
            };
            const auto add = [&](std::uint16_t* to, int periods, std::uint32_t period) {
                if (periods == 0) return;
                const auto by =
                    hn::Set(d16, static_cast<std::uint16_t>(periods > 0 ? period : -period));
                each(d16, to, [=](auto was) { return hn::Add(was, by); });
            };
            for (std::size_t a = 0; a < D; ++a) add(cursor.axis[a], image[a], points.period[a]);
            if (cursor.cell != nullptr) add(cursor.cell, image[0], points.last_x);
            const auto marks = hn::Set(di, p.faces | needs_resolve);
            each(di, cursor.value, [=](auto was) { return hn::Or(was, marks); });
        }
    }

    // Prefetches entries that will be copied. Forced inline, because g++ drops calls that only
    // prefetch.
    static HWY_INLINE void prefetch(const QuantisedPoints<D>& from, std::uint32_t end) {
        for (std::size_t a = 0; a < D; ++a) __builtin_prefetch(from.axis[a] + end);
        __builtin_prefetch(from.instance + end);
    }

    // Reserves scratch for this many entries; `values` may be an array of the caller.
    Cursor cursor(std::size_t entries, Index* values = nullptr) {
        Cursor cursor{};
        for (std::size_t a = 0; a < D; ++a) {
            scratch.axis[a].resize(entries);
            cursor.axis[a] = scratch.axis[a].data();
        }
        if (values == nullptr) {
            scratch.value.resize(entries);
            values = scratch.value.data();
        }
        cursor.value = values;
        return cursor;
    }

    // Merges those cells of the rows that are adjacent to own cells, sorted by x: lists the
    // pieces to copy, after `reserved` entries, and the slabs.
    struct Merged {
        std::size_t slabs;
        std::uint32_t entries;  // end of the last slab
    };
    template <std::size_t rows>
    Merged merge(std::array<CellRange, rows> heads, CellRange own_cells, std::size_t reserved,
                 const StripFaces<rows>& faces) {
        const QuantisedPoints<D> from = points;
        const std::uint32_t last_x = from.cell_x[own_cells.end - 1] + 1;
        std::size_t cells = 0;
        for (CellRange& h : heads) {
            // Only up to the last own cell: a long row is divided into many tasks.
            h.end = static_cast<std::uint32_t>(
                std::upper_bound(from.cell_x + h.begin, from.cell_x + h.end, last_x) -
                from.cell_x);
            cells += h.end - h.begin;
        }
        cells += std::size_t{faces.lows} + faces.highs;
        scratch.pieces.resize(cells);
        scratch.slab_x.resize(cells + 1);
        scratch.slab_start.resize(cells + 1);
        scratch.slab_flags.resize(cells + 1);
        scratch.slab_middle.resize(cells + 1);
        std::uint32_t* const slab_x = scratch.slab_x.data();
        std::uint32_t* const slab_start = scratch.slab_start.data();
        std::uint8_t* const slab_flags = scratch.slab_flags.data();
        std::uint32_t* const slab_middle = scratch.slab_middle.data();
        StripPiece* piece = scratch.pieces.data();
        std::size_t filled = reserved, slabs = 0;
        const auto add = [&](std::uint32_t cell, Index crossed) {
            const std::uint32_t begin = from.cell_start[cell], end = from.cell_start[cell + 1];
            *piece++ = {begin, end, static_cast<std::uint32_t>(filled), crossed};
            prefetch(from, end);
            filled += end - begin;
            if (from.cell_flags != nullptr) slab_flags[slabs] |= from.cell_flags[cell];
            if (crossed != 0) slab_flags[slabs] |= has_ghosts;
        };
        const auto begin_slab = [&](std::uint32_t x) {
            slab_x[slabs] = x;
            slab_start[slabs] = static_cast<std::uint32_t>(filled);
            slab_flags[slabs] = 0;
        };
        if (faces.lows > 0) {
            begin_slab(0);
            for (std::size_t k = 0; k < faces.lows; ++k)
                add(faces.low[k].cell, faces.low[k].faces);
            ++slabs;
        }
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
            if (x != none && x + 1 < from.cell_x[own]) {  // sparse rows: skip distant cells
                for (std::size_t u = 0; u < heads.size(); ++u)
                    while (next[u] < from.cell_x[own] - 1) advance(u);
                continue;
            }
            begin_slab(x);
            if (x == none) break;
            for (std::size_t u = 0; u < heads.size(); ++u)
                if (next[u] == x) {
                    if (u == rows / 2) slab_middle[slabs] = static_cast<std::uint32_t>(filled);
                    add(heads[u].begin, faces.crossed[u]);
                    advance(u);
                }
            ++slabs;
        }
        if (faces.highs > 0) {
            begin_slab(from.last_x + 1);
            for (std::size_t k = 0; k < faces.highs; ++k)
                add(faces.high[k].cell, faces.high[k].faces);
            ++slabs;
            begin_slab(none);
        }
        scratch.pieces.resize(static_cast<std::size_t>(piece - scratch.pieces.data()));
        return {slabs, static_cast<std::uint32_t>(filled)};
    }

    // The point whose entry in a strip is `own`.
    struct Query {
        std::size_t own;
        std::array<C, D> at;
        C cell;
    };
    template <bool any_cell>
    static HWY_INLINE Query query(const Candidates& c, std::size_t own) {
        Query q;
        q.own = own;
        for (std::size_t a = 0; a < D; ++a)
            q.at[a] = hn::Set(dc, static_cast<std::int16_t>(c.axis[a][own]));
        if (any_cell) q.cell = hn::Set(dc, static_cast<std::int16_t>(c.cell[own]));
        return q;
    }
    struct Bounds {
        C accept;           // the largest accepted sum, plus one
        C undecided_width;  // undecided sums exceed `accept` by at most this, unsigned
    };
    using At = std::array<C, D>;

    static HWY_INLINE At load(const Candidates& c, std::size_t k) {
        At at;
        for (std::size_t a = 0; a < D; ++a)
            at[a] = hn::LoadU(dc, reinterpret_cast<const std::int16_t*>(c.axis[a] + k));
        return at;
    }

    // The sum saturates at 2^15 - 1, above `reject`.
    static HWY_INLINE C squares(const Query& q, const At& at) {
        C sum = hn::Zero(dc);
        for (std::size_t a = 0; a < D; ++a) {
            const C d = hn::Sub(at[a], q.at[a]);
            const C dd = hn::MulFixedPoint15(d, d);
            sum = a == 0 ? dd : hn::SaturatedAdd(sum, dd);
        }
        return sum;
    }
    static HWY_INLINE C min_unsigned(C a, C b) {
        return hn::BitCast(dc, hn::Min(hn::BitCast(du, a), hn::BitCast(du, b)));
    }
    // Decision sums, given `more` = sum - bounds.accept; accepted sums wrap around to large
    // unsigned values.
    static HWY_INLINE hn::Mask<Coordinates> undecided_lanes(C more, const Bounds& bounds) {
        return hn::Eq(min_unsigned(more, bounds.undecided_width), more);
    }

    // Candidates in the query's cell along x or an adjacent one; only there are 16-bit
    // differences exact.
    static HWY_INLINE hn::Mask<Coordinates> beside(const Query& q, const Candidates& c,
                                                   std::size_t k) {
        const C cell = hn::LoadU(dc, reinterpret_cast<const std::int16_t*>(c.cell + k));
        return hn::Gt(hn::Set(dc, 2), hn::Abs(hn::Sub(cell, q.cell)));
    }

    Bounds bounds() const {
        return {hn::Set(dc, static_cast<std::int16_t>(points.accept + 1)),
                hn::Set(dc, static_cast<std::int16_t>(points.reject - points.accept - 1))};
    }

    // Between the bounds, most of the uncertainty is the rounding of the squares: compare the
    // exact sum.
    Decision classify_undecided(const Candidates& c, std::size_t own, std::size_t e) const {
        std::int64_t sum = 0;
        for (std::size_t a = 0; a < D; ++a) {
            const std::int64_t d = static_cast<std::int16_t>(
                static_cast<std::uint16_t>(c.axis[a][e] - c.axis[a][own]));
            sum += d * d;
        }
        if (sum > points.reject_square) return Decision::reject;
        return sum <= points.accept_square ? Decision::accept : Decision::undecided;
    }

    // Tests queries against one vector of candidates; with `last`, lanes from `end` on are
    // masked. Sets the accepted lanes in `near`; returns true if any lane is undecided.
    template <bool any_cell, bool last, std::size_t queries>
    static HWY_INLINE bool test(const std::array<Query, queries>& q, const Bounds& bounds,
                                const Candidates& c, std::size_t k, std::size_t end,
                                std::array<hn::Mask<Coordinates>, queries>& near) {
        const At at = load(c, k);
        const C max_unsigned = hn::Set(dc, -1);
        C min_more = max_unsigned;  // over all queries: one undecided lane is enough
        for (std::size_t i = 0; i < queries; ++i) {
            const C sum = squares(q[i], at);
            near[i] = hn::Gt(bounds.accept, sum);
            C more = hn::Sub(sum, bounds.accept);
            static_assert(!any_cell || !last);
            if constexpr (any_cell || last) {
                const auto there = last ? hn::FirstN(dc, end - k) : beside(q[i], c, k);
                near[i] = hn::And(near[i], there);
                more = hn::IfThenElse(there, more, max_unsigned);
            }
            min_more = i == 0 ? more : min_unsigned(min_more, more);
        }
        return HWY_UNLIKELY(!hn::AllFalse(dc, undecided_lanes(min_more, bounds)));
    }

    // Decision lanes of one vector for the entry at `own`. (Takes no vectors as arguments:
    // they would have to live in memory.)
    template <bool any_cell>
    std::uint64_t between(const Candidates& c, std::size_t own, std::size_t k,
                          std::size_t end) const {
        const Query q = query<any_cell>(c, own);
        const Bounds bounds = this->bounds();
        auto between = undecided_lanes(hn::Sub(squares(q, load(c, k)), bounds.accept), bounds);
        if (any_cell) between = hn::And(between, beside(q, c, k));
        return bits_of(dc, hn::And(between, hn::FirstN(dc, end - k)));
    }
};

}  // namespace vicinal::inline VICINAL_API::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
