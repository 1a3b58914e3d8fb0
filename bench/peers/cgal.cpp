// CGAL: box_self_intersection_d, a hybrid of streamed segment trees and sweeps (Zomorodian and
// Edelsbrunner 2002). `cutoff` is the number of boxes below which it sweeps; its documentation
// recommends values above the default of 10. It sorts its input, so each run gets a fresh copy.
#include <CGAL/box_intersection_d.h>

#include "bench/peers/peer.hpp"
#include "common/stopwatch.hpp"

namespace vicinal::peers {
namespace {

template <class T, int D, std::ptrdiff_t cutoff>
class Cgal : public Peer {
    using Box = CGAL::Box_intersection_d::Box_with_handle_d<T, D, const Index*>;

  public:
    void prepare(const Problem& problem) override {
        const std::size_t count = problem.size();
        ids_.resize(count);
        boxes_.clear();
        boxes_.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            ids_[i] = static_cast<Index>(i);
            T lower[D], upper[D];
            for (std::size_t a = 0; a < D; ++a) {
                lower[a] = static_cast<T>(problem.position[i * D + a]);
                upper[a] = static_cast<T>(problem.upper[i * D + a]);
            }
            boxes_.emplace_back(lower, upper, &ids_[i]);
        }
    }

    void run(int threads, Found& found) override {
        found.clear(threads);
        std::vector<Box> boxes = boxes_;
        std::vector<Pair>& out = found.parts[0];
        const auto keep = [&out](const Box& a, const Box& b) {
            out.push_back({*a.handle(), *b.handle()});
        };
        const common::Stopwatch watch;
        CGAL::box_self_intersection_d(boxes.begin(), boxes.end(), keep, std::ptrdiff_t{cutoff});
        found.seconds = watch.seconds();
    }

  private:
    std::vector<Index> ids_;
    std::vector<Box> boxes_;
};

template <class T, int D>
using Default = Cgal<T, D, 10>;
template <class T, int D>
using Cutoff200 = Cgal<T, D, 200>;

bool fits(const Problem& problem) {
    return problem.shape == Shape::boxes;
}

}  // namespace

PeerInfo cgal() {
    return {"cgal", "boxes", fits, false, true, make<Default>};
}

PeerInfo cgal_200() {
    return {"cgal(cutoff=200)", "boxes", fits, false, true, make<Cutoff200>};
}

}  // namespace vicinal::peers
