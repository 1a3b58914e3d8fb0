#include "row_grid/box_sweep.hpp"

#include <algorithm>
#include <utility>

#include "simd/dispatch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "row_grid/box_sweep.cpp"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vicinal::inline VICINAL_API::HWY_NAMESPACE {

// Candidates are tested in groups of a fixed size. The first group of a box is tested without
// checking its end: the number of candidates is unpredictable, and boxes that begin beyond the
// upper side fail anyway. Groups with hits are queued branch-free.
template <int D>
class Sweeper {
  public:
    Sweeper(const BoxRows<D>& rows, BoxScratch& scratch, BoxSink<D>& sink)
        : rows_(rows), sink_(sink) {
        scratch.groups.resize(max_groups + 1);
        scratch.first.resize(group * max_groups);
        scratch.second.resize(group * max_groups);
        groups_ = scratch.groups.data();
        first_ = scratch.first.data();
        second_ = scratch.second.data();
    }

    void sweep(std::uint32_t first, std::uint32_t last, std::uint32_t row_end) {
        // A local copy avoids aliasing reloads after every store.
        const BoxRows<D> rows = rows_;
        const float* const begins = rows.lo[0];
        std::uint64_t candidates = 0;
        for (std::uint32_t i = first; i < last; ++i) {
            Query q;
            for (std::size_t a = 0; a < D; ++a) {
                q.lo[a] = hn::Set(df, rows.lo[a][i]);
                q.hi[a] = hn::Set(df, rows.hi[a][i]);
            }
            q.instance = rows.instance[i];
            q.bits = rows.bits[i];
            q.entry = i;
            const float limit = std::max(rows.hi[0][i] + rows.bin, rows.bins_begin);
            std::uint32_t j = i + 1;
            test(rows, q, j, row_end);
            for (j += group; j < row_end && (begins[j] <= limit || begins[j] >= rows.bins_end);
                 j += group)
                test(rows, q, j, row_end);
            candidates += std::min(j, row_end) - (i + 1);
            if (HWY_UNLIKELY(candidates >= work_per_poll)) {
                sink_.box_candidates += std::exchange(candidates, 0);
                sink_.count_candidates();
            }
        }
        sink_.box_candidates += candidates;
        flush();
    }

    void probe_one(Index instance, const Box<float, D>& box, Bits bits, std::uint32_t begin,
                   std::uint32_t end) {
        const BoxRows<D> rows = rows_;
        Query q;
        for (std::size_t a = 0; a < D; ++a) {
            q.lo[a] = hn::Set(df, box.lo[a]);
            q.hi[a] = hn::Set(df, box.hi[a]);
        }
        q.instance = instance;
        q.bits = bits;
        q.entry = begin;  // placeholder: the instance has no entry to read a ball from
        rows_.kind = rows.kind == Kind::balls ? Kind::anything : rows.kind;
        for (std::uint32_t j = begin; j < end; j += group) test(rows, q, j, end);
        sink_.box_candidates += end - begin;
        flush();
    }

  private:
    using Kind = typename BoxRows<D>::Kind;
    static constexpr Floats df{};
    static constexpr Ids di{};
    static constexpr std::uint32_t group = 16;
    static constexpr std::size_t max_groups = 256;  // groups queued before a flush
    static_assert(group * max_groups <= max_reserve && group * sizeof(float) >= HWY_MAX_BYTES);
    static std::uint32_t lanes() { return static_cast<std::uint32_t>(hn::Lanes(df)); }

    struct Query {
        std::array<hn::Vec<Floats>, D> lo, hi;
        Index instance;
        Bits bits;
        std::uint32_t entry;
    };

    // Reads a whole group, after the last entry into the padding of the buffers.
    HWY_INLINE void test(const BoxRows<D>& rows, const Query& q, std::uint32_t j,
                         std::uint32_t end) {
        std::uint32_t hits = 0;
        for (std::uint32_t v = 0; v < group; v += lanes()) {
            auto overlap = hn::Le(hn::LoadU(df, rows.lo[0] + j + v), q.hi[0]);
            overlap = hn::And(overlap, hn::Ge(hn::LoadU(df, rows.hi[0] + j + v), q.lo[0]));
            for (std::size_t a = 1; a < D; ++a) {
                overlap = hn::And(overlap, hn::Le(hn::LoadU(df, rows.lo[a] + j + v), q.hi[a]));
                overlap = hn::And(overlap, hn::Ge(hn::LoadU(df, rows.hi[a] + j + v), q.lo[a]));
            }
            hits |= static_cast<std::uint32_t>(bits_of(df, overlap)) << v;
        }
        hits &= (1u << std::min(end - j, group)) - 1;
        groups_[count_] = {q.instance, q.bits, q.entry, j, hits};
        count_ += hits != 0;
        if (HWY_UNLIKELY(count_ == max_groups)) flush();
    }

    // Recovers balls from their boxes. Centre c and half side h of a float box differ from the
    // ball's by less than e = 16 eps (|c| + h) + 2 sqrt(smallest normal): sides were widened by
    // 8 eps h and two roundings, h is at least that root, and the formula's own rounding adds a
    // few eps.
    struct Balls {
        std::array<hn::Vec<Floats>, D> at;
        hn::Vec<Floats> h, e;
    };
    template <class Load>
    static HWY_INLINE Balls balls(const BoxRows<D>& rows, const Load& load) {
        Balls b;
        const auto half = hn::Set(df, 0.5f);
        auto far = hn::Zero(df);
        for (std::size_t a = 0; a < D; ++a) {
            const auto lo = hn::Mul(half, load(rows.lo[a])),
                       hi = hn::Mul(half, load(rows.hi[a]));
            b.at[a] = hn::Add(lo, hi);
            b.h = hn::Sub(hi, lo);
            far = hn::Max(far, hn::Abs(b.at[a]));
        }
        b.e = hn::Add(hn::Mul(hn::Set(df, 16 * 0x1p-23f), hn::Add(far, b.h)),
                      hn::Set(df, 0x1p-62f));
        return b;
    }

