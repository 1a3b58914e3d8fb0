// The state of a finder between calls. The flow of an update is in update.cpp, rows are in
// rows.cpp.
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "mpi/body_store.hpp"
#include "mpi/plan.hpp"
#include "mpi/row_entry.hpp"

#include <vicinal/mpi.hpp>

namespace vicinal::inline VICINAL_API::mpi {

template <Real T, int D>
struct Finder<T, D>::State {
    State(MPI_Comm communicator, const Options<D>& given, double width)
        : shared_comm(std::make_shared<Communicator>(communicator)),
          options(given),
          search(given),
          skin(width) {
        if (!(skin >= 0) || !std::isfinite(skin))
            throw Error(Error::Kind::option, "mpi: the skin is " + std::to_string(skin) +
                                                 "; give a finite length from 0");
    }

    void update(const Bodies<T, D>& given, std::span<const std::uint64_t> ids,
                const Domain<D>& domain, std::span<const IdPair> excluded);
    void require_update() const;
    // The pairs that this rank reports.
    PairColumns<T, D> reported_pairs(Columns columns, Order order);
    void stream_reported(const Consumer<D>& consumer);
    std::uint64_t count_reported();
    void make_rows(Columns columns, Order order);
    Migration rebalance(double threshold);

    std::shared_ptr<Communicator> shared_comm;  // with migrations
    Communicator& comm = *shared_comm;
    Options<D> options;
    vicinal::Finder<T, D> search;
    double skin;
    Regions<D> regions;
    bool cut = false;  // the regions are those of the ranks
    BodyLayout<T, D> common_layout;
    std::size_t own = 0;
    BodyStore<T, D> store;
    std::vector<Pair> excluded_here;
    Plan plan;
    // With a skin: the own bodies for which the plan was made, and the excluded pairs as given.
    BodyStore<T, D> planned;
    std::vector<IdPair> planned_excluded;
    std::optional<PartFilter> filter;  // none: no update, or it failed
    Rows<T, D> rows;
    // The bodies that were added for rows, by owner and number at the owner.
    std::unordered_map<std::uint64_t, Index> local_numbers;
    // For count_rejected().
    std::optional<vicinal::Finder<T, D>> search_marked;
    BodyStore<T, D> marked;

  private:
    void check_input(const Bodies<T, D>& bodies, std::span<const std::uint64_t> ids) const;
    BodyLayout<T, D> agree_on_layout(const Bodies<T, D>& bodies, const Domain<D>& domain);
    // By the first `count` bodies, those of this rank.
    void cut_space(const Bodies<T, D>& bodies, std::size_t count, const Domain<D>& domain);
    bool is_balanced(double threshold) const;
    void add_exclusions(std::span<const IdPair> excluded);
    template <class F>
    void naming_ids(std::span<const std::uint64_t> ids, const F& f) const;
    bool plan_stands(const Bodies<T, D>& bodies, std::span<const std::uint64_t> ids,
                     const Domain<D>& domain, std::span<const IdPair> excluded) const;
    void make_plan(const Bodies<T, D>& given, std::span<const std::uint64_t> ids,
                   const Domain<D>& domain, std::span<const IdPair> excluded);
    void send_values(const Bodies<T, D>& bodies);
    void exchange_copies();
    std::uint64_t count_rejected();
    using Entry = RowEntry<T, D>;
    bool is_held_by(int rank, Index body, const BodySet& shared) const;
    std::vector<Entry> exchange_entries(const Rows<T, D>& found);
    void add_missing_copies(std::span<Entry> entries);
    void fill_rows(const Rows<T, D>& found, const std::vector<Entry>& entries, Columns columns,
                   bool imaged);
    void sort_rows();
};

}  // namespace vicinal::inline VICINAL_API::mpi
