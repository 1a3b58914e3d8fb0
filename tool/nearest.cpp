// vicinal nearest: finds the bodies nearest to each query.
#include <limits>
#include <utility>

#include "commands.hpp"
#include "frames.hpp"
#include "job.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::tool {
namespace {

struct NearestFlags {
    std::string file, queries;
    InputFlags input;
    std::size_t k = 0;
    double max_distance = std::numeric_limits<double>::infinity();
    ShapeFlags shape;
    SearchFlags search;
    OutputFlags output;

    NearestFlags() { search.method = "bvh"; }

    void add_to(CLI::App& app) {
        app.add_option("FILE", file, "bodies; points, unless --radius or --boxes is given")
            ->required();
        app.add_option("QUERIES", queries,
                       "points, in any of the same formats; default: the bodies");
        app.add_option("--k", k, "number of neighbours")
            ->check(whole_number())
            ->type_name("K")
            ->required();
        app.add_option("--max", max_distance, "maximum distance of a neighbour")
            ->type_name("R");
        input.add_to(app, InputFlags::Frames::all, InputFlags::Ids::offered);
        shape.add_to(app);
        search.add_to(app);
        output.add_to(app, OutputFlags::Rows::none);
    }
};

// One pair per query and neighbour, in the order of the rows.
template <Real T, int D>
PairColumns<T, D> as_pairs(Rows<T, D> rows) {
    PairColumns<T, D> pairs;
    pairs.indices.resize(2 * rows.indices.size());
    for (std::size_t row = 0; row < rows.size(); ++row)
        for (std::uint64_t e = rows.offsets[row]; e < rows.offsets[row + 1]; ++e) {
            pairs.indices[2 * e] = rows.body(row);
            pairs.indices[2 * e + 1] = rows.indices[e];
        }
    pairs.images = std::move(rows.images);
    pairs.vectors = std::move(rows.vectors);
    pairs.distances = std::move(rows.distances);
    return pairs;
}

template <Real T, int D>
void nearest(const NearestFlags& flags, Job& job, io::BodyFile& file,
             std::optional<io::BodyFile>& query_file) {
    const Space<D> space = job.domain_for<D>(file, query_file ? &*query_file : nullptr);
    const io::BodyArrays<T, D> bodies = file.take<T, D>();
    std::optional<io::BodyArrays<T, D>> queries;
    if (query_file) queries = query_file->take<T, D>();
    job.searching();
    Finder<T, D> finder(job.search.options(space.domain));
    io::naming(file.origin(), [&] { finder.update(bodies.view()); });
    job.summary.take(finder.report(), !space.domain.is_open());
    job.summary.candidates.reset();
    job.watch.lap();
    const T max_distance = static_cast<T>(flags.max_distance);
    const Columns columns = job.output.columns(!space.domain.is_open(), Columns::ijSd);
    PairColumns<T, D> found;
    io::naming(query_file ? query_file->origin() : file.origin(), [&] {
        found =
            as_pairs(queries ? finder.nearest(queries->view(), flags.k, max_distance, columns)
                             : finder.nearest(flags.k, max_distance, columns));
    });
    job.summary.search = job.watch.lap();
    job.keep(found, columns, {queries ? queries->ids : bodies.ids, bodies.ids}, false);
}

Summary find(const NearestFlags& flags, const OutputFlags& output, Inputs& inputs,
             std::size_t frame) {
    Job job(flags.search, output, flags.file);
    io::BodyFile file = inputs.first(frame);
    std::optional<io::BodyFile> queries = inputs.second(frame);
    job.reads(file);
    if (queries) check_same_dim(file, *queries);
    const io::BodyFile& asked = queries ? *queries : file;
    job.summary.other = {"queries", asked.name(), asked.rows()};
    dispatch(flags.search.precision, file.dim(),
             [&]<Real T, int D> { nearest<T, D>(flags, job, file, queries); });
    return job.summary;
}

int run_nearest(const NearestFlags& flags) {
    if (!flags.shape.cutoff.empty())
        throw UsageError("nearest has no cut-off; give the maximum distance with --max");
    io::Layout layout = layout_of(flags.shape, false), query_layout;
    query_layout.dim = flags.shape.dim;
    query_layout.flag = "points";
    layout.ids = query_layout.ids = flags.input.ids;
    return run_frames(flags.input, flags.output, {flags.file, flags.queries},
                      {flags.file, layout}, {flags.queries, query_layout},
                      [&](const OutputFlags& output, Inputs& inputs, std::size_t frame) {
                          return find(flags, output, inputs, frame);
                      });
}

}  // namespace

void add_nearest(CLI::App& app, Chosen& chosen) {
    add_command<NearestFlags>(app, chosen, "nearest",
                              "find the bodies nearest to each query, or to each body",
                              run_nearest)
        ->footer(
            "The output holds (query, body, distance), nearest first. The distance to a\n"
            "sphere is that to its centre; inside a box it is 0. --max limits it.\n"
            "Trees search their own structure (default: bvh); other methods build a kd-tree\n"
            "beside it.\n\n" +
            std::string(input_help) + std::string(domain_help) +
            "Examples:\n"
            "  vicinal nearest atoms.xyz --k 12 -o near.csv\n"
            "  vicinal nearest hulls.npy queries.csv --boxes --k 1 --max 0.5 --json");
}

}  // namespace vicinal::tool