    // Accepted lanes, and undecided lanes.
    struct Touch {
        std::uint64_t accepted, undecided;
    };
    static HWY_INLINE Touch touch(const Balls& i, const Balls& j, ReachRule rule) {
        auto square = hn::Zero(df);
        for (std::size_t a = 0; a < D; ++a) {
            const auto d = hn::Sub(j.at[a], i.at[a]);
            square = hn::Add(square, hn::Mul(d, d));
        }
        const auto reach = rule == ReachRule::sum   ? hn::Add(i.h, j.h)
                           : rule == ReachRule::max ? hn::Max(i.h, j.h)
                                                    : hn::Min(i.h, j.h);
        const auto e = hn::Add(i.e, j.e);
        const auto inner = hn::Max(hn::Sub(reach, e), hn::Zero(df)), outer = hn::Add(reach, e);
        // Written so that NaN stays undecided.
        const auto accepted = hn::Lt(square, hn::Mul(inner, inner));
        const auto beyond = hn::Gt(square, hn::Mul(outer, outer));
        return {bits_of(df, accepted), ~(bits_of(df, accepted) | bits_of(df, beyond))};
    }

    template <Kind kind>
    void flush_as() {
        const BoxRows<D> rows = rows_;
        const BoxScratch::Group* const groups = groups_;
        BlockWriter<D>* const writer = sink_.box_writer;
        const bool counting = kind != Kind::anything && writer->counting();
        Pair* pairs = nullptr;
        if (kind != Kind::anything && !counting) {
            std::size_t max_pairs = 0;
            for (std::size_t g = 0; g < count_; ++g) max_pairs += hwy::PopCount(groups[g].hits);
            pairs = writer->reserve(max_pairs);
        }
        const hn::Rebind<Bits, Ids> d_bits;
        const auto needed = hn::Set(di, rows.needed);
        std::size_t written = 0, open = 0;
        for (std::size_t k = 0; k < count_; ++k) {
            const BoxScratch::Group g = groups[k];
            const auto i = hn::Set(di, g.first);
            for (std::uint32_t v = 0; v < group; v += lanes()) {
                const auto bits = hn::PromoteTo(di, hn::LoadU(d_bits, rows.bits + g.entry + v));
                const auto both = hn::And(hn::Or(bits, hn::Set(di, g.own_bits)), needed);
                const std::uint64_t all = g.hits >> v & bits_of(di, hn::Eq(both, needed));
                const auto j = hn::LoadU(di, rows.instance + g.entry + v);
                Touch hit = {all, kind == Kind::anything ? all : 0};
                if (kind == Kind::balls) {
                    const Balls one = balls(rows, [&](const float* x) HWY_ATTR {
                        return hn::Set(df, x[g.own_entry]);
                    });
                    const Balls others = balls(rows, [&](const float* x) HWY_ATTR {
                        return hn::LoadU(df, x + g.entry + v);
                    });
                    hit = touch(one, others, rows.rule);
                    hit.accepted &= all;
                    hit.undecided &= all;
                }
                if (kind != Kind::boxes) {
                    hn::StoreU(i, di, first_ + open);
                    compress_store(hit.undecided, j, second_ + open);
                    open += hwy::PopCount(hit.undecided);
                }
                if (kind == Kind::anything) continue;
                if (!counting) store_pairs(i, compress(hit.accepted, j), pairs + written);
                written += hwy::PopCount(hit.accepted);
            }
        }
        count_ = 0;
        if (counting) writer->add(written);
        if (kind != Kind::anything && !counting) writer->commit(written);
        if (open > 0) sink_.hits(first_, second_, open);
    }

    void flush() {
        if (sink_.box_writer == nullptr || rows_.kind == Kind::anything)
            flush_as<Kind::anything>();
        else if (rows_.kind == Kind::balls)
            flush_as<Kind::balls>();
        else
            flush_as<Kind::boxes>();
    }

    BoxRows<D> rows_;
    BoxSink<D>& sink_;
    BoxScratch::Group* groups_;
    Index *first_, *second_;
    std::size_t count_ = 0;
};

template <int D>
void sweep(const BoxRows<D>& rows, std::uint32_t first, std::uint32_t last,
           std::uint32_t row_end, BoxScratch& scratch, BoxSink<D>& sink) {
    Sweeper<D>(rows, scratch, sink).sweep(first, last, row_end);
}

template <int D>
void probe_one(const BoxRows<D>& rows, Index instance, const Box<float, D>& box, Bits bits,
               std::uint32_t begin, std::uint32_t end, BoxScratch& scratch, BoxSink<D>& sink) {
    Sweeper<D>(rows, scratch, sink).probe_one(instance, box, bits, begin, end);
}

template <int D>
BoxKernels<D> make_kernels() {
    return {sweep<D>, probe_one<D>};
}
VICINAL_DEFINE_KERNELS_D(BoxKernels, box_kernels, make_kernels)

}  // namespace vicinal::inline VICINAL_API::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vicinal::inline VICINAL_API {
VICINAL_EXPORT_KERNELS_D(BoxKernels, box_kernels)
}  // namespace vicinal::inline VICINAL_API
#endif
