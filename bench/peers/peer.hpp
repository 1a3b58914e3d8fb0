// The interface of another library in `vicinal bench`; see README.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scenes/scenes.hpp"

#include <vicinal/types.hpp>

namespace vicinal::peers {

// Bodies at rest in open space. Every value is representable in the chosen precision, so that a
// peer can convert to float without loss. Spheres pair when they touch.
struct Problem : scenes::Workload {
    bool single = false;  // float, else double
};

// The result of a peer, with the caller's indices. The vectors keep their memory between runs,
// so that page faults of the result are not charged to the peer.
struct Found {
    std::vector<std::vector<Pair>> parts;  // one for each thread
    bool both_ways = false;                // (i, j) and (j, i)
    std::uint64_t counted = 0;             // pairs, if the peer only counts them
    double seconds = 0;

    void clear(int threads) {
        parts.resize(static_cast<std::size_t>(threads));
        for (auto& part : parts) part.clear();
    }
};

class Peer {
  public:
    virtual ~Peer() = default;
    // Converts the bodies to the layout of the peer. Not timed; called again after motion.
    virtual void prepare(const Problem& problem) = 0;
    // Finds the pairs of those arrays from scratch; returns the time.
    virtual void run(int threads, Found& found) = 0;
};

struct PeerInfo {
    std::string name;
    std::string takes;  // for messages: "boxes in 3-D, float"
    bool (*fits)(const Problem&);
    bool parallel;    // false: one thread only
    bool in_process;  // false: another process, whose memory is not measured
    std::unique_ptr<Peer> (*make)(const Problem&);
};

// The peers of this build.
std::vector<PeerInfo> list();

// Makes a peer P<T, D> for the problem's precision and dimension.
template <template <class, int> class P>
std::unique_ptr<Peer> make(const Problem& problem) {
    if (problem.single)
        return problem.dim == 2 ? std::unique_ptr<Peer>(std::make_unique<P<float, 2>>())
                                : std::make_unique<P<float, 3>>();
    return problem.dim == 2 ? std::unique_ptr<Peer>(std::make_unique<P<double, 2>>())
                            : std::make_unique<P<double, 3>>();
}

}  // namespace vicinal::peers
