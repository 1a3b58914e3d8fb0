// The rows of a benchmark, measured on the same bodies. Repeats of the rows alternate, so that
// changes of the machine's speed affect all rows alike.
#pragma once

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/harness/contender.hpp"
#include "bench/harness/machine.hpp"
#include "common/stopwatch.hpp"
#include "io/bodies.hpp"
#include "scenes/random.hpp"

namespace vicinal::bench {

// The unit of --moving: the cut-off, a diameter, the mean edge of a box.
template <Real T, int D>
double size_of(const Bodies<T, D>& bodies, std::size_t i) {
    if (bodies.shape == Shape::points) return double{bodies.cutoff};
    if (bodies.shape == Shape::spheres) return 2 * double{bodies.radius[i]};
    double sum = 0;
    for (int a = 0; a < D; ++a)
        sum += double{bodies.upper(i, a)} - double{bodies.position(i, a)};
    return sum / D;
}

// Rejection sampling from the cube, so that directions are uniform.
template <int D>
std::array<double, D> direction(scenes::Random& random) {
    for (;;) {
        std::array<double, D> v;
        double square = 0;
        for (double& x : v) {
            x = random.uniform(-1, 1);
            square += x * x;
        }
        if (square > 1 || square < 1e-4) continue;
        for (double& x : v) x /= std::sqrt(square);
        return v;
    }
}

// How the bodies move between repeats.
struct Motion {
    double fraction = 0;  // displacement over size, of a body that moves
    double movers = 1;    // fraction of the bodies that move, different ones each time
};

template <Real T, int D>
void move(io::BodyArrays<T, D>& arrays, const Motion& motion, scenes::Random& random) {
    const Bodies<T, D> bodies = arrays.view();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        if (motion.movers < 1 && random.uniform() >= motion.movers) continue;
        const double length = motion.fraction * size_of(bodies, i);
        const auto along = direction<D>(random);
        for (std::size_t a = 0; a < D; ++a) {
            const T step = static_cast<T>(length * along[a]);
            arrays.position[a][i] += step;
            if (bodies.shape == Shape::boxes) arrays.upper[a][i] += step;
        }
    }
}

// Receives progress messages.
using Announce = std::function<void(const std::string&)>;

template <Real T, int D>
class Contest {
  public:
    using Entry = std::unique_ptr<Contender<T, D>>;

    std::vector<std::string> differing;  // rows left out because their pairs differ
    std::vector<std::string> notes;      // peers that failed, or were too slow to be repeated

    Contest(const std::string& name, io::BodyArrays<T, D> bodies, Announce announce)
        : name_(name), bodies_(std::move(bodies)), announce_(std::move(announce)) {}

    // The current bodies in the format of peers.
    const peers::Problem& problem() {
        if (problem_.position.empty()) describe(bodies_.view(), problem_);
        return problem_;
    }

    // Warms up the next row, measures its memory and compares its pairs with those of the first
    // row, which is a method.
    void add(Entry contender) {
        announce_(fmt::format("{}: {}, warming up", name_, contender->row.label()));
        if (!contender->row.peer) {
            io::naming(name_, [&] { warm_up(*contender); });
            const Fingerprint found = contender->found();
            if (entries_.empty()) first_ = found;
            if (agrees(*contender, found)) entries_.push_back(std::move(contender));
        } else if (succeeds(*contender, [&] { warm_up(*contender); })) {
            contender->row.differs = differences_of(*contender);
            entries_.push_back(std::move(contender));
        }
    }

    // The bodies may move between repeats.
    void repeat(std::size_t times, const Motion& motion, std::uint64_t seed) {
        scenes::Random random(seed);
        for (std::size_t k = 0; k < times; ++k) {
            announce_(fmt::format("{}: repeat {} of {}", name_, k + 1, times));
            if (motion.fraction > 0 && k > 0) move_bodies(motion, random);
            std::erase_if(entries_, [&](const Entry& entry) { return !repeated(*entry); });
            // The pairs themselves are compared before the first repeat and after the last.
            drop_differing([](const auto& c) { return Fingerprint{c.row.pairs, {}}; });
        }
        drop_differing(&Contender<T, D>::found);
    }

