// The flow of a step: view -> scene -> method -> sieve -> blocks -> consumer.
#include "finder/state.hpp"

#include <algorithm>
#include <utility>

#include "base/parallel.hpp"
#include "scene/check.hpp"
#include "sieve/direct_images.hpp"
#include "simd/targets.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

// A search after a change of the bodies would mix old and new positions. Development builds
// detect that.
#ifdef VICINAL_ASSERTS
constexpr bool detects_changes = true;
#else
constexpr bool detects_changes = false;
#endif

// The skin of `verlet`; a width of 0 means no list.
template <Real T, int D>
std::optional<Skin<T, D>> skin_of(const Choice& choice) {
    if (choice.name != "verlet") return {};
    if (choice.word("skin") == "auto") return Skin<T, D>(std::nullopt);
    const double width = choice.number("skin");
    if (width == 0) return {};
    return Skin<T, D>(width);
}

}  // namespace

template <Real T, int D>
Finder<T, D>::State::State(const Options<D>& given)
    : hook(given.cancelled),
      options(given),
      execution{checked_threads(given.threads), choose_target()},
      choice(choose_method(given.method)),
      structure(std::make_unique<Structure<T, D>>(choice)),
      skin(skin_of<T, D>(choice)),
      query_structures(std::make_unique<QueryStructures<T, D>>()),
      rows(empty_rows<T, D>(given.allocator)) {
    kernels = Kernels<T, D>(execution.target);
    if ((given.allocator.allocate == nullptr) != (given.allocator.release == nullptr))
        throw Error(Error::Kind::option,
                    "allocator has only one of allocate and release; give both or neither");
    report.simd = target_name(execution.target);
    report.method = choice.text();
    report.exact = choice.exact;
    report.threads = execution.threads;
}

template <Real T, int D>
void Finder<T, D>::State::update(const Bodies<T, D>& given) {
    ready = listed = statistics_valid = false;
    classes_prepared.reset();
    structure->invalidate();
    query_structures->invalidate();
    const std::uint64_t last_pairs = report.pairs;
    report.seconds = {};
    report.pairs = report.candidates = 0;
    common::Stopwatch watch;
    const std::string who = traits_of(given.shape).name;
    check_arrays(given, who);
    if (options.domain.shear_change() != 0)  // checked also where it has no effect
        static_cast<void>(Lattice<T, D>(options.domain));
    bodies = given;
    listed = skin && skin->try_reuse(given, options.domain, execution);
    const double kept = listed ? watch.lap() : 0;
    if (!listed) check_values(given, who, execution);
    filter.assign(given, execution.target);
    report.seconds.scene = watch.lap();
    if (skin && !listed) listed = rebuild_skin(last_pairs);
    const double scene_seconds =
        listed ? 0
               : structure->build(bodies, domain_of(bodies.swept()), execution,
                                  options.max_bytes, Structure<T, D>::Use::search);
    report.seconds.scene += scene_seconds;
    report.seconds.build = kept + watch.lap() - scene_seconds;
    report.why = choice.why;  // in place: a step allocates nothing
    if (repeats()) report.why = "as requested: repeated pairs are counted every time";
    if (current().images() == Images::direct)
        report.why =
            "method unused: the reach, including rounding far from the origin, spans many "
            "periods, so all pairs of bodies are tested image by image";
    report.bodies = current().bodies();
    report.ghosts = current().size() - current().bodies();
    for (std::size_t k = 0; k < D; ++k)
        for (std::size_t d = 0; d < D; ++d)
            report.lattice[k][d] = static_cast<double>(current().lattice().h[k][d]);
    check_structure_bytes();
    if (detects_changes) shown = checksum(bodies);
    ready = true;
}

// The change of the shear moves images only if some body moves; at rest it has no effect.
template <Real T, int D>
Domain<D> Finder<T, D>::State::domain_of(bool moving) const {
    return moving ? options.domain : options.domain.at_rest();
}

