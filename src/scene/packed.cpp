#include "scene/packed.hpp"

#include "base/parallel.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
void Packed<T, D>::fill(const Scene<T, D>& scene, std::span<const Bits> bits) {
    const std::size_t n = instance_.size();
    kind_ = scene.packed_kind();
    owned_ = scene.periodic() || !bits.empty();
    if (owned_) bits_.resize(n);
    for (std::size_t c = 0; c < packed_columns<D>(kind_); ++c) columns_[c].resize(n);

    const Bodies<T, D>& view = scene.view();
    constexpr std::size_t ahead = 64;  // a cache miss takes about as long as this many entries
    parallel_for(scene.threads(), n, [&](std::size_t e) {
        const Index k = instance_[e];
        if (e + ahead < n) scene.prefetch(instance_[e + ahead]);
        if (owned_) {
            const unsigned own = bits.empty() ? ~0u : bits[e];
            bits_[e] = static_cast<Bits>((own & ~unsigned{Scene<T, D>::image_bits}) |
                                         scene.lowest_image_flags(k));
        }
        if (kind_ == PackedKind::proxies) {
            const Box<T, D> box = scene.box(k);
            for (std::size_t a = 0; a < D; ++a) {
                columns_[a][e] = box.lo[a];
                columns_[D + a][e] = box.hi[a];
            }
            return;
        }
        pack_body(kind_, view, k, [&](std::size_t c, T value) { columns_[c][e] = value; });
    });
}

template class Packed<float, 2>;
template class Packed<float, 3>;
template class Packed<double, 2>;
template class Packed<double, 3>;

}  // namespace vicinal::inline VICINAL_API
