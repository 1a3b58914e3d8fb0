// nanoflann: a kd-tree of points; a radius search around each, unsorted, gives neighbour lists
// in both directions. It does not support sizes: for spheres, each search covers the largest
// radius, and distant pairs are dropped.
#include <omp.h>

#include <algorithm>
#include <nanoflann.hpp>

#include "bench/peers/peer.hpp"
#include "common/stopwatch.hpp"

namespace vicinal::peers {
namespace {

template <class T, int D>
struct Cloud {
    std::vector<T> xyz;

    std::size_t kdtree_get_point_count() const { return xyz.size() / D; }
    T kdtree_get_pt(std::size_t i, std::size_t a) const { return xyz[i * D + a]; }
    template <class Box>
    bool kdtree_get_bbox(Box&) const {
        return false;
    }
};

template <class T, int D>
class Nanoflann : public Peer {
    using Tree =
        nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<T, Cloud<T, D>>,
                                            Cloud<T, D>, D, Index>;

  public:
    void prepare(const Problem& problem) override {
        cloud_.xyz.assign(problem.position.begin(), problem.position.end());
        radius_.assign(problem.radius.begin(), problem.radius.end());
        largest_ = radius_.empty() ? T{0} : *std::max_element(radius_.begin(), radius_.end());
        cutoff_ = static_cast<T>(problem.cutoff);
    }

    void run(int threads, Found& found) override {
        found.clear(threads);
        found.both_ways = true;
        const common::Stopwatch watch;
        Tree tree(D, cloud_);
        const auto count = static_cast<std::int64_t>(cloud_.kdtree_get_point_count());
#pragma omp parallel num_threads(threads)
        {
            std::vector<std::pair<Index, T>> matches;
            auto& out = found.parts[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp for schedule(dynamic, 1024)
            for (std::int64_t i = 0; i < count; ++i)
                search(tree, static_cast<Index>(i), matches, out);
        }
        found.seconds = watch.seconds();
    }

  private:
    void search(const Tree& tree, Index i, std::vector<std::pair<Index, T>>& matches,
                std::vector<Pair>& out) const {
        static const nanoflann::SearchParams unsorted(32, 0, false);
        const T reach = radius_.empty() ? cutoff_ : radius_[i] + largest_;
        tree.radiusSearch(&cloud_.xyz[std::size_t{i} * D], reach * reach, matches, unsorted);
        for (const auto& [j, square] : matches)
            if (j != i && (radius_.empty() || touch(i, j, square))) out.push_back({i, j});
    }

    bool touch(Index i, Index j, T square) const {
        const T sum = radius_[i] + radius_[j];
        return square <= sum * sum;
    }

    Cloud<T, D> cloud_;
    std::vector<T> radius_;
    T largest_ = 0, cutoff_ = 0;
};

}  // namespace

PeerInfo nanoflann() {
    return {"nanoflann",
            "points and spheres",
            [](const Problem& problem) { return problem.shape != Shape::boxes; },
            true,
            true,
            make<Nanoflann>};
}

}  // namespace vicinal::peers
