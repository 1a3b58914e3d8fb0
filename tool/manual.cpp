// vicinal manual: manual pages and bash completion.
#include "manual.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <sstream>

#include "commands.hpp"
#include "common/text.hpp"
#include "io/write.hpp"
#include "summary.hpp"
#include "text.hpp"

#include <vicinal/error.hpp>
#include <vicinal/version.hpp>

namespace vicinal::tool {
namespace {

// Text in which nothing is a command or an escape of the formatter. Hyphens stay as typed, so
// that flags can be copied.
std::string roff(const std::string& text) {
    std::string result = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
    for (const char c : text) {
        if (c == '\\')
            result += "\\e";
        else if (c == '-')
            result += "\\-";
        else
            result += c;
    }
    return result;
}

std::string heading(const std::string& name, const std::string& date) {
    std::string capitals = name;
    for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return fmt::format(".TH {} 1 {} \"vicinal {}.{}.{}\"\n", capitals, date,
                       VICINAL_VERSION_MAJOR, VICINAL_VERSION_MINOR, VICINAL_VERSION_PATCH);
}

// A footer is prose, and at its end examples.
struct Footer {
    std::string prose, examples;

    explicit Footer(const std::string& text) {
        std::istringstream in(text);
        bool prosaic = true;
        for (std::string line; std::getline(in, line);) {
            if (line == "Example:" || line == "Examples:")
                prosaic = false;
            else
                (prosaic ? prose : examples) += line + '\n';
        }
    }
};

// Indented lines stay as they are, others form paragraphs.
std::string paragraphs(const std::string& lines) {
    std::istringstream in(lines);
    std::string text;
    bool literal = false, begin = false;
    for (std::string line; std::getline(in, line);) {
        const bool indented = line.starts_with("  ");
        if (literal && !indented) text += ".fi\n.RE\n";
        if (indented && !literal) text += ".RS 4\n.nf\n";
        begin = begin || line.empty() || (literal && !indented);
        literal = indented;
        if (line.empty()) continue;
        if (begin && !indented) text += ".PP\n";
        begin = false;
        text += roff(indented ? line.substr(2) : line) + '\n';
    }
    return text + (literal ? ".fi\n.RE\n" : "");
}

// "-o, --output OUT" in bold and italics.
std::string option_tag(const CLI::Option& option) {
    if (option.get_positional()) return fmt::format("\\fI{}\\fR", roff(option.get_name(true)));
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames())
        names.push_back(fmt::format("\\fB\\-{}\\fR", roff(name)));
    for (const std::string& name : option.get_lnames())
        names.push_back(fmt::format("\\fB\\-\\-{}\\fR", roff(name)));
    std::string tag = common::join(names);
    if (option.get_items_expected_max() > 0)
        tag += fmt::format(" \\fI{}\\fR", roff(option.get_type_name()));
    return tag;
}

std::string option_list(const CLI::App& app) {
    std::string text = ".SH OPTIONS\n";
    for (const CLI::Option* option : app.get_options(
             [](const CLI::Option* candidate) { return candidate->get_positional(); }))
        text +=
            fmt::format(".TP\n{}\n{}\n", option_tag(*option), roff(option->get_description()));
    for (const std::string& group : app.get_groups()) {
        const auto options = app.get_options([&](const CLI::Option* candidate) {
            return candidate->nonpositional() && candidate->get_group() == group;
        });
        if (options.empty()) continue;
        if (group != "Options") text += fmt::format(".SS {}\n", roff(group));
        for (const CLI::Option* option : options)
            text += fmt::format(".TP\n{}\n{}\n", option_tag(*option),
                                roff(option->get_description()));
    }
    return text;
}

std::string synopsis(const CLI::App& command) {
    std::string text =
        fmt::format(".SH SYNOPSIS\n.B vicinal {}\n[\\fIoptions\\fR]\n", command.get_name());
    const CLI::Formatter formatter;
    for (const CLI::Option* option : command.get_options(
             [](const CLI::Option* candidate) { return candidate->get_positional(); }))
        text += roff(formatter.make_option_usage(option)) + '\n';
    return text;
}

constexpr const char* exit_status =
    ".SH EXIT STATUS\n"
    "0 on success, 1 for invalid data, files and limits, 2 for a wrong command line. Errors "
    "are\n"
    "one line on standard error.\n";

// The present, or the time that a reproducible build sets.
std::string date_of_pages() {
    const char* fixed = std::getenv("SOURCE_DATE_EPOCH");
    double seconds = 0;
    std::time_t time = std::time(nullptr);
    if (fixed != nullptr && common::parse(fixed, seconds))
        time = static_cast<std::time_t>(seconds);
    return fmt::format("{:%Y-%m-%d}", fmt::gmtime(time));
}

void write_file(const std::filesystem::path& name, const std::string& text) {
    io::PendingFile file(name);
    file.write(text);
    file.commit();
}

std::filesystem::path make_folder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error || !std::filesystem::is_directory(folder))
        throw Error(Error::Kind::input,
                    fmt::format("{}: cannot be created as a folder; choose another DIR",
                                folder.string()));
    return folder;
}

