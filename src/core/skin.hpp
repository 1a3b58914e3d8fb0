// The skin, a layer around any method (Verlet's list): all pairs of the bodies enlarged by half
// the skin are listed once, by the method; as long as every body stays within its enlarged
// self, its fence, the list holds every pair there can be, and a step only decides which of
// them are.
//
// Bodies and boxes of moving ones are fenced by boxes, round bodies at rest by balls. In a
// periodic domain a body may be wrapped: it counts as standing where it is given plus k
// periods, for the k that brings it back to its fence, and a listed pair (i, j, m) is then the
// pair (i, j, m + k_j - k_i). Where the lattice changes by dH, images move by m dH, which the
// fences must cover too.
//
// A width of one's own choice is kept; `auto` weighs the length of the list against the steps
// it lasts, by counts alone, and goes without a list where bodies move too fast for one.
#pragma once

#include <optional>
#include <vector>

#include "core/packed.hpp"
#include "core/parallel.hpp"
#include "core/sieve.hpp"

#include <vicinal/pairs.hpp>
#include <vicinal/report.hpp>

namespace vicinal {

template <Real T, int D>
class Skin {
  public:
    explicit Skin(std::optional<double> width) : asked_(width) {}  // none: auto

    // Takes the bodies of this step, whose arrays have been checked but not their values. True:
    // the list holds every pair of them, and their values are good.
    bool keep(const Bodies<T, D>& bodies, const Domain<D>& domain, int threads);
    // If not: true if the pairs of fences() in domain() are to be listed and handed to take(),
    // false if these bodies are better searched from scratch. `pairs`: how many the last search
    // found.
    bool renew(std::uint64_t pairs);
    const Bodies<T, D>& fences() const { return fences_; }
    const Domain<D>& domain() const { return domain_; }
    // False if the list does not serve: then the bodies must be searched from scratch.
    bool take(const PairList<D>& list);
    // Instead of take(): there will be no list this time.
    void drop() { width_ = 0; }

    // The bodies of this step with the ghosts the list needs, in the order of the list.
    const Scene<T, D>& scene() const { return scene_; }
    const Packed<T, D>& packed() const { return packed_; }
    std::size_t tasks() const { return (pairs_.size() + pairs_per_task - 1) / pairs_per_task; }
    void search(std::size_t task, Sieve<T, D>& sieve) const;

    std::size_t bytes() const;
    Figures figures() const;

  private:
    enum class Kind : std::uint8_t {
        boxes,   // at rest
        round,   // at rest
        proxies  // the boxes of the scene; every near pair is decided from the caller's arrays
    };
    static constexpr std::size_t pairs_per_task = 1 << 14;
    static constexpr Index none = ~Index{0};

    struct Ghost {
        Index body;
        Index entry;
        Image<D> image;
    };
    using Sample = std::array<double, D>;

    bool same_kind(const Bodies<T, D>& bodies) const;
    bool fits(const Bodies<T, D>& bodies) const;
    void note_motion(const Bodies<T, D>& bodies);
    double choose_width(double motion, std::uint64_t pairs, bool& worth) const;
    bool make_fences();
    void measure();
    T reach_share(T raw) const;
    Index entry_of(Index body, const Image<D>& image);
    std::size_t ghost_slot(Index body, const Image<D>& image) const;
    void grow_ghost_slots();
    bool refresh();
    bool cover_lattice();
    bool place_boxes(Range bodies);  // at rest, open
    bool place_round(Range bodies);  // at rest, open
    bool place(Range bodies);
    bool inside(Index body) const;
    Shift<D> periods_off(Index body) const;
    void record(Index instance, Index entry);

    std::optional<double> asked_;
    int threads_ = 1;
    bool fits_ = false;  // can the bodies of this step be fenced?
    // Of the list:
    bool listed_ = false;
    Kind kind_ = Kind::boxes;
    double width_ = 0;
    T half_ = 0;                     // of the width: how far a body may move
    double slack_ = 0;               // rounding of shifted coordinates
    std::array<double, D> spent_{};  // of the width, by the change of the lattice, per axis
    std::array<double, D> most_images_{};
    T most_radius_ = 0;
    Bodies<T, D> kind_of_;  // the bodies when listed; their arrays are gone
    Bodies<T, D> fences_;
    Domain<D> domain_;
    Lattice<T, D> lattice_;             // when listed
    std::array<Buffer<T>, D> lo_, hi_;  // fences; of round bodies: places when listed, in lo_
    Buffer<T> radius_;                  // when listed
    Buffer<T> wide_;                    // enlarged
    Buffer<Index> entry_;               // of each body, or none
    std::vector<Index> ghost_slots_;    // hash table of the ghosts, by body and image
    Buffer<Index> ghost_body_;
    std::vector<Ghost> ghosts_;
    std::vector<Index> instances_;  // of the entries
    Buffer<EntryPair> pairs_;
    Buffer<T> records_;
    std::span<Image<D>> shift_;  // of the scene's instances
    std::span<Bits> bits_;       // of the entries; empty if all are plain
    Scene<T, D> scene_;
    Packed<T, D> packed_;
    // Of the past:
    std::uint64_t rebuilds_ = 0, since_ = 0;
    std::vector<Sample> sample_;  // where some bodies were at the last step
    std::size_t bodies_then_ = 0;
    double moved_ = -1;  // the largest motion of the sample since then; < 0: unknown
    double size_ = 0;    // mean, of the sample
    double pace_ = -1;   // motion per step as the last list met it; < 0: unknown
    std::uint64_t rest_ = 0, wait_ = 1;  // steps to go without a list after one that failed
};

}  // namespace vicinal
