// Queries against the bodies of a step: second sets, probes, nearest neighbours. They are const
// and may be called from several threads at once, even while pairs are streamed.
#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "finder/nearest_rows.hpp"
#include "finder/state.hpp"
#include "scene/check.hpp"
#include "sieve/direct_images.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

constexpr Columns without_distances(Columns columns) {
    return static_cast<Columns>(static_cast<unsigned>(columns) &
                                ~static_cast<unsigned>(Columns::ijd));
}

template <Real T, int D>
Bodies<T, D> at_rest(Bodies<T, D> bodies) {
    bodies.displacement = {};
    return bodies;
}

// The reach of a query point and a sphere is the sum of the cut-off and the radius.
template <Real T, int D>
void check_query_reach(const Bodies<T, D>& queries, const Bodies<T, D>& bodies) {
    const T limit = largest_reach<T>() / 2;
    if (is_point(queries) && has_radius(bodies) && queries.cutoff > limit)
        throw Error(Error::Kind::input,
                    "queries: the cut-off is " + number_text(queries.cutoff) +
                        "; among spheres it must be a number from 0 to " + number_text(limit) +
                        " (beyond that its square overflows)");
}

}  // namespace

// With the skin's list or native periodicity, the query structure is built only when a query
// needs it. `moving`: the queries or the bodies move.
template <Real T, int D>
const Structure<T, D>& Finder<T, D>::State::structure_for(bool moving) const {
    const std::lock_guard lock(query_structures->mutex);
    const bool shear = options.domain.shear_change() != 0 && options.domain.periodic()[0];
    if (shear && moving && !bodies.swept())
        return build_query_structure(query_structures->moving_images, choice, bodies,
                                     domain_of(true));
    if (!listed && current().images() == Images::native)
        return build_query_structure(query_structures->with_ghosts, choice, bodies,
                                     domain_of(bodies.swept()));
    if (!structure->valid()) {
        const LedgerScope scope(&ledger);
        structure->build(bodies, domain_of(bodies.swept()), execution, options.max_bytes,
                         Structure<T, D>::Use::queries);
        check_bytes("with the structure for queries");
    }
    return *structure;
}

template <Real T, int D>
const Structure<T, D>& Finder<T, D>::State::build_query_structure(
    std::unique_ptr<Structure<T, D>>& to, const Choice& method, const Bodies<T, D>& given,
    const Domain<D>& domain) const {
    if (to && to->valid()) return *to;
    const LedgerScope scope(&ledger);
    if (!to) to = std::make_unique<Structure<T, D>>(method);
    to->build(given, domain, execution, options.max_bytes, Structure<T, D>::Use::queries);
    try {
        check_bytes("with the structure for queries");
    } catch (const Error&) {
        to = nullptr;  // pairs can still be found
        throw;
    }
    return *to;
}

// Nearest neighbours do not depend on the reach. If the method cannot find them, a kd-tree is
// built beside it for bodies at rest without their reach; the same for the finder's own method
// if the reach spans so many periods that images are direct and no structure was built.
template <Real T, int D>
const Structure<T, D>& Finder<T, D>::State::structure_for_nearest() const {
    if (dynamic_cast<const NearestFinder<T, D>*>(&structure->method()) == nullptr) {
        const std::lock_guard lock(query_structures->mutex);
        return build_query_structure(query_structures->tree, choose_method("kd_tree(leaf=16)"),
                                     without_reach(bodies), domain_of(false));
    }
    const Structure<T, D>& usual = structure_for(bodies.swept());
    if (usual.scene().images() != Images::direct) return usual;
    const std::lock_guard lock(query_structures->mutex);
    return build_query_structure(query_structures->without_reach, choice, without_reach(bodies),
                                 domain_of(false));
}

// Before anything else is done for queries.
template <Real T, int D>
void Finder<T, D>::State::check_queries(const Bodies<T, D>& queries, bool is_probe,
                                        Columns columns) const {
    require_update();
    if (!is_probe) check_same_kind(queries, bodies);
    if (is_probe && !queries.cutoffs.empty())
        throw Error(Error::Kind::input,
                    "queries have no kinds, only a cut-off of their own; to find pairs of two "
                    "sets by kind call pairs_with()");
    check_columns(columns, queries, bodies);
}

