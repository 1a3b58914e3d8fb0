#include <algorithm>

#include "mpi/state.hpp"

namespace vicinal::inline VICINAL_API::mpi {

struct Migration::State {
    std::shared_ptr<Communicator> comm;
    std::vector<std::vector<Index>> to;  // to each rank, this one too: own bodies, ascending
    std::size_t size = 0;
};

Migration::Migration(std::unique_ptr<State> state) : state_(std::move(state)) {}
Migration::Migration(Migration&&) noexcept = default;
Migration& Migration::operator=(Migration&&) noexcept = default;
Migration::~Migration() = default;

std::size_t Migration::size() const {
    return state_->size;
}

// By ascending rank from which they come, then in the order they had there.
std::vector<std::byte> Migration::move_bytes(
    const std::byte* values, const std::function<std::size_t(std::size_t)>& offset) const {
    Communicator& comm = *state_->comm;
    std::vector<Message> outgoing;
    Message kept{comm.rank(), {}};
    comm.together([&] {
        for (int r = 0; r < comm.size(); ++r) {
            Bytes bytes;
            for (const Index k : state_->to[static_cast<std::size_t>(r)])
                bytes.insert(bytes.end(), values + offset(k), values + offset(k + 1));
            if (r == comm.rank())
                kept.bytes = std::move(bytes);
            else if (!bytes.empty())
                outgoing.push_back({r, std::move(bytes)});
        }
    });
    std::vector<Message> incoming = comm.exchange(outgoing);
    incoming.insert(std::ranges::lower_bound(incoming, kept.rank, {}, &Message::rank),
                    std::move(kept));
    std::vector<std::byte> result;
    for (const Message& message : incoming)
        result.insert(result.end(), message.bytes.begin(), message.bytes.end());
    return result;
}

// The work of a rank: the bodies that it holds, and the pairs that its last search found.
template <Real T, int D>
bool Finder<T, D>::State::is_balanced(double threshold) const {
    const std::uint64_t work = store.size() + search.report().pairs;
    const std::uint64_t most = comm.max(work), all = comm.sum(work);
    return static_cast<double>(most) * comm.size() <= threshold * static_cast<double>(all);
}

template <Real T, int D>
Migration Finder<T, D>::State::rebalance(double threshold) {
    comm.together([&] {
        require_update();
        if (!(threshold >= 1))
            throw Error(Error::Kind::option, "rebalance: the threshold is " +
                                                 std::to_string(threshold) +
                                                 "; give a number from 1");
    });
    const Bodies<T, D> held = store.view(excluded_here);
    if (!is_balanced(threshold)) cut_space(held, own, options.domain);
    auto migration = std::make_unique<Migration::State>();
    migration->comm = shared_comm;
    std::vector<std::uint64_t> arriving(static_cast<std::size_t>(comm.size()), 0);
    comm.together([&] {
        const auto positions = cell_positions(held, options.domain);
        migration->to.resize(arriving.size());
        for (std::size_t k = 0; k < own; ++k) {
            const PartNumber r = regions.part_at(positions[k]);
            migration->to[r].push_back(static_cast<Index>(k));
            ++arriving[r];
        }
    });
    migration->size = comm.sum_for_this(arriving);
    return Migration(std::move(migration));
}

template Migration Finder<float, 2>::State::rebalance(double);
template Migration Finder<float, 3>::State::rebalance(double);
template Migration Finder<double, 2>::State::rebalance(double);
template Migration Finder<double, 3>::State::rebalance(double);

}  // namespace vicinal::inline VICINAL_API::mpi
