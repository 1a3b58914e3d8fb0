// vicinal-mpi pairs: the pairs of a .npy file, found by all ranks.
#include <fmt/format.h>

#include "common/text.hpp"
#include "tool/domain.hpp"
#include "tool/flags.hpp"
#include "tool/mpi/commands.hpp"
#include "tool/mpi/npy_slices.hpp"
#include "tool/summary.hpp"
#include "tool/text.hpp"

namespace vicinal::tool {
namespace {

struct PairsFlags {
    std::string file, output, domain, precision = "double", method = "auto";
    ShapeFlags shape;
    int threads = 1;
    bool json = false;

    void add_to(CLI::App& app) {
        app.add_option("FILE", file, "a .npy file with one row per body")->required();
        shape.add_to(app);
        add_domain(app, domain);
        add_precision(app, precision);
        app.add_option("--method", method, "of each rank; see vicinal methods")
            ->type_name("METHOD");
        app.add_option("--threads", threads, "of each rank (default: 1; 0: all cores)")
            ->check(whole_number())
            ->type_name("N");
        app.add_option("-o,--output", output,
                       "write the pairs to this .npy file; without it they are only counted")
            ->check(not_empty())
            ->type_name("OUT.npy");
        app.add_flag("--json", json, "print one JSON object and nothing else");
    }
};

struct Found {
    std::uint64_t bodies = 0, pairs = 0, most_own = 0, most_copies = 0;
    std::string domain;
};

// Rows of i, j and, in a periodic domain, the image.
template <Real T, int D>
std::vector<std::int64_t> rows_of(const mpi::Finder<T, D>& finder,
                                  const PairColumns<T, D>& pairs) {
    std::vector<std::int64_t> rows;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const auto i = static_cast<std::int64_t>(finder.id(pairs.i(k)));
        const auto j = static_cast<std::int64_t>(finder.id(pairs.j(k)));
        rows.push_back(std::min(i, j));
        rows.push_back(std::max(i, j));
        if (pairs.images.empty()) continue;
        for (const auto n : pairs.images[k]) rows.push_back(i <= j ? n : -n);
    }
    return rows;
}

// The bodies of each rank after they have gone to the ranks of their regions.
template <Real T, int D>
class Moving {
  public:
    Moving(io::BodyArrays<T, D> arrays, std::uint64_t first) : arrays_(std::move(arrays)) {
        for (std::size_t k = 0; k < arrays_.count; ++k) ids.push_back(first + k);
    }
    Bodies<T, D> view() const { return arrays_.view(); }
    void go(const mpi::Migration& migration) {
        const auto move = [&](auto& values) {
            using V = typename std::remove_reference_t<decltype(values)>::value_type;
            values = migration.move(std::span<const V>(values));
        };
        const io::Layout& layout = arrays_.layout;
        for (auto& axis : arrays_.position) move(axis);
        if (layout.shape == Shape::boxes)
            for (auto& axis : arrays_.upper) move(axis);
        if (layout.swept)
            for (auto& axis : arrays_.displacement) move(axis);
        if (layout.radius_column) move(arrays_.radius);
        move(ids);
        arrays_.count = migration.size();
    }

    std::vector<std::uint64_t> ids;

  private:
    io::BodyArrays<T, D> arrays_;
};

template <Real T, int D>
Found search(const PairsFlags& flags, io::BodyFile& file, const NpySlice& slice,
             const Ranks& ranks) {
    const Space<D> space = choose_domain<D>(flags.domain, file);
    io::BodyArrays<T, D> arrays;
    ranks.together([&] { arrays = file.take<T, D>(); });  // one rank may refuse a value
    Moving<T, D> bodies(std::move(arrays), slice.first);
    mpi::Finder<T, D> finder(
        MPI_COMM_WORLD,
        {.domain = space.domain, .method = flags.method, .threads = flags.threads});
    finder.update(bodies.view(), bodies.ids);
    bodies.go(finder.rebalance());
    finder.update(bodies.view(), bodies.ids);
    Found result;
    result.domain = space.shown();
    result.bodies = slice.rows;
    result.most_own = ranks.max(std::uint64_t{finder.own()});
    result.most_copies = ranks.max(std::uint64_t{finder.size() - finder.own()});
    if (flags.output.empty()) {
        result.pairs = finder.count();
        return result;
    }
    const PairColumns<T, D> pairs = finder.pairs();
    const std::size_t columns = space.domain.is_open() ? 2 : 2 + D;
    const std::vector<std::int64_t> rows = rows_of(finder, pairs);
    write_npy_rows(flags.output, "<i8", columns, rows.data(), pairs.size(),
                   columns * sizeof(std::int64_t), ranks);
    result.pairs = ranks.sum(pairs.size());
    return result;
}

int run_pairs(const PairsFlags& flags) {
    const Ranks ranks;
    if (flags.shape.by_kind())
        throw UsageError("cut-offs by kinds are not offered here; use vicinal split");
    const io::Layout layout = layout_of(flags.shape, true);
    if (!flags.output.empty() && !flags.output.ends_with(".npy"))
        throw UsageError("the output must be a .npy file; end its name with .npy");
    NpySlice slice = read_npy_slice(flags.file, ranks);
    io::BodyFile file(flags.file, layout, std::move(slice.table));
    const Found result = dispatch(flags.precision, file.dim(), [&]<Real T, int D> {
        return search<T, D>(flags, file, slice, ranks);
    });
    if (!ranks.first()) return 0;
    if (flags.json) {
        nlohmann::ordered_json json{{"file", flags.file},
                                    {"bodies", result.bodies},
                                    {"pairs", result.pairs},
                                    {"domain", result.domain},
                                    {"ranks", ranks.size},
                                    {"most_own", result.most_own},
                                    {"most_copies", result.most_copies}};
        if (!flags.output.empty()) json["output"] = flags.output;
        print(json);
        return 0;
    }
    print(fmt::format("{}: {}, {} ({})\n{} ranks, at most {} own bodies and {} copies each\n",
                      common::one_line(flags.file), common::counted(result.bodies, "bodies"),
                      common::counted(result.pairs, "pairs"), common::one_line(result.domain),
                      ranks.size, common::grouped(result.most_own),
                      common::grouped(result.most_copies)));
    return 0;
}

}  // namespace

void add_mpi_pairs(CLI::App& app, Chosen& chosen) {
    add_command<PairsFlags>(app, chosen, "pairs", "find all pairs of a file", run_pairs)
        ->footer(
            "Each rank reads its share of the rows. The columns are those of a .npy file for\n"
            "vicinal pairs. The output is an array of 64-bit integers with the columns i, j\n"
            "and, in a periodic domain, the image of j (nx, ny, nz); each pair once, i <= j,\n"
            "in an order that depends on the ranks.\n\n" +
            std::string(domain_help) +
            "Example:\n"
            "  mpirun -n 4 vicinal-mpi pairs atoms.npy --cutoff 3.5 -o pairs.npy");
}

}  // namespace vicinal::tool