// Rebuilds the skin's list, if a list suits these bodies.
template <Real T, int D>
bool Finder<T, D>::State::rebuild_skin(std::uint64_t last_pairs) {
    if (!skin->begin_rebuild(last_pairs)) return false;
    structure->build(skin->fat_bounds(), skin->domain(), execution, options.max_bytes,
                     Structure<T, D>::Use::search);
    structure->invalidate();  // it holds the fat bounds, not the bodies
    // Direct images: the reach spans many periods, and the list would be filled with images.
    if (structure->scene().images() == Images::direct) {
        skin->drop();
        return false;
    }
    check_structure_bytes();
    if (options.max_bytes != no_limit) release_results();
    const Scene<T, D>& scene = structure->scene();
    // Without the filter: groups and exclusions may change while the list is in use.
    blocks.store(candidates, scene.periodic(), execution.threads,
                 {no_limit, limits().max_bytes});
    search_for(context_of(scene), blocks);
    return skin->finish_rebuild(candidates);
}

// Called only when the report is read, because a step must not allocate strings.
template <Real T, int D>
void Finder<T, D>::State::update_report() {
    report.bytes = bytes();
    report.nearest_method = query_structures->nearest_method();
    if (statistics_valid) return;
    const bool built = ready && !listed && current().images() != Images::direct;
    report.statistics = built ? structure->method().statistics() : Statistics{};
    if (skin)
        for (Statistic& figure : skin->statistics())
            report.statistics.push_back(std::move(figure));
    statistics_valid = true;
}

template <Real T, int D>
std::uint64_t Finder<T, D>::State::row_bytes() const {
    return row_ledger.bytes() + row_maker.bytes_of_rows() + heap_bytes(rows);
}

template <Real T, int D>
std::uint64_t Finder<T, D>::State::bytes() const {
    return ledger.bytes() + PairList<D>::Store::bytes(candidates) +
           PairList<D>::Store::bytes(list) + row_bytes() + change_log.bytes_of_results();
}

// Call before `more` bytes are allocated, or afterwards with none.
template <Real T, int D>
void Finder<T, D>::State::check_bytes(const char* what_for, std::uint64_t more) const {
    const std::uint64_t needed = bytes() + more;
    if (needed > options.max_bytes)
        throw Error(Error::Kind::limit,
                    std::string(what_for) + " the finder would hold " + std::to_string(needed) +
                        " bytes, but max_bytes is " + std::to_string(options.max_bytes) +
                        "; raise max_bytes");
}

// Memory of the results of earlier steps is released if it would exceed the limit.
template <Real T, int D>
void Finder<T, D>::State::check_structure_bytes() {
    if (bytes() > options.max_bytes) release_results();
    check_bytes("with the structure");
}

// With a limit, memory that only earlier searches needed is released before more is allocated.
template <Real T, int D>
void Finder<T, D>::State::release_spare() {
    if (options.max_bytes == no_limit) return;
    blocks.release_spare();
    PairList<D>::Store::release_spare(list);
    PairList<D>::Store::release_spare(candidates);
}

template <Real T, int D>
void Finder<T, D>::State::release_rows() {
    rows = empty_rows<T, D>(options.allocator);
    row_maker = {};
    curve_order = {};
    positions = {};
}

template <Real T, int D>
void Finder<T, D>::State::release_results() {
    list = {};
    release_rows();
    blocks.release_spare();
}

template <Real T, int D>
void Finder<T, D>::State::require_update() const {
    if (!ready)
        throw Error(Error::Kind::input,
                    "the finder has no bodies; call update() first (and again after an error)");
    if (detects_changes && checksum(bodies) != shown)
        throw Error(Error::Kind::input,
                    "the arrays of the bodies have changed since update(); call update() after "
                    "every change, before the search");
}

template <Real T, int D>
bool Finder<T, D>::State::repeats() const {
    const auto* const repeated = dynamic_cast<const RepeatedPairs*>(&structure->method());
    return repeated != nullptr && repeated->repeats();
}

template <Real T, int D>
void Finder<T, D>::State::refuse_repeats() const {
    if (repeats())
        throw Error(Error::Kind::option,
                    "method " + choice.text() +
                        " finds a pair several times, so pairs can only be counted; call "
                        "count(), or choose options that report each pair once");
}