template <Real T, int D>
void Finder<T, D>::State::query(const Bodies<T, D>& given, bool is_probe,
                                Blocks<D>& target) const {
    const char* const who = is_probe ? "queries" : "first set";
    check_arrays(given, who);
    check_values(given, who, execution);
    if (is_probe) check_query_reach(given, bodies);
    const Bodies<T, D> queries = is_probe ? points_as_spheres(given) : given;
    const bool moving = bodies.swept() || queries.swept();
    const Structure<T, D>& to = structure_for(moving);
    PairFilter<D> filter_of_queries;
    filter_of_queries.assign(queries, to.scene().view(), execution.target);
    Scene<T, D> query_scene;
    query_scene.assign(queries, domain_of(moving), execution);
    query_scene.add_ghosts(options.max_bytes, &to.scene());
    to.scene().check_images(query_scene);
    KindFilter<T, D> kinds_of_queries;
    const BlockFilter<D>* const allowed = filter_of_queries.begin_search(false);
    target.filter_by(
        is_probe ? allowed : kinds_of_queries.begin_search(query_scene, to.scene(), allowed));
    SearchContext<T, D> context = context_of(to.scene());
    context.queries = &query_scene;
    context.ignore_cutoff = is_probe;
    if (is_probe) context.rule = ReachRule::sum;
    constexpr std::size_t queries_per_task = 256;
    const bool direct = query_scene.images() == Images::direct;
    if (direct) check_images(context, options.max_pairs);
    const std::size_t n = direct ? queries.size() : query_scene.size();
    const std::size_t tasks = (n + queries_per_task - 1) / queries_per_task;
    parallel_tasks(execution.threads, tasks, [&](std::size_t t, int worker) {
        BlockWriter<D>& writer = target.writer(worker);
        writer.begin_task(t);
        const std::size_t begin = t * queries_per_task;
        const Range range{begin, std::min(n, begin + queries_per_task)};
        const SearchContext<T, D> own = context.for_worker(writer, worker);
        if (direct)
            search_images(own, range);
        else
            to.method().probe(query_scene, range, own);
        writer.end_task();
    });
    target.finish();
}

template <Real T, int D>
const Lattice<T, D>& Finder<T, D>::State::lattice_for(const Bodies<T, D>& queries) const {
    return structure_for(bodies.swept() || queries.swept()).scene().lattice();
}

template <Real T, int D>
void Finder<T, D>::State::make_query_list(const Bodies<T, D>& queries, bool is_probe,
                                          PairList<D>& to) const {
    Blocks<D> target;
    structure_for(bodies.swept() ||
                  queries.swept());  // before limits(): it uses part of max_bytes
    target.store(to, current().periodic(), execution.threads, limits());
    query(queries, is_probe, target);
}

template <Real T, int D>
PairList<D> Finder<T, D>::State::query_pairs(const Bodies<T, D>& queries, bool is_probe,
                                             Order order) const {
    check_queries(queries, is_probe);
    PairList<D> result;
    make_query_list(queries, is_probe, result);
    Rows<T, D> scratch;
    if (order == Order::sorted)
        RowMaker<T, D>().sort(result, queries.size(), execution.threads, scratch);
    return result;
}

template <Real T, int D>
template <IndexType I>
PairColumns<T, D, I> Finder<T, D>::State::query_columns(const Bodies<T, D>& queries,
                                                        bool is_probe, Columns columns,
                                                        const PairForm& form) const {
    if (form.kind == RowKind::full)
        throw Error(Error::Kind::option,
                    "pairs of two sets have no other half; request RowKind::half");
    check_index_type<I>(queries);
    check_index_type<I>(bodies);
    if (form.order == Order::sorted)
        return columns_from<I>(query_rows<Index>(queries, is_probe, columns, Order::sorted),
                               column_output(form.layout));
    check_queries(queries, is_probe, columns);
    PairList<D> found;
    make_query_list(queries, is_probe, found);
    Buffer<Position<T, D>> scratch;
    const Separations<T, D> all(columns, queries, bodies, lattice_for(queries), found.size(),
                                scratch, execution);
    return columns_from<I>(found, all, column_output(form.layout));
}

template <Real T, int D>
template <IndexType I>
Rows<T, D, I> Finder<T, D>::State::query_rows(const Bodies<T, D>& queries, bool is_probe,
                                              Columns columns, Order order) const {
    check_queries(queries, is_probe, columns);
    check_index_type<I>(queries);
    check_index_type<I>(bodies);
    PairList<D> found;
    make_query_list(queries, is_probe, found);
    Rows<T, D> result = empty_rows<T, D>(options.allocator);
    RowMaker<T, D>().make(found, queries.size(), RowKind::half, order, execution.threads,
                          result);
    Buffer<Position<T, D>> scratch;
    const Separations<T, D> all(columns, queries, bodies, lattice_for(queries),
                                result.indices.size(), scratch, execution);
    add_separations(result, all, execution.threads);
    return with_index<I>(std::move(result), column_output());
}

template <Real T, int D>
void Finder<T, D>::State::stream_query(const Bodies<T, D>& queries, bool is_probe,
                                       const Consumer<D>& consumer) const {
    check_consumer(consumer);
    check_queries(queries, is_probe);
    Blocks<D> target;
    structure_for(bodies.swept() || queries.swept());
    target.stream(consumer, current().periodic(), execution.threads, limits());
    query(queries, is_probe, target);
}

