// A progress display.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace vicinal::tool {

// Shows the current phase after one second, in one line of stderr that the destructor erases.
// Silent if stderr is not a terminal.
class Progress {
  public:
    explicit Progress(const std::string& phase);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress();

    void phase(const std::string& name);

  private:
    void show();

    std::mutex mutex_;
    std::condition_variable ended_;
    bool end_ = false;
    std::string phase_;
    std::thread thread_;
};

}  // namespace vicinal::tool
