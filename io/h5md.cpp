// H5MD: trajectories in HDF5. /particles/GROUP holds position, box and other elements, each a
// dataset (constant in time) or a group with value and step.
// https://www.nongnu.org/h5md/h5md.html
#include <algorithm>
#include <cmath>

#include "common/text.hpp"
#include "io/hdf5.hpp"
#include "io/names.hpp"
#include "io/readers.hpp"
#include "io/text.hpp"

#include <vicinal/error.hpp>

namespace vicinal::io {

namespace {

// An element: its values, and the steps at which they were taken unless constant in time.
struct Quantity {
    Hdf5 value;
    bool timed = false;
    Hdf5 step;
    std::vector<std::uint64_t> shape;  // without time
    std::uint64_t frames = 1;

    explicit operator bool() const { return static_cast<bool>(value); }
};

Quantity open_quantity(const Hdf5& in, const std::string& name) {
    Quantity result;
    const Hdf5 group = open_group(in, name);
    result.timed = static_cast<bool>(group);
    result.value = group ? open_dataset(group, "value") : open_dataset(in, name);
    if (!result.value || !holds_numbers(result.value)) return {};
    if (group) result.step = open_dataset(group, "step");
    result.shape = shape(result.value);
    if (!result.timed) return result;
    if (result.shape.empty()) return {};
    result.frames = result.shape.front();
    result.shape.erase(result.shape.begin());
    return result;
}

// The steps of all frames; equal intervals are one number, perhaps with an offset.
std::vector<std::int64_t> steps_of(const Quantity& quantity) {
    std::vector<std::int64_t> steps;
    if (!quantity.step || !read_values(quantity.step, {}, steps)) return {};
    if (shape(quantity.step).empty() && steps.size() == 1) {
        const std::int64_t interval = steps[0];
        steps[0] = number(quantity.step, "offset").value_or(0);
        while (steps.size() < quantity.frames) steps.push_back(steps.back() + interval);
    }
    if (steps.size() != quantity.frames) return {};
    return steps;
}

class H5mdFrames : public TableFile::Frames {
  public:
    H5mdFrames(std::string name, const ReadOptions& options)
        : name_(std::move(name)), file_(open_hdf5(name_)) {
        if (!file_)
            fail(
                "cannot be opened by the HDF5 library; it is not an HDF5 file, or is "
                "truncated or damaged");
        find_group(options.part);
        position_ = open_quantity(group_, "position");
        if (!position_ || position_.shape.size() != 2 ||
            (position_.shape[1] != 2 && position_.shape[1] != 3))
            fail("there are no positions of particles x 2 or 3 numbers in " + group_name_);
        constexpr std::uint64_t most_bodies = 4294967295;
        if (position_.shape[0] > most_bodies || !is_stored(position_.value))
            fail("declares more positions than it holds; the file is truncated or damaged");
        if (position_.frames == 0) fail("holds no frame of " + group_name_);
    }

    bool many() const override { return true; }
    std::size_t count() override { return position_.frames; }

    Table read(std::size_t k) override {
        if (k >= position_.frames)
            fail("there is no frame " + std::to_string(k + 1) + "; the file has " +
                 common::counted(position_.frames, "frames"));
        Table table;
        table.rows = position_.shape[0];
        add_columns("position", position_, k, table);
        for (const std::string& name : links(group_)) add_other(name, k, table);
        table.cell = read_cell(k);
        remove_absent(k, table);
        return table;
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(Error::Kind::input, printable(name_) + ": " + what);
    }

    void find_group(const std::string& part) {
        const Hdf5 particles = open_group(file_, "particles");
        if (!particles)
            fail(
                "has no group /particles; H5MD files hold positions in "
                "/particles/NAME/position");
        const auto names = links(particles);
        if (part.empty() && names.size() != 1) {
            std::string all;
            for (const std::string& name : names)
                all += (all.empty() ? "" : ", ") + printable(name);
            fail(names.empty()
                     ? "the group /particles is empty"
                     : "there are several groups of particles (" + all +
                           "); choose one: " + printable(name_) + ":" + printable(names[0]));
        }
        const std::string& name = part.empty() ? names[0] : part;
        group_ = open_group(particles, name);
        if (!group_) fail("there is no group /particles/" + printable(name));
        group_name_ = "/particles/" + printable(name);
    }

