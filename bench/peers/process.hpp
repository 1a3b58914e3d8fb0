// For peers that are programs: files in memory that both processes access, and running a
// program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vicinal::peers {

// A file in memory (memfd), which vanishes with this process. Other programs open it by path().
class MemoryFile {
  public:
    MemoryFile();
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile();

    int descriptor() const { return descriptor_; }
    std::string path() const;
    void replace(std::string_view content);  // replaces the content
    std::string content() const;

  private:
    int descriptor_;
};

// Runs a program with `words` as its arguments, including its name, and returns its output.
// Throws std::runtime_error with its last line if it fails.
std::string output_of(const std::vector<std::string>& words);

}  // namespace vicinal::peers
