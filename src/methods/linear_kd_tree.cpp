// Linear kd-tree (Poirrier 2009): space is halved recursively along x, y, z, x, ...; a body
// belongs to the smallest such cell around it, and a body that crosses a coarse splitting plane
// is split there into pieces with smaller cells of their own. There are no nodes: a piece is a
// record (locational code of its cell, length of the code, body). In sorted order a cell is
// followed by the cells inside it, so each record is tested against the run of following
// records of whose codes its own is a prefix. O(N log N), 6 to 7 records per body. Wins on
// sizes that differ by orders of magnitude; loses to grids on bodies of one size, because only
// one record in six finds a neighbour.
//
// Beyond the paper: each pair is found once, without a list. If two bodies overlap, the lowest
// corner of their intersection lies in exactly one cell of each, because the cells of a body's
// pieces are disjoint and cover it; two cells around one corner are nested. So the pair is
// reported where the deeper record's code is a prefix of that corner's code. This uses integer
// cell coordinates, which need only be monotone.
#include "methods/registry.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "structures/entry_test.hpp"
#include "structures/kd_records.hpp"
#include "structures/run_tasks.hpp"
#include "structures/sorted_pairs.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

template <int D>
ImplicitTreeOptions<D> tree_options(const Choice& choice) {
    ImplicitTreeOptions<D> options;
    options.split = choice.word("split") == "on";
    options.octree = choice.word("octree") == "on";
    // In an octree, a split that does not make cells smaller would put two pieces in one cell.
    options.suppress = choice.word("coherent") == "off" || options.octree;
    options.bits = static_cast<unsigned>(choice.number("bits"));
    options.axes = choice.word("axes");
    const std::vector<double> root = choice.numbers("root");
    if (root.size() == 1 && root[0] >= 1 && root[0] <= 1000) {
        options.root_factor = root[0];
        return options;
    }
    bool box = root.size() == 2 * D;
    options.root.emplace();
    for (std::size_t a = 0; a < D && box; ++a) {
        options.root->lo[a] = root[a];
        options.root->hi[a] = root[D + a];
        box = root[a] < root[D + a] && std::isfinite(root[D + a] - root[a]);
    }
    if (!box)
        throw Error(Error::Kind::option,
                    "method linear_kd_tree: option root is '" + choice.word("root") +
                        "'; give a number from 1 to 1000, or the root's lower and upper corner "
                        "in as many dimensions as the bodies have: " +
                        (D == 2 ? "(x0, y0, x1, y1)" : "(x0, y0, z0, x1, y1, z1)"));
    return options;
}

enum class Unique { owner, list, none };

Unique unique_of(const std::string& word) {
    return word == "owner" ? Unique::owner : word == "list" ? Unique::list : Unique::none;
}

