// Time series for ParaView and other readers of VTK's XML files: one .vtp file a frame, and a
// .pvd file that lists them.
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace vicinal::io {

struct PointArray {
    std::string name;
    int components;
    std::span<const double> values;  // point by point
};

// Points and what belongs to them, in single precision: frames are for looking at.
void write_vtp(const std::filesystem::path& file, std::span<const double> positions,
               std::span<const PointArray> arrays);

struct Frame {
    double time;
    std::string file;  // beside the .pvd
};

void write_pvd(const std::filesystem::path& file, std::span<const Frame> frames);

}  // namespace vicinal::io
