// The bodies that a rank searches: its own and, after them, copies. Coordinates as given.
#pragma once

#include <vector>

#include "mpi/body_layout.hpp"
#include "mpi/packing.hpp"

#include <vicinal/parts.hpp>

namespace vicinal::inline VICINAL_API::mpi {

template <Real T, int D>
class BodyStore {
  public:
    // Copies this rank's own bodies; holders are those of each.
    void assign(const BodyLayout<T, D>& layout, const Bodies<T, D>& bodies,
                std::span<const std::uint64_t> ids, int rank, Holders own_holders);
    // Packs some of them for another rank.
    Bytes pack(std::span<const Index> bodies) const;
    // Appends the bodies that another rank has packed.
    void append(const Message& message);

    std::size_t size() const { return ids.size(); }
    // The bodies from the lowest number on. `excluded` by these numbers.
    Bodies<T, D> view(std::span<const Pair> excluded) const;

    std::vector<std::uint64_t> ids;
    std::vector<int> owners;
    std::vector<Index> numbers;  // of each body at its owner
    Holders holders;
    // The ids that each body does not pair with.
    std::vector<std::uint64_t> partner_offsets{0}, partners;

  private:
    // Calls f(values, number of values per body) for each array of this layout.
    template <class Self, class F>
    static void for_each_array(Self& self, const F& f) {
        const BodyLayout<T, D>& layout = self.layout_;
        f(self.position_, D);
        if (layout.upper) f(self.upper_, D);
        if (layout.radius) f(self.radius_, 1);
        if (layout.swept) f(self.displacement_, D);
        if (layout.grouped) f(self.group_, 1);
        if (layout.masked) f(self.mask_, 1);
        if (layout.kinds()) f(self.kind_, 1);
        if (layout.vertices_per_body > 0) f(self.vertices_, layout.vertices_per_body);
    }

    BodyLayout<T, D> layout_;
    std::vector<T> position_, upper_, radius_, displacement_;
    std::vector<std::uint32_t> group_, mask_, vertices_;
    std::vector<std::int64_t> kind_;
};

}  // namespace vicinal::inline VICINAL_API::mpi
