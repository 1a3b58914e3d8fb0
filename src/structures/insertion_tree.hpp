// Trees as printed by Lara (2005), appendices A.3 to A.5: points are inserted one at a time,
// and a leaf that is full is split. A split is one of the two classes below.
#pragma once

#include "structures/tree.hpp"

namespace vicinal::inline VICINAL_API {

// Splits a leaf at the middle of the widest extent of its points (A.3, A.4).
template <Real T, int K>
struct WidestSplit {
    static constexpr unsigned parts = 2, max_depth = max_spatial_depth;
    std::size_t axis = 0;
    T value = 0;

    static WidestSplit root(const Box<T, K>&) { return {}; }
    // False if no split separates the points.
    bool assign(std::span<const TreePoint<T, K>> points) {
        const Middle<T, K> middle(points);
        axis = middle.axis;
        value = middle.value;
        return middle.divides;
    }
    unsigned part(const Vector<T, K>& x) const { return x[axis] <= value ? 0 : 1; }
    WidestSplit below(unsigned) const { return {}; }
    Box<T, K> cell(Box<T, K> whole, unsigned part) const {
        (part == 0 ? whole.hi : whole.lo)[axis] = value;
        return whole;
    }
};

// Splits a square or cube at its middle on all axes (A.5).
template <Real T, int K>
struct MiddleSplit {
    // Two close points may need a split at every level, so this is a bound on the memory.
    static constexpr unsigned parts = 1 << K, max_depth = 32;
    Vector<T, K> centre{};
    T half = 0;  // half the edge

    static MiddleSplit root(const Box<T, K>& bounds) {
        MiddleSplit split;
        for (std::size_t a = 0; a < K; ++a) {
            split.centre[a] = bounds.lo[a] / 2 + bounds.hi[a] / 2;
            split.half = std::max(split.half, bounds.hi[a] / 2 - bounds.lo[a] / 2);
        }
        return split;
    }
    bool assign(std::span<const TreePoint<T, K>>) { return true; }
    unsigned part(const Vector<T, K>& x) const {
        unsigned which = 0;
        for (std::size_t a = 0; a < K; ++a) which |= (x[a] < centre[a] ? 0u : 1u) << a;
        return which;
    }
    MiddleSplit below(unsigned part) const {
        MiddleSplit split{centre, half / 2};
        for (std::size_t a = 0; a < K; ++a)
            split.centre[a] += (part >> a & 1) != 0 ? split.half : -split.half;
        return split;
    }
    Box<T, K> cell(const Box<T, K>&, unsigned part) const {
        const MiddleSplit quarter = below(part);
        Box<T, K> box;
        for (std::size_t a = 0; a < K; ++a) {
            box.lo[a] = quarter.centre[a] - quarter.half;
            box.hi[a] = quarter.centre[a] + quarter.half;
        }
        return box;
    }
};

template <class Split, Real T, int K>
class InsertionTree {
  public:
    using Point = TreePoint<T, K>;

    // Inserts the points in their order. A leaf of coincident points is not split, nor one at
    // the maximum depth: it grows beyond `leaf` points.
    void build(std::span<const Point> points, std::size_t leaf) {
        Box<T, K> bounds = empty_box<T, K>();
        for (const Point& point : points) extend(bounds, Box<T, K>{point.x, point.x});
        points_ = points;
        next_.resize(points.size());
        slots_.clear();
        slots_.push_back({Split::root(bounds)});
        cells_.clear();
        cells_.push_back(bounds);
        for (Index p = 0; p < points.size(); ++p) {
            poll_cancelled(64);
            insert(p, leaf);
        }
    }

