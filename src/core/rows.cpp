#include "core/rows.hpp"

#include <algorithm>
#include <atomic>

#include "core/parallel.hpp"

namespace vicinal {
namespace {

template <int D>
Image<D> negated(Image<D> image) {
    for (auto& n : image) n = static_cast<std::int16_t>(-n);
    return image;
}

// Calls f(row, neighbour, image) for every row entry of every pair, in parallel.
template <int D, class F>
void for_each_entry(const PairList<D>& list, RowKind kind, int threads, const F& f) {
    parallel_tasks(threads, list.blocks().size(), [&](std::size_t b, int) {
        const Block<D>& block = list.blocks()[b];
        for (std::size_t p = 0; p < block.pairs.size(); ++p) {
            const Pair pair = block.pairs[p];
            const Image<D> image = block.images.empty() ? Image<D>{} : block.images[p];
            f(pair.i, pair.j, image);
            if (kind == RowKind::full) f(pair.j, pair.i, negated<D>(image));
        }
    });
}

// Workers fill rows in no fixed order: sorting makes them the same every time.
template <int D>
void sort_rows(Rows<D>& rows, int threads) {
    parallel_ranges(threads, rows.size(), [&](Range range, std::size_t) {
        std::vector<std::pair<Index, Image<D>>> both;
        for (std::size_t i = range.begin; i < range.end; ++i) {
            const auto begin = rows.offsets[i], end = rows.offsets[i + 1];
            if (rows.images.empty()) {
                std::sort(rows.indices.data() + begin, rows.indices.data() + end);
                continue;
            }
            both.clear();
            for (auto e = begin; e < end; ++e)
                both.emplace_back(rows.indices[e], rows.images[e]);
            std::sort(both.begin(), both.end());
            for (auto e = begin; e < end; ++e)
                std::tie(rows.indices[e], rows.images[e]) = both[e - begin];
        }
    });
}

}  // namespace

template <int D>
void make_rows(const PairList<D>& list, std::size_t bodies, RowKind kind, int threads,
               Rows<D>& rows) {
    const bool imaged = !list.empty() && !list.blocks()[0].images.empty();
    rows.offsets.assign(bodies + 1, 0);
    const auto counter = [&](Index row) {
        return std::atomic_ref<std::uint64_t>(rows.offsets[row]);
    };
    for_each_entry<D>(list, kind, threads, [&](Index row, Index, const Image<D>&) {
        counter(row).fetch_add(1, std::memory_order_relaxed);
    });
    const std::uint64_t total = exclusive_scan(threads, std::span(rows.offsets));
    rows.indices.resize(total);
    rows.images.resize(imaged ? total : 0);
    for_each_entry<D>(list, kind, threads, [&](Index row, Index other, const Image<D>& image) {
        const std::uint64_t at = counter(row).fetch_add(1, std::memory_order_relaxed);
        rows.indices[at] = other;
        if (imaged) rows.images[at] = image;
    });
    // Filling moved every offset to the end of its row, where the next row begins.
    std::copy_backward(rows.offsets.begin(), rows.offsets.end() - 1, rows.offsets.end());
    rows.offsets[0] = 0;
    sort_rows(rows, threads);
}

template <int D>
void sort_pairs(PairList<D>& list, std::size_t bodies, int threads, Rows<D>& scratch) {
    make_rows(list, bodies, RowKind::half, threads, scratch);
    std::size_t row = 0;
    std::uint64_t at = 0;
    for (const Stretch<D>& stretch : PairList<D>::Store::of(list).stretches)
        for (std::size_t p = stretch.begin; p < stretch.end; ++p, ++at) {
            while (at >= scratch.offsets[row + 1]) ++row;
            stretch.chunk->pairs[p] = {static_cast<Index>(row), scratch.indices[at]};
            if (!scratch.images.empty()) stretch.chunk->images[p] = scratch.images[at];
        }
}

#define VICINAL_INSTANTIATE(D)                                                        \
    template void make_rows(const PairList<D>&, std::size_t, RowKind, int, Rows<D>&); \
    template void sort_pairs(PairList<D>&, std::size_t, int, Rows<D>&);
VICINAL_INSTANTIATE(2)
VICINAL_INSTANTIATE(3)
#undef VICINAL_INSTANTIATE

}  // namespace vicinal
