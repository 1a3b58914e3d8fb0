#include "simd/boxes.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/boxes.cpp"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vicinal::HWY_NAMESPACE {

template <int D>
class Sweeper {
  public:
    Sweeper(BoxScratch& scratch, BoxSink& sink) : sink_(sink) {
        scratch.first.resize(most);
        scratch.second.resize(most);
        first_ = scratch.first.data();
        second_ = scratch.second.data();
    }

    // By value: what others can reach would be read again after every store.
    void sweep(const BoxRows<D> rows, std::uint32_t first, std::uint32_t last,
               std::uint32_t row_end) {
        const float* const begins = rows.lo[0];
        std::uint64_t candidates = 0;
        for (std::uint32_t i = first; i < last; ++i) {
            Query q;
            for (std::size_t a = 0; a < D; ++a) {
                q.lo[a] = hn::Set(df, rows.lo[a][i]);
                q.hi[a] = hn::Set(df, rows.hi[a][i]);
            }
            q.number = i;
            const float limit = std::max(rows.hi[0][i] + rows.bin, rows.bins_begin);
            std::uint32_t j = i + 1;
            for (; j < row_end && (begins[j] <= limit || begins[j] >= rows.bins_end);
                 j += lanes())
                test(rows, q, j, row_end);
            candidates += std::min(j, row_end) - (i + 1);
        }
        sink_.box_candidates += candidates;
        flush();
    }

    void ask(const BoxRows<D> rows, Index number, const Box<float, D>& box, std::uint32_t begin,
             std::uint32_t end) {
        Query q;
        for (std::size_t a = 0; a < D; ++a) {
            q.lo[a] = hn::Set(df, box.lo[a]);
            q.hi[a] = hn::Set(df, box.hi[a]);
        }
        q.number = number;
        for (std::uint32_t j = begin; j < end; j += lanes()) test(rows, q, j, end);
        sink_.box_candidates += end - begin;
        flush();
    }

  private:
    static constexpr std::size_t most = 1024;  // hits until they are handed on
    static constexpr Floats df{};
    static constexpr Ids di{};
    static std::uint32_t lanes() { return static_cast<std::uint32_t>(hn::Lanes(df)); }

    struct Query {
        std::array<hn::Vec<Floats>, D> lo, hi;
        Index number;
    };

    HWY_INLINE void test(const BoxRows<D>& rows, const Query& q, std::uint32_t j,
                         std::uint32_t end) {
        auto meet = hn::Le(hn::LoadU(df, rows.lo[0] + j), q.hi[0]);
        meet = hn::And(meet, hn::Ge(hn::LoadU(df, rows.hi[0] + j), q.lo[0]));
        for (std::size_t a = 1; a < D; ++a) {
            meet = hn::And(meet, hn::Le(hn::LoadU(df, rows.lo[a] + j), q.hi[a]));
            meet = hn::And(meet, hn::Ge(hn::LoadU(df, rows.hi[a] + j), q.lo[a]));
        }
        std::uint64_t bits = bits_of(df, meet);
        const std::uint32_t left = end - j;
        if (left < hn::Lanes(df)) bits &= (std::uint64_t{1} << left) - 1;
        hn::StoreU(hn::Set(di, q.number), di, first_ + count_);
        compress_store(bits, count_from(j), second_ + count_);
        count_ += hwy::PopCount(bits);
        if (HWY_UNLIKELY(count_ > most)) flush();
    }

    void flush() {
        if (count_ > 0) sink_.hits(first_, second_, count_);
        count_ = 0;
    }

    BoxSink& sink_;
    Index *first_, *second_;
    std::size_t count_ = 0;
};

template <int D>
void sweep(const BoxRows<D>& rows, std::uint32_t first, std::uint32_t last,
           std::uint32_t row_end, BoxScratch& scratch, BoxSink& sink) {
    Sweeper<D>(scratch, sink).sweep(rows, first, last, row_end);
}

template <int D>
void ask(const BoxRows<D>& rows, Index number, const Box<float, D>& box, std::uint32_t begin,
         std::uint32_t end, BoxScratch& scratch, BoxSink& sink) {
    Sweeper<D>(scratch, sink).ask(rows, number, box, begin, end);
}

BoxKernels<2> box_kernels_2() {
    return {sweep<2>, ask<2>};
}
BoxKernels<3> box_kernels_3() {
    return {sweep<3>, ask<3>};
}

}  // namespace vicinal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vicinal {

HWY_EXPORT(box_kernels_2);
HWY_EXPORT(box_kernels_3);

template <int D>
BoxKernels<D> box_kernels(std::int64_t target) {
    hwy::ChosenTarget chosen;
    chosen.Update(target);
    if constexpr (D == 2)
        return HWY_DISPATCH_TABLE(box_kernels_2)[chosen.GetIndex()]();
    else
        return HWY_DISPATCH_TABLE(box_kernels_3)[chosen.GetIndex()]();
}

template BoxKernels<2> box_kernels<2>(std::int64_t);
template BoxKernels<3> box_kernels<3>(std::int64_t);

}  // namespace vicinal
#endif