    std::vector<Row> rows() const {
        std::vector<Row> result;
        for (const Entry& entry : entries_) result.push_back(entry->row);
        return result;
    }

  private:
    // In seconds.
    static constexpr double warm = 0.05;  // of warm-up runs
    static constexpr double brief = 0.2;  // shorter runs depend on the previous row
    static constexpr double max_peer_run = 15;

    // A slower peer is run only once.
    static bool too_slow(const Contender<T, D>& contender) {
        const auto& samples = contender.row.samples;
        return contender.row.peer && !samples.empty() && samples[0].total > max_peer_run;
    }

    // Runs f. A failure of a peer is noted and ends only its row.
    template <class F>
    bool succeeds(const Contender<T, D>& contender, const F& f) {
        if (!contender.row.peer) return f(), true;
        try {
            f();
            return true;
        } catch (const std::exception& error) {
            notes.push_back(fmt::format("{}: left out, because it failed: {}",
                                        contender.row.label(), error.what()));
            return false;
        }
    }

    bool repeated(Contender<T, D>& contender) {
        if (too_slow(contender)) return true;
        return succeeds(contender, [&] {
            if (contender.brief) contender.run(before().view());
            contender.row.samples.push_back(contender.run(bodies_.view()));
        });
    }

    // The positions at the previous repeat: a method that profits from small steps must not see
    // the new positions before it is timed.
    const io::BodyArrays<T, D>& before() const { return before_.count > 0 ? before_ : bodies_; }

    void warm_up(Contender<T, D>& contender) {
        contender.prepare();
        const PeakMemory memory;
        double elapsed = 0;
        for (int runs = 0; runs < 2 || elapsed < warm; ++runs) {
            common::Stopwatch watch;
            const Sample sample = contender.run(bodies_.view());
            const double seconds = watch.lap();
            contender.brief = seconds < brief;
            elapsed += seconds;
            if (!contender.row.peer || sample.total <= max_peer_run) continue;
            contender.row.samples = {sample};
            notes.push_back(fmt::format("{}: not repeated, because it took {:.0f} s",
                                        contender.row.label(), sample.total));
            break;
        }
        if (contender.in_process()) contender.row.peak_bytes = memory.bytes();
    }

    std::uint64_t differences_of(Contender<T, D>& peer) {
        if (peer.only_counts()) {
            const std::uint64_t a = peer.row.pairs, b = first_.count;
            return std::max(a, b) - std::min(a, b);
        }
        if (peer.found() == first_) return 0;
        return differences(entries_.front()->pairs(), peer.pairs(), peer.times());
    }

    bool agrees(const Contender<T, D>& contender, const Fingerprint& found) {
        const std::string what = difference(first_, found);
        if (!what.empty())
            differing.push_back(
                fmt::format("{}: left out, because it found {}", contender.row.label(), what));
        return what.empty();
    }

    // Compares methods by the result of `see` for their last run.
    template <class F>
    void drop_differing(const F& see) {
        first_ = std::invoke(see, *entries_.front());
        std::erase_if(entries_, [&](const Entry& entry) {
            return !entry->row.peer && entry != entries_.front() &&
                   !agrees(*entry, std::invoke(see, *entry));
        });
    }

    void move_bodies(const Motion& motion, scenes::Random& random) {
        before_ = bodies_;
        move(bodies_, motion, random);
        if (!problem_.position.empty()) describe(bodies_.view(), problem_);
        for (const Entry& entry : entries_)
            if (!too_slow(*entry)) entry->prepare();
    }

    std::string name_;
    io::BodyArrays<T, D> bodies_, before_;
    Announce announce_;
    peers::Problem problem_;
    std::vector<Entry> entries_;
    Fingerprint first_;  // of the pairs of the first row
};

}  // namespace vicinal::bench
