// A sign of life for people who wait.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace vicinal::tool {

// Shows what is going on from the first second on, in one line of stderr that is gone
// when the object is. Silent when stderr is no terminal.
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
