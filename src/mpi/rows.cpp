// Neighbour rows of own bodies. They hold every neighbour of which this rank has a copy, found
// by its own search. A neighbour of which it has none meets the body in the region of another
// rank: the one that reports the pair delivers it. Then the owner of the row asks for a copy,
// so that values can travel to it.
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

}  // namespace

template <class V>
void pack_lists(const std::map<int, std::vector<V>>& lists, std::vector<Message>& outgoing) {
    for (const auto& [rank, list] : lists) {
        Packer to;
        to.put_counted(list);
        outgoing.push_back({rank, to.take()});
    }
}

template <Real T, int D>
bool Finder<T, D>::State::is_held_by(int rank, Index body, const BodySet& shared) const {
    if (shared.contains(body) == 0) return rank == store.owner(body);
    const auto holders = store.holders[shared.place(body)];
    return holders[0] == Holders::all_parts ||
           std::ranges::binary_search(holders, static_cast<PartNumber>(rank));
}

// Delivers the neighbours of copies that the owners of the rows do not hold; returns those that
// are delivered to this rank.
template <Real T, int D>
auto Finder<T, D>::State::exchange_entries(const Rows<T, D>& found) -> std::vector<Entry> {
    std::map<int, std::vector<Entry>> entries;  // by the owner of the row
    std::vector<Message> outgoing;
    comm.together([&] {
        const BodySet shared(store.size(), store.holders.bodies);
        for (std::size_t k = own; k < found.size(); ++k) {
            const auto row = static_cast<Index>(k);
            const int to = store.owner(row);
            for (std::uint64_t e = found.offsets[k]; e < found.offsets[k + 1]; ++e) {
                const Index j = found.indices[e];
                if (is_held_by(to, j, shared) || !filter->reports(row, j)) continue;
                Entry& entry = entries[to].emplace_back();
                entry.row = store.number(row);
                entry.owner = store.owner(j);
                entry.id = store.ids[j];
                entry.number = store.number(j);
                if (!found.images.empty()) entry.image = found.images[e];
                if (!found.vectors.empty()) entry.vector = found.vectors[e];
                if (!found.distances.empty()) entry.distance = found.distances[e];
            }
        }
        pack_lists(entries, outgoing);
    });
    const std::vector<Message> incoming = comm.exchange(outgoing);
    std::vector<Entry> delivered;
    comm.together([&] {
        for (const Message& message : incoming) {
            const auto list = Unpacker(message.bytes).get_counted<Entry>();
            delivered.insert(delivered.end(), list.begin(), list.end());
        }
        std::ranges::stable_sort(delivered, {}, &Entry::row);
    });
    return delivered;
}

// Asks the owners of neighbours that this rank does not hold for copies.
template <Real T, int D>
void Finder<T, D>::State::add_missing_copies(std::span<Entry> entries) {
    std::vector<Message> outgoing;
    comm.together([&] {
        std::map<std::pair<int, Index>, std::uint64_t> missing;  // by owner; the ids
        for (const Entry& entry : entries)
            if (!local_numbers.contains(key(entry.owner, entry.number)))
                missing[{entry.owner, entry.number}] = entry.id;
        std::map<int, std::vector<Index>> wanted;
        for (const auto& [body, id] : missing) {
            const auto& [owner, number] = body;
            std::vector<Index>& list = wanted[owner];
            if (list.empty()) plan.held.push_back({owner, store.size(), 0});
            ++plan.held.back().count;
            list.push_back(number);
            local_numbers[key(owner, number)] = static_cast<Index>(store.size());
            store.append_unheld(id, owner, number);
        }
        for (Entry& entry : entries)
            entry.number = local_numbers.at(key(entry.owner, entry.number));
        pack_lists(wanted, outgoing);
    });
    const std::vector<Message> incoming = comm.exchange(outgoing);
    comm.together([&] {
        for (const Message& message : incoming)
            plan.sent.push_back({message.rank, Unpacker(message.bytes).get_counted<Index>()});
    });
}

