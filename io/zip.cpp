#include "io/zip.hpp"

#include <algorithm>

#include "io/compress.hpp"
#include "io/text.hpp"

namespace vicinal::io {

namespace {

[[noreturn]] void fail_directory(const Source& source) {
    source.fail(
        "the directory of the archive is damaged; the file is truncated or was not "
        "saved with numpy.savez");
}

// Numbers at offsets into the archive; every access is checked.
class Bounded {
  public:
    Bounded(const Source& source, std::string_view bytes) : source_(source), bytes_(bytes) {}

    std::uint64_t number(std::uint64_t at, int width) const {
        const std::string_view text = part(at, static_cast<std::uint64_t>(width));
        std::uint64_t value = 0;
        for (int k = width; k-- > 0;)
            value = value << 8 | static_cast<unsigned char>(text[static_cast<std::size_t>(k)]);
        return value;
    }
    std::string_view part(std::uint64_t at, std::uint64_t size) const {
        if (at > bytes_.size() || size > bytes_.size() - at) fail_directory(source_);
        return bytes_.substr(at, size);
    }
    bool has(std::uint64_t at, std::string_view signature) const {
        return at <= bytes_.size() && bytes_.substr(at).starts_with(signature);
    }

  private:
    const Source& source_;
    std::string_view bytes_;
};

struct Directory {
    std::uint64_t at = 0, entries = 0;
};

Directory find_directory(const Source& source, const Bounded& bytes, std::string_view archive) {
    const std::size_t end = archive.rfind("PK\5\6");
    if (end == std::string_view::npos)
        source.fail(archive.starts_with("PK")
                        ? "ends too early; the file is truncated, write it again"
                        : "has the wrong magic for a .npz file; save it with numpy.savez");
    constexpr std::uint64_t locator_bytes = 20, end_bytes = 22;
    bytes.part(end, end_bytes);
    if (end >= locator_bytes && bytes.has(end - locator_bytes, "PK\6\7")) {
        const std::uint64_t record = bytes.number(end - locator_bytes + 8, 8);
        if (!bytes.has(record, "PK\6\6")) fail_directory(source);
        return {bytes.number(record + 48, 8), bytes.number(record + 32, 8)};
    }
    return {bytes.number(end + 16, 4), bytes.number(end + 10, 2)};
}

// Sizes and offsets that do not fit 32 bits are in an extra field, in this order.
struct Sizes {
    std::uint64_t size, stored, header;

    void widen(const Bounded& extra, std::uint64_t length) {
        constexpr std::uint64_t elsewhere = 0xffffffff;
        for (std::uint64_t at = 0; at + 4 <= length;) {
            const std::uint64_t id = extra.number(at, 2), bytes = extra.number(at + 2, 2);
            std::uint64_t value = at + 4;
            for (std::uint64_t* one : {&size, &stored, &header})
                if (id == 1 && *one == elsewhere) *one = extra.number(value, 8), value += 8;
            at += 4 + bytes;
        }
    }
};

}  // namespace

std::vector<ZipEntry> zip_entries(const Source& source, std::string_view archive) {
    const Bounded bytes(source, archive);
    const Directory directory = find_directory(source, bytes, archive);
    std::vector<ZipEntry> entries;
    std::uint64_t at = directory.at;
    for (std::uint64_t k = 0; k < directory.entries; ++k) {
        if (!bytes.has(at, "PK\1\2")) fail_directory(source);
        const std::uint64_t flags = bytes.number(at + 8, 2), method = bytes.number(at + 10, 2);
        Sizes sizes{bytes.number(at + 24, 4), bytes.number(at + 20, 4),
                    bytes.number(at + 42, 4)};
        const std::uint64_t name = bytes.number(at + 28, 2), extra = bytes.number(at + 30, 2);
        ZipEntry entry;
        entry.name = bytes.part(at + 46, name);
        entry.checksum = static_cast<std::uint32_t>(bytes.number(at + 16, 4));
        sizes.widen(Bounded(source, bytes.part(at + 46 + name, extra)), extra);
        if ((flags & 1) != 0 || (method != 0 && method != 8))
            source.fail("the entry " + shown(entry.name) +
                        " is encrypted or compressed in an unknown way; save it again with "
                        "numpy.savez");
        if (!bytes.has(sizes.header, "PK\3\4")) fail_directory(source);
        // The lengths of name and extra field may differ from those in the directory.
        const std::uint64_t data = sizes.header + 30 + bytes.number(sizes.header + 26, 2) +
                                   bytes.number(sizes.header + 28, 2);
        entry.data = bytes.part(data, sizes.stored);
        entry.deflated = method == 8;
        entry.size = sizes.size;
        entries.push_back(std::move(entry));
        at += 46 + name + extra + bytes.number(at + 32, 2);
    }
    return entries;
}

std::string_view zip_contents(const Source& source, const ZipEntry& entry,
                              std::string& buffer) {
    std::string_view contents = entry.data;
    std::string error;
    if (entry.deflated) {
        error = inflate_all(entry.data, Inflater::Kind::raw, entry.size, buffer);
        contents = buffer;
    } else if (entry.size != entry.data.size()) {
        error = "two sizes differ";
    }
    if (error.empty() && crc32(0, contents.data(), contents.size()) != entry.checksum)
        error = "wrong checksum";
    if (!error.empty())
        source.fail("the data of " + shown(entry.name) + " are damaged (" + error +
                    "); copy or write the file again");
    return contents;
}

}  // namespace vicinal::io
