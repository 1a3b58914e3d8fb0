// vicinal pairs: finds the pairs of bodies within one file or between two.
#include <optional>

#include "commands.hpp"
#include "io/pairs.hpp"
#include "job.hpp"
#include "text.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::tool {
namespace {

struct PairsFlags {
    std::string file;
    PartnerFlags partners;
    ShapeFlags shape;
    SearchFlags search;
    OutputFlags output;

    void add_to(CLI::App& app) {
        app.add_option("FILE", file, "bodies: .npy, .csv, .xyz, .dump, .lammpstrj or .ply")
            ->required();
        shape.add_to(app);
        partners.add_to(app);
        search.add_to(app);
        output.add_to(app, OutputFlags::Rows::offered);
    }
};

template <Real T, int D>
void within_one_set(Job& job, Finder<T, D>& finder, const Bodies<T, D>& bodies, bool periodic) {
    io::naming(job.summary.file, [&] { finder.update(bodies); });
    if (job.output.count) {
        job.summary.pairs = finder.count();
    } else if (job.output.rows) {
        const Rows<D>& rows = finder.neighbours(RowKind::full, job.search.order());
        job.summary.pairs = rows.indices.size() / 2;
        std::vector<std::uint64_t> degrees(rows.size());
        for (std::size_t i = 0; i < degrees.size(); ++i) degrees[i] = rows[i].size();
        job.summary.neighbours = neighbours(degrees);
        job.writing([&] { return io::write_rows(job.output.file, rows, periodic); });
    } else {
        job.keep(finder.pairs(job.search.order()), bodies.size(), true, periodic);
    }
    job.summary.take(finder.report(), periodic);
}

template <Real T, int D>
void between_two_sets(Job& job, Finder<T, D>& finder, const Bodies<T, D>& bodies,
                      const Bodies<T, D>& others, bool periodic) {
    io::naming(job.summary.other->file, [&] { finder.update(others); });
    job.summary.take(finder.report(), periodic);
    job.summary.candidates.reset();
    job.watch.lap();
    io::naming(job.summary.file, [&] {
        job.between(
            bodies.size(), periodic,
            [&](const Consumer<D>& consumer) { finder.pairs_with(bodies, consumer); },
            [&] { return finder.pairs_with(bodies, job.search.order()); });
    });
}

template <Real T, int D>
void search(Job& job, io::BodyFile& file, std::optional<io::BodyFile>& with,
            const PartnerFlags& partners) {
    const Space<D> space = job.domain_for<D>(file, with ? &*with : nullptr);
    const bool periodic = !space.domain.is_open();
    io::BodyArrays<T, D> arrays = file.take<T, D>();
    io::BodyArrays<T, D> others;
    if (with) others = with->take<T, D>();
    partners.read(arrays, with ? &others : nullptr);
    job.searching();
    Finder<T, D> finder(job.search.options(space.domain));
    if (with)
        between_two_sets(job, finder, arrays.view(), others.view(), periodic);
    else
        within_one_set(job, finder, arrays.view(), periodic);
}

Summary find(const PairsFlags& flags) {
    const io::Layout layout = layout_of(flags.shape, true);
    flags.partners.check();
    std::vector<std::string> inputs = flags.partners.files();
    inputs.push_back(flags.file);
    flags.output.check(inputs);
    if (flags.output.rows && !flags.partners.with.empty())
        throw UsageError("--rows is for the pairs within one file; leave out --with or --rows");
    Job job(flags.search, flags.output, flags.file);
    io::BodyFile file(flags.file, layout);
    std::optional<io::BodyFile> with;
    if (!flags.partners.with.empty()) {
        with.emplace(flags.partners.with, layout);
        check_same_dim(file, *with);
        job.summary.other = {"with", with->name(), with->rows()};
    }
    job.summary.bodies = file.rows();
    job.summary.dim = file.dim();
    dispatch(flags.search.precision, file.dim(),
             [&]<Real T, int D> { search<T, D>(job, file, with, flags.partners); });
    return job.summary;
}

int run_pairs(const PairsFlags& flags) {
    print(find(flags), flags.output.json);
    return 0;
}

}  // namespace

void add_pairs(CLI::App& app, Chosen& chosen) {
    add_command<PairsFlags>(app, chosen, "pairs", "find the pairs of bodies within reach",
                            run_pairs)
        ->footer(
            "Columns of FILE: x,y,z for --cutoff and --radius R; x,y,z,radius for --radius\n"
            "column; x0,y0,z0,x1,y1,z1 for --boxes; --swept appends ux,uy,uz. A .npy file\n"
            "holds them in this order, a .csv file by name; without z the bodies are 2-D.\n"
            "A .csv file may also have group and mask: two bodies pair only if the group\n"
            "of each shares a bit with the mask of the other. Vertices are all columns of\n"
            "a .npy file, or v0, v1, ... of a .csv file.\n\n" +
            std::string(domain_help) +
            "Examples:\n"
            "  vicinal pairs atoms.xyz --cutoff 3.5 -o pairs.npy\n"
            "  vicinal pairs balls.csv --radius column --domain periodic:10,10,- --sorted\n"
            "  vicinal pairs hulls.npy --boxes --with others.npy -o hits.csv");
}

}  // namespace vicinal::tool
