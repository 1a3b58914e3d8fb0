// The reference kernels: plain loops, no vector instructions.
#include "core/sieve.hpp"

namespace vicinal {

template <Real T, int D>
Sieve<T, D>::Sieve(const Question<T, D>& question, const Packed<T, D>& packed,
                   BlockWriter<D>& out)
    : scene_(*question.scene),
      first_scene_(question.queries != nullptr ? *question.queries : *question.scene),
      packed_(packed),
      question_(question),
      out_(out),
      one_set_(question.queries == nullptr),
      moving_(scene_.view().swept() || first_scene_.view().swept()) {
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
        case Kind::proxies:
            test_ = Test::proxies;
            break;
    }
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
template <class Near>
void Sieve<T, D>::scan(const First& first, Run run, Owner owner, const Near& near) {
    if (!packed_.owned()) {
        for (std::size_t e = run.begin; e < run.end; ++e)
            if (near(e)) emit(first, packed_.instance(e));
        return;
    }
    if ((first.bits & owner.first) != owner.first) return;
    const auto either = static_cast<unsigned>(owner.either | Scene<T, D>::image_bits);
    for (std::size_t e = run.begin; e < run.end; ++e) {
        const unsigned bits = packed_.bits(e);
        if (((first.bits | bits) & either) == either && (bits & owner.second) == owner.second &&
            near(e))
            emit(first, packed_.instance(e));
    }
}

template <Real T, int D>
void Sieve<T, D>::scan_points(const First& first, Run run, Owner owner) {
    const T limit = scene_.view().cutoff * scene_.view().cutoff;
    scan(first, run, owner, [&](std::size_t e) {
        Vector<T, D> d;
        for (std::size_t a = 0; a < D; ++a) d[a] = packed_.column(a)[e] - first.values[a];
        return dot(d, d) <= limit;
    });
}

template <Real T, int D>
template <ReachRule rule>
void Sieve<T, D>::scan_spheres(const First& first, Run run, Owner owner) {
    scan(first, run, owner, [&](std::size_t e) {
        Vector<T, D> d;
        for (std::size_t a = 0; a < D; ++a) d[a] = packed_.column(a)[e] - first.values[a];
        const T reach = reach_of(rule, first.radius, packed_.radius()[e]);
        return dot(d, d) <= reach * reach;
    });
}

// lo_j - hi_i <= 0 is lo_j <= hi_i: with gradual underflow a difference has the right sign.
template <Real T, int D>
bool Sieve<T, D>::boxes_meet(const First& first, std::size_t entry) const {
    for (std::size_t a = 0; a < D; ++a)
        if (packed_.column(a)[entry] > first.values[D + a] ||
            packed_.column(D + a)[entry] < first.values[a])
            return false;
    return true;
}

template <Real T, int D>
void Sieve<T, D>::scan_boxes(const First& first, Run run, Owner owner) {
    scan(first, run, owner, [&](std::size_t e) { return boxes_meet(first, e); });
}

// Ghosts, moving bodies and probes: decided from the caller's own arrays.
template <Real T, int D>
void Sieve<T, D>::scan_deciding(const First& first, Run run, Owner owner, bool check_boxes) {
    const Item<T, D> i(first_scene_.view(), first_scene_.body(first.instance), question_.bare);
    const Shift<D> mi = first_scene_.shift(first.instance);
    scan(first, run, owner, [&](std::size_t e) {
        if (check_boxes && !boxes_meet(first, e)) return false;
        const Index instance = packed_.instance(e);
        const Item<T, D> j(scene_.view(), scene_.body(instance), question_.bare);
        Vector<T, D> s{}, sv{};
        if (scene_.imaged()) {
            Shift<D> n = scene_.shift(instance);
            for (std::size_t a = 0; a < D; ++a) n[a] -= mi[a];
            s = scene_.lattice().shift(n);
            sv = scene_.lattice().drift(n);
        }
        return touch<T, D>(i, j, s, sv, question_.rule, moving_);
    });
}

template <Real T, int D>
void Sieve<T, D>::sift(const First& first, Run run, Owner owner) {
    out_.candidates += run.size();
    switch (test_) {
        case Test::points:
            return scan_points(first, run, owner);
        case Test::spheres:
            switch (question_.rule) {
                case ReachRule::sum:
                    return scan_spheres<ReachRule::sum>(first, run, owner);
                case ReachRule::max:
                    return scan_spheres<ReachRule::max>(first, run, owner);
                case ReachRule::min:
                    return scan_spheres<ReachRule::min>(first, run, owner);
            }
            return;
        case Test::boxes:
            return scan_boxes(first, run, owner);
        case Test::proxies:
            return scan_deciding(first, run, owner, true);
        case Test::everything:
            return scan_deciding(first, run, owner, false);
    }
}

template <Real T, int D>
void Sieve<T, D>::emit(const First& first, Index instance) {
    Index i = first_scene_.body(first.instance), j = scene_.body(instance);
    if (question_.filter->active() && !question_.filter->allows(i, j)) return;
    if (!scene_.imaged()) {
        if (one_set_ && i > j) std::swap(i, j);
        out_.push({i, j});
        return;
    }
    const Shift<D> mi = first_scene_.shift(first.instance), mj = scene_.shift(instance);
    Shift<D> n;
    for (std::size_t a = 0; a < D; ++a) n[a] = mj[a] - mi[a];
    if (one_set_ && (i > j || (i == j && n < Shift<D>{}))) {
        std::swap(i, j);
        for (auto& component : n) component = -component;
    }
    Image<D> image;
    for (std::size_t a = 0; a < D; ++a) image[a] = static_cast<std::int16_t>(n[a]);
    out_.push({i, j}, image);
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

template class Sieve<float, 2>;
template class Sieve<float, 3>;
template class Sieve<double, 2>;
template class Sieve<double, 3>;

}  // namespace vicinal