// Joins the own rows that were found here with the delivered entries, which are sorted by row.
template <Real T, int D>
void Finder<T, D>::State::fill_rows(const Rows<T, D>& found, const std::vector<Entry>& entries,
                                    Columns columns, bool imaged) {
    const std::size_t n = (own > 0 ? found.offsets[own] : 0) + entries.size();
    rows.offsets.resize(own + 1);
    rows.indices.resize(n);
    rows.images.resize(imaged ? n : 0);
    rows.vectors.resize(has_vectors(columns) ? n : 0);
    rows.distances.resize(has_distances(columns) ? n : 0);
    auto entry = entries.begin();
    std::uint64_t from = 0, to = 0;
    for (std::size_t i = 0; i < own;) {
        // All rows up to the next one with an entry.
        const std::size_t last = entry == entries.end() ? own : entry->row + std::size_t{1};
        const std::uint64_t added = to - from;
        for (; i < last; ++i) rows.offsets[i] = found.offsets[i] + added;
        const std::uint64_t count = found.offsets[last] - from;
        std::copy_n(found.indices.data() + from, count, rows.indices.data() + to);
        if (imaged) std::copy_n(found.images.data() + from, count, rows.images.data() + to);
        if (!rows.vectors.empty())
            std::copy_n(found.vectors.data() + from, count, rows.vectors.data() + to);
        if (!rows.distances.empty())
            std::copy_n(found.distances.data() + from, count, rows.distances.data() + to);
        from += count;
        to += count;
        for (; entry != entries.end() && entry->row + std::size_t{1} == last; ++entry, ++to) {
            rows.indices[to] = entry->number;
            if (imaged) rows.images[to] = entry->image;
            if (!rows.vectors.empty()) rows.vectors[to] = entry->vector;
            if (!rows.distances.empty()) rows.distances[to] = entry->distance;
        }
    }
    rows.offsets[own] = to;
}

// Sorts each row by (id, image).
template <Real T, int D>
void Finder<T, D>::State::sort_rows() {
    struct Neighbour {
        std::uint64_t id;
        Index index;
        Image<D> image;
        Vector<T, D> vector;
        T distance;
    };
    std::vector<Neighbour> row;
    const auto field = [&](auto& column, auto Neighbour::* member, std::uint64_t begin,
                           bool out) {
        for (std::size_t e = 0; e < row.size() && !column.empty(); ++e)
            out ? void(column[begin + e] = row[e].*member)
                : void(row[e].*member = column[begin + e]);
    };
    for (std::size_t i = 0; i < own; ++i) {
        const std::uint64_t begin = rows.offsets[i];
        row.assign(rows.offsets[i + 1] - begin, {});
        for (const bool out : {false, true}) {
            if (out)
                std::ranges::sort(row, {}, [](const Neighbour& entry) {
                    return std::tie(entry.id, entry.image);
                });
            field(rows.indices, &Neighbour::index, begin, out);
            field(rows.images, &Neighbour::image, begin, out);
            field(rows.vectors, &Neighbour::vector, begin, out);
            field(rows.distances, &Neighbour::distance, begin, out);
            if (!out)
                for (Neighbour& entry : row) entry.id = store.ids[entry.index];
        }
    }
}

template <Real T, int D>
void Finder<T, D>::State::make_rows(Columns columns, Order order) {
    const Rows<T, D>* found = nullptr;
    comm.together([&] {
        require_update();
        // Images are needed to sort.
        found = &search.neighbours(static_cast<Columns>(static_cast<unsigned>(columns) | 1u),
                                   RowKind::full);
    });
    std::vector<Entry> entries = exchange_entries(*found);
    add_missing_copies(entries);
    comm.together([&] {
        const bool imaged = !options.domain.is_open();
        fill_rows(*found, entries, columns, imaged);
        if (order == Order::sorted) sort_rows();
        if (!has_images(columns)) rows.images.resize(0);
    });
}

template void Finder<float, 2>::State::make_rows(Columns, Order);
template void Finder<float, 3>::State::make_rows(Columns, Order);
template void Finder<double, 2>::State::make_rows(Columns, Order);
template void Finder<double, 3>::State::make_rows(Columns, Order);

}  // namespace vicinal::inline VICINAL_API::mpi
