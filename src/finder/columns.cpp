#include "finder/columns.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/parallel.hpp"

#include <vicinal/error.hpp>

namespace vicinal::inline VICINAL_API {

Columns columns_of(std::string_view letters) {
    constexpr std::string_view known = "ijSdD";
    unsigned seen = 0;
    for (const char letter : letters) {
        const std::size_t at = known.find(letter);
        const bool repeated = at != known.npos && (seen >> at & 1) != 0;
        if (at == known.npos || repeated)
            throw Error(Error::Kind::option,
                        "columns \"" + std::string(letters) + "\": '" + letter +
                            (repeated ? "' is repeated" : "' is not a column") +
                            "; give i, j and any of S (image), d (distance), D (vector), such "
                            "as ijSdD");
        seen |= 1u << at;
    }
    if ((seen & 3) != 3)
        throw Error(Error::Kind::option, "columns \"" + std::string(letters) +
                                             "\" need both i and j, such as ijSdD");
    return static_cast<Columns>(seen >> 2);
}

namespace {

// Copies pairs to the given layout; `at` is the number of the first one among `total`.
template <IndexType I>
void put_pairs(const Pair* pairs, std::size_t count, PairLayout layout, I* indices,
               std::uint64_t at, std::uint64_t total) {
    if (layout == PairLayout::n_by_2) {
        I* const to = indices + 2 * at;
        for (std::size_t k = 0; k < count; ++k) {
            to[2 * k] = static_cast<I>(pairs[k].i);
            to[2 * k + 1] = static_cast<I>(pairs[k].j);
        }
        return;
    }
    I *const i = indices + at, *const j = indices + total + at;
    for (std::size_t k = 0; k < count; ++k) {
        i[k] = static_cast<I>(pairs[k].i);
        j[k] = static_cast<I>(pairs[k].j);
    }
}

template <IndexType I>
Array<I> convert(Array<Index> values, const ColumnOutput& output) {
    if constexpr (sizeof(I) == sizeof(Index)) {
        return values.template reinterpret<I>();
    } else {
        Array<I> wide(output.allocator);
        wide.resize(values.size());
        parallel_ranges(output.threads, values.size(),
                        [to = wide.data(), from = values.data()](Range r, std::size_t) {
                            for (std::size_t k = r.begin; k < r.end; ++k) to[k] = I{from[k]};
                        });
        return wide;
    }
}

}  // namespace

template <IndexType I, Real T, int D>
PairColumns<T, D, I> columns_from(const PairList<D>& list, const Separations<T, D>& separations,
                                  const ColumnOutput& output) {
    const std::size_t n = list.size();
    PairColumns<T, D, I> result{
        Array<I>(output.allocator), output.layout, Array<Image<D>>(output.allocator),
        Array<Vector<T, D>>(output.allocator), Array<T>(output.allocator)};
    if (n == 0) return result;
    const Columns columns = separations.columns();
    const bool imaged = has_images(columns) && !list.blocks()[0].images.empty();
    result.indices.resize(2 * n);
    if (imaged) result.images.resize(n);
    if (has_vectors(columns)) result.vectors.resize(n);
    if (has_distances(columns)) result.distances.resize(n);
    const std::span<const Block<D>> blocks = list.blocks();
    const Stores stores = stores_for(column_bytes<T, D>(columns, n));
    std::vector<std::uint64_t> start(blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) start[b] = blocks[b].pairs.size();
    exclusive_scan(1, std::span(start));
    parallel_tasks(output.threads, blocks.size(), [&](std::size_t b, int) {
        const Block<D>& block = blocks[b];
        const std::size_t count = block.pairs.size();
        const std::uint64_t at = start[b];
        put_pairs(block.pairs.data(), count, output.layout, result.indices.data(), at, n);
        if (imaged) std::copy_n(block.images.data(), count, result.images.data() + at);
        if (separations.any())
            separations.of_pairs(
                block.pairs.data(), block.images.empty() ? nullptr : block.images.data(), count,
                has_vectors(columns) ? result.vectors.data() + at : nullptr,
                has_distances(columns) ? result.distances.data() + at : nullptr, stores);
    });
    return result;
}

template <IndexType I, Real T, int D>
PairColumns<T, D, I> columns_from(Rows<T, D> rows, const ColumnOutput& output) {
    const std::size_t n = rows.indices.size();
    PairColumns<T, D, I> result{Array<I>(output.allocator), output.layout, {}, {}, {}};
    if (n == 0) return result;
    result.indices.resize(2 * n);
    parallel_ranges(output.threads, rows.size(), [&](Range r, std::size_t) {
        const bool interleaved = output.layout == PairLayout::n_by_2;
        I* const i = result.indices.data();
        I* const j = interleaved ? i + 1 : i + n;
        const std::size_t step = interleaved ? 2 : 1;
        for (std::size_t k = r.begin; k < r.end; ++k)
            for (std::uint64_t e = rows.offsets[k]; e < rows.offsets[k + 1]; ++e) {
                i[step * e] = static_cast<I>(rows.body(k));
                j[step * e] = static_cast<I>(rows.indices[e]);
            }
    });
    result.images = std::move(rows.images);
    result.vectors = std::move(rows.vectors);
    result.distances = std::move(rows.distances);
    return result;
}

template <IndexType I, Real T, int D>
Rows<T, D, I> with_index(Rows<T, D> rows, const ColumnOutput& output) {
    return {std::move(rows.offsets),   convert<I>(std::move(rows.indices), output),
            std::move(rows.images),    std::move(rows.vectors),
            std::move(rows.distances), convert<I>(std::move(rows.bodies), output)};
}

template <Real T, int D>
void add_separations(Rows<T, D>& rows, const Separations<T, D>& separations, int threads) {
    constexpr std::size_t rows_per_poll = 1024;
    const Columns columns = separations.columns();
    const std::size_t n = rows.indices.size();
    const Stores stores = stores_for(column_bytes<T, D>(columns, n));
    rows.vectors.resize(has_vectors(columns) ? n : 0);
    rows.distances.resize(has_distances(columns) ? n : 0);
    if (separations.any())
        parallel_ranges(threads, rows.size(), [&](Range r, std::size_t) {
            while (r.begin < r.end) {
                const std::size_t end = std::min(r.end, r.begin + rows_per_poll);
                poll_cancelled(rows.offsets[end] - rows.offsets[r.begin]);
                separations.of_rows(rows, r.begin, end, stores);
                r.begin = end;
            }
        });
    if (!has_images(columns)) rows.images.resize(0);
}

#define VICINAL_INSTANTIATE_INDEX(T, D, I)                                                \
    template PairColumns<T, D, I> columns_from<I, T, D>(                                  \
        const PairList<D>&, const Separations<T, D>&, const ColumnOutput&);               \
    template PairColumns<T, D, I> columns_from<I, T, D>(Rows<T, D>, const ColumnOutput&); \
    template Rows<T, D, I> with_index<I, T, D>(Rows<T, D>, const ColumnOutput&);
#define VICINAL_INSTANTIATE(T, D)                  \
    VICINAL_INSTANTIATE_INDEX(T, D, std::uint32_t) \
    VICINAL_INSTANTIATE_INDEX(T, D, std::int32_t)  \
    VICINAL_INSTANTIATE_INDEX(T, D, std::int64_t)  \
    template void add_separations(Rows<T, D>&, const Separations<T, D>&, int);
VICINAL_INSTANTIATE(float, 2)
VICINAL_INSTANTIATE(float, 3)
VICINAL_INSTANTIATE(double, 2)
VICINAL_INSTANTIATE(double, 3)
#undef VICINAL_INSTANTIATE
#undef VICINAL_INSTANTIATE_INDEX

}  // namespace vicinal::inline VICINAL_API
