#include "row_grid/strips.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "simd/dispatch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "row_grid/strip_rows.cpp"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

#include "row_grid/strips-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vicinal::inline VICINAL_API::HWY_NAMESPACE {

// ---- the stream ----------------------------------------------------------------------------

// Per strip: its instances, then per cell a head and the hit masks of its entries, one word per
// vector of candidates.
constexpr std::size_t lanes = hn::MaxLanes(Coordinates());
using Word = std::conditional_t<(lanes > 16), std::uint32_t,
                                std::conditional_t<(lanes > 8), std::uint16_t, std::uint8_t>>;

struct FullStripHeader {
    std::uint32_t cells, instances;
    std::uint32_t last;  // one past the last entry
    std::uint32_t down;  // StripFaces::down
};

struct CellHead {
    std::uint32_t first, last;  // entries
    std::uint32_t from, to;     // candidates
    std::uint32_t crossed;      // 1 if some candidates lie across periodic faces, else 0
    std::size_t words() const { return (to - from + lanes - 1) / lanes; }
    std::size_t all_words() const { return (last - first) * words(); }
};

template <class T>
HWY_INLINE T* take(HitMaskStream& stream, std::size_t n) {
    static_assert(alignof(T) <= HitMaskStream::unit);
    return reinterpret_cast<T*>(stream.take(n * sizeof(T)));
}

// Instances are copied in whole vectors: padding for overrun.
HWY_INLINE Index* take_instances(HitMaskStream& stream, std::size_t n) {
    return take<Index>(stream, n + copied_at_once);
}

// ---- the first pass ------------------------------------------------------------------------

// Writes the hit masks and the number of neighbours of each entry.
template <int D>
struct Marker : Strip<D> {
    using Base = Strip<D>;
    using Base::dc;
    using Base::points;
    using Base::scratch;
    using Base::sink;
    using typename Base::Bounds;
    using typename Base::Candidates;
    using typename Base::Query;
    HitMaskStream& stream = *sink.stream;
    std::uint64_t* const lengths = sink.lengths;

    using Base::Base;

    // Undecided pairs are prefetched, and queued until the length of their row is stored.
    struct QueuedUndecided {
        UndecidedPair pair;
        Word* word;
        Word bit;
        std::uint32_t entry;
    };
    std::array<QueuedUndecided, 32> undecided;
    std::size_t undecided_count = 0;

    void decide_undecided() {
        for (std::size_t m = 0; m < undecided_count; ++m) {
            const QueuedUndecided& queued = undecided[m];
            if (!sink.decide(queued.pair.first, queued.pair.second)) continue;
            *queued.word = static_cast<Word>(*queued.word | queued.bit);
            ++lengths[queued.entry];
        }
        undecided_count = 0;
    }

    // Returns how many undecided lanes are accepted immediately; those that the formula must
    // decide are queued.
    HWY_NOINLINE std::size_t queue_undecided(Candidates c, std::size_t own, std::size_t k,
                                             std::size_t end, std::uint32_t entry, Word* word) {
        std::size_t accepted = 0;
        for (std::uint64_t bits = Base::template between<false>(c, own, k, end); bits != 0;
             bits &= bits - 1) {
            const std::size_t lane = hwy::Num0BitsBelowLS1Bit_Nonzero64(bits), e = k + lane;
            const Decision outcome = this->classify_undecided(c, own, e);
            if (outcome == Decision::reject || e == own) continue;
            const auto bit = static_cast<Word>(Word{1} << lane);
            const UndecidedPair pair{c.value[own], c.value[e]};
            if (outcome == Decision::undecided && undecided_count < undecided.size()) {
                sink.prefetch(pair.first, pair.second);
                undecided[undecided_count++] = {pair, word, bit, entry};
            } else if (outcome == Decision::accept || sink.decide(pair.first, pair.second)) {
                *word = static_cast<Word>(*word | bit);
                ++accepted;
            }
        }
        return accepted;
    }

