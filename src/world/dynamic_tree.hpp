// A binary tree of boxes that change one at a time (a dynamic AABB tree). A node stores the
// boxes of its two children, so that a query tests both with one access to memory. A new box
// goes where the sum of all extents grows least; a box that overlaps its former self is changed
// in place. Insertion and removal take logarithmic time; a tree that has become deep, or of
// which most has changed, is built again.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/box.hpp"
#include "base/buffer.hpp"
#include "base/ledger.hpp"
#include "structures/tree.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
bool encloses(const Box<T, D>& outer, const Box<T, D>& inner) {
    unsigned yes = 1;  // branch-free
    for (std::size_t k = 0; k < D; ++k)
        yes &= unsigned{outer.lo[k] <= inner.lo[k]} & unsigned{inner.hi[k] <= outer.hi[k]};
    return yes != 0;
}

template <Real T, int D>
Box<T, D> united(Box<T, D> a, const Box<T, D>& b) {
    extend(a, b);
    return a;
}

// Nodes or boxes still to be visited. Most trees fit the array.
template <class Item>
class TraversalStack {
  public:
    bool empty() const { return size_ == 0; }
    void push(const Item& item) {
        if (size_ < capacity)
            items_[size_] = item;
        else
            more_.push_back(item);
        ++size_;
    }
    Item pop() {
        if (--size_ < capacity) return items_[size_];
        const Item item = more_.back();
        more_.pop_back();
        return item;
    }

  private:
    static constexpr std::size_t capacity = 96;
    std::size_t size_ = 0;
    std::array<Item, capacity> items_;
    std::vector<Item> more_;
};

template <Real T, int D>
class DynamicTree {
  public:
    static constexpr Index max_bodies = (Index{1} << 31) - 1;

    // Replaces the tree by one of these bodies.
    template <class BoxOf>
    void build(std::span<const Index> bodies, int threads, const BoxOf& box_of);

    // Inserts the body, or changes its box.
    void set(Index body, const Box<T, D>& box);
    void remove(Index body);  // if it is in the tree
    bool holds(Index body) const { return body < leaf_.size() && leaf_[body] != none; }
    const Box<T, D>& box_of(Index body) const { return box_at(leaf_[body]); }
    // Too deep, or mostly changed since it was built.
    bool needs_build() const {
        return deepest_ > max_depth() || changes_ > 2 * std::uint64_t{size_} + 64;
    }

    // Calls f(body) for each body whose box overlaps this one.
    template <class F>
    void overlapping(const Box<T, D>& box, const F& f) const {
        if (root_ == none) return;
        TraversalStack<Index> stack;
        stack.push(root_);
        while (!stack.empty()) {
            const Node& node = nodes_[stack.pop()];
            for (std::size_t s = 0; s < 2; ++s) {
                if (node.child[s] == none || !overlaps(node.box[s], box)) continue;
                if (is_leaf(node.child[s]))
                    f(body_of(node.child[s]));
                else
                    stack.push(node.child[s]);
            }
        }
    }

    // Visits the bodies with near ones early. entry(box) is a lower bound of the fraction at
    // which a query enters a box, or a negative number if it does not; visit(body) returns the
    // largest fraction that is still wanted, negative to stop.
    template <class Entry, class Visit>
    void cast(T limit, const Entry& entry, const Visit& visit) const {
        struct Item {
            Index ref;
            T from;
        };
        if (root_ == none) return;
        TraversalStack<Item> stack;
        stack.push({root_, 0});
        while (!stack.empty()) {
            const Item item = stack.pop();
            if (item.from > limit) continue;
            if (is_leaf(item.ref)) {
                limit = visit(body_of(item.ref));
                if (limit < 0) return;
                continue;
            }
            const Node& node = nodes_[item.ref];
            const T first = entry(node.box[0]), second = entry(node.box[1]);
            const bool near_first = first <= second;
            const std::array<Item, 2> items{
                {{node.child[near_first ? 1 : 0], near_first ? second : first},
                 {node.child[near_first ? 0 : 1], near_first ? first : second}}};
            for (const Item& child : items)
                if (child.ref != none && child.from >= 0 && child.from <= limit)
                    stack.push(child);
        }
    }

  private:
    static constexpr Index none = ~Index{0}, leaf_bit = Index{1} << 31;

    struct Node {
        std::array<Box<T, D>, 2> box;
        std::array<Index, 2> child;  // with leaf_bit: a body
        Index place;                 // in its parent: 2 * node + which of its children
    };

