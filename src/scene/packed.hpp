// The bodies in a method's order: one aligned array per component (structure of arrays). This
// is the only copy of the coordinates. An index into these arrays is an entry; a body may have
// several entries.
#pragma once

#include <span>

#include "scene/scene.hpp"

namespace vicinal::inline VICINAL_API {

// Set by some methods for entries that are unshifted bodies.
constexpr Bits unshifted_bit = 1u << 15;

template <Real T, int D>
class Packed {
  public:
    // Resizes to n entries: the method writes the instances in its order, then calls fill().
    std::span<Index> entries(std::size_t n) {
        instance_.resize(n);
        return instance_.span();
    }
    // For a method without columns: its own bits (see Owner) combined with the scene's.
    std::span<Bits> own_bits(std::size_t n) {
        bits_.resize(n);
        return bits_.span();
    }
    // No columns: every candidate is decided from the caller's arrays.
    void fill_nothing(bool owned) {
        kind_ = PackedKind::nothing;
        owned_ = owned;
    }
    // `bits` are the method's own (see Owner), one per entry, or empty if every body has one
    // entry.
    void fill(const Scene<T, D>& scene, std::span<const Bits> bits);

    std::size_t size() const { return instance_.size(); }
    PackedKind kind() const { return kind_; }
    const T* column(std::size_t c) const { return columns_[c].data(); }
    const T* radius() const { return columns_[D].data(); }
    const Index* instances() const { return instance_.data(); }
    Index instance(std::size_t entry) const { return instance_[entry]; }
    const Bits* bits() const { return bits_.data(); }
    bool owned() const { return owned_; }  // are there bits?
    // Scene::box of an entry.
    Box<T, D> box(std::size_t entry, const Scene<T, D>& scene) const {
        if (kind_ == PackedKind::nothing) return scene.box(instance_[entry]);
        Box<T, D> sides;
        for (std::size_t a = 0; a < D; ++a) sides.lo[a] = columns_[a][entry];
        if (kind_ == PackedKind::points)
            return round_box<T, D>(sides.lo, scene.view().cutoff / 2);
        if (kind_ == PackedKind::spheres) return round_box<T, D>(sides.lo, columns_[D][entry]);
        for (std::size_t a = 0; a < D; ++a) sides.hi[a] = columns_[D + a][entry];
        return sides;
    }
    Bits bits(std::size_t entry) const { return owned_ ? bits_[entry] : Bits(~0u); }

  private:
    PackedKind kind_ = PackedKind::points;
    bool owned_ = false;
    std::array<Buffer<T>, 2 * D> columns_;
    Buffer<Index> instance_;
    Buffer<Bits> bits_;
};

}  // namespace vicinal::inline VICINAL_API
