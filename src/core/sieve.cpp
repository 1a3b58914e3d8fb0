#include "core/sieve.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <utility>

namespace vicinal {

template <Real T, int D>
Sieve<T, D>::Sieve(const Question<T, D>& question, const Packed<T, D>& packed,
                   BlockWriter<D>& out, SieveScratch<D>& scratch)
    : scene_(*question.scene),
      first_scene_(question.queries != nullptr ? *question.queries : *question.scene),
      packed_(packed),
      question_(question),
      out_(out),
      scratch_(scratch),
      one_set_(question.queries == nullptr),
      moving_(scene_.view().swept() || first_scene_.view().swept()) {
    this->writer = &out;
    using BoxKind = typename BoxRows<D>::Kind;
    box_kind_ = BoxKind::anything;
    if (!moving_ && !scene_.imaged() && !question.bare) {
        if (scene_.view().shape == Shape::spheres) box_kind_ = BoxKind::balls;
        if (scene_.view().shape == Shape::boxes && std::is_same_v<T, float>)
            box_kind_ = BoxKind::boxes;
    }
    using Kind = typename Packed<T, D>::Kind;
    const bool exact = !question.bare && !moving_;  // the columns alone decide
    switch (packed.kind()) {
        case Kind::points:
            test_ = exact ? Test::points : Test::everything;
            break;
        case Kind::spheres:
            test_ = exact ? Test::spheres : Test::everything;
            break;
        case Kind::boxes:
            test_ = exact ? Test::boxes : Test::everything;
            break;
        case Kind::nothing:
            test_ = Test::everything;
            break;
        case Kind::proxies:
            test_ = Test::proxies;
            break;
    }
    // Ghosts, moving bodies and probes are decided from the caller's own arrays.
    if (test_ == Test::points) near_test_ = question.runs.points;
    if (test_ == Test::spheres)
        near_test_ = question.runs.spheres[static_cast<std::size_t>(question.rule)];
    if (test_ == Test::boxes || test_ == Test::proxies) near_test_ = question.runs.boxes;
    for (std::size_t c = 0; c < 2 * D; ++c) columns_.values[c] = packed.column(c);
    columns_.radius = packed.radius();
}

template <Real T, int D>
typename Sieve<T, D>::First Sieve<T, D>::load(std::size_t entry) const {
    First first{packed_.instance(entry), packed_.bits(entry), {}, 0};
    const std::size_t columns =
        test_ == Test::points || test_ == Test::spheres ? D : std::size_t{2 * D};
    for (std::size_t c = 0; c < columns; ++c) first.values[c] = packed_.column(c)[entry];
    if (test_ == Test::spheres) first.radius = packed_.radius()[entry];
    return first;
}

template <Real T, int D>
typename Sieve<T, D>::First Sieve<T, D>::load_query(Index query) const {
    First first{query, static_cast<Bits>(~unsigned{Scene<T, D>::image_bits}), {}, 0};
    first.bits = static_cast<Bits>(first.bits | first_scene_.home(query));
    const Bodies<T, D>& view = first_scene_.view();
    if (test_ == Test::proxies) {
        const Box<T, D> box = first_scene_.box(query);
        for (std::size_t a = 0; a < D; ++a) {
            first.values[a] = box.lo[a];
            first.values[D + a] = box.hi[a];
        }
    } else if (test_ != Test::everything) {
        for (std::size_t a = 0; a < D; ++a) {
            first.values[a] = view.position.axis[a][query];
            if (test_ == Test::boxes) first.values[D + a] = view.upper.axis[a][query];
        }
        if (test_ == Test::spheres) first.radius = view.radius[query];
    }
    return first;
}

// Writes down every entry of the run that is near and that the owner rule gives to this place.
template <Real T, int D>
void Sieve<T, D>::sift(const First& first, Run run, Owner owner) {
    out_.candidates += run.size();
    const bool owned = packed_.owned();
    if (owned && (first.bits & owner.first) != owner.first) return;
    const auto either = static_cast<unsigned>(owner.either | Scene<T, D>::image_bits);
    const bool decided = near_test_ != nullptr && test_ != Test::proxies;
    const RunQuery<T, D> query{first.values, scene_.view().cutoff * scene_.view().cutoff,
                               first.radius};
    const bool bare = decided && one_set_ && all_settled();
    constexpr std::size_t batch = 256;
    std::array<Index, batch + 32> near;  // room for a vector more
    for (std::size_t begin = run.begin; begin < run.end; begin += batch) {
        const std::size_t end = std::min(run.end, begin + batch);
        std::size_t count = end - begin;
        if (near_test_ != nullptr)
            count = near_test_(columns_, query, begin, end, near.data());
        else
            std::iota(near.begin(), near.begin() + count, static_cast<Index>(begin));
        if (bare && out_.counting()) {
            out_.add(count);
            continue;
        }
        if (bare) {
            Pair* const out = out_.room(count);
            for (std::size_t k = 0; k < count; ++k) {
                const Index j = packed_.instances()[near[k]];
                out[k] = {std::min(first.instance, j), std::max(first.instance, j)};
            }
            out_.wrote(count);
            continue;
        }
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t e = near[k];
            if (owned) {
                const unsigned bits = packed_.bits(e);
                if (((first.bits | bits) & either) != either ||
                    (bits & owner.second) != owner.second)
                    continue;
            }
            const Index instance = packed_.instance(e);
            if (decided || touches(first.instance, instance)) emit(first, instance);
        }
    }
}

