// The flow: view -> scene -> method -> sieve -> blocks -> consumer.
#include <vicinal/finder.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include "core/bounds.hpp"
#include "core/changes.hpp"
#include "core/check.hpp"
#include "core/images.hpp"
#include "core/rows.hpp"
#include "core/skin.hpp"
#include "core/sort.hpp"
#include "core/text.hpp"
#include "methods/registry.hpp"
#include "simd/targets.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

// Seconds since it was made or last read.
class Stopwatch {
  public:
    double lap() {
        const auto now = std::chrono::steady_clock::now();
        const std::chrono::duration<double> seconds = now - last_;
        last_ = now;
        return seconds.count();
    }

  private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

template <int D>
void check_consumer(const Consumer<D>& consumer) {
    if (!consumer)
        throw Error(Error::Kind::option,
                    "the consumer of blocks is an empty function; give one that can be called");
}

// What counts as near between two bodies: points pair up to the cut-off both carry.
template <Real T, int D>
ReachRule rule_of(const Bodies<T, D>& bodies) {
    return bodies.shape == Shape::points ? ReachRule::max : bodies.rule;
}

// The layer that `verlet` asks for; with a skin of 0 there is nothing to keep.
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
struct Finder<T, D>::State {
    Options<D> options;
    int threads;
    Choice choice;
    std::unique_ptr<Method<T, D>> method;
    std::optional<Skin<T, D>> skin;
    bool ready = false;
    bool listed = false;         // the skin's list stands for the structure
    Bodies<T, D> bodies;         // of this step
    mutable Scene<T, D> scene;   // what the method has ordered
    mutable bool built = false;  // is that so? Else it waits for the first query
    // The bodies ordered once more, where queries need another scene than the search does. Made
    // when the first such query comes.
    struct QueryStructure {
        Scene<T, D> scene;
        std::unique_ptr<Method<T, D>> method;
        bool built = false;
        std::size_t bytes() const { return method ? scene.bytes() + method->bytes() : 0; }
    };
    mutable QueryStructure with_ghosts;    // where the search has none
    mutable QueryStructure moving_images;  // where a shear moves them, and only queries move
    mutable QueryStructure
        without_reach;  // for nearest neighbours, where it spans many periods
    mutable std::mutex building;
    bool told = false;  // does the report have the figures?
    Filter<T, D> filter;
    Blocks<D> blocks;
    std::vector<SieveScratch<D>> scratch;  // one per worker
    StripKernels<D> strips{};
    BoxKernels<D> boxes{};
    RunKernels<T, D> runs{};
    ListKernels<T, D> lists{};
    PairList<D> list;
    PairList<D> candidates;  // for the skin
    Rows<D> rows;
    RowMaker<D> row_maker;
    RowMarks row_marks;
    CurveOrder<T, D> curve_order;  // for rows
    RowFill fill_rows = nullptr;
    ChangeLog<T, D> change_log;
    Report<D> report;

    explicit State(const Options<D>& asked)
        : options(asked),
          threads(checked_threads(asked.threads)),
          choice(choose_method(asked.method)),
          method(make_method<T, D>(choice)),
          skin(skin_of<T, D>(choice)),
          scratch(static_cast<std::size_t>(threads)) {
        const std::int64_t target = choose_target();
        strips = strip_kernels<D>(target);
        boxes = box_kernels<D>(target);
        runs = run_kernels<T, D>(target);
        lists = list_kernels<T, D>(target);
        fill_rows = strip_fill(target);
        report.simd = target_name(target);
        report.method = choice.text();
        report.exact = choice.exact;
        report.threads = threads;
    }

    // The bodies of this step, as they are searched.
    const Scene<T, D>& current() const { return listed ? skin->scene() : scene; }

    void update(const Bodies<T, D>& given) {
        ready = built = listed = told = false;
        for (QueryStructure* one : {&with_ghosts, &moving_images, &without_reach})
            one->built = false;
        const std::uint64_t last_pairs = report.pairs;
        report.seconds = {};
        report.pairs = report.candidates = 0;
        Stopwatch watch;
        const std::string who = shape_name(given.shape);
        check_arrays(given, who);
        if (options.domain.shear_change != 0)  // checked also where it has no effect
            static_cast<void>(Lattice<T, D>(options.domain));
        bodies = given;
        listed = skin && skin->keep(given, options.domain, threads);
        const double kept = listed ? watch.lap() : 0;
        if (!listed) check_values(given, who, threads);
        filter.assign(given, given, true);
        report.seconds.scene = watch.lap();
        if (skin && !listed) listed = renew_skin(last_pairs);
        const double ghosts =
            listed ? 0 : build(scene, *method, bodies, domain_of(bodies.swept()), For::search);
        built = !listed;
        report.seconds.scene += ghosts;
        report.seconds.build = kept + watch.lap() - ghosts;
        report.why = choice.why;  // in place: a step allocates nothing
        if (method->repeats())
            report.why = "as asked: pairs are counted as often as they are met";
        if (current().by_images())
            report.why =
                "not needed: the reach, with what rounding adds to it far from the origin, "
                "spans many periods, and every two bodies are tested image by image";
        report.bodies = current().bodies();
        report.ghosts = current().size() - current().bodies();
        for (std::size_t k = 0; k < D; ++k)
            for (std::size_t d = 0; d < D; ++d)
                report.lattice[k][d] = static_cast<double>(current().lattice().h[k][d]);
        check_bytes();
        ready = true;
    }

