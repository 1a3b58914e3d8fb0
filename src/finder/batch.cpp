#include <vicinal/batch.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/cancellation.hpp"
#include "base/parallel.hpp"
#include "finder/call.hpp"
#include "finder/columns.hpp"
#include "output/rows.hpp"
#include "scene/check.hpp"
#include "scene/shape.hpp"
#include "simd/targets.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

template <class V>
Column<V> slice(const Column<V>& column, std::uint64_t begin, std::uint64_t count) {
    if (!column.given()) return {};
    return {&column[begin], count, column.stride};
}

template <Real T, int D>
Vectors<T, D> slice(Vectors<T, D> vectors, std::uint64_t begin, std::uint64_t count) {
    for (Column<T>& axis : vectors.axis) axis = slice(axis, begin, count);
    return vectors;
}

// The view of bodies begin ... begin + count - 1.
template <Real T, int D>
Bodies<T, D> slice(Bodies<T, D> bodies, std::uint64_t begin, std::uint64_t count) {
    bodies.position = slice(bodies.position, begin, count);
    bodies.upper = slice(bodies.upper, begin, count);
    bodies.displacement = slice(bodies.displacement, begin, count);
    if (has_radius(bodies)) bodies.radius = bodies.radius.slice(begin, count);
    bodies.kind = bodies.kind.slice(begin, count);
    bodies.group = slice(bodies.group, begin, count);
    bodies.mask = slice(bodies.mask, begin, count);
    bodies.id = slice(bodies.id, begin, count);
    if (bodies.vertices_per_body > 0)
        bodies.vertices = bodies.vertices.subspan(begin * bodies.vertices_per_body,
                                                  count * bodies.vertices_per_body);
    return bodies;
}

template <Real T, int D>
void check_batch(const Bodies<T, D>& bodies, std::span<const std::uint64_t> offsets,
                 std::size_t domains) {
    const auto refuse = [](const std::string& what) { throw Error(Error::Kind::input, what); };
    // Before slices are made, which have as many values as bodies whatever the array has.
    check_arrays(bodies, traits_of(bodies.shape).name);
    if (offsets.empty() || offsets.front() != 0 || offsets.back() != bodies.size())
        refuse("the offsets of a batch must begin with 0 and end with the number of bodies, " +
               std::to_string(bodies.size()));
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
        if (offsets[s] > offsets[s + 1])
            refuse("offsets[" + std::to_string(s + 1) + "] of the batch is " +
                   std::to_string(offsets[s + 1]) + ", less than the one before; sort them");
    if (domains != 1 && domains + 1 != offsets.size())
        refuse("the batch has " + std::to_string(offsets.size() - 1) + " systems but " +
               std::to_string(domains) + " domains; give one for each system, or one for all");
    if (!bodies.excluded.empty())
        refuse(
            "a batch cannot exclude pairs, which are numbered within one system; use groups "
            "or search the systems one by one");
}

// Indices and images that one worker has found, system after system, until the number of all is
// known. Pieces do not move when more are needed, and their memory is recycled.
template <int D>
class FoundRows {
  public:
    explicit FoundRows(bool imaged) : imaged_(imaged) {}

    struct Part {
        const Index* indices = nullptr;
        const Image<D>* images = nullptr;  // null: all zero
        std::size_t count = 0;
    };

    // Copies the rows of a system whose first body is number `first` of all.
    template <Real T>
    Part add(const Rows<T, D>& rows, Index first) {
        const std::size_t n = rows.indices.size();
        if (pieces_.empty() || pieces_.back().used + n > pieces_.back().indices.size())
            add_piece(n);
        Piece& piece = pieces_.back();
        Part part{piece.indices.data() + piece.used, nullptr, n};
        std::transform(rows.indices.begin(), rows.indices.end(),
                       piece.indices.data() + piece.used,
                       [first](Index j) { return first + j; });
        if (!rows.images.empty()) {
            std::copy(rows.images.begin(), rows.images.end(), piece.images.data() + piece.used);
            part.images = piece.images.data() + piece.used;
        }
        piece.used += n;
        return part;
    }

  private:
    struct Piece {
        Array<Index> indices;
        Array<Image<D>> images;
        std::size_t used = 0;
    };
    void add_piece(std::size_t entries) {
        constexpr std::size_t usual = std::size_t{1} << 19;  // indices fill a huge page
        Piece& piece = pieces_.emplace_back();
        piece.indices.resize(std::max(entries, usual));
        if (imaged_) piece.images.resize(piece.indices.size());
    }

    const bool imaged_;
    std::vector<Piece> pieces_;
};

// The error of a system names it.
template <class F>
void naming_system(std::size_t system, std::uint64_t first, const F& f) {
    try {
        f();
    } catch (const Error& error) {
        if (error.kind() == Error::Kind::cancelled) throw;
        std::optional<std::uint64_t> element = error.element();
        if (element) *element += first;
        throw Error(error.kind(),
                    "system " + std::to_string(system) + ", which begins with body " +
                        std::to_string(first) + ": " + error.what(),
                    element);
    }
}

}  // namespace

