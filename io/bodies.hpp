// Bodies of a file as the library takes them. The caller chooses the shape.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/body_ids.hpp"
#include "io/table.hpp"
#include "io/vertices.hpp"

#include <vicinal/bodies.hpp>
#include <vicinal/error.hpp>

namespace vicinal::io {

// "points", "spheres" or "boxes".
const char* shape_name(Shape shape);

// Points of several kinds: a cut-off for each pair of kinds.
struct KindCutoffs {
    std::vector<std::string> kinds;  // as the file names them: text, or whole numbers
    std::vector<double> table;       // square and symmetric; negative: never

    bool empty() const { return kinds.empty(); }
};

// The shape and the columns of the bodies in a file.
struct Layout {
    Shape shape = Shape::points;
    ReachRule rule = ReachRule::sum;
    double cutoff = 0;
    KindCutoffs cutoffs;  // empty: one for all
    bool radius_column = false;
    std::string radius_name = "radius";  // of that column
    double radius = 0;                   // of every sphere, without a column
    bool swept = false;
    int dim = 0;                 // 0: determined by the columns
    bool ids = false;            // the bodies have ids, in the column id
    bool skip_adjacent = false;  // boxes of a mesh: those with a common vertex never pair
    std::string flag;            // the flag that chose the shape, for messages
};

// The column names of such bodies, in the order of a .npy file.
std::vector<std::string> column_names(const Layout& layout, int dim);

// What a file must be read for to hold such bodies.
ReadOptions read_options(const Layout& layout);

// The arrays of the bodies.
template <Real T, int D>
struct BodyArrays {
    Layout layout;
    std::size_t count = 0;
    std::array<std::vector<T>, D> position, upper, displacement;
    std::vector<T> radius;            // one element if all are equal
    std::vector<std::uint32_t> kind;  // empty: none
    std::vector<T> cutoffs;
    std::vector<std::uint32_t> group, mask;
    std::vector<Pair> excluded;
    Vertices vertices;
    BodyIds ids;

    Bodies<T, D> view() const;
};

// Where bodies come from, for messages.
struct Origin {
    std::string file;
    Lines lines;
    std::size_t frame = 0;  // from 1; 0: the file has no frames

    Origin(std::string name, Lines at = {}, std::size_t k = 0)
        : file(std::move(name)), lines(std::move(at)), frame(k) {}

    // "line 18 of the file", or "row 17 of frame 2" of a binary file.
    std::string where(std::size_t row) const;
};

class BodyFile {
  public:
    // Reads the first frame of the file.
    BodyFile(const std::string& name, const Layout& layout);
    // Names the columns of a table. The boxes of a mesh are those of its faces or cells. Throws
    // Error if a column of the layout is missing. `frame`: as in Origin.
    BodyFile(const std::string& name, const Layout& layout, Table table, std::size_t frame = 0);

    const std::string& name() const { return origin_.file; }
    const Origin& origin() const { return origin_; }
    std::size_t rows() const { return table_.rows; }
    int dim() const { return layout_.dim; }
    const std::optional<Cell>& cell() const { return table_.cell; }

    // Moves the columns out, so that the bodies are in memory only once.
    template <Real T, int D>
    BodyArrays<T, D> take();

  private:
    void take_elements();
    int dim_by_count() const;
    int dim_by_name() const;
    std::vector<double>& column(const std::string& name);
    template <Real T>
    std::vector<T> numbers(const std::string& name, std::vector<double> values) const;
    std::vector<std::uint32_t> bits(const std::string& name);
    const NamedColumn* kind_column() const;
    std::vector<std::uint32_t> kinds() const;
    BodyIds ids();
    [[noreturn]] void fail(const std::string& what) const;

    Origin origin_;
    Layout layout_;
    Table table_;
    Vertices vertices_;
    std::vector<Pair> excluded_;
};

// Runs f. Adds the file and the line or row to the message of an error about one body.
template <class F>
decltype(auto) naming(const Origin& origin, const F& f) {
    try {
        return f();
    } catch (const Error& error) {
        if (!error.element()) throw;
        throw Error(error.kind(), origin.file + ": " + error.what() + " (" +
                                      origin.where(*error.element()) + ")");
    }
}

}  // namespace vicinal::io
