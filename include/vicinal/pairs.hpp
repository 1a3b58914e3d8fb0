// Results: pairs in blocks, and neighbour rows.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API {

// A run of pairs in contiguous memory. `images` is as long as `pairs` in a periodic
// domain and empty in an open one.
template <int D>
struct Block {
    std::span<const Pair> pairs;
    std::span<const Image<D>> images;
    int worker = 0;  // streaming: the calling worker, 0 <= worker < threads
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

    // One array of all pairs (and one of all images): a copy.
    std::vector<Pair> to_vector() const;
    std::vector<Image<D>> images() const;

    class Iterator {
      public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = Pair;
        using difference_type = std::ptrdiff_t;
        using pointer = const Pair*;
        using reference = const Pair&;

        Iterator() = default;
        explicit Iterator(const Block<D>* block) : block_(block) {}
        const Pair& operator*() const { return block_->pairs[at_]; }
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
    Iterator begin() const { return Iterator(blocks_.data()); }
    Iterator end() const { return Iterator(blocks_.data() + blocks_.size()); }

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
    // of points by row_grid in an open domain); otherwise it costs an additional copy.
    spatial,
};

// Neighbour rows (compressed sparse rows, CSR): row k holds the neighbours
// indices[offsets[k]] ... indices[offsets[k + 1] - 1] of body(k).
template <int D>
struct Rows {
    std::vector<std::uint64_t> offsets;  // bodies + 1
    std::vector<Index> indices;
    std::vector<Image<D>> images;  // as long as indices in a periodic domain, else empty
    std::vector<Index> bodies;     // RowOrder::spatial: the body of each row; else empty

    std::span<const Index> operator[](std::size_t k) const {
        return {indices.data() + offsets[k], indices.data() + offsets[k + 1]};
    }
    Index body(std::size_t k) const {
        return bodies.empty() ? static_cast<Index>(k) : bodies[k];
    }
    std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
};

// The nearest bodies of each query, as rows: row i holds those of query i, nearest first; ties
// are in the order of (index, image).
template <Real T, int D>
struct Nearest {
    Rows<D> rows;
    std::vector<T> distances;  // as long as rows.indices
};

extern template class PairList<2>;
extern template class PairList<3>;

}  // namespace vicinal::inline VICINAL_API
