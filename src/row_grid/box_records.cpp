#include "row_grid/box_records.hpp"

#include <cmath>
#include <concepts>
#include <limits>

#include "simd/dispatch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "row_grid/box_records.cpp"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vicinal::inline VICINAL_API::HWY_NAMESPACE {

// Vectors of float for coordinates in T: as many lanes as T has.
template <Real T>
using Places = hn::Rebind<float, hn::ScalableTag<T>>;

template <Real T, class Key, int D>
class Maker {
  public:
    Maker(const BoxCells<D>& cells, BoxBatch<Key, D>& batch) : cells_(cells), batch_(batch) {}

    void make_boxes(const PointBatch<T, D>& lo, const PointBatch<T, D>& hi, Index first,
                    std::size_t count) {
        make(first, count, [&](std::size_t i) HWY_ATTR {
            return Both{in_float(load_points<D>(dt, lo, i)),
                        in_float(load_points<D>(dt, hi, i))};
        });
    }

    // The same operations as round_box().
    void make_balls(const PointBatch<T, D>& centre, const T* radius, Index first,
                    std::size_t count) {
        constexpr T epsilon = std::numeric_limits<T>::epsilon();
        const auto wider = hn::Set(dt, 1 + 8 * epsilon), eps = hn::Set(dt, epsilon),
                   min_half = hn::Set(dt, std::sqrt(std::numeric_limits<T>::min())),
                   largest = hn::Set(dt, std::numeric_limits<T>::max());
        make(first, count, [&](std::size_t i) HWY_ATTR {
            auto lo = load_points<D>(dt, centre, i), hi = lo;
            const auto h = hn::Max(hn::Mul(hn::LoadU(dt, radius + i), wider), min_half);
            for (std::size_t a = 0; a < D; ++a) {
                lo[a] = hn::Sub(lo[a], h);
                hi[a] = hn::Add(hi[a], h);
                lo[a] = hn::Max(hn::Sub(lo[a], hn::Mul(eps, hn::Abs(lo[a]))), hn::Neg(largest));
                hi[a] = hn::Min(hn::Add(hi[a], hn::Mul(eps, hn::Abs(hi[a]))), largest);
            }
            return Both{in_float(lo), in_float(hi)};
        });
    }

  private:
    static_assert(batch_size == 64);
    static constexpr hn::ScalableTag<T> dt{};
    static constexpr Places<T> df{};
    static constexpr hn::RebindToSigned<Places<T>> di{};
    static constexpr hn::RebindToUnsigned<Places<T>> du{};
    using Sides = std::array<hn::Vec<Places<T>>, D>;

    struct Both {
        Sides low, high;
    };

