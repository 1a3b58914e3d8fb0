// The state of a finder between steps. The flow of a step is in state.cpp, queries are in
// queries.cpp.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "finder/change_log.hpp"
#include "finder/skin.hpp"
#include "finder/structure.hpp"
#include "output/blocks.hpp"
#include "output/rows.hpp"
#include "scene/curve_order.hpp"
#include "scene/pair_filter.hpp"
#include "sieve/search_context.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::inline VICINAL_API {

template <int D>
void check_consumer(const Consumer<D>& consumer) {
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
    void make_rows(RowKind kind, Order order, RowOrder row_order);
    void order(std::vector<Index>& result, CurveOrder<T, D>& curve) const;
    void update_report();
    Limits limits() const;

    // `is_probe` is true for a probe, false for a second set.
    PairList<D> query_pairs(const Bodies<T, D>& queries, bool is_probe, Order order) const;
    void stream_query(const Bodies<T, D>& queries, bool is_probe,
                      const Consumer<D>& consumer) const;
    // Null queries: the bodies themselves.
    Nearest<T, D> nearest(const Bodies<T, D>* queries, std::size_t k, T max_distance) const;

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
    bool listed = false;  // the skin's list replaces the structure
    Bodies<T, D> bodies;  // of this step
    PairFilter<D> filter;
    std::optional<bool> classes_prepared;  // by the method, for its kernels, in this step
    // Behind a pointer, because const queries build these structures.
    std::unique_ptr<QueryStructures<T, D>> query_structures;
    Blocks<D> blocks;
    PairList<D> list;
    PairList<D> candidates;  // for the skin
    Rows<D> rows;
    RowMaker<D> row_maker;
    CurveOrder<T, D> curve_order;  // for rows
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

    void fill_list();
    void sort_list();
    std::uint64_t row_bytes() const;
    std::uint64_t bytes() const;  // total memory of the finder
    void check_bytes(const char* what_for, std::uint64_t more = 0) const;
    void check_structure_bytes();
    void check_row_bytes(const char* what_for, RowKind kind,
                         RowOrder row_order = RowOrder::body) const;
    void release_spare();
    void release_rows();
    void release_results();

    SearchContext<T, D> context_of(const Scene<T, D>& searched) const;
    void search_for(const SearchContext<T, D>& context, Blocks<D>& target);

    const Structure<T, D>& structure_for(bool moving) const;
    const Structure<T, D>& structure_for_nearest() const;
    const Structure<T, D>& build_query_structure(std::unique_ptr<Structure<T, D>>& to,
                                                 const Bodies<T, D>& given,
                                                 const Domain<D>& domain) const;
    void query(const Bodies<T, D>& queries, bool is_probe, Blocks<D>& target) const;
};

}  // namespace vicinal::inline VICINAL_API