template <IndexType I, Real T, int D>
Rows<T, D, I> find_batch(const Bodies<T, D>& bodies, std::span<const std::uint64_t> offsets,
                         std::type_identity_t<std::span<const Domain<D>>> domains,
                         Columns columns, const Options<D>& options, Order order) {
    check_batch(bodies, offsets, domains.size());
    const int threads = checked_threads(options.threads);
    const std::size_t systems = offsets.size() - 1;
    Options<D> own = options;
    own.threads = 1;
    own.cancelled = nullptr;  // one hook for the whole batch
    CancelHook hook(options.cancelled);
    std::optional<Cancellation> call;
    if (hook.given()) call.emplace(hook);
    const CancellationScope call_scope(call ? &*call : nullptr);
    // Other methods may order pairs by what their finder has seen before.
    const bool sorted = options.method != "auto" && !options.method.starts_with("row_grid");
    if (sorted) order = Order::sorted;
    const bool imaged = std::any_of(domains.begin(), domains.end(),
                                    [](const Domain<D>& d) { return !d.is_open(); });
    const auto domain_of = [&](std::size_t s) -> const Domain<D>& {
        return domains[domains.size() == 1 ? 0 : s];
    };
    check_columns(columns, bodies, bodies);

    return with_memory_errors("store the rows of a batch", [&] {
        struct Worker {
            std::unique_ptr<Finder<T, D>> finder;
            FoundRows<D> found;
        };
        std::vector<Worker> workers;
        for (int w = 0; w < threads; ++w) workers.push_back({nullptr, FoundRows<D>(imaged)});
        std::vector<typename FoundRows<D>::Part> parts(systems);
        Rows<T, D> rows = empty_rows<T, D>(options.allocator);
        rows.offsets.resize(bodies.size() + 1);
        parallel_tasks(threads, systems, [&](std::size_t s, int worker) {
            Worker& mine = workers[static_cast<std::size_t>(worker)];
            const std::uint64_t first = offsets[s], count = offsets[s + 1] - first;
            naming_system(s, first, [&] {
                if (!mine.finder) mine.finder = std::make_unique<Finder<T, D>>(own);
                mine.finder->update(slice(bodies, first, count), domain_of(s));
                const Rows<T, D>& its =
                    mine.finder->neighbours(Columns::ijS, RowKind::full, order);
                parts[s] = mine.found.add(its, static_cast<Index>(first));
                for (std::size_t i = 0; i < count; ++i) rows.offsets[first + i] = its[i].size();
            });
        });
        rows.offsets[bodies.size()] =
            exclusive_scan(threads, std::span(rows.offsets.data(), bodies.size()));
        const std::uint64_t total = rows.offsets[bodies.size()];
        rows.indices.resize(total);
        if (has_vectors(columns)) rows.vectors.resize(total);
        if (has_distances(columns)) rows.distances.resize(total);
        const bool measured = has_vectors(columns) || has_distances(columns);
        if (imaged && (has_images(columns) || measured)) rows.images.resize(total);

        // Vectors and distances are computed where they are stored.
        const auto lattice_of = [&](std::size_t s) {
            return Lattice<T, D>(bodies.swept() ? domain_of(s) : domain_of(s).at_rest());
        };
        const Lattice<T, D> lattice = systems > 0 ? lattice_of(0) : Lattice<T, D>();
        Buffer<Position<T, D>> positions;
        const Separations<T, D> separations(columns, bodies, bodies, lattice, total, positions,
                                            {threads, choose_target()});
        const Stores stores = stores_for(column_bytes<T, D>(columns, total));
        parallel_tasks(threads, systems, [&](std::size_t s, int) {
            const auto& part = parts[s];
            const std::uint64_t to = rows.offsets[offsets[s]];
            std::copy_n(part.indices, part.count, rows.indices.data() + to);
            if (part.images != nullptr && !rows.images.empty())
                std::copy_n(part.images, part.count, rows.images.data() + to);
            else if (!rows.images.empty())  // an open system among periodic ones
                std::fill_n(rows.images.data() + to, part.count, Image<D>{});
            if (!measured) return;
            if (domains.size() == 1) {
                separations.of_rows(rows, offsets[s], offsets[s + 1], stores);
            } else {
                const Lattice<T, D> its = lattice_of(s);
                Separations<T, D>(separations, its)
                    .of_rows(rows, offsets[s], offsets[s + 1], stores);
            }
        });
        if (!has_images(columns)) rows.images.resize(0);
        return with_index<I>(std::move(rows),
                             ColumnOutput{PairLayout::n_by_2, options.allocator, threads});
    });
}

#define VICINAL_INSTANTIATE(T, D, I)                                                     \
    template Rows<T, D, I> find_batch<I, T, D>(                                          \
        const Bodies<T, D>&, std::span<const std::uint64_t>, std::span<const Domain<D>>, \
        Columns, const Options<D>&, Order);
#define VICINAL_INSTANTIATE_INDICES(T, D)    \
    VICINAL_INSTANTIATE(T, D, std::uint32_t) \
    VICINAL_INSTANTIATE(T, D, std::int32_t)  \
    VICINAL_INSTANTIATE(T, D, std::int64_t)
VICINAL_INSTANTIATE_INDICES(float, 2)
VICINAL_INSTANTIATE_INDICES(float, 3)
VICINAL_INSTANTIATE_INDICES(double, 2)
VICINAL_INSTANTIATE_INDICES(double, 3)
#undef VICINAL_INSTANTIATE_INDICES
#undef VICINAL_INSTANTIATE

}  // namespace vicinal::inline VICINAL_API