    // During the step a shear moves images if any body moves. Else its change has no effect.
    Domain<D> domain_of(bool moving) const {
        Domain<D> domain = options.domain;
        if (!moving) domain.shear_change = 0;
        return domain;
    }

    // Orders bodies; returns the seconds that took until the method's turn.
    enum class For : std::uint8_t { search, queries };
    double build(Scene<T, D>& to, Method<T, D>& by, const Bodies<T, D>& given,
                 const Domain<D>& domain, For use) const {
        Stopwatch watch;
        to.assign(given, domain, threads);
        if (use == For::queries || !to.imaged() || !by.joins_faces(to))
            to.add_ghosts(options.max_bytes);
        const double seconds = watch.lap();
        if (!to.by_images()) by.build(to);
        return seconds;
    }

    // Makes the skin a new list, if one will serve these bodies.
    bool renew_skin(std::uint64_t last_pairs) {
        if (!skin->renew(last_pairs)) return false;
        build(scene, *method, skin->fences(), skin->domain(), For::search);
        // Bodies that meet many images of each other would fill the list with them.
        if (scene.by_images()) {
            skin->drop();
            return false;
        }
        check_bytes();
        const Filter<T, D> all;  // groups and exclusions may change while the list lives
        blocks.store(candidates, scene.imaged(), threads, {no_limit, limits().max_bytes});
        search_for(question_of(scene, all), blocks);
        return skin->take(candidates);
    }

    // Only when somebody reads the report: a step makes no strings.
    void tell_figures() {
        if (told) return;
        report.figures =
            ready && !current().by_images() && !listed ? method->figures() : Figures{};
        if (skin)
            for (Figure& figure : skin->figures()) report.figures.push_back(std::move(figure));
        told = true;
    }

    std::size_t structure_bytes() const {
        std::size_t sum = scene.bytes() + method->bytes() + with_ghosts.bytes() +
                          moving_images.bytes() + without_reach.bytes();
        if (skin) sum += skin->bytes() + PairList<D>::Store::bytes(candidates);
        return sum;
    }

    void check_bytes() {
        report.bytes = structure_bytes();
        refuse_bytes(report.bytes);
    }
    void refuse_bytes(std::uint64_t bytes) const {
        if (bytes > options.max_bytes)
            throw Error(Error::Kind::limit, "the structure needs " + std::to_string(bytes) +
                                                " bytes, but max_bytes is " +
                                                std::to_string(options.max_bytes) +
                                                "; raise it");
    }

    void require_update() const {
        if (!ready)
            throw Error(
                Error::Kind::input,
                "the finder has no bodies; call update() first (and again after an error)");
    }

    void refuse_repeats() const {
        if (method->repeats())
            throw Error(Error::Kind::option,
                        "method " + choice.text() +
                            " meets pairs more than once, so they can only be counted; choose "
                            "another of its options");
    }

    Limits limits() const {
        const std::lock_guard lock(building);  // another query may need another structure
        const std::size_t used = structure_bytes();
        return {options.max_pairs,
                options.max_bytes == no_limit
                    ? no_limit
                    : options.max_bytes - std::min<std::uint64_t>(used, options.max_bytes)};
    }

    Question<T, D> question_of(const Scene<T, D>& searched, const Filter<T, D>& allowed) const {
        Question<T, D> question;
        question.scene = &searched;
        question.filter = &allowed;
        question.rule = rule_of(searched.view());
        question.strips = strips;
        question.boxes = boxes;
        question.runs = runs;
        question.lists = lists;
        return question;
    }

