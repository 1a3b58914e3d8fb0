// vicinal pairs: finds the pairs of bodies within one file or between two.
#include <optional>

#include "commands.hpp"
#include "frames.hpp"
#include "io/pairs.hpp"
#include "job.hpp"
#include "part_pairs.hpp"
#include "text.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::tool {
namespace {

struct PairsFlags {
    std::string file, part;
    InputFlags input;
    PartnerFlags partners;
    ShapeFlags shape;
    SearchFlags search;
    OutputFlags output;

    void add_to(CLI::App& app) {
        auto* const bodies = app.add_option("FILE", file, file_help);
        app.add_option("--part", part, "one of the parts of vicinal split, instead of FILE")
            ->check(not_empty())
            ->excludes(bodies)
            ->type_name("DIR/K")
            ->group("Input");
        input.add_to(app, InputFlags::Frames::all, InputFlags::Ids::offered);
        shape.add_to(app);
        partners.add_to(app);
        search.add_to(app);
        output.add_to(app, OutputFlags::Rows::offered);
    }
};

template <Real T, int D>
void within_one_set(Job& job, Finder<T, D>& finder, const io::Origin& origin,
                    const io::BodyArrays<T, D>& bodies, bool periodic) {
    io::naming(origin, [&] { finder.update(bodies.view()); });
    const Columns columns = job.output.columns(periodic);
    if (job.output.count) {
        job.summary.pairs = finder.count();
    } else if (job.output.rows) {
        const Rows<T, D>& rows = finder.neighbours(columns, RowKind::full, job.search.order());
        job.summary.pairs = rows.indices.size() / 2;
        std::vector<std::uint64_t> degrees(rows.size());
        for (std::size_t i = 0; i < degrees.size(); ++i) degrees[i] = rows[i].size();
        job.summary.neighbours = neighbours(degrees);
        job.writing([&] { return io::write_rows(job.output.file, rows, columns); });
    } else {
        const PairForm form{.order = job.search.order(), .kind = job.output.kind()};
        job.keep(finder.pairs(columns, form), columns, {bodies.ids, bodies.ids}, true);
    }
    job.summary.take(finder.report(), periodic);
}

template <Real T, int D>
void between_two_sets(Job& job, Finder<T, D>& finder, const io::Origin& origin,
                      const io::BodyArrays<T, D>& bodies, const io::Origin& other_origin,
                      const io::BodyArrays<T, D>& others, bool periodic) {
    io::naming(other_origin, [&] { finder.update(others.view()); });
    job.summary.take(finder.report(), periodic);
    job.summary.candidates.reset();
    job.watch.lap();
    io::naming(origin, [&] {
        job.between(
            {bodies.ids, others.ids}, periodic,
            [&](const Consumer<D>& consumer) { finder.pairs_with(bodies.view(), consumer); },
            [&](Columns columns, const PairForm& form) {
                return finder.pairs_with(bodies.view(), columns, form);
            });
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
        between_two_sets(job, finder, file.origin(), arrays, with->origin(), others, periodic);
    else
        within_one_set(job, finder, file.origin(), arrays, periodic);
}

Summary find(const PairsFlags& flags, const OutputFlags& output, Inputs& inputs,
             std::size_t frame) {
    Job job(flags.search, output, flags.file);
    io::BodyFile file = inputs.first(frame);
    std::optional<io::BodyFile> with = inputs.second(frame);
    if (with) {
        check_same_dim(file, *with);
        job.summary.other = {"with", with->name(), with->rows()};
    }
    job.reads(file);
    dispatch(flags.search.precision, file.dim(),
             [&]<Real T, int D> { search<T, D>(job, file, with, flags.partners); });
    return job.summary;
}

// A part comes with its shape and filters.
void check_part(const PairsFlags& flags) {
    const ShapeFlags& shape = flags.shape;
    const PartnerFlags& partners = flags.partners;
    const InputFlags& input = flags.input;
    std::string given =
        shape.cutoff + shape.radius + shape.rule + input.format + input.fields + input.frame;
    for (const std::string& file : partners.files()) given += file;
    if (!given.empty() || shape.boxes || shape.swept || shape.dim != 0 || input.ids ||
        partners.skip_adjacent)
        throw UsageError(
            "a part has the shape, the filters and the indices of vicinal split; with --part "
            "give only how to search and the result");
}

int run_pairs(const PairsFlags& flags) {
    if (!flags.part.empty()) {
        check_part(flags);
        return run_part(flags.part, flags.search, flags.output);
    }
    if (flags.file.empty()) throw UsageError("FILE is required");
    io::Layout layout = layout_of(flags.shape, true);
    layout.ids = flags.input.ids;
    flags.partners.apply(layout);
    std::vector<std::string> files = flags.partners.files();
    files.push_back(flags.file);
    if (flags.output.rows && !flags.partners.with.empty())
        throw UsageError("--rows is for the pairs within one file; leave out --with or --rows");
    if (flags.output.full && !flags.partners.with.empty())
        throw UsageError("pairs between two files have one direction; leave out --full");
    if (flags.output.rows && flags.input.ids)
        throw UsageError("--rows counts bodies by index; leave out --ids or --rows");
    return run_frames(flags.input, flags.output, files, {flags.file, layout},
                      {flags.partners.with, layout, true},
                      [&](const OutputFlags& output, Inputs& inputs, std::size_t frame) {
                          return find(flags, output, inputs, frame);
                      });
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
            "a .npy file, or v0, v1, ... of a .csv file. Of a mesh (.ply, .obj, .stl, .vtp,\n"
            ".vtu), --boxes takes the box of every face or cell, with the face's index.\n"
            "Cut-offs of kinds need a column kind, species, element or type, and one for each\n"
            "two of the kinds, also of a kind with itself.\n\n" +
            std::string(input_help) + std::string(domain_help) +
            "Examples:\n"
            "  vicinal pairs atoms.xyz --cutoff 3.5 -o pairs.npy\n"
            "  vicinal pairs atoms.xyz --cutoff 3.5 --full --columns ijSdD -o list.npz\n"
            "  vicinal pairs water.xyz --cutoff O-O:3.2,O-H:1.2,H-H:never -o bonds.npy\n"
            "  vicinal pairs balls.csv --radius column --domain periodic:10,10,- --sorted\n"
            "  vicinal pairs hulls.npy --boxes --with others.npy -o hits.csv\n"
            "  vicinal pairs bunny.ply --boxes --skip-adjacent -o near.npy\n"
            "  vicinal pairs run.lammpstrj.gz --cutoff 2.5 --frame all --ids -o pairs.csv");
}

}  // namespace vicinal::tool
