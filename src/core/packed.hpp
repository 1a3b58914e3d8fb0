// The bodies in the order of a method: arrays per component, aligned, the only copy of the
// coordinates. A position in these arrays is an entry; a body may have several.
#pragma once

#include <span>

#include "core/scene.hpp"

namespace vicinal {

template <Real T, int D>
class Packed {
  public:
    // What the columns hold.
    enum class Kind : std::uint8_t {
        points,   // D coordinates, exactly the caller's
        spheres,  // D coordinates and the radius, exactly the caller's
        boxes,    // D lower and D upper sides, exactly the caller's
        proxies,  // D lower and D upper sides of Scene::box: entries that meet must be decided
                  // from the caller's view (ghosts, moving bodies)
    };

    // One entry per element of `instances`. `bits` are a method's own (see Owner), one per
    // entry, or empty when every body has one entry.
    void assign(const Scene<T, D>& scene, std::span<const Index> instances,
                std::span<const Bits> bits);

    std::size_t size() const { return instance_.size(); }
    Kind kind() const { return kind_; }
    const T* column(std::size_t c) const { return columns_[c].data(); }
    const T* radius() const { return columns_[D].data(); }
    Index instance(std::size_t entry) const { return instance_[entry]; }
    bool owned() const { return owned_; }  // are there bits?
    Bits bits(std::size_t entry) const { return owned_ ? bits_[entry] : Bits(~0u); }
    std::size_t bytes() const;

  private:
    Kind kind_ = Kind::points;
    bool owned_ = false;
    std::array<Buffer<T>, 2 * D> columns_;
    Buffer<Index> instance_;
    Buffer<Bits> bits_;
};

}  // namespace vicinal