template <Real T, int D>
class LinearKdTree final : public Method<T, D>,
                           public NearestFinder<T, D>,
                           public RepeatedPairs {
  public:
    explicit LinearKdTree(const Choice& choice)
        : records_(tree_options<D>(choice), choice.word("coherent") == "on"),
          unique_(unique_of(choice.word("unique"))) {}

    void build(const Scene<T, D>& scene) override {
        if (scene.size() > KdRecords<T, D>::max_instances)
            throw Error(Error::Kind::limit,
                        "linear_kd_tree: too many bodies for 32-bit record indices; choose "
                        "another method");
        records_.assign(scene, packed_);
        measure_runs(scene.threads());
        if (unique_ == Unique::list) list_pairs(scene);
    }

    const Packed<T, D>& packed() const override { return packed_; }

    std::size_t tasks() const override {
        return unique_ == Unique::list ? pairs_.parts() : runs_.count();
    }

    void search(Range tasks, const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, packed_);

        if (unique_ != Unique::list)
            return for_each_part(tasks, [&](std::size_t r, Run run) { sweep(r, run, sieve); });
        for (std::size_t t = tasks.begin; t < tasks.end; ++t)
            for (const EntryPair& pair : pairs_.part(t))
                sieve.one(pair.first, {pair.second, std::size_t{pair.second} + 1});
    }

    void probe(const Scene<T, D>& queries, Range instances,
               const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, packed_);

        for (std::size_t q = instances.begin; q < instances.end; ++q)
            query(queries, static_cast<Index>(q), sieve);
    }

    void nearest(NearestQuery<T, D>& query) const override {
        nearest({0, records_.size()}, query);
    }

    bool repeats() const override { return unique_ == Unique::none; }

    Statistics statistics() const override {
        const auto bodies = static_cast<double>(packed_.size());
        const auto records = static_cast<double>(records_.size());
        Statistics result{{"bits per axis", static_cast<double>(tree().bits())},
                          {"root edge", tree().root_edge()},
                          {"pieces per body", bodies > 0 ? records / bodies : 0},
                          {"cell volume per body volume", volume_ratio_},
                          {"selected", static_cast<double>(runs_.work()) - records},
                          {"split ms", 1e3 * records_.seconds().split},
                          {"sort ms", 1e3 * records_.seconds().sort}};
        if (unique_ == Unique::list)
            result.push_back({"listed with repeats", static_cast<double>(pairs_.repeated())});
        return result;
    }

  private:
    using Depths = std::array<std::uint64_t, 64>;  // records by length of code

    const ImplicitTree<T, D>& tree() const { return records_.tree(); }

    // The work of the sweep, and the ratio of the cells' volume to the bodies' (Poirrier 2009,
    // table 1).
    void measure_runs(int threads) {
        PerPiece<Depths> counts(RunTasks::pieces(threads, records_.size()), Depths{});
        runs_.assign(threads, records_.size(), [&](std::size_t r, std::size_t piece) {
            // Before the count: the compiler must assume that storing it modifies records.
            const std::size_t end = records_.run_end(r);
            ++counts[piece][records_.cell_of(records_[r]).length];
            return end;
        });
        depths_.fill(0);
        for (const Depths& part : counts)
            for (std::size_t l = 0; l < depths_.size(); ++l) depths_[l] += part[l];
        double volume = 0;
        for (unsigned l = 0; l <= tree().code_bits(); ++l)
            volume += static_cast<double>(depths_[l]) * static_cast<double>(tree().volume(l));
        const double ratio = volume * tree().unit() / records_.body_volume();
        volume_ratio_ = std::isfinite(ratio) ? ratio : 0;
    }

    template <class F>
    void for_each_part(Range tasks, const F& f) const {
        runs_.for_each_part(tasks, [&](std::size_t r) { return records_.run_end(r); }, f);
    }

    // Calls f with every record of the run of record r that is in `part`.
    template <class F>
    void for_each_candidate(std::size_t r, Run part, const F& f) const {
        const std::uint64_t key = records_.key_behind_run(r);
        for (std::size_t s = part.begin; s < part.end && records_[s] < key; ++s) f(records_[s]);
    }

    // Poirrier (2009), section 6, kd-tree-2: the spheres that the sweep selects are tested
    // first, and only what is left is listed.
    void list_pairs(const Scene<T, D>& scene) {
        const EntryTest<T, D> near(scene, packed_);
        pairs_.assign(packed_.size(), records_.size(), scene.threads(),
                      [&](Range records, const auto& put) {
                          for (std::size_t r = records.begin; r < records.end; ++r)
                              list_run(r, near, put);
                      });
    }

    template <class F>
    void list_run(std::size_t r, const EntryTest<T, D>& near, const F& put) const {
        const std::size_t first = records_.entry_of(records_[r]);
        const CellBox<D> box = records_.cells(first);
        std::size_t candidates = 1;
        for_each_candidate(r, {r + 1, records_.size()}, [&](std::uint64_t record) {
            const std::size_t second = records_.entry_of(record);
            ++candidates;
            if (first != second && box.overlaps(records_.cells(second)) && near(first, second))
                put(first, second);
        });
        poll_cancelled(candidates);
    }

    // True if the lowest corner of the intersection of two boxes lies in this cell.
    bool owns(const TreeCell& deeper, const CellBox<D>& a, const CellBox<D>& b) const {
        if (deeper.length == KdRecords<T, D>::inactive) return false;
        std::array<std::uint32_t, D> corner;
        for (std::size_t k = 0; k < D; ++k) corner[k] = std::max(a.lo[k], b.lo[k]);
        return (tree().code(corner) ^ deeper.code) < tree().volume(deeper.length);
    }

    // Tests a record against part of its run (Poirrier 2009, section 5.5).
    void sweep(std::size_t r, Run run, Sieve<T, D>& sieve) const {
        const std::size_t first = records_.entry_of(records_[r]);
        const CellBox<D> box = records_.cells(first);
        Run accepted;  // consecutive entries are passed to the sieve as one run
        for_each_candidate(r, run, [&](std::uint64_t record) {
            const std::size_t second = records_.entry_of(record);
            if (!box.overlaps(records_.cells(second))) return;
            const TreeCell deeper = records_.cell_of(record);
            if (unique_ == Unique::none ? deeper.length == KdRecords<T, D>::inactive
                                        : !owns(deeper, box, records_.cells(second)))
                return;
            if (second != accepted.end) {
                if (accepted.size() > 0) sieve.one(first, accepted);
                accepted.begin = second;
            }
            accepted.end = second + 1;
        });
        if (accepted.size() > 0) sieve.one(first, accepted);
    }

    // The records of a range are inside the smallest cell around its first and last record,
    // except some at the beginning whose cells contain that cell. These are offered; the others
    // are divided, and the nearer half is visited first.
    void nearest(Range range, NearestQuery<T, D>& query) const {
        constexpr std::size_t max_offered = 16;
        while (range.size() > max_offered) {
            const TreeCell first = records_.cell_of(records_[range.begin]);
            const TreeCell last = records_.cell_of(records_[range.end - 1]);
            const auto bit = static_cast<unsigned>(std::bit_width(first.code ^ last.code));
            if (bit == 0) break;  // all in one cell
            const unsigned length = tree().code_bits() - bit;
            if (first.length <= length) {
                query.offer_entry(records_.entry_of(records_[range.begin++]));
                continue;
            }
            const std::uint64_t half = std::uint64_t{1} << (bit - 1);
            const TreeCell low{first.code & ~(half - 1), length + 1};
            const TreeCell high{last.code & ~(half - 1), length + 1};
            const std::size_t middle =
                records_.find(records_.first_key({high.code, 0}), range.begin);
            const double to_low = query.square_to(tree().bounds(low));
            const double to_high = query.square_to(tree().bounds(high));
            const Range parts[2] = {{range.begin, middle}, {middle, range.end}};
            const bool reverse = to_high < to_low;
            if (!query.too_far(reverse ? to_high : to_low)) nearest(parts[reverse], query);
            if (query.too_far(reverse ? to_low : to_high)) return;
            range = parts[!reverse];
        }
        for (std::size_t r = range.begin; r < range.end; ++r)
            query.offer_entry(records_.entry_of(records_[r]));
    }

    // A query is split like a body. Each piece is tested against the records of its own cell
    // and the cells inside it, which are consecutive, and of its ancestors, which are looked up
    // one code length at a time.
    void query(const Scene<T, D>& queries, Index q, Sieve<T, D>& sieve) const {
        const CellBox<D> box = tree().cells(queries.box(q));
        const auto offer = [&](Run run, const TreeCell* piece) {
            for (std::size_t r = run.begin; r < run.end; ++r) {
                const std::size_t entry = records_.entry_of(records_[r]);
                const TreeCell deeper =
                    piece != nullptr ? *piece : records_.cell_of(records_[r]);
                if (box.overlaps(records_.cells(entry)) &&
                    owns(deeper, box, records_.cells(entry)))
                    sieve.probe_one(q, {entry, entry + 1});
            }
        };
        const Pieces<D> pieces = tree().pieces(box);
        for (std::size_t c = 0; c < pieces.count; ++c) {
            const TreeCell piece = pieces.cells[c];
            for (unsigned length = 0; length < piece.length; ++length) {
                if (depths_[length] == 0) continue;
                const TreeCell around{piece.code & ~(tree().volume(length) - 1), length};
                const std::size_t begin = records_.find(records_.first_key(around), 0);
                offer({begin,
                       records_.find(records_.first_key({around.code, length + 1}), begin)},
                      &piece);
            }
            const std::size_t begin = records_.find(records_.first_key(piece), 0);
            offer({begin, records_.find(records_.key_behind(piece), begin)}, nullptr);
        }
    }

    KdRecords<T, D> records_;
    Packed<T, D> packed_;
    RunTasks runs_;
    Depths depths_{};
    double volume_ratio_ = 0;
    const Unique unique_;
    SortedPairs pairs_;  // of entries, if they are listed
};

}  // namespace

