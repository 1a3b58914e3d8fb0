#include "bench/peers/process.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace vicinal::peers {
namespace {

void check(bool good, const char* what) {
    if (!good) throw std::system_error(errno, std::generic_category(), what);
}

std::string last_line(std::string text) {
    text.erase(text.find_last_not_of(" \n") + 1);
    return text.substr(text.rfind('\n') + 1);
}

// Runs in the child, and must not allocate or throw. The child has its own process group,
// because mpirun sometimes kills the group it runs in. It is killed when the parent dies,
// because signals to the parent's group no longer reach it.
[[noreturn]] void become(char* const* arguments, int output) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execvp(arguments[0], arguments);
    _exit(127);
}

}  // namespace

MemoryFile::MemoryFile() : descriptor_(memfd_create("vicinal", MFD_CLOEXEC)) {
    check(descriptor_ >= 0, "cannot create a file in memory");
}

MemoryFile::~MemoryFile() {
    close(descriptor_);
}

std::string MemoryFile::path() const {
    return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor_);
}

void MemoryFile::replace(std::string_view content) {
    check(ftruncate(descriptor_, 0) == 0, "cannot empty a file in memory");
    off_t at = 0;
    while (!content.empty()) {
        const ssize_t written = pwrite(descriptor_, content.data(), content.size(), at);
        check(written > 0, "cannot write to a file in memory");
        content.remove_prefix(static_cast<std::size_t>(written));
        at += written;
    }
}

std::string MemoryFile::content() const {
    struct stat status{};
    check(fstat(descriptor_, &status) == 0, "cannot read a file in memory");
    std::string text(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t at = 0;
    while (at < text.size()) {
        const ssize_t got =
            pread(descriptor_, text.data() + at, text.size() - at, static_cast<off_t>(at));
        check(got > 0, "cannot read a file in memory");
        at += static_cast<std::size_t>(got);
    }
    return text;
}

std::string output_of(const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const MemoryFile printed;
    const pid_t child = fork();
    check(child >= 0, "cannot start a program");
    if (child == 0) become(arguments.data(), printed.descriptor());
    int status = 0;
    while (waitpid(child, &status, 0) < 0) check(errno == EINTR, "cannot wait for a program");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw std::runtime_error(words[0] + " failed: " + last_line(printed.content()));
    return printed.content();
}

}  // namespace vicinal::peers