    // Consecutive entries of a cell, the first at `own` in the strip.
    template <std::size_t queries>
    HWY_INLINE void mark(const Candidates& c, const Bounds& bounds, const CellHead& cell,
                         std::uint32_t entry, std::size_t own, Word* marks) {
        const std::size_t words = cell.words();
        std::array<Query, queries> q;
        std::array<std::size_t, queries> count{};
        for (std::size_t i = 0; i < queries; ++i)
            q[i] = Base::template query<false>(c, own + i);
        const auto test_word = [&]<bool last>(std::size_t w,
                                              std::bool_constant<last>) HWY_ATTR {
            const std::size_t k = cell.from + w * lanes;
            std::array<hn::Mask<Coordinates>, queries> near;
            const bool any_undecided =
                Base::template test<false, last>(q, bounds, c, k, cell.to, near);
            const auto bits = wide_bits(dc, near);
            for (std::size_t i = 0; i < queries; ++i) {
                marks[i * words + w] = static_cast<Word>(bits[i].together());
                count[i] += bits[i].count();
            }
            if (HWY_UNLIKELY(any_undecided))
                for (std::size_t i = 0; i < queries; ++i)
                    count[i] += queue_undecided(c, own + i, k, cell.to,
                                                entry + static_cast<std::uint32_t>(i),
                                                marks + i * words + w);
        };
        for (std::size_t w = 0; w + 1 < words; ++w) test_word(w, std::false_type());
        test_word(words - 1, std::true_type());
        for (std::size_t i = 0; i < queries; ++i) {
            // A body is not its own neighbour.
            const std::size_t at = own + i - cell.from;
            Word& word = marks[i * words + at / lanes];
            const auto bit = static_cast<Word>(Word{1} << at % lanes);
            count[i] -= (word & bit) != 0;
            word = static_cast<Word>(word & ~bit);
            lengths[entry + i] = count[i];
        }
        if (undecided_count >= undecided.size() / 2) decide_undecided();
    }

    void mark(const FullStrip<D>& strip) {
        const auto [slabs, entries] = this->merge(strip.all, strip.own, 0, strip.faces);
        *take<FullStripHeader>(stream, 1) = {strip.own.end - strip.own.begin, entries,
                                             strip.last, strip.faces.down};
        const typename Base::Cursor cursor =
            this->cursor(entries + lanes, take_instances(stream, entries));
        this->copy(cursor);
        if (points.joined) this->cross_faces(cursor, strip.faces.down);
        Candidates c;
        for (std::size_t a = 0; a < D; ++a) c.axis[a] = cursor.axis[a];
        c.value = cursor.value;
        const Bounds bounds = this->bounds();
        std::size_t lo = 0, own = 0, hi = 0;  // slabs
        for (std::uint32_t i = strip.own.begin; i < strip.own.end; ++i) {
            const std::uint32_t x = points.cell_x[i], begin = points.cell_start[i];
            while (scratch.slab_x[lo] + 1 < x) ++lo;
            while (scratch.slab_x[own] < x) ++own;
            hi = std::max(hi, own);
            while (hi < slabs && scratch.slab_x[hi] <= x + 1) ++hi;
            std::uint8_t flags = 0;
            for (std::size_t slab = lo; slab < hi; ++slab) flags |= scratch.slab_flags[slab];
            const CellHead cell{
                std::max(begin, strip.first), std::min(points.cell_start[i + 1], strip.last),
                scratch.slab_start[lo], scratch.slab_start[hi], std::uint32_t{flags != 0}};
            *take<CellHead>(stream, 1) = cell;
            Word* marks = take<Word>(stream, cell.all_words());
            const std::size_t words = cell.words();
            sink.writer->count_candidates(std::uint64_t{cell.last - cell.first} *
                                          (cell.to - cell.from));
            std::size_t at = scratch.slab_middle[own] + (cell.first - begin);
            std::uint32_t e = cell.first;
            if constexpr (lanes > 16)  // enough registers for four queries
                for (; e + 4 <= cell.last; e += 4, at += 4, marks += 4 * words)
                    mark<4>(c, bounds, cell, e, at, marks);
            for (; e + 2 <= cell.last; e += 2, at += 2, marks += 2 * words)
                mark<2>(c, bounds, cell, e, at, marks);
            if (e < cell.last) mark<1>(c, bounds, cell, e, at, marks);
        }
        decide_undecided();
    }
};

template <int D>
void mark(const QuantisedPoints<D>& points, const FullStrip<D>& strip, StripScratch<D>& scratch,
          StripSink<D>& sink) {
    Marker<D>(points, scratch, sink).mark(strip);
}

// ---- the second pass -----------------------------------------------------------------------

// Writes the candidates whose mask bits are set, in whole vectors; returns the end.
HWY_INLINE Index* expand(const Word* marks, std::size_t words, const Index* ids, Index* out) {
    for (std::size_t w = 0; w < words; ++w) {
        const WideBits bits = WideBits::of(marks[w]);
        compress_store(bits, ids + w * lanes, out);
        out += bits.count();
    }
    return out;
}

struct Copy {
    const Index* from = nullptr;
    Index* to = nullptr;
    std::size_t count = 0;
};

// Copies without overrun: another worker may be writing the adjacent row.
HWY_INLINE void copy(const Copy& row) {
    const Ids di;
    constexpr std::size_t wide = hn::MaxLanes(di);
    if (HWY_UNLIKELY(row.count < wide)) {
        std::copy_n(row.from, row.count, row.to);
        return;
    }
    const auto move = [&](std::size_t k) {
        hn::StoreU(hn::LoadU(di, row.from + k), di, row.to + k);
    };
    for (std::size_t k = 0; k + wide < row.count; k += wide) move(k);
    move(row.count - wide);
}

