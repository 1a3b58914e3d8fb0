// The finder: an object that lives as long as the simulation, reuses its memory between steps
// and finds which bodies are close enough to interact.
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
    // More pairs than this are an Error. If the reach spans many periods, a number here also
    // allows up to as many images to be tested (docs/promises.md).
    std::uint64_t max_pairs = no_limit;
    std::uint64_t max_bytes = no_limit;  // using more memory than this is an Error
};

enum class Order {
    any,     // depends on input, method and history, never on threads
    sorted,  // by (i, j, image): the same for every method
};

// Called with blocks from several workers concurrently. An empty function is an Error.
template <int D>
using Consumer = std::function<void(const Block<D>&)>;

// A moved-from finder may be destroyed or assigned to; every other call on it is an Error.
template <Real T, int D>
class VICINAL_EXPORT Finder {
  public:
    explicit Finder(const Options<D>& options = {});
    Finder(Finder&&) noexcept;
    Finder& operator=(Finder&&) noexcept;
    ~Finder();

    // Takes the bodies of this step. The view must stay valid until the next update.
    void update(const Bodies<T, D>& bodies);
    // The same in a new domain (a box that changes size, a shear offset that advances).
    void update(const Bodies<T, D>& bodies, const Domain<D>& domain);

    // Each pair once. The finder owns the list, which is valid until its next call.
    const PairList<D>& pairs(Order order = Order::any);
    // The same, moved to the caller.
    PairList<D> take_pairs(Order order = Order::any);
    // Streams each pair once, without storing it. The consumer runs on several threads.
    void for_each_block(const Consumer<D>& consumer);
    std::uint64_t count();
    // Neighbour rows (CSR). The finder owns them; they are valid until its next non-const call.
    // Order::sorted sorts each row; `row_order` is the order of the rows.
    const Rows<D>& neighbours(RowKind kind = RowKind::full, Order order = Order::any,
                              RowOrder row_order = RowOrder::body);

    // Which pairs began and ended since the last call of changes() (at the first call, all
    // pairs began); normally called once after each update. Bodies may be added and removed in
    // between: see Bodies::id. The finder owns the changes, which are valid until its next
    // call.
    const Changes<D>& changes();

    // Two sets: pairs (i in `others`, j in this finder's bodies) by the same rule as within
    // one set. Both sets must have the same shape, cut-off and rule. Excluded pairs are those
    // of `others`, as (i, j) like the result.
    PairList<D> pairs_with(const Bodies<T, D>& others, Order order = Order::any) const;
    void pairs_with(const Bodies<T, D>& others, const Consumer<D>& consumer) const;

    // Queries (points, spheres, boxes, segments, moving boxes) against the bodies of the last
    // update: pairs (query, body). Queries and bodies have their own sizes; points have no
    // size, because the cut-off does not apply. Moving bodies are swept. Groups, vertices and
    // exclusions apply as between two sets.
    PairList<D> probe(const Bodies<T, D>& queries, Order order = Order::any) const;
    void probe(const Bodies<T, D>& queries, const Consumer<D>& consumer) const;

    // The k nearest neighbours of each query, or as many as there are within `max_distance`.
    // Distances are between positions at the beginning of the step. For boxes they are the gap
    // (0 if they overlap); spheres are treated as their centres. In a periodic domain every
    // image of a body is a separate neighbour. Groups, vertices and exclusions apply as between
    // two sets. Only trees support this; with another method it is an Error that names them.
    Nearest<T, D> nearest(const Bodies<T, D>& queries, std::size_t k,
                          T max_distance = std::numeric_limits<T>::infinity()) const;
    // The same for the finder's own bodies, excluding each body itself but not its images.
    Nearest<T, D> nearest(std::size_t k,
                          T max_distance = std::numeric_limits<T>::infinity()) const;

    // A spatially coherent order of the bodies, the method's own or along a space-filling
    // curve: order()[k] is the k-th body. Arrays sorted in this order give every later step
    // better memory locality.
    std::vector<Index> order() const;

    const Report<D>& report() const;

  private:
    struct State;
    State& state() const;
    std::unique_ptr<State> state_;
};

// All pairs of one set, or between two, in one call.
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
