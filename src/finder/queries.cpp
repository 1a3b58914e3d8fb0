// Queries against the bodies of a step: second sets, probes, nearest neighbours. They are const
// and may be called from several threads at once, even while pairs are streamed.
#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "finder/state.hpp"
#include "scene/check.hpp"
#include "sieve/direct_images.hpp"

namespace vicinal::inline VICINAL_API {

// With the skin's list or native periodicity, the query structure is built only when a query
// needs it. `moving`: the queries or the bodies move.
template <Real T, int D>
const Structure<T, D>& Finder<T, D>::State::structure_for(bool moving) const {
    const std::lock_guard lock(query_structures->mutex);
    const bool shear = options.domain.shear_change != 0 && options.domain.periodic[0];
    if (shear && moving && !bodies.swept())
        return build_query_structure(query_structures->moving_images, bodies, domain_of(true));
    if (!listed && current().images() == Images::native)
        return build_query_structure(query_structures->with_ghosts, bodies,
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
    std::unique_ptr<Structure<T, D>>& to, const Bodies<T, D>& given,
    const Domain<D>& domain) const {
    if (to && to->valid()) return *to;
    const LedgerScope scope(&ledger);
    if (!to) to = std::make_unique<Structure<T, D>>(choice);
    to->build(given, domain, execution, options.max_bytes, Structure<T, D>::Use::queries);
    try {
        check_bytes("with the structure for queries");
    } catch (const Error&) {
        to = nullptr;  // pairs can still be found
        throw;
    }
    return *to;
}

// Nearest neighbours do not depend on the reach. If the reach spans so many periods that images
// are direct and no structure was built, one is built for bodies at rest without their reach.
template <Real T, int D>
const Structure<T, D>& Finder<T, D>::State::structure_for_nearest() const {
    const Structure<T, D>& usual = structure_for(bodies.swept());
    if (usual.scene().images() != Images::direct) return usual;
    const std::lock_guard lock(query_structures->mutex);
    return build_query_structure(query_structures->without_reach, without_reach(bodies),
                                 domain_of(false));
}

template <Real T, int D>
void Finder<T, D>::State::query(const Bodies<T, D>& queries, bool is_probe,
                                Blocks<D>& target) const {
    check_bodies(queries, is_probe ? "queries" : "first set", execution);
    const bool moving = bodies.swept() || queries.swept();
    const Structure<T, D>& to = structure_for(moving);
    PairFilter<D> filter_of_queries;
    filter_of_queries.assign(queries, to.scene().view(), execution.target);
    target.filter_by(filter_of_queries.begin_search(false));
    Scene<T, D> query_scene;
    query_scene.assign(queries, domain_of(moving), execution);
    query_scene.add_ghosts(options.max_bytes, &to.scene());
    to.scene().check_images(query_scene);
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
PairList<D> Finder<T, D>::State::query_pairs(const Bodies<T, D>& queries, bool is_probe,
                                             Order order) const {
    require_update();
    PairList<D> result;
    Blocks<D> target;
    structure_for(bodies.swept() ||
                  queries.swept());  // before limits(): it uses part of max_bytes
    target.store(result, current().periodic(), execution.threads, limits());
    query(queries, is_probe, target);
    Rows<D> scratch;
    if (order == Order::sorted)
        RowMaker<D>().sort(result, queries.size(), execution.threads, scratch);
    return result;
}

template <Real T, int D>
void Finder<T, D>::State::stream_query(const Bodies<T, D>& queries, bool is_probe,
                                       const Consumer<D>& consumer) const {
    check_consumer<D>(consumer);
    require_update();
    Blocks<D> target;
    structure_for(bodies.swept() || queries.swept());
    target.stream(consumer, current().periodic(), execution.threads, limits());
    query(queries, is_probe, target);
}

template <Real T, int D>
Nearest<T, D> Finder<T, D>::State::nearest(const Bodies<T, D>* queries, std::size_t k,
                                           T max_distance) const {
    require_update();
    if (dynamic_cast<const NearestFinder<T, D>*>(&structure->method()) == nullptr)
        throw Error(Error::Kind::option, "method " + choice.name +
                                             " does not find nearest neighbours; choose one "
                                             "that does: " +
                                             nearest_methods());
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
    return collect_nearest(context, execution.threads, limits(),
                           [&](NearestQuery<T, D>& query) { finder.nearest(query); });
}

template struct Finder<float, 2>::State;
template struct Finder<float, 3>::State;
template struct Finder<double, 2>::State;
template struct Finder<double, 3>::State;

}  // namespace vicinal::inline VICINAL_API
