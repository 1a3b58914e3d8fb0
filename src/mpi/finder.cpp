// The public interface.
#include "mpi/state.hpp"

namespace vicinal::inline VICINAL_API::mpi {

template <Real T, int D>
Finder<T, D>::Finder(MPI_Comm communicator, const Options<D>& options, double skin)
    : state_(std::make_unique<State>(communicator, options, skin)) {}

template <Real T, int D>
Finder<T, D>::Finder(Finder&&) noexcept = default;
template <Real T, int D>
Finder<T, D>& Finder<T, D>::operator=(Finder&&) noexcept = default;
template <Real T, int D>
Finder<T, D>::~Finder() = default;

template <Real T, int D>
typename Finder<T, D>::State& Finder<T, D>::state() const {
    if (!state_)
        throw Error(Error::Kind::input,
                    "the finder has been moved from; assign another finder to it first");
    return *state_;
}

template <Real T, int D>
void Finder<T, D>::update(const Bodies<T, D>& bodies, std::span<const std::uint64_t> ids,
                          std::span<const IdPair> excluded) {
    state().update(bodies, ids, state().options.domain, excluded);
}

template <Real T, int D>
void Finder<T, D>::update(const Bodies<T, D>& bodies, std::span<const std::uint64_t> ids,
                          const Domain<D>& domain, std::span<const IdPair> excluded) {
    state().update(bodies, ids, domain, excluded);
}

template <Real T, int D>
std::size_t Finder<T, D>::own() const {
    return state().own;
}
template <Real T, int D>
std::size_t Finder<T, D>::size() const {
    return state().store.size();
}
template <Real T, int D>
std::uint64_t Finder<T, D>::id(Index k) const {
    return state().store.ids[k];
}
template <Real T, int D>
int Finder<T, D>::owner(Index k) const {
    return state().store.owner(k);
}

template <Real T, int D>
PairColumns<T, D> Finder<T, D>::pairs(Columns columns, Order order) {
    PairColumns<T, D> found;
    state().comm.together([&] { found = state().reported_pairs(columns, order); });
    return found;
}

template <Real T, int D>
void Finder<T, D>::for_each_block(const Consumer<D>& consumer) {
    state().comm.together([&] {
        state().require_update();
        if (!consumer)
            throw Error(
                Error::Kind::option,
                "the consumer of blocks is an empty function; give one that can be called");
        state().stream_reported(consumer);
    });
}

template <Real T, int D>
std::uint64_t Finder<T, D>::count() {
    std::uint64_t count = 0;
    state().comm.together([&] { count = state().count_reported(); });
    return state().comm.sum(count);
}

template <Real T, int D>
const Rows<T, D>& Finder<T, D>::neighbours(Columns columns, Order order) {
    state().make_rows(columns, order);
    return state().rows;
}

template <Real T, int D>
void Finder<T, D>::forward(std::byte* values, std::size_t each) {
    state().comm.together([&] { state().require_update(); });
    state().plan.forward(state().comm, values, each);
}

template <Real T, int D>
void Finder<T, D>::reverse(const std::byte* values, std::size_t each,
                           const std::function<void(Index, const std::byte*)>& add) {
    state().comm.together([&] { state().require_update(); });
    state().plan.reverse(state().comm, values, each, add);
}

template <Real T, int D>
Migration Finder<T, D>::rebalance(double threshold) {
    return state().rebalance(threshold);
}

template <Real T, int D>
const Report<D>& Finder<T, D>::report() const {
    return state().search.report();
}

template class Finder<float, 2>;
template class Finder<float, 3>;
template class Finder<double, 2>;
template class Finder<double, 3>;

}  // namespace vicinal::inline VICINAL_API::mpi