    // Rounds as static_cast does: without vectors Highway saturates at the largest float, not
    // at infinity.
    static HWY_INLINE hn::Vec<Places<T>> rounded(hn::Vec<hn::ScalableTag<T>> x) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
        HWY_ALIGN T from[hn::MaxLanes(dt)];
        HWY_ALIGN float to[hn::MaxLanes(dt)];
        hn::Store(x, dt, from);
        for (std::size_t l = 0; l < hn::Lanes(dt); ++l) to[l] = static_cast<float>(from[l]);
        return hn::Load(df, to);
#else
        return hn::DemoteTo(df, x);
#endif
    }

    // The sweep axis first.
    HWY_INLINE Sides in_float(const std::array<hn::Vec<decltype(dt)>, D>& x) const {
        Sides sides;
        for (std::size_t a = 0; a < D; ++a)
            if constexpr (std::same_as<T, float>)
                sides[a] = x[a];
            else
                sides[a] = rounded(x[a]);
        for (std::size_t a = 1; a < D; ++a)
            if (cells_.axes[a] == 0) std::swap(sides[0], sides[a]);
        return sides;
    }

    // Makes boxes from sides_at(i), which returns a vector of them.
    template <class SidesAt>
    HWY_INLINE void make(Index first, std::size_t count, const SidesAt& sides_at) {
        std::uint64_t wide = 0;
        auto longest = hn::Zero(df);
        for (std::size_t i = 0; i < batch_size; i += hn::Lanes(df)) {
            const auto [low, high] = sides_at(i);
            store(low, high, first, i);
            const auto length = hn::Sub(high[0], low[0]);
            // Written so that NaN (both sides infinite) is ignored.
            longest = hn::IfThenElse(hn::Gt(length, longest), length, longest);
            hn::StoreU(cell(low[0], 0), di, batch_.cell[0].data() + i);
            auto widest = hn::Zero(di);
            for (std::size_t a = 1; a < D; ++a) {
                const auto begin = cell(low[a], a), more = hn::Sub(cell(high[a], a), begin);
                hn::StoreU(begin, di, batch_.cell[a].data() + i);
                hn::StoreU(more, di, batch_.more[a].data() + i);
                widest = hn::Max(widest, more);
            }
            wide |= bits_of(di, hn::Gt(widest, hn::Set(di, 1))) << i;
        }
        batch_.wide = wide & (~std::uint64_t{0} >> (batch_size - count));
        batch_.longest = hn::GetLane(hn::MaxOfLanes(df, longest));
        list(count);
    }

    // The same operations as BoxCells::cell().
    HWY_INLINE hn::Vec<decltype(di)> cell(hn::Vec<Places<T>> x, std::size_t a) const {
        const auto c = hn::Mul(hn::Sub(x, hn::Set(df, cells_.origin[a])),
                               hn::Set(df, cells_.per_length[a]));
        return hn::ConvertTo(
            di, hn::Min(hn::Max(c, hn::Zero(df)), hn::Set(df, cells_.max_cell[a])));
    }

    HWY_INLINE void store(const Sides& low, const Sides& high, Index first, std::size_t i) {
        const auto word = [](auto x) HWY_ATTR { return hn::BitCast(du, x); };
        alignas(64) static constexpr Index lanes[16] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                        8, 9, 10, 11, 12, 13, 14, 15};
        const auto instance =
            hn::Add(hn::Load(du, lanes), hn::Set(du, static_cast<Index>(first + i)));
        std::uint32_t* const front = batch_.front[i].data();
        std::uint32_t* const back = batch_.back[i].data();
        if constexpr (D == 2) {
            hn::StoreInterleaved4(word(low[0]), word(low[1]), word(high[0]), word(high[1]), du,
                                  front);
            hn::StoreInterleaved2(instance, instance, du, back);
        } else {
            hn::StoreInterleaved4(word(low[0]), word(low[1]), word(low[2]), word(high[0]), du,
                                  front);
            hn::StoreInterleaved4(word(high[1]), word(high[2]), instance, instance, du, back);
        }
    }