template <Real T, int D>
void Sieve<T, D>::emit(const First& first, Index instance) {
    Index i = first_scene_.body(first.instance), j = scene_.body(instance);
    if (question_.filter->active() && !question_.filter->allows(i, j)) return;
    if (scene_.imaged()) {
        write({i, first_scene_.image(first.instance)}, {j, scene_.image(instance)});
        return;
    }
    if (one_set_ && i > j) std::swap(i, j);
    out_.push({i, j});
}

// A pair in a periodic domain, the smaller index first if both are of one set. Every other
// one has to be turned, which cannot be foretold: without a branch.
template <Real T, int D>
void Sieve<T, D>::write(const Place& first, const Place& second) {
    const Index i = first.body, j = second.body;
    Image<D> image;
    for (std::size_t a = 0; a < D; ++a)
        image[a] = static_cast<std::int16_t>(second.at[a] - first.at[a]);
    bool turned = i > j;
    if (i == j) [[unlikely]]
        turned = image < Image<D>{};
    turned = turned && one_set_;
    const int sign = turned ? -1 : 0;
    for (std::int16_t& n : image) n = static_cast<std::int16_t>((n ^ sign) - sign);
    out_.push({turned ? j : i, turned ? i : j}, image);
}

template <Real T, int D>
void Sieve<T, D>::one(std::size_t entry, Run run, Owner owner) {
    if (run.size() > 0) sift(load(entry), run, owner);
}

template <Real T, int D>
void Sieve<T, D>::cross(Run a, Run b, Owner owner) {
    for (std::size_t e = a.begin; e < a.end; ++e) one(e, b, owner);
}

template <Real T, int D>
void Sieve<T, D>::self(Run run, Owner owner) {
    for (std::size_t e = run.begin; e < run.end; ++e) one(e, {e + 1, run.end}, owner);
}

template <Real T, int D>
void Sieve<T, D>::ask(Index query, Run run, Owner owner) {
    if (run.size() > 0) sift(load_query(query), run, owner);
}

// Decides for two instances, from the caller's own arrays.
template <Real T, int D>
bool Sieve<T, D>::touches(Index first, Index second) const {
    Place one{first_scene_.body(first), {}}, other{scene_.body(second), {}};
    if (scene_.imaged()) {
        one.at = first_scene_.image(first);
        other.at = scene_.image(second);
    }
    return touches(one, other);
}

