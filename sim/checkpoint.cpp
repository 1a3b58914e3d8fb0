#include "sim/checkpoint.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "io/write.hpp"
#include "sim/hash.hpp"

#include <vicinal/error.hpp>

namespace vicinal::sim {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "checkpoints hold native values");

constexpr std::string_view first_line = "vicinal checkpoint 1\n";

// Writes records in the format of the file: length of the name, name, size, bytes.
template <class Put>
class Records : public StateVisitor {
  public:
    explicit Records(Put put) : put_(std::move(put)) {}

  private:
    void bytes(std::string_view name, void* data, std::size_t size) override {
        const std::uint64_t lengths[] = {name.size(), size};
        put_(&lengths[0], sizeof lengths[0]);
        put_(name.data(), name.size());
        put_(&lengths[1], sizeof lengths[1]);
        put_(data, size);
    }
    Put put_;
};

// Reads a checkpoint sequentially.
class Reader {
  public:
    explicit Reader(const fs::path& file)
        : file_(file), stream_(std::fopen(file.c_str(), "rb")) {
        if (stream_) return;
        fail("cannot be read (" + std::generic_category().message(errno) +
             "); check its permissions");
    }

    void read(void* to, std::size_t size) {
        if (size > 0 && std::fread(to, 1, size, stream_.get()) < size)
            fail("ends too early; start the run again");
        hash_.add(to, size);
    }
    std::uint64_t number() {
        std::uint64_t value = 0;
        read(&value, sizeof value);
        return value;
    }
    std::string text(std::uint64_t size, std::uint64_t max_size) {
        if (size > max_size) damaged();
        std::string result(size, '\0');
        read(result.data(), size);
        return result;
    }
    std::string about() {
        if (text(first_line.size(), first_line.size()) != first_line)
            fail("is not a checkpoint of this version of vicinal; start the run again");
        return text(number(), fs::file_size(file_));
    }
    std::uint64_t hash() const { return hash_.value(); }

    [[noreturn]] void damaged() const {
        fail("is damaged: its checksum is wrong; start the run again");
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(Error::Kind::input, file_.string() + ": " + what);
    }

  private:
    struct Close {
        void operator()(std::FILE* stream) const { std::fclose(stream); }
    };
    fs::path file_;
    std::unique_ptr<std::FILE, Close> stream_;
    Hash hash_;
};

class Restorer : public StateVisitor {
  public:
    explicit Restorer(Reader& reader) : reader_(reader) {}

  private:
    void bytes(std::string_view name, void* data, std::size_t size) override {
        constexpr std::uint64_t longest = 1000;
        const std::string found = reader_.text(reader_.number(), longest);
        const std::uint64_t found_size = reader_.number();
        if (found != name || found_size != size)
            reader_.fail("holds '" + found + "' of " + std::to_string(found_size) +
                         " bytes where this simulation keeps '" + std::string(name) + "' of " +
                         std::to_string(size) +
                         "; it is of another version, start the run again");
        reader_.read(data, size);
    }
    Reader& reader_;
};

}  // namespace

std::uint64_t state_hash(Simulation& simulation) {
    Hash hash;
    Records records([&](const void* data, std::size_t size) { hash.add(data, size); });
    simulation.visit(records);
    return hash.value();
}

void write_checkpoint(const fs::path& file, std::string_view about, Simulation& simulation) {
    io::PendingFile out(file);
    Hash hash;
    const auto put = [&](const void* data, std::size_t size) {
        out.write(data, size);
        hash.add(data, size);
    };
    put(first_line.data(), first_line.size());
    const std::uint64_t size = about.size();
    put(&size, sizeof size);
    put(about.data(), about.size());
    Records records(put);
    simulation.visit(records);
    const std::uint64_t checksum = hash.value();
    out.write(&checksum, sizeof checksum);
    out.commit_durably();
}

// The checksum is verified before any content is used.
Checkpoint::Checkpoint(fs::path file) : file_(std::move(file)) {
    Reader reader(file_);
    std::uint64_t left = fs::file_size(file_);
    const std::uint64_t min_size = first_line.size() + 2 * sizeof(std::uint64_t);
    if (left < min_size)
        reader.fail("is not a checkpoint: it is too short; start the run again");
    about_ = reader.about();
    if (left < min_size + about_.size()) reader.damaged();
    left -= min_size + about_.size();
    std::vector<char> buffer(std::size_t{1} << 20);
    while (left > 0) {
        const auto size =
            static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer.size()));
        reader.read(buffer.data(), size);
        left -= size;
    }
    const std::uint64_t expected = reader.hash();
    if (reader.number() != expected) reader.damaged();
}

void Checkpoint::restore(Simulation& simulation) const {
    Reader reader(file_);
    reader.about();
    Restorer restorer(reader);
    simulation.visit(restorer);
}

}  // namespace vicinal::sim
