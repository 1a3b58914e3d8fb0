#include "reference/plain.hpp"

namespace vicinal::reference {

template <Real T, int D>
std::vector<PlainPair<D>> PlainSearch<T, D>::collect(Index i, bool canonical) const {
    std::vector<PlainPair<D>> result;
    for (std::size_t j = canonical ? i : 0; j < b_.size(); ++j) {
        const auto other = static_cast<Index>(j);
        if (!allowed(i, other)) continue;
        images_.for_each(a_, i, b_, other, [&](const Shift<D>& n) {
            const PlainPair<D> pair{i, other, n};
            if ((!canonical || is_canonical(pair)) && meets(pair)) result.push_back(pair);
        });
    }
    return result;
}

template <Real T, int D>
bool PlainSearch<T, D>::meets(const PlainPair<D>& pair) const {
    if (sets_ == Sets::probe) return plain_meets(a_, pair.i, b_, pair.j, pair.n, domain_);
    if (sets_ == Sets::two) return plain_touch(a_, pair.i, b_, pair.j, pair.n, domain_);
    if (pair.i == pair.j && is_home<D>(pair.n)) return false;
    const auto p = is_canonical(pair) ? pair : reversed(pair);
    return plain_touch(a_, p.i, b_, p.j, p.n, domain_);
}

template <Real T, int D>
bool PlainSearch<T, D>::allowed(Index i, Index j) const {
    const auto value = [](const Column<std::uint32_t>& column, Index k) {
        return column.given() ? column[k] : ~std::uint32_t{0};
    };
    if ((value(a_.group, i) & value(b_.mask, j)) == 0) return false;
    if ((value(b_.group, j) & value(a_.mask, i)) == 0) return false;
    for (std::size_t k = 0; k < a_.vertices_per_body; ++k)
        for (std::size_t l = 0; l < b_.vertices_per_body; ++l)
            if (a_.vertices[i * a_.vertices_per_body + k] ==
                b_.vertices[j * b_.vertices_per_body + l])
                return false;
    return excluded_.empty() ||
           !std::binary_search(excluded_.begin(), excluded_.end(), Pair{i, j});
}

template std::vector<PlainPair<2>> PlainSearch<float, 2>::collect(Index, bool) const;
template std::vector<PlainPair<3>> PlainSearch<float, 3>::collect(Index, bool) const;
template std::vector<PlainPair<2>> PlainSearch<double, 2>::collect(Index, bool) const;
template std::vector<PlainPair<3>> PlainSearch<double, 3>::collect(Index, bool) const;

}  // namespace vicinal::reference
