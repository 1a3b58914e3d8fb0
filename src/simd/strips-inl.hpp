// What the two strip kernels share, once per target: include after <hwy/highway.h>.
#if defined(VICINAL_SIMD_STRIPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VICINAL_SIMD_STRIPS_INL
#undef VICINAL_SIMD_STRIPS_INL
#else
#define VICINAL_SIMD_STRIPS_INL
#endif

#include <algorithm>
#include <array>
#include <cstdint>

#include "simd/lanes-inl.hpp"
#include "simd/strips.hpp"

HWY_BEFORE_NAMESPACE();
namespace vicinal::HWY_NAMESPACE {

using Coordinates = hn::ScalableTag<std::int16_t>;
using C = hn::Vec<Coordinates>;

// Entries are copied so many at a time: as most cells have at most.
constexpr std::size_t copied_at_once = 16;

enum class Doubt : std::uint8_t { none, far, remains };

// A strip, and the test against it.
template <int D>
struct Strip {
    const FinePoints<D>& points;
    StripScratch<D>& scratch;
    StripSink<D>& sink;

    Strip(const FinePoints<D>& p, StripScratch<D>& s, StripSink<D>& k)
        : points(p), scratch(s), sink(k) {}

    static constexpr Coordinates dc{};
    static constexpr hn::RebindToUnsigned<Coordinates> du{};
    static constexpr Ids di{};

    struct Candidates {
        std::array<const std::uint16_t*, D> axis;
        const Index* value;
        const std::uint16_t* cell = nullptr;  // of candidates that may be in any cell of a row
    };

    // Where the next entries go.
    struct Pen {
        std::array<std::uint16_t*, D> axis;
        Index* value;
        std::uint16_t* cell;
    };

    // Instances from an entry on, marked if any is.
    static HWY_INLINE hn::Vec<Ids> load_marked(const FinePoints<D>& from, std::size_t entry) {
        if (!from.all_mixed) return hn::LoadU(di, from.marked + entry);
        return hn::Or(hn::LoadU(di, from.instance + entry), hn::Set(di, look_bit));
    }

    // Copies pieces in their order (what is written too much is overwritten by the next), array
    // by array: all at once they would need more registers than there are.
    void copy(const Pen& pen) const {
        const FinePoints<D> from = points;
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
        const auto places = [&](const std::uint16_t* source, std::uint16_t* target) {
            each([=](std::size_t e, std::size_t to) {
                for (std::size_t k = 0; k < copied_at_once; k += hn::Lanes(d16))
                    hn::StoreU(hn::LoadU(d16, source + e + k), d16, target + to + k);
            });
        };
        for (std::size_t a = 0; a < D; ++a) places(from.axis[a], pen.axis[a]);
        if (pen.cell != nullptr) places(from.cell, pen.cell);
        const auto values = [&](const auto& load) {
            each([=](std::size_t e, std::size_t to) {
                for (std::size_t k = 0; k < copied_at_once; k += hn::Lanes(di))
                    hn::StoreU(load(e + k), di, pen.value + to + k);
            });
        };
        if (from.all_mixed)
            values([=](std::size_t e) { return load_marked(from, e); });
        else
            values([plain = from.marked != nullptr ? from.marked : from.instance](
                       std::size_t e) { return hn::LoadU(di, plain + e); });
    }

    // Then moves those from beyond faces to where they are seen, and marks them.
    void cross_faces(const Pen& pen, bool down) const {
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
            for (std::size_t a = 0; a < D; ++a) add(pen.axis[a], image[a], points.period[a]);
            if (pen.cell != nullptr) add(pen.cell, image[0], points.last_x);
            const auto marks = hn::Set(di, p.faces | look_bit);
            each(di, pen.value, [=](auto was) { return hn::Or(was, marks); });
        }
    }

    // Sends for entries that will be copied. Inline by force, or g++ would drop the calls.
    static HWY_INLINE void expect(const FinePoints<D>& from, std::uint32_t end) {
        for (std::size_t a = 0; a < D; ++a) __builtin_prefetch(from.axis[a] + end);
        __builtin_prefetch(from.instance + end);
    }

    // Room for so many entries in scratch, their instances perhaps elsewhere.
    Pen pen(std::size_t entries, Index* values = nullptr) {
        Pen pen{};
        for (std::size_t a = 0; a < D; ++a) {
            scratch.axis[a].resize(entries);
            pen.axis[a] = scratch.axis[a].data();
        }
        if (values == nullptr) {
            scratch.value.resize(entries);
            values = scratch.value.data();
        }
        pen.value = values;
        return pen;
    }

