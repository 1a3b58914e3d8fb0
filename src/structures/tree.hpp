// Bounding volume hierarchies: every body is in one leaf, a node's bodies are consecutive
// entries, and its box bounds all of theirs. Each method divides its tree in its own way; the
// shared parts are here: the search by simultaneous descent (dual-tree traversal), divided into
// tasks, and queries.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/ledger.hpp"
#include "base/sort.hpp"
#include "scene/bounds.hpp"
#include "structures/method.hpp"
#include "structures/query_box.hpp"

namespace vicinal::inline VICINAL_API {

// Maximum depth of spatial splits. They would take very long to separate coordinates that
// differ by hundreds of powers of two, and never separate coincident bodies; deeper nodes are
// split by count.
constexpr unsigned max_spatial_depth = 64;

// An instance as a point with K coordinates, for trees that split space.
template <Real T, int K>
struct TreePoint {
    Vector<T, K> x;
    Index instance;
};

// The widest axis of a set of points, and its midpoint (Lara 2005, A.3).
template <Real T, int K>
struct Middle {
    std::size_t axis = 0;
    T value = 0;
    bool divides = false;  // false if all points are the same

    explicit Middle(std::span<const TreePoint<T, K>> points) {
        Box<T, K> all = empty_box<T, K>();
        for (const auto& point : points) extend(all, Box<T, K>{point.x, point.x});
        T widest = 0;
        for (std::size_t k = 0; k < K; ++k) {
            const T half = all.hi[k] / 2 - all.lo[k] / 2;  // halves: avoids overflow
            if (!(half > widest)) continue;
            widest = half;
            axis = k;
        }
        value = all.lo[axis] + widest;
        divides = all.lo[axis] <= value && value < all.hi[axis];
    }
    bool low(const Vector<T, K>& x) const { return x[axis] <= value; }
};

// Partitions the points at the spatial middle if that separates them, else into halves by
// count. Returns the size of the first part.
template <Real T, int K>
Index divide_points(std::span<TreePoint<T, K>> points, unsigned level) {
    if (level < max_spatial_depth) {
        const Middle<T, K> middle{std::span<const TreePoint<T, K>>(points)};
        if (middle.divides)
            return static_cast<Index>(
                std::partition(points.begin(), points.end(),
                               [&](const auto& point) { return middle.low(point.x); }) -
                points.begin());
    }
    return static_cast<Index>(points.size() / 2);
}

template <Real T, int D>
class Tree {
  public:
    struct Node {
        Box<T, D> box;
        Index begin, end;    // entries
        Index child = 0;     // the first child; children are consecutive
        Index children = 0;  // 0: a leaf
        Index size() const { return end - begin; }
    };

    CountedVector<Node> nodes;              // the root first, parents before children
    CountedVector<std::size_t> level_ends;  // nodes are in order of their level
    bool whole_leaves = false;              // a search tests all pairs of two leaves

    // Builds the tree top-down over entries 0 ... n - 1: divide(node, level, ends) reorders the
    // entries of a node with more than `leaf` of them and returns how many children it gets,
    // with their ends. Nodes of a level are divided in parallel.
    template <std::size_t arity, class Divide>
    void build(std::size_t n, std::size_t leaf, int threads, const Divide& divide) {
        static_assert(arity <= max_children);
        clear();
        if (n == 0) return;
        nodes.push_back({empty_box<T, D>(), 0, static_cast<Index>(n)});
        level_ends.push_back(1);
        for (std::size_t first = 0; first < nodes.size();
             first = level_ends[level_ends.size() - 2]) {
            const std::size_t count = nodes.size() - first;
            const auto level = static_cast<unsigned>(level_ends.size() - 1);
            ends_.resize(count * arity);
            // A small tree is not worth several threads, and a single node is not worth a task.
            parallel_for(n < 8192 ? 1 : threads, count, [&](std::size_t k) {
                if (nodes[first + k].size() <= leaf) return;
                poll_cancelled(nodes[first + k].size());
                std::array<Index, arity> ends;
                nodes[first + k].children = divide(first + k, level, ends);
                std::copy(ends.begin(), ends.end(), ends_.data() + k * arity);
            });
            for (std::size_t k = 0; k < count; ++k) {
                const Index children = nodes[first + k].children;
                nodes[first + k].child = static_cast<Index>(nodes.size());
                Index begin = nodes[first + k].begin;
                for (Index c = 0; c < children; ++c) {
                    const Index end = ends_[k * arity + c];
                    nodes.push_back({empty_box<T, D>(), begin, end});
                    begin = end;
                }
            }
            level_ends.push_back(nodes.size());
        }
        level_ends.pop_back();
    }

    void clear() {
        nodes.clear();
        level_ends.clear();
    }

    // Refits boxes bottom-up: leaves by box_of(entry), other nodes from their children.
    template <class BoxOf>
    void refit(int threads, const BoxOf& box_of) {
        boxes_.resize(nodes.empty() ? 0 : nodes[0].size());
        for (std::size_t level = level_ends.size(); level-- > 0;) {
            const std::size_t first = level > 0 ? level_ends[level - 1] : 0;
            parallel_for(threads, level_ends[level] - first, [&](std::size_t k) {
                Node& node = nodes[first + k];
                node.box = empty_box<T, D>();
                for (Index c = 0; c < node.children; ++c)
                    extend(node.box, nodes[node.child + c].box);
                if (node.children == 0)
                    for (Index e = node.begin; e < node.end; ++e)
                        extend(node.box, boxes_[e] = box_of(e));
            });
        }
    }

