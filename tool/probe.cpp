// vicinal probe: finds the bodies that each query touches.
#include "commands.hpp"
#include "frames.hpp"
#include "job.hpp"
#include "text.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::tool {
namespace {

struct ProbeFlags {
    std::string file, queries;
    InputFlags input;
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
        input.add_to(app, InputFlags::Frames::all, InputFlags::Ids::offered);
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
    if (!shape.cutoff.empty()) {
        if (!points && !segments)
            throw UsageError(
                "--cutoff is the reach of --points and --segments; spheres and boxes have a "
                "size of their own, so leave it out");
        if (shape.by_kind())
            throw UsageError("queries have no kinds; give one number as --cutoff");
        ShapeFlags reach;
        reach.cutoff = shape.cutoff;
        layout.cutoff = layout_of(reach, false).cutoff;
    }
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
    io::naming(file.origin(), [&] { finder.update(bodies.view()); });
    job.summary.take(finder.report(), periodic);
    job.summary.candidates.reset();
    job.watch.lap();
    io::naming(query_file.origin(), [&] {
        job.between(
            {queries.ids, bodies.ids}, periodic,
            [&](const Consumer<D>& consumer) { finder.probe(queries.view(), consumer); },
            [&](Columns columns, const PairForm& form) {
                return finder.probe(queries.view(), columns, form);
            });
    });
}

Summary find(const ProbeFlags& flags, const OutputFlags& output, Inputs& inputs,
             std::size_t frame) {
    Job job(flags.search, output, flags.file);
    io::BodyFile file = inputs.first(frame);
    std::optional<io::BodyFile> queries = inputs.second(frame);
    check_same_dim(file, *queries);
    job.reads(file);
    job.summary.other = {"queries", queries->name(), queries->rows()};
    dispatch(flags.search.precision, file.dim(),
             [&]<Real T, int D> { probe<T, D>(job, file, *queries); });
    return job.summary;
}

int run_probe(const ProbeFlags& flags) {
    ShapeFlags shape = flags.shape;
    shape.cutoff.clear();  // that of the queries
    io::Layout layout = layout_of(shape, false), query_layout = flags.query_layout();
    layout.ids = query_layout.ids = flags.input.ids;
    return run_frames(flags.input, flags.output, {flags.file, flags.queries},
                      {flags.file, layout}, {flags.queries, query_layout},
                      [&](const OutputFlags& output, Inputs& inputs, std::size_t frame) {
                          return find(flags, output, inputs, frame);
                      });
}

}  // namespace

void add_probe(CLI::App& app, Chosen& chosen) {
    add_command<ProbeFlags>(app, chosen, "probe", "find the bodies that each query touches",
                            run_probe)
        ->footer(
            "The output holds (query, body). Bodies keep their size. Query points and "
            "segments\n"
            "touch what is within --cutoff (default 0). Columns group and mask of both files\n"
            "apply as between two sets.\n\n" +
            std::string(input_help) + std::string(domain_help) +
            "Examples:\n"
            "  vicinal probe atoms.xyz queries.csv --points --cutoff 3.5 -o near.csv\n"
            "  vicinal probe atoms.xyz queries.csv --spheres -o near.csv\n"
            "  vicinal probe hulls.npy rays.npy --boxes --segments --json");
}

}  // namespace vicinal::tool
