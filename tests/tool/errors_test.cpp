// Errors: one line that names the fault and the remedy, the right exit code, and no files left.
#include <unistd.h>

#include <cstdlib>

#include "harness.hpp"

namespace vicinal::test {
namespace {

namespace fs = std::filesystem;

class Errors : public Tool {
  protected:
    std::string points() { return random_points("points.npy", 100); }
};

TEST_F(Errors, a_wrong_file) {
    expect_error(1, {"pairs", path("none.csv"), "--cutoff", "1"}, {"none.csv", "check"});
    expect_error(1, {"pairs", path(""), "--cutoff", "1"}, {"directory"});
    expect_error(1, {"pairs", write("empty.npy", ""), "--cutoff", "1"}, {"empty.npy", "empty"});
    expect_error(1, {"pairs", write("text.npy", "hello, I am no array\n"), "--cutoff", "1"},
                 {"text.npy"});
    expect_error(1, {"pairs", write("data.xls", "1,2,3\n"), "--cutoff", "1"},
                 {"data.xls", ".xls", ".npy", ".csv"});
    const std::string whole = npy("<f8", "100, 3", std::string(2400, '\0'));
    expect_error(1, {"pairs", write("cut.npy", whole.substr(0, 999)), "--cutoff", "1"},
                 {"cut.npy"});
}

TEST_F(Errors, nan_in_line_18) {
    std::string text = "x,y,z\n";
    for (int row = 1; row <= 20; ++row) text += row == 17 ? "1,nan,1\n" : "1,2,3\n";
    for (const std::string shape : {"--cutoff=1", "--radius=1"})
        expect_error(1, {"pairs", write("data.csv", text), shape},
                     {"data.csv", " y ", "nan", "body 16", "line 18 of the file", "finite"});
    expect_error(1, {"verify", path("data.csv"), write("p.csv", "i,j\n0,1\n"), "--cutoff", "1"},
                 {"data.csv", "line 18 of the file"});
    expect_error(1, {"pairs", points(), "--cutoff", "1", "--with", path("data.csv")},
                 {"data.csv", "line 18 of the file"});
}

TEST_F(Errors, bad_values_name_their_row) {
    expect_error(1,
                 {"pairs", write("r.csv", "x,y,radius\n0,0,1\n0,0,-1\n"), "--radius", "column"},
                 {"r.csv", "radius", "-1", "line 3"});
    expect_error(1, {"pairs", write("b.csv", "x0,y0,x1,y1\n0,0,1,1\n0,3,1,1\n"), "--boxes"},
                 {"b.csv", "lower", "y", "line 3"});
    expect_error(1,
                 {"pairs", write("u.csv", "x,y,ux,uy\n0,0,1,1\n0,0,inf,1\n"), "--cutoff", "1",
                  "--swept"},
                 {"u.csv", "displacement", "inf", "line 3"});
}

// A column of text is a label, unless its name requires numbers: it must not silently make the
// bodies two-dimensional or disable a filter.
TEST_F(Errors, words_where_numbers_belong) {
    for (const std::string z : {"1.5 m", "1e400", "abc", ""})
        expect_error(1,
                     {"pairs", write("z.csv", "x,y,z\n0,0," + z + "\n0,0,9\n"), "--cutoff=1"},
                     {"z.csv", "line 2", "'z'", "number"});
    expect_error(1, {"pairs", write("g.csv", "x,y,group\n0,0,A\n0,0,B\n"), "--cutoff", "1"},
                 {"g.csv", "line 2", "'group'", "'A'"});
}

TEST_F(Errors, nothing_is_taken_for_granted) {
    const auto file = write("in.csv", "x,y\n0,0\n1,0\n");
    for (const std::string flag : {"--domain", "-o", "--with", "--exclude"})
        expect_error(2, {"pairs", file, "--cutoff", "1", flag, ""}, {flag, "empty"});
    expect_error(2, {"pairs", file, "--cutoff", "1", "-o", file}, {"in.csv", "overwrite"});
    expect_error(2, {"pairs", file, "--cutoff", "1", "--rows", "-o", path("")}, {"folder"});
    const auto list = write("list.csv", "i,j,nx,ny\n0,1,3,0\n");
    expect_error(1, {"verify", file, list, "--cutoff", "1"},
                 {"list.csv", "images", "--domain"});
}

TEST_F(Errors, a_missing_column) {
    const auto file = write("xyz.csv", "x,y,z,mass\n0,0,0,1\n");
    expect_error(1, {"pairs", file, "--radius", "column"},
                 {"xyz.csv", "no column 'radius'", "x, y, z, mass"});
    expect_error(1, {"pairs", file, "--boxes"}, {"'x0'", "--boxes"});
    expect_error(1, {"pairs", file, "--cutoff", "1", "--swept"}, {"'ux'", "--swept"});
    expect_error(1, {"pairs", write("flat.csv", "x,y\n0,0\n"), "--cutoff", "1", "--dim", "3"},
                 {"'z'"});
    expect_error(1, {"pairs", points(), "--radius", "column", "--dim", "3"},
                 {"points.npy", "3 columns", "4 in 3-D"});
    expect_error(1, {"pairs", points(), "--cutoff", "1", "--dim", "2"},
                 {"3 columns", "2 in 2-D"});
    expect_error(1, {"pairs", points(), "--boxes"}, {"4 in 2-D", "6 in 3-D"});
}

TEST_F(Errors, an_instruction_set_the_machine_has_not) {
    setenv("VICINAL_SIMD", "abacus", 1);
    expect_error(2, {"pairs", points(), "--cutoff", "1"},
                 {"VICINAL_SIMD", "abacus", "unset", "scalar"});
    unsetenv("VICINAL_SIMD");
}

TEST_F(Errors, an_unknown_method) {
    expect_error(2, {"pairs", points(), "--cutoff", "1", "--method", "gird"},
                 {"gird", "compact_grid"});
    expect_error(2, {"pairs", points(), "--cutoff", "1", "--method", "compact_grid(cel=2)"},
                 {"cel", "cell"});
    expect_error(2, {"pairs", points(), "--cutoff", "1", "--method", "compact_grid(cell=-2)"},
                 {"cell", "-2"});
    expect_error(2, {"pairs", points(), "--cutoff", "1", "--method", "compact_grid(cell=2"},
                 {});
}

TEST_F(Errors, bad_usage) {
    const auto refused = [&](const std::vector<std::string>& more,
                             const std::vector<std::string>& words) {
        std::vector<std::string> arguments{"pairs", points()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        expect_error(2, arguments, words);
    };
    refused({}, {"--cutoff", "--radius", "--boxes", "vicinal pairs --help"});
    refused({"--cutoff", "1", "--boxes"}, {"only one of"});
    refused({"--cutoff", "1", "--rule", "max"}, {"--rule", "--radius"});
    refused({"--radius", "1", "--rule", "most"}, {"most", "sum"});
    refused({"--cutoff"}, {"--cutoff"});
    refused({"--cutoff", "far"}, {"--cutoff", "far"});
    refused({"--cutoff", "-1"}, {"--cutoff", "-1"});
    refused({"--cutoff", "nan"}, {"--cutoff", "nan"});
    refused({"--radius", "columns"}, {"--radius", "columns", "column"});
    refused({"--cutoff", "1", "--dim", "4"}, {"--dim", "4"});
    refused({"--cutoff", "1", "--precision", "half"}, {"half", "float", "double"});
    refused({"--cutoff", "1", "--threads", "-1"}, {"--threads", "-1"});
    refused({"--cutoff", "1", "--max-pairs", "-1"}, {"--max-pairs", "-1"});
    refused({"--cutoff", "1", "--nonsense"}, {"--nonsense", "vicinal pairs --help"});
    refused({"--cutof", "1"}, {"--cutof", "did you mean --cutoff?", "vicinal pairs --help"});
    refused({"--cutof=1"}, {"--cutof=1", "did you mean --cutoff?"});
    refused({"--cutoff", "1", "--cutoff", "2"}, {"--cutoff is given more than once"});
    refused({"--cutoff", "1", "more.npy"}, {"unexpected argument 'more.npy'"});
    refused({"--cutoff", "1", "--count", "-o", path("o.npy")}, {"--count"});
    refused({"--cutoff", "1", "--rows"}, {"--rows", "-o"});
    refused({"--cutoff", "1", "--rows", "-o", path("o.csv")}, {"--rows", ".csv"});
    refused({"--cutoff", "1", "--rows", "--with", points(), "-o", path("o")}, {"--with"});
    refused({"--cutoff", "1", "-o", path("o.txt")}, {"o.txt", ".npy", ".csv"});
    expect_error(2, {"pear"}, {"'pear'; available: pairs, ", "vicinal --help"});
    expect_error(2, {"pair"}, {"'pair'; did you mean 'pairs'? Available: pairs, probe, "});
    expect_error(2, {"sats"}, {"did you mean 'stats'?"});
    expect_error(2, {"bench", "--experiment", "p1-tabel1"}, {"did you mean 'p1-table1'?"});
    expect_error(2, {"pairs"}, {"FILE", "vicinal pairs --help"});
    expect_error(2, {"--nonsense"}, {"--nonsense", "vicinal --help"});
}

TEST_F(Errors, bad_domains) {
    const auto refused = [&](int code, const std::string& domain,
                             const std::vector<std::string>& words) {
        expect_error(code, {"pairs", points(), "--cutoff", "1", "--domain", domain}, words);
    };
    refused(2, "round", {"round", "periodic:10,10,10"});
    refused(2, "periodic", {"periodic", "periodic:10,10,-"});
    refused(2, "periodic:1,1", {"2 parts", "3 are needed"});
    refused(2, "periodic:1,1,1:2,2", {"2 parts"});
    refused(2, "periodic:1 1 1", {"1 part ", "commas"});
    refused(2, "periodic:0,0,-:1,1,1", {"z", "one corner"});
    refused(2, "periodic:1,1,1:2,2,2:3,3,3", {"periodic:"});
    refused(2, "periodic:1,,1", {"''", "not a number"});
    refused(2, "periodic:1,one,1", {"one"});
    refused(2, "sheared:1,1,1", {"offset"});
    refused(2, "sheared:-,1,1:0.5", {"x and y"});
    refused(2, "sheared:1,1,1:half", {"half"});
    refused(2, "triclinic:1,0,0,1", {"4 parts", "9"});
    refused(2, "triclinic:1,0,0,0,1,0,0,0,1:ad", {"'ad'", "abc"});
    refused(2, "triclinic:1,0,0,0,1,0,0,0,1:aa", {"'aa'", "once"});
    refused(2, "triclinic:1,0,0,0,1,0,0,0,1:", {"''", "abc"});
    refused(2, "triclinic:1,0,0,0,1,0,0,0,1:a:b", {"lattice vectors", ":ab"});
    refused(2, "open:1", {"open:1"});
    refused(1, "periodic:1,0,1", {"y", "0", "positive"});
    refused(1, "periodic:1,1,-2", {"z", "-2"});
    refused(1, "periodic:nan,1,1", {"x", "nan"});
    refused(1, "triclinic:1,0,0,1,0,0,0,0,1", {"volume", "independent"});
}

TEST_F(Errors, a_limit_names_what_it_takes) {
    expect_error(1, {"pairs", points(), "--cutoff", "2", "--max-pairs", "10"},
                 {"4950", "but --max-pairs is 10; raise --max-pairs"});
    expect_error(1, {"pairs", points(), "--cutoff", "2", "--max-pairs", "10", "--count"},
                 {"10"});
    expect_error(1, {"pairs", points(), "--cutoff", "3000", "--domain", "periodic:1,1,1"},
                 {"images of 100 bodies", "smaller reach", "raise --max-pairs"});
    // A command without the flag does not name it.
    const std::vector<std::string> bench{"bench", points(),   "--cutoff",
                                         "3000",  "--domain", "periodic:1,1,1"};
    expect_error(1, bench, {"images of 100 bodies", "smaller reach or a larger box\n"});
}

TEST_F(Errors, json_prints_nothing_on_error) {
    expect_error(1, {"pairs", path("none.csv"), "--cutoff", "1", "--json"}, {"none.csv"});
    expect_error(2, {"pairs", points(), "--json"}, {"--cutoff"});
}

TEST_F(Errors, places_that_cannot_be_written) {
    const auto to = [&](const std::string& file) {
        return std::vector<std::string>{"pairs", points(), "--cutoff", "2", "-o", file};
    };
    expect_error(1, to(path("none/out.npy")), {"none"});
    fs::create_directory(path("folder.npy"));
    expect_error(1, to(path("folder.npy")), {"folder.npy", "directory"});
    fs::create_symlink("/dev/full", path("full.npy"));
    expect_error(1, to(path("full.npy")), {"full.npy", "space"});
    expect_error(1, {"pairs", points(), "--cutoff", "2", "--rows", "-o", path("none/out")},
                 {"none"});
}

TEST_F(Errors, no_permission) {
    if (geteuid() == 0) GTEST_SKIP() << "root may read and write anything";
    const auto file = points();
    fs::create_directory(path("locked"));
    fs::permissions(path("locked"), fs::perms::owner_read | fs::perms::owner_exec);
    expect_error(1, {"pairs", file, "--cutoff", "2", "-o", path("locked/out.npy")}, {"locked"});
    fs::permissions(file, fs::perms::none);
    expect_error(1, {"pairs", file, "--cutoff", "2"}, {"points.npy", "permission"});
}

TEST_F(Errors, a_full_disk_leaves_the_old_file_and_nothing_else) {
    const auto file = points();
    write("out.npy", "old");
    const auto before = files();
    check_error(run_within(4096, {"pairs", file, "--cutoff", "2", "-o", path("out.npy")}), 1,
                {"out.npy", "writing failed"});
    check_error(
        run_within(4096, {"pairs", file, "--cutoff", "2", "--rows", "-o", path("rows")}), 1,
        {"rows.", "writing failed"});
    check_error(run_within(4096, {"scene", "uniform", "--n", "999", "-o", path("out.npy")}), 1,
                {"out.npy", "writing failed"});
    EXPECT_EQ(files(), before);
    EXPECT_EQ(read("out.npy"), "old");
}

TEST_F(Errors, a_full_stdout_is_an_error) {
    check_error(run_to("/dev/full", {"methods"}), 1, {"standard output", "space"});
    check_error(run_to("/dev/full", {"pairs", points(), "--cutoff", "1", "--json"}), 1,
                {"standard output"});
    check_error(run_to("/dev/full", {"--help"}), 1, {"standard output"});
}

TEST_F(Errors, hostile_words_stay_on_one_line) {
    const std::string evil = "\xff\xfe\x1b[31m\nnext \t{} %s %n";
    expect_error(2, {evil}, {"unknown command", "\\x0a"});
    expect_error(2, {"--" + evil}, {});
    expect_error(1, {"pairs", evil + ".csv", "--cutoff", "1"}, {});
    expect_error(2, {"pairs", points(), "--cutoff", evil}, {"--cutoff"});
    expect_error(2, {"pairs", points(), "--cutoff", "1", "--method", evil}, {});
    expect_error(2, {"pairs", points(), "--cutoff", "1", "--domain", evil}, {});
    expect_error(2, {"scene", evil, "-o", path("o.npy")}, {});
    expect_error(2, {"scene", "uniform", "dim=2", "dim=3", "-o", path("o.npy")},
                 {"dim is given twice"});
    expect_error(2, {"pairs", points(), "--cutoff", "1", ""}, {});
    expect_error(2, {""}, {});
    expect_error(2, {std::string(100'000, 'x')}, {});
}

TEST_F(Errors, names_that_are_not_utf8_still_give_json) {
    const auto file = write("\xff\xfe.csv", "x,y\n0,0\n1,0\n");
    EXPECT_EQ(json({"pairs", file, "--cutoff", "1"})["pairs"], 1);
}

}  // namespace
}  // namespace vicinal::test