    static bool is_leaf(Index child) { return (child & leaf_bit) != 0; }
    static Index body_of(Index child) { return child & ~leaf_bit; }
    // The sum of the extents, half a box's perimeter.
    static double extent(const Box<T, D>& box) {
        double sum = 0;
        for (std::size_t k = 0; k < D; ++k)
            sum += static_cast<double>(box.hi[k]) - static_cast<double>(box.lo[k]);
        return sum;
    }

    const Box<T, D>& box_at(Index place) const { return nodes_[place >> 1].box[place & 1]; }
    Box<T, D>& box_at(Index place) { return nodes_[place >> 1].box[place & 1]; }
    Index& child_at(Index place) { return nodes_[place >> 1].child[place & 1]; }
    // Makes a body or node the child at a place.
    void put(Index place, Index child) {
        child_at(place) = child;
        (is_leaf(child) ? leaf_[body_of(child)] : nodes_[child].place) = place;
    }
    std::uint64_t max_depth() const {
        return 3 * static_cast<std::uint64_t>(std::bit_width(size_)) + max_spatial_depth;
    }
    Index new_node();
    void insert(Index body, const Box<T, D>& box);
    void refit(Index node);
    double cost_below(Index child, const Box<T, D>& there, const Box<T, D>& box) const;

    using Point = TreePoint<T, D>;
    // A range of points that becomes the subtree at a place; its nodes are consecutive.
    struct Subtree {
        Index begin, end;
        Index node;  // the first of its nodes
        Index place;
        unsigned level;
    };
    template <class BoxOf>
    Box<T, D> build_below(const Subtree& part, const BoxOf& box_of);
    std::array<Subtree, 2> divide(const Subtree& part);

    CountedVector<Node> nodes_;
    CountedVector<Index> free_;
    CountedVector<Index> leaf_;  // the place of each body
    Index root_ = none;
    Index size_ = 0;  // bodies
    std::uint64_t changes_ = 0, deepest_ = 0;
    Buffer<Point> points_;
    CountedVector<Subtree> subtrees_, top_;
};

template <Real T, int D>
Index DynamicTree<T, D>::new_node() {
    if (free_.empty()) {
        nodes_.emplace_back();
        return static_cast<Index>(nodes_.size() - 1);
    }
    const Index node = free_.back();
    free_.pop_back();
    return node;
}

template <Real T, int D>
void DynamicTree<T, D>::set(Index body, const Box<T, D>& box) {
    if (body >= leaf_.size()) leaf_.resize(body + std::size_t{1}, none);
    const Index place = leaf_[body];
    if (place != none) {
        ++changes_;
        if (overlaps(box_at(place), box)) {
            box_at(place) = box;
            return refit(place >> 1);
        }
        remove(body);
    }
    insert(body, box);
}

// What the tree's extents grow by if the box goes to this child or below it.
template <Real T, int D>
double DynamicTree<T, D>::cost_below(Index child, const Box<T, D>& there,
                                     const Box<T, D>& box) const {
    const double all = extent(united(there, box));
    return is_leaf(child) ? all : all - extent(there);
}

template <Real T, int D>
void DynamicTree<T, D>::insert(Index body, const Box<T, D>& box) {
    ++size_;
    ++changes_;
    if (root_ == none) {  // a root with one child; the box of the other is empty
        root_ = new_node();
        nodes_[root_] = {{box, empty_box<T, D>()}, {none, none}, none};
        return put(2 * root_, body | leaf_bit);
    }
    if (nodes_[root_].child[1] == none) {
        nodes_[root_].box[1] = box;
        return put(2 * root_ + 1, body | leaf_bit);
    }
    Index at = root_;
    for (std::uint64_t depth = 1;; ++depth) {
        const Node& node = nodes_[at];
        const double first = cost_below(node.child[0], node.box[0], box),
                     second = cost_below(node.child[1], node.box[1], box);
        const std::size_t s = first <= second ? 0 : 1;
        const Index place = 2 * at + static_cast<Index>(s), child = node.child[s];
        const Box<T, D> there = node.box[s], both = united(there, box);
        bool beside = is_leaf(child);
        if (!beside) {
            const Node& below = nodes_[child];
            beside =
                extent(both) <= (extent(both) - extent(there)) +
                                    std::min(cost_below(below.child[0], below.box[0], box),
                                             cost_below(below.child[1], below.box[1], box));
        }
        nodes_[at].box[s] = both;
        if (!beside) {
            at = child;
            continue;
        }
        const Index parent = new_node();
        nodes_[parent] = {{there, box}, {none, none}, none};
        put(2 * parent, child);
        put(2 * parent + 1, body | leaf_bit);
        put(place, parent);
        deepest_ = std::max(deepest_, depth);
        return;
    }
}

