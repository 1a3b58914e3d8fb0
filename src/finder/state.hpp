// The state of a finder between steps. The flow of a step is in state.cpp, queries are in
// queries.cpp.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "finder/call.hpp"
#include "finder/change_log.hpp"
#include "finder/columns.hpp"
#include "finder/skin.hpp"
#include "finder/structure.hpp"
#include "output/blocks.hpp"
#include "output/rows.hpp"
#include "scene/curve_order.hpp"
#include "scene/pair_filter.hpp"
#include "sieve/kind_filter.hpp"
#include "sieve/search_context.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::inline VICINAL_API {

template <class Function>
void check_consumer(const Function& consumer) {
    if (!consumer)
        throw Error(Error::Kind::option,
                    "the consumer of blocks is an empty function; give one that can be called");
}

template <Real T, int D>
struct Finder<T, D>::State {
    explicit State(const Options<D>& given);

    void update(const Bodies<T, D>& given);
    void require_update() const;
    void refuse_repeats() const;

    // The bodies of this step, as they are searched.
    const Scene<T, D>& current() const { return listed ? skin->scene() : structure->scene(); }

    // Runs a search into `target`, which stores, streams or counts the pairs.
    void search(Blocks<D>& target);
    void find_list(Order order);
    const Changes<D>& find_changes();
    void make_rows(Columns columns, RowKind kind, Order order, RowOrder row_order);
    template <IndexType I>
    PairColumns<T, D, I> find_columns(Columns columns, const PairForm& form);
    template <IndexType I>
    Rows<T, D, I> take_rows(Columns columns, RowKind kind, Order order, RowOrder row_order);
    void stream(const Consumer<D>& consumer);
    void stream(Columns columns, const ColumnConsumer<T, D>& consumer);
    void order(std::span<Index> result, CurveOrder<T, D>& curve) const;
    void update_report();
    Limits limits() const;

    // `is_probe` is true for a probe, false for a second set.
    PairList<D> query_pairs(const Bodies<T, D>& queries, bool is_probe, Order order) const;
    template <IndexType I>
    PairColumns<T, D, I> query_columns(const Bodies<T, D>& queries, bool is_probe,
                                       Columns columns, const PairForm& form) const;
    template <IndexType I>
    Rows<T, D, I> query_rows(const Bodies<T, D>& queries, bool is_probe, Columns columns,
                             Order order) const;
    void stream_query(const Bodies<T, D>& queries, bool is_probe,
                      const Consumer<D>& consumer) const;
    void stream_query(const Bodies<T, D>& queries, bool is_probe, Columns columns,
                      const ColumnConsumer<T, D>& consumer) const;
    // Null queries: the bodies themselves.
    template <IndexType I>
    Rows<T, D, I> nearest(const Bodies<T, D>* queries, std::size_t k, T max_distance,
                          Columns columns) const;

    // A call of the public interface.
    template <class F>
    decltype(auto) run(const char* what_for, const F& f) {
        return run_call(running, Access::exclusive, &ledger, &hook, what_for, f);
    }
    template <class F>
    void run_streaming(const F& f) {
        run_call(running, Access::streaming, &ledger, &hook, "find the pairs", f);
    }
    template <class F>
    decltype(auto) run_query(const F& f) const {
        return run_call(running, Access::query, nullptr, &hook, "answer the queries", f);
    }
    mutable RunningCalls running;
    mutable CancelHook hook;

    // Memory of the finder except results. Mutable, because const queries build structures.
    mutable MemoryLedger ledger;
    MemoryLedger row_ledger;  // of row_maker and curve_order
    Options<D> options;
    Execution execution;
    Choice choice;
    Kernels<T, D> kernels;
    std::unique_ptr<Structure<T, D>> structure;  // of the search
    std::optional<Skin<T, D>> skin;
    bool ready = false;
    std::uint64_t shown = 0;  // checksum of the bodies, in builds that check for changes
    bool listed = false;      // the skin's list replaces the structure
    Bodies<T, D> bodies;      // of this step
    PairFilter<D> filter;
    KindFilter<T, D> kind_filter;
    std::optional<bool> classes_prepared;  // by the method, for its kernels, in this step
    // Behind a pointer, because const queries build these structures.
    std::unique_ptr<QueryStructures<T, D>> query_structures;
    Blocks<D> blocks;
    PairList<D> list;
    PairList<D> candidates;  // for the skin
    Rows<T, D> rows;
    RowMaker<T, D> row_maker;
    Buffer<Position<T, D>> positions;  // for columns
    CurveOrder<T, D> curve_order;      // for rows
    ChangeLog<T, D> change_log;
    Report<D> report;
    bool statistics_valid = false;  // report.statistics are up to date

  private:
    Domain<D> domain_of(bool moving) const;
    bool rebuild_skin(std::uint64_t last_pairs);
    bool repeats() const;
    const PairClasses* kernel_classes();
    RowFinder<T, D>* row_finder() const;
    std::span<const Index> body_order() const;
    bool finds_rows(RowKind kind) const;
    void find_rows(Order order, RowOrder row_order);
    void make_rows_from_list(Columns columns, RowKind kind, Order order, RowOrder row_order);
    ColumnOutput column_output(PairLayout layout = PairLayout::n_by_2) const {
        return {layout, options.allocator, execution.threads};
    }
    // An Error if indices of this type cannot number the bodies.
    template <IndexType I>
    static void check_index_type(const Bodies<T, D>& given) {
        if (given.size() > static_cast<std::uint64_t>(std::numeric_limits<I>::max()))
            throw Error(Error::Kind::limit,
                        std::to_string(given.size()) +
                            " bodies need more than 31 bits; request indices of type uint32 "
                            "or int64");
    }
    Separations<T, D> separations(Columns columns, std::uint64_t pairs);
    Consumer<D> with_columns(const Separations<T, D>& separations,
                             const ColumnConsumer<T, D>& consumer) const;

    void fill_list();
    void sort_list();
    std::uint64_t row_bytes() const;
    std::uint64_t bytes() const;  // total memory of the finder
    void check_bytes(const char* what_for, std::uint64_t more = 0) const;
    void check_structure_bytes();
    void check_row_bytes(const char* what_for, RowKind kind, Columns columns = Columns::ijS,
                         RowOrder row_order = RowOrder::body) const;
    void release_spare();
    void release_rows();
    void release_results();

    SearchContext<T, D> context_of(const Scene<T, D>& searched) const;
    void search_for(const SearchContext<T, D>& context, Blocks<D>& target);

    const Structure<T, D>& structure_for(bool moving) const;
    const Structure<T, D>& structure_for_nearest() const;
    const Structure<T, D>& build_query_structure(std::unique_ptr<Structure<T, D>>& to,
                                                 const Choice& method,
                                                 const Bodies<T, D>& given,
                                                 const Domain<D>& domain) const;
    void check_queries(const Bodies<T, D>& queries, bool is_probe,
                       Columns columns = Columns::ij) const;
    void make_query_list(const Bodies<T, D>& queries, bool is_probe, PairList<D>& to) const;
    const Lattice<T, D>& lattice_for(const Bodies<T, D>& queries) const;
    void query(const Bodies<T, D>& given, bool is_probe, Blocks<D>& target) const;
};

}  // namespace vicinal::inline VICINAL_API
