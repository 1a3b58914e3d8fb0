// Time series for ParaView and other readers of VTK's XML files: one .vtp file per frame, and a
// .pvd file that lists them.
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace vicinal::io {

struct PointArray {
    std::string name;
    int components;
    std::span<const double> values;  // per point, interleaved
};

// Points and their arrays, in single precision, which is enough for visualisation.
void write_vtp(const std::filesystem::path& file, std::span<const double> positions,
               std::span<const PointArray> arrays);

struct Frame {
    double time;
    std::string file;  // relative to the .pvd
};

void write_pvd(const std::filesystem::path& file, std::span<const Frame> frames);

}  // namespace vicinal::io
