// Results of a search in the forms that a caller may request: plain arrays, rows, blocks with
// columns.
#include <utility>

#include "finder/state.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
template <IndexType I>
PairColumns<T, D, I> Finder<T, D>::State::find_columns(Columns columns, const PairForm& form) {
    check_index_type<I>(bodies);
    if (form.kind == RowKind::full || form.order == Order::sorted)
        return columns_from<I>(take_rows<Index>(columns, form.kind, form.order, RowOrder::body),
                               column_output(form.layout));
    require_update();
    check_columns(columns, bodies, bodies);
    find_list(Order::any);
    common::Stopwatch watch;
    check_bytes("with the columns",
                list.size() * (2 * sizeof(I) + (has_images(columns) ? sizeof(Image<D>) : 0)) +
                    column_bytes<T, D>(columns, list.size()));
    auto result =
        columns_from<I>(list, separations(columns, list.size()), column_output(form.layout));
    report.seconds.output = watch.lap();
    return result;
}

template <Real T, int D>
template <IndexType I>
Rows<T, D, I> Finder<T, D>::State::take_rows(Columns columns, RowKind kind, Order order,
                                             RowOrder row_order) {
    check_index_type<I>(bodies);
    make_rows(columns, kind, order, row_order);
    return with_index<I>(std::exchange(rows, empty_rows<T, D>(options.allocator)),
                         column_output());
}

// Of pairs of the finder's own bodies.
template <Real T, int D>
Separations<T, D> Finder<T, D>::State::separations(Columns columns, std::uint64_t pairs) {
    return {columns, bodies, bodies, current().lattice(), pairs, positions, execution};
}

// A consumer of plain blocks that adds the columns while a block is in cache. One set of arrays
// per worker.
template <Real T, int D>
Consumer<D> Finder<T, D>::State::with_columns(const Separations<T, D>& separations,
                                              const ColumnConsumer<T, D>& consumer) const {
    struct Scratch {
        Buffer<Vector<T, D>> vectors;
        Buffer<T> distances;
    };
    auto scratch =
        std::make_shared<std::vector<Scratch>>(static_cast<std::size_t>(execution.threads));
    return [scratch, &separations, &consumer](const Block<D>& block) {
        Scratch& own = (*scratch)[static_cast<std::size_t>(block.worker)];
        const std::size_t count = block.pairs.size();
        ColumnBlock<T, D> result{block, {}, {}};
        const Columns columns = separations.columns();
        with_memory_errors("compute the columns of a block", [&] {
            own.vectors.resize(has_vectors(columns) ? count : 0);
            own.distances.resize(has_distances(columns) ? count : 0);
        });
        result.vectors = own.vectors.span();
        result.distances = own.distances.span();
        if (separations.any())
            separations.of_pairs(
                block.pairs.data(), block.images.empty() ? nullptr : block.images.data(), count,
                has_vectors(columns) ? own.vectors.data() : nullptr,
                has_distances(columns) ? own.distances.data() : nullptr, Stores::cached);
        if (!has_images(columns)) result.images = {};
        consumer(result);
    };
}

template <Real T, int D>
void Finder<T, D>::State::stream(const Consumer<D>& consumer) {
    check_consumer(consumer);
    refuse_repeats();
    require_update();
    blocks.stream(consumer, current().periodic(), execution.threads, limits());
    search(blocks);
}

template <Real T, int D>
void Finder<T, D>::State::stream(Columns columns, const ColumnConsumer<T, D>& consumer) {
    check_consumer(consumer);
    require_update();
    check_columns(columns, bodies, bodies);
    // How many pairs there will be is not known; most bodies have some.
    const Separations<T, D> all = separations(columns, bodies.size());
    stream(with_columns(all, consumer));
}

#define VICINAL_INSTANTIATE_INDEX(T, D, I)                                               \
    template PairColumns<T, D, I> Finder<T, D>::State::find_columns<I>(Columns,          \
                                                                       const PairForm&); \
    template Rows<T, D, I> Finder<T, D>::State::take_rows<I>(Columns, RowKind, Order, RowOrder);
#define VICINAL_INSTANTIATE(T, D)                  \
    template struct Finder<T, D>::State;           \
    VICINAL_INSTANTIATE_INDEX(T, D, std::uint32_t) \
    VICINAL_INSTANTIATE_INDEX(T, D, std::int32_t)  \
    VICINAL_INSTANTIATE_INDEX(T, D, std::int64_t)
VICINAL_INSTANTIATE(float, 2)
VICINAL_INSTANTIATE(float, 3)
VICINAL_INSTANTIATE(double, 2)
VICINAL_INSTANTIATE(double, 3)
#undef VICINAL_INSTANTIATE
#undef VICINAL_INSTANTIATE_INDEX

}  // namespace vicinal::inline VICINAL_API
