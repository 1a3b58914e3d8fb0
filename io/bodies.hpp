// Bodies of a file as the library takes them. The caller chooses the shape.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/table.hpp"
#include "io/vertices.hpp"

#include <vicinal/bodies.hpp>
#include <vicinal/error.hpp>

namespace vicinal::io {

// "points", "spheres" or "boxes".
const char* shape_name(Shape shape);

// The shape and the columns of the bodies in a file.
struct Layout {
    Shape shape = Shape::points;
    ReachRule rule = ReachRule::sum;
    double cutoff = 0;
    bool radius_column = false;
    double radius = 0;  // of every sphere, without a column
    bool swept = false;
    int dim = 0;       // 0: determined by the columns
    std::string flag;  // the flag that chose the shape, for messages
};

// The column names of such bodies, in the order of a .npy file.
std::vector<std::string> column_names(const Layout& layout, int dim);

// The arrays of the bodies.
template <Real T, int D>
struct BodyArrays {
    Layout layout;
    std::size_t count = 0;
    std::array<std::vector<T>, D> position, upper, displacement;
    std::vector<T> radius;  // one element if all are equal
    std::vector<std::uint32_t> group, mask;
    std::vector<Pair> excluded;
    Vertices vertices;

    Bodies<T, D> view() const;
};

class BodyFile {
  public:
    // Reads the file and names its columns. Throws Error if a column of the layout is missing.
    BodyFile(const std::string& name, const Layout& layout);
    // The same from a table in memory.
    BodyFile(const std::string& name, const Layout& layout, Table table);

    const std::string& name() const { return name_; }
    std::size_t rows() const { return table_.rows; }
    int dim() const { return layout_.dim; }
    const std::optional<Cell>& cell() const { return table_.cell; }

    // Moves the columns out, so that the bodies are in memory only once.
    template <Real T, int D>
    BodyArrays<T, D> take();

  private:
    int dim_by_count() const;
    int dim_by_name() const;
    std::vector<double>& column(const std::string& name);
    template <Real T>
    std::vector<T> numbers(const std::string& name);
    std::vector<std::uint32_t> bits(const std::string& name);
    [[noreturn]] void fail(const std::string& what) const;

    std::string name_;
    Layout layout_;
    Table table_;
};

// Runs f. Adds the file and the row to the message of an error about one body.
template <class F>
decltype(auto) naming(const std::string& file, const F& f) {
    try {
        return f();
    } catch (const Error& error) {
        if (!error.element()) throw;
        throw Error(error.kind(), file + ": " + error.what() + " (row " +
                                      std::to_string(*error.element() + 1) + " of the file)");
    }
}

}  // namespace vicinal::io
