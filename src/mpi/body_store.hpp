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
    // Copies this rank's own bodies.
    void assign(const BodyLayout<T, D>& layout, const Bodies<T, D>& bodies,
                std::span<const std::uint64_t> ids, int rank);
    // Packs bodies for another rank, by their places in `holders`.
    Bytes pack(std::span<const std::size_t> places) const;
    // Appends the bodies that another rank has packed.
    void append(const Message& message);
    // New values of bodies that are here: own ones, and those of copies from another rank.
    void set_own(const Bodies<T, D>& bodies);
    Bytes pack_values(std::span<const Index> bodies) const;
    void set_values(std::size_t begin, const Bytes& packed, std::size_t count);

    std::size_t size() const { return ids.size(); }
    std::size_t own() const { return own_; }
    int owner(Index k) const { return k < own_ ? rank_ : copies_[k - own_].owner; }
    // The number of a body at its owner.
    Index number(Index k) const { return k < own_ ? k : copies_[k - own_].number; }
    // A copy of which only the id is known: other ranks have found pairs with it.
    void append_unheld(std::uint64_t id, int owner, Index number);
    void drop_unheld();

    // The pairs of two bodies here that do not pair.
    std::vector<Pair> excluded() const;
    // The bodies from the lowest number on. `excluded` by these numbers.
    Bodies<T, D> view(std::span<const Pair> excluded) const;

    std::vector<std::uint64_t> ids;
    Holders holders;
    // The ids that bodies do not pair with, by ascending bodies.
    struct Partner {
        Index body;
        std::uint64_t id;
        auto operator<=>(const Partner&) const = default;
    };
    std::vector<Partner> partners;

  private:
    // Calls f(values, number of values per body) for each array of this layout.
    void resize_arrays(std::size_t count) {
        for_each_array(*this,
                       [&](auto& values, std::size_t each) { values.resize(count * each); });
    }
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
    struct Copy {
        int owner;
        Index number;
    };

    BodyLayout<T, D> layout_;
    std::size_t own_ = 0;
    int rank_ = 0;
    std::vector<Copy> copies_;
    std::vector<T> position_, upper_, radius_, displacement_;
    std::vector<std::uint32_t> group_, mask_, vertices_;
    std::vector<std::int64_t> kind_;
};

}  // namespace vicinal::inline VICINAL_API::mpi
