// vicinal stats: coordination numbers, contacts and the radial distribution function.
#include "stats.hpp"

#include <fmt/format.h>

#include "commands.hpp"
#include "input.hpp"
#include "io/write.hpp"
#include "job.hpp"
#include "text.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::tool {
namespace {

constexpr std::uint64_t max_bins = 10'000;  // the page has a row for each

struct StatsFlags {
    std::string file;
    InputFlags input;
    ShapeFlags shape;
    SearchFlags search;
    std::uint64_t bins = 100;
    OutputFlags output;  // the file is a prefix

    void add_to(CLI::App& app) {
        app.add_option("FILE", file, "bodies, as for vicinal pairs")->required();
        input.add_to(app, InputFlags::Frames::one, InputFlags::Ids::none);
        shape.add_to(app);
        search.add_to(app);
        app.get_option("--cutoff")
            ->description(
                "neighbours and g(r) up to this distance, of points or of the centres of "
                "spheres. By kinds (O-O:2.5,O-H:1.2,H-H:never): counts contacts");
        app.get_option("--radius")
            ->description(
                "spheres of this radius, or of the radius in a column: counts contacts");
        app.get_option("--boxes")->description("axis-aligned boxes: counts overlaps");
        for (const char* unused : {"--swept", "--sorted"})
            app.remove_option(app.get_option(unused));
        constexpr const char* group = "Result";
        app.add_option("--bins", bins, "bins of g(r), from 0 to the cut-off (100)")
            ->check(whole_number())
            ->type_name("N")
            ->group(group);
        app.add_option("-o,--output", output.file,
                       "write OUT.html (plots), OUT.gr.csv, OUT.neighbours.csv and "
                       "OUT.contacts.csv or OUT.overlaps.csv")
            ->check(not_empty())
            ->type_name("OUT")
            ->group(group);
        app.add_flag("--json", output.json, "print one JSON object and nothing else")
            ->group(group);
    }

    bool spheres() const { return !shape.radius.empty(); }
    // Cut-offs that differ by kind define contacts, and no g(r).
    bool centres() const { return !shape.cutoff.empty() && !shape.by_kind(); }
    std::string contact_name() const {
        return spheres() || shape.by_kind() ? "contacts" : shape.boxes ? "overlaps" : "";
    }
    std::string no_radial() const {
        if (shape.boxes) return "none, because boxes have no distance where they overlap";
        if (shape.by_kind()) return "none, because the cut-offs differ; give --cutoff R";
        return "none; give --cutoff R for that of the centres up to R";
    }

    void check() const;
    io::Layout layout() const;
    double cutoff() const;
    std::vector<std::string> outputs() const;
};

void StatsFlags::check() const {
    if (shape.boxes && centres())
        throw UsageError(
            "boxes have no g(r), because their distance is 0 where they overlap; leave out "
            "--cutoff to count overlaps, or --boxes to take points");
    if (bins < 1 || bins > max_bins)
        throw UsageError(fmt::format("--bins {} is not from 1 to {}", bins, max_bins));
    for (const char* ending : {".csv", ".html", ".npy"})
        if (output.file.ends_with(ending))
            throw UsageError(
                fmt::format("-o '{}' is the beginning of several names; leave out {}",
                            output.file, ending));
    for (const std::string& name : outputs()) check_writable(name, {file});
}

// Of the bodies; with a radius, the cut-off is for their centres only.
io::Layout StatsFlags::layout() const {
    ShapeFlags bodies = shape;
    if (spheres() && centres()) bodies.cutoff.clear();
    return layout_of(bodies, true);
}

double StatsFlags::cutoff() const {
    ShapeFlags points;
    points.cutoff = shape.cutoff;
    const double cutoff = layout_of(points, true).cutoff;
    if (cutoff == 0) throw UsageError("--cutoff 0 leaves no room for g(r); give a larger one");
    return cutoff;
}

std::vector<std::string> StatsFlags::outputs() const {
    if (output.file.empty()) return {};
    std::vector<std::string> names{output.file + ".html"};
    if (centres()) names.push_back(output.file + ".gr.csv");
    if (centres()) names.push_back(output.file + ".neighbours.csv");
    if (!contact_name().empty()) names.push_back(output.file + '.' + contact_name() + ".csv");
    return names;
}

template <Real T, int D>
struct Measurement {
    const StatsFlags& flags;
    Job& job;
    StatsResult& result;
    const Domain<D>& domain;
    const io::Origin& origin;
    Finder<T, D> finder = Finder<T, D>(flags.search.options(domain));

