// The data arrays of VTK's XML files: text, base64 or raw bytes, compressed or not. Internal to
// io/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/binary.hpp"
#include "io/source.hpp"

namespace vicinal::io {

// What the file says about all of its binary arrays.
struct VtkEncoding {
    bool big_endian = false;
    std::size_t header_bytes = 4;  // of each size that precedes the data
    bool compressed = false;       // by zlib
};

// How one array is stored. Inline base64 and appended data begin with their sizes.
struct VtkArray {
    enum class Form { ascii, base64, raw };
    std::string name;  // for messages
    Scalar type;
    Form form = Form::ascii;
    std::string_view data;  // from the beginning of the array, at least to its end
};

// The values of an array as numbers. Sets `inexact` if there is an integer that a double cannot
// hold.
std::vector<double> vtk_values(const Source& source, const VtkEncoding& encoding,
                               const VtkArray& array, bool& inexact);

}  // namespace vicinal::io
