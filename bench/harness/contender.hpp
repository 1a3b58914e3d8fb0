// A contender is one row of a benchmark: a method or another library.
#pragma once

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/harness/fingerprint.hpp"
#include "bench/harness/result.hpp"
#include "bench/peers/peer.hpp"
#include "common/stopwatch.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::bench {

enum class Output {
    pairs,
    columns,  // pairs as plain arrays, with images, distances and vectors
    rows,
    ordered_rows,
    row_columns,  // rows with images, distances and vectors
    stream,       // blocks, which nothing stores
    count
};
// By their names on the command line.
inline const std::map<std::string, Output> outputs{
    {"pairs", Output::pairs},
    {"columns", Output::columns},
    {"rows", Output::rows},
    {"ordered-rows", Output::ordered_rows},
    {"row-columns", Output::row_columns},
    {"stream", Output::stream},
    {"count", Output::count},
};

template <Real T, int D>
class Contender {
  public:
    Row row;
    // The previous row leaves its state of caches, heap and threads, which affects short runs.
    // So a short row runs once untimed before each repeat.
    bool brief = false;

    virtual ~Contender() = default;
    // Called when the bodies are new or have moved. Not timed.
    virtual void prepare() {}
    // Finds the pairs from scratch.
    virtual Sample run(const Bodies<T, D>& bodies) = 0;
    // The fingerprint of the pairs of the last run. Call it before the next run and before
    // pairs().
    virtual Fingerprint found() = 0;
    // The pairs themselves: each pair `times` times, in either direction.
    virtual std::vector<Pair> pairs() = 0;
    virtual std::uint64_t times() const { return 1; }
    virtual bool only_counts() const { return false; }
    // False if it runs in another process, whose memory is not measured.
    virtual bool in_process() const { return true; }
};

// One finder for all repeats, as in a simulation.
template <Real T, int D>
class MethodContender : public Contender<T, D> {
  public:
    MethodContender(const std::string& method, int threads, const Domain<D>& domain,
                    Output output)
        : output_(output),
          finder_(Options<D>{.domain = domain, .method = method, .threads = threads}) {
        this->row.name = method;
        this->row.threads = threads;
    }

    Sample run(const Bodies<T, D>& bodies) override {
        common::Stopwatch watch;
        finder_.update(bodies);
        if (output_ == Output::count)
            counted_ = finder_.count();
        else if (output_ == Output::rows)
            rows_ = &finder_.neighbours();
        else if (output_ == Output::columns)
            columns_ = finder_.pairs(Columns::ijSdD);
        else if (output_ == Output::row_columns)
            rows_ = &finder_.neighbours(Columns::ijSdD);
        else if (output_ == Output::stream)
            finder_.for_each_block([](const Block<D>&) {});
        else if (output_ == Output::ordered_rows)
            rows_ = &finder_.neighbours(RowKind::full, Order::any, RowOrder::spatial);
        else
            pairs_ = &finder_.pairs();
        Sample sample{watch.lap(), {}};
        const Report<D>& report = finder_.report();
        const auto& seconds = report.seconds;
        sample.phases = {seconds.scene, seconds.build, seconds.search, seconds.output};
        this->row.bodies = report.bodies;
        if (bodies.shape == Shape::points) this->row.cutoff = double{bodies.cutoff};
        this->row.pairs = report.pairs;
        this->row.candidates = report.candidates;
        this->row.method = report.method;
        return sample;
    }

    Fingerprint found() override {
        if (rows_ != nullptr) return fingerprint(*rows_);
        if (output_ == Output::pairs) return fingerprint(*pairs_);
        if (output_ == Output::columns) return fingerprint(columns_);
        Fingerprint result = streamed_fingerprint(finder_);
        if (output_ == Output::count) result.count = counted_;
        return result;
    }

    std::vector<Pair> pairs() override {
        const PairList<D>& list = finder_.pairs();
        return {list.begin(), list.end()};
    }

  private:
    Output output_;
    Finder<T, D> finder_;
    const PairList<D>* pairs_ = nullptr;
    const Rows<T, D>* rows_ = nullptr;
    PairColumns<T, D> columns_;
    std::uint64_t counted_ = 0;
};

template <Real T, int D>
class PeerContender : public Contender<T, D> {
  public:
    // The problem must outlive the contender; prepare() reads its current content.
    PeerContender(const peers::PeerInfo& info, int threads, const peers::Problem& problem)
        : problem_(problem), peer_(info.make(problem)), in_process_(info.in_process) {
        this->row.name = info.name;
        this->row.threads = threads;
        this->row.peer = true;
        this->row.bodies = problem.size();
        if (problem.shape == Shape::points) this->row.cutoff = problem.cutoff;
    }

    void prepare() override { peer_->prepare(problem_); }

    Sample run(const Bodies<T, D>&) override {
        peer_->run(this->row.threads, found_);
        std::uint64_t listed = 0;
        for (const auto& part : found_.parts) listed += part.size();
        this->row.pairs = only_counts() ? found_.counted : listed / times();
        tidy_heap();
        return {found_.seconds, {}};
    }

    Fingerprint found() override {
        Spellings spellings;
        for (const auto& part : found_.parts)
            for (const Pair& pair : part) spellings.add(pair.i, pair.j);
        return found_.both_ways ? spellings.both_ways() : spellings.once();
    }

    std::vector<Pair> pairs() override {
        std::vector<Pair> all;
        for (const auto& part : found_.parts) all.insert(all.end(), part.begin(), part.end());
        return all;
    }
    std::uint64_t times() const override { return found_.both_ways ? 2 : 1; }
    bool only_counts() const override { return found_.parts.empty(); }
    bool in_process() const override { return in_process_; }

  private:
    // glibc consolidates freed memory at the next large allocation. After a tree of many small
    // nodes this takes long, and must not be charged to the next row.
    static void tidy_heap() {
        void* volatile piece = std::malloc(std::size_t{64} * 1024);
        std::free(piece);
    }

    const peers::Problem& problem_;
    std::unique_ptr<peers::Peer> peer_;
    peers::Found found_;
    bool in_process_;
};

// The bodies in the format of peers.
template <Real T, int D>
void describe(const Bodies<T, D>& bodies, peers::Problem& problem) {
    problem.shape = bodies.shape;
    problem.dim = D;
    problem.single = std::same_as<T, float>;
    problem.cutoff = double{bodies.cutoff};
    problem.position.clear();
    problem.upper.clear();
    problem.radius.clear();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        for (int a = 0; a < D; ++a) problem.position.push_back(double{bodies.position(i, a)});
        if (bodies.shape == Shape::boxes)
            for (int a = 0; a < D; ++a) problem.upper.push_back(double{bodies.upper(i, a)});
        if (bodies.shape == Shape::spheres) problem.radius.push_back(double{bodies.radius[i]});
    }
}

}  // namespace vicinal::bench