// The limits that are left for the pairs.
template <Real T, int D>
Limits Finder<T, D>::State::limits() const {
    return {options.max_pairs, options.max_bytes == no_limit
                                   ? no_limit
                                   : options.max_bytes - std::min(bytes(), options.max_bytes)};
}

template <Real T, int D>
SearchContext<T, D> Finder<T, D>::State::context_of(const Scene<T, D>& searched) const {
    SearchContext<T, D> context;
    context.scene = &searched;
    context.rule = reach_rule(searched.view());
    context.kernels = kernels;
    return context;
}

// Searches the scene that the method has ordered, or the skin's list.
template <Real T, int D>
void Finder<T, D>::State::search_for(const SearchContext<T, D>& context, Blocks<D>& target) {
    const bool direct = context.scene->images() == Images::direct;
    if (direct) check_images(context, options.max_pairs);
    const std::size_t tasks = direct   ? context.scene->bodies()
                              : listed ? skin->tasks()
                                       : structure->method().tasks();
    parallel_tasks(execution.threads, tasks, [&](std::size_t t, int worker) {
        BlockWriter<D>& writer = target.writer(worker);
        writer.begin_task(t);
        const SearchContext<T, D> own = context.for_worker(writer, worker);
        if (direct)
            search_images(own, {t, t + 1});
        else if (listed)
            skin->search(t, own);
        else
            structure->method().search({t, t + 1}, own);
        writer.end_task();
    });
    target.finish();
}

// The classes that the method's kernels test, prepared once per step; null if the output tests
// them. Not with a limit of memory: the kernels need some for each body.
template <Real T, int D>
const PairClasses* Finder<T, D>::State::kernel_classes() {
    const PairClasses* const classes = filter.classes();
    if (classes == nullptr || listed || options.max_bytes != no_limit ||
        current().images() == Images::direct)
        return nullptr;
    auto* const tester = dynamic_cast<ClassTester<T, D>*>(&structure->method());
    if (tester == nullptr) return nullptr;
    if (!classes_prepared) classes_prepared = tester->prepare_classes(current(), *classes);
    return *classes_prepared ? classes : nullptr;
}

template <Real T, int D>
void Finder<T, D>::State::search(Blocks<D>& target) {
    common::Stopwatch watch;
    SearchContext<T, D> context = context_of(current());
    context.classes = kernel_classes();
    target.filter_by(kind_filter.begin_search(current(), current(),
                                              filter.begin_search(context.classes != nullptr)));
    search_for(context, target);
    report.candidates = target.candidates();
    report.pairs = target.total();
    report.seconds.search = watch.lap();
    report.seconds.output = 0;
}

template <Real T, int D>
void Finder<T, D>::State::find_list(Order order) {
    // With a limit, frees the memory that only other calls use, to leave more for the pairs.
    if (order == Order::any && options.max_bytes != no_limit) release_rows();
    fill_list();
    if (order == Order::sorted) sort_list();
}

template <Real T, int D>
void Finder<T, D>::State::fill_list() {
    refuse_repeats();
    require_update();
    release_spare();
    blocks.store(list, current().periodic(), execution.threads, limits());
    search(blocks);
    if (bytes() > options.max_bytes)
        check_bytes(("with its " + std::to_string(report.pairs) + " pairs").c_str());
}

template <Real T, int D>
void Finder<T, D>::State::sort_list() {
    common::Stopwatch watch;
    release_spare();
    check_row_bytes("to sort the pairs", RowKind::half);
    const LedgerScope scope(&row_ledger);
    row_maker.sort(list, bodies.size(), execution.threads, rows);
    check_bytes("to sort the pairs");
    report.seconds.output = watch.lap();
}

template <Real T, int D>
const Changes<D>& Finder<T, D>::State::find_changes() {
    find_list(Order::any);
    common::Stopwatch watch;
    release_spare();
    check_row_bytes("to compare the pairs with those of the last step", RowKind::half);
    const Changes<D>& result = change_log.update(list, bodies, current().lattice(), row_maker,
                                                 row_ledger, execution.threads);
    check_bytes("with the changes");
    report.seconds.output = watch.lap();
    return result;
}

