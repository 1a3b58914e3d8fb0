// Row grid (our own): bodies are binned into rows of cells along x; a row is joined with itself
// and, half of the neighbours, with the rows above it in y and z.
//
// Points at rest: each row is joined by a strip (simd/strips.hpp) in which the rows above lie
// merged by x, so that the candidates of a cell are one run. Everything else is a box with an
// entry in every row it touches (core/box_rows.hpp), swept along its row (simd/boxes.hpp).
//
// O(N) to order, O(N) memory whatever the extent. Wins nearly everywhere; loses to brute force
// on a few dozen bodies, and where thousands of bodies are giants among dust.
#include "methods/registry.hpp"

#include <algorithm>

#include "core/box_rows.hpp"
#include "core/fine.hpp"

namespace vicinal {
namespace {

template <Real T, int D>
class RowGrid final : public Method<T, D> {
  public:
    explicit RowGrid(const Choice&) {}

    bool joins_faces(const Scene<T, D>& scene) override {
        return at_rest(scene) && fine_.fits(scene);
    }

    void build(const Scene<T, D>& scene) override {
        order_ = Order::none;
        if (scene.size() == 0) return;
        if (scene.joined() || (at_rest(scene) && fine_.fits(scene))) {
            order_ = Order::points;
            fine_.assign(scene, packed_);
            packed_.fill_nothing(scene.imaged() && !scene.joined());
        } else {
            order_ = Order::boxes;
            boxes_.assign(scene, packed_);
            packed_.fill_nothing(true);
        }
    }

    const Packed<T, D>& packed() const override { return packed_; }

    std::size_t tasks() const override {
        return entry_tasks() + (order_ == Order::boxes ? boxes_.giants().size() : 0);
    }

    void search(Range tasks, Sieve<T, D>& sieve) const override {
        for (std::size_t t = tasks.begin; t < tasks.end; ++t) {
            const auto [first, last] = entries_of(t);
            if (order_ == Order::points)
                join_points(first, last, sieve);
            else if (t < entry_tasks())
                sweep_boxes(first, last, sieve);
            else
                meet_giant(t - entry_tasks(), sieve);
        }
    }

    bool finds_rows() const override { return order_ == Order::points; }

    void rows(Range tasks, Sieve<T, D>& sieve) const override {
        for (std::size_t t = tasks.begin; t < tasks.end; ++t) {
            const auto [first, last] = entries_of(t);
            for_each_strip<StripRing<D>>(
                first, last, around(), &StripRing<D>::all,
                [&](const FinePoints<D>& points, const StripRing<D>& ring, const auto&) {
                    sieve.ring(points, ring);
                });
        }
    }

    void probe(const Scene<T, D>& queries, Range instances, Sieve<T, D>& sieve) const override {
        for (std::size_t q = instances.begin; q < instances.end; ++q) {
            const Box<T, D> box = queries.box(static_cast<Index>(q));
            if (order_ == Order::points) ask_points(static_cast<Index>(q), box, sieve);
            if (order_ == Order::boxes) ask_boxes(static_cast<Index>(q), box, sieve);
        }
    }

    std::size_t bytes() const override {
        return fine_.bytes() + boxes_.bytes() + packed_.bytes();
    }

  private:
    enum class Order : std::uint8_t { none, points, boxes };
    // Points that do not move, nor do their images: queries that move meet the box of its way.
    static bool at_rest(const Scene<T, D>& scene) {
        return scene.view().shape == Shape::points && !scene.view().swept() &&
               scene.lattice().change == 0;
    }
    static constexpr std::size_t entries_per_task = 4096;

    std::pair<std::uint32_t, std::uint32_t> entries_of(std::size_t task) const {
        const std::size_t first = task * entries_per_task;
        return {static_cast<std::uint32_t>(first),
                static_cast<std::uint32_t>(std::min(first + entries_per_task, packed_.size()))};
    }

