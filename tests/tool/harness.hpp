// Runs the tool in a temporary directory and reads its output.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace vicinal::test {

struct Outcome {
    int code = -1;  // 128 + signal if it was killed
    std::string out, err;

    nlohmann::json json() const { return nlohmann::json::parse(out); }
};

// A .npy array of integers.
struct Array {
    std::string type;  // numpy's name: "<u4"
    std::vector<std::size_t> shape;
    std::vector<std::int64_t> values;  // row by row
    using Rows = std::vector<std::vector<std::int64_t>>;
    Rows rows() const;
};

// Checks that every claim of an experiment's table has a verdict. Which one depends on the
// machine.
void expect_claims(const nlohmann::json& table, std::size_t count);

// The directory of a test: new, and removed afterwards.
class Tool : public ::testing::Test {
  protected:
    void SetUp() override;
    void TearDown() override;

    Outcome run(const std::vector<std::string>& arguments);
    // The same with this text as standard input.
    Outcome run_on(const std::string& input, const std::vector<std::string>& arguments);
    // The same with stdout redirected to `path`.
    Outcome run_to(const std::string& path, const std::vector<std::string>& arguments);
    // The same with a file size limit of `bytes`.
    Outcome run_within(std::uint64_t bytes, const std::vector<std::string>& arguments);

    // Runs the tool, expects success and returns the JSON.
    nlohmann::json json(std::vector<std::string> arguments);
    // Expects exit code `code`, nothing on stdout, and one line on stderr with the words.
    void expect_error(int code, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& words);
    static void check_error(const Outcome& outcome, int code,
                            const std::vector<std::string>& words);

    std::string path(const std::string& name) const { return (directory_ / name).string(); }
    // Writes a file and returns its path.
    std::string write(const std::string& name, const std::string& content) const;
    std::string read(const std::string& name) const;
    Array read_npy(const std::string& name) const;
    // The same as --sorted --output, as rows.
    Array::Rows pairs(std::vector<std::string> arguments);
    std::vector<std::string> files() const;  // in the directory, sorted

    // Random bodies in the unit cube, the same at every call.
    std::string random_points(const std::string& name, int count, int dim = 3,
                              unsigned seed = 1) const;

  private:
    Outcome execute(const std::vector<std::string>& arguments, const std::string& out,
                    std::uint64_t limit);

    std::filesystem::path directory_;
    std::string input_ = "/dev/null";
};

// Bytes of a .npy file.
std::string npy(const std::string& type, const std::string& shape, const std::string& data);
template <class T>
std::string bytes(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace vicinal::test
