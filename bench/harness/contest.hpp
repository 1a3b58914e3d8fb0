// The rows of a benchmark, measured side by side on the same bodies: each row once, then
// each row once more, so that a machine that speeds up or slows down does so for all.
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

// What --moving counts in: the cut-off, a diameter, the mean edge of a box.
template <Real T, int D>
double size_of(const Bodies<T, D>& bodies, std::size_t i) {
    if (bodies.shape == Shape::points) return double{bodies.cutoff};
    if (bodies.shape == Shape::spheres) return 2 * double{bodies.radius[i]};
    double sum = 0;
    for (int a = 0; a < D; ++a)
        sum += double{bodies.upper(i, a)} - double{bodies.position(i, a)};
    return sum / D;
}

// By rejection from the cube, so that no direction is preferred.
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
    double fraction = 0;  // of its size, for a body that moves
    double movers = 1;    // the share of the bodies that do, others each time
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

// Hears what is going on.
using Announce = std::function<void(const std::string&)>;

template <Real T, int D>
class Contest {
  public:
    using Entry = std::unique_ptr<Contender<T, D>>;

    std::vector<std::string> differing;  // rows that found other pairs and are left out
    std::vector<std::string> notes;      // peers that failed, or were too slow to be repeated

    Contest(const std::string& name, io::BodyArrays<T, D> bodies, Announce announce)
        : name_(name), bodies_(std::move(bodies)), announce_(std::move(announce)) {}

    // The bodies as peers see them, now and when they have moved.
    const peers::Problem& problem() {
        if (problem_.position.empty()) describe(bodies_.view(), problem_);
        return problem_;
    }

    // Warms the next row up, measures its memory and compares its pairs with those of the
    // first row, which is a method.
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
    static constexpr double warm = 0.05;    // of running, before anything is measured
    static constexpr double brief = 0.2;    // a run that feels what ran before it
    static constexpr double patience = 15;  // the most that a run of a peer may take

    // The first run of such a peer is its only one.
    static bool too_slow(const Contender<T, D>& contender) {
        const auto& samples = contender.row.samples;
        return contender.row.peer && !samples.empty() && samples[0].total > patience;
    }

    // Runs f. Where the contender is a peer, its failure is noted and ends its row only.
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

    // Where the bodies were at the repeat before: a method that profits from small steps
    // must not meet the new place before it is timed there.
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
            if (!contender.row.peer || sample.total <= patience) continue;
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

    // Methods, by what `see` sees of their last run.
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
