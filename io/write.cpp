#include "io/write.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "io/text.hpp"

#include <vicinal/error.hpp>

namespace vicinal::io {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& file, const std::string& what) {
    throw Error(Error::Kind::input, printable(file.string()) + ": " + what);
}

std::string reason(int error) {
    return " (" + std::generic_category().message(error) + ")";
}

[[noreturn]] void fail_write(const fs::path& file) {
    fail(file, "writing failed" + reason(errno) + "; free space or choose another directory");
}

struct Target {
    fs::path file;
    bool in_place = false;
};

// Resolves links, because renaming would replace the link itself. A link into /proc
// (/dev/stdout) is an open file and is written in place.
Target follow_links(const fs::path& file) {
    constexpr int most_links = 40;
    fs::path at = file;
    for (int i = 0; i < most_links; ++i) {
        if (at.string().starts_with("/proc/") || at.string().starts_with("/dev/fd/"))
            return {at, true};
        std::error_code error;
        if (!fs::is_symlink(fs::symlink_status(at, error))) {
            const auto status = fs::status(at, error);
            return {at, fs::exists(status) && !fs::is_regular_file(status)};
        }
        const fs::path next = fs::read_symlink(at, error);
        if (error) fail(file, "the link cannot be read (" + error.message() + "); remove it");
        at = at.parent_path() / next;
    }
    fail(file, "the links form a cycle; name another file");
}

void check(const fs::path& file) {
    std::error_code error;
    if (file.empty()) fail("(no name)", "the name of the output is empty; give one");
    if (fs::is_directory(file, error) || file.filename().empty())
        fail(file, "is a directory; name a file in it");
    const fs::path parent = file.has_parent_path() ? file.parent_path() : ".";
    if (!fs::is_directory(parent, error))
        fail(file, "the directory " + shown(parent.string()) + " does not exist; create it");
    if (fs::exists(file, error) && ::access(file.c_str(), W_OK) != 0)
        fail(file, "cannot be written" + reason(errno) + "; check its permissions");
}

}  // namespace

// Names of temporary files for a signal handler, which must not lock or allocate. Files beyond
// the number of slots remain if a signal ends the process.
namespace {

std::array<std::atomic<const char*>, 16> pending_names{};

void replace_name(const char* old, const char* name) {
    for (auto& slot : pending_names)
        if (const char* expected = old; slot.compare_exchange_strong(expected, name)) return;
}

}  // namespace

void remove_pending_files() noexcept {
    for (auto& slot : pending_names)
        if (const char* name = slot.load(); name != nullptr) ::unlink(name);
}

struct PendingFile::State {
    fs::path name;  // as the caller gave it
    Target target;
    fs::path temporary;  // empty: written in place
    std::FILE* stream = nullptr;

    ~State() {
        if (stream != nullptr) std::fclose(stream);
        if (temporary.empty()) return;
        std::error_code ignored;
        fs::remove(temporary, ignored);
        replace_name(temporary.c_str(), nullptr);
    }

    void open_temporary() {
        static std::atomic<unsigned> counter = 0;
        do {
            temporary =
                target.file.parent_path() / (".vicinal-" + std::to_string(::getpid()) + "-" +
                                             std::to_string(counter.fetch_add(1)) + ".tmp");
            stream = std::fopen(temporary.c_str(), "wbx");
        } while (stream == nullptr && errno == EEXIST);
        if (stream == nullptr) {
            temporary.clear();
            return;
        }
        replace_name(nullptr, temporary.c_str());
        std::error_code ignored;
        const auto status = fs::status(target.file, ignored);
        if (fs::exists(status)) fs::permissions(temporary, status.permissions(), ignored);
    }
};

PendingFile::PendingFile(fs::path file) : state_(std::make_unique<State>()) {
    if (file == "-") {
        state_->name = "standard output";
        state_->target.in_place = true;
        std::fflush(stdout);
        const int copy = ::dup(STDOUT_FILENO);
        state_->stream = copy < 0 ? nullptr : ::fdopen(copy, "wb");
        if (state_->stream == nullptr)
            fail(state_->name, "cannot be written" + reason(errno) + "; name a file");
        return;
    }
    check(file);
    state_->target = follow_links(file);
    state_->name = std::move(file);
    // Append mode, so that the output of other writers to the same open file is not
    // overwritten.
    if (state_->target.in_place)
        state_->stream = std::fopen(state_->target.file.c_str(), "ab");
    else
        state_->open_temporary();
    if (state_->stream == nullptr)
        fail(state_->name, "cannot be written" + reason(errno) + "; check the directory");
}

PendingFile::PendingFile(PendingFile&&) noexcept = default;
PendingFile::~PendingFile() = default;

void PendingFile::write(const void* data, std::size_t bytes) {
    if (bytes > 0 && std::fwrite(data, 1, bytes, state_->stream) < bytes)
        fail_write(state_->name);
}

void PendingFile::commit() {
    State& state = *state_;
    if (std::fclose(std::exchange(state.stream, nullptr)) != 0) fail_write(state.name);
    if (state.target.in_place) return;
    std::error_code error;
    fs::rename(state.temporary, state.target.file, error);
    if (error) fail(state.name, "cannot be replaced (" + error.message() + "); remove it");
    replace_name(state.temporary.c_str(), nullptr);
    state.temporary.clear();
}

void PendingFile::commit_durably() {
    if (std::fflush(state_->stream) != 0 || ::fsync(::fileno(state_->stream)) != 0)
        fail_write(state_->name);
    commit();
    // The directory must be synced as well, because it holds the new name.
    const fs::path parent = state_->target.file.parent_path();
    const int directory = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY);
    if (directory < 0) fail_write(state_->name);
    const int result = ::fsync(directory);
    ::close(directory);
    if (result != 0) fail_write(state_->name);
}

}  // namespace vicinal::io
