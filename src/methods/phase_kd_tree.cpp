// Phase-space kd-tree (Lara 2005, A.4): like the kd-tree, but nodes are split along the widest
// axis of position or motion; two nodes are joined only if some of their bodies could touch
// during the step. For fast swept bodies whose neighbours have similar velocities (a sheared
// flow); at rest it is a kd-tree. O(N log N); loses where motion is small, because then it is
// only overhead.
//
// Beyond the paper: motion is compared with lengths as the distance moved during the step (the
// printed source compares raw numbers), bounds are those of the bodies, sizes included, and the
// tree is built top-down. `build=insert` is the printed form: bodies inserted one by one, nodes
// bounded by their cells of phase space and the longest edge of all bodies.
#include "methods/registry.hpp"

#include <cmath>

#include "structures/tree_method.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

// Bounds of bodies at the beginning of the step, and of their motion during it.
template <Real T, int D>
struct Phase {
    Box<T, D> start = empty_box<T, D>();
    Box<T, D> motion = empty_box<T, D>();

    void add(const Phase& other) {
        extend(start, other.start);
        extend(motion, other.motion);
    }
    // Bounds of the whole step.
    Box<T, D> path() const {
        Box<T, D> box = start;
        for (std::size_t a = 0; a < D; ++a) {
            box.lo[a] += std::min(motion.lo[a], T{0});
            box.hi[a] += std::max(motion.hi[a], T{0});
        }
        return box;
    }
};

// True if there may be a time in [0, 1] at which the bounds overlap on every axis.
// Conservative: facing sides approach at the highest speed of either node.
template <Real T, int D>
bool may_meet(const Phase<T, D>& a, const Phase<T, D>& b) {
    double enter = 0, leave = 1;
    // gap + t * speed <= 0
    const auto close = [&](T side_a, T side_b, T speed_a, T speed_b) {
        const double gap = static_cast<double>(side_b) - static_cast<double>(side_a);
        const double speed = static_cast<double>(speed_b) - static_cast<double>(speed_a);
        if (gap > 0)
            enter = speed < 0 ? std::max(enter, -gap / speed) : 2;
        else if (speed > 0)
            leave = std::min(leave, -gap / speed);
    };
    for (std::size_t k = 0; k < D; ++k) {
        close(a.start.hi[k], b.start.lo[k], a.motion.hi[k], b.motion.lo[k]);
        close(b.start.hi[k], a.start.lo[k], b.motion.hi[k], a.motion.lo[k]);
    }
    // Times are rounded; the boxes already cover the rounding of the decision.
    return enter <= leave + 1e-12;
}

template <Real T, int D>
class PhaseKdTree final : public TreeMethod<T, D> {
  public:
    explicit PhaseKdTree(const Choice& choice)
        : TreeMethod<T, D>(choice.number("leaf")), insert_(choice.word("build") == "insert") {}

    void build(const Scene<T, D>& scene) override {
        points_.resize(scene.size());
        parallel_for(scene.threads(), scene.size(), [&](std::size_t k) {
            const Phase<T, D> phase = phase_of(scene, static_cast<Index>(k));
            for (std::size_t a = 0; a < D; ++a) {
                points_[k].x[a] = phase.start.lo[a] / 2 + phase.start.hi[a] / 2;
                points_[k].x[D + a] = phase.motion.lo[a];
            }
            points_[k].instance = static_cast<Index>(k);
        });
        if (insert_) {
            this->insert(grown_, points_);
        } else {
            this->split_at_spatial_middle(points_.span(), scene.threads());
            this->set_entries(scene, [&](std::size_t e) { return points_[e].instance; });
        }
        this->refit(scene);
        fit_phases(scene);
        if (insert_) widen_phases(scene);
        tree_.make_tasks(overlap());
    }

    void search(Range tasks, const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, packed_);
        tree_.search(tasks, sieve, overlap());
    }

  private:
    using TreeMethod<T, D>::packed_;
    using TreeMethod<T, D>::tree_;

    // The scene's box covers the whole step: subtracting the motion from its leading side
    // leaves the body at the beginning, with the same margin for rounding.
    static Phase<T, D> phase_of(const Scene<T, D>& scene, Index k) {
        constexpr T eps = std::numeric_limits<T>::epsilon();
        const Vector<T, D> drift = scene.lattice().drift(scene.shift(k));
        Phase<T, D> phase{scene.box(k), {}};
        for (std::size_t a = 0; a < D; ++a) {
            T u = drift[a];
            if (scene.view().swept()) u += scene.view().displacement.axis[a][scene.body(k)];
            phase.motion.lo[a] = phase.motion.hi[a] = u;
            T& side = u > 0 ? phase.start.hi[a] : phase.start.lo[a];
            const T pad = 4 * eps * (std::abs(side) + std::abs(u));
            side += u > 0 ? pad - u : -(pad + u);
        }
        return phase;
    }

    void fit_phases(const Scene<T, D>& scene) {
        phases_.resize(tree_.nodes.size());
        for (std::size_t n = tree_.nodes.size(); n-- > 0;) {
            const auto& node = tree_.nodes[n];
            poll_cancelled(16);
            Phase<T, D> sum;
            for (Index c = 0; c < node.children; ++c) sum.add(phases_[node.child + c]);
            for (Index e = node.begin; e < node.end && node.children == 0; ++e)
                sum.add(phase_of(scene, packed_.instance(e)));
            phases_[n] = sum;
        }
    }

    // The printed bounds: cells of phase space, and one size for all bodies.
    void widen_phases(const Scene<T, D>& scene) {
        T half = 0;
        for (std::size_t k = 0; k < scene.size(); ++k) {
            const Phase<T, D> phase = phase_of(scene, static_cast<Index>(k));
            for (std::size_t a = 0; a < D; ++a)
                half = std::max(half, phase.start.hi[a] / 2 - phase.start.lo[a] / 2);
        }
        for (std::size_t n = 0; n < tree_.nodes.size(); ++n) {
            poll_cancelled(16);
            const Box<T, 2 * D>& cell = grown_.cell(n);
            Phase<T, D> phase;
            for (std::size_t a = 0; a < D; ++a) {
                phase.start.lo[a] = cell.lo[a] - half;
                phase.start.hi[a] = cell.hi[a] + half;
                phase.motion.lo[a] = cell.lo[D + a];
                phase.motion.hi[a] = cell.hi[D + a];
            }
            phases_[n].add(phase);
            extend(tree_.nodes[n].box, phase.path());
        }
    }

    auto overlap() const {
        return [this](std::size_t a, std::size_t b) {
            return overlaps(tree_.nodes[a].box, tree_.nodes[b].box) &&
                   may_meet(phases_[a], phases_[b]);
        };
    }

    const bool insert_;
    Buffer<TreePoint<T, 2 * D>> points_;  // built top-down: in the order of the tree
    InsertionTree<WidestSplit<T, 2 * D>, T, 2 * D> grown_;
    Buffer<Phase<T, D>> phases_;  // of the nodes
};

}  // namespace

MethodEntry describe_phase_kd_tree() {
    return describe_method<PhaseKdTree>(
        {"phase_kd_tree",
         "a kd-tree over positions and motion, for fast swept bodies (Lara 2005)",
         {leaf_option(), build_option()}});
}

}  // namespace vicinal::inline VICINAL_API
