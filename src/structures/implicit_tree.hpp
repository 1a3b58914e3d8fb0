// The implicit kd-tree of Poirrier (2009), which is never stored: space is halved along x, y,
// z, x, ... recursively. This file assigns cells to bodies.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "base/morton.hpp"
#include "base/sort.hpp"
#include "scene/bounds.hpp"

namespace vicinal::inline VICINAL_API {

// A box in integer cells of the finest level, both ends included.
template <int D>
struct CellBox {
    std::array<std::uint32_t, D> lo, hi;

    bool overlaps(const CellBox& other) const {
        unsigned overlap = 1;  // branch-free
        for (std::size_t a = 0; a < D; ++a)
            overlap &= unsigned{lo[a] <= other.hi[a]} & unsigned{other.lo[a] <= hi[a]};
        return overlap != 0;
    }
};

// A cell of the tree as a locational code: the path from the root, one bit per splitting plane,
// the first plane in the highest bit.
struct TreeCell {
    std::uint64_t code;  // as long as the longest code, padded with zeros
    unsigned length;
};

// The pieces of a split body: at most one per corner.
template <int D>
struct Pieces {
    std::array<TreeCell, 1 << D> cells;
    std::size_t count = 0;
};

template <int D>
struct ImplicitTreeOptions {
    bool split = true;       // split bodies that cross splitting planes
    bool suppress = true;    // suppress splits that do not make cells smaller
    bool octree = false;     // split all axes at once
    unsigned bits = 0;       // per axis; 0: chosen from the bodies
    double root_factor = 1;  // edge of the root, in edges of the bodies' bounding box
    std::optional<Box<double, D>> root;  // if given, overrides the bounds of the bodies
    std::string axes = "xyz";            // the order in which axes are split
};

template <Real T, int D>
class ImplicitTree {
  public:
    explicit ImplicitTree(const ImplicitTreeOptions<D>& options) : options_(options) {
        unsigned next = D;
        for (const char axis : options.axes)
            if (const auto a = static_cast<std::size_t>(axis - 'x'); a < D) rank_[a] = --next;
    }

    // `max_bits`: the maximum length of a code. With `keep` the last root and number of bits
    // are reused if they still suit the bodies; returns true if they were.
    bool assign(const Scene<T, D>& scene, unsigned max_bits, bool keep) {
        const Root root = root_of(scene);
        if (keep && D * bits_ <= max_bits && suits(root)) return true;
        root_ = root;
        bits_ = options_.bits > 0 ? options_.bits : bits_for(scene, root.edges);
        bits_ = std::min(bits_, max_bits / D);
        // A root too small to be divided is one cell.
        const double cells = std::ldexp(1.0, static_cast<int>(bits_));
        for (std::size_t a = 0; a < D; ++a)
            scale_[a] = root.edges[a] / cells > std::numeric_limits<double>::min()
                            ? cells / root.edges[a]
                            : 0;
        return false;
    }

    unsigned bits() const { return bits_; }           // per axis
    unsigned code_bits() const { return D * bits_; }  // of the longest code
    // The longest edge of the root.
    double root_edge() const { return *std::ranges::max_element(root_.edges); }
    // The volume of a cell in finest cells, and that of a finest cell.
    std::uint64_t volume(unsigned length) const {
        return std::uint64_t{1} << (code_bits() - length);
    }
    double unit() const {
        double product = 1;
        for (const double s : scale_) product *= s > 0 ? 1 / s : 0;
        return product;
    }

    CellBox<D> cells(const Box<T, D>& box) const {
        CellBox<D> result;
        for (std::size_t a = 0; a < D; ++a) {
            result.lo[a] = cell(box.lo[a], a);
            result.hi[a] = cell(box.hi[a], a);
        }
        return result;
    }

    // Poirrier (2009), section 5.2.
    std::uint64_t code(const std::array<std::uint32_t, D>& place) const {
        std::uint64_t result = 0;
        for (std::size_t a = 0; a < D; ++a) result |= spread_bits<D>(place[a]) << rank_[a];
        return result;
    }