    // Runs a search into whatever `target` has been set to do with pairs: of the scene that the
    // method has ordered, or of the skin's list.
    void search_for(const Question<T, D>& question, Blocks<D>& target) {
        const bool by_images = question.scene->by_images();
        const bool by_list = listed;
        if (by_images) check_images(question, options.max_pairs);
        const std::size_t tasks = by_images ? question.scene->bodies()
                                  : by_list ? skin->tasks()
                                            : method->tasks();
        parallel_tasks(threads, tasks, [&](std::size_t t, int worker) {
            BlockWriter<D>& writer = target.writer(worker);
            writer.begin_task(t);
            if (by_images) {
                search_images(question, {t, t + 1}, writer);
            } else {
                Sieve<T, D> sieve(question, by_list ? skin->packed() : method->packed(), writer,
                                  scratch[static_cast<std::size_t>(worker)]);
                if (by_list)
                    skin->search(t, sieve);
                else
                    method->search({t, t + 1}, sieve);
            }
            writer.end_task();
        });
        target.finish();
    }

    void search(Blocks<D>& target) {
        Stopwatch watch;
        search_for(question_of(current(), filter), target);
        report.candidates = target.candidates();
        report.pairs = target.total();
        report.seconds.search = watch.lap();
        report.seconds.output = 0;
        report.bytes = structure_bytes();
    }

    // Rows, and sorting, which goes by way of rows, need memory of their own.
    void check_rows(const char* what_for, RowKind kind, RowPlace place = RowPlace::body) {
        const std::uint64_t needed =
            report.bytes +
            RowMaker<D>::bytes(list.size(), bodies.size(), kind, place, current().imaged());
        if (needed > options.max_bytes)
            throw Error(Error::Kind::limit,
                        std::string(what_for) + " the finder would hold " +
                            std::to_string(needed) + " bytes, but max_bytes is " +
                            std::to_string(options.max_bytes) + "; raise it");
        report.bytes = needed;
    }

    void fill_list() {
        refuse_repeats();
        require_update();
        blocks.store(list, current().imaged(), threads, limits());
        search(blocks);
        report.bytes += PairList<D>::Store::bytes(list);
    }

    // Can the method find whole rows by itself? Limits count pairs, which it then does not.
    bool rows_at_once(RowKind kind) const {
        return kind == RowKind::full && !listed && !scene.imaged() && !filter.active() &&
               options.max_pairs == no_limit && options.max_bytes == no_limit &&
               method->finds_rows();
    }

    void find_rows(Order order, RowPlace place) {
        Stopwatch watch;
        const Question<T, D> question = question_of(scene, filter);
        blocks.count(false, threads, limits());
        row_marks.begin(scene.bodies(), method->tasks(), threads);
        parallel_tasks(threads, method->tasks(), [&](std::size_t t, int worker) {
            BlockWriter<D>& writer = blocks.writer(worker);
            writer.begin_task(t);
            Sieve<T, D> sieve(question, method->packed(), writer,
                              scratch[static_cast<std::size_t>(worker)]);
            sieve.mark_rows(row_marks.begin_task(t, worker), row_marks.lengths());
            method->rows({t, t + 1}, sieve);
            row_marks.end_task(t, worker);
            writer.end_task();
        });
        blocks.finish();
        report.candidates = blocks.candidates();
        report.seconds.search = watch.lap();
        row_marks.write({method->packed().instances(), scene.bodies()}, place, order, threads,
                        fill_rows, rows.offsets, rows.indices);
        rows.images.clear();
        rows.bodies.clear();
        if (place == RowPlace::order) this->order(rows.bodies, curve_order);
        report.pairs = rows.indices.size() / 2;
        report.bytes = structure_bytes() + row_marks.bytes() +
                       rows.offsets.size() * sizeof(std::uint64_t) +
                       (rows.indices.size() + rows.bodies.size()) * sizeof(Index);
        report.seconds.output = watch.lap();
    }

    // The method's own, where it is one of bodies, or along a curve.
    void order(std::vector<Index>& result, CurveOrder<T, D>& curve) const {
        result.resize(current().bodies());
        if (!listed && (!scene.imaged() || scene.joined()) && method->finds_rows()) {
            const Index* const body = method->packed().instances();
            std::copy_n(body, result.size(), result.data());
            return;
        }
        curve.assign(current(), result.size());
        for (std::size_t k = 0; k < result.size(); ++k) result[k] = curve[k];
    }

    // While the skin's list serves, or where faces are joined, the bodies are ordered for
    // queries only if there are any; those may come from several threads at once, and while
    // pairs are streamed.
    struct Standing {
        const Scene<T, D>& scene;
        const Method<T, D>& method;
    };
    // `moving`: do the queries move, or the bodies?
    Standing standing(bool moving) const {
        const std::lock_guard lock(building);
        const bool shear = options.domain.shear_change != 0 && options.domain.periodic[0];
        if (shear && moving && !bodies.swept())
            return build_apart(moving_images, bodies, domain_of(true));
        if (!listed && scene.joined())
            return build_apart(with_ghosts, bodies, domain_of(bodies.swept()));
        if (!built) {
            build(scene, *method, bodies, domain_of(bodies.swept()), For::queries);
            refuse_bytes(structure_bytes());
        }
        built = true;
        return {scene, *method};
    }