    // Divides the search into tasks, pairs of nodes for which overlap(a, b) is true: large
    // pairs are replaced by the pairs of their children, so that no task dominates.
    template <class Overlap>
    void make_tasks(const Overlap& overlap) {
        tasks_.clear();
        if (nodes.empty()) return;
        const std::size_t large = nodes[0].size() / 128 + 256;
        tasks_.push_back({0, 0});
        for (bool again = true; again;) {
            again = false;
            finer_.clear();
            for (const NodePair pair : tasks_) {
                const auto [a, b] = pair;
                if (nodes[a].size() + nodes[b].size() <= 2 * large ||
                    (nodes[a].children == 0 && nodes[b].children == 0)) {
                    finer_.push_back(pair);
                    continue;
                }
                again = true;
                for_each_below(pair, [&](NodePair below) {
                    if (below.a == below.b || overlap(below.a, below.b))
                        finer_.push_back(below);
                });
            }
            tasks_.swap(finer_);
        }
    }
    void make_tasks() {
        make_tasks(
            [&](std::size_t a, std::size_t b) { return overlaps(nodes[a].box, nodes[b].box); });
    }

    std::size_t tasks() const { return tasks_.size(); }

    // Simultaneous descent, or dual-tree traversal (Lara 2005, section 2.5).
    template <class Overlap>
    void search(Range tasks, Sieve<T, D>& sieve, const Overlap& overlap) const {
        for (std::size_t t = tasks.begin; t < tasks.end; ++t)
            descend(tasks_[t], sieve, overlap);
    }
    void search(Range tasks, Sieve<T, D>& sieve) const {
        search(tasks, sieve, [&](std::size_t a, std::size_t b) {
            return overlaps(nodes[a].box, nodes[b].box);
        });
    }

    void probe(const Scene<T, D>& queries, Range instances, Sieve<T, D>& sieve) const {
        if (nodes.empty()) return;
        for (std::size_t q = instances.begin; q < instances.end; ++q)
            probe_one(static_cast<Index>(q), query_box(queries, static_cast<Index>(q)), 0,
                      sieve);
    }

    void nearest(NearestQuery<T, D>& query) const {
        if (!nodes.empty()) nearest(0, query);
    }

  private:
    static constexpr std::size_t max_children = 8;  // of any tree's nodes

    struct NodePair {
        Index a, b;  // a == b: a node with itself
    };

    // The pairs of nodes one step below this pair.
    template <class F>
    void for_each_below(NodePair pair, const F& f) const {
        auto [a, b] = pair;
        if (a == b) {
            const Node& node = nodes[a];
            for (Index c = 0; c < node.children; ++c)
                for (Index d = c; d < node.children; ++d)
                    f(NodePair{node.child + c, node.child + d});
            return;
        }
        // Descends into the larger node, unless it is a leaf.
        if (nodes[a].children == 0 ||
            (nodes[b].children > 0 && nodes[b].size() > nodes[a].size()))
            std::swap(a, b);
        for (Index c = 0; c < nodes[a].children; ++c) f(NodePair{nodes[a].child + c, b});
    }

    Run run(Index node) const { return {nodes[node].begin, nodes[node].end}; }

    template <class Overlap>
    void descend(NodePair pair, Sieve<T, D>& sieve, const Overlap& overlap) const {
        if (nodes[pair.a].children == 0 && nodes[pair.b].children == 0) {
            if (pair.a == pair.b)
                sieve.self(run(pair.a));
            else if (whole_leaves)
                sieve.cross(run(pair.a), run(pair.b));
            else  // most bodies of a leaf do not overlap the other leaf
                for (Index e = nodes[pair.a].begin; e < nodes[pair.a].end; ++e)
                    if (overlaps(boxes_[e], nodes[pair.b].box)) sieve.one(e, run(pair.b));
            return;
        }
        for_each_below(pair, [&](NodePair below) {
            if (below.a == below.b || overlap(below.a, below.b)) descend(below, sieve, overlap);
        });
    }

    void probe_one(Index q, const Box<T, D>& box, Index node, Sieve<T, D>& sieve) const {
        if (!overlaps(box, nodes[node].box)) return;
        if (nodes[node].children == 0) sieve.probe_one(q, run(node));
        for (Index c = 0; c < nodes[node].children; ++c)
            probe_one(q, box, nodes[node].child + c, sieve);
    }

    // Visits children in order of distance.
    void nearest(Index node, NearestQuery<T, D>& query) const {
        const Node& here = nodes[node];
        if (here.children == 0) return query.offer(run(node));
        if (here.children == 2) {  // most trees
            Index near = here.child, far = here.child + 1;
            double to_near = query.square_to(nodes[near].box),
                   to_far = query.square_to(nodes[far].box);
            if (to_far < to_near) {
                std::swap(near, far);
                std::swap(to_near, to_far);
            }
            if (!query.too_far(to_near)) nearest(near, query);
            if (!query.too_far(to_far)) nearest(far, query);
            return;
        }
        std::array<std::pair<double, Index>, max_children> below;
        for (Index c = 0; c < here.children; ++c)
            below[c] = {query.square_to(nodes[here.child + c].box), here.child + c};
        std::sort(below.begin(), below.begin() + here.children);
        for (Index c = 0; c < here.children; ++c)
            if (!query.too_far(below[c].first)) nearest(below[c].second, query);
    }

    CountedVector<NodePair> tasks_, finer_;
    Buffer<Box<T, D>> boxes_;  // of the entries
    Buffer<Index> ends_;       // of the children of a level's nodes
};

}  // namespace vicinal::inline VICINAL_API