    // Bounds every point that belongs to the cell.
    Box<double, D> bounds(const TreeCell& cell) const {
        constexpr double eps = std::numeric_limits<double>::epsilon();
        constexpr double far = std::numeric_limits<double>::infinity();
        const std::uint64_t last = cell.code + (volume(cell.length) - 1);
        const std::uint64_t border = (std::uint64_t{1} << bits_) - 1;
        Box<double, D> result;
        for (std::size_t a = 0; a < D; ++a) {
            const std::uint64_t lo = gather_bits<D>(cell.code >> rank_[a]);
            const std::uint64_t hi = gather_bits<D>(last >> rank_[a]);
            const double slack = 16 * eps * (std::abs(root_.low[a]) + root_.edges[a]);
            const auto place = [&](std::uint64_t c) {
                return root_.low[a] + static_cast<double>(c) / scale_[a];
            };
            // Points outside the root belong to its border cells.
            result.lo[a] = lo == 0 || scale_[a] == 0 ? -far : place(lo) - slack;
            result.hi[a] = hi == border || scale_[a] == 0 ? far : place(hi + 1) + slack;
        }
        return result;
    }

    // The cells of a body: disjoint, and together they cover it.
    Pieces<D> pieces(const CellBox<D>& box) const {
        std::array<Cut, D> cuts;
        std::uint64_t corner = 0;
        for (std::size_t a = 0; a < D; ++a) {
            const std::uint32_t lo = box.lo[a], hi = box.hi[a];
            const int whole = plane(lo, hi, a);
            const unsigned level = whole < 0 ? 0 : static_cast<unsigned>(whole) / D;
            const std::uint32_t at = hi >> level << level;
            const std::uint64_t low_code = spread_bits<D>(lo) << rank_[a];
            cuts[a] = {whole, plane(lo, at - 1, a), plane(at, hi, a),
                       (spread_bits<D>(at) << rank_[a]) - low_code};
            corner += low_code;
        }
        // The coarsest plane first: the order in which the body is split.
        const auto order = [&](std::size_t a, std::size_t b) {
            if (cuts[a].whole < cuts[b].whole) std::swap(cuts[a], cuts[b]);
        };
        order(0, 1);
        if constexpr (D == 3) {
            order(1, 2);
            order(0, 1);
        }
        Pieces<D> result;
        place<0>(cuts, -1, corner, result);
        return result;
    }

  private:
    // How the planes of an axis split a body: the first plane that the whole body crosses and
    // the first ones that its halves cross, as bit numbers of the code (-1: none); and the
    // difference from the code of a piece to that of its upper half.
    struct Cut {
        int whole, lower, upper;
        std::uint64_t step;
    };

    std::uint32_t cell(T x, std::size_t axis) const {
        // Halves, so that a difference of the largest numbers is finite.
        const double c =
            (static_cast<double>(x) / 2 - root_.low[axis] / 2) * (2 * scale_[axis]);
        return static_cast<std::uint32_t>(
            std::clamp(c, 0.0, static_cast<double>((1u << bits_) - 1)));
    }

    // The first splitting plane between two coordinates.
    int plane(std::uint32_t lo, std::uint32_t hi, std::size_t axis) const {
        const int level = static_cast<int>(std::bit_width(lo ^ hi)) - 1;
        return level < 0 ? -1 : level * D + static_cast<int>(rank_[axis]);
    }

    // The cell of a piece (Poirrier 2009, section 5.3) that has been split along the axes
    // before `level`, and whose first plane still crossed is `first`: the common prefix of its
    // corners' codes ends at the first splitting plane between them. There the piece is split,
    // once per axis, if the cells of the resulting pieces are together smaller than its own
    // (Poirrier 2009, section 4.1). Returns their volume.
    template <std::size_t level>
    std::uint64_t place(const std::array<Cut, D>& cuts, int first, std::uint64_t corner,
                        Pieces<D>& out) const {
        int plane = first;
        if constexpr (level < D) plane = std::max(first, cuts[level].whole);
        unsigned length = code_bits() - 1 - static_cast<unsigned>(plane);
        if (options_.octree) length -= length % D;
        const std::uint64_t own = volume(length);
        if constexpr (level < D)
            if (options_.split && plane > first) {
                const std::size_t before = out.count;
                const Cut& cut = cuts[level];
                const std::uint64_t sum =
                    place<level + 1>(cuts, std::max(first, cut.lower), corner, out) +
                    place<level + 1>(cuts, std::max(first, cut.upper), corner + cut.step, out);
                if (sum < own || !options_.suppress) return sum;
                out.count = before;
            }
        out.cells[out.count++] = {corner & ~(own - 1), length};
        return own;
    }