template <Real T, int D>
bool Sieve<T, D>::touches(const Place& first, const Place& second) const {
    const Item<T, D> i(first_scene_.view(), first.body, question_.bare);
    const Item<T, D> j(scene_.view(), second.body, question_.bare);
    Vector<T, D> s{}, sv{};
    if (scene_.imaged()) {
        Shift<D> n;
        for (std::size_t a = 0; a < D; ++a) n[a] = second.at[a] - first.at[a];
        s = scene_.lattice().shift(n);
        sv = scene_.lattice().drift(n);
    }
    return touch<T, D>(i, j, s, sv, question_.rule, moving_);
}

// Writes a pair of instances down unless another combination of their shifts reports it.
template <Real T, int D>
void Sieve<T, D>::settle(Index first, Index second) {
    const First one{first, first_scene_.home(first), {}, 0};
    if ((one.bits | scene_.home(second)) == Scene<T, D>::image_bits) emit(one, second);
}

template <Real T, int D>
void Sieve<T, D>::one(Index first, Index second) {
    ++out_.candidates;
    if (touches(first, second)) settle(first, second);
}

template <Real T, int D>
void Sieve<T, D>::strip(const FinePoints<D>& points, const StripRow<D>& row) {
    points_ = points;
    points_.instance = packed_.instances();
    points_.all_mixed = question_.filter->active();
    if (scene_.joined()) {
        points_.marked = points_.instance;
        faces_ = &FaceImages<D>::towards(row.faces.down);
    }
    question_.strips.join(points_, row, scratch_.strip, *this);
}

template <Real T, int D>
void Sieve<T, D>::ring(const FinePoints<D>& points, const StripRing<D>& ring) {
    points_ = points;
    points_.instance = packed_.instances();
    question_.strips.mark(points_, ring, scratch_.strip, *this);
}

// Of an instance marked as simd/strips.hpp says.
template <Real T, int D>
typename Sieve<T, D>::Place Sieve<T, D>::place_of(Index marked) const {
    if (faces_ != nullptr) return {marked & ~(look_bit | face_bits), faces_->of(marked, false)};
    Index k = marked & ~(look_bit | away_bits);
    Place place{k, {}};
    if (k < scene_.bodies()) {
        for (std::size_t a = 0; a < D; ++a)
            place.at[a] = static_cast<std::int16_t>(marked >> (away_shift + a) & 1);
        return place;
    }
    k = instance_of(k);
    return {scene_.body(k), scene_.image(k)};
}

// Where a mark does not tell the place, its number is that of a ghost, or of a body after all.
template <Real T, int D>
Index Sieve<T, D>::instance_of(Index number) const {
    return number < scene_.size() ? number : number - static_cast<Index>(scene_.size());
}

namespace {

// An image in one number, an axis in each 16 bits: made piece by piece it would have to wait on
// its way through memory.
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

// Axis by axis: nothing is borrowed from the next.
PackedImage difference(PackedImage a, PackedImage b) {
    constexpr PackedImage highest = 0x8000800080008000;
    return ((a | highest) - (b & ~highest)) ^ ((a ^ ~b) & highest);
}

// One period up along the axes whose bits are set.
constexpr auto one_up = [] {
    std::array<PackedImage, 8> packed{};
    for (unsigned bits = 0; bits < packed.size(); ++bits) {
        std::array<std::int16_t, 4> image{};
        for (unsigned a = 0; a < 3; ++a) image[a] = static_cast<std::int16_t>(bits >> a & 1);
        packed[bits] = std::bit_cast<PackedImage>(image);
    }
    return packed;
}();

}  // namespace

// The same as write(place_of(first), place_of(second)).
template <Real T, int D>
void Sieve<T, D>::write_marked(Index first, Index second) {
    if (((first | second) & look_bit) == 0)
        return out_.push({std::min(first, second), std::max(first, second)});
    PackedImage from, to;
    const auto body = [this](Index marked, PackedImage& at) {
        Index k = marked & ~(look_bit | away_bits);
        if (k < scene_.bodies()) {
            at = one_up[(marked & away_bits) >> away_shift];
            return k;
        }
        k = instance_of(k);
        at = pack<D>(scene_.image(k));
        return scene_.body(k);
    };
    const Index i = body(first, from), j = body(second, to);
    if (i == j) [[unlikely]]
        return write(place_of(first), place_of(second));
    const bool turned = i > j;
    out_.push({std::min(i, j), std::max(i, j)},
              unpack<D>(difference(turned ? from : to, turned ? to : from)));
}

