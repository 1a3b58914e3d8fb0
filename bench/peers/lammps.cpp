// LAMMPS: the mean time of a rebuild of its neighbour list (each pair once), from its own
// timing table. The slowest process counts; the exchange of ghosts ("Comm") does not. A pair
// style without forces and no skin, so that the list holds the pairs within the cut-off; a
// rebuild at every step; atoms sorted by LAMMPS before the first. As many MPI processes as
// threads. It counts its pairs but does not list them.
#include <algorithm>
#include <regex>
#include <stdexcept>

#include "bench/peers/peer.hpp"
#include "bench/peers/process.hpp"
#include "io/write.hpp"

namespace vicinal::peers {
namespace {

// The number in the group of `pattern` in `text`.
double number_in(const std::string& text, const std::string& pattern) {
    std::smatch match;
    if (!std::regex_search(text, match, std::regex(pattern)))
        throw std::runtime_error("the output of LAMMPS lacks " + pattern);
    return std::stod(match[1]);
}

class Lammps : public Peer {
  public:
    void prepare(const Problem& problem) override {
        atoms_.replace(data_file(problem));
        // The first build, before the timed ones, is the warm-up.
        steps_ = std::clamp<std::size_t>(2'000'000 / (problem.size() + 1), 2, 20);
        std::string cutoff;
        io::append_number(cutoff, problem.cutoff);
        script_.replace(
            "units lj\n"
            "boundary f f f\n"
            "atom_style atomic\n"
            "read_data " +
            atoms_.path() +
            "\n"
            "pair_style zero " +
            cutoff +
            "\n"
            "pair_coeff * *\n"
            "neighbor 0 bin\n"
            "neigh_modify every 1 delay 0 check no one 100000 page 1000000\n"
            "run " +
            std::to_string(steps_) + "\n");
    }

    void run(int threads, Found& found) override {
        std::vector<std::string> words{"lmp", "-in", script_.path(), "-log", "none"};
        if (threads > 1) {
            const std::vector<std::string> before{"mpirun", "--allow-run-as-root",
                                                  "--oversubscribe", "-np",
                                                  std::to_string(threads)};
            words.insert(words.begin(), before.begin(), before.end());
        }
        const std::string text = output_of(words);
        // Section | min time | avg time | max time
        found.seconds = number_in(text, R"(Neigh *\|[^|]*\|[^|]*\| *([0-9.e+-]+))") /
                        number_in(text, "Neighbor list builds = ([0-9]+)");
        found.counted =
            static_cast<std::uint64_t>(number_in(text, "Total # of neighbors = ([0-9.e+]+)"));
    }

  private:
    // The box is larger than the bounds of the points, because LAMMPS loses atoms on its upper
    // faces.
    static std::string data_file(const Problem& problem) {
        const auto [low, high] =
            std::minmax_element(problem.position.begin(), problem.position.end());
        std::string bounds;
        io::append_number(bounds, *low - problem.cutoff);
        io::append_number(bounds += ' ', *high + problem.cutoff);
        std::string text =
            "points\n\n" + std::to_string(problem.size()) + " atoms\n1 atom types\n\n";
        for (const char* axis : {"x", "y", "z"})
            text += bounds + " " + axis + "lo " + axis + "hi\n";
        text += "\nMasses\n\n1 1\n\nAtoms # atomic\n\n";
        for (std::size_t i = 0; i < problem.size(); ++i) {
            text += std::to_string(i + 1) + " 1";
            for (std::size_t a = 0; a < 3; ++a)
                io::append_number(text += ' ', problem.position[i * 3 + a]);
            text += '\n';
        }
        return text;
    }

    MemoryFile atoms_, script_;
    std::size_t steps_ = 0;
};

}  // namespace

PeerInfo lammps() {
    return {"lammps",
            "points in 3-D",
            [](const Problem& problem) {
                return problem.shape == Shape::points && problem.dim == 3 && problem.size() > 0;
            },
            true,
            false,
            [](const Problem&) -> std::unique_ptr<Peer> { return std::make_unique<Lammps>(); }};
}

}  // namespace vicinal::peers
