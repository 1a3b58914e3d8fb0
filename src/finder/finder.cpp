// The public interface of a finder.
#include <vicinal/finder.hpp>

#include <utility>

#include "finder/state.hpp"
#include "scene/check.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
Finder<T, D>::Finder(const Options<D>& options)
    : state_(with_memory_errors("make a finder",
                                [&] { return std::make_unique<State>(options); })) {}
template <Real T, int D>
Finder<T, D>::Finder(Finder&&) noexcept = default;
template <Real T, int D>
Finder<T, D>& Finder<T, D>::operator=(Finder&&) noexcept = default;
template <Real T, int D>
Finder<T, D>::~Finder() = default;

template <Real T, int D>
typename Finder<T, D>::State& Finder<T, D>::state() const {
    if (state_ == nullptr)
        throw Error(Error::Kind::input,
                    "the finder has been moved from; assign another finder to it first");
    return *state_;
}

template <Real T, int D>
void Finder<T, D>::update(const Bodies<T, D>& bodies) {
    State& s = state();
    s.run("order the bodies", [&] { s.update(bodies); });
}

template <Real T, int D>
void Finder<T, D>::update(const Bodies<T, D>& bodies, const Domain<D>& domain) {
    State& s = state();
    s.run("order the bodies", [&] {
        s.options.domain = domain;
        s.update(bodies);
    });
}

template <Real T, int D>
const PairList<D>& Finder<T, D>::pairs(Order order) {
    State& s = state();
    s.run("store the pairs", [&] { s.find_list(order); });
    return s.list;
}

template <Real T, int D>
PairList<D> Finder<T, D>::take_pairs(Order order) {
    State& s = state();
    return s.run("store the pairs", [&] {
        s.find_list(order);
        return std::exchange(s.list, PairList<D>());
    });
}

template <Real T, int D>
template <IndexType I>
PairColumns<T, D, I> Finder<T, D>::pairs(Columns columns, const PairForm& form) {
    State& s = state();
    return s.run("store the pairs", [&] { return s.template find_columns<I>(columns, form); });
}

template <Real T, int D>
void Finder<T, D>::for_each_block(const Consumer<D>& consumer) {
    State& s = state();
    s.run_streaming([&] { s.stream(consumer); });
}

template <Real T, int D>
void Finder<T, D>::for_each_block(Columns columns, const ColumnConsumer<T, D>& consumer) {
    State& s = state();
    s.run_streaming([&] { s.stream(columns, consumer); });
}

template <Real T, int D>
std::uint64_t Finder<T, D>::count() {
    State& s = state();
    return s.run("count the pairs", [&] {
        s.require_update();
        s.blocks.count(s.current().periodic(), s.execution.threads, s.limits());
        s.search(s.blocks);
        return s.blocks.total();
    });
}

template <Real T, int D>
const Rows<T, D>& Finder<T, D>::neighbours(Columns columns, RowKind kind, Order order,
                                           RowOrder row_order) {
    State& s = state();
    s.run("store the rows", [&] { s.make_rows(columns, kind, order, row_order); });
    return s.rows;
}

template <Real T, int D>
template <IndexType I>
Rows<T, D, I> Finder<T, D>::take_neighbours(Columns columns, RowKind kind, Order order,
                                            RowOrder row_order) {
    State& s = state();
    return s.run("store the rows",
                 [&] { return s.template take_rows<I>(columns, kind, order, row_order); });
}

template <Real T, int D>
const Changes<D>& Finder<T, D>::changes() {
    State& s = state();
    return s.run("store the pairs and their changes",
                 [&]() -> const Changes<D>& { return s.find_changes(); });
}

template <Real T, int D>
PairList<D> Finder<T, D>::pairs_with(const Bodies<T, D>& others, Order order) const {
    const State& s = state();
    return s.run_query([&] { return s.query_pairs(others, false, order); });
}

template <Real T, int D>
template <IndexType I>
PairColumns<T, D, I> Finder<T, D>::pairs_with(const Bodies<T, D>& others, Columns columns,
                                              const PairForm& form) const {
    const State& s = state();
    return s.run_query(
        [&] { return s.template query_columns<I>(others, false, columns, form); });
}

template <Real T, int D>
void Finder<T, D>::pairs_with(const Bodies<T, D>& others, const Consumer<D>& consumer) const {
    const State& s = state();
    s.run_query([&] { s.stream_query(others, false, consumer); });
}

template <Real T, int D>
void Finder<T, D>::pairs_with(const Bodies<T, D>& others, Columns columns,
                              const ColumnConsumer<T, D>& consumer) const {
    const State& s = state();
    s.run_query([&] { s.stream_query(others, false, columns, consumer); });
}

template <Real T, int D>
template <IndexType I>
Rows<T, D, I> Finder<T, D>::rows_with(const Bodies<T, D>& others, Columns columns,
                                      Order order) const {
    const State& s = state();
    return s.run_query([&] { return s.template query_rows<I>(others, false, columns, order); });
}

template <Real T, int D>
PairList<D> Finder<T, D>::probe(const Bodies<T, D>& queries, Order order) const {
    const State& s = state();
    return s.run_query([&] { return s.query_pairs(queries, true, order); });
}