template <Real T, int D>
void Sieve<T, D>::look(const Index* first, const Index* second, std::size_t count) {
    if (faces_ != nullptr)
        look_across(first, second, count);
    else if (points_.all_mixed)  // all have the bit, and no other
        for (std::size_t k = 0; k < count; ++k)
            settle(first[k] & ~look_bit, second[k] & ~look_bit);
    else
        look_at_ghosts(first, second, count);
}

// What marks do not tell is looked up, in the caller's order: fetch all before the first is
// needed.
template <Real T, int D>
void Sieve<T, D>::look_at_ghosts(const Index* first, const Index* second, std::size_t count) {
    const auto expect = [this](Index marked) __attribute__((always_inline)) {
        const Index k = marked & ~(look_bit | away_bits);
        if (k >= scene_.bodies()) scene_.prefetch_image(instance_of(k));
    };
    for (std::size_t k = 0; k < count; ++k) {
        expect(first[k]);
        expect(second[k]);
    }
    for (std::size_t k = 0; k < count; ++k) write_marked(first[k], second[k]);
}

// Pairs across joined faces; the second may be beyond some.
template <Real T, int D>
void Sieve<T, D>::look_across(const Index* first, const Index* second, std::size_t count) {
    const Filter<T, D>& filter = *question_.filter;
    if (out_.counting() && !filter.active()) return out_.add(count);
    Pair* const pairs = out_.room(count);
    Image<D>* const images = out_.image_room();
    std::size_t written = 0;
    for (std::size_t k = 0; k < count; ++k) {
        const Index i = first[k] & ~look_bit, j = second[k] & ~(look_bit | face_bits);
        if (filter.active() && !filter.allows(i, j)) continue;
        pairs[written] = ordered(i, j);
        images[written++] = faces_->of(second[k], i > j);
    }
    out_.wrote_images(written);
}

template <Real T, int D>
void Sieve<T, D>::decide(const MaybePair* pairs, std::size_t count) {
    const bool marked = faces_ != nullptr || (points_.marked != nullptr && !points_.all_mixed);
    const auto instance = [&](Index k) { return points_.all_mixed ? k & ~look_bit : k; };
    // The caller's order is not ours: fetch all before the first is needed.
    for (std::size_t p = 0; p < count; ++p)
        for (const Index k : {pairs[p].first, pairs[p].second}) {
            if (marked)
                scene_.prefetch_body(place_of(k).body);
            else
                scene_.prefetch(instance(k));
        }
    for (std::size_t p = 0; p < count; ++p) {
        const auto [first, second] = pairs[p];
        if (!marked) {
            if (touches(instance(first), instance(second)))
                settle(instance(first), instance(second));
            continue;
        }
        // Away from home on the same axis: another combination of images reports them.
        if (faces_ == nullptr && (first & second & away_bits) != 0) continue;
        if (!touches(place_of(first), place_of(second))) continue;
        if (faces_ != nullptr)
            look_across(&first, &second, 1);
        else
            write_marked(first, second);
    }
}

template <Real T, int D>
BoxRows<D> Sieve<T, D>::with_bits(BoxRows<D> rows, unsigned needed) {
    rows.instance = packed_.instances();
    rows.bits = packed_.bits();
    rows.needed = static_cast<Bits>(needed | Scene<T, D>::image_bits);
    rows.kind = box_kind_;
    rows.rule = question_.rule;
    const bool plain = one_set_ && !question_.filter->active();
    this->box_writer = plain ? &out_ : nullptr;
    return rows;
}

