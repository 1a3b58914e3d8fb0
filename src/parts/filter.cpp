// The rule by which each pair is reported once. R(i) are the holders of body i: its owner and
// every part whose closed region meets its bounds in any image. If the formula accepts (i, j,
// n), the bounds of i and those of j in image n share a point. Some shift brings this point
// into the cell, which the closed regions tile: so some part is in R(i) and in R(j). All parts
// in both hold both bodies, with the coordinates as given, and decide the pair alike. The first
// of them reports it. Rounding may only enlarge R.
#include <algorithm>

#include <vicinal/parts.hpp>

namespace vicinal::inline VICINAL_API {
namespace {

bool is_all(std::span<const PartNumber> holders) {
    return holders.front() == Holders::all_parts;
}

}  // namespace

PartFilter::PartFilter(PartNumber number, std::size_t bodies, const Holders& holders)
    : number_(number), holders_(&holders) {
    std::vector<PartNumber> lower;
    std::copy_if(holders.parts.begin(), holders.parts.end(), std::back_inserter(lower),
                 [&](PartNumber p) { return p < number; });
    std::sort(lower.begin(), lower.end());
    lower.erase(std::unique(lower.begin(), lower.end()), lower.end());
    exact_ = lower.size() <= 64;
    std::vector<Index> marked;
    for (std::size_t k = 0; k < holders.size(); ++k) {
        std::uint64_t word = 0;
        if (is_all(holders[k])) word = number > 0 ? ~std::uint64_t{0} : 0;
        for (const PartNumber p : holders[k]) {
            if (p >= number) break;  // ascending
            const auto at = std::lower_bound(lower.begin(), lower.end(), p) - lower.begin();
            word |= std::uint64_t{1} << at % 64;
        }
        if (word == 0) continue;
        marked.push_back(holders.bodies[k]);
        places_.push_back(k);
        lower_.push_back(word);
    }
    marked_ = BodySet(bodies, marked);
}

bool PartFilter::reports_marked(Index i, Index j) const {
    const std::size_t a = marked_.place(i), b = marked_.place(j);
    if ((lower_[a] & lower_[b]) == 0) return true;
    return !exact_ && first_common(places_[a], places_[b]) == number_;
}

PartNumber PartFilter::first_common(std::size_t first, std::size_t second) const {
    const std::span<const PartNumber> a = (*holders_)[first], b = (*holders_)[second];
    if (is_all(a) || is_all(b)) return is_all(a) && is_all(b) ? 0 : std::min(a[0], b[0]);
    for (auto p = a.begin(), q = b.begin(); p != a.end() && q != b.end();) {
        if (*p == *q) return *p;
        *p < *q ? ++p : ++q;
    }
    return number_;  // no other part holds both
}

}  // namespace vicinal::inline VICINAL_API
