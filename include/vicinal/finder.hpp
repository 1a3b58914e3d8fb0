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
    Domain<D> domain = Domain<D>::open();
    std::string method = "auto";  // "name(key=value, ...)"; see methods.hpp
    int threads = 0;              // 0: VICINAL_THREADS, or all cores
    // More pairs than this are an Error. If the reach spans many periods, a number here also
    // allows up to as many images to be tested (docs/promises.md).
    std::uint64_t max_pairs = no_limit;
    std::uint64_t max_bytes = no_limit;  // using more memory than this is an Error
    Allocator allocator = {};            // of results that are arrays
    // Asked between pieces of work, at least every 50 ms of a worker's time: true ends the call
    // with an Error of the kind `cancelled`. Called on any worker's thread, never on two at
    // once.
    std::function<bool()> cancelled = {};
};

// Called with blocks from several workers concurrently. An empty function is an Error.
template <int D>
using Consumer = std::function<void(const Block<D>&)>;
template <Real T, int D>
using ColumnConsumer = std::function<void(const ColumnBlock<T, D>&)>;

// A moved-from finder may be destroyed or assigned to; every other call on it is an Error.
template <Real T, int D>
class VICINAL_EXPORT Finder {
    static_assert(D == 2 || D == 3, "a finder is for 2 or 3 dimensions: Finder<double, 3>");

  public:
    explicit Finder(const Options<D>& options = {});
    Finder(Finder&&) noexcept;
    Finder& operator=(Finder&&) noexcept;
    ~Finder();

    // Takes the bodies of this step. The view must stay valid until the next update.
    void update(const Bodies<T, D>& bodies);
    // The same in a new domain (a box that changes size, a shear offset that advances).
    void update(const Bodies<T, D>& bodies, const Domain<D>& domain);

    // Each of the following calls searches the bodies of the last update. With bodies as its
    // first argument it updates first: finder.pairs(bodies) is finder.update(bodies), then
    // finder.pairs(). That is the safer form, because the coordinates cannot change between
    // update and search.

    // Each pair once, in blocks. The finder owns the list, which is valid until its next
    // non-const call.
    const PairList<D>& pairs(Order order = Order::any);
    // The same, moved to the caller.
    PairList<D> take_pairs(Order order = Order::any);
    // Pairs as plain arrays, which belong to the caller.
    template <IndexType I = Index>
    PairColumns<T, D, I> pairs(Columns columns, const PairForm& form = {});
    // Streams each pair once, without storing it. The consumer runs on several threads.
    void for_each_block(const Consumer<D>& consumer);
    void for_each_block(Columns columns, const ColumnConsumer<T, D>& consumer);
    std::uint64_t count();
    // Neighbour rows (CSR). The finder owns them; they are valid until its next non-const call.
    // Order::sorted sorts each row; `row_order` is the order of the rows.
    const Rows<T, D>& neighbours(RowKind kind = RowKind::full, Order order = Order::any,
                                 RowOrder row_order = RowOrder::body) {
        return neighbours(Columns::ijS, kind, order, row_order);
    }
    const Rows<T, D>& neighbours(Columns columns, RowKind kind = RowKind::full,
                                 Order order = Order::any, RowOrder row_order = RowOrder::body);
    // The same, moved to the caller.
    template <IndexType I = Index>
    Rows<T, D, I> take_neighbours(Columns columns = Columns::ijS, RowKind kind = RowKind::full,
                                  Order order = Order::any,
                                  RowOrder row_order = RowOrder::body);