    std::size_t entry_tasks() const {
        return order_ == Order::none
                   ? 0
                   : (packed_.size() + entries_per_task - 1) / entries_per_task;
    }

    // Rows beside a row, in steps along (y, z): above it, or all around.
    using Steps = std::array<int, 2>;
    static constexpr std::array<Steps, D == 2 ? 1 : 4> above() {
        if constexpr (D == 2)
            return {{{1, 0}}};
        else
            return {{{1, 0}, {-1, 1}, {0, 1}, {1, 1}}};
    }
    static constexpr std::array<Steps, D == 2 ? 3 : 9> around() {
        if constexpr (D == 2)
            return {{{-1, 0}, {0, 0}, {1, 0}}};
        else
            return {
                {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}};
    }

    // A row and those beside it, whole.
    template <std::size_t n>
    struct Rows {
        CellRange own;
        std::array<CellRange, n> beside{};
        std::array<Index, n> crossed{};  // faces on the way there
        bool down = false;
    };

    // Calls f(points, strip, rows) for the rows that hold entries first ... last - 1: the part
    // of the row in question, and what lies beside it. `Strip` is what the kernel wants.
    template <class Strip, std::size_t n, class F>
    void for_each_strip(std::uint32_t first, std::uint32_t last,
                        const std::array<Steps, n>& steps,
                        std::array<CellRange, n> Strip::*beside, const F& f) const {
        const FinePoints<D> points = fine_.points();
        std::uint32_t cell = fine_.cell_of(first);
        std::size_t row = fine_.row_of(cell);
        // One cursor each, which only moves forward. (Where faces are crossed a step leads
        // elsewhere; without them it leads upwards.)
        std::array<std::size_t, n> cursor;
        for (std::size_t u = 0; u < n; ++u) {
            const auto to = fine_.beside(row, steps[u]);
            cursor[u] = to.crossed != 0 ? row : fine_.find_row(to.key);
        }
        for (; first < last; ++row) {
            Rows<n> rows;
            rows.own = fine_.row(row);
            Strip strip;
            strip.first = first;
            strip.last = std::min(last, points.cell_start[rows.own.end]);
            strip.own = {cell, rows.own.end};
            if (strip.last < points.cell_start[rows.own.end])
                strip.own.end = fine_.cell_of(strip.last - 1) + 1;
            for (std::size_t u = 0; u < n; ++u) {
                const auto to = fine_.beside(row, steps[u]);
                std::size_t at = cursor[u];
                if (to.crossed != 0)
                    at = fine_.find_row(to.key);
                else
                    while (at < fine_.rows() && fine_.row_key(at) < to.key) cursor[u] = ++at;
                (strip.*beside)[u] = {};
                if (at == fine_.rows() || fine_.row_key(at) != to.key) continue;
                rows.beside[u] = fine_.row(at);
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

    void join_points(std::uint32_t first, std::uint32_t last, Sieve<T, D>& sieve) const {
        constexpr std::size_t n = StripRow<D>::rows;
        for_each_strip<StripRow<D>>(
            first, last, above(), &StripRow<D>::others,
            [&](const FinePoints<D>& points, StripRow<D>& strip, const Rows<n>& rows) {
                strip.row_end = rows.own.end;
                if (points.joined) put_faces(points, rows, strip);
                sieve.strip(points, strip);
            });
    }

    // What lies beyond the faces around a strip, where they are joined.
    static void put_faces(const FinePoints<D>& points, const Rows<StripRow<D>::rows>& rows,
                          StripRow<D>& strip) {
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
            if (is(rows.own, rows.own.begin, 1))
                faces.high[faces.highs++] = {rows.own.begin, face_up};
            for (std::size_t u = 0; u < strip.rows; ++u)
                if (is(rows.beside[u], rows.beside[u].begin, 1))
                    faces.high[faces.highs++] = {rows.beside[u].begin,
                                                 rows.crossed[u] | face_up};
        }
    }

    // The cells of a row from x on.
    static CellRange cells_from(const FinePoints<D>& points, CellRange cells, std::uint32_t x) {
        const std::uint32_t* begin = points.cell_x + cells.begin;
        const std::uint32_t* end = points.cell_x + cells.end;
        return {static_cast<std::uint32_t>(std::lower_bound(begin, end, x) - points.cell_x),
                cells.end};
    }

    // All points in cells that the box touches; it is widened as the points' boxes are.
    void ask_points(Index q, const Box<T, D>& box, Sieve<T, D>& sieve) const {
        const FinePoints<D> points = fine_.points();
        std::array<std::int64_t, 3> lo{}, hi{};
        for (std::size_t a = 0; a < D; ++a) {
            const std::int64_t most = fine_.most_cell(a);
            lo[a] =
                std::max<std::int64_t>(fine_.cell_at(static_cast<double>(box.lo[a]), a) - 1, 0);
            hi[a] = std::min(fine_.cell_at(static_cast<double>(box.hi[a]), a) + 1, most);
        }
        std::size_t row = fine_.find_row(fine_.key_of_row(lo[1], lo[2]));
        const std::uint64_t last = fine_.key_of_row(hi[1], hi[2]);
        for (; row < fine_.rows() && fine_.row_key(row) <= last; ++row) {
            const std::int64_t y = fine_.row_y(row);
            if (y < lo[1] || y > hi[1]) continue;
            const CellRange cells =
                cells_from(points, fine_.row(row), static_cast<std::uint32_t>(lo[0]));
            std::uint32_t end = cells.begin;
            while (end < cells.end && points.cell_x[end] <= hi[0]) ++end;
            if (end > cells.begin)
                sieve.ask(q, {points.cell_start[cells.begin], points.cell_start[end]});
        }
    }

    static Owner owner() {
        Owner rule;
        for (std::size_t a = 0; a < D - 1; ++a) rule.either |= BoxGrid<T, D>::home_bit(a);
        return rule;
    }

    void sweep_boxes(std::uint32_t first, std::uint32_t last, Sieve<T, D>& sieve) const {
        const BoxRows<D> rows = boxes_.rows();
        for (std::size_t r = boxes_.row_of(first); first < last; ++r) {
            const std::uint32_t row_end = boxes_.row_start(r + 1);
            sieve.sweep(rows, first, std::min(last, row_end), row_end, owner());
            first = row_end;
        }
    }

    void ask_entries(Index q, const Box<float, D>& box, Sieve<T, D>& sieve) const {
        const BoxRows<D> rows = boxes_.rows();
        boxes_.for_each_run(box, [&](std::uint32_t begin, std::uint32_t end, Bits bits) {
            Owner rule;
            rule.second = bits;
            sieve.ask(rows, q, box, {begin, end}, rule);
        });
    }

    void ask_boxes(Index q, const Box<T, D>& box, Sieve<T, D>& sieve) const {
        ask_entries(q, boxes_.place(box), sieve);
        for (const auto& giant : boxes_.giants()) sieve.one(q, giant.instance);
    }

    // A giant with everything else, and with the giants after it.
    void meet_giant(std::size_t g, Sieve<T, D>& sieve) const {
        const auto giants = boxes_.giants();
        ask_entries(giants[g].instance, giants[g].box, sieve);
        for (std::size_t h = g + 1; h < giants.size(); ++h)
            sieve.one(giants[g].instance, giants[h].instance);
    }

    Order order_ = Order::none;
    FineGrid<T, D> fine_;
    BoxGrid<T, D> boxes_;
    Packed<T, D> packed_;
};

}  // namespace

MethodEntry describe_row_grid() {
    return describe_method<RowGrid>(
        {"row_grid", "rows of cells, joined by vector kernels: our own, the default", {}});
}

}  // namespace vicinal
