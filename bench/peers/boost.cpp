// Boost.Geometry: an R-tree filled by its packing constructor, the fastest way to build one
// from all boxes, then an intersects query for each box. Each pair is found from both sides and
// stored once.
#include <omp.h>

#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/iterator/function_output_iterator.hpp>

#include "bench/peers/peer.hpp"
#include "common/stopwatch.hpp"

namespace vicinal::peers {
namespace {

namespace geometry = boost::geometry;

template <class T, int D>
class Boost : public Peer {
    using Point = geometry::model::point<T, D, geometry::cs::cartesian>;
    using Box = geometry::model::box<Point>;
    using Value = std::pair<Box, Index>;
    using Tree = geometry::index::rtree<Value, geometry::index::linear<16>>;

  public:
    void prepare(const Problem& problem) override {
        values_.resize(problem.size());
        for (std::size_t i = 0; i < values_.size(); ++i)
            values_[i] = {Box(corner(problem.position, i), corner(problem.upper, i)),
                          static_cast<Index>(i)};
    }

    void run(int threads, Found& found) override {
        found.clear(threads);
        const common::Stopwatch watch;
        const Tree tree(values_);
        const auto count = static_cast<std::int64_t>(values_.size());
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads)
        for (std::int64_t k = 0; k < count; ++k) {
            const auto& [box, i] = values_[static_cast<std::size_t>(k)];
            auto& out = found.parts[static_cast<std::size_t>(omp_get_thread_num())];
            const auto keep = [&out, i = i](const Value& hit) {
                if (i < hit.second) out.push_back({i, hit.second});
            };
            tree.query(geometry::index::intersects(box),
                       boost::make_function_output_iterator(keep));
        }
        found.seconds = watch.seconds();
    }

  private:
    static Point corner(const std::vector<double>& values, std::size_t i) {
        Point point;
        geometry::set<0>(point, static_cast<T>(values[i * D]));
        geometry::set<1>(point, static_cast<T>(values[i * D + 1]));
        if constexpr (D == 3) geometry::set<2>(point, static_cast<T>(values[i * D + 2]));
        return point;
    }

    std::vector<Value> values_;
};

}  // namespace

PeerInfo boost_rtree() {
    return {
        "boost", "boxes", [](const Problem& problem) { return problem.shape == Shape::boxes; },
        true,    true,    make<Boost>};
}

}  // namespace vicinal::peers
