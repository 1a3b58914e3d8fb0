#include <algorithm>
#include <limits>
#include <numeric>

#include <vicinal/parts.hpp>

namespace vicinal::inline VICINAL_API {

template <int D>
struct Regions<D>::Bisection {
    std::span<const Point> positions;
    std::span<const double> weights;
    Point lengths;
    std::vector<Cut>& cuts;
    std::vector<Index> order{};
    using Iterator = std::vector<Index>::iterator;

    double weight(Index i) const { return weights.empty() ? 1 : weights[i]; }
    double weight(Iterator begin, Iterator end) const {
        return std::accumulate(begin, end, 0.0,
                               [&](double sum, Index i) { return sum + weight(i); });
    }

    // The axis along which the positions extend farthest.
    std::size_t longest_axis(Iterator begin, Iterator end) const {
        std::size_t longest = 0;
        double length = -1;
        for (std::size_t a = 0; a < D; ++a) {
            const auto less = [&](Index i, Index j) {
                return positions[i][a] < positions[j][a];
            };
            const auto [low, high] = std::minmax_element(begin, end, less);
            const double extent =
                begin == end ? 0 : (positions[*high][a] - positions[*low][a]) * lengths[a];
            if (extent > length) longest = a, length = extent;
        }
        return longest;
    }

    // A coordinate with a fraction of the weight below it, by quickselect.
    double quantile(Iterator begin, Iterator end, std::size_t axis, double fraction) const {
        if (begin == end) return 0.5;
        double rest = fraction * weight(begin, end);
        while (end - begin > 1) {
            const auto middle = begin + (end - begin) / 2;
            std::nth_element(begin, middle, end, [&](Index i, Index j) {
                return positions[i][axis] < positions[j][axis];
            });
            const double below = weight(begin, middle);
            if (below > rest) {
                end = middle;
            } else {
                rest -= below;
                begin = middle;
            }
        }
        return positions[*begin][axis];
    }

    // Divides these positions among `parts` parts from `first` on.
    std::int32_t divide(Iterator begin, Iterator end, std::size_t first, std::size_t parts) {
        if (parts == 1) return ~static_cast<std::int32_t>(first);
        const std::size_t below = parts / 2;
        const std::size_t axis = longest_axis(begin, end);
        const double at =
            quantile(begin, end, axis, static_cast<double>(below) / static_cast<double>(parts));
        const auto middle =
            std::partition(begin, end, [&](Index i) { return positions[i][axis] < at; });
        const std::size_t own = cuts.size();
        cuts.push_back({axis, at, 0, 0});
        cuts[own].below = divide(begin, middle, first, below);
        const std::int32_t above = divide(middle, end, first + below, parts - below);
        cuts[own].above = above;
        return static_cast<std::int32_t>(own);
    }
};

template <int D>
Regions<D>::Regions(std::span<const Point> positions, std::span<const double> weights,
                    std::size_t parts, const Point& lengths) {
    Bisection bisection{positions, weights, lengths, cuts_};
    bisection.order.resize(positions.size());
    std::iota(bisection.order.begin(), bisection.order.end(), Index{0});
    bisection.divide(bisection.order.begin(), bisection.order.end(), 0, parts);
}

// Finds the cuts from the outermost one inwards: a plane that no box crosses, with boxes on
// both sides.
template <int D>
struct Regions<D>::Reconstruction {
    std::span<const Sides> boxes;
    std::vector<Cut>& cuts;
    std::vector<PartNumber> order{};
    using Iterator = std::vector<PartNumber>::iterator;

    // The first part above a cut perpendicular to this axis, or `end` if there is none.
    Iterator find_cut(Iterator begin, Iterator end, std::size_t axis) const {
        std::sort(begin, end, [&](PartNumber p, PartNumber q) {
            const Sides &a = boxes[p], &b = boxes[q];
            return std::pair(a.lower[axis], a.upper[axis]) <
                   std::pair(b.lower[axis], b.upper[axis]);
        });
        double highest = std::numeric_limits<double>::lowest();
        for (auto p = begin; p + 1 < end; ++p) {
            highest = std::max(highest, boxes[*p].upper[axis]);
            if (highest <= boxes[p[1]].lower[axis]) return p + 1;
        }
        return end;
    }

    std::int32_t divide(Iterator begin, Iterator end) {
        if (end - begin == 1) return ~static_cast<std::int32_t>(*begin);
        for (std::size_t axis = 0; axis < D; ++axis) {
            const auto middle = find_cut(begin, end, axis);
            if (middle == end) continue;
            const std::size_t own = cuts.size();
            cuts.push_back({axis, boxes[*middle].lower[axis], 0, 0});
            cuts[own].below = divide(begin, middle);
            const std::int32_t above = divide(middle, end);
            cuts[own].above = above;
            return static_cast<std::int32_t>(own);
        }
        throw Error(Error::Kind::input, "regions: " + std::to_string(end - begin) +
                                            " boxes cannot be separated by a plane; give boxes "
                                            "that recursive bisection has made");
    }
};

template <int D>
Regions<D>::Regions(std::span<const Sides> boxes) {
    Reconstruction reconstruction{boxes, cuts_};
    reconstruction.order.resize(boxes.size());
    std::iota(reconstruction.order.begin(), reconstruction.order.end(), PartNumber{0});
    reconstruction.divide(reconstruction.order.begin(), reconstruction.order.end());
}

template <int D>
PartNumber Regions<D>::part_at(const Point& x) const {
    std::int32_t node = root();
    while (node >= 0) {
        const Cut& cut = cuts_[static_cast<std::size_t>(node)];
        node = x[cut.axis] < cut.at ? cut.below : cut.above;
    }
    return static_cast<PartNumber>(~node);
}

template <int D>
auto Regions<D>::sides() const -> std::vector<Sides> {
    std::vector<Sides> sides(parts());
    const auto visit = [&](const auto& self, std::int32_t node, const Sides& box) -> void {
        if (node < 0) {
            sides[static_cast<PartNumber>(~node)] = box;
            return;
        }
        const Cut& cut = cuts_[static_cast<std::size_t>(node)];
        Sides below = box, above = box;
        below.upper[cut.axis] = above.lower[cut.axis] = cut.at;
        self(self, cut.below, below);
        self(self, cut.above, above);
    };
    Sides all;
    all.lower.fill(-std::numeric_limits<double>::infinity());
    all.upper.fill(std::numeric_limits<double>::infinity());
    visit(visit, root(), all);
    return sides;
}

// A comparison with NaN is false, so both sides are visited.
template <int D>
void Regions<D>::find_meeting(const Sides& box, std::vector<PartNumber>& found) const {
    const auto visit = [&](const auto& self, std::int32_t node) -> void {
        while (node >= 0) {
            const Cut& cut = cuts_[static_cast<std::size_t>(node)];
            const bool only_above = box.lower[cut.axis] > cut.at;
            const bool only_below = box.upper[cut.axis] < cut.at;
            if (!only_above && !only_below) self(self, cut.below);
            node = only_below ? cut.below : cut.above;
        }
        found.push_back(static_cast<PartNumber>(~node));
    };
    visit(visit, root());
}

template class Regions<2>;
template class Regions<3>;

}  // namespace vicinal::inline VICINAL_API