    const PairList<D>& pairs(const Bodies<T, D>& bodies, Order order = Order::any) {
        update(bodies);
        return pairs(order);
    }
    PairList<D> take_pairs(const Bodies<T, D>& bodies, Order order = Order::any) {
        update(bodies);
        return take_pairs(order);
    }
    template <IndexType I = Index>
    PairColumns<T, D, I> pairs(const Bodies<T, D>& bodies, Columns columns,
                               const PairForm& form = {}) {
        update(bodies);
        return pairs<I>(columns, form);
    }
    void for_each_block(const Bodies<T, D>& bodies, const Consumer<D>& consumer) {
        update(bodies);
        for_each_block(consumer);
    }
    void for_each_block(const Bodies<T, D>& bodies, Columns columns,
                        const ColumnConsumer<T, D>& consumer) {
        update(bodies);
        for_each_block(columns, consumer);
    }
    std::uint64_t count(const Bodies<T, D>& bodies) {
        update(bodies);
        return count();
    }
    const Rows<T, D>& neighbours(const Bodies<T, D>& bodies, Columns columns = Columns::ijS,
                                 RowKind kind = RowKind::full, Order order = Order::any,
                                 RowOrder row_order = RowOrder::body) {
        update(bodies);
        return neighbours(columns, kind, order, row_order);
    }
    template <IndexType I = Index>
    Rows<T, D, I> take_neighbours(const Bodies<T, D>& bodies, Columns columns = Columns::ijS,
                                  RowKind kind = RowKind::full, Order order = Order::any,
                                  RowOrder row_order = RowOrder::body) {
        update(bodies);
        return take_neighbours<I>(columns, kind, order, row_order);
    }

    // Which pairs began and ended since the last call of changes() (at the first call, all
    // pairs began); normally called once after each update. Bodies may be added and removed in
    // between: see Bodies::id. The finder owns the changes, which are valid until its next
    // call.
    const Changes<D>& changes();

    // Two sets: pairs (i in `others`, j in this finder's bodies) by the same rule as within
    // one set. Both sets must have the same shape, cut-off (or table of them) and rule.
    // Excluded pairs are those of `others`, as (i, j) like the result. As rows, row i holds the
    // bodies that pair with others[i].
    PairList<D> pairs_with(const Bodies<T, D>& others, Order order = Order::any) const;
    template <IndexType I = Index>
    PairColumns<T, D, I> pairs_with(const Bodies<T, D>& others, Columns columns,
                                    const PairForm& form = {}) const;
    void pairs_with(const Bodies<T, D>& others, const Consumer<D>& consumer) const;
    void pairs_with(const Bodies<T, D>& others, Columns columns,
                    const ColumnConsumer<T, D>& consumer) const;
    template <IndexType I = Index>
    Rows<T, D, I> rows_with(const Bodies<T, D>& others, Columns columns = Columns::ijS,
                            Order order = Order::any) const;

    // Queries (points, spheres, boxes, segments, moving boxes) against the bodies of the last
    // update: pairs (query, body). Query points and segments reach as far as their own cut-off,
    // like spheres of that radius. Bodies keep their sizes; those that are points have none,
    // because their cut-off does not apply. Moving bodies are swept. Groups, vertices and
    // exclusions apply as between two sets.
    PairList<D> probe(const Bodies<T, D>& queries, Order order = Order::any) const;
    template <IndexType I = Index>
    PairColumns<T, D, I> probe(const Bodies<T, D>& queries, Columns columns,
                               const PairForm& form = {}) const;
    void probe(const Bodies<T, D>& queries, const Consumer<D>& consumer) const;
    void probe(const Bodies<T, D>& queries, Columns columns,
               const ColumnConsumer<T, D>& consumer) const;
    template <IndexType I = Index>
    Rows<T, D, I> probe_rows(const Bodies<T, D>& queries, Columns columns = Columns::ijS,
                             Order order = Order::any) const;

    // The k nearest neighbours of each query, or as many as there are within `max_distance`:
    // row i holds those of query i with their distances, nearest first; ties are in the order
    // of (index, image). Distances are between positions at the beginning of the step. For
    // boxes they are the gap (0 if they overlap); spheres are treated as their centres, and
    // cut-offs and kinds do not apply. In a periodic domain every image of a body is a separate
    // neighbour. Groups, vertices and exclusions apply as between two sets. If the method of
    // the finder cannot find nearest neighbours, a kd-tree is built beside it at the first call
    // (Report::nearest_method).
    template <IndexType I = Index>
    Rows<T, D, I> nearest(const Bodies<T, D>& queries, std::size_t k,
                          T max_distance = std::numeric_limits<T>::infinity(),
                          Columns columns = Columns::ijSd) const;
    // The same for the finder's own bodies, excluding each body itself but not its images.
    template <IndexType I = Index>
    Rows<T, D, I> nearest(std::size_t k, T max_distance = std::numeric_limits<T>::infinity(),
                          Columns columns = Columns::ijSd) const;

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
