// One reader per format. Internal to io/; TableFile chooses.
#pragma once

#include <memory>

#include "io/source.hpp"
#include "io/table.hpp"

namespace vicinal::io {

Table read_csv(Source& source, const ReadOptions& options);
Table read_npy(Source& source, const ReadOptions& options);
Table read_npz(Source& source, const ReadOptions& options);
Table read_obj(Source& source, const ReadOptions& options);
Table read_ply(Source& source, const ReadOptions& options);
Table read_stl(Source& source, const ReadOptions& options);
Table read_vtk(Source& source, const ReadOptions& options);

// One frame of a trajectory, from the current position to the end of the frame.
Table read_lammps(Source& source, const ReadOptions& options);
Table read_xyz(Source& source, const ReadOptions& options);
// The same without its contents.
void skip_lammps(Source& source);
void skip_xyz(Source& source);

// The frames of a format.
class TableFile::Frames {
  public:
    virtual ~Frames() = default;
    virtual bool many() const = 0;  // false: the format has no frames
    virtual std::size_t count() = 0;
    virtual Table read(std::size_t k) = 0;
};

// An H5MD file is opened by the library of its format.
std::unique_ptr<TableFile::Frames> open_h5md(const std::string& name,
                                             const ReadOptions& options);

// A format of the project; `read` is null for H5MD, `skip` for formats without frames.
struct Format {
    std::string_view name;
    std::vector<std::string_view> endings;
    Table (*read)(Source&, const ReadOptions&);
    void (*skip)(Source&);
};

const std::vector<Format>& formats();

// The format of that name or ending, or nullptr.
const Format* format_named(std::string_view name);
const Format* format_ending(std::string_view ending);

// True if this is the header line of a table of bodies, pairs or vertices, with or without '#'.
bool is_table_header(std::string_view line);

// The format that the first bytes show beyond doubt, or nullptr.
const Format* format_of(std::string_view start);

}  // namespace vicinal::io
