// A file of bodies in any format, as columns of numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vicinal::io {

struct NamedColumn {
    std::string name;                     // lower case; empty in a .npy file
    std::vector<double> values;           // binary values are exact, decimal text is rounded
    std::vector<std::string> words = {};  // of a column of text: the values are their indices
};

// The simulation cell of a file (extended XYZ, LAMMPS dump, H5MD).
struct Cell {
    std::array<std::array<double, 3>, 3> vectors{};  // rows are the lattice vectors
    std::array<bool, 3> periodic{};
};

// The line of each row in a text file.
class Lines {
  public:
    Lines() = default;
    // Of a part of a binary file: the rows of the file before it.
    explicit Lines(std::size_t rows_before) : rows_before_(rows_before) {}

    void add(std::size_t line);               // of the next row
    bool known() const { return rows_ > 0; }  // false in a binary file
    // "line 18", or "row 17" if it is not known; for messages.
    std::string where(std::size_t row) const;

  private:
    struct Jump {
        std::size_t row, line;
    };
    // Rows from one jump to the next are on consecutive lines.
    std::vector<Jump> jumps_;
    std::size_t rows_ = 0, rows_before_ = 0;
};

// The faces or cells of a mesh; its vertices are the rows of the table. The corners of element
// e are vertices[offsets[e]] up to, but not including, vertices[offsets[e + 1]].
struct Elements {
    std::string name = "face";  // for messages
    std::vector<std::uint64_t> offsets{0};
    std::vector<std::uint32_t> vertices;
    std::vector<NamedColumn> columns;  // values per element
    Lines lines;

    std::size_t count() const { return offsets.size() - 1; }
};

struct Table {
    std::vector<NamedColumn> columns;
    std::size_t rows = 0;
    std::optional<Cell> cell;
    std::optional<Elements> elements;
    Lines lines;

    // The column of that name, or nullptr.
    const NamedColumn* find(const std::string& name) const;
};

struct ReadOptions {
    std::string format;               // one of format_names(); empty: by ending or contents
    std::vector<std::string> fields;  // names for columns without names; "_" is ignored
    bool elements = false;            // also read the faces or cells of a mesh
    bool kinds = false;               // also read text in columns of kinds: see kind_names
    std::string part;  // an array of a .npz file, a particle group of an H5MD file
};

// The formats by name, as --format spells them.
std::vector<std::string> format_names();

// A file of bodies, with its frames. Formats without frames have one.
class TableFile {
  public:
    // The format is that of the options, else that of the ending (.gz is ignored), else that
    // of the contents. "-" is standard input. A name like a.npz:positions gives the part.
    // Throws vicinal::Error with one line that names the file, the position and the remedy.
    explicit TableFile(const std::string& name, ReadOptions options = {});
    TableFile(TableFile&&) noexcept;
    ~TableFile();

    bool has_frames() const;  // true for formats of trajectories
    // The number of frames. Counting them reads the rest of the file; the last one may prove
    // incomplete when it is read.
    std::size_t frames();
    // Frame k, counted from 0. Columns of text are skipped.
    Table read(std::size_t k = 0);

    class Frames;  // of one format

  private:
    std::string name_;
    std::unique_ptr<Frames> frames_;
};

// The first frame of a file.
Table read_table(const std::string& name, ReadOptions options = {});

}  // namespace vicinal::io
