// Which pairs began and which ended between steps, and a map with a value per pair that lives
// as long as the pair: contact history, warm starting.
//
//     vicinal::PairMap<Friction, 3> history;
//     finder.update(bodies);
//     history.apply(finder.changes());
#pragma once

#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API {

// The identity of a pair across steps: the ids of its bodies (Bodies::id, or their indices),
// i < j, and the image of j. i == j only across a periodic face.
template <int D>
struct PairKey {
    Index i;
    Index j;
    Image<D> image{};
    auto operator<=>(const PairKey&) const = default;
};

// A pair that persists under another image, because a body was wrapped by whole periods.
template <int D>
struct Renamed {
    PairKey<D> from;
    PairKey<D> to;
};

// All in ascending order. To update a set of pairs, remove `ended` and every renamed.from, then
// insert every renamed.to and `began`.
template <int D>
struct Changes {
    std::vector<PairKey<D>> began;
    std::vector<PairKey<D>> ended;
    std::vector<Renamed<D>> renamed;
};

template <class Value, int D>
class PairMap {
  public:
    // Pairs that began get a default value; the values of pairs that ended are erased.
    void apply(const Changes<D>& changes) {
        for (const PairKey<D>& key : changes.ended) values_.erase(key);
        // All are extracted first, because a new key may equal another pair's old key.
        std::vector<typename Map::node_type> moving;
        for (const Renamed<D>& name : changes.renamed) {
            moving.push_back(values_.extract(name.from));
            if (moving.back()) moving.back().key() = name.to;
        }
        for (auto& node : moving) values_.insert(std::move(node));
        for (const PairKey<D>& key : changes.began) values_.try_emplace(key);
    }

    // Null if there is no such pair.
    Value* find(const PairKey<D>& key) {
        const auto found = values_.find(key);
        return found == values_.end() ? nullptr : &found->second;
    }
    const Value* find(const PairKey<D>& key) const {
        const auto found = values_.find(key);
        return found == values_.end() ? nullptr : &found->second;
    }
    std::size_t size() const { return values_.size(); }
    // (key, value) in no particular order.
    auto begin() { return values_.begin(); }
    auto end() { return values_.end(); }
    auto begin() const { return values_.begin(); }
    auto end() const { return values_.end(); }

  private:
    struct Hash {
        std::size_t operator()(const PairKey<D>& key) const {
            std::uint64_t h = std::uint64_t{key.i} << 32 | key.j;
            for (const std::int16_t n : key.image)
                h = h * 0x9e3779b97f4a7c15u + static_cast<std::uint16_t>(n);
            h ^= h >> 32;
            return static_cast<std::size_t>(h * 0x9e3779b97f4a7c15u);
        }
    };
    using Map = std::unordered_map<PairKey<D>, Value, Hash>;
    Map values_;
};

}  // namespace vicinal::inline VICINAL_API