template <Real T, int D>
void Sieve<T, D>::sweep(const BoxRows<D>& rows, std::uint32_t first, std::uint32_t last,
                        std::uint32_t row_end, Owner owner) {
    question_.boxes.sweep(with_bits(rows, owner.either), first, last, row_end, scratch_.box,
                          *this);
    out_.candidates += std::exchange(this->box_candidates, 0);
}

template <Real T, int D>
void Sieve<T, D>::ask(const BoxRows<D>& rows, Index instance, const Box<float, D>& box, Run run,
                      Owner owner) {
    const unsigned own = first_scene_.home(instance) & ~unsigned{owner.second};
    question_.boxes.ask(with_bits(rows, owner.second), instance, box, static_cast<Bits>(own),
                        static_cast<std::uint32_t>(run.begin),
                        static_cast<std::uint32_t>(run.end), scratch_.box, *this);
    out_.candidates += std::exchange(this->box_candidates, 0);
}

template <Real T, int D>
void Sieve<T, D>::hits(const Index* first, const Index* second, std::size_t count) {
    const bool decided = box_kind_ == BoxRows<D>::Kind::boxes;
    constexpr std::size_t ahead = 16;  // the caller's order is not ours
    for (std::size_t k = 0; k < count; ++k) {
        if (k + ahead < count && !decided) {
            first_scene_.prefetch(first[k + ahead]);
            scene_.prefetch(second[k + ahead]);
        }
        if (decided || touches(first[k], second[k])) emit(First{first[k], 0, {}, 0}, second[k]);
    }
}

template <Real T, int D>
void Sieve<T, D>::list(const Records<T>& records, std::span<const EntryPair> pairs) {
    out_.candidates += pairs.size();
    const ListTest<T> near =
        records.boxes ? question_.lists.boxes
                      : question_.lists.round[static_cast<std::size_t>(records.rule)];
    const bool bare = all_settled();
    const Index* const instance = packed_.instances();
    constexpr std::size_t batch = 1024;
    std::array<Index, batch + 1> hits;
    for (; !pairs.empty(); pairs = pairs.subspan(std::min(batch, pairs.size()))) {
        const std::size_t count =
            near(records.values, pairs.data(), std::min(batch, pairs.size()), hits.data());
        if (bare) {
            Pair* const out = out_.room(count);
            for (std::size_t k = 0; k < count; ++k) {
                const Index i = instance[pairs[hits[k]].first],
                            j = instance[pairs[hits[k]].second];
                out[k] = ordered(i, j);
            }
            out_.wrote(count);
            continue;
        }
        for (std::size_t k = 0; k < count; ++k) settle(pairs[hits[k]]);
    }
}

template <Real T, int D>
void Sieve<T, D>::meeting(std::span<const EntryPair> pairs) {
    out_.candidates += pairs.size();
    if (!all_settled()) {
        for (const EntryPair& pair : pairs) settle(pair);
        return;
    }
    const Index* const instance = packed_.instances();
    constexpr std::size_t batch = 1024;
    for (; !pairs.empty(); pairs = pairs.subspan(std::min(batch, pairs.size()))) {
        const std::size_t count = std::min(batch, pairs.size());
        Pair* const out = out_.room(count);
        for (std::size_t k = 0; k < count; ++k) {
            const Index i = instance[pairs[k].first], j = instance[pairs[k].second];
            out[k] = ordered(i, j);
        }
        out_.wrote(count);
    }
}

// Two entries that are near: is there anything else to ask?
template <Real T, int D>
void Sieve<T, D>::settle(const EntryPair& near) {
    const unsigned one = packed_.bits(near.first), other = packed_.bits(near.second);
    if (((one | other) & Scene<T, D>::image_bits) != Scene<T, D>::image_bits) return;
    const bool decided = (one & other & plain_bit) != 0;
    const Index i = packed_.instance(near.first), j = packed_.instance(near.second);
    if (decided || touches(i, j)) emit(First{i, 0, {}, 0}, j);
}

template class Sieve<float, 2>;
template class Sieve<float, 3>;
template class Sieve<double, 2>;
template class Sieve<double, 3>;

}  // namespace vicinal