#if HWY_TARGET != HWY_SCALAR
    // The keys of a box's possible rows in four lanes; those it touches are compacted to the
    // front.
    void list(std::size_t count)
        requires(sizeof(Key) == 4)
    {
        const Ids dk;
        const hn::FixedTag<std::uint32_t, 4> d4;
        const hn::RebindToSigned<Ids> ds;
        alignas(64) std::array<std::array<std::uint32_t, D == 3 ? 4 : 2>, batch_size> rows;
        alignas(64) std::array<std::uint32_t, batch_size> crosses;
        const auto near_by = static_cast<int>(batch_.near_shift),
                   far_by = static_cast<int>(batch_.far_shift);
        const auto next_near = hn::Set(dk, batch_.next_near),
                   next_far = hn::Set(dk, batch_.next_far),
                   near_home = hn::Set(dk, batch_.near_home),
                   far_home = hn::Set(dk, batch_.far_home);
        for (std::size_t i = 0; i < batch_size; i += hn::Lanes(dk)) {
            const auto cell = [&](std::size_t a) HWY_ATTR {
                return hn::BitCast(dk, hn::LoadU(ds, batch_.cell[a].data() + i));
            };
            const auto above = [&](std::size_t a) HWY_ATTR {
                const auto more = hn::LoadU(ds, batch_.more[a].data() + i);
                return hn::BitCast(dk, hn::Min(more, hn::Set(ds, 1)));
            };
            auto key = hn::Or(hn::ShiftLeft<int{Batch::bin_shift}>(cell(0)),
                              hn::ShiftLeftSame(cell(Batch::far), far_by));
            auto cross = above(Batch::far);
            if constexpr (D == 3) {
                key = hn::Or(key, hn::ShiftLeftSame(cell(Batch::near), near_by));
                cross = hn::Or(above(Batch::near), hn::Add(cross, cross));
                hn::StoreInterleaved4(hn::Or(key, hn::Or(near_home, far_home)),
                                      hn::Or(hn::Add(key, next_near), far_home),
                                      hn::Or(hn::Add(key, next_far), near_home),
                                      hn::Add(key, hn::Add(next_near, next_far)), dk,
                                      rows[i].data());
            } else {
                hn::StoreInterleaved2(hn::Or(key, far_home), hn::Add(key, next_far), dk,
                                      rows[i].data());
            }
            hn::StoreU(key, dk, batch_.key.data() + i);
            hn::StoreU(cross, dk, crosses.data() + i);
        }
        // Shuffles to the lanes {0}, {0, 1}, {0, 2}, all; and how many lanes.
        constexpr std::uint8_t none = 0x80;
        alignas(16) static constexpr std::uint8_t which[4][16] = {
            {0, 1, 2, 3, none, none, none, none, none, none, none, none, none, none, none,
             none},
            {0, 1, 2, 3, 4, 5, 6, 7, none, none, none, none, none, none, none, none},
            {0, 1, 2, 3, 8, 9, 10, 11, none, none, none, none, none, none, none, none},
            {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
        static constexpr std::uint8_t how_many[4] = {1, 2, 2, 4};
        std::uint32_t* const keys = batch_.entry_key.data();
        std::uint32_t* const boxes = batch_.entry_box.data();
        std::size_t to = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if constexpr (D == 3) {
                const hn::Repartition<std::uint8_t, decltype(d4)> d8;
                const auto order = hn::BitCast(d4, hn::Load(d8, which[crosses[i]]));
                hn::StoreU(hn::TableLookupBytes(hn::Load(d4, rows[i].data()), order), d4,
                           keys + to);
                hn::StoreU(hn::Set(d4, static_cast<std::uint32_t>(i)), d4, boxes + to);
                to += how_many[crosses[i]];
            } else {
                for (std::size_t k = 0; k < 2; ++k) {
                    keys[to + k] = rows[i][k];
                    boxes[to + k] = static_cast<std::uint32_t>(i);
                }
                to += 1 + crosses[i];
            }
        }
        batch_.entries = to;
    }
#endif
    void list(std::size_t count) {
        std::size_t to = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const auto cell = [&](std::size_t a) {
                return static_cast<Key>(static_cast<std::uint32_t>(batch_.cell[a][i]));
            };
            Key key = cell(0) << Batch::bin_shift | cell(Batch::far) << batch_.far_shift;
            if (D == 3) key |= cell(Batch::near) << batch_.near_shift;
            batch_.key[i] = key;
            const auto put = [&](Key row, bool there) {
                batch_.entry_key[to] = row;
                batch_.entry_box[to] = static_cast<std::uint32_t>(i);
                to += there;
            };
            const bool far = batch_.more[Batch::far][i] > 0,
                       near = D == 3 && batch_.more[Batch::near][i] > 0;
            put(key | Batch::near_home | Batch::far_home, true);
            put((key + batch_.next_near) | Batch::far_home, near);
            put((key + batch_.next_far) | Batch::near_home, far);
            put(key + batch_.next_near + batch_.next_far, near && far);
        }
        batch_.entries = to;
    }

    using Batch = BoxBatch<Key, D>;
    const BoxCells<D> cells_;  // a local copy avoids aliasing reloads
    Batch& batch_;
};

template <Real T, class Key, int D>
void make(const BoxCells<D>& cells, const PointBatch<T, D>& lo, const PointBatch<T, D>& hi,
          Index first, std::size_t count, BoxBatch<Key, D>& batch) {
    Maker<T, Key, D>(cells, batch).make_boxes(lo, hi, first, count);
}

template <Real T, class Key, int D>
void make_balls(const BoxCells<D>& cells, const PointBatch<T, D>& centre, const T* radius,
                Index first, std::size_t count, BoxBatch<Key, D>& batch) {
    Maker<T, Key, D>(cells, batch).make_balls(centre, radius, first, count);
}

#if HWY_TARGET != HWY_SCALAR
// At most two blocks of four words.
using Blocks = hn::CappedTag<std::uint32_t, 8>;

