// scipy: cKDTree.query_pairs, in a separate Python process that times itself, after a warm-up
// with part of the points.
#include <cstring>
#include <stdexcept>

#include "bench/peers/peer.hpp"
#include "bench/peers/process.hpp"
#include "io/write.hpp"

namespace vicinal::peers {
namespace {

// Arguments: points (.npy), cut-off, where the pairs go. Prints the seconds.
constexpr const char* script = R"(
import sys, time
import numpy
from scipy.spatial import cKDTree

points = numpy.load(sys.argv[1])
for part in points[:100000], points:
    start = time.perf_counter()
    pairs = cKDTree(part).query_pairs(float(sys.argv[2]), output_type="ndarray")
    seconds = time.perf_counter() - start
pairs.astype(numpy.uint32).tofile(sys.argv[3])
print(seconds)
)";

class Scipy : public Peer {
  public:
    void prepare(const Problem& problem) override {
        std::string file =
            io::npy_header("<f8", problem.size(), static_cast<std::size_t>(problem.dim));
        file.append(reinterpret_cast<const char*>(problem.position.data()),
                    problem.position.size() * sizeof(double));
        points_.replace(file);
        io::append_number(cutoff_ = "", problem.cutoff);
    }

    void run(int threads, Found& found) override {
        found.clear(threads);
        pairs_.replace("");
        found.seconds = std::stod(
            output_of({VICINAL_PYTHON, "-c", script, points_.path(), cutoff_, pairs_.path()}));
        const std::string bytes = pairs_.content();
        found.parts[0].resize(bytes.size() / sizeof(Pair));
        std::memcpy(found.parts[0].data(), bytes.data(), bytes.size());
    }

  private:
    MemoryFile points_, pairs_;
    std::string cutoff_;
};

}  // namespace

PeerInfo scipy() {
    return {"scipy",
            "points",
            [](const Problem& problem) { return problem.shape == Shape::points; },
            false,
            false,
            [](const Problem&) -> std::unique_ptr<Peer> { return std::make_unique<Scipy>(); }};
}

}  // namespace vicinal::peers
