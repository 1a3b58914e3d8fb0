// The skin, a layer around any method (a Verlet list): the method lists all pairs of the
// bodies' fat bounds once. As long as every body stays within its fat bounds, the list holds
// every possible pair, and a step only decides which of them touch.
//
// In a periodic domain a body may be wrapped: it is shifted by the k periods that bring it back
// to its fat bounds, and a listed pair (i, j, m) is then the pair (i, j, m + k_j - k_i).
#pragma once

#include <optional>
#include <span>

#include "base/parallel.hpp"
#include "finder/fat_bounds.hpp"
#include "finder/list_entries.hpp"
#include "finder/skin_policy.hpp"
#include "scene/packed.hpp"
#include "sieve/sieve.hpp"

#include <vicinal/pairs.hpp>
#include <vicinal/report.hpp>

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class Skin {
  public:
    explicit Skin(std::optional<double> width) : policy_(width) {}  // none: auto

    // Takes the bodies of this step, whose arrays have been checked but not their values. True
    // if the list holds every pair of them; then their values are valid, too.
    bool try_reuse(const Bodies<T, D>& bodies, const Domain<D>& domain,
                   const Execution& execution);
    // If try_reuse() fails: true if the pairs of fat_bounds() in domain() are to be listed and
    // passed to finish_rebuild(), false if these bodies are better searched from scratch.
    // `pairs`: how many the last search found.
    bool begin_rebuild(std::uint64_t pairs);
    const Bodies<T, D>& fat_bounds() const { return fat_.bodies(); }
    const Domain<D>& domain() const { return domain_; }
    // False if the list cannot be used: then the bodies must be searched from scratch.
    bool finish_rebuild(const PairList<D>& list);
    // Instead of finish_rebuild(): abandons the list for this step.
    void drop() { listed_ = false; }

    // The bodies of this step, and the ghosts that the list needs, in the order of the list.
    const Scene<T, D>& scene() const { return scene_; }
    std::size_t tasks() const { return (pairs_.size() + pairs_per_task - 1) / pairs_per_task; }
    void search(std::size_t task, const SearchContext<T, D>& context) const;

    Statistics statistics() const;

  private:
    using Kind = typename FatBounds<T, D>::Kind;
    static constexpr std::size_t pairs_per_task = 1 << 14;
    static constexpr Index none = ListEntries<D>::none;

    bool refresh();
    bool place_boxes(Range bodies);  // at rest, open
    bool place_round(Range bodies);  // at rest, open
    bool place(Range bodies);
    void record(Index instance, Index entry);

    SkinPolicy<T, D> policy_;
    FatBounds<T, D> fat_;
    Execution execution_;
    bool possible_ = false;  // the bodies of this step can have fat bounds
    bool listed_ = false;    // there is a list
    Domain<D> domain_ = Domain<D>::open();
    Scene<T, D> scene_;
    std::span<Image<D>> shift_;  // of the scene's instances
    ListEntries<D> entries_;
    Buffer<Index> ghost_body_;
    Buffer<EntryPair> pairs_;
    Buffer<T> records_;     // of the entries
    std::span<Bits> bits_;  // of the entries; empty if all are unshifted
    Packed<T, D> packed_;
    std::uint64_t rebuilds_ = 0;
    std::uint64_t since_ = 0;  // steps since the last rebuild
};

}  // namespace vicinal::inline VICINAL_API