// Four words from `offset` on of each of a vector's worth of records, transposed into four
// vectors.
template <class Record>
HWY_INLINE std::array<hn::Vec<Blocks>, 4> transpose(const Record* records,
                                                    const std::uint32_t* order,
                                                    std::size_t offset) {
    const Blocks d;
    const hn::Repartition<std::uint64_t, Blocks> d64;
    const auto words = [&](std::size_t k) HWY_ATTR {
        return reinterpret_cast<const std::uint32_t*>(
            reinterpret_cast<const std::byte*>(records + order[k]) + offset);
    };
    std::array<hn::Vec<Blocks>, 4> r;
    for (std::size_t k = 0; k < 4; ++k) {
        if constexpr (hn::MaxLanes(d) == 8) {
            const hn::Half<Blocks> half;
            r[k] = hn::Combine(d, hn::LoadU(half, words(k + 4)), hn::LoadU(half, words(k)));
        } else {
            r[k] = hn::LoadU(d, words(k));
        }
    }
    const auto pairs = [&](auto v) HWY_ATTR { return hn::BitCast(d64, v); };
    const auto a = pairs(hn::InterleaveLower(d, r[0], r[1])),
               b = pairs(hn::InterleaveLower(d, r[2], r[3])),
               c = pairs(hn::InterleaveUpper(d, r[0], r[1])),
               e = pairs(hn::InterleaveUpper(d, r[2], r[3]));
    return {hn::BitCast(d, hn::InterleaveLower(d64, a, b)),
            hn::BitCast(d, hn::InterleaveUpper(d64, a, b)),
            hn::BitCast(d, hn::InterleaveLower(d64, c, e)),
            hn::BitCast(d, hn::InterleaveUpper(d64, c, e))};
}
#endif

template <class Key, int D>
void unpack(const BoxRecord<Key, D>* records, const std::uint32_t* order, std::size_t count,
            const BoxColumns<Key, D>& given) {
    const BoxColumns<Key, D> to = given;  // a local copy avoids aliasing reloads
    std::size_t k = 0;
#if HWY_TARGET != HWY_SCALAR
    const Blocks d;
    const hn::RebindToFloat<Blocks> df;
    for (; k + hn::Lanes(d) <= count; k += hn::Lanes(d)) {
        const auto front = transpose(records, order + k, 0);
        for (std::size_t w = 0; w < 4; ++w)
            hn::StoreU(hn::BitCast(df, front[w]), df, (w < D ? to.lo[w] : to.hi[w - D]) + k);
        if constexpr (D == 3) {
            const auto back = transpose(records, order + k, 16);
            for (std::size_t w = 0; w < 2; ++w)
                hn::StoreU(hn::BitCast(df, back[w]), df, to.hi[w + 1] + k);
            hn::StoreU(back[2], d, to.instance + k);
            if constexpr (sizeof(Key) == 4) hn::StoreU(back[3], d, to.key + k);
        }
        for (std::size_t l = k; l < k + hn::Lanes(d); ++l) {
            if (D == 2) to.instance[l] = records[order[l]].instance;
            if (D == 2 || sizeof(Key) == 8) to.key[l] = records[order[l]].key;
        }
    }
#endif
    for (; k < count; ++k) {
        const BoxRecord<Key, D>& r = records[order[k]];
        for (std::size_t a = 0; a < D; ++a) {
            to.lo[a][k] = r.box.lo[a];
            to.hi[a][k] = r.box.hi[a];
        }
        to.instance[k] = r.instance;
        to.key[k] = r.key;
    }
}

template <Real T, int D>
AllBoxRecordKernels<T, D> all() {
    using Short = std::uint32_t;
    using Long = std::uint64_t;
    return {{make<T, Short, D>, make_balls<T, Short, D>, unpack<Short, D>},
            {make<T, Long, D>, make_balls<T, Long, D>, unpack<Long, D>}};
}
VICINAL_DEFINE_KERNELS(AllBoxRecordKernels, all_box_record_kernels, all)

}  // namespace vicinal::inline VICINAL_API::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vicinal::inline VICINAL_API {
VICINAL_EXPORT_KERNELS(AllBoxRecordKernels, all_box_record_kernels)
}  // namespace vicinal::inline VICINAL_API
#endif
