// Results that own their arrays, as the structs of the C interface.
#pragma once

#include <memory>
#include <utility>

#include "c/views.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::inline VICINAL_API {

// What vicinal_release() deletes.
struct OwnedResult : vicinal_result {
    OwnedResult() : vicinal_result{} { size = sizeof(vicinal_result); }
    virtual ~OwnedResult() = default;
};

template <class I>
constexpr int index_of = std::same_as<I, std::uint32_t>  ? VICINAL_UINT32
                         : std::same_as<I, std::int32_t> ? VICINAL_INT32
                                                         : VICINAL_INT64;

template <class Arrays>
struct ResultOf : OwnedResult {
    explicit ResultOf(Arrays&& given) : arrays(std::move(given)) {}
    Arrays arrays;
};

template <Real T, int D, class I, class Arrays>
std::unique_ptr<ResultOf<Arrays>> make_result(Arrays&& arrays) {
    auto result = std::make_unique<ResultOf<Arrays>>(std::move(arrays));
    const Arrays& a = result->arrays;
    result->indices = a.indices.data();
    if (!a.images.empty()) result->images = a.images.data()->data();
    if (!a.vectors.empty()) result->vectors = a.vectors.data()->data();
    result->distances = a.distances.data();
    result->dimension = D;
    result->scalar = scalar_of<T>;
    result->index = index_of<I>;
    return result;
}

template <Real T, int D, class I>
vicinal_result* new_result(PairColumns<T, D, I>&& pairs) {
    auto result = make_result<T, D, I>(std::move(pairs));
    result->count = result->arrays.size();
    result->layout =
        result->arrays.layout == PairLayout::n_by_2 ? VICINAL_N_BY_2 : VICINAL_TWO_BY_N;
    return result.release();
}

template <Real T, int D, class I>
vicinal_result* new_result(Rows<T, D, I>&& rows) {
    auto result = make_result<T, D, I>(std::move(rows));
    result->count = result->arrays.indices.size();
    result->rows = result->arrays.size();
    result->offsets = result->arrays.offsets.data();
    result->bodies = result->arrays.bodies.data();
    return result.release();
}

// Pairs and images of keys as contiguous arrays.
template <int D>
struct KeyArrays {
    Array<Pair> pairs;
    Array<Image<D>> images;

    void resize(std::size_t n) {
        pairs.resize(n);
        images.resize(n);
    }
    void set(std::size_t k, const PairKey<D>& key) {
        pairs[k] = {key.i, key.j};
        images[k] = key.image;
    }
    vicinal_keys view() const {
        return {pairs.size(), reinterpret_cast<const std::uint32_t*>(pairs.data()),
                reinterpret_cast<const std::int16_t*>(images.data())};
    }
};

// What vicinal_release_changes() deletes.
struct OwnedChanges : vicinal_change_list {
    OwnedChanges() : vicinal_change_list{} { size = sizeof(vicinal_change_list); }
    virtual ~OwnedChanges() = default;
};

template <int D>
struct ChangesOf : OwnedChanges {
    explicit ChangesOf(const Changes<D>& changes) {
        fill(began_, changes.began, [](const PairKey<D>& key) { return key; });
        fill(ended_, changes.ended, [](const PairKey<D>& key) { return key; });
        fill(from_, changes.renamed, [](const Renamed<D>& name) { return name.from; });
        fill(to_, changes.renamed, [](const Renamed<D>& name) { return name.to; });
        began = began_.view();
        ended = ended_.view();
        renamed_from = from_.view();
        renamed_to = to_.view();
    }

  private:
    template <class Entries, class KeyIn>
    static void fill(KeyArrays<D>& to, const Entries& entries, const KeyIn& key_in) {
        to.resize(entries.size());
        for (std::size_t k = 0; k < entries.size(); ++k) to.set(k, key_in(entries[k]));
    }
    KeyArrays<D> began_, ended_, from_, to_;
};

}  // namespace vicinal::inline VICINAL_API
