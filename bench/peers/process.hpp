// For peers that are programs: files in memory that both sides see, and the program's run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vicinal::peers {

// A file that has no name on any disk: whatever ends us, nothing of it is left. Other
// programs open it by path() as long as it lives.
class MemoryFile {
  public:
    MemoryFile();
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile();

    int descriptor() const { return descriptor_; }
    std::string path() const;
    void replace(std::string_view content);  // instead of what it holds
    std::string content() const;

  private:
    int descriptor_;
};

// Runs a program with `words` as its arguments, the first being its name, and returns what
// it prints. Throws std::runtime_error with its last line if it fails.
std::string output_of(const std::vector<std::string>& words);

}  // namespace vicinal::peers
