// Neighbour rows of own bodies. A pair is reported by one rank and delivered to the owners of
// both bodies. An owner may hold no copy of the other body, if the two meet in the region of a
// third rank: then it asks for one, so that values can travel to it.
#include <algorithm>
#include <map>
#include <tuple>

#include "mpi/state.hpp"

namespace vicinal::inline VICINAL_API::mpi {
namespace {

// A body by its owner and its number there.
std::uint64_t key(int owner, Index number) {
    return std::uint64_t{static_cast<std::uint32_t>(owner)} << 32 | number;
}

template <Real T, int D>
RowEntry<T, D> reversed(RowEntry<T, D> entry) {
    for (auto& n : entry.image) n = static_cast<std::int16_t>(-n);
    for (T& component : entry.vector) component = -component;
    return entry;
}

}  // namespace

template <class V>
void pack_lists(const std::map<int, std::vector<V>>& lists, std::vector<Message>& outgoing) {
    for (const auto& [rank, list] : lists) {
        Packer to;
        to.put_counted(list);
        outgoing.push_back({rank, to.take()});
    }
}

// Returns those of own rows. Where another rank reports the pair, the number of the neighbour
// is still that at its owner: these are the last entries, from `first_foreign` on.
template <Real T, int D>
auto Finder<T, D>::State::exchange_entries(Columns columns, std::size_t& first_foreign)
    -> std::vector<Entry> {
    std::map<int, std::vector<Entry>> entries;  // by the owner of the row
    std::vector<Entry> mine;
    std::vector<Message> outgoing;
    comm.together([&] {
        const PairColumns<T, D> found = reported_pairs(columns, Order::any);
        const auto add = [&](Index row, Index neighbour, Entry entry) {
            entry.row = store.numbers[row];
            entry.owner = store.owners[neighbour];
            entry.id = store.ids[neighbour];
            entry.number = row < own ? neighbour : store.numbers[neighbour];
            (row < own ? mine : entries[store.owners[row]]).push_back(entry);
        };
        mine.reserve(2 * found.size());
        for (std::size_t k = 0; k < found.size(); ++k) {
            Entry entry;
            if (!found.images.empty()) entry.image = found.images[k];
            if (!found.vectors.empty()) entry.vector = found.vectors[k];
            if (!found.distances.empty()) entry.distance = found.distances[k];
            add(found.i(k), found.j(k), entry);
            add(found.j(k), found.i(k), reversed(entry));
        }
        pack_lists(entries, outgoing);
    });
    first_foreign = mine.size();
    const std::vector<Message> incoming = comm.exchange(outgoing);
    comm.together([&] {
        for (const Message& message : incoming) {
            const auto list = Unpacker(message.bytes).get_counted<Entry>();
            mine.insert(mine.end(), list.begin(), list.end());
        }
        if (!local_numbers.empty()) return;
        for (std::size_t k = own; k < store.size(); ++k)
            local_numbers[key(store.owners[k], store.numbers[k])] = static_cast<Index>(k);
    });
    return mine;
}

// Asks the owners of neighbours that this rank does not hold for copies.
template <Real T, int D>
void Finder<T, D>::State::add_missing_copies(std::span<Entry> entries) {
    std::vector<Message> outgoing;
    comm.together([&] {
        std::map<std::pair<int, Index>, std::uint64_t> missing;  // by owner; the ids
        for (const Entry& entry : entries)
            if (entry.owner != comm.rank() &&
                !local_numbers.contains(key(entry.owner, entry.number)))
                missing[{entry.owner, entry.number}] = entry.id;
        std::map<int, std::vector<Index>> wanted;
        for (const auto& [body, id] : missing) {
            const auto& [owner, number] = body;
            std::vector<Index>& list = wanted[owner];
            if (list.empty()) plan.held.push_back({owner, store.size(), 0});
            ++plan.held.back().count;
            list.push_back(number);
            local_numbers[key(owner, number)] = static_cast<Index>(store.size());
            store.ids.push_back(id);
            store.owners.push_back(owner);
            store.numbers.push_back(number);
        }
        for (Entry& entry : entries)
            if (entry.owner != comm.rank())
                entry.number = local_numbers.at(key(entry.owner, entry.number));
        pack_lists(wanted, outgoing);
    });
    const std::vector<Message> incoming = comm.exchange(outgoing);
    comm.together([&] {
        for (const Message& message : incoming)
            plan.sent.push_back({message.rank, Unpacker(message.bytes).get_counted<Index>()});
    });
}

template <Real T, int D>
void Finder<T, D>::State::fill_rows(const std::vector<Entry>& entries, Columns columns,
                                    Order order, bool imaged) {
    const std::size_t n = entries.size();
    rows.offsets.resize(own + 1);
    std::fill(rows.offsets.begin(), rows.offsets.end(), 0);
    for (const Entry& entry : entries) ++rows.offsets[entry.row + 1];
    for (std::size_t i = 0; i < own; ++i) rows.offsets[i + 1] += rows.offsets[i];
    // A counting sort by row, which is stable.
    std::vector<std::size_t> next(rows.offsets.begin(), rows.offsets.end()), by_row(n);
    for (std::size_t e = 0; e < n; ++e) by_row[next[entries[e].row]++] = e;
    if (order == Order::sorted)
        for (std::size_t i = 0; i < own; ++i)
            std::sort(by_row.data() + rows.offsets[i], by_row.data() + rows.offsets[i + 1],
                      [&](std::size_t a, std::size_t b) {
                          return std::tie(entries[a].id, entries[a].image) <
                                 std::tie(entries[b].id, entries[b].image);
                      });
    rows.indices.resize(n);
    rows.images.resize(imaged ? n : 0);
    rows.vectors.resize(has_vectors(columns) ? n : 0);
    rows.distances.resize(has_distances(columns) ? n : 0);
    for (std::size_t k = 0; k < n; ++k) {
        const Entry& entry = entries[by_row[k]];
        rows.indices[k] = entry.number;
        if (!rows.images.empty()) rows.images[k] = entry.image;
        if (!rows.vectors.empty()) rows.vectors[k] = entry.vector;
        if (!rows.distances.empty()) rows.distances[k] = entry.distance;
    }
}

template <Real T, int D>
void Finder<T, D>::State::make_rows(Columns columns, Order order) {
    // Images are needed to sort.
    const auto with_images = static_cast<Columns>(static_cast<unsigned>(columns) | 1u);
    std::size_t first_foreign = 0;
    std::vector<Entry> entries = exchange_entries(with_images, first_foreign);
    add_missing_copies(std::span(entries).subspan(first_foreign));
    comm.together([&] {
        fill_rows(entries, columns, order, has_images(columns) && !options.domain.is_open());
    });
}

template void Finder<float, 2>::State::make_rows(Columns, Order);
template void Finder<float, 3>::State::make_rows(Columns, Order);
template void Finder<double, 2>::State::make_rows(Columns, Order);
template void Finder<double, 3>::State::make_rows(Columns, Order);

}  // namespace vicinal::inline VICINAL_API::mpi