    // Makes the nodes of a tree, level by level; place(entry, point) is called for each point.
    template <int D, class Place>
    void list(Tree<T, D>& tree, const Place& place) {
        tree.clear();
        if (points_.empty()) return;
        for (std::size_t s = slots_.size(); s-- > 0;)
            for (unsigned k = 0; k < Split::parts && slots_[s].child > 0; ++k)
                slots_[s].size += slots_[slots_[s].child + k].size;
        sources_.clear();
        sources_.push_back(0);
        tree.nodes.push_back({empty_box<T, D>(), 0, static_cast<Index>(points_.size())});
        for (std::size_t n = 0; n < tree.nodes.size();) {
            tree.level_ends.push_back(tree.nodes.size());
            for (; n < tree.level_ends.back(); ++n) {
                poll_cancelled(16);
                if (slots_[sources_[n]].child > 0)
                    list_parts(tree, n);
                else
                    list_points(tree.nodes[n].begin, slots_[sources_[n]], place);
            }
        }
    }

    // The part of space that belongs to a node of the tree, in exact arithmetic.
    const Box<T, K>& cell(std::size_t node) const { return cells_[node]; }

  private:
    static constexpr Index nothing = ~Index{0};  // the end of a list

    struct Slot {
        Split split;
        Index child = 0;        // the first of its parts; 0: a leaf
        Index first = nothing;  // of a leaf: a list of its points
        Index size = 0;         // of a leaf: its points; of others once listed
        bool same = true;       // all its points coincide
    };

    void insert(Index p, std::size_t leaf) {
        const Vector<T, K>& x = points_[p].x;
        std::size_t at = 0;
        for (unsigned level = 0;; ++level) {
            if (slots_[at].child == 0 && !split(at, p, leaf, level)) break;
            at = slots_[at].child + slots_[at].split.part(x);
        }
        add(slots_[at], p);
    }

    void add(Slot& leaf, Index p) {
        leaf.same &= leaf.first == nothing || points_[leaf.first].x == points_[p].x;
        next_[p] = leaf.first;
        leaf.first = p;
        ++leaf.size;
    }

    // Splits the leaf that the point would join if it is full and a split separates points.
    bool split(std::size_t at, Index p, std::size_t leaf, unsigned level) {
        const Slot full = slots_[at];
        if (full.size < leaf || level >= Split::max_depth ||
            (full.same && points_[full.first].x == points_[p].x))
            return false;
        together_.clear();
        together_.push_back(points_[p]);
        for (Index q = full.first; q != nothing; q = next_[q]) together_.push_back(points_[q]);
        if (!slots_[at].split.assign({together_.data(), together_.size()})) return false;
        const Split split = slots_[at].split;
        const auto child = static_cast<Index>(slots_.size());
        slots_[at].child = child;
        for (unsigned k = 0; k < Split::parts; ++k) slots_.push_back({split.below(k)});
        slots_[at].size = 0;
        for (Index q = full.first; q != nothing;) {
            const Index next = next_[q];
            add(slots_[child + split.part(points_[q].x)], q);
            q = next;
        }
        return true;
    }

    template <int D>
    void list_parts(Tree<T, D>& tree, std::size_t n) {
        const Slot& slot = slots_[sources_[n]];
        Index begin = tree.nodes[n].begin;
        tree.nodes[n].child = static_cast<Index>(tree.nodes.size());
        for (unsigned k = 0; k < Split::parts; ++k) {
            const Index below = slot.child + k, end = begin + slots_[below].size;
            if (begin == end) continue;
            ++tree.nodes[n].children;
            tree.nodes.push_back({empty_box<T, D>(), begin, end});
            sources_.push_back(below);
            cells_.push_back(slot.split.cell(cells_[n], k));
            begin = end;
        }
    }

    template <class Place>
    void list_points(Index entry, const Slot& leaf, const Place& place) const {
        for (Index p = leaf.first; p != nothing; p = next_[p]) place(entry++, points_[p]);
    }

    std::span<const Point> points_;
    Buffer<Index> next_;  // point in the same leaf
    CountedVector<Slot> slots_;
    CountedVector<Point> together_;   // the points of a leaf that is split
    CountedVector<Index> sources_;    // the slot of each node
    CountedVector<Box<T, K>> cells_;  // of each node
};

}  // namespace vicinal::inline VICINAL_API
