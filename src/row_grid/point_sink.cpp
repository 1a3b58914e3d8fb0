#include "row_grid/point_sink.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
void PointSink<T, D>::join(const QuantisedPoints<D>& points, const HalfStrip<D>& row) {
    points_ = points;
    points_.instance = instances_;
    points_.classes = classes_;
    if (classes_ != nullptr && points_.marked != nullptr) points_.marked = instances_;
    if (scene_.images() == Images::native) {
        points_.marked = points_.instance;
        faces_ = &FaceImages<D>::towards(row.faces.down);
    }
    join_(points_, row, scratch_, *this);
}

template <Real T, int D>
void PointSink<T, D>::mark(const QuantisedPoints<D>& points, const FullStrip<D>& strip) {
    points_ = points;
    points_.instance = instances_;
    if (scene_.images() == Images::native) faces_ = &FaceImages<D>::towards(strip.faces.down);
    mark_(points_, strip, scratch_, *this);
}

// Body and image of a flagged instance: see row_grid/strips.hpp.
template <Real T, int D>
BodyImage<D> PointSink<T, D>::body_image_of(Index marked) const {
    if (faces_ != nullptr)
        return {marked & ~(needs_resolve | face_bits), faces_->of(marked, false)};
    Index k = marked & ~(needs_resolve | ghost_axis_mask);
    BodyImage<D> place{k, {}};
    if (k < scene_.bodies()) {
        for (std::size_t a = 0; a < D; ++a)
            place.image[a] = static_cast<std::int16_t>(marked >> (ghost_axis_shift + a) & 1);
        return place;
    }
    k = instance_of(k);
    return {scene_.body(k), scene_.image(k)};
}

// If the flags do not encode the image, the number is that of a ghost, or that of a shifted
// body plus the number of instances.
template <Real T, int D>
Index PointSink<T, D>::instance_of(Index number) const {
    return number < scene_.size() ? number : number - static_cast<Index>(scene_.size());
}

namespace {

// An image as one integer, 16 bits per axis: if it were assembled axis by axis in memory,
// loading it would stall.
using PackedImage = std::uint64_t;

template <int D>
PackedImage pack(const Image<D>& image) {
    PackedImage packed = 0;
    std::memcpy(&packed, image.data(), sizeof image);
    return packed;
}

template <int D>
Image<D> unpack(PackedImage packed) {
    Image<D> image;
    std::memcpy(image.data(), &packed, sizeof image);
    return image;
}

// Subtracts per axis: no borrow crosses into the next axis.
PackedImage difference(PackedImage a, PackedImage b) {
    constexpr PackedImage highest = 0x8000800080008000;
    return ((a | highest) - (b & ~highest)) ^ ((a ^ ~b) & highest);
}

// One period up along the axes whose bits are set.
constexpr auto plus_one_period = [] {
    std::array<PackedImage, 8> packed{};
    for (unsigned bits = 0; bits < packed.size(); ++bits) {
        std::array<std::int16_t, 4> image{};
        for (unsigned a = 0; a < 3; ++a) image[a] = static_cast<std::int16_t>(bits >> a & 1);
        packed[bits] = std::bit_cast<PackedImage>(image);
    }
    return packed;
}();

}  // namespace

// The same as emitter_.write(body_image_of(first), body_image_of(second)).
template <Real T, int D>
void PointSink<T, D>::write_marked(Index first, Index second) {
    if (((first | second) & needs_resolve) == 0)
        return out_.push({std::min(first, second), std::max(first, second)});
    PackedImage from, to;
    const auto body = [this](Index marked, PackedImage& at) {
        Index k = marked & ~(needs_resolve | ghost_axis_mask);
        if (k < scene_.bodies()) {
            at = plus_one_period[(marked & ghost_axis_mask) >> ghost_axis_shift];
            return k;
        }
        k = instance_of(k);
        at = pack<D>(scene_.image(k));
        return scene_.body(k);
    };
    const Index i = body(first, from), j = body(second, to);
    if (i == j) [[unlikely]]
        return emitter_.write(body_image_of(first), body_image_of(second));
    const bool swapped = i > j;
    out_.push({std::min(i, j), std::max(i, j)},
              unpack<D>(difference(swapped ? from : to, swapped ? to : from)));
}

template <Real T, int D>
void PointSink<T, D>::resolve_marked(const Index* first, const Index* second,
                                     std::size_t count) {
    if (faces_ != nullptr)
        emit_periodic(first, second, count);
    else
        emit_ghosts(first, second, count);
}

// Images that the flags do not encode are read from memory in the caller's order: prefetch all
// before the first is needed.
template <Real T, int D>
void PointSink<T, D>::emit_ghosts(const Index* first, const Index* second, std::size_t count) {
    const auto prefetch = [this](Index marked) __attribute__((always_inline)) {
        const Index k = marked & ~(needs_resolve | ghost_axis_mask);
        if (k >= scene_.bodies()) scene_.prefetch_image(instance_of(k));
    };
    for (std::size_t k = 0; k < count; ++k) {
        prefetch(first[k]);
        prefetch(second[k]);
    }
    for (std::size_t k = 0; k < count; ++k) write_marked(first[k], second[k]);
}

// Writes pairs with native periodicity; the second body may lie across periodic faces.
template <Real T, int D>
void PointSink<T, D>::emit_periodic(const Index* first, const Index* second,
                                    std::size_t count) {
    if (out_.counting()) return out_.add(count);
    Pair* const pairs = out_.reserve(count);
    Image<D>* const images = out_.reserved_images();
    for (std::size_t k = 0; k < count; ++k) {
        const Index i = first[k] & ~needs_resolve, j = second[k] & ~(needs_resolve | face_bits);
        pairs[k] = ordered(i, j);
        images[k] = faces_->of(second[k], i > j);
    }
    out_.commit_images(count);
}

template <Real T, int D>
void PointSink<T, D>::decide(const UndecidedPair* pairs, std::size_t count) {
    const bool marked = faces_ != nullptr || points_.marked != nullptr;
    // The caller's order differs from ours: prefetch all before the first is needed.
    for (std::size_t p = 0; p < count; ++p)
        for (Index k : {pairs[p].first, pairs[p].second}) {
            if (classes_ != nullptr) k = without_class(*classes_, k);
            if (marked)
                prefetch_body(scene_.view(), body_image_of(k).body);
            else
                scene_.prefetch(k);
        }
    for (std::size_t p = 0; p < count; ++p) {
        auto [first, second] = pairs[p];
        if (classes_ != nullptr) {
            if (!classes_->allows(class_of(*classes_, first), class_of(*classes_, second)))
                continue;
            first = without_class(*classes_, first);
            second = without_class(*classes_, second);
        }
        if (!marked) {
            if (emitter_.touches(first, second)) emitter_.emit_if_owner(first, second);
            continue;
        }
        // Neither is the lowest image on some axis: another combination of images reports the
        // pair.
        if (faces_ == nullptr && (first & second & ghost_axis_mask) != 0) continue;
        if (!emitter_.touches(body_image_of(first), body_image_of(second))) continue;
        if (faces_ != nullptr)
            emit_periodic(&first, &second, 1);
        else
            write_marked(first, second);
    }
}

template class PointSink<float, 2>;
template class PointSink<float, 3>;
template class PointSink<double, 2>;
template class PointSink<double, 3>;

}  // namespace vicinal::inline VICINAL_API
