// What another library must do to stand beside ours in `vicinal bench`: README.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scenes/scenes.hpp"

#include <vicinal/types.hpp>

namespace vicinal::peers {

// Bodies at rest in open space. Every number is one of the precision chosen, so that a peer
// may go back to float without loss. Spheres pair when they touch.
struct Problem : scenes::Workload {
    bool single = false;  // float, else double
};

// What a peer found, in the caller's numbers. The vectors keep their memory between runs:
// pages that the result needs afresh are not the peer's fault.
struct Found {
    std::vector<std::vector<Pair>> parts;  // one for each thread
    bool both_ways = false;                // (i, j) and (j, i)
    std::uint64_t counted = 0;             // pairs, where the peer only counts them
    double seconds = 0;

    void clear(int threads) {
        parts.resize(static_cast<std::size_t>(threads));
        for (auto& part : parts) part.clear();
    }
};

class Peer {
  public:
    virtual ~Peer() = default;
    // Takes the bodies in the layout the peer likes best. Not timed; called again when they
    // have moved.
    virtual void prepare(const Problem& problem) = 0;
    // Everything from those arrays to the pairs, from scratch; says how long that took.
    virtual void run(int threads, Found& found) = 0;
};

struct PeerInfo {
    std::string name;
    std::string takes;  // for people: "boxes in 3-D, float"
    bool (*fits)(const Problem&);
    bool parallel;    // else it runs on one thread only
    bool in_process;  // else its memory is not ours to measure
    std::unique_ptr<Peer> (*make)(const Problem&);
};

// Those compiled in.
std::vector<PeerInfo> list();

// A peer P<T, D> of the problem's precision and dimension.
template <template <class, int> class P>
std::unique_ptr<Peer> make(const Problem& problem) {
    if (problem.single)
        return problem.dim == 2 ? std::unique_ptr<Peer>(std::make_unique<P<float, 2>>())
                                : std::make_unique<P<float, 3>>();
    return problem.dim == 2 ? std::unique_ptr<Peer>(std::make_unique<P<double, 2>>())
                            : std::make_unique<P<double, 3>>();
}

}  // namespace vicinal::peers
