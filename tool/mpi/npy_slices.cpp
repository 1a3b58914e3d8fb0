#include "tool/mpi/npy_slices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "io/write.hpp"

namespace vicinal::tool {
namespace {

// An array's row as one MPI type, so that counts are numbers of rows.
class RowType {
  public:
    explicit RowType(std::size_t bytes) {
        MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type_);
        MPI_Type_commit(&type_);
    }
    RowType(const RowType&) = delete;
    RowType& operator=(const RowType&) = delete;
    ~RowType() { MPI_Type_free(&type_); }
    MPI_Datatype get() const { return type_; }

  private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

std::string reason(int code) {
    std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    return text.data();
}

class File {
  public:
    File(const std::string& name, int mode, const Ranks& ranks) : name_(name), ranks_(ranks) {
        const int code =
            MPI_File_open(MPI_COMM_WORLD, name.c_str(), mode, MPI_INFO_NULL, &file_);
        if (code != MPI_SUCCESS) file_ = MPI_FILE_NULL;
        check(code, "cannot be opened", "check its name and its permissions");
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() {
        if (file_ != MPI_FILE_NULL) MPI_File_close(&file_);
    }
    MPI_File get() const { return file_; }

    void check(int code, const char* what, const char* remedy) const {
        ranks_.together([&] {
            if (code != MPI_SUCCESS)
                throw Error(Error::Kind::input,
                            fmt::format("{}: {} ({}); {}", name_, what, reason(code), remedy));
        });
    }

  private:
    std::string name_;
    const Ranks& ranks_;
    MPI_File file_ = MPI_FILE_NULL;
};

struct Header {
    std::size_t bytes = 0;   // before the values
    std::size_t number = 0;  // bytes of one
    std::uint64_t rows = 0, columns = 1;
};

// The text after 'key': in the dictionary of the header.
std::string_view value_of(std::string_view text, const std::string& key) {
    const auto at = text.find("'" + key + "':");
    if (at == text.npos) return {};
    text.remove_prefix(at + key.size() + 3);
    while (text.starts_with(' ')) text.remove_prefix(1);
    return text;
}

// Only the arrays that this tool takes: everything else is an error.
Header parse_header(const std::string& name, const std::string& bytes) {
    const auto fail = [&](const std::string& what) {
        throw Error(Error::Kind::input,
                    fmt::format("{}: {}; save the rows with numpy.save as an array of float32 "
                                "or float64",
                                name, what));
    };
    if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY")) fail("is not a .npy file");
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(bytes[k]); };
    const bool long_header = byte(6) > 1;
    std::size_t length = byte(8) + 256u * byte(9);
    if (long_header) length += (byte(10) + 256u * byte(11)) << 16;
    Header header;
    header.bytes = length + (long_header ? 12 : 10);
    if (header.bytes > bytes.size()) fail("its header is too long");
    const std::string_view text = std::string_view(bytes).substr(0, header.bytes);
    const std::string_view type = value_of(text, "descr");
    if (type.starts_with("'<f8'"))
        header.number = 8;
    else if (type.starts_with("'<f4'"))
        header.number = 4;
    else
        fail("its numbers are not little-endian floating point");
    if (!value_of(text, "fortran_order").starts_with("False"))
        fail("its rows are not contiguous");
    std::string_view shape = value_of(text, "shape");
    std::array<std::uint64_t*, 2> sizes{&header.rows, &header.columns};
    std::size_t dimensions = 0;
    for (; !shape.empty() && shape.front() != ')'; shape.remove_prefix(1)) {
        if (shape.front() < '0' || shape.front() > '9') continue;
        if (dimensions == sizes.size()) fail("it has more than two dimensions");
        const auto [end, error] =
            std::from_chars(shape.data(), shape.data() + shape.size(), *sizes[dimensions++]);
        if (error != std::errc()) fail("its shape is beyond 64 bits");
        shape.remove_prefix(static_cast<std::size_t>(end - shape.data()) - 1);
    }
    constexpr std::uint64_t max_columns = 4096;
    if (dimensions == 0 || header.columns == 0 || header.columns > max_columns)
        fail("its shape is not that of rows of numbers");
    return header;
}

template <class V>
void unpack(const std::vector<std::byte>& bytes, io::Table& table) {
    const std::size_t columns = table.columns.size();
    for (std::size_t c = 0; c < columns; ++c) {
        table.columns[c].values.resize(table.rows);
        for (std::size_t k = 0; k < table.rows; ++k) {
            V value;
            std::memcpy(&value, bytes.data() + (k * columns + c) * sizeof(V), sizeof(V));
            table.columns[c].values[k] = static_cast<double>(value);
        }
    }
}

}  // namespace

NpySlice read_npy_slice(const std::string& name, const Ranks& ranks) {
    const File file(name, MPI_MODE_RDONLY, ranks);
    MPI_Offset size = 0;
    MPI_File_get_size(file.get(), &size);
    constexpr MPI_Offset max_header = 65536;
    std::string begin(static_cast<std::size_t>(std::min(size, max_header)), '\0');
    file.check(MPI_File_read_at_all(file.get(), 0, begin.data(), static_cast<int>(begin.size()),
                                    MPI_BYTE, MPI_STATUS_IGNORE),
               "cannot be read", "check its file system");
    const Header header = parse_header(name, begin);  // the same on all ranks
    const std::size_t row_bytes = header.columns * header.number;
    if (header.rows > (static_cast<std::uint64_t>(size) - header.bytes) / row_bytes)
        throw Error(Error::Kind::input, fmt::format("{}: ends too early; copy it again", name));
    NpySlice slice;
    slice.rows = header.rows;
    const auto [first, last] = ranks.share_of(header.rows);
    slice.first = first;
    slice.table.lines = io::Lines(first);
    slice.table.rows = last - first;
    slice.table.columns.resize(header.columns);
    constexpr std::uint64_t max_rows = 1u << 30;
    ranks.together([&, count = last - first] {
        if (count > max_rows)
            throw Error(
                Error::Kind::limit,
                fmt::format("{}: {} rows for each rank; start more ranks", name, count));
    });
    std::vector<std::byte> bytes(slice.table.rows * row_bytes);
    const RowType row(row_bytes);
    file.check(MPI_File_read_at_all(file.get(),
                                    static_cast<MPI_Offset>(header.bytes + first * row_bytes),
                                    bytes.data(), static_cast<int>(slice.table.rows), row.get(),
                                    MPI_STATUS_IGNORE),
               "cannot be read", "check its file system");
    header.number == 8 ? unpack<double>(bytes, slice.table) : unpack<float>(bytes, slice.table);
    return slice;
}

void write_npy_rows(const std::string& name, const std::string& type, std::size_t columns,
                    const void* values, std::uint64_t rows, std::size_t row_bytes,
                    const Ranks& ranks) {
    const std::string pending = name + ".partial";
    const std::string header = io::npy_header(type, ranks.sum(rows), columns);
    {
        const File file(pending, MPI_MODE_WRONLY | MPI_MODE_CREATE, ranks);
        const char* const remedy = "free some space on its file system";
        file.check(MPI_File_set_size(file.get(), 0), "cannot be emptied", remedy);
        int code = MPI_SUCCESS;
        if (ranks.first())
            code =
                MPI_File_write_at(file.get(), 0, header.data(), static_cast<int>(header.size()),
                                  MPI_BYTE, MPI_STATUS_IGNORE);
        file.check(code, "cannot be written", remedy);
        // In pieces: counts of MPI are ints.
        constexpr std::uint64_t max_count = 1u << 30;
        const RowType row(row_bytes);
        const std::uint64_t before = ranks.sum_before(rows),
                            calls = ranks.max(rows / max_count + 1);
        for (std::uint64_t k = 0; k < calls; ++k) {
            const std::uint64_t begin = std::min(rows, k * max_count),
                                end = std::min(rows, begin + max_count);
            file.check(
                MPI_File_write_at_all(
                    file.get(),
                    static_cast<MPI_Offset>(header.size() + (before + begin) * row_bytes),
                    static_cast<const std::byte*>(values) + begin * row_bytes,
                    static_cast<int>(end - begin), row.get(), MPI_STATUS_IGNORE),
                "cannot be written", remedy);
        }
    }
    ranks.together([&] {
        if (ranks.first() && std::rename(pending.c_str(), name.c_str()) != 0)
            throw Error(Error::Kind::input,
                        fmt::format("{}: cannot be created; choose another name", name));
    });
}

}  // namespace vicinal::tool
