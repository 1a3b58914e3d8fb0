// vicinal split: splits the bodies of a file into parts that independent processes search.
#include <fmt/format.h>

#include <filesystem>

#include "commands.hpp"
#include "common/text.hpp"
#include "domain.hpp"
#include "input.hpp"
#include "part.hpp"
#include "progress.hpp"
#include "summary.hpp"
#include "text.hpp"

namespace vicinal::tool {
namespace {

struct SplitFlags {
    std::string file, folder, domain, precision = "double";
    std::size_t parts = 0;
    InputFlags input;
    ShapeFlags shape;
    PartnerFlags partners;
    bool json = false;

    void add_to(CLI::App& app) {
        app.add_option("FILE", file, file_help)->required();
        input.add_to(app, InputFlags::Frames::one, InputFlags::Ids::none);
        shape.add_to(app);
        partners.add_to(app);
        add_domain(app, domain);
        add_precision(app, precision);
        constexpr const char* group = "Result";
        app.add_option("--parts", parts, "number of parts")
            ->required()
            ->check(whole_number())
            ->type_name("K")
            ->group(group);
        app.add_option("-o,--output", folder, "a new folder for the parts 0, 1, ... K - 1")
            ->required()
            ->check(not_empty())
            ->type_name("DIR")
            ->group(group);
        app.add_flag("--json", json, "print one JSON object and nothing else")->group(group);
    }
};

struct Result {
    std::uint64_t bodies = 0;
    std::vector<std::uint64_t> own, copies;  // of each part
    std::string domain;
};

template <Real T, int D>
Result split_file(const SplitFlags& flags, io::BodyFile& file, Progress& progress) {
    const Space<D> space = choose_domain<D>(flags.domain, file);
    io::BodyArrays<T, D> arrays = file.take<T, D>();
    flags.partners.read<T, D>(arrays, nullptr);
    progress.phase("splitting");
    const std::vector<Part> parts = io::naming(file.origin(), [&] {
        return vicinal::split(arrays.view(), space.domain, flags.parts);
    });
    Result result{arrays.count, {}, {}, space.shown()};
    const PartSettings settings{.file = flags.file,
                                .parts = flags.parts,
                                .shape = flags.shape,
                                .domain = space.text,
                                .precision = flags.precision,
                                .excluded = !arrays.excluded.empty(),
                                .vertices = arrays.vertices.per_body > 0};
    for (const Part& part : parts) {
        progress.phase(fmt::format("writing part {}", part.number));
        PartFolder(std::filesystem::path(flags.folder) / std::to_string(part.number))
            .write(settings, arrays, part);
        result.own.push_back(part.own);
        result.copies.push_back(part.bodies.size() - part.own);
    }
    return result;
}

std::string to_text(const SplitFlags& flags, const Result& result) {
    const auto range = [](const std::vector<std::uint64_t>& counts) {
        const auto [low, high] = std::minmax_element(counts.begin(), counts.end());
        return fmt::format("{} to {}", common::grouped(*low), common::grouped(*high));
    };
    const std::string part = (std::filesystem::path(flags.folder) / "0").string();
    return fmt::format(
        "{}: {} in {} parts ({})\nown bodies  {} per part\ncopies      {} per part\n"
        "Search each one, for example: vicinal pairs --part {} -o 0.npy\n",
        common::one_line(flags.file), common::counted(result.bodies, "bodies"), flags.parts,
        common::one_line(result.domain), range(result.own), range(result.copies),
        shell_word(part));
}

void check_folder(const std::string& folder) {
    std::error_code error;
    if (std::filesystem::exists(folder, error) && !std::filesystem::is_empty(folder, error))
        throw Error(Error::Kind::input,
                    fmt::format("{}: is not an empty folder; give -o a new one", folder));
}

int run_split(const SplitFlags& flags) {
    io::Layout layout = layout_of(flags.shape, true);
    flags.partners.apply(layout);
    if (!flags.partners.with.empty())
        throw UsageError("split is for the pairs within one file; leave out --with");
    check_folder(flags.folder);
    Progress progress("reading " + flags.file);
    std::vector<std::string> files = flags.partners.files();
    files.push_back(flags.file);
    check_inputs(files);
    Inputs inputs(flags.input, {flags.file, layout});
    io::BodyFile file = inputs.first(inputs.chosen().front());
    const Result result = dispatch(flags.precision, file.dim(), [&]<Real T, int D> {
        return split_file<T, D>(flags, file, progress);
    });
    if (flags.json)
        print(nlohmann::ordered_json{{"file", flags.file},
                                     {"bodies", result.bodies},
                                     {"parts", flags.parts},
                                     {"own", result.own},
                                     {"copies", result.copies},
                                     {"domain", result.domain},
                                     {"output", flags.folder}});
    else
        print(to_text(flags, result));
    return 0;
}

}  // namespace

void add_split(CLI::App& app, Chosen& chosen) {
    add_command<SplitFlags>(app, chosen, "split",
                            "split bodies into parts that independent processes search",
                            run_split)
        ->footer(
            "Takes the same shapes, domains and filters as vicinal pairs. Each part is a\n"
            "folder DIR/k with all that `vicinal pairs --part DIR/k` needs. The parts can be\n"
            "searched in any order, on any machine, and again if one fails. Their pairs\n"
            "together are exactly those of FILE, each once, by the index in FILE.\n\n" +
            std::string(input_help) + std::string(domain_help) +
            "Examples:\n"
            "  vicinal split atoms.npy --cutoff 3.5 --parts 8 -o parts\n"
            "  vicinal pairs --part parts/0 -o pairs.0.npy");
}

}  // namespace vicinal::tool