MethodEntry describe_linear_kd_tree() {
    const std::vector<std::string> on_off{"on", "off"};
    return describe_method<LinearKdTree>(
        {"linear_kd_tree",
         "sorted codes of the cells of an implicit kd-tree, bodies split at its planes "
         "(Poirrier 2009)",
         {{"split", "on", "split bodies where they cross cutting planes", 0, 0, on_off},
          {"unique",
           "owner",
           "each pair once: by the owner rule, or by a sorted list (kd-tree-2); none: with "
           "repeats, for counting only (kd-tree-1)",
           0,
           0,
           {"owner", "list", "none"}},
          {"octree", "off", "cells of an octree instead: all axes are cut together", 0, 0,
           on_off},
          {"bits",
           "0",
           "bits per axis, fewer if they do not fit; 0: from the bodies' sizes",
           0,
           28,
           {}},
          {"root",
           "1",
           "the root cell: its edge, in longest edges of the bodies' bounding box, or its "
           "corners (x0, y0, z0, x1, y1, z1)",
           1,
           1000,
           {},
           OptionInfo::Kind::list},
          {"axes",
           "xyz",
           "the order in which axes are cut",
           0,
           0,
           {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"}},
          {"coherent", "off",
           "re-sort the order of the last step, with all corners of all bodies", 0, 0,
           on_off}}});
}

}  // namespace vicinal::inline VICINAL_API
