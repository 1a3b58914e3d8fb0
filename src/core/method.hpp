// What a method is: it orders the scene and proposes candidates. See src/methods/README.md.
#pragma once

#include "core/nearest.hpp"
#include "core/parallel.hpp"
#include "core/sieve.hpp"

#include <vicinal/report.hpp>

namespace vicinal {

// Virtual per build and per range of tasks, never per pair.
template <Real T, int D>
class Method {
  public:
    virtual ~Method() = default;

    // Asked before build() of a scene with images and, so far, no ghosts: can the method do
    // without, and find what touches across faces by itself? Such a structure serves search(),
    // not rows() or queries.
    virtual bool joins_faces(const Scene<T, D>&) { return false; }

    // Orders the scene, which outlives the next build. May use what it kept from the last one.
    virtual void build(const Scene<T, D>& scene) = 0;

    // The order: what the entries in proposed runs refer to.
    virtual const Packed<T, D>& packed() const = 0;

    // Independent pieces of the search; their number must not depend on threads.
    virtual std::size_t tasks() const = 0;

    // Proposes every pair the sieve would keep: each at least once, and exactly once where
    // the owner rule holds. Const, starts no threads.
    virtual void search(Range tasks, Sieve<T, D>& sieve) const = 0;

    // Does search() propose pairs more than once? Then they can only be counted, repeats and
    // all.
    virtual bool repeats() const { return false; }

    // Can rows() be asked, for what was built?
    virtual bool finds_rows() const { return false; }
    // Instead of search(), in an open domain without groups and exclusions: writes the whole
    // neighbour row of every body.
    virtual void rows(Range, Sieve<T, D>&) const {}

    // As search(), for instances of a scene of queries against what was built.
    virtual void probe(const Scene<T, D>& queries, Range instances,
                       Sieve<T, D>& sieve) const = 0;

    // Offers a query all instances that are not too far from it, nearer ones rather first.
    // Methods that can, say so.
    virtual bool finds_nearest() const { return false; }
    virtual void nearest(NearestQuery<T, D>&) const {}

    virtual std::size_t bytes() const = 0;

    // For the report; explained on the method's page.
    virtual Figures figures() const { return {}; }
};

}  // namespace vicinal
