#include "output/rows.hpp"

#include <algorithm>
#include <bit>

#include "base/image.hpp"
#include "base/parallel.hpp"
#include "base/sort.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

// Calls f(row, neighbour, image) for every row entry of some blocks, in order.
template <int D, class F>
void for_each_entry(const PairList<D>& list, Range blocks, RowKind kind,
                    std::span<const Index> labels, const F& f) {
    for (std::size_t b = blocks.begin; b < blocks.end; ++b) {
        const Block<D>& block = list.blocks()[b];
        poll_cancelled(block.pairs.size());
        const bool imaged = !block.images.empty();
        for (std::size_t p = 0; p < block.pairs.size(); ++p) {
            Pair pair = block.pairs[p];
            Image<D> image = imaged ? block.images[p] : Image<D>{};
            if (!labels.empty()) {
                pair = {labels[pair.i], labels[pair.j]};
                if (pair.i > pair.j) {
                    std::swap(pair.i, pair.j);
                    image = negated<D>(image);
                }
            }
            f(pair.i, pair.j, image);
            if (kind == RowKind::full) f(pair.j, pair.i, negated<D>(image));
        }
    }
}

}  // namespace

template <int D>
void RowSorter<D>::sort(Index* indices, Image<D>* images, std::size_t count) {
    const auto is_zero = [](const Image<D>& image) { return image == Image<D>{}; };
    // A body may be its neighbour in several images, but only once in the zero image.
    if (images == nullptr || std::all_of(images, images + count, is_zero))
        return sort_indices(indices, count);
    both_.clear();
    for (std::size_t e = 0; e < count; ++e) both_.emplace_back(indices[e], images[e]);
    if (std::is_sorted(both_.begin(), both_.end())) return;  // direct images already are
    sort_in_steps(both_.begin(), both_.end());
    for (std::size_t e = 0; e < count; ++e) std::tie(indices[e], images[e]) = both_[e];
}

// Scatters entries to buckets of consecutive rows, small enough to be ordered in cache. Entries
// of a row stay in the order of the list.
template <Real T, int D>
void RowMaker<T, D>::make(const PairList<D>& list, std::size_t bodies, RowKind kind,
                          Order order, int threads, Rows<T, D>& rows,
                          std::span<const Index> labels) {
    const bool imaged = !list.empty() && !list.blocks()[0].images.empty();
    const std::size_t total = (kind == RowKind::full ? 2 : 1) * list.size();
    rows.offsets.resize(bodies + 1);
    rows.offsets[bodies] = total;
    rows.indices.resize(total);
    rows.images.resize(imaged ? total : 0);
    if (bodies == 0) return;
    constexpr std::size_t wanted = 1 << 14, max_buckets = 1 << 12;  // entries per bucket
    const std::size_t about = std::clamp<std::size_t>(total / wanted, 1, max_buckets);
    const auto shift = static_cast<unsigned>(std::bit_width((bodies - 1) / about));
    const std::size_t buckets = ((bodies - 1) >> shift) + 1;
    const std::size_t blocks = list.blocks().size();
    const std::size_t pieces =
        std::clamp<std::size_t>(blocks, 1, static_cast<std::size_t>(threads));

    next_.resize(pieces * buckets);
    parallel_tasks(threads, pieces, [&](std::size_t p, int) {
        std::uint64_t* const count = next_.data() + p * buckets;
        std::fill(count, count + buckets, std::uint64_t{0});
        for_each_entry<D>(
            list, piece(blocks, pieces, p), kind, labels,
            [count, shift](Index row, Index, const Image<D>&) { ++count[row >> shift]; });
    });
    start_.resize(buckets + 1);
    std::uint64_t at = 0;
    for (std::size_t b = 0; b < buckets; ++b) {
        start_[b] = at;
        for (std::size_t p = 0; p < pieces; ++p)
            at += std::exchange(next_[p * buckets + b], at);
    }
    start_[buckets] = at;

    entries_.resize(total);
    images_.resize(imaged ? total : 0);
    parallel_tasks(threads, pieces, [&](std::size_t p, int) {
        std::uint64_t* const next = next_.data() + p * buckets;
        Entry* const to = entries_.data();
        Image<D>* const images = imaged ? images_.data() : nullptr;
        for_each_entry<D>(list, piece(blocks, pieces, p), kind, labels,
                          [=](Index row, Index neighbour, const Image<D>& image) {
                              const std::uint64_t e = next[row >> shift]++;
                              to[e] = {row, neighbour};
                              // Prefetches the bucket's next cache line.
                              __builtin_prefetch(reinterpret_cast<const char*>(to + e) + 64, 1);
                              if (images != nullptr) images[e] = image;
                          });
    });

    parallel_tasks(threads, buckets, [&](std::size_t b, int) {
        const std::size_t first = b << shift;
        const std::size_t last = std::min(bodies, (b + 1) << shift);
        // Local pointers avoid aliasing reloads after every store.
        std::uint64_t* const offset = rows.offsets.data();
        Index* const indices = rows.indices.data();
        const Entry *const from = entries_.data() + start_[b], *const to = entries_.data() +
                                                                           start_[b + 1];
        std::fill(offset + first, offset + last, std::uint64_t{0});
        for (const Entry* e = from; e < to; ++e) ++offset[e->row];
        std::uint64_t begin = start_[b];
        for (std::size_t i = first; i < last; ++i) begin += std::exchange(offset[i], begin);
        if (imaged) {
            const Image<D>* image = images_.data() + start_[b];
            for (const Entry* e = from; e < to; ++e) rows.images[offset[e->row]++] = *image++;
            // Filling has moved every offset to the end of its row: move them back.
            for (std::size_t i = last - 1; i > first; --i) offset[i] = offset[i - 1];
            offset[first] = start_[b];
        }
        for (const Entry* e = from; e < to; ++e) indices[offset[e->row]++] = e->neighbour;
        for (std::size_t i = last - 1; i > first; --i) offset[i] = offset[i - 1];
        offset[first] = start_[b];
        if (order == Order::any) return;
        RowSorter<D> sorter;
        for (std::size_t i = first; i < last; ++i) {
            const std::uint64_t end = i + 1 < last ? offset[i + 1] : start_[b + 1];
            sorter.sort(indices + offset[i], imaged ? rows.images.data() + offset[i] : nullptr,
                        end - offset[i]);
        }
    });
}

