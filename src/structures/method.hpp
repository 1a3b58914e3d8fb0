// The interface of a method, which orders the scene and proposes candidates. See
// src/methods/README.md.
#pragma once

#include "base/parallel.hpp"
#include "scene/pair_classes.hpp"
#include "sieve/nearest.hpp"
#include "sieve/sieve.hpp"

#include <vicinal/report.hpp>

namespace vicinal::inline VICINAL_API {

// Virtual calls are made per build and per range of tasks, never per pair.
template <Real T, int D>
class Method {
  public:
    virtual ~Method() = default;

    // Orders the scene, which outlives the next build. May reuse state of the last build.
    virtual void build(const Scene<T, D>& scene) = 0;

    // Independent pieces of the search; their number must not depend on threads.
    virtual std::size_t tasks() const = 0;

    // Proposes every pair that the sieve would accept: at least once, and exactly once under
    // the owner rule. Must not modify the method or start threads.
    virtual void search(Range tasks, const SearchContext<T, D>& context) const = 0;

    // The same for instances of a query scene against the scene of the last build. Several
    // threads of the caller may call it at the same time.
    virtual void probe(const Scene<T, D>& queries, Range instances,
                       const SearchContext<T, D>& context) const = 0;

    // For the report; explained on the method's page.
    virtual Statistics statistics() const { return {}; }
};

// Optional capabilities. The finder checks by dynamic_cast whether a method has one of these.

// Nearest neighbours.
template <Real T, int D>
class NearestFinder {
  public:
    virtual ~NearestFinder() = default;
    // The packed arrays that offered entries refer to.
    virtual const Packed<T, D>& packed() const = 0;
    // Offers a query all instances that are not too far from it, preferably the nearer ones
    // first.
    virtual void nearest(NearestQuery<T, D>& query) const = 0;
};

// Native periodicity: periodic faces without ghosts.
template <Real T, int D>
class NativePeriodicity {
  public:
    virtual ~NativePeriodicity() = default;
    // Called before build() for a periodic scene without ghosts: true if search() can find
    // pairs across periodic faces by itself. Queries and rows always need ghosts.
    virtual bool supports_natively(const Scene<T, D>& scene) = 0;
};

// Tests group masks in its kernels, by classes of bodies.
template <Real T, int D>
class ClassTester {
  public:
    virtual ~ClassTester() = default;
    // Prepares searches of the scene of the last build whose context has these classes; false
    // if that is impossible.
    virtual bool prepare_classes(const Scene<T, D>& scene, const PairClasses& classes) = 0;
};

struct RowStatistics {
    std::uint64_t candidates;
    double search_seconds;  // until the first row is written
};

// Neighbour rows (CSR) found directly, and the method's own order of the bodies.
template <Real T, int D>
class RowFinder {
  public:
    virtual ~RowFinder() = default;
    // The bodies in the method's order; empty if rows cannot be found for the last build.
    virtual std::span<const Index> body_order() const = 0;
    // Fills offsets, indices and, in a periodic domain, images; without ghosts, groups and
    // exclusions.
    virtual RowStatistics find_rows(const SearchContext<T, D>& context, Order order,
                                    RowOrder row_order, Rows<T, D>& rows) = 0;
};

// For methods that propose pairs more than once: pairs can only be counted, with duplicates.
class RepeatedPairs {
  public:
    virtual ~RepeatedPairs() = default;
    virtual bool repeats() const = 0;
};

}  // namespace vicinal::inline VICINAL_API
