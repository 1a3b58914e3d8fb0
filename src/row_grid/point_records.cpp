#include "row_grid/point_records.hpp"

#include "simd/dispatch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "row_grid/point_records.cpp"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vicinal::inline VICINAL_API::HWY_NAMESPACE {

using Doubles = hn::ScalableTag<double>;
using Words = hn::ScalableTag<std::uint64_t>;
using Units = hn::Rebind<std::uint32_t, Doubles>;  // as many lanes as Doubles

static_assert(batch_size * sizeof(double) % HWY_MAX_BYTES == 0);

HWY_INLINE hn::Vec<Doubles> in_double(hn::Vec<hn::Rebind<float, Doubles>> x) {
    return hn::PromoteTo(Doubles(), x);
}
HWY_INLINE hn::Vec<Doubles> in_double(hn::Vec<Doubles> x) {
    return x;
}

HWY_INLINE hn::Vec<Units> whole(hn::Vec<Doubles> x) {
    return hn::BitCast(Units(), hn::DemoteTo(hn::RebindToSigned<Units>(), x));
}

// The same operations as PointLattice::record(). If all cells are 2^14 units wide, a coordinate
// in units determines its cell.
template <bool alike, Real T, int D>
void make_batch(const PointLattice<D>& lattice, const PointBatch<T, D>& batch, Index first,
                PointRecord* out) {
    const Doubles dd;
    const Words dw;
    const Units du;
    const std::size_t lanes = hn::Lanes(dd);
    std::array<hn::Vec<Doubles>, D> origin, cells;
    std::array<int, D> shift;
    for (std::size_t a = 0, sum = PointRecord::cell_shift; a < D; ++a) {
        origin[a] = hn::Set(dd, lattice.origin[a]);
        cells[a] = hn::Set(dd, lattice.cells[a]);
        shift[a] = static_cast<int>(sum);
        sum += lattice.bits[a];
    }
    const auto units = hn::Set(dd, lattice.units);
    const auto low = hn::Set(du, 0xffff);
    alignas(64) static constexpr std::uint64_t count[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    static_assert(HWY_MAX_BYTES <= sizeof count);
    auto instance = hn::ShiftLeft<PointRecord::instance_shift>(
        hn::Add(hn::Load(dw, count), hn::Set(dw, std::uint64_t{first})));
    const auto next =
        hn::Set(dw, static_cast<std::uint64_t>(lanes) << PointRecord::instance_shift);
    for (std::size_t i = 0; i < batch_size; i += lanes) {
        const auto x = load_points<D>(hn::Rebind<T, Doubles>(), batch, i);
        std::array<hn::Vec<Units>, D> at;
        auto place = hn::Zero(dw);
        for (std::size_t a = 0; a < D; ++a) {
            const auto from = hn::Sub(in_double(x[a]), origin[a]);
            at[a] = whole(hn::Mul(from, units));
            const auto cell =
                alike ? hn::ShiftRight<int{unit_bits}>(at[a]) : whole(hn::Mul(from, cells[a]));
            place = hn::Or(place, hn::ShiftLeftSame(hn::PromoteTo(dw, cell), shift[a]));
        }
        place = hn::Or(place, hn::PromoteTo(dw, hn::And(at[0], low)));
        auto yz = hn::And(at[1], low);
        if constexpr (D == 3) yz = hn::Or(yz, hn::ShiftLeft<16>(at[2]));
        const auto rest = hn::Or(hn::PromoteTo(dw, yz), instance);
        store_interleaved(place, rest, dw, &out[i].place);
        instance = hn::Add(instance, next);
    }
}

template <Real T, int D>
void make_records(const PointLattice<D>& lattice, const PointBatch<T, D>& batch, Index first,
                  PointRecord* out) {
    bool alike = true;
    for (const double cells : lattice.cells)
        alike = alike && cells * (1 << unit_bits) == lattice.units;
    (alike ? make_batch<true, T, D> : make_batch<false, T, D>)(lattice, batch, first, out);
}

template <int D>
std::uint64_t unpack(const PointLattice<D>& lattice, const PointRecord* from,
                     const std::uint32_t* order, std::size_t count, const PointColumns<D>& to,
                     PointRecord* in_order) {
    for (std::size_t i = 0; i < count; ++i) in_order[i + 1] = from[order[i]];
    const Words dw;
    const Units du;
    const hn::Rebind<std::uint16_t, Words> d16;
    const std::size_t lanes = hn::Lanes(dw);
    const unsigned x_bits = lattice.bits[0];
    const auto x_mask = hn::Set(dw, (std::uint64_t{1} << x_bits) - 1);
    std::uint64_t begins = 0;
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        hn::Vec<Words> place, rest, before, unused;
        hn::LoadInterleaved2(dw, &in_order[i + 1].place, place, rest);
        hn::LoadInterleaved2(dw, &in_order[i].place, before, unused);
        const auto cell = hn::ShiftRight<int{PointRecord::cell_shift}>(place);
        const auto last = hn::ShiftRight<int{PointRecord::cell_shift}>(before);
        begins |= bits_of(dw, hn::Ne(cell, last)) << i;
        hn::StoreU(hn::TruncateTo(d16, place), d16, to.axis[0] + i);
        hn::StoreU(hn::TruncateTo(d16, rest), d16, to.axis[1] + i);
        if constexpr (D == 3)
            hn::StoreU(hn::TruncateTo(d16, hn::ShiftRight<16>(rest)), d16, to.axis[2] + i);
        hn::StoreU(hn::TruncateTo(d16, hn::And(cell, x_mask)), d16, to.cell + i);
        const auto instance = hn::ShiftRight<int{PointRecord::instance_shift}>(rest);
        hn::StoreU(hn::TruncateTo(du, instance), du, to.instance + i);
    }
    for (; i < count; ++i) {
        const PointRecord& r = in_order[i + 1];
        begins |= std::uint64_t{r.cell() != in_order[i].cell()} << i;
        to.axis[0][i] = r.x();
        to.axis[1][i] = r.y();
        if constexpr (D == 3) to.axis[2][i] = r.z();
        to.cell[i] = r.cell_x(x_bits);
        to.instance[i] = r.instance();
    }
    return begins;
}

template <Real T, int D>
PointRecordKernels<T, D> make_kernels() {
    return {make_records<T, D>, unpack<D>};
}
VICINAL_DEFINE_KERNELS(PointRecordKernels, point_record_kernels, make_kernels)

}  // namespace vicinal::inline VICINAL_API::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vicinal::inline VICINAL_API {
VICINAL_EXPORT_KERNELS(PointRecordKernels, point_record_kernels)
}  // namespace vicinal::inline VICINAL_API
#endif