    // Times of two searches add up.
    PairTally tally(const Bodies<T, D>& bodies, std::span<const double> edges) {
        PairTally found = io::naming(
            origin, [&] { return tally_pairs(finder, bodies, flags.search.threads, edges); });
        const Summary before = job.summary;
        job.summary.take(finder.report(), !domain.is_open());
        job.summary.scene += before.scene;
        job.summary.build += before.build;
        job.summary.search += before.search;
        return found;
    }

    void describe(const PairTally& tally, const Coordination& coordination) {
        job.summary.pairs = coordination.pairs;
        job.summary.neighbours = tool::neighbours(tally.degrees);
    }

    void contacts(const Bodies<T, D>& bodies) {
        const PairTally found = tally(bodies, {});
        result.contacts.emplace(found.degrees);
        result.contact_name = flags.contact_name();
        describe(found, *result.contacts);
    }

    void centres(const Bodies<T, D>& bodies) {
        const Bodies<T, D> points = vicinal::points<D>(bodies.position, flags.cutoff())
                                        .grouped(bodies.group, bodies.mask);
        Radial radial;
        radial.dim = D;
        radial.bodies = bodies.size();
        radial.periodic = std::ranges::all_of(domain.periodic(), [](bool p) { return p; });
        radial.volume = volume_of(bodies, domain);
        radial.edges = bin_edges(static_cast<double>(points.cutoff), flags.bins);
        radial.check();
        PairTally found = tally(points, radial.edges);
        radial.pairs = std::move(found.bins);
        result.radial = std::move(radial);
        result.neighbours.emplace(found.degrees);
        describe(found, *result.neighbours);
    }
};

template <Real T, int D>
void measure(const StatsFlags& flags, Job& job, io::BodyFile& file, StatsResult& result) {
    const Space<D> space = job.domain_for<D>(file, nullptr);
    const io::BodyArrays<T, D> arrays = file.take<T, D>();
    job.searching();
    Measurement<T, D> measurement{flags, job, result, space.domain, file.origin()};
    if (!flags.contact_name().empty()) measurement.contacts(arrays.view());
    if (flags.centres()) measurement.centres(arrays.view());
}

void write(const std::string& name, const std::string& text) {
    io::PendingFile file(name);
    file.write(text);
    file.commit();
}

void write_all(const StatsFlags& flags, const StatsResult& result) {
    const std::string prefix = flags.output.file;
    if (result.radial) write(prefix + ".gr.csv", radial_csv(*result.radial));
    if (result.neighbours)
        write(prefix + ".neighbours.csv", coordination_csv(*result.neighbours, "neighbours"));
    if (result.contacts)
        write(prefix + '.' + result.contact_name + ".csv",
              coordination_csv(*result.contacts, result.contact_name));
    write(prefix + ".html", stats_page(result));
}

int run_stats(const StatsFlags& flags) {
    flags.check();
    const io::Layout layout = flags.layout();
    StatsResult result;
    {
        Job job(flags.search, flags.output, flags.file);
        Inputs inputs(flags.input, {flags.file, layout});
        const std::size_t frame = inputs.chosen().front();
        io::BodyFile file = inputs.first(frame);
        job.reads(file);
        job.summary.frame = inputs.number(frame);
        if (!flags.centres()) result.no_radial = flags.no_radial();
        dispatch(flags.search.precision, file.dim(),
                 [&]<Real T, int D> { measure<T, D>(flags, job, file, result); });
        result.summary = job.summary;
        job.writing([&] {
            write_all(flags, result);
            return flags.outputs();
        });
        result.summary = job.summary;
    }
    if (flags.output.json)
        print(to_json(result));
    else
        print(to_text(result));
    return 0;
}

}  // namespace

void add_stats(CLI::App& app, Chosen& chosen) {
    add_command<StatsFlags>(app, chosen, "stats",
                            "count neighbours and contacts, and compute g(r)", run_stats)
        ->footer(
            "g(r), the radial distribution function, is the number density of bodies at the\n"
            "distance r from a body, over the mean one: 1 if bodies are independent of each\n"
            "other. The mean density is that of the periodic cell, exact for any cut-off,\n"
            "because pairs count in every image. Along open axes it is that of the box that\n"
            "encloses the bodies; g(r) is then too small near the border. Boxes have no g(r).\n"
            "Columns group and mask apply as in vicinal pairs.\n\n" +
            std::string(domain_help) +
            "Examples:\n"
            "  vicinal stats atoms.xyz --cutoff 8 -o atoms\n"
            "  vicinal stats balls.csv --radius column --domain periodic:10,10,10\n"
            "  vicinal stats balls.csv --radius column --cutoff 3 --bins 300 --json");
}

}  // namespace vicinal::tool
