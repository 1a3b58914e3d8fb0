// The pairs that this rank reports.
#include <atomic>

#include "mpi/state.hpp"

#include <vicinal/parallel.hpp>

namespace vicinal::inline VICINAL_API::mpi {
namespace {

// Keeps the pairs that the filter selects, in place.
template <Real T, int D>
void retain_reported(PairColumns<T, D>& found, const PartFilter& filter) {
    // Up to the first pair that is not reported, nothing moves.
    std::size_t first = 0;
    while (first < found.size() && filter.reports(found.i(first), found.j(first))) ++first;
    std::size_t kept = first;
    const auto move = [&](auto& column, std::size_t k) {
        if (!column.empty()) column[kept] = column[k];
    };
    for (std::size_t k = first; k < found.size(); ++k) {
        const Index i = found.i(k), j = found.j(k);
        found.indices[2 * kept] = i;
        found.indices[2 * kept + 1] = j;
        move(found.images, k);
        move(found.vectors, k);
        move(found.distances, k);
        kept += std::size_t{filter.reports(i, j)};
    }
    const auto resize = [&](auto& column) {
        if (!column.empty()) column.resize(kept);
    };
    found.indices.resize(2 * kept);
    resize(found.images);
    resize(found.vectors);
    resize(found.distances);
}

}  // namespace

template <Real T, int D>
PairColumns<T, D> Finder<T, D>::State::reported_pairs(Columns columns, Order order) {
    require_update();
    PairColumns<T, D> found = search.pairs(columns, {.order = order});
    if (!filter->marked().empty()) retain_reported(found, *filter);
    return found;
}

template <Real T, int D>
void Finder<T, D>::State::stream_reported(const Consumer<D>& consumer) {
    if (filter->marked().empty()) return search.for_each_block(consumer);
    struct Buffer {
        std::vector<Pair> pairs;
        std::vector<Image<D>> images;
    };
    std::vector<Buffer> buffers(static_cast<std::size_t>(checked_threads(options.threads)));
    search.for_each_block([&](const Block<D>& block) {
        if (filter->reports_all(block.pairs)) return consumer(block);
        Buffer& buffer = buffers[static_cast<std::size_t>(block.worker)];
        buffer.pairs.assign(block.pairs.begin(), block.pairs.end());
        buffer.images.assign(block.images.begin(), block.images.end());
        const bool imaged = !block.images.empty();
        const std::size_t kept = filter->retain<D>(
            buffer.pairs.data(), imaged ? buffer.images.data() : nullptr, buffer.pairs.size());
        if (kept == 0) return;
        consumer({std::span(buffer.pairs).first(kept),
                  std::span(buffer.images).first(imaged ? kept : 0), block.worker});
    });
}

// All pairs found here are reported by this rank, except some of two marked bodies. These are
// few: a search of their own finds those pairs, and no other pair passes a filter.
template <Real T, int D>
std::uint64_t Finder<T, D>::State::count_reported() {
    require_update();
    const std::size_t count = filter->marked().size();
    if (2 * count <= store.size()) return search.count() - (count > 0 ? count_rejected() : 0);
    std::atomic<std::uint64_t> reported = 0;
    stream_reported([&](const Block<D>& block) { reported += block.pairs.size(); });
    return reported;
}

template <Real T, int D>
std::uint64_t Finder<T, D>::State::count_rejected() {
    marked.assign(common_layout, {}, {}, comm.rank());
    marked.append({comm.rank(), store.pack(filter->marked())});
    const std::vector<Pair> excluded = marked.excluded();
    if (!search_marked) {
        Options<D> own_options = options;
        own_options.max_pairs = no_limit;
        search_marked.emplace(own_options);
    }
    search_marked->update(marked.view(excluded), options.domain);
    const PartFilter filter_marked(static_cast<PartNumber>(comm.rank()), marked.size(),
                                   marked.holders);
    std::atomic<std::uint64_t> rejected = 0;
    search_marked->for_each_block([&](const Block<D>& block) {
        std::uint64_t in_block = 0;
        for (const Pair pair : block.pairs)
            in_block += std::uint64_t{!filter_marked.reports(pair.i, pair.j)};
        rejected += in_block;
    });
    return rejected;
}

#define VICINAL_INSTANTIATE(T, D)                                                   \
    template PairColumns<T, D> Finder<T, D>::State::reported_pairs(Columns, Order); \
    template void Finder<T, D>::State::stream_reported(const Consumer<D>&);         \
    template std::uint64_t Finder<T, D>::State::count_reported();
VICINAL_INSTANTIATE(float, 2)
VICINAL_INSTANTIATE(float, 3)
VICINAL_INSTANTIATE(double, 2)
VICINAL_INSTANTIATE(double, 3)
#undef VICINAL_INSTANTIATE

}  // namespace vicinal::inline VICINAL_API::mpi