    Standing build_apart(QueryStructure& to, const Bodies<T, D>& given,
                         const Domain<D>& domain) const {
        if (!to.method) to.method = make_method<T, D>(choice);
        if (!to.built) {
            build(to.scene, *to.method, given, domain, For::queries);
            const std::size_t bytes = structure_bytes();
            if (bytes > options.max_bytes) to = {};  // pairs may still be asked for
            refuse_bytes(bytes);
        }
        to.built = true;
        return {to.scene, *to.method};
    }

    // Nearest neighbours do not depend on the reach. Where it spans so many periods that there
    // is no structure, the bodies are ordered without it, as the step begins.
    Standing standing_for_nearest() const {
        const Standing to = standing(bodies.swept());
        if (!to.scene.by_images()) return to;
        const std::lock_guard lock(building);
        Bodies<T, D> bare = bodies;
        if (bare.shape == Shape::spheres) bare.shape = Shape::points;
        bare.cutoff = 0;
        bare.radius = {};
        bare.displacement = {};
        return build_apart(without_reach, bare, domain_of(false));
    }

    // Queries against the standing structure; `bare` tells a probe from a second set.
    void ask(const Bodies<T, D>& queries, bool bare, Blocks<D>& target) const {
        check_bodies(queries, bare ? "queries" : "first set", threads);
        const bool moving = bodies.swept() || queries.swept();
        const Standing to = standing(moving);
        Filter<T, D> pair_filter;
        pair_filter.assign(queries, to.scene.view(), false);
        Scene<T, D> query_scene;
        query_scene.assign(queries, domain_of(moving), threads);
        query_scene.add_ghosts(options.max_bytes, &to.scene);
        to.scene.check_images(query_scene);
        Question<T, D> question;
        question.scene = &to.scene;
        question.queries = &query_scene;
        question.filter = &pair_filter;
        question.rule = bare ? ReachRule::sum : rule_of(to.scene.view());
        question.bare = bare;
        question.boxes = boxes;
        question.runs = runs;
        constexpr std::size_t queries_per_task = 256;
        const bool by_images = query_scene.by_images();
        if (by_images) check_images(question, options.max_pairs);
        const std::size_t n = by_images ? queries.size() : query_scene.size();
        const std::size_t tasks = (n + queries_per_task - 1) / queries_per_task;
        parallel_tasks(threads, tasks, [&](std::size_t t, int worker) {
            BlockWriter<D>& writer = target.writer(worker);
            writer.begin_task(t);
            const std::size_t begin = t * queries_per_task;
            const Range range{begin, std::min(n, begin + queries_per_task)};
            if (by_images) {
                search_images(question, range, writer);
            } else {
                SieveScratch<D> none;  // probes may run at the same time
                Sieve<T, D> sieve(question, to.method.packed(), writer, none);
                to.method.probe(query_scene, range, sieve);
            }
            writer.end_task();
        });
        target.finish();
    }

    PairList<D> asked_list(const Bodies<T, D>& queries, bool bare, Order order) const {
        require_update();
        PairList<D> result;
        Blocks<D> target;
        standing(bodies.swept() || queries.swept());  // first: it takes its part of the memory
        target.store(result, current().imaged(), threads, limits());
        ask(queries, bare, target);
        Rows<D> room;
        if (order == Order::sorted) RowMaker<D>().sort(result, queries.size(), threads, room);
        return result;
    }

