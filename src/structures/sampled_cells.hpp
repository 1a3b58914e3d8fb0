// The approximate mode of Gissler et al. (2011), section 5: a body is stored in all cells that
// its box covers, but in at most a fixed number of them, chosen at random if it covers more.
// Queries read all cells they cover, and so miss bodies stored elsewhere. A pair is reported in
// the lowest cell that one body covers and the other is stored in.
#pragma once

#include <algorithm>
#include <limits>
#include <string>

#include "structures/cell_records.hpp"

#include <vicinal/error.hpp>

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class SampledCells {
  public:
    static constexpr std::size_t max_per_body = 27;

    // At most `per_body` records per instance; the instance and the step seed the choice.
    void write(const Scene<T, D>& scene, const CellRecords<T, D>& grid, std::size_t per_body,
               std::uint64_t step, Buffer<CellRecord>& records) {
        const std::size_t n = scene.size();
        first_.resize(n + 1);
        first_[n] = 0;
        const auto cover = [&](std::size_t k) {
            return grid.cover(scene.box(static_cast<Index>(k)));
        };
        parallel_for(scene.threads(), n, [&](std::size_t k) {
            first_[k] =
                static_cast<std::size_t>(std::min<std::uint64_t>(cover(k).count(), per_body));
        });
        const std::size_t total = exclusive_scan(scene.threads(), first_.span());
        if (total >= std::numeric_limits<Index>::max())
            throw Error(
                Error::Kind::limit,
                "compact_grid: " + std::to_string(total) +
                    " records of bodies in cells are too many for 32-bit indices; choose "
                    "a lower cells_per_body");
        records.resize(total);
        parallel_for(scene.threads(), n, [&](std::size_t k) {
            const CellSpan<D> cells = cover(k);
            std::array<std::uint64_t, max_per_body> chosen;
            const std::size_t count = first_[k + 1] - first_[k];
            choose(cells.count(), count, step << 32 ^ k, chosen);
            for (std::size_t c = 0; c < count; ++c)
                records[first_[k] + c] = {grid.keys().key(nth(cells, chosen[c])),
                                          static_cast<Index>(k), 0};
        });
        records_ = records.data();
    }

    // The first cell of the span that the instance is stored in; false if there is none.
    bool lowest_in(const CellSpan<D>& span, Index instance, const CellKeys<D>& keys,
                   Cell<D>& cell) const {
        for (std::size_t r = first_[instance]; r < first_[instance + std::size_t{1}]; ++r) {
            cell = keys.cell(records_[r].key);
            if (span.contains(cell)) return true;
        }
        return false;
    }

  private:
    static Cell<D> nth(const CellSpan<D>& span, std::uint64_t n) {
        Cell<D> cell;
        for (std::size_t a = 0; a < D; ++a) {
            const auto edge = static_cast<std::uint64_t>(span.hi[a] - span.lo[a]) + 1;
            cell[a] = span.lo[a] + static_cast<std::int32_t>(n % edge);
            n /= edge;
        }
        return cell;
    }

    // `count` different numbers below `total`, in ascending order: all of them, or at random
    // (Floyd's algorithm: the last candidate replaces a number that is already chosen).
    static void choose(std::uint64_t total, std::size_t count, std::uint64_t seed,
                       std::array<std::uint64_t, max_per_body>& chosen) {
        for (std::size_t c = 0; c < count; ++c) {
            const std::uint64_t last = total - count + c;
            seed += 0x9e3779b97f4a7c15;
            const std::uint64_t random = total == count ? last : mix_bits(seed) % (last + 1);
            const auto end = chosen.begin() + static_cast<std::ptrdiff_t>(c);
            chosen[c] = std::find(chosen.begin(), end, random) == end ? random : last;
        }
        std::sort(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(count));
    }

    Buffer<std::size_t> first_;  // first record of per_body instance, and the end
    const CellRecord* records_ = nullptr;
};

}  // namespace vicinal::inline VICINAL_API