template <Real T, int D>
void RowMaker<T, D>::permute_rows(Rows<T, D>& rows, int threads) {
    const std::size_t n = rows.bodies.size();
    other_.offsets.resize(n + 1);
    other_.indices.resize(rows.indices.size());
    other_.images.resize(rows.images.size());
    parallel_ranges(threads, n, [&](Range r, std::size_t) {
        for (std::size_t k = r.begin; k < r.end; ++k)
            other_.offsets[k] = rows[rows.bodies[k]].size();
    });
    other_.offsets[n] = exclusive_scan(threads, std::span(other_.offsets.data(), n));
    parallel_ranges(threads, n, [&](Range r, std::size_t) {
        for (std::size_t k = r.begin; k < r.end; ++k) {
            const std::uint64_t from = rows.offsets[rows.bodies[k]], to = other_.offsets[k];
            const std::size_t size = other_.offsets[k + 1] - other_.offsets[k];
            std::copy_n(rows.indices.begin() + from, size, other_.indices.begin() + to);
            if (!rows.images.empty())
                std::copy_n(rows.images.begin() + from, size, other_.images.begin() + to);
        }
    });
    rows.offsets.swap(other_.offsets);
    rows.indices.swap(other_.indices);
    rows.images.swap(other_.images);
}

template <Real T, int D>
void RowMaker<T, D>::sort(PairList<D>& list, std::size_t bodies, int threads,
                          Rows<T, D>& scratch) {
    make(list, bodies, RowKind::half, Order::sorted, threads, scratch);
    const std::span<Segment<D>> segments = PairList<D>::Store::of(list).segments;
    segment_start_.resize(segments.size());
    for (std::size_t s = 0; s < segments.size(); ++s) segment_start_[s] = segments[s].size();
    exclusive_scan(1, segment_start_.span());
    parallel_tasks(threads, segments.size(), [&](std::size_t s, int) {
        const Segment<D>& segment = segments[s];
        std::uint64_t at = segment_start_[s];
        // The row of the first pair: the last one that begins at or before it.
        auto row = static_cast<std::size_t>(
            std::upper_bound(scratch.offsets.begin(), scratch.offsets.end(), at) -
            scratch.offsets.begin() - 1);
        for (std::size_t p = segment.begin; p < segment.end; ++p, ++at) {
            while (at >= scratch.offsets[row + 1]) ++row;
            segment.chunk->pairs[p] = {static_cast<Index>(row), scratch.indices[at]};
            if (!scratch.images.empty()) segment.chunk->images[p] = scratch.images[at];
        }
    });
    if (!scratch.images.empty())  // serially: segments share chunks
        for (const Segment<D>& segment : segments) segment.chunk->shuffled = true;
}

template class RowSorter<2>;
template class RowSorter<3>;
template class RowMaker<float, 2>;
template class RowMaker<float, 3>;
template class RowMaker<double, 2>;
template class RowMaker<double, 3>;

}  // namespace vicinal::inline VICINAL_API