    struct Root {
        std::array<double, D> low{}, edges{};
    };

    // The root is a cube around all boxes, so that cells are about cubic; or around most of
    // them, if outliers would otherwise put all the others into one cell. Bodies outside belong
    // to the border cells.
    Root root_of(const Scene<T, D>& scene) const {
        Root root;
        if (options_.root) {
            root.low = options_.root->lo;
            for (std::size_t a = 0; a < D; ++a)
                root.edges[a] = options_.root->hi[a] - root.low[a];
            return root;
        }
        const Box<T, D> all = bounds_of_boxes(scene);
        const QuantileBounds quantiles = quantile_bounds(scene);
        const double factor = options_.root_factor;
        double edge = 0, max_extent = 0;
        for (std::size_t a = 0; a < D; ++a) {
            // Halves: see cell().
            edge = std::max(
                edge, static_cast<double>(all.hi[a]) / 2 - static_cast<double>(all.lo[a]) / 2);
            max_extent = std::max(max_extent, quantiles.extent[a]);
        }
        edge = std::min(2 * edge, std::numeric_limits<double>::max() / (2 * factor));
        const bool outliers = max_extent > 0 && edge > 256 * max_extent;
        if (outliers) edge = 4 * max_extent;
        for (std::size_t a = 0; a < D; ++a) {
            const double low =
                outliers ? quantiles.centre[a] - edge / 2 : static_cast<double>(all.lo[a]);
            root.low[a] =
                std::max(low - (factor - 1) * edge / 2, std::numeric_limits<double>::lowest());
        }
        root.edges.fill(edge * factor);
        return root;
    }

    // True if the current root still suits bodies whose own root would be `root`.
    bool suits(const Root& root) const {
        bool similar = true;
        for (std::size_t a = 0; a < D; ++a) {
            const double edge = root_.edges[a];
            similar = similar && std::abs(root.low[a] - root_.low[a]) <= edge / 8 &&
                      std::abs(root.edges[a] - edge) <= edge / 8;
        }
        return similar;
    }

    // Enough bits that all but the smallest tenth of the bodies span eight of the finest cells;
    // from a fixed sample.
    static unsigned bits_for(const Scene<T, D>& scene, const std::array<double, D>& edges) {
        constexpr std::size_t max_samples = 1024;
        const std::size_t n = scene.bodies(), count = std::min(n, max_samples);
        if (count == 0) return 1;
        std::array<double, max_samples> ratios;  // edge of a body to that of the root
        for (std::size_t s = 0; s < count; ++s) {
            const Box<T, D> box = scene.box(static_cast<Index>(s * n / count));
            ratios[s] = 0;
            for (std::size_t a = 0; a < D; ++a) {
                const double half =
                    static_cast<double>(box.hi[a]) / 2 - static_cast<double>(box.lo[a]) / 2;
                ratios[s] = std::max(ratios[s], half / (edges[a] / 2));
            }
        }
        const auto tenth = ratios.begin() + count / 10;
        std::nth_element(ratios.begin(), tenth, ratios.begin() + count);
        const double cells = 8 / *tenth;
        return cells > 1 ? static_cast<unsigned>(std::min(std::ceil(std::log2(cells)), 32.0))
                         : 1;
    }

    const ImplicitTreeOptions<D> options_;
    std::array<unsigned, D>
        rank_{};  // bit of an axis within a level: the axis split first is highest
    unsigned bits_ = 1;
    Root root_;
    std::array<double, D> scale_{};  // finest cells per unit of length
};

}  // namespace vicinal::inline VICINAL_API
