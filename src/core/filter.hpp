// Which bodies may pair at all: group masks and exclusion lists.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <vicinal/bodies.hpp>

namespace vicinal {

template <Real T, int D>
class Filter {
  public:
    // Pairs (i in a, j in b); `one_set` says that a and b are the same bodies.
    void assign(const Bodies<T, D>& a, const Bodies<T, D>& b, bool one_set) {
        a_ = a;
        b_ = b;
        one_set_ = one_set;
        excluded_.clear();
        for (std::size_t e = 0; e < a.excluded.size(); ++e) {
            const Pair pair = a.excluded[e];
            if (pair.i >= a.size() || pair.j >= b.size())
                throw Error(Error::Kind::input,
                            "excluded pair " + std::to_string(e) + " names bodies " +
                                std::to_string(pair.i) + " and " + std::to_string(pair.j) +
                                ", but the sets have " + std::to_string(a.size()) + " and " +
                                std::to_string(b.size()) + "; count from 0");
            excluded_.push_back(key(pair.i, pair.j));
        }
        std::sort(excluded_.begin(), excluded_.end());
        grouped_ = a.group.given() || a.mask.given() || b.group.given() || b.mask.given();
    }

    bool active() const { return grouped_ || !excluded_.empty(); }

    bool allows(Index i, Index j) const {
        if (grouped_ && ((value(a_.group, i) & value(b_.mask, j)) == 0 ||
                         (value(b_.group, j) & value(a_.mask, i)) == 0))
            return false;
        return excluded_.empty() ||
               !std::binary_search(excluded_.begin(), excluded_.end(), key(i, j));
    }

  private:
    // A column that is not given has all bits set.
    static std::uint32_t value(const Column<std::uint32_t>& column, Index i) {
        return column.given() ? column[i] : ~std::uint32_t{0};
    }
    std::uint64_t key(Index i, Index j) const {
        if (one_set_ && i > j) std::swap(i, j);
        return std::uint64_t{i} << 32 | j;
    }

    Bodies<T, D> a_, b_;
    bool one_set_ = true;
    bool grouped_ = false;
    std::vector<std::uint64_t> excluded_;
};

}  // namespace vicinal
