// Row grid (our own): bodies are binned into rows of cells along x. A row is joined with itself
// and, as a half stencil, with the rows above it in y and z.
//
// Points at rest: each row is joined with a strip (row_grid/strips.hpp) in which the rows above
// are merged by x, so that the candidates of a cell are contiguous. Everything else is a box
// with an entry in every row it touches (row_grid/box_grid.hpp), swept along its row
// (row_grid/box_sweep.hpp).
//
// O(N) to order, O(N) memory independent of the extent. Wins nearly everywhere; loses to brute
// force on a few dozen bodies, and on thousands of giants among small bodies.
#include <algorithm>
#include <atomic>

#include "common/stopwatch.hpp"
#include "row_grid/box_grid.hpp"
#include "row_grid/box_sink.hpp"
#include "row_grid/point_grid.hpp"
#include "row_grid/point_sink.hpp"
#include "row_grid/row_marks.hpp"
#include "structures/method_entry.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T, int D>
class RowGrid final : public Method<T, D>,
                      public NativePeriodicity<T, D>,
                      public ClassTester<T, D>,
                      public RowFinder<T, D> {
  public:
    explicit RowGrid(const Choice&) {}

    bool supports_natively(const Scene<T, D>& scene) override {
        return scene.one_reach_at_rest() && points_.fits(scene);
    }

    bool prepare_classes(const Scene<T, D>& scene, const PairClasses& classes) override {
        return order_ == Ordered::points && classes.has_kernel_tables() &&
               points_.add_classes(scene, packed_, classes);
    }

    void build(const Scene<T, D>& scene) override {
        order_ = Ordered::none;
        join_ = strip_join<D>(scene.target());
        row_kernels_ = strip_row_kernels<D>(scene.target());
        box_kernels_ = box_kernels<D>(scene.target());
        scratch_.resize(static_cast<std::size_t>(scene.threads()));
        if (scene.size() == 0) return;
        // Only if neither points nor images move; moving queries are tested by their swept
        // boxes.
        if (scene.images() == Images::native ||
            (scene.one_reach_at_rest() && points_.fits(scene))) {
            order_ = Ordered::points;
            points_.assign(scene, packed_);
            packed_.fill_nothing(scene.images() == Images::ghosts);
        } else {
            order_ = Ordered::boxes;
            boxes_.assign(scene, packed_);
            packed_.fill_nothing(true);
        }
    }

    std::size_t tasks() const override {
        return entry_tasks() + (order_ == Ordered::boxes ? boxes_.giants().size() : 0);
    }

    void search(Range tasks, const SearchContext<T, D>& context) const override {
        Scratch& scratch = scratch_[static_cast<std::size_t>(context.worker)];
        if (order_ == Ordered::points) {
            PointSink<T, D> sink(
                context, context.classes != nullptr ? points_.classed() : packed_.instances(),
                join_, scratch.strip);
            for (std::size_t t = tasks.begin; t < tasks.end; ++t) join_points(t, sink);
        } else {
            HitSink<T, D> sink(context, packed_, box_kernels_, boxes_.rows(), scratch.box);
            for (std::size_t t = tasks.begin; t < tasks.end; ++t)
                if (t < entry_tasks())
                    sweep_boxes(t, sink);
                else
                    test_giant(t - entry_tasks(), sink);
        }
    }

    void probe(const Scene<T, D>& queries, Range instances,
               const SearchContext<T, D>& context) const override {
        BoxScratch scratch;  // several callers may probe at once
        Sieve<T, D> sieve(context, packed_);
        HitSink<T, D> sink(context, packed_, box_kernels_, boxes_.rows(), scratch);
        for (std::size_t q = instances.begin; q < instances.end; ++q) {
            const Box<T, D> box = queries.box(static_cast<Index>(q));
            if (order_ == Ordered::points) probe_points(static_cast<Index>(q), box, sieve);
            if (order_ == Ordered::boxes) probe_boxes(static_cast<Index>(q), box, sink);
        }
    }

    std::span<const Index> body_order() const override {
        if (order_ != Ordered::points) return {};
        return {packed_.instances(), packed_.size()};
    }

    RowStatistics find_rows(const SearchContext<T, D>& context, vicinal::Order order,
                            RowOrder row_order, Rows<T, D>& rows) override {
        common::Stopwatch watch;
        const int threads = context.scene->threads();
        std::atomic<std::uint64_t> candidates = 0;
        row_marks_.begin(packed_.size(), tasks(), threads);
        parallel_tasks(threads, tasks(), [&](std::size_t t, int worker) {
            BlockWriter<D> counter;
            counter.poll_while_counting();
            const SearchContext<T, D> own = context.for_worker(counter, worker);
            PointSink<T, D> sink(own, packed_.instances(), row_kernels_,
                                 scratch_[static_cast<std::size_t>(worker)].strip,
                                 row_marks_.begin_task(t, worker), row_marks_.lengths());
            mark_points(t, sink);
            row_marks_.end_task(t, worker);
            candidates.fetch_add(counter.candidates(), std::memory_order_relaxed);
        });
        const double search_seconds = watch.lap();
        row_marks_.write(body_order(), row_order, order, threads,
                         context.scene->images() == Images::native, row_kernels_.fill, rows);
        return {candidates, search_seconds};
    }

  private:
    enum class Ordered : std::uint8_t { none, points, boxes };
    struct Scratch {  // per worker
        StripScratch<D> strip;
        BoxScratch box;
    };

    static constexpr std::size_t entries_per_task = 4096;

    std::pair<std::uint32_t, std::uint32_t> entries_of(std::size_t task) const {
        const std::size_t first = task * entries_per_task;
        return {static_cast<std::uint32_t>(first),
                static_cast<std::uint32_t>(std::min(first + entries_per_task, packed_.size()))};
    }

    std::size_t entry_tasks() const {
        return order_ == Ordered::none
                   ? 0
                   : (packed_.size() + entries_per_task - 1) / entries_per_task;
    }

    // Adjacent rows as steps along (y, z): half stencil (the rows above) and full stencil.
    using Steps = std::array<int, 2>;
    static constexpr std::array<Steps, D == 2 ? 1 : 4> half_stencil() {
        if constexpr (D == 2)
            return {{{1, 0}}};
        else
            return {{{1, 0}, {-1, 1}, {0, 1}, {1, 1}}};
    }
    static constexpr std::array<Steps, D == 2 ? 3 : 9> full_stencil() {
        if constexpr (D == 2)
            return {{{-1, 0}, {0, 0}, {1, 0}}};
        else
            return {
                {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}};
    }

    // A whole row and its adjacent rows.
    template <std::size_t n>
    struct AdjacentRows {
        CellRange own;
        std::array<CellRange, n> beside{};
        std::array<Index, n> crossed{};  // periodic faces in between
        std::uint8_t down = 0;
    };

    // Calls f(points, strip, rows) for each row that holds entries first ... last - 1: the part
    // of the row with these entries, and its adjacent rows. `Strip` is the kernel's argument.
    template <class Strip, std::size_t n, class F>
    void for_each_strip(std::uint32_t first, std::uint32_t last,
                        const std::array<Steps, n>& steps,
                        std::array<CellRange, n> Strip::* beside, const F& f) const {
        const QuantisedPoints<D> points = points_.points();
        std::uint32_t cell = points_.cell_of(first);
        std::size_t row = points_.row_of(cell);
        // One cursor per adjacent row, which only moves forward, from where the first row's
        // would be without faces. (Rows across periodic faces are not in this order: they are
        // found by binary search.)
        std::array<std::size_t, n> cursor;
        for (std::size_t u = 0; u < n; ++u)
            cursor[u] = points_.find_row(points_.key_beside(row, steps[u]));
        for (; first < last; ++row) {
            AdjacentRows<n> rows;
            rows.own = points_.row(row);
            Strip strip;
            strip.first = first;
            strip.last = std::min(last, points.cell_start[rows.own.end]);
            strip.own = {cell, rows.own.end};
            if (strip.last < points.cell_start[rows.own.end])
                strip.own.end = points_.cell_of(strip.last - 1) + 1;
            for (std::size_t u = 0; u < n; ++u) {
                const auto to = points_.beside(row, steps[u]);
                std::size_t at = cursor[u];
                if (to.crossed != 0)
                    at = points_.find_row(to.key);
                else
                    while (at < points_.rows() && points_.row_key(at) < to.key)
                        cursor[u] = ++at;
                (strip.*beside)[u] = {};
                if (at == points_.rows() || points_.row_key(at) != to.key) continue;
                rows.beside[u] = points_.row(at);
                rows.crossed[u] = to.crossed;
                rows.down |= to.down;
                (strip.*beside)[u] =
                    cells_from(points, rows.beside[u], points.cell_x[cell] - 1);
            }
            f(points, strip, rows);
            first = strip.last;
            cell = rows.own.end;
        }
    }

    void join_points(std::size_t task, PointSink<T, D>& sink) const {
        constexpr std::size_t n = HalfStrip<D>::rows;
        const auto [first, last] = entries_of(task);
        for_each_strip<HalfStrip<D>>(first, last, half_stencil(), &HalfStrip<D>::others,
                                     [&](const QuantisedPoints<D>& points, HalfStrip<D>& strip,
                                         const AdjacentRows<n>& rows) {
                                         strip.row_end = rows.own.end;
                                         if (points.joined) put_faces(points, rows, strip);
                                         sink.join(points, strip);
                                     });
    }

    void mark_points(std::size_t task, PointSink<T, D>& sink) const {
        const auto [first, last] = entries_of(task);
        for_each_strip<FullStrip<D>>(
            first, last, full_stencil(), &FullStrip<D>::all,
            [&](const QuantisedPoints<D>& points, FullStrip<D>& strip, const auto& rows) {
                if (points.joined) put_faces(points, rows, strip);
                sink.mark(points, strip);
            });
    }

    // Adds the cells across periodic faces to a strip (native periodicity). The row itself is
    // one of the rows of a full strip; that of a half strip meets only its own first cell.
    template <class Strip>
    static void put_faces(const QuantisedPoints<D>& points,
                          const AdjacentRows<Strip::rows>& rows, Strip& strip) {
        constexpr bool half = std::is_same_v<Strip, HalfStrip<D>>;
        auto& faces = strip.faces;
        faces.crossed = rows.crossed;
        faces.down = rows.down;
        const auto is = [&](CellRange cells, std::uint32_t cell, std::uint32_t x) {
            return cells.begin < cells.end && points.cell_x[cell] == x;
        };
        if (points.last_x != 0 && points.cell_x[strip.own.begin] == 1)
            for (std::size_t u = 0; u < strip.rows; ++u)
                if (is(rows.beside[u], rows.beside[u].end - 1, points.last_x))
                    faces.low[faces.lows++] = {rows.beside[u].end - 1,
                                               rows.crossed[u] | face_down};
        if (points.last_x != 0 && points.cell_x[strip.own.end - 1] == points.last_x) {
            if (half && is(rows.own, rows.own.begin, 1))
                faces.high[faces.highs++] = {rows.own.begin, face_up};
            for (std::size_t u = 0; u < strip.rows; ++u)
                if (is(rows.beside[u], rows.beside[u].begin, 1))
                    faces.high[faces.highs++] = {rows.beside[u].begin,
                                                 rows.crossed[u] | face_up};
        }
    }

    // The cells of a row from x on.
    static CellRange cells_from(const QuantisedPoints<D>& points, CellRange cells,
                                std::uint32_t x) {
        const std::uint32_t* begin = points.cell_x + cells.begin;
        const std::uint32_t* end = points.cell_x + cells.end;
        return {static_cast<std::uint32_t>(std::lower_bound(begin, end, x) - points.cell_x),
                cells.end};
    }

    // Tests all points in the cells that the box overlaps and in those adjacent to them: a
    // point's own box extends by less than a cell.
    void probe_points(Index q, const Box<T, D>& box, Sieve<T, D>& sieve) const {
        const QuantisedPoints<D> points = points_.points();
        std::array<std::int64_t, 3> lo{}, hi{};
        for (std::size_t a = 0; a < D; ++a) {
            const std::int64_t last_cell = points_.max_cell(a);
            lo[a] = std::max<std::int64_t>(
                points_.cell_at(static_cast<double>(box.lo[a]), a) - 1, 0);
            hi[a] = std::min(points_.cell_at(static_cast<double>(box.hi[a]), a) + 1, last_cell);
        }
        std::size_t row = points_.find_row(points_.key_of_row(lo[1], lo[2]));
        const std::uint64_t last = points_.key_of_row(hi[1], hi[2]);
        for (; row < points_.rows() && points_.row_key(row) <= last; ++row) {
            const std::int64_t y = points_.row_y(row);
            if (y < lo[1] || y > hi[1]) continue;
            const CellRange cells =
                cells_from(points, points_.row(row), static_cast<std::uint32_t>(lo[0]));
            std::uint32_t end = cells.begin;
            while (end < cells.end && points.cell_x[end] <= hi[0]) ++end;
            if (end > cells.begin)
                sieve.probe_one(q, {points.cell_start[cells.begin], points.cell_start[end]});
        }
    }

    static Owner owner() {
        Owner rule;
        for (std::size_t a = 0; a < D - 1; ++a) rule.either |= BoxGrid<T, D>::lowest_row_bit(a);
        return rule;
    }

    void sweep_boxes(std::size_t task, HitSink<T, D>& sink) const {
        auto [first, last] = entries_of(task);
        for (std::size_t r = boxes_.row_of(first); first < last; ++r) {
            const std::uint32_t row_end = boxes_.row_start(r + 1);
            sink.sweep(first, std::min(last, row_end), row_end, owner());
            first = row_end;
        }
    }

    void probe_entries(Index q, const Box<float, D>& box, HitSink<T, D>& sink) const {
        boxes_.for_each_run(box, [&](std::uint32_t begin, std::uint32_t end, Bits bits) {
            Owner rule;
            rule.second = bits;
            sink.probe_one(q, box, {begin, end}, rule);
        });
    }

    void probe_boxes(Index q, const Box<T, D>& box, HitSink<T, D>& sink) const {
        probe_entries(q, boxes_.place(box), sink);
        for (const auto& giant : boxes_.giants()) sink.test(q, giant.instance);
    }

    // Tests a giant against everything else, and against the giants after it.
    void test_giant(std::size_t g, HitSink<T, D>& sink) const {
        const auto giants = boxes_.giants();
        probe_entries(giants[g].instance, giants[g].box, sink);
        for (std::size_t h = g + 1; h < giants.size(); ++h)
            sink.test(giants[g].instance, giants[h].instance);
    }

    StripJoin<D> join_{};
    StripRowKernels<D> row_kernels_{};
    BoxKernels<D> box_kernels_{};
    Ordered order_ = Ordered::none;
    PointGrid<T, D> points_;
    BoxGrid<T, D> boxes_;
    Packed<T, D> packed_;
    RowMarks row_marks_;
    mutable std::vector<Scratch> scratch_;  // per worker
};

}  // namespace

MethodEntry describe_row_grid() {
    return describe_method<RowGrid>(
        {"row_grid", "rows of cells, joined by vector kernels: our own, the default", {}});
}

}  // namespace vicinal::inline VICINAL_API
