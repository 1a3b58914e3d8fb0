#include "flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "common/text.hpp"
#include "kinds.hpp"
#include "text.hpp"

namespace vicinal::tool {
namespace {

double length_of(const std::string& flag, const std::string& text, const char* also) {
    double value = 0;
    if (common::parse(text, value) && std::isfinite(value) && value >= 0) return value;
    throw UsageError(fmt::format("{} '{}' is not a finite number >= 0{}", flag, text, also));
}

constexpr const char* search_group = "Search";

}  // namespace

const char* const domain_help =
    "Domains: open; periodic:LX,LY,LZ or periodic:x0,y0,z0:x1,y1,z1, where - leaves an axis\n"
    "open; sheared:LX,LY,LZ:OFFSET[:CHANGE], where crossing in x shifts y by OFFSET, which\n"
    "changes by CHANGE during the step; triclinic:ax,ay,az,bx,by,bz,cx,cy,cz[:PERIODIC], the\n"
    "lattice vectors; PERIODIC (such as ab) names the periodic ones. In 2-D give two numbers\n"
    "(four for triclinic). Without --domain, the cell of the file or of the second file is\n"
    "used; a file without a cell means an open domain.\n\n";

CLI::Validator whole_number() {
    return CLI::Validator(
        [](std::string& text) {
            const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
            if (!digits || text.empty())
                return fmt::format("'{}' is not a whole number >= 0", text);
            std::uint64_t value = 0;
            const auto end = text.data() + text.size();
            return std::from_chars(text.data(), end, value).ec == std::errc()
                       ? std::string()
                       : fmt::format("'{}' does not fit 64 bits; give a smaller number", text);
        },
        "");
}

CLI::Validator one_of(std::vector<std::string> words) {
    return CLI::Validator(
        [words = std::move(words)](std::string& text) {
            const bool found = std::find(words.begin(), words.end(), text) != words.end();
            return found ? "" : fmt::format("'{}' is not one of {}", text, common::join(words));
        },
        "");
}

CLI::Validator not_empty() {
    return CLI::Validator(
        [](std::string& text) {
            return std::string(
                text.empty() ? "the value is empty; give one or leave out the flag" : "");
        },
        "");
}

void ShapeFlags::add_to(CLI::App& app) {
    constexpr const char* group = "Shape of the bodies";
    app.add_option("--cutoff", cutoff,
                   "points; two of them pair up to this distance. By kinds: "
                   "O-O:2.5,O-H:1.2,H-H:never")
        ->type_name("R")
        ->group(group);
    app.add_option(
           "--radius", radius,
           "spheres of this radius, or of that in the column radius (column:NAME: another)")
        ->type_name("R|column")
        ->group(group);
    app.add_flag("--boxes", boxes, "axis-aligned boxes: lower and upper corners")->group(group);
    app.add_option("--rule", rule, "reach of two spheres: sum (default), max or min of radii")
        ->check(one_of({"sum", "max", "min"}))
        ->type_name("sum|max|min")
        ->group(group);
    app.add_flag("--swept", swept, "the file also holds a displacement for the step")
        ->group(group);
    app.add_option("--dim", dim, "dimension, if the columns leave it open")
        ->check(one_of({"2", "3"}))
        ->type_name("2|3")
        ->group(group);
}

void add_domain(CLI::App& app, std::string& domain) {
    app.add_option("--domain", domain,
                   "open, periodic:..., sheared:..., triclinic:...; see below")
        ->check(not_empty())
        ->type_name("D")
        ->group(search_group);
}

void add_precision(CLI::App& app, std::string& precision) {
    app.add_option("--precision", precision, "float or double (default)")
        ->check(one_of({"float", "double"}))
        ->type_name("float|double")
        ->group(search_group);
}

void SearchFlags::add_to(CLI::App& app) {
    app.add_option("--method", method, "name(key=value, ...); see vicinal methods")
        ->type_name("METHOD")
        ->group(search_group);
    add_domain(app, domain);
    app.add_option("--threads", threads, "0 (default): VICINAL_THREADS, or all cores")
        ->check(whole_number())
        ->type_name("N")
        ->group(search_group);
    add_precision(app, precision);
    app.add_option("--max-pairs", max_pairs, "fail if there are more pairs")
        ->check(whole_number())
        ->type_name("N")
        ->group(search_group);
    app.add_flag("--sorted", sorted, "by (i, j, image): the same for every method")
        ->group(search_group);
}

void PartnerFlags::add_to(CLI::App& app) {
    constexpr const char* group = "Second set and filters";
    app.add_option("--with", with,
                   "a second set of the same shape; pairs are (body of FILE, body of FILE2)")
        ->check(not_empty())
        ->type_name("FILE2")
        ->group(group);
    app.add_option("--exclude", exclude, "pairs to leave out: a file of two columns i, j")
        ->check(not_empty())
        ->type_name("PAIRS")
        ->group(group);
    app.add_option("--vertices", vertices,
                   "1 to 8 vertices per body, one row each; bodies that share one never pair")
        ->check(not_empty())
        ->type_name("FILE3")
        ->group(group);
    app.add_option("--with-vertices", with_vertices,
                   "vertices of the bodies in FILE2, in the same numbering")
        ->check(not_empty())
        ->type_name("FILE4")
        ->group(group);
    app.add_flag("--skip-adjacent", skip_adjacent,
                 "with --boxes of a mesh: faces or cells that share a vertex never pair")
        ->group(group);
}

void PartnerFlags::apply(io::Layout& layout) const {
    layout.skip_adjacent = skip_adjacent;
    if (skip_adjacent && layout.shape != Shape::boxes)
        throw UsageError("--skip-adjacent needs --boxes: the faces of a mesh");
    if (skip_adjacent && !(with.empty() && vertices.empty()))
        throw UsageError(
            "--skip-adjacent takes the vertices of one mesh; leave out --with and --vertices");
    if (with.empty() && !with_vertices.empty())
        throw UsageError("--with-vertices is for the bodies of --with; use --vertices");
    if (!with.empty() && vertices.empty() != with_vertices.empty())
        throw UsageError(
            "only one of two files has vertices; give --vertices and --with-vertices");
}

io::Layout layout_of(const ShapeFlags& flags, bool needed) {
    io::Layout layout;
    layout.swept = flags.swept;
    layout.dim = flags.dim;
    const bool spheres = !flags.radius.empty();
    const int given =
        (flags.cutoff.empty() ? 0 : 1) + (spheres ? 1 : 0) + (flags.boxes ? 1 : 0);
    if (given > 1 || (needed && given == 0))
        throw UsageError(fmt::format("{} --cutoff R, --radius R|column and --boxes",
                                     given > 1 ? "give only one of" : "give one of"));
    if (!flags.rule.empty() && !spheres)
        throw UsageError("--rule needs --radius: only spheres have a reach rule");
    if (flags.rule == "max") layout.rule = ReachRule::max;
    if (flags.rule == "min") layout.rule = ReachRule::min;
    layout.flag = spheres ? "--radius " + flags.radius : flags.boxes ? "--boxes" : "points";
    if (!flags.cutoff.empty()) {
        layout.flag = "--cutoff";
        if (flags.by_kind())
            layout.cutoffs = parse_kind_cutoffs(flags.cutoff);
        else
            layout.cutoff =
                length_of(layout.flag, flags.cutoff,
                          ", nor cut-offs of kinds such as O-O:2.5,O-H:1.2,H-H:never");
    }
    if (layout.swept) layout.flag += " --swept";
    if (flags.boxes) layout.shape = Shape::boxes;
    if (!spheres) return layout;
    layout.shape = Shape::spheres;
    constexpr std::string_view column = "column:";
    layout.radius_column = flags.radius == "column" || flags.radius.starts_with(column);
    if (!layout.radius_column)
        layout.radius = length_of("--radius", flags.radius, ", nor the word 'column'");
    else if (flags.radius.starts_with(column))
        layout.radius_name = lower_case(flags.radius.substr(column.size()));
    if (layout.radius_name.empty())
        throw UsageError("--radius column: needs the name of a column after the colon");
    return layout;
}

void check_same_dim(const io::BodyFile& a, const io::BodyFile& b) {
    if (a.dim() == b.dim()) return;
    throw Error(Error::Kind::input,
                fmt::format("{} is {}-D but {} is {}-D; give --dim 2 to ignore z in both",
                            a.name(), a.dim(), b.name(), b.dim()));
}

}  // namespace vicinal::tool