template <Real T, int D>
template <IndexType I>
PairColumns<T, D, I> Finder<T, D>::probe(const Bodies<T, D>& queries, Columns columns,
                                         const PairForm& form) const {
    const State& s = state();
    return s.run_query(
        [&] { return s.template query_columns<I>(queries, true, columns, form); });
}

template <Real T, int D>
void Finder<T, D>::probe(const Bodies<T, D>& queries, const Consumer<D>& consumer) const {
    const State& s = state();
    s.run_query([&] { s.stream_query(queries, true, consumer); });
}

template <Real T, int D>
void Finder<T, D>::probe(const Bodies<T, D>& queries, Columns columns,
                         const ColumnConsumer<T, D>& consumer) const {
    const State& s = state();
    s.run_query([&] { s.stream_query(queries, true, columns, consumer); });
}

template <Real T, int D>
template <IndexType I>
Rows<T, D, I> Finder<T, D>::probe_rows(const Bodies<T, D>& queries, Columns columns,
                                       Order order) const {
    const State& s = state();
    return s.run_query([&] { return s.template query_rows<I>(queries, true, columns, order); });
}

template <Real T, int D>
template <IndexType I>
Rows<T, D, I> Finder<T, D>::nearest(const Bodies<T, D>& queries, std::size_t k, T max_distance,
                                    Columns columns) const {
    const State& s = state();
    return s.run_query(
        [&] { return s.template nearest<I>(&queries, k, max_distance, columns); });
}

template <Real T, int D>
template <IndexType I>
Rows<T, D, I> Finder<T, D>::nearest(std::size_t k, T max_distance, Columns columns) const {
    const State& s = state();
    return s.run_query(
        [&] { return s.template nearest<I>(nullptr, k, max_distance, columns); });
}

template <Real T, int D>
std::vector<Index> Finder<T, D>::order() const {
    const State& s = state();
    return s.run_query([&] {
        s.require_update();
        std::vector<Index> result(s.current().bodies());
        CurveOrder<T, D> curve;  // local: several threads may call order()
        s.order(result, curve);
        return result;
    });
}

// Without the hook: the report of a cancelled call can be read.
template <Real T, int D>
const Report<D>& Finder<T, D>::report() const {
    State& s = state();
    run_call(s.running, Access::exclusive, nullptr, nullptr, "make the report",
             [&] { s.update_report(); });
    return s.report;
}

template <Real T, int D>
PairList<D> find_pairs(const Bodies<T, D>& bodies, const Options<D>& options, Order order) {
    Finder<T, D> finder(options);
    finder.update(bodies);
    return finder.take_pairs(order);
}

template <Real T, int D>
PairList<D> find_pairs(const Bodies<T, D>& a, const Bodies<T, D>& b, const Options<D>& options,
                       Order order) {
    Finder<T, D> finder(options);
    finder.update(b);
    return finder.pairs_with(a, order);
}

#define VICINAL_INSTANTIATE_INDEX(T, D, I)                                                  \
    template PairColumns<T, D, I> Finder<T, D>::pairs<I>(Columns, const PairForm&);         \
    template Rows<T, D, I> Finder<T, D>::take_neighbours<I>(Columns, RowKind, Order,        \
                                                            RowOrder);                      \
    template PairColumns<T, D, I> Finder<T, D>::pairs_with<I>(const Bodies<T, D>&, Columns, \
                                                              const PairForm&) const;       \
    template Rows<T, D, I> Finder<T, D>::rows_with<I>(const Bodies<T, D>&, Columns, Order)  \
        const;                                                                              \
    template PairColumns<T, D, I> Finder<T, D>::probe<I>(const Bodies<T, D>&, Columns,      \
                                                         const PairForm&) const;            \
    template Rows<T, D, I> Finder<T, D>::probe_rows<I>(const Bodies<T, D>&, Columns, Order) \
        const;                                                                              \
    template Rows<T, D, I> Finder<T, D>::nearest<I>(const Bodies<T, D>&, std::size_t, T,    \
                                                    Columns) const;                         \
    template Rows<T, D, I> Finder<T, D>::nearest<I>(std::size_t, T, Columns) const;
#define VICINAL_INSTANTIATE(T, D)                                                   \
    template class Finder<T, D>;                                                    \
    VICINAL_INSTANTIATE_INDEX(T, D, std::uint32_t)                                  \
    VICINAL_INSTANTIATE_INDEX(T, D, std::int32_t)                                   \
    VICINAL_INSTANTIATE_INDEX(T, D, std::int64_t)                                   \
    template PairList<D> find_pairs(const Bodies<T, D>&, const Options<D>&, Order); \
    template PairList<D> find_pairs(const Bodies<T, D>&, const Bodies<T, D>&,       \
                                    const Options<D>&, Order);
VICINAL_INSTANTIATE(float, 2)
VICINAL_INSTANTIATE(float, 3)
VICINAL_INSTANTIATE(double, 2)
VICINAL_INSTANTIATE(double, 3)
#undef VICINAL_INSTANTIATE
#undef VICINAL_INSTANTIATE_INDEX

}  // namespace vicinal::inline VICINAL_API