    // The frame of an element that belongs to frame k of the positions: the same one, or the
    // last that is not later.
    std::optional<std::uint64_t> frame_of(const Quantity& quantity, std::uint64_t k) const {
        if (!quantity.timed || quantity.frames == 1) return 0;
        if (quantity.frames == position_.frames) return k;
        const auto ours = steps_of(position_), theirs = steps_of(quantity);
        if (ours.empty() || theirs.empty()) return {};
        const auto after = std::ranges::upper_bound(theirs, ours[k]);
        if (after == theirs.begin()) return {};
        return static_cast<std::uint64_t>(after - theirs.begin() - 1);
    }

    template <class T>
    bool read_frame(const Quantity& quantity, std::uint64_t k, std::vector<T>& values) const {
        const auto frame = frame_of(quantity, k);
        if (!frame) return false;
        return read_values(quantity.value,
                           quantity.timed ? std::optional(*frame) : std::nullopt, values);
    }

    void add_columns(const std::string& name, const Quantity& quantity, std::uint64_t k,
                     Table& table) const {
        std::vector<double> values;
        if (!read_frame(quantity, k, values))
            fail("cannot read " + group_name_ + "/" + printable(name) +
                 "; the file is truncated or damaged");
        const std::size_t components = quantity.shape.size() == 2 ? quantity.shape[1] : 1;
        const auto names = component_names(name, components);
        for (std::size_t c = 0; c < components; ++c) {
            NamedColumn& column = table.columns.emplace_back();
            column.name = names[c];
            for (std::size_t row = 0; row < table.rows; ++row)
                column.values.push_back(values[row * components + c]);
        }
    }

    // One number per particle, or a displacement; other elements are of no use here.
    void add_other(const std::string& name, std::uint64_t k, Table& table) const {
        if (name == "position" || name == "box") return;
        const Quantity quantity = open_quantity(group_, name);
        if (!quantity || quantity.shape.empty() || quantity.shape[0] != table.rows) return;
        const bool vector = quantity.shape.size() == 2 &&
                            quantity.shape[1] == position_.shape[1] &&
                            lower(name) == "displacement";
        if (quantity.shape.size() != 1 && !vector) return;
        if (has_meaning(component_names(name, 1)[0]) || vector || frame_of(quantity, k))
            add_columns(name, quantity, k, table);
    }

    // Numbers of particles that vary: an id equal to the fill value marks a particle that does
    // not exist.
    void remove_absent(std::uint64_t k, Table& table) const {
        const Quantity id = open_quantity(group_, "id");
        const auto absent = id ? fill_value(id.value) : std::nullopt;
        std::vector<std::int64_t> ids;
        if (!absent || !read_frame(id, k, ids) || ids.size() != table.rows) return;
        for (NamedColumn& column : table.columns) {
            std::size_t kept = 0;
            for (std::size_t row = 0; row < table.rows; ++row)
                if (ids[row] != *absent) column.values[kept++] = column.values[row];
            column.values.resize(kept);
        }
        table.rows = table.columns[0].values.size();
    }

    // Edges are lengths, or the lattice vectors as rows.
    std::optional<Cell> read_cell(std::uint64_t k) const {
        const Hdf5 box = open_group(group_, "box");
        const Quantity edges = box ? open_quantity(box, "edges") : Quantity{};
        if (!edges) return {};
        const std::size_t dim = position_.shape[1];
        const bool lengths = edges.shape == std::vector<std::uint64_t>{dim};
        std::vector<double> values;
        if ((!lengths && edges.shape != std::vector<std::uint64_t>{dim, dim}) ||
            !read_frame(edges, k, values))
            fail("the edges of " + group_name_ + "/box are not " + std::to_string(dim) +
                 " lengths or vectors for this frame");
        Cell cell;
        cell.vectors[2][2] = 1;
        for (std::size_t a = 0; a < dim; ++a)
            for (std::size_t b = 0; b < dim; ++b)
                cell.vectors[a][b] = !lengths ? values[a * dim + b] : a == b ? values[a] : 0;
        const auto boundary = texts(box, "boundary");
        if (boundary.size() != dim)
            fail("the attribute boundary of " + group_name_ + "/box does not hold " +
                 std::to_string(dim) + " words; write periodic or none for each axis");
        for (std::size_t a = 0; a < dim; ++a) cell.periodic[a] = boundary[a] == "periodic";
        return cell;
    }

    std::string name_;
    Hdf5 file_, group_;
    std::string group_name_;
    Quantity position_;
};

}  // namespace

std::unique_ptr<TableFile::Frames> open_h5md(const std::string& name,
                                             const ReadOptions& options) {
    if (name == "-")
        throw Error(Error::Kind::input,
                    "standard input: HDF5 files are not read from a pipe; name a file");
    return std::make_unique<H5mdFrames>(name, options);
}

}  // namespace vicinal::io
