// A sort that exploits existing order (Gissler et al. 2011, section 5): each record out of
// order is removed together with its predecessor; the removed records are sorted separately and
// merged back. O(N + k log k) for k such records, at worst O(N log N).
#pragma once

#include <algorithm>

#include "base/buffer.hpp"
#include "base/parallel.hpp"
#include "base/sort.hpp"

namespace vicinal::inline VICINAL_API {

// Sorts records[r.begin] ... records[r.end - 1], with the same range of `scratch` as temporary
// memory.
template <class Record, class Less>
void sort_displaced(Range r, Record* records, Record* scratch, const Less& less) {
    std::size_t kept = r.begin, out = r.begin;
    for (std::size_t i = r.begin; i < r.end; ++i) {
        if (kept == r.begin || !less(records[i], records[kept - 1])) {
            records[kept++] = records[i];
        } else {  // either of the two may be the one out of place
            scratch[out++] = records[--kept];
            scratch[out++] = records[i];
        }
    }
    sort_in_steps(scratch + r.begin, scratch + out, less);
    for (std::size_t to = r.end; out > r.begin;) {  // merged from the back, in place
        const bool stays = kept > r.begin && less(scratch[out - 1], records[kept - 1]);
        records[--to] = stays ? records[--kept] : scratch[--out];
    }
}

// `less` must be a total order, so that the result does not depend on threads.
template <class Record, class Less>
void adaptive_sort(int threads, Buffer<Record>& records, Buffer<Record>& scratch,
                   const Less& less) {
    const std::size_t n = records.size(), pieces = piece_count(threads, n);
    scratch.resize(n);
    parallel_ranges(threads, n, [&](Range r, std::size_t) {
        sort_displaced(r, records.data(), scratch.data(), less);
    });
    for (std::size_t step = 1; step < pieces; step *= 2)
        parallel_tasks(threads, (pieces + 2 * step - 1) / (2 * step), [&](std::size_t t, int) {
            const std::size_t left = 2 * step * t, right = left + step;
            if (right >= pieces) return;
            // Merges only the overlap, which is short if the records were nearly sorted.
            Record* const middle = records.data() + piece(n, pieces, right).begin;
            Record* const end =
                records.data() + piece(n, pieces, std::min(right + step, pieces) - 1).end;
            Record* const from = std::upper_bound(records.data() + piece(n, pieces, left).begin,
                                                  middle, *middle, less);
            Record* const to = std::lower_bound(middle, end, middle[-1], less);
            Record* const into = scratch.data() + (from - records.data());
            std::copy(into, std::merge(from, middle, middle, to, into, less), from);
        });
}

}  // namespace vicinal::inline VICINAL_API
