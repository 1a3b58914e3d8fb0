// A part of the bodies of a file: the folder that `vicinal split` writes, and from which
// `vicinal pairs --part` reads all it needs.
#pragma once

#include <filesystem>
#include <string>

#include "flags.hpp"
#include "io/bodies.hpp"

#include <vicinal/parts.hpp>

namespace vicinal::tool {

// What all parts of a file have in common.
struct PartSettings {
    std::string file;  // of all bodies
    std::size_t parts = 1;
    ShapeFlags shape;
    std::string domain;  // as --domain spells it
    std::string precision;
    bool excluded = false, vertices = false;  // the folder has these files
};

// DIR/k, with part.json, bodies.npy (the column id is the index in the file of all bodies),
// holders.npy (body, part), and perhaps excluded.npy and vertices.npy.
class PartFolder {
  public:
    explicit PartFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

    // part.json is last: a part without it is incomplete.
    template <Real T, int D>
    void write(const PartSettings& settings, const io::BodyArrays<T, D>& all,
               const Part& part) const;

    // Reads part.json; throws Error if it is not there.
    PartSettings settings(PartNumber& number) const;
    std::string bodies_file() const { return (folder_ / "bodies.npy").string(); }
    // The filters that the bodies have.
    template <Real T, int D>
    void read_filters(const PartSettings& settings, io::BodyArrays<T, D>& bodies) const;
    Holders read_holders(std::size_t bodies) const;

  private:
    std::string path(const char* name) const { return (folder_ / name).string(); }

    std::filesystem::path folder_;
};

}  // namespace vicinal::tool