template <Real T, int D>
void DynamicTree<T, D>::remove(Index body) {
    if (!holds(body)) return;
    const Index place = leaf_[body], node = place >> 1;
    leaf_[body] = none;
    --size_;
    const std::size_t other = 1 - (place & 1);
    const Index sibling = nodes_[node].child[other];
    const Box<T, D> box = nodes_[node].box[other];
    if (node != root_) {
        const Index above = nodes_[node].place;
        put(above, sibling);
        box_at(above) = box;
        free_.push_back(node);
        return refit(above >> 1);
    }
    if (sibling != none && is_leaf(sibling)) {
        nodes_[node].box = {box, empty_box<T, D>()};
        nodes_[node].child[1] = none;
        return put(2 * node, sibling);
    }
    free_.push_back(node);
    root_ = sibling;
    if (root_ != none) nodes_[root_].place = none;
}

// Makes the boxes of a node's ancestors fit.
template <Real T, int D>
void DynamicTree<T, D>::refit(Index node) {
    while (node != root_) {
        const Index place = nodes_[node].place;
        const Box<T, D> box = united(nodes_[node].box[0], nodes_[node].box[1]);
        Box<T, D>& above = box_at(place);
        if (above.lo == box.lo && above.hi == box.hi) return;
        above = box;
        node = place >> 1;
    }
}

template <Real T, int D>
std::array<typename DynamicTree<T, D>::Subtree, 2> DynamicTree<T, D>::divide(
    const Subtree& part) {
    const Index first = divide_points(
        std::span<Point>(points_.data() + part.begin, part.end - part.begin), part.level);
    const Index middle = part.begin + first;
    return {{{part.begin, middle, part.node + 1, 2 * part.node, part.level + 1},
             {middle, part.end, part.node + first, 2 * part.node + 1, part.level + 1}}};
}

// Returns the box of the whole subtree.
template <Real T, int D>
template <class BoxOf>
Box<T, D> DynamicTree<T, D>::build_below(const Subtree& part, const BoxOf& box_of) {
    if (part.end - part.begin == 1) {
        const Index body = points_[part.begin].instance;
        put(part.place, body | leaf_bit);
        return box_of(body);
    }
    if (part.place != none)
        put(part.place, part.node);
    else
        nodes_[part.node].place = none;
    for (const Subtree& half : divide(part)) box_at(half.place) = build_below(half, box_of);
    return united(nodes_[part.node].box[0], nodes_[part.node].box[1]);
}

template <Real T, int D>
template <class BoxOf>
void DynamicTree<T, D>::build(std::span<const Index> bodies, int threads, const BoxOf& box_of) {
    const std::size_t n = bodies.size();
    std::fill(leaf_.begin(), leaf_.end(), none);
    for (const Index body : bodies)
        if (body >= leaf_.size()) leaf_.resize(body + std::size_t{1}, none);
    free_.clear();
    nodes_.clear();
    root_ = none;
    size_ = 0;
    changes_ = deepest_ = 0;
    if (n < 2) {
        for (const Index body : bodies) insert(body, box_of(body));
        return;
    }
    nodes_.resize(n - 1);
    points_.resize(n);
    parallel_for(threads, n, [&](std::size_t p) {
        const Box<T, D> box = box_of(bodies[p]);
        points_[p].instance = bodies[p];
        for (std::size_t k = 0; k < D; ++k) points_[p].x[k] = box.lo[k] / 2 + box.hi[k] / 2;
    });
    root_ = 0;
    size_ = static_cast<Index>(n);
    // The top of the tree first, then the subtrees below it in parallel.
    const std::size_t large = n / 64 + 1024;
    top_.clear();
    subtrees_.clear();
    top_.push_back({0, static_cast<Index>(n), 0, none, 0});
    for (std::size_t t = 0; t < top_.size(); ++t) {
        const Subtree part = top_[t];
        if (part.end - part.begin <= large) {
            subtrees_.push_back(part);
            continue;
        }
        for (const Subtree& half : divide(part)) top_.push_back(half);
    }
    parallel_tasks(threads, subtrees_.size(), [&](std::size_t t, int) {
        const Box<T, D> box = build_below(subtrees_[t], box_of);
        if (subtrees_[t].place != none) box_at(subtrees_[t].place) = box;
    });
    for (std::size_t t = top_.size(); t-- > 0;) {
        const Subtree& part = top_[t];
        if (part.end - part.begin <= large) continue;
        nodes_[part.node].place = none;
        if (part.place == none) continue;
        put(part.place, part.node);
        box_at(part.place) = united(nodes_[part.node].box[0], nodes_[part.node].box[1]);
    }
}

}  // namespace vicinal::inline VICINAL_API
