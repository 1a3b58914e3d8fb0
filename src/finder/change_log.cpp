#include "finder/change_log.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

namespace vicinal::inline VICINAL_API {
template <Real T, int D>
void ChangeLog<T, D>::note_bodies(const Bodies<T, D>& bodies) {
    bodies_.resize(bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        bodies_[i].id = bodies.id.given() ? bodies.id[i] : static_cast<Index>(i);
        for (std::size_t a = 0; a < D; ++a)
            bodies_[i].place[a] = static_cast<double>(bodies.position.axis[a][i]);
    }
    if (!bodies.id.given()) return;
    const auto less = [](const Body& a, const Body& b) { return a.id < b.id; };
    std::sort(bodies_.begin(), bodies_.end(), less);
    for (std::size_t i = 1; i < bodies_.size(); ++i)
        if (bodies_[i].id == bodies_[i - 1].id)
            throw Error(Error::Kind::input, "two bodies have the id " +
                                                std::to_string(bodies_[i].id) +
                                                "; give every body a unique id");
}

template <Real T, int D>
void ChangeLog<T, D>::name_pairs(const PairList<D>& list, const Bodies<T, D>& bodies) {
    pairs_.clear();
    for (const Block<D>& block : list.blocks())
        for (std::size_t p = 0; p < block.pairs.size(); ++p) {
            PairKey<D> key{block.pairs[p].i, block.pairs[p].j, {}};
            if (!block.images.empty()) key.image = block.images[p];
            if (bodies.id.given()) {
                key.i = bodies.id[key.i];
                key.j = bodies.id[key.j];
                if (key.i > key.j) {
                    std::swap(key.i, key.j);
                    key.image = negated<D>(key.image);
                }
            }
            pairs_.push_back(key);
        }
    if (bodies.id.given()) std::sort(pairs_.begin(), pairs_.end());
}

// The whole periods by which a body has been wrapped since the last step. Wrapping does not
// move a body.
template <Real T, int D>
Shift<D> ChangeLog<T, D>::wraps(Index id, const Lattice<T, D>& lattice) const {
    const auto find = [id](const CountedVector<Body>& all) {
        const auto found =
            std::lower_bound(all.begin(), all.end(), id,
                             [](const Body& body, Index key) { return body.id < key; });
        return found != all.end() && found->id == id ? &*found : nullptr;
    };
    const Body *const then = find(bodies_then_), *const now = find(bodies_);
    Shift<D> k{};
    if (then == nullptr || now == nullptr) return k;
    for (std::size_t m = 0; m < D; ++m) {
        double f = 0;
        for (std::size_t a = 0; a < D; ++a)
            f += (now->place[a] - then->place[a]) * lattice.inverse[a][m];
        if (lattice.periodic[m])
            k[m] = static_cast<std::int32_t>(std::clamp(std::round(f), -1e6, 1e6));
    }
    return k;
}

// If body j has been wrapped by k_j periods and i by k_i, the old image n is now n - k_j + k_i.
// The same lattice may also have new vectors, because a shear offset is reduced modulo the
// period.
template <Real T, int D>
void ChangeLog<T, D>::rename(const Lattice<T, D>& lattice) {
    std::array<Shift<D>, D> vectors{};  // the old vectors in terms of the new
    for (std::size_t k = 0; k < D; ++k)
        for (std::size_t m = 0; m < D; ++m) {
            double f = 0;
            for (std::size_t a = 0; a < D; ++a)
                f += static_cast<double>(lattice_then_.h[k][a]) * lattice.inverse[a][m];
            const bool both = lattice.periodic[k] && lattice.periodic[m];
            vectors[k][m] =
                both && k != m ? static_cast<std::int32_t>(std::clamp(std::round(f), -1e4, 1e4))
                               : k == m;
        }
    persisting_.clear();
    for (const PairKey<D>& then : then_) {
        Persisting pair{then, then};
        bool fits = true;
        if (!lattice.open) {
            const Shift<D> i = wraps(then.i, lattice), j = wraps(then.j, lattice);
            for (std::size_t m = 0; m < D; ++m) {
                std::int64_t n = std::int64_t{i[m]} - j[m];
                for (std::size_t k = 0; k < D; ++k)
                    n += std::int64_t{then.image[k]} * vectors[k][m];
                pair.now.image[m] = static_cast<std::int16_t>(n);
                fits = fits && pair.now.image[m] == n;
            }
        }
        // An image that does not fit 16 bits: the key matches no pair, so the pair ends.
        if (!fits) pair.now = {std::numeric_limits<Index>::max(), 0, {}};
        persisting_.push_back(pair);
    }
    std::sort(persisting_.begin(), persisting_.end(),
              [](const Persisting& a, const Persisting& b) {
                  return std::tie(a.now, a.then) < std::tie(b.now, b.then);
              });
}

template <Real T, int D>
const Changes<D>& ChangeLog<T, D>::update(const PairList<D>& list, const Bodies<T, D>& bodies,
                                          const Lattice<T, D>& lattice) {
    note_bodies(bodies);
    name_pairs(list, bodies);
    rename(lattice);
    changes_.began.clear();
    changes_.ended.clear();
    changes_.renamed.clear();
    auto now = pairs_.begin();
    for (auto then = persisting_.begin(); then != persisting_.end(); ++then) {
        for (; now != pairs_.end() && *now < then->now; ++now) changes_.began.push_back(*now);
        if (now == pairs_.end() || *now != then->now) {
            changes_.ended.push_back(then->then);
            continue;
        }
        if (then->now != then->then) changes_.renamed.push_back({then->then, then->now});
        ++now;
    }
    changes_.began.insert(changes_.began.end(), now, pairs_.end());
    std::sort(changes_.ended.begin(), changes_.ended.end());
    std::sort(changes_.renamed.begin(), changes_.renamed.end(),
              [](const Renamed<D>& a, const Renamed<D>& b) { return a.from < b.from; });
    pairs_.swap(then_);
    bodies_.swap(bodies_then_);
    lattice_then_ = lattice;
    return changes_;
}

template class ChangeLog<float, 2>;
template class ChangeLog<float, 3>;
template class ChangeLog<double, 2>;
template class ChangeLog<double, 3>;

}  // namespace vicinal::inline VICINAL_API