    // Null queries: the bodies themselves.
    Nearest<T, D> nearest(const Bodies<T, D>* queries, std::size_t k, T most) const {
        require_update();
        if (!method->finds_nearest())
            throw Error(Error::Kind::option,
                        "method " + choice.name +
                            " does not find nearest neighbours; choose one "
                            "that does: " +
                            nearest_methods());
        if (k == 0)
            throw Error(Error::Kind::option,
                        "0 nearest neighbours were asked for; give at least 1");
        if (!(most >= 0) || (std::isfinite(most) && !std::isfinite(most * most)))
            throw Error(Error::Kind::option,
                        "the maximum distance is " + number_text(static_cast<double>(most)) +
                            "; give a number that is not negative and whose square is finite, "
                            "or infinity");
        const Standing to = standing_for_nearest();
        const Bodies<T, D>& asking_bodies = queries != nullptr ? *queries : bodies;
        check_bodies(asking_bodies, "queries", threads);
        Filter<T, D> pair_filter;
        if (queries != nullptr) pair_filter.assign(*queries, bodies, false);
        NearestQuestion<T, D> question;
        question.scene = &to.scene;
        if (!to.scene.by_images()) question.packed = &to.method.packed();
        question.queries = &asking_bodies;
        question.filter = queries != nullptr ? &pair_filter : &filter;
        question.own = queries == nullptr;
        question.k = k;
        question.limit = most * most;
        if (to.scene.imaged()) question.region = bare_bounds(to.scene);
        // Each body in some of its images, and thousands of images of skewed cells where there
        // is nothing; a few queries may take more.
        const auto asking = static_cast<double>(std::max<std::size_t>(asking_bodies.size(), 1));
        question.max_tests =
            std::max(static_cast<double>(max_image_tests(0, options.max_pairs)) / asking,
                     0x1p13 + 64 * static_cast<double>(to.scene.bodies()));
        return collect_nearest(question, threads, limits(),
                               [&](NearestQuery<T, D>& query) { to.method.nearest(query); });
    }

    void ask_streaming(const Bodies<T, D>& queries, bool bare,
                       const Consumer<D>& consumer) const {
        check_consumer<D>(consumer);
        require_update();
        Blocks<D> target;
        standing(bodies.swept() || queries.swept());
        target.stream(consumer, current().imaged(), threads, limits());
        ask(queries, bare, target);
    }
};

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
    state().update(bodies);
}

template <Real T, int D>
void Finder<T, D>::update(const Bodies<T, D>& bodies, const Domain<D>& domain) {
    state().options.domain = domain;
    state().update(bodies);
}

template <Real T, int D>
const PairList<D>& Finder<T, D>::pairs(Order order) {
    state().fill_list();
    Stopwatch watch;
    if (order == Order::sorted) {
        state().check_rows("to sort the pairs", RowKind::half);
        state().row_maker.sort(state().list, state().bodies.size(), state().threads,
                               state().rows);
    }
    state().report.seconds.output = watch.lap();
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
    state().blocks.stream(consumer, state().current().imaged(), state().threads,
                          state().limits());
    state().search(state().blocks);
}

template <Real T, int D>
std::uint64_t Finder<T, D>::count() {
    state().require_update();
    state().blocks.count(state().current().imaged(), state().threads, state().limits());
    state().search(state().blocks);
    return state().blocks.total();
}

template <Real T, int D>
const Rows<D>& Finder<T, D>::neighbours(RowKind kind, Order order, RowPlace place) {
    state().require_update();
    Rows<D>& rows = state().rows;
    if (state().rows_at_once(kind)) {
        state().find_rows(order, place);
        return rows;
    }
    state().fill_list();
    state().check_rows("with the rows", kind, place);
    Stopwatch watch;
    state().row_maker.make(state().list, state().bodies.size(), kind, order, state().threads,
                           rows);
    rows.bodies.clear();
    if (place == RowPlace::order) {
        state().order(rows.bodies, state().curve_order);
        state().row_maker.put_in_order(rows, state().threads);
    }
    state().report.seconds.output = watch.lap();
    return rows;
}

template <Real T, int D>
const Changes<D>& Finder<T, D>::changes() {
    const PairList<D>& list = pairs(Order::sorted);
    Stopwatch watch;
    const Changes<D>& result =
        state().change_log.update(list, state().bodies, state().current().lattice());
    state().report.seconds.output += watch.lap();
    return result;
}

template <Real T, int D>
PairList<D> Finder<T, D>::pairs_with(const Bodies<T, D>& others, Order order) const {
    state().require_update();
    check_same_kind(others, state().bodies);
    return state().asked_list(others, false, order);
}

template <Real T, int D>
void Finder<T, D>::pairs_with(const Bodies<T, D>& others, const Consumer<D>& consumer) const {
    state().require_update();
    check_same_kind(others, state().bodies);
    state().ask_streaming(others, false, consumer);
}

template <Real T, int D>
PairList<D> Finder<T, D>::probe(const Bodies<T, D>& queries, Order order) const {
    return state().asked_list(queries, true, order);
}

template <Real T, int D>
void Finder<T, D>::probe(const Bodies<T, D>& queries, const Consumer<D>& consumer) const {
    state().ask_streaming(queries, true, consumer);
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
    CurveOrder<T, D> curve;  // several threads may ask
    state().order(result, curve);
    return result;
}

template <Real T, int D>
const Report<D>& Finder<T, D>::report() const {
    state().tell_figures();
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
