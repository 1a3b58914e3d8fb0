// The finder: an object that lives as long as the simulation, keeps its memory between
// steps and answers which bodies are close enough to interact.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <vicinal/bodies.hpp>
#include <vicinal/changes.hpp>
#include <vicinal/domain.hpp>
#include <vicinal/pairs.hpp>
#include <vicinal/report.hpp>
#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API {

template <int D>
struct Options {
    Domain<D> domain = {};
    std::string method = "auto";  // "name(key=value, ...)"; see methods.hpp
    int threads = 0;              // 0: VICINAL_THREADS, or all cores
    // More pairs than this is an error. Where the reach spans many periods, a number here also
    // allows so many images to be tested (docs/promises.md).
    std::uint64_t max_pairs = no_limit;
    std::uint64_t max_bytes = no_limit;  // so is holding more memory than this
};

enum class Order {
    any,     // fixed by input, method and history; never by threads
    sorted,  // by (i, j, image): the same for every method
};

// Receives blocks from several workers at once. An empty function is an Error.
template <int D>
using Consumer = std::function<void(const Block<D>&)>;

// A finder that has been moved from may be destroyed or assigned to; every other call on it is
// an Error.
template <Real T, int D>
class VICINAL_EXPORT Finder {
  public:
    explicit Finder(const Options<D>& options = {});
    Finder(Finder&&) noexcept;
    Finder& operator=(Finder&&) noexcept;
    ~Finder();

    // Takes the bodies of this step. The view must stay valid until the next update.
    void update(const Bodies<T, D>& bodies);
    // The same in a new domain (a box that breathes, a shear that advances).
    void update(const Bodies<T, D>& bodies, const Domain<D>& domain);

    // Each pair once. The list lives in the finder until its next call.
    const PairList<D>& pairs(Order order = Order::any);
    // The same, handed over to the caller: the finder keeps nothing of it.
    PairList<D> take_pairs(Order order = Order::any);
    // Each pair once, in parallel, nothing stored. The consumer runs on several threads.
    void for_each_block(const Consumer<D>& consumer);
    std::uint64_t count();
    // The rows live in the finder until its next call (but for const ones). Order::sorted sorts
    // each row; `row_order` says whose row comes where.
    const Rows<D>& neighbours(RowKind kind = RowKind::full, Order order = Order::any,
                              RowOrder row_order = RowOrder::body);

    // What began and what ended since changes() was last called (the first time: all pairs
    // began), normally once after each update. Bodies may come and go in between: see
    // Bodies::id. The changes live in the finder until its next call.
    const Changes<D>& changes();

    // Two sets: pairs (i in `others`, j in this finder's bodies) by the same rule as within
    // one set. Both sets have the same shape, cut-off and rule. Excluded pairs are those of
    // `others`, as (i, j) like the result.
    PairList<D> pairs_with(const Bodies<T, D>& others, Order order = Order::any) const;
    void pairs_with(const Bodies<T, D>& others, const Consumer<D>& consumer) const;

    // Queries (points, spheres, boxes, segments, moving boxes) against the standing
    // structure: pairs (query, body). A query has its own size; bodies keep theirs, and
    // points are bare points: the cut-off does not apply. Moving bodies move. Groups,
    // vertices and exclusions hold as between two sets.
    PairList<D> probe(const Bodies<T, D>& queries, Order order = Order::any) const;
    void probe(const Bodies<T, D>& queries, const Consumer<D>& consumer) const;

    // The k bodies nearest to each query, or as many as there are within `max_distance`.
    // Distances are between places when the step begins: of boxes, and to them, the gap (0
    // where they meet); spheres count as their centres. In a periodic domain every image of a
    // body is one to be found. Groups, vertices and exclusions hold as between two sets. Trees
    // can do this; with another method it is an Error that names them.
    Nearest<T, D> nearest(const Bodies<T, D>& queries, std::size_t k,
                          T max_distance = std::numeric_limits<T>::infinity()) const;
    // The same for the finder's own bodies, none of which is its own neighbour (its images may
    // be).
    Nearest<T, D> nearest(std::size_t k,
                          T max_distance = std::numeric_limits<T>::infinity()) const;

    // An order of the bodies in which neighbours are near to each other, the method's own or
    // along a space-filling curve: order()[k] is the body that comes k-th. A caller who keeps
    // its arrays in this order gives every later step better memory locality.
    std::vector<Index> order() const;

    const Report<D>& report() const;

  private:
    struct State;
    State& state() const;
    std::unique_ptr<State> state_;
};

// One call: all pairs of one set, or between two.
template <Real T, int D>
VICINAL_EXPORT PairList<D> find_pairs(const Bodies<T, D>& bodies,
                                      const Options<D>& options = {}, Order order = Order::any);
template <Real T, int D>
VICINAL_EXPORT PairList<D> find_pairs(const Bodies<T, D>& a, const Bodies<T, D>& b,
                                      const Options<D>& options = {}, Order order = Order::any);

#define VICINAL_DECLARE(T, D)                                                              \
    extern template class Finder<T, D>;                                                    \
    extern template PairList<D> find_pairs(const Bodies<T, D>&, const Options<D>&, Order); \
    extern template PairList<D> find_pairs(const Bodies<T, D>&, const Bodies<T, D>&,       \
                                           const Options<D>&, Order);
VICINAL_DECLARE(float, 2)
VICINAL_DECLARE(float, 3)
VICINAL_DECLARE(double, 2)
VICINAL_DECLARE(double, 3)
#undef VICINAL_DECLARE

}  // namespace vicinal::inline VICINAL_API
