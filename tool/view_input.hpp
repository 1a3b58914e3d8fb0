// What vicinal view shows: the frames of a run, of a trajectory, or one file.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "flags.hpp"
#include "input.hpp"
#include "io/table.hpp"

namespace vicinal::tool {

enum class ViewShape { points, spheres, boxes, mesh };

struct ViewFrame {
    double time = 0;
    std::size_t rows = 0;                      // bodies, or vertices of a mesh
    std::vector<std::vector<double>> columns;  // in the order of ViewInput::names
};

class ViewInput {
  public:
    // `name` is a folder that vicinal run wrote, or a file of bodies.
    ViewInput(const std::string& name, const InputFlags& format, const ShapeFlags& shape);

    std::size_t frames();
    ViewFrame read(std::size_t frame);  // counted from 0

    std::string title;
    ViewShape shape = ViewShape::points;
    int dim = 3;
    bool timed = false;  // the time of a frame is simulated, else its number
    // The columns: coordinates (of boxes: the lower, then the upper corner), the radius unless
    // it is that of all, and one for each colouring.
    std::vector<std::string> names;
    std::size_t coordinates = 0;  // of them
    bool radius_column = false;
    double radius = 0;                                    // of all spheres, without a column
    std::size_t elements = 0;                             // faces or cells of a mesh
    std::array<std::vector<std::uint32_t>, 4> triangles;  // three vertices and the element
    std::optional<ViewFrame> solids;  // static spheres: coordinates and the radius
    std::string series;               // the file series.csv of a run; empty: none

    // The bodies that a file of pairs counts: elements of a mesh, else the rows.
    std::size_t bodies_of(const ViewFrame& frame) const {
        return shape == ViewShape::mesh ? elements : frame.rows;
    }

  private:
    struct File {
        double time;
        std::string name;
    };
    io::Table table(std::size_t frame);
    void open_run(const std::filesystem::path& folder);
    void choose_shape(const io::Table& first);
    void choose_colourings(const io::Table& first);
    void read_solids(const std::string& file);
    void add_triangles(const io::Table& mesh);
    ViewFrame convert(io::Table&& table, const std::string& file, std::size_t number) const;

    // A vector is shown by its magnitude.
    struct Colouring {
        std::string name;
        std::vector<std::string> components;
    };
    std::string name_;
    InputFlags format_;
    io::Layout layout_;
    bool elements_read_ = false;
    std::size_t vertices_ = 0;           // of a mesh
    std::vector<File> files_;            // of a run
    std::optional<io::TableFile> file_;  // else
    std::vector<Colouring> colourings_;
};

}  // namespace vicinal::tool