// Rows need additional memory, and so does sorting, which uses rows. Call before it is
// allocated, with a lower bound; the memory actually allocated is checked again.
template <Real T, int D>
void Finder<T, D>::State::check_row_bytes(const char* what_for, RowKind kind, Columns columns,
                                          RowOrder row_order) const {
    const std::uint64_t held = row_bytes();
    const std::uint64_t needed =
        RowMaker<T, D>::bytes_for(list.size(), bodies.size(), kind, row_order,
                                  current().periodic()) +
        column_bytes<T, D>(columns, (kind == RowKind::full ? 2 : 1) * list.size());
    check_bytes(what_for, needed - std::min(needed, held));
}

template <Real T, int D>
void Finder<T, D>::State::make_rows(Columns columns, RowKind kind, Order order,
                                    RowOrder row_order) {
    require_update();
    check_columns(columns, bodies, bodies);
    if (finds_rows(kind))
        find_rows(order, row_order);
    else
        make_rows_from_list(columns, kind, order, row_order);
    common::Stopwatch watch;
    add_separations(rows, separations(columns, rows.indices.size()), execution.threads);
    check_bytes("with the rows");
    report.seconds.output += watch.lap();
}

template <Real T, int D>
void Finder<T, D>::State::make_rows_from_list(Columns columns, RowKind kind, Order order,
                                              RowOrder row_order) {
    fill_list();
    release_spare();
    check_row_bytes("with the rows", kind, columns, row_order);
    common::Stopwatch watch;
    const LedgerScope scope(&row_ledger);
    row_maker.make(list, bodies.size(), kind, order, execution.threads, rows);
    rows.bodies.resize(0);
    if (row_order == RowOrder::spatial) {
        rows.bodies.resize(current().bodies());
        this->order({rows.bodies.data(), rows.bodies.size()}, curve_order);
        row_maker.permute_rows(rows, execution.threads);
    }
    report.seconds.output = watch.lap();
}

template <Real T, int D>
RowFinder<T, D>* Finder<T, D>::State::row_finder() const {
    return dynamic_cast<RowFinder<T, D>*>(&structure->method());
}

template <Real T, int D>
std::span<const Index> Finder<T, D>::State::body_order() const {
    const RowFinder<T, D>* const finder = row_finder();
    return finder != nullptr ? finder->body_order() : std::span<const Index>{};
}

// True if the method can find rows directly. Not with limits: they are checked while pairs are
// counted, which the direct search does not do.
template <Real T, int D>
bool Finder<T, D>::State::finds_rows(RowKind kind) const {
    const Images images = current().images();
    return kind == RowKind::full && !listed &&
           (images == Images::none || images == Images::native) && !filter.active() &&
           bodies.cutoffs.empty() && options.max_pairs == no_limit &&
           options.max_bytes == no_limit && !body_order().empty();
}

template <Real T, int D>
void Finder<T, D>::State::find_rows(Order order, RowOrder row_order) {
    common::Stopwatch watch;
    RowFinder<T, D>& finder = *row_finder();
    const RowStatistics found = finder.find_rows(context_of(current()), order, row_order, rows);
    report.candidates = found.candidates;
    report.seconds.search = found.search_seconds;
    rows.bodies.resize(row_order == RowOrder::spatial ? current().bodies() : 0);
    if (row_order == RowOrder::spatial)
        this->order({rows.bodies.data(), rows.bodies.size()}, curve_order);
    report.pairs = rows.indices.size() / 2;
    report.seconds.output = watch.lap() - found.search_seconds;
}

// The method's own order if it has one entry per body, else the order along a Z-curve.
template <Real T, int D>
void Finder<T, D>::State::order(std::span<Index> result, CurveOrder<T, D>& curve) const {
    const Images images = current().images();
    if (!listed && (images == Images::none || images == Images::native) &&
        !body_order().empty()) {
        std::copy_n(body_order().data(), result.size(), result.data());
        return;
    }
    curve.assign(current(), result.size());
    for (std::size_t k = 0; k < result.size(); ++k) result[k] = curve[k];
}

template struct Finder<float, 2>::State;
template struct Finder<float, 3>::State;
template struct Finder<double, 2>::State;
template struct Finder<double, 3>::State;

}  // namespace vicinal::inline VICINAL_API