    // Rows merged by x, as far as they are near to the own cells, behind some room: pieces to
    // copy, and slabs.
    struct Merged {
        std::size_t slabs;
        std::uint32_t entries;  // where the last ends
    };
    template <std::size_t rows>
    Merged merge(std::array<CellRange, rows> heads, CellRange own_cells, std::size_t room,
                 const StripFaces<rows>& faces) {
        const FinePoints<D> from = points;
        const std::uint32_t last_x = from.cell_x[own_cells.end - 1] + 1;
        std::size_t cells = 0;
        for (CellRange& h : heads) {
            // Only as far as the own cells reach: a row may be long and cut into many tasks.
            h.end = static_cast<std::uint32_t>(
                std::upper_bound(from.cell_x + h.begin, from.cell_x + h.end, last_x) -
                from.cell_x);
            cells += h.end - h.begin;
        }
        cells += std::size_t{faces.lows} + faces.highs;
        scratch.pieces.resize(cells);
        scratch.slab_x.resize(cells + 1);
        scratch.slab_start.resize(cells + 1);
        scratch.slab_homes.resize(cells + 1);
        scratch.slab_middle.resize(cells + 1);
        std::uint32_t* const slab_x = scratch.slab_x.data();
        std::uint32_t* const slab_start = scratch.slab_start.data();
        std::uint8_t* const slab_homes = scratch.slab_homes.data();
        std::uint32_t* const slab_middle = scratch.slab_middle.data();
        StripPiece* piece = scratch.pieces.data();
        std::size_t filled = room, slabs = 0;
        const auto add = [&](std::uint32_t cell, Index crossed) {
            const std::uint32_t begin = from.cell_start[cell], end = from.cell_start[cell + 1];
            *piece++ = {begin, end, static_cast<std::uint32_t>(filled), crossed};
            expect(from, end);
            filled += end - begin;
            if (from.cell_homes != nullptr) slab_homes[slabs] |= from.cell_homes[cell];
            if (crossed != 0) slab_homes[slabs] |= mixed_cell;
        };
        const auto begin_slab = [&](std::uint32_t x) {
            slab_x[slabs] = x;
            slab_start[slabs] = static_cast<std::uint32_t>(filled);
            slab_homes[slabs] = 0;
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
            if (x != none && x + 1 < from.cell_x[own]) {  // sparse rows: leap over what is not
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
        C sure;   // one more than a sum that is surely near
        C doubt;  // by how much others may be more than that, unsigned
    };
    using At = std::array<C, D>;

    static HWY_INLINE At load(const Candidates& c, std::size_t k) {
        At at;
        for (std::size_t a = 0; a < D; ++a)
            at[a] = hn::LoadU(dc, reinterpret_cast<const std::int16_t*>(c.axis[a] + k));
        return at;
    }

    // The sum stops at 2^15 - 1: far away is far away.
    static HWY_INLINE C squares(const Query& q, const At& at) {
        C sum = hn::Zero(dc);
        for (std::size_t a = 0; a < D; ++a) {
            const C d = hn::Sub(at[a], q.at[a]);
            const C dd = hn::MulFixedPoint15(d, d);
            sum = a == 0 ? dd : hn::SaturatedAdd(sum, dd);
        }
        return sum;
    }
    static HWY_INLINE C least_unsigned(C a, C b) {
        return hn::BitCast(dc, hn::Min(hn::BitCast(du, a), hn::BitCast(du, b)));
    }
    // From how much more than sure they are, less being much more: which sums are in doubt.
    static HWY_INLINE hn::Mask<Coordinates> in_doubt(C more, const Bounds& bounds) {
        return hn::Eq(least_unsigned(more, bounds.doubt), more);
    }

    // Which candidates are in the query's cell along x or in one beside it: only there are
    // differences what they seem.
    static HWY_INLINE hn::Mask<Coordinates> beside(const Query& q, const Candidates& c,
                                                   std::size_t k) {
        const C cell = hn::LoadU(dc, reinterpret_cast<const std::int16_t*>(c.cell + k));
        return hn::Gt(hn::Set(dc, 2), hn::Abs(hn::Sub(cell, q.cell)));
    }

    Bounds bounds() const {
        return {hn::Set(dc, static_cast<std::int16_t>(points.sure + 1)),
                hn::Set(dc, static_cast<std::int16_t>(points.perhaps - points.sure - 1))};
    }

    // Between the bounds rounding of the squares is most of the doubt: look at them unrounded.
    Doubt doubt(const Candidates& c, std::size_t own, std::size_t e) const {
        std::int64_t sum = 0;
        for (std::size_t a = 0; a < D; ++a) {
            const std::int64_t d = static_cast<std::int16_t>(
                static_cast<std::uint16_t>(c.axis[a][e] - c.axis[a][own]));
            sum += d * d;
        }
        if (sum > points.perhaps_square) return Doubt::far;
        return sum <= points.sure_square ? Doubt::none : Doubt::remains;
    }

    // Queries against one vector of candidates, the last of which may be behind `end`: which
    // are near. True if some lie between the bounds.
    template <bool any_cell, bool last, std::size_t queries>
    static HWY_INLINE bool test(const std::array<Query, queries>& q, const Bounds& bounds,
                                const Candidates& c, std::size_t k, std::size_t end,
                                std::array<hn::Mask<Coordinates>, queries>& near) {
        const At at = load(c, k);
        const C most = hn::Set(dc, -1);  // unsigned
        C least = most;                  // of all queries: one is enough to look again
        for (std::size_t i = 0; i < queries; ++i) {
            const C sum = squares(q[i], at);
            near[i] = hn::Gt(bounds.sure, sum);
            C more = hn::Sub(sum, bounds.sure);
            static_assert(!any_cell || !last);
            if constexpr (any_cell || last) {
                const auto there = last ? hn::FirstN(dc, end - k) : beside(q[i], c, k);
                near[i] = hn::And(near[i], there);
                more = hn::IfThenElse(there, more, most);
            }
            least = i == 0 ? more : least_unsigned(least, more);
        }
        return HWY_UNLIKELY(!hn::AllFalse(dc, in_doubt(least, bounds)));
    }

    // Which of such a vector lie between the bounds for the entry at `own`. (No vectors come
    // in: they would have to be in memory all the time.)
    template <bool any_cell>
    std::uint64_t between(const Candidates& c, std::size_t own, std::size_t k,
                          std::size_t end) const {
        const Query q = query<any_cell>(c, own);
        const Bounds bounds = this->bounds();
        auto between = in_doubt(hn::Sub(squares(q, load(c, k)), bounds.sure), bounds);
        if (any_cell) between = hn::And(between, beside(q, c, k));
        return bits_of(dc, hn::And(between, hn::FirstN(dc, end - k)));
    }
};

}  // namespace vicinal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