template <Real T, int D>
void Finder<T, D>::State::stream_query(const Bodies<T, D>& queries, bool is_probe,
                                       Columns columns,
                                       const ColumnConsumer<T, D>& consumer) const {
    check_consumer(consumer);
    check_queries(queries, is_probe, columns);
    Buffer<Position<T, D>> scratch;
    const Separations<T, D> all(columns, queries, bodies, lattice_for(queries), queries.size(),
                                scratch, execution);
    stream_query(queries, is_probe, with_columns(all, consumer));
}

template <Real T, int D>
template <IndexType I>
Rows<T, D, I> Finder<T, D>::State::nearest(const Bodies<T, D>* queries, std::size_t k,
                                           T max_distance, Columns columns) const {
    require_update();
    check_columns(without_distances(columns), queries != nullptr ? *queries : bodies, bodies);
    check_index_type<I>(bodies);
    if (k == 0)
        throw Error(Error::Kind::option,
                    "the number of nearest neighbours is 0; give at least 1");
    if (!(max_distance >= 0) ||
        (std::isfinite(max_distance) && !std::isfinite(max_distance * max_distance)))
        throw Error(Error::Kind::option,
                    "the maximum distance is " +
                        number_text(static_cast<double>(max_distance)) +
                        "; give a number that is not negative and whose square is finite, "
                        "or infinity");
    const Structure<T, D>& to = structure_for_nearest();
    const Scene<T, D>& scene = to.scene();
    const auto& finder = dynamic_cast<const NearestFinder<T, D>&>(to.method());
    const Bodies<T, D>& query_bodies = queries != nullptr ? *queries : bodies;
    check_bodies(query_bodies, "queries", execution);
    PairFilter<D> filter_of_queries;
    if (queries != nullptr) filter_of_queries.assign(*queries, bodies, execution.target);
    NearestContext<T, D> context;
    context.scene = &scene;
    if (scene.images() != Images::direct) context.packed = &finder.packed();
    context.queries = &query_bodies;
    context.filter = queries != nullptr ? &filter_of_queries : &filter;
    context.own = queries == nullptr;
    context.k = k;
    context.limit = max_distance * max_distance;
    if (scene.periodic()) context.region = bounds_without_reach(scene);
    // Enough for each body in some of its images, and for thousands of empty images of skewed
    // cells; if there are few queries, each may use more.
    const auto count = static_cast<double>(std::max<std::size_t>(query_bodies.size(), 1));
    context.max_tests =
        std::max(static_cast<double>(max_image_tests(0, options.max_pairs)) / count,
                 0x1p13 + 64 * static_cast<double>(scene.bodies()));
    NearestRows<T, D> known;
    if (scene.lattice().open && is_round(bodies) && is_round(query_bodies) &&
        !context.filter->active() && options.max_bytes == no_limit &&
        dynamic_cast<const NearestFinder<T, D>*>(&structure->method()) == nullptr)
        known.find(bodies, queries, k, max_distance, options, execution.threads);
    // Queries one after the other where they are near each other: the same nodes are visited.
    CurveOrder<T, D> curve;
    Buffer<Index> order;
    if (query_bodies.size() > 1024 && !known.any()) {
        Scene<T, D> query_scene;
        query_scene.assign(at_rest(query_bodies), domain_of(false), execution);
        curve.assign(query_scene, query_bodies.size());
        order.resize(query_bodies.size());
        parallel_for(execution.threads, order.size(),
                     [&](std::size_t q) { order[q] = curve[q]; });
        context.order = order.span();
    }
    Rows<T, D> result = empty_rows<T, D>(options.allocator);
    collect_nearest(context, execution.threads, limits(), columns, result, known,
                    [&](NearestQuery<T, D>& query) { finder.nearest(query); });
    // Distances are the gaps that were compared; vectors are those at the beginning of the
    // step.
    Array<T> distances = std::move(result.distances);
    const Bodies<T, D> from = at_rest(query_bodies), to_bodies = at_rest(bodies);
    Buffer<Position<T, D>> scratch;
    const Separations<T, D> all(without_distances(columns), from, to_bodies, scene.lattice(),
                                result.indices.size(), scratch, execution);
    add_separations(result, all, execution.threads);
    if (has_distances(columns)) result.distances = std::move(distances);
    return with_index<I>(std::move(result), column_output());
}

#define VICINAL_INSTANTIATE_INDEX(T, D, I)                                                   \
    template PairColumns<T, D, I> Finder<T, D>::State::query_columns<I>(                     \
        const Bodies<T, D>&, bool, Columns, const PairForm&) const;                          \
    template Rows<T, D, I> Finder<T, D>::State::query_rows<I>(const Bodies<T, D>&, bool,     \
                                                              Columns, Order) const;         \
    template Rows<T, D, I> Finder<T, D>::State::nearest<I>(const Bodies<T, D>*, std::size_t, \
                                                           T, Columns) const;
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
