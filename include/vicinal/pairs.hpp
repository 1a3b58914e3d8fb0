// Results: pairs in blocks, pairs as plain arrays, and neighbour rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include <vicinal/array.hpp>
#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API {

enum class Order {
    any,     // depends on input, method and history, never on threads
    sorted,  // by (i, j, image): the same for every method
};

// The columns of a result: always the indices i and j, and any of the image S of j, the
// distance d and the vector D = (xj - xi) + s from i to j, where s is the shift of the image. D
// and d are the values that the formula of docs/promises.md compares, bit for bit: d is the
// root of the square that does not exceed that of the reach, and for moving bodies both are
// taken at the closest approach. Boxes have neither. In an open domain there is no column S:
// all images are zero.
enum class Columns : std::uint8_t { ij, ijS, ijd, ijSd, ijD, ijSD, ijdD, ijSdD };
constexpr bool has_images(Columns c) {
    return (static_cast<unsigned>(c) & 1) != 0;
}
constexpr bool has_distances(Columns c) {
    return (static_cast<unsigned>(c) & 2) != 0;
}
constexpr bool has_vectors(Columns c) {
    return (static_cast<unsigned>(c) & 4) != 0;
}

// From letters, such as "ijSdD": i, j and any of S, d, D, each once and in any order. Anything
// else is an Error.
VICINAL_EXPORT Columns columns_of(std::string_view letters);

// A run of pairs in contiguous memory. `images` is as long as `pairs` in a periodic
// domain and empty in an open one.
template <int D>
struct Block {
    std::span<const Pair> pairs;
    std::span<const Image<D>> images;
    int worker = 0;  // streaming: the calling worker, 0 <= worker < threads
};

// A block with the columns that were requested; the others are empty.
template <Real T, int D>
struct ColumnBlock : Block<D> {
    std::span<const Vector<T, D>> vectors;
    std::span<const T> distances;
};

// A pair and the image of j; the zero image in an open domain.
template <int D>
struct ImagedPair {
    Index i;
    Index j;
    Image<D> image;
    auto operator<=>(const ImagedPair&) const = default;
};

// All pairs of one search, stored once, in blocks. Movable, but not copyable because it is
// large. A moved-from list is empty.
template <int D>
class VICINAL_EXPORT PairList {
  public:
    PairList();
    PairList(PairList&&) noexcept;
    PairList& operator=(PairList&&) noexcept;
    ~PairList();

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::span<const Block<D>> blocks() const { return blocks_; }  // none of them empty

    // for (auto [i, j] : list)
    template <class Value>
    class Iterator {
      public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = Value;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = Value;

        Iterator() = default;
        explicit Iterator(const Block<D>* block) : block_(block) {}
        Value operator*() const {
            const Pair pair = block_->pairs[at_];
            if constexpr (std::is_same_v<Value, Pair>)
                return pair;
            else
                return {pair.i, pair.j,
                        block_->images.empty() ? Image<D>{} : block_->images[at_]};
        }
        Iterator& operator++() {
            if (++at_ == block_->pairs.size()) {
                ++block_;
                at_ = 0;
            }
            return *this;
        }
        Iterator operator++(int) {
            Iterator before = *this;
            ++*this;
            return before;
        }
        bool operator==(const Iterator&) const = default;

      private:
        const Block<D>* block_ = nullptr;
        std::size_t at_ = 0;
    };
    Iterator<Pair> begin() const { return Iterator<Pair>(blocks_.data()); }
    Iterator<Pair> end() const { return Iterator<Pair>(blocks_.data() + blocks_.size()); }

    // for (auto [i, j, image] : list.with_images())
    struct Imaged {
        Iterator<ImagedPair<D>> first, last;
        Iterator<ImagedPair<D>> begin() const { return first; }
        Iterator<ImagedPair<D>> end() const { return last; }
    };
    Imaged with_images() const {
        return {Iterator<ImagedPair<D>>(blocks_.data()),
                Iterator<ImagedPair<D>>(blocks_.data() + blocks_.size())};
    }

    // The memory behind the blocks; the library fills it.
    struct Store;

  private:
    friend struct Store;
    std::unique_ptr<Store> store_;
    std::span<const Block<D>> blocks_;
    std::size_t size_ = 0;
};

enum class RowKind {
    half,  // each pair once, in the row of i
    full,  // (j, n) in row i and (i, -n) in row j
};

// The order of the rows.
enum class RowOrder {
    body,  // row i is that of body i
    // Row k is that of body order()[k]. Faster where the method finds rows directly (full rows
    // of points by row_grid in open and rectangular periodic domains); otherwise it costs an
    // additional copy.
    spatial,
};

// Indices of results: as found, or in a type that another program expects. With 32-bit signed
// integers, more than 2^31 - 1 bodies are an Error.
template <class I>
concept IndexType = std::same_as<I, std::uint32_t> || std::same_as<I, std::int32_t> ||
                    std::same_as<I, std::int64_t>;

// Pairs as plain arrays, which belong to the caller.
enum class PairLayout : std::uint8_t {
    n_by_2,    // i0 j0 i1 j1 ...
    two_by_n,  // i0 i1 ... j0 j1 ...
};

struct PairForm {
    Order order = Order::any;
    RowKind kind = RowKind::half;  // full: also (j, i, -n), and the pairs are grouped by i
    PairLayout layout = PairLayout::n_by_2;
};

template <Real T, int D, IndexType I = Index>
struct PairColumns {
    Array<I> indices;  // 2 size(), in the given layout
    PairLayout layout = PairLayout::n_by_2;
    Array<Image<D>> images;  // those that were not requested are empty
    Array<Vector<T, D>> vectors;
    Array<T> distances;

    std::size_t size() const { return indices.size() / 2; }
    bool empty() const { return indices.empty(); }
    I i(std::size_t k) const { return indices[layout == PairLayout::n_by_2 ? 2 * k : k]; }
    I j(std::size_t k) const {
        return indices[layout == PairLayout::n_by_2 ? 2 * k + 1 : size() + k];
    }
};

// Neighbour rows (compressed sparse rows, CSR): row k holds the neighbours
// indices[offsets[k]] ... indices[offsets[k + 1] - 1] of body(k).
template <Real T, int D, IndexType I = Index>
struct Rows {
    Array<std::uint64_t> offsets;  // bodies + 1
    Array<I> indices;
    Array<Image<D>> images;  // these are as long as indices, or empty if not requested
    Array<Vector<T, D>> vectors;
    Array<T> distances;
    Array<I> bodies;  // RowOrder::spatial: the body of each row; else empty

    std::span<const I> operator[](std::size_t k) const { return part(indices, k); }
    std::span<const Image<D>> images_of(std::size_t k) const { return part(images, k); }
    std::span<const Vector<T, D>> vectors_of(std::size_t k) const { return part(vectors, k); }
    std::span<const T> distances_of(std::size_t k) const { return part(distances, k); }
    I body(std::size_t k) const { return bodies.empty() ? static_cast<I>(k) : bodies[k]; }
    std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }

  private:
    template <class V>
    std::span<const V> part(const Array<V>& column, std::size_t k) const {
        if (column.empty()) return {};
        return {column.data() + offsets[k], column.data() + offsets[k + 1]};
    }
};

extern template class PairList<2>;
extern template class PairList<3>;

}  // namespace vicinal::inline VICINAL_API