struct ManualFlags {
    std::string folder;

    void add_to(CLI::App& app) {
        app.add_option("DIR", folder,
                       "for man/man1/*.1 and bash-completion/completions/vicinal: a folder "
                       "such as ~/.local/share")
            ->required();
    }
};

int write_manual(const CLI::App& app, const std::string& folder) {
    const std::filesystem::path share(folder);
    const auto pages = make_folder(share / "man" / "man1");
    const std::string date = date_of_pages();
    write_file(pages / "vicinal.1", tool_page(app, date));
    const auto commands = commands_of(app);
    for (const CLI::App* command : commands)
        write_file(pages / fmt::format("vicinal-{}.1", command->get_name()),
                   command_page(*command, date));
    const auto completion = make_folder(share / "bash-completion" / "completions") / "vicinal";
    write_file(completion, bash_completion(app));
    print(fmt::format("{} in {}\ncompletion in {}\n",
                      common::counted(commands.size() + 1, "manual pages"),
                      common::one_line(pages.string()), common::one_line(completion.string())));
    return 0;
}

}  // namespace

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string tool_page(const CLI::App& app, const std::string& date) {
    std::string text = heading("vicinal", date);
    text += ".SH NAME\nvicinal \\- find which bodies are close enough to interact\n";
    text += ".SH SYNOPSIS\n.B vicinal\n\\fIcommand\\fR [\\fIoptions\\fR] ...\n";
    text += ".SH COMMANDS\n";
    for (const CLI::App* command : commands_of(app))
        text += fmt::format(".TP\n.BR vicinal\\-{} (1)\n{}\n", roff(command->get_name()),
                            roff(command->get_description()));
    return text + option_list(app) + ".SH NOTES\n" + paragraphs(app.get_footer()) + exit_status;
}

std::string command_page(const CLI::App& command, const std::string& date) {
    const std::string name = "vicinal-" + command.get_name();
    const Footer footer(command.get_footer());
    std::string text = heading(name, date);
    text += fmt::format(".SH NAME\n{} \\- {}\n", roff(name), roff(command.get_description()));
    text += synopsis(command) + option_list(command);
    if (!footer.prose.empty()) text += ".SH NOTES\n" + paragraphs(footer.prose);
    text += exit_status;
    if (!footer.examples.empty()) text += ".SH EXAMPLES\n" + paragraphs(footer.examples);
    return text + ".SH SEE ALSO\n.BR vicinal (1)\n";
}

void add_manual(CLI::App& app, Chosen& chosen) {
    CLI::App* command = app.add_subcommand("manual", "write manual pages and bash completion");
    auto flags = std::make_shared<ManualFlags>();
    flags->add_to(*command);
    command->footer(
        "cmake --install does this. For a tool that is not installed:\n"
        "  vicinal manual ~/.local/share");
    command->callback([&app, &chosen, flags] {
        chosen = [&app, flags] { return write_manual(app, flags->folder); };
    });
}

}  // namespace vicinal::tool
