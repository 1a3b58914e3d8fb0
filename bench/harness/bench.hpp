// A benchmark: its rows of methods and peers, and which of them continue with more bodies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "bench/harness/contest.hpp"

namespace vicinal::bench {

struct Plan {
    std::vector<std::string> methods;
    std::vector<int> threads;
    Output output = Output::pairs;
    std::size_t repeat = 7;
    Motion motion;
    std::uint64_t seed = 1;  // of the motion
};

class Bench {
  public:
    Result result;
    std::vector<std::string> differing;  // rows left out because their pairs differ
    std::vector<std::string> notes;

    explicit Bench(Plan plan) : plan_(std::move(plan)) {}

    // Adds a row for each method and peer and each number of threads.
    template <Real T, int D>
    void measure(Contest<T, D>& contest, const Domain<D>& domain,
                 const std::vector<peers::PeerInfo>& peers);

    // Calls measure_size(n), which measures n bodies, for n from a thousand to ten million, or
    // until all methods would take too long. Then fits the growth of the times.
    void scale(const std::function<void(std::uint64_t n)>& measure_size);

  private:
    bool goes_on(const std::string& name, int threads) const;
    std::vector<const Row*> rows_of(const Growth& growth) const;
    bool foresee(std::uint64_t n);

    Plan plan_;
};

template <Real T, int D>
void Bench::measure(Contest<T, D>& contest, const Domain<D>& domain,
                    const std::vector<peers::PeerInfo>& peers) {
    for (const int threads : plan_.threads)
        for (const std::string& method : plan_.methods)
            if (goes_on(method, threads))
                contest.add(std::make_unique<MethodContender<T, D>>(method, threads, domain,
                                                                    plan_.output));
    for (const int all : plan_.threads)
        for (const auto& peer : peers) {
            const int threads = peer.parallel ? all : 1;
            const bool repeated = !peer.parallel && all != plan_.threads.front();
            if (!repeated && goes_on(peer.name, threads))
                contest.add(
                    std::make_unique<PeerContender<T, D>>(peer, threads, contest.problem()));
        }
    contest.repeat(plan_.repeat, plan_.motion, plan_.seed);
    std::ranges::move(contest.rows(), std::back_inserter(result.rows));
    std::ranges::move(contest.differing, std::back_inserter(differing));
    std::ranges::move(contest.notes, std::back_inserter(notes));
}

}  // namespace vicinal::bench