// Prefetches the cache lines of a row that will be written soon, as many as most rows have.
// Forced inline, because g++ drops calls that only prefetch.
constexpr std::size_t rows_ahead = 16;
HWY_INLINE void prefetch_row(const Index* row) {
    const auto first = reinterpret_cast<std::uintptr_t>(row);  // it may end earlier
    for (std::uintptr_t line = 0; line < 3 * 64; line += 64)
        __builtin_prefetch(reinterpret_cast<const void*>(first + line), 1, 2);
}

// The images that the bits of an instance encode, a word each.
template <int D>
class ImageWords {
  public:
    explicit ImageWords(const FaceImages<D>& faces) {
        for (std::size_t mark = 0; mark < words_.size(); ++mark)
            std::memcpy(&words_[mark], &faces.of(static_cast<Index>(mark << face_shift), false),
                        sizeof(Image<D>));
    }
    using ImageWord = std::conditional_t<D == 3, std::uint64_t, std::uint32_t>;
    const ImageWord& of(Index marked) const {
        return words_[(marked & face_bits) >> face_shift];
    }

  private:
    std::array<ImageWord, FaceImages<D>::marks> words_{};
};

// Writes a row some of whose neighbours may lie across periodic faces.
template <int D>
HWY_INLINE void write_crossed(const Copy& row, const ImageWords<D>& words, Image<D>* images) {
    const Ids di;
    constexpr std::size_t wide = hn::MaxLanes(di);
    constexpr Index number = ~(needs_resolve | face_bits);
    std::size_t k = 0;
    for (; k + wide <= row.count; k += wide)
        hn::StoreU(hn::And(hn::LoadU(di, row.from + k), hn::Set(di, number)), di, row.to + k);
    for (; k < row.count; ++k) row.to[k] = row.from[k] & number;
    // A word is longer than an image: the next one overwrites the rest.
    for (k = 0; k + 1 < row.count; ++k)
        std::memcpy(&images[k], &words.of(row.from[k]),
                    sizeof(typename ImageWords<D>::ImageWord));
    if (row.count > 0) std::memcpy(&images[k], &words.of(row.from[k]), sizeof(Image<D>));
}

template <int D>
void fill(HitMaskStream stream, const HitMaskStream& end, const RowOutput<D>& rows,
          Buffer<Index>& scratch) {
    constexpr std::size_t slack = 2 * lanes;  // padding for overrun
    while (!(stream == end)) {
        const FullStripHeader strip = *take<FullStripHeader>(stream, 1);
        const Index* const instances = take_instances(stream, strip.instances);
        const ImageWords<D> image_words(FaceImages<D>::towards(strip.down));
        const std::uint64_t free_end = rows.contiguous ? rows.begin[strip.last] : 0;
        for (std::uint32_t i = 0; i < strip.cells; ++i) {
            const CellHead cell = *take<CellHead>(stream, 1);
            const Word* marks = take<Word>(stream, cell.all_words());
            const std::size_t words = cell.words(), capacity = words * lanes + slack;
            const Index* const candidates = instances + cell.from;
            scratch.resize(2 * capacity);
            std::array<Index*, 2> halves{scratch.data(), scratch.data() + capacity};
            // Reading back recent partial stores is slow: a row is copied to its destination
            // after the next has been written.
            Copy late;
            Image<D>* late_images = nullptr;
            const auto copy_late = [&] {
                if (late_images != nullptr)
                    write_crossed<D>(late, image_words, late_images);
                else
                    copy(late);
            };
            for (std::uint32_t e = cell.first; e < cell.last; ++e, marks += words) {
                Index* const to = rows.indices + rows.begin[e];
                if (cell.crossed == 0 && rows.begin[e] + capacity <= free_end) {
                    expand(marks, words, candidates, to);
                    continue;
                }
                if (e + rows_ahead < rows.entries)
                    prefetch_row(rows.indices + rows.begin[e + rows_ahead]);
                const Index* const written = expand(marks, words, candidates, halves[0]);
                copy_late();
                late = {halves[0], to, static_cast<std::size_t>(written - halves[0])};
                if (HWY_UNLIKELY(cell.crossed != 0)) late_images = rows.images + rows.begin[e];
                std::swap(halves[0], halves[1]);
            }
            copy_late();
        }
    }
}

template <int D>
StripRowKernels<D> make_kernels() {
    return {mark<D>, fill<D>};
}
VICINAL_DEFINE_KERNELS_D(StripRowKernels, strip_row_kernels, make_kernels)

}  // namespace vicinal::inline VICINAL_API::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vicinal::inline VICINAL_API {
VICINAL_EXPORT_KERNELS_D(StripRowKernels, strip_row_kernels)
}  // namespace vicinal::inline VICINAL_API
#endif
