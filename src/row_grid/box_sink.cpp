#include "row_grid/box_sink.hpp"

#include <type_traits>
#include <utility>

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
HitSink<T, D>::HitSink(const SearchContext<T, D>& context, const Packed<T, D>& packed,
                       const BoxKernels<D>& kernels, const BoxRows<D>& rows,
                       BoxScratch& scratch)
    : scene_(*context.scene),
      first_scene_(context.first_scene()),
      out_(*context.writer),
      emitter_(context),
      kernels_(kernels),
      rows_(rows),
      scratch_(scratch) {
    using Kind = typename BoxRows<D>::Kind;
    rows_.instance = packed.instances();
    rows_.bits = packed.bits();
    rows_.rule = context.rule;
    rows_.kind = Kind::anything;
    if (!context.moving() && !context.ignore_cutoff) {
        const PackedKind exact = scene_.packed_kind();
        if (exact == PackedKind::spheres) rows_.kind = Kind::balls;
        if (exact == PackedKind::boxes && std::is_same_v<T, float>) rows_.kind = Kind::boxes;
    }
    this->box_writer = context.one_set() ? &out_ : nullptr;
}

template <Real T, int D>
const BoxRows<D>& HitSink<T, D>::with_bits(unsigned needed) {
    rows_.needed = static_cast<Bits>(needed | Scene<T, D>::image_bits);
    return rows_;
}

template <Real T, int D>
void HitSink<T, D>::sweep(std::uint32_t first, std::uint32_t last, std::uint32_t row_end,
                          Owner owner) {
    kernels_.sweep(with_bits(owner.either), first, last, row_end, scratch_, *this);
    count_candidates();
}

template <Real T, int D>
void HitSink<T, D>::probe_one(Index instance, const Box<float, D>& box, Run run, Owner owner) {
    const unsigned own = first_scene_.lowest_image_flags(instance) & ~unsigned{owner.second};
    kernels_.probe_one(with_bits(owner.second), instance, box, static_cast<Bits>(own),
                       static_cast<std::uint32_t>(run.begin),
                       static_cast<std::uint32_t>(run.end), scratch_, *this);
    count_candidates();
}

template <Real T, int D>
void HitSink<T, D>::hits(const Index* first, const Index* second, std::size_t count) {
    const bool decided = rows_.kind == BoxRows<D>::Kind::boxes;
    constexpr std::size_t ahead = 16;  // prefetch distance: the caller's order differs
    for (std::size_t k = 0; k < count; ++k) {
        if (k + ahead < count && !decided) {
            first_scene_.prefetch(first[k + ahead]);
            scene_.prefetch(second[k + ahead]);
        }
        if (decided || emitter_.touches(first[k], second[k]))
            emitter_.emit(first[k], second[k]);
    }
}

template class HitSink<float, 2>;
template class HitSink<float, 3>;
template class HitSink<double, 2>;
template class HitSink<double, 3>;

}  // namespace vicinal::inline VICINAL_API
