// The public interface of a finder.
#include <vicinal/finder.hpp>

#include <utility>

#include "finder/state.hpp"
#include "scene/check.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
Finder<T, D>::Finder(const Options<D>& options) : state_(std::make_unique<State>(options)) {}
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
    const LedgerScope scope(&state().ledger);
    state().update(bodies);
}

template <Real T, int D>
void Finder<T, D>::update(const Bodies<T, D>& bodies, const Domain<D>& domain) {
    state().options.domain = domain;
    update(bodies);
}

template <Real T, int D>
const PairList<D>& Finder<T, D>::pairs(Order order) {
    const LedgerScope scope(&state().ledger);
    state().find_list(order);
    return state().list;
}

template <Real T, int D>
PairList<D> Finder<T, D>::take_pairs(Order order) {
    pairs(order);
    return std::exchange(state().list, PairList<D>());
}

template <Real T, int D>
void Finder<T, D>::for_each_block(const Consumer<D>& consumer) {
    check_consumer<D>(consumer);
    state().refuse_repeats();
    state().require_update();
    const LedgerScope scope(&state().ledger);
    state().blocks.stream(consumer, state().current().periodic(), state().execution.threads,
                          state().limits());
    state().search(state().blocks);
}

template <Real T, int D>
std::uint64_t Finder<T, D>::count() {
    state().require_update();
    const LedgerScope scope(&state().ledger);
    state().blocks.count(state().current().periodic(), state().execution.threads,
                         state().limits());
    state().search(state().blocks);
    return state().blocks.total();
}

template <Real T, int D>
const Rows<D>& Finder<T, D>::neighbours(RowKind kind, Order order, RowOrder row_order) {
    state().require_update();
    const LedgerScope scope(&state().ledger);
    state().make_rows(kind, order, row_order);
    return state().rows;
}

template <Real T, int D>
const Changes<D>& Finder<T, D>::changes() {
    const PairList<D>& list = pairs(Order::sorted);
    const LedgerScope scope(&state().ledger);
    common::Stopwatch watch;
    const Changes<D>& result =
        state().change_log.update(list, state().bodies, state().current().lattice());
    state().report.seconds.output += watch.lap();
    return result;
}

template <Real T, int D>
PairList<D> Finder<T, D>::pairs_with(const Bodies<T, D>& others, Order order) const {
    state().require_update();
    check_same_kind(others, state().bodies);
    return state().query_pairs(others, false, order);
}

template <Real T, int D>
void Finder<T, D>::pairs_with(const Bodies<T, D>& others, const Consumer<D>& consumer) const {
    state().require_update();
    check_same_kind(others, state().bodies);
    state().stream_query(others, false, consumer);
}

template <Real T, int D>
PairList<D> Finder<T, D>::probe(const Bodies<T, D>& queries, Order order) const {
    return state().query_pairs(queries, true, order);
}

template <Real T, int D>
void Finder<T, D>::probe(const Bodies<T, D>& queries, const Consumer<D>& consumer) const {
    state().stream_query(queries, true, consumer);
}

template <Real T, int D>
Nearest<T, D> Finder<T, D>::nearest(const Bodies<T, D>& queries, std::size_t k,
                                    T max_distance) const {
    return state().nearest(&queries, k, max_distance);
}

template <Real T, int D>
Nearest<T, D> Finder<T, D>::nearest(std::size_t k, T max_distance) const {
    return state().nearest(nullptr, k, max_distance);
}

template <Real T, int D>
std::vector<Index> Finder<T, D>::order() const {
    state().require_update();
    std::vector<Index> result;
    CurveOrder<T, D> curve;  // local: several threads may call order()
    state().order(result, curve);
    return result;
}

template <Real T, int D>
const Report<D>& Finder<T, D>::report() const {
    state().update_report();
    return state().report;
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

#define VICINAL_INSTANTIATE(T, D)                                                   \
    template class Finder<T, D>;                                                    \
    template PairList<D> find_pairs(const Bodies<T, D>&, const Options<D>&, Order); \
    template PairList<D> find_pairs(const Bodies<T, D>&, const Bodies<T, D>&,       \
                                    const Options<D>&, Order);
VICINAL_INSTANTIATE(float, 2)
VICINAL_INSTANTIATE(float, 3)
VICINAL_INSTANTIATE(double, 2)
VICINAL_INSTANTIATE(double, 3)
#undef VICINAL_INSTANTIATE

}  // namespace vicinal::inline VICINAL_API
