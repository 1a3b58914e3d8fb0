// vicinal nearest: finds the bodies nearest to each query.
#include <cmath>
#include <limits>

#include "commands.hpp"
#include "io/write.hpp"
#include "job.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::tool {
namespace {

struct NearestFlags {
    std::string file, queries;
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
        shape.add_to(app);
        search.add_to(app);
        output.add_to(app, OutputFlags::Rows::none);
    }
};

// One row per query and neighbour: the two indices, the distance and, in a periodic domain, the
// image.
template <Real T, int D>
void write(const std::string& file, const Nearest<T, D>& found) {
    std::vector<std::string> names{"i", "j", "distance"};
    const bool periodic = !found.rows.images.empty();
    if (periodic) names.insert(names.end(), {"nx", "ny", "nz"});
    names.resize(periodic ? 3 + D : 3);
    std::vector<std::vector<double>> columns(names.size());
    for (std::size_t i = 0; i < found.rows.size(); ++i)
        for (std::uint64_t e = found.rows.offsets[i]; e < found.rows.offsets[i + 1]; ++e) {
            columns[0].push_back(static_cast<double>(i));
            columns[1].push_back(found.rows.indices[e]);
            columns[2].push_back(static_cast<double>(found.distances[e]));
            for (std::size_t a = 0; a < D && periodic; ++a)
                columns[3 + a].push_back(found.rows.images[e][a]);
        }
    io::write_columns(file, names, columns);
}

template <Real T, int D>
void nearest(const NearestFlags& flags, Job& job, io::BodyFile& file,
             io::BodyFile* query_file) {
    const Space<D> space = job.domain_for<D>(file, query_file);
    const io::BodyArrays<T, D> bodies = file.take<T, D>();
    std::optional<io::BodyArrays<T, D>> queries;
    if (query_file != nullptr) queries = query_file->take<T, D>();
    job.searching();
    Finder<T, D> finder(job.search.options(space.domain));
    io::naming(file.name(), [&] { finder.update(bodies.view()); });
    job.summary.take(finder.report(), !space.domain.is_open());
    job.summary.candidates.reset();
    job.watch.lap();
    const T max_distance = static_cast<T>(flags.max_distance);
    Nearest<T, D> found;
    io::naming(query_file != nullptr ? query_file->name() : file.name(), [&] {
        found = queries ? finder.nearest(queries->view(), flags.k, max_distance)
                        : finder.nearest(flags.k, max_distance);
    });
    job.summary.search = job.watch.lap();
    job.summary.pairs = found.rows.indices.size();
    std::vector<std::uint64_t> degrees(found.rows.size());
    for (std::size_t i = 0; i < degrees.size(); ++i) degrees[i] = found.rows[i].size();
    job.summary.neighbours = neighbours(degrees);
    job.writing([&] {
        write(job.output.file, found);
        return std::vector<std::string>{job.output.file};
    });
}

Summary find(const NearestFlags& flags) {
    const io::Layout layout = layout_of(flags.shape, false);
    io::Layout query_layout;
    query_layout.dim = flags.shape.dim;
    query_layout.flag = "points";
    flags.output.check({flags.file, flags.queries});
    Job job(flags.search, flags.output, flags.file);
    io::BodyFile file(flags.file, layout);
    std::optional<io::BodyFile> queries;
    job.summary.bodies = file.rows();
    job.summary.other = {"queries", file.name(), file.rows()};
    if (!flags.queries.empty()) {
        queries.emplace(flags.queries, query_layout);
        check_same_dim(file, *queries);
        job.summary.other = {"queries", queries->name(), queries->rows()};
    }
    job.summary.dim = file.dim();
    dispatch(flags.search.precision, file.dim(), [&]<Real T, int D> {
        nearest<T, D>(flags, job, file, queries ? &*queries : nullptr);
    });
    return job.summary;
}

int run_nearest(const NearestFlags& flags) {
    print(find(flags), flags.output.json);
    return 0;
}

}  // namespace

void add_nearest(CLI::App& app, Chosen& chosen) {
    add_command<NearestFlags>(app, chosen, "nearest",
                              "find the bodies nearest to each query, or to each body",
                              run_nearest)
        ->footer(
            "The output holds (query, body, distance), nearest first. The distance to a\n"
            "sphere is that to its centre; inside a box it is 0. --cutoff is ignored.\n"
            "Only trees find nearest neighbours (default: bvh).\n\n" +
            std::string(domain_help) +
            "Examples:\n"
            "  vicinal nearest atoms.xyz --k 12 -o near.csv\n"
            "  vicinal nearest hulls.npy queries.csv --boxes --k 1 --max 0.5 --json");
}

}  // namespace vicinal::tool
