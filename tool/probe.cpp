// vicinal probe: finds the bodies that each query touches.
#include "commands.hpp"
#include "job.hpp"
#include "text.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::tool {
namespace {

struct ProbeFlags {
    std::string file, queries;
    bool points = false, spheres = false, boxes = false, segments = false, moving = false;
    ShapeFlags shape;
    SearchFlags search;
    OutputFlags output;

    void add_to(CLI::App& app) {
        app.add_option("FILE", file, "bodies; points, unless --radius or --boxes is given")
            ->required();
        app.add_option("QUERIES", queries, "queries, in a file of any of the same formats")
            ->required();
        constexpr const char* group = "Shape of the queries";
        app.add_flag("--points", points, "points: x,y,z")->group(group);
        app.add_flag("--spheres", spheres, "spheres: x,y,z,radius")->group(group);
        app.add_flag("--query-boxes", boxes, "boxes: x0,y0,z0,x1,y1,z1")->group(group);
        app.add_flag("--segments", segments,
                     "segments: start x,y,z and displacement to the end ux,uy,uz")
            ->group(group);
        app.add_flag("--moving", moving, "with --query-boxes: the boxes move by ux,uy,uz")
            ->group(group);
        shape.add_to(app);
        search.add_to(app);
        output.add_to(app, OutputFlags::Rows::none);
    }

    io::Layout query_layout() const;
};

io::Layout ProbeFlags::query_layout() const {
    if (int{points} + int{spheres} + int{boxes} + int{segments} != 1)
        throw UsageError("give one of --points, --spheres, --query-boxes and --segments");
    if (moving && !boxes) throw UsageError("--moving needs --query-boxes");
    io::Layout layout;
    layout.dim = shape.dim;
    layout.swept = segments || moving;
    layout.radius_column = spheres;
    if (points) layout.flag = "--points";
    if (segments) layout.flag = "--segments";
    if (spheres) layout.shape = Shape::spheres, layout.flag = "--spheres";
    if (boxes) layout.shape = Shape::boxes, layout.flag = "--query-boxes";
    if (moving) layout.flag += " --moving";
    return layout;
}

template <Real T, int D>
void probe(Job& job, io::BodyFile& file, io::BodyFile& query_file) {
    const Space<D> space = job.domain_for<D>(file, &query_file);
    const bool periodic = !space.domain.is_open();
    const io::BodyArrays<T, D> bodies = file.take<T, D>();
    const io::BodyArrays<T, D> queries = query_file.take<T, D>();
    job.searching();
    Finder<T, D> finder(job.search.options(space.domain));
    io::naming(file.name(), [&] { finder.update(bodies.view()); });
    job.summary.take(finder.report(), periodic);
    job.summary.candidates.reset();
    job.watch.lap();
    io::naming(query_file.name(), [&] {
        job.between(
            queries.count, periodic,
            [&](const Consumer<D>& consumer) { finder.probe(queries.view(), consumer); },
            [&] { return finder.probe(queries.view(), job.search.order()); });
    });
}

Summary find(const ProbeFlags& flags) {
    const io::Layout layout = layout_of(flags.shape, false),
                     query_layout = flags.query_layout();
    flags.output.check({flags.file, flags.queries});
    Job job(flags.search, flags.output, flags.file);
    io::BodyFile file(flags.file, layout), queries(flags.queries, query_layout);
    check_same_dim(file, queries);
    job.summary.bodies = file.rows();
    job.summary.other = {"queries", queries.name(), queries.rows()};
    job.summary.dim = file.dim();
    dispatch(flags.search.precision, file.dim(),
             [&]<Real T, int D> { probe<T, D>(job, file, queries); });
    return job.summary;
}

int run_probe(const ProbeFlags& flags) {
    print(find(flags), flags.output.json);
    return 0;
}

}  // namespace

void add_probe(CLI::App& app, Chosen& chosen) {
    add_command<ProbeFlags>(app, chosen, "probe", "find the bodies that each query touches",
                            run_probe)
        ->footer(
            "The output holds (query, body). Bodies keep their size; for points, --cutoff is\n"
            "ignored. Columns group and mask of both files apply as between two sets.\n\n" +
            std::string(domain_help) +
            "Examples:\n"
            "  vicinal probe atoms.xyz queries.csv --spheres -o near.csv\n"
            "  vicinal probe hulls.npy rays.npy --boxes --segments --json");
}

}  // namespace vicinal::tool
