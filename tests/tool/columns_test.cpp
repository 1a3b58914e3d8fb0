// --columns and --full: what the files of pairs hold.
#include <cmath>

#include "harness.hpp"
#include "io/table.hpp"

namespace vicinal::test {
namespace {

using Rows = Array::Rows;
using Values = std::vector<double>;

class ColumnsOfFiles : public Tool {
  protected:
    std::string line() { return write("line.csv", "x,y,z\n0,0,0\n1,0,0\n2,0.5,0\n9,9,9\n"); }
    void run_to_file(std::vector<std::string> arguments, const std::string& name) {
        arguments.insert(arguments.end(), {"-o", path(name)});
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
    }
    std::string written(const std::vector<std::string>& arguments, const std::string& name) {
        run_to_file(arguments, name);
        return read(name);
    }
    Values column(const std::string& file, const std::string& name) {
        const io::Table table = io::read_table(path(file));
        const io::NamedColumn* const found = table.find(name);
        EXPECT_NE(found, nullptr) << file << " " << name;
        return found == nullptr ? Values{} : found->values;
    }
};

TEST_F(ColumnsOfFiles, csv) {
    const std::vector<std::string> open{"pairs",    line(),      "--cutoff", "1.5",
                                        "--sorted", "--columns", "ijSdD"};
    EXPECT_EQ(written(open, "a.csv"),
              "i,j,distance,dx,dy,dz\n0,1,1,1,0,0\n1,2,1.118033988749895,1,0.5,0\n");
    auto periodic = open;
    periodic.insert(periodic.end(), {"--domain", "periodic:3,-,-"});
    EXPECT_EQ(written(periodic, "a.csv"),
              "i,j,nx,ny,nz,distance,dx,dy,dz\n0,1,0,0,0,1,1,0,0\n"
              "0,2,-1,0,0,1.118033988749895,-1,0.5,0\n1,2,0,0,0,1.118033988749895,1,0.5,0\n");
    periodic[6] = "ijd";
    EXPECT_EQ(written(periodic, "a.csv"),
              "i,j,distance\n0,1,1\n0,2,1.118033988749895\n1,2,1.118033988749895\n");
    periodic[6] = "jiD";
    EXPECT_EQ(written(periodic, "a.csv"),
              "i,j,dx,dy,dz\n0,1,1,0,0\n0,2,-1,0.5,0\n1,2,1,0.5,0\n");
    const Outcome piped =
        run({"pairs", line(), "--cutoff", "1", "--columns", "ijd", "-o", "-"});
    EXPECT_EQ(piped.out, "i,j,distance\n0,1,1\n");
}

TEST_F(ColumnsOfFiles, npz) {
    const std::vector<std::string> arguments{"pairs",    line(),           "--cutoff", "1.5",
                                             "--domain", "periodic:3,-,-", "--sorted"};
    auto columns = arguments;
    columns.insert(columns.end(), {"--columns", "ijSdD"});
    const std::string file = written(columns, "a.npz");
    EXPECT_EQ(column("a.npz:i", ""), (Values{0, 0, 1}));
    EXPECT_EQ(column("a.npz:j", ""), (Values{1, 2, 2}));
    EXPECT_EQ(column("a.npz:d", ""), (Values{1, std::sqrt(1.25), std::sqrt(1.25)}));
    EXPECT_EQ(io::read_table(path("a.npz:S")).columns.at(0).values, (Values{0, -1, 0}));
    EXPECT_EQ(io::read_table(path("a.npz:D")).columns.at(0).values, (Values{1, -1, 1}));
    EXPECT_EQ(io::read_table(path("a.npz:D")).columns.at(1).values, (Values{0, 0.5, 0.5}));
    EXPECT_EQ(io::read_table(path("a.npz:D")).columns.size(), 3u);
    for (const char* header : {"'<u4', 'fortran_order': False, 'shape': (3, )",
                               "'<i2', 'fortran_order': False, 'shape': (3, 3)",
                               "'<f8', 'fortran_order': False, 'shape': (3, )",
                               "'<f8', 'fortran_order': False, 'shape': (3, 3)"})
        EXPECT_NE(file.find(header), std::string::npos) << header;
    columns.insert(columns.end(), {"--precision", "float"});
    EXPECT_NE(written(columns, "a.npz").find("'<f4'"), std::string::npos);
    // Without --columns: the indices and images.
    written(arguments, "b.npz");
    EXPECT_EQ(column("b.npz", "nx"), (Values{0, -1, 0}));
    EXPECT_EQ(io::read_table(path("b.npz")).columns.size(), 5u);
    EXPECT_EQ(
        run({"verify", line(), path("b.npz"), "--cutoff", "1.5", "--domain", "periodic:3,-,-"})
            .code,
        0);
    auto piped = arguments;
    piped.insert(piped.end(), {"-o", "-", "--output-format", "npz"});
    EXPECT_EQ(run(piped).out, read("b.npz"));
}

TEST_F(ColumnsOfFiles, npz_without_pairs) {
    written({"pairs", line(), "--cutoff", "0.5", "--columns", "ijdD"}, "a.npz");
    for (const char* array : {"a.npz:i", "a.npz:j", "a.npz:d", "a.npz:D"})
        EXPECT_EQ(io::read_table(path(array)).rows, 0u) << array;
}

TEST_F(ColumnsOfFiles, npy_with_distances_has_names) {
    written({"pairs", line(), "--cutoff", "1", "--columns", "ijdD"}, "a.npy");
    EXPECT_NE(read("a.npy").find("[('i', '<i8'), ('j', '<i8'), ('distance', '<f8'), ('dx', "),
              std::string::npos);
    EXPECT_EQ(column("a.npy", "distance"), (Values{1}));
    EXPECT_EQ(column("a.npy", "dx"), (Values{1}));
}

// The formula of docs/promises.md, bit by bit.
TEST_F(ColumnsOfFiles, distances_and_vectors_are_those_of_the_formula) {
    const auto file = random_points("p.npy", 200);
    written({"pairs", file, "--cutoff", "0.3", "--domain", "periodic:1,0.7,-", "--full",
             "--columns", "ijSdD"},
            "a.csv");
    const io::Table bodies = io::read_table(file), pairs = io::read_table(path("a.csv"));
    ASSERT_GT(pairs.rows, 1000u);
    const std::vector<std::string> axes{"x", "y", "z"};
    const double periods[] = {1, 0.7, 0};
    for (std::size_t k = 0; k < pairs.rows; ++k) {
        const auto i = static_cast<std::size_t>(pairs.find("i")->values[k]);
        const auto j = static_cast<std::size_t>(pairs.find("j")->values[k]);
        double sum = 0;
        for (std::size_t a = 0; a < 3; ++a) {
            const double s = pairs.find("n" + axes[a])->values[k] * periods[a];
            const double d = (bodies.columns[a].values[j] - bodies.columns[a].values[i]) + s;
            EXPECT_EQ(pairs.find("d" + axes[a])->values[k], d);
            sum += d * d;
        }
        EXPECT_EQ(pairs.find("distance")->values[k], std::sqrt(sum));
    }
}

TEST_F(ColumnsOfFiles, full_lists_hold_both_directions) {
    const auto json =
        this->json({"pairs", line(), "--cutoff", "1", "--domain", "periodic:3,-,-", "--dim",
                    "3", "--full", "--sorted", "-o", path("a.npy")});
    EXPECT_EQ(json["pairs"], 1);
    EXPECT_EQ(json["neighbours"]["mean"], 0.5);
    EXPECT_EQ(read_npy("a.npy").rows(), (Rows{{0, 1, 0, 0, 0}, {1, 0, 0, 0, 0}}));
    const auto one = write("one.csv", "x,y\n0.5,0.5\n");
    const auto self = this->json({"pairs", one, "--cutoff", "1", "--domain", "periodic:1,-",
                                  "--full", "--sorted", "-o", path("a.npy")});
    EXPECT_EQ(self["pairs"], 1);
    EXPECT_EQ(self["neighbours"]["max"], 2);
    EXPECT_EQ(read_npy("a.npy").rows(), (Rows{{0, 0, -1, 0}, {0, 0, 1, 0}}));
    const auto file = random_points("p.npy", 300);
    written({"pairs", file, "--cutoff", "0.2", "--full", "--columns", "ijd"}, "f.npz");
    EXPECT_EQ(run({"verify", file, path("f.npz"), "--cutoff", "0.2", "--full"}).code, 0);
    EXPECT_EQ(run({"verify", file, path("f.npz"), "--cutoff", "0.2"}).code, 1);
}

TEST_F(ColumnsOfFiles, rows_have_files_for_each) {
    const std::vector<std::string> arguments{"pairs",  line(),     "--cutoff",  "1.5",
                                             "--rows", "--sorted", "--columns", "ijSdD"};
    run_to_file(arguments, "out.npy");
    EXPECT_EQ(files(),
              (std::vector<std::string>{"line.csv", "out.distances.npy", "out.indices.npy",
                                        "out.offsets.npy", "out.vectors.npy"}));
    EXPECT_EQ(io::read_table(path("out.distances.npy")).columns.at(0).values,
              (Values{1, 1, std::sqrt(1.25), std::sqrt(1.25)}));
    const io::Table vectors = io::read_table(path("out.vectors.npy"));
    EXPECT_EQ(vectors.columns.at(0).values, (Values{1, -1, 1, -1}));
    EXPECT_EQ(vectors.columns.at(1).values, (Values{0, 0, 0.5, -0.5}));
    auto periodic = arguments;
    periodic.back() = "ijS";
    periodic.insert(periodic.end(), {"--domain", "periodic:3,-,-"});
    run_to_file(periodic, "p.npy");
    EXPECT_EQ(read_npy("p.images.npy").shape, (std::vector<std::size_t>{6, 3}));
    EXPECT_EQ(files().size(), 8u);
}

TEST_F(ColumnsOfFiles, of_every_command_and_with_ids) {
    const auto named = write("named.csv", "id,x,y\n70,0,0\n-8,1,0\n5000000000,3,0\n");
    const auto other = write("other.csv", "id,x,y\n4,0,0.5\n");
    EXPECT_EQ(written({"pairs", named, "--cutoff", "1", "--with", other, "--columns", "ijdD",
                       "--ids"},
                      "a.csv"),
              "i,j,distance,dx,dy\n70,4,0.5,0,0.5\n");
    EXPECT_EQ(written({"probe", named, other, "--points", "--cutoff", "1", "--columns", "ijD",
                       "--ids"},
                      "a.csv"),
              "i,j,dx,dy\n4,70,0,-0.5\n");
    EXPECT_EQ(written({"nearest", named, "--k", "1", "--columns", "ijSdD", "--domain",
                       "periodic:4,-"},
                      "a.csv"),
              "i,j,nx,ny,distance,dx,dy\n0,1,0,0,1,1,0\n1,0,0,0,1,-1,0\n2,0,1,0,1,1,0\n");
    written({"nearest", named, "--k", "1", "--ids"}, "a.npz");
    EXPECT_EQ(column("a.npz:i", ""), (Values{70, -8, 5e9}));
    EXPECT_EQ(column("a.npz:d", ""), (Values{1, 1, 2}));
    EXPECT_NE(read("a.npz").find("'<i8'"), std::string::npos);
}

TEST_F(ColumnsOfFiles, of_each_frame) {
    const auto file = write("t.xyz", "2\n\nAr 0 0 0\nAr 3 0 0\n2\n\nAr 0 0 0\nAr 2 0 0\n");
    json({"pairs", file, "--cutoff", "4", "--frame", "all", "--columns", "ijd", "-o",
          path("a.npz")});
    EXPECT_EQ(column("a.1.npz:d", ""), (Values{3}));
    EXPECT_EQ(column("a.2.npz:d", ""), (Values{2}));
}

TEST_F(ColumnsOfFiles, errors) {
    const auto refused = [&](std::vector<std::string> arguments,
                             const std::vector<std::string>& words) {
        arguments.insert(arguments.begin(), {"pairs", line(), "--cutoff", "1"});
        expect_error(2, arguments, words);
    };
    refused({"--columns", "ijx", "-o", path("a.csv")}, {"'x'", "ijSdD"});
    refused({"--columns", "ijdd", "-o", path("a.csv")}, {"repeated"});
    refused({"--columns", "dD", "-o", path("a.csv")}, {"both i and j"});
    refused({"--columns", "", "-o", path("a.csv")}, {"--columns", "empty"});
    refused({"--columns", "ijd"}, {"--columns", "-o"});
    refused({"--columns", "ijd", "--count"}, {"--columns", "-o"});
    refused({"--full", "--count"}, {"--count", "--full"});
    refused({"--full", "--rows", "-o", path("a")}, {"--rows", "--full"});
    refused({"--full", "--with", line()}, {"one direction", "--full"});
    refused({"--rows", "-o", path("a.npz")}, {"--rows", ".npz"});
    const auto boxes = write("b.csv", "x0,y0,x1,y1\n0,0,1,1\n1,0,2,1\n");
    expect_error(2, {"pairs", boxes, "--boxes", "--columns", "ijd", "-o", path("a.csv")},
                 {"boxes", "distance"});
}

}  // namespace
}  // namespace vicinal::test
