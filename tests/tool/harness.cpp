#include "harness.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

namespace vicinal::test {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::string slurp(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    EXPECT_TRUE(in) << file;
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// Runs in the child, and must not allocate or throw.
[[noreturn]] void become_tool(char* const* arguments, const char* in, const char* out,
                              const char* err, std::uint64_t limit) {
    const int to_out = open(out, O_WRONLY | O_CREAT, 0600);
    const int to_err = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int from = open(in, O_RDONLY);
    if (to_out < 0 || to_err < 0 || from < 0) _exit(126);
    dup2(from, 0);
    dup2(to_out, 1);
    dup2(to_err, 2);
    if (limit != unlimited) {
        const rlimit size{limit, limit};
        std::signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &size);
    }
    execv(VICINAL_TOOL, arguments);
    _exit(127);
}

template <class T>
void append_values(const std::string& data, std::vector<std::int64_t>& values) {
    for (std::size_t at = 0; at + sizeof(T) <= data.size(); at += sizeof(T)) {
        T value;
        std::memcpy(&value, data.data() + at, sizeof(T));
        values.push_back(static_cast<std::int64_t>(value));
    }
}

}  // namespace

Array::Rows Array::rows() const {
    Rows result;
    const std::size_t width = shape.size() < 2 ? 1 : shape[1];
    for (std::size_t at = 0; at < values.size(); at += width)
        result.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(at),
                            values.begin() + static_cast<std::ptrdiff_t>(at + width));
    return result;
}

void Tool::SetUp() {
    std::string name = (fs::temp_directory_path() / "vicinal-tool-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
}

void Tool::TearDown() {
    std::error_code ignored;
    fs::permissions(directory_, fs::perms::owner_all, ignored);
    fs::remove_all(directory_, ignored);
}

Outcome Tool::execute(const std::vector<std::string>& arguments, const std::string& out,
                      std::uint64_t limit) {
    std::vector<std::string> words{"vicinal"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    // Next to the directory, so that tests can list its contents.
    const std::string err = directory_.string() + ".err";
    const pid_t child = fork();
    if (child == 0)
        become_tool(pointers.data(), input_.c_str(), out.c_str(), err.c_str(), limit);
    Outcome outcome;
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.err = slurp(err);
    fs::remove(err);
    return outcome;
}

Outcome Tool::run_within(std::uint64_t bytes, const std::vector<std::string>& arguments) {
    const std::string out = directory_.string() + ".out";
    Outcome outcome = execute(arguments, out, bytes);
    outcome.out = slurp(out);
    fs::remove(out);
    return outcome;
}

Outcome Tool::run(const std::vector<std::string>& arguments) {
    return run_within(unlimited, arguments);
}

Outcome Tool::run_on(const std::string& input, const std::vector<std::string>& arguments) {
    input_ = directory_.string() + ".in";
    std::ofstream(input_, std::ios::binary) << input;
    Outcome outcome = run(arguments);
    fs::remove(input_);
    input_ = "/dev/null";
    return outcome;
}

Outcome Tool::run_to(const std::string& path, const std::vector<std::string>& arguments) {
    return execute(arguments, path, unlimited);
}

nlohmann::json Tool::json(std::vector<std::string> arguments) {
    arguments.push_back("--json");
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.json();
}

void Tool::check_error(const Outcome& outcome, int code,
                       const std::vector<std::string>& words) {
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(outcome.err.starts_with("vicinal: ")) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_TRUE(outcome.err.ends_with("\n"));
    for (const std::string& word : words)
        EXPECT_NE(outcome.err.find(word), std::string::npos)
            << "no '" << word << "' in: " << outcome.err;
}

void Tool::expect_error(int code, const std::vector<std::string>& arguments,
                        const std::vector<std::string>& words) {
    const auto before = files();
    check_error(run(arguments), code, words);
    EXPECT_EQ(files(), before) << "an error left something behind";
}

std::string Tool::write(const std::string& name, const std::string& content) const {
    std::ofstream out(path(name), std::ios::binary);
    out << content;
    EXPECT_TRUE(out.flush());
    return path(name);
}

std::string Tool::read(const std::string& name) const {
    return slurp(path(name));
}

Array Tool::read_npy(const std::string& name) const {
    const std::string text = read(name);
    Array array;
    EXPECT_EQ(text.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    std::uint16_t length = 0;
    std::memcpy(&length, text.data() + 8, 2);
    EXPECT_EQ((10 + length) % 64, 0);
    const std::string header = text.substr(10, length), data = text.substr(10 + length);
    const auto after = [&](const std::string& key) {
        return header.substr(header.find(key) + key.size());
    };
    array.type = after("'descr': '").substr(0, 3);
    EXPECT_NE(header.find("'fortran_order': False"), std::string::npos);
    std::istringstream shape(after("'shape': ("));
    std::size_t extent = 0;
    char comma = 0;
    while (shape >> extent) array.shape.push_back(extent), shape >> comma;
    if (array.type == "<u4") append_values<std::uint32_t>(data, array.values);
    if (array.type == "<u8") append_values<std::uint64_t>(data, array.values);
    if (array.type == "<i8") append_values<std::int64_t>(data, array.values);
    if (array.type == "<i2") append_values<std::int16_t>(data, array.values);
    std::size_t total = 1;
    for (const std::size_t e : array.shape) total *= e;
    EXPECT_EQ(array.values.size(), total) << header;
    return array;
}

Array::Rows Tool::pairs(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--sorted", "-o", path("result.npy")});
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.code == 0 ? read_npy("result.npy").rows() : Array::Rows{};
}

std::vector<std::string> Tool::files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory_))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::string Tool::random_points(const std::string& name, int count, int dim,
                                unsigned seed) const {
    std::mt19937 random(seed);
    std::vector<double> values;
    for (int k = 0; k < count * dim; ++k)
        values.push_back(static_cast<double>(random()) / 4294967296.0);
    return write(name,
                 npy("<f8", std::to_string(count) + ", " + std::to_string(dim), bytes(values)));
}

std::string npy(const std::string& type, const std::string& shape, const std::string& data) {
    std::string header =
        "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
    while ((10 + header.size() + 1) % 64 != 0) header += ' ';
    header += '\n';
    const auto length = static_cast<std::uint16_t>(header.size());
    return std::string("\x93NUMPY\x01\x00", 8) +
           std::string(reinterpret_cast<const char*>(&length), 2) + header + data;
}

void expect_claims(const nlohmann::json& table, std::size_t count) {
    ASSERT_EQ(table["claims"].size(), count);
    for (const auto& claim : table["claims"]) {
        EXPECT_TRUE(claim["holds"].is_boolean()) << claim.dump();
        const std::string measured = claim["measured"];
        EXPECT_NE(measured.find_first_of("0123456789"), std::string::npos) << claim.dump();
        EXPECT_EQ(measured.find("inf"), std::string::npos) << claim.dump();
    }
}

}  // namespace vicinal::test
