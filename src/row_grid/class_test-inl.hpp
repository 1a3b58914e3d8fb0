// The test of classes (groups and masks) in the strip join, compiled once per target: include
// after <hwy/highway.h>.
#if defined(VICINAL_ROW_GRID_CLASS_TEST_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VICINAL_ROW_GRID_CLASS_TEST_INL
#undef VICINAL_ROW_GRID_CLASS_TEST_INL
#else
#define VICINAL_ROW_GRID_CLASS_TEST_INL
#endif

#include <array>
#include <cstdint>

#include "row_grid/strips.hpp"
#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vicinal::inline VICINAL_API::HWY_NAMESPACE {

// Holds copies of the tables: vector stores might alias tables behind a pointer.
struct ClassTest {
    PairClasses::KernelTable low, high;
    Index mask;
    int shift;
    explicit ClassTest(const PairClasses& classes)
        : low(classes.low()),
          high(classes.high()),
          mask(class_mask(classes)),
          shift(static_cast<int>(class_shift(classes))) {}

    // Removes the class bits from i and j; returns the bits of the lanes that may pair.
    HWY_INLINE std::uint64_t take_classes(hn::Vec<Ids>& i, hn::Vec<Ids>& j) const {
        const Ids di;
        const auto take = [&](hn::Vec<Ids>& values) {
            const auto classes = hn::ShiftRightSame(hn::And(values, hn::Set(di, mask)), shift);
            values = hn::AndNot(hn::Set(di, mask), values);
            return classes;
        };
        const auto first = take(i), second = take(j);
#if HWY_TARGET == HWY_SCALAR
        const Index c = hn::GetLane(first), e = hn::GetLane(second);
        return (e < 8 ? low[c] >> e : high[c] >> (e - 8)) & 1;
#else
        alignas(16) static constexpr std::array<PairClasses::KernelTable, 2> bit_of{
            {{1, 2, 4, 8, 16, 32, 64, 128},
             {0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128}}};
        const hn::Repartition<std::uint8_t, Ids> d8;
        const auto look_up = [&](const PairClasses::KernelTable& table, hn::Vec<Ids> which) {
            return hn::TableLookupBytes(hn::LoadDup128(d8, table.data()),
                                        hn::BitCast(d8, which));
        };
        const auto allowed = hn::Or(hn::And(look_up(low, first), look_up(bit_of[0], second)),
                                    hn::And(look_up(high, first), look_up(bit_of[1], second)));
        // Only the lowest byte of a lane is a class.
        const auto lowest = hn::And(hn::BitCast(di, allowed), hn::Set(di, 0xff));
        return bits_of(di, hn::Ne(lowest, hn::Zero(di)));
#endif
    }
};

}  // namespace vicinal::inline VICINAL_API::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
