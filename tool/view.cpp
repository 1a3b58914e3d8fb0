// vicinal view: bodies over time as a page for a browser.
#include <fmt/format.h>

#include "commands.hpp"
#include "common/text.hpp"
#include "flags.hpp"
#include "output.hpp"
#include "summary.hpp"
#include "text.hpp"
#include "view_page.hpp"

namespace vicinal::tool {
namespace {

struct ViewFlags {
    std::string name;
    ViewOptions options;
    InputFlags input;
    ShapeFlags shape;
    std::string output;
    bool json = false;

    void add_to(CLI::App& app) {
        app.add_option("DIR|FILE", name,
                       fmt::format("a folder of vicinal run, or {}", file_help))
            ->required()
            ->check(not_empty())
            ->type_name("");
        app.add_option("PAIRS", options.pairs, "pairs (.csv, .npy or .npz) to draw as lines")
            ->check(not_empty())
            ->type_name("");
        input.add_format_to(app);
        constexpr const char* bodies = "Bodies";
        app.add_option("--radius", shape.radius,
                       "spheres of this radius, or of that in the column radius (column:NAME: "
                       "another)")
            ->check(not_empty())
            ->type_name("R|column")
            ->group(bodies);
        app.add_flag("--boxes", shape.boxes, "boxes, also those of the faces of a mesh")
            ->group(bodies);
        app.add_option("--dim", shape.dim, "dimension, if the columns leave it open")
            ->check(one_of({"2", "3"}))
            ->type_name("2|3")
            ->group(bodies);
        constexpr const char* group = "Result";
        app.add_option("-o,--output", output, "the page; must end in .html")
            ->required()
            ->check(not_empty())
            ->type_name("OUT")
            ->group(group);
        app.add_option("--bits", options.bits, "of a coordinate, 4 to 16; default 12")
            ->check(CLI::Range(4, 16).description(""))
            ->type_name("B")
            ->group(group);
        app.add_option("--every", options.every, "show one of K frames; default 1")
            ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32).description(""))
            ->type_name("K")
            ->group(group);
        app.add_option("--max-bytes", options.max_bytes,
                       "of the page, default 200000000; above it, fewer frames are shown")
            ->check(whole_number())
            ->type_name("N")
            ->group(group);
        app.add_flag("--json", json, "print one JSON object and nothing else")->group(group);
        app.footer(
            "The page needs a browser with WebGL 2 and nothing else. Without a shape, bodies "
            "are\n"
            "boxes, spheres or points by their columns (x0, radius), faces of a mesh "
            "triangles.\n"
            "Numbers in other columns become colourings; of vectors, the magnitude.\n\n"
            "Examples:\n"
            "  vicinal run falling --n 5000 --steps 100 -o fall\n"
            "  vicinal view fall -o fall.html\n"
            "  vicinal view points.csv pairs.csv -o pairs.html");
    }
};

nlohmann::ordered_json to_json(const ViewSummary& s) {
    return {{"output", s.file}, {"bytes", s.bytes}, {"bodies", s.bodies}, {"frames", s.frames},
            {"every", s.every}, {"pairs", s.pairs}, {"error", s.error}};
}

int run_view(const ViewFlags& flags) {
    check_inputs({flags.name, flags.options.pairs});
    check_writable(flags.output, {flags.name, flags.options.pairs});
    if (!lower_case(flags.output).ends_with(".html"))
        throw UsageError(fmt::format("-o '{}' must end in .html", flags.output));
    if (flags.shape.boxes && !flags.shape.radius.empty())
        throw UsageError("give only one of --radius R|column and --boxes");
    ViewInput input(flags.name, flags.input, flags.shape);
    const ViewSummary summary = write_view(input, flags.options, flags.output);
    if (flags.json)
        print(to_json(summary));
    else
        print(fmt::format("{}\ncoordinates within {:.3g}; open it in a browser\n",
                          common::one_line(to_text(summary)), summary.error));
    return 0;
}

}  // namespace

void add_view(CLI::App& app, Chosen& chosen) {
    add_command(app, chosen, "view", "make a page that shows bodies over time", run_view);
}

}  // namespace vicinal::tool
