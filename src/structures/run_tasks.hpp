// Divides a sweep over sorted records into tasks of equal work. Each record has a run of
// records that follow it; runs differ so much in length that a task may begin and end inside
// one. Work is counted in units: a record takes one, and one for each record in its run.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/buffer.hpp"
#include "base/parallel.hpp"
#include "sieve/sieve.hpp"

namespace vicinal::inline VICINAL_API {

class RunTasks {
  public:
    // How many pieces assign() works on.
    static std::size_t pieces(int threads, std::size_t records) {
        return piece_count(threads, blocks(records));
    }

    // run_end(r, piece) is the end of the run of record r; called once for each record.
    template <class F>
    void assign(int threads, std::size_t records, const F& run_end) {
        records_ = records;
        work_before_.resize(blocks(records));
        parallel_ranges(threads, work_before_.size(), [&](Range range, std::size_t piece) {
            for (std::size_t b = range.begin; b < range.end; ++b) {
                poll_cancelled(block_records);
                std::uint64_t work = 0;
                for (std::size_t r = b * block_records;
                     r < std::min(records, (b + 1) * block_records); ++r)
                    work += run_end(r, piece) - r;
                work_before_[b] = work;
            }
        });
        work_ = exclusive_scan(1, work_before_.span());
        // So that there are at most about 2^16 tasks.
        work_per_task_ = std::max<std::uint64_t>(1 << 15, work_ >> 16);
    }

    std::uint64_t work() const { return work_; }
    std::size_t count() const {
        return static_cast<std::size_t>((work_ + work_per_task_ - 1) / work_per_task_);
    }

    // Calls f with each record of the tasks and the part of its run that belongs to them; that
    // part may extend beyond the run. run_end(r) is called only where a task begins or ends.
    template <class RunEnd, class F>
    void for_each_part(Range tasks, const RunEnd& run_end, const F& f) const {
        std::uint64_t unit = tasks.begin * work_per_task_;
        const std::uint64_t last = std::min(tasks.end * work_per_task_, work_);
        if (unit >= last) return;
        const auto sums = work_before_.span();
        auto block = static_cast<std::size_t>(std::upper_bound(sums.begin(), sums.end(), unit) -
                                              sums.begin() - 1);
        for (; unit < last; ++block) {
            std::uint64_t begin = sums[block];
            const std::size_t end_record = std::min((block + 1) * block_records, records_);
            const bool whole =
                unit == begin && block + 1 < sums.size() && sums[block + 1] <= last;
            for (std::size_t r = block * block_records; r < end_record && unit < last; ++r) {
                Run part{r + 1, records_};
                if (!whole) {
                    const std::uint64_t start = begin, end = begin + (run_end(r) - r);
                    begin = end;
                    if (unit >= end) continue;
                    // The first unit of a record is the record itself.
                    part.begin = r + (std::max(unit, start + 1) - start);
                    unit = std::min(last, end);
                    part.end = r + (unit - start);
                }
                f(r, part);  // called in one place, so that it is inlined
            }
            if (whole) unit = sums[block + 1];
        }
    }

  private:
    static constexpr std::size_t block_records = 256;

    static std::size_t blocks(std::size_t records) {
        return (records + block_records - 1) / block_records;
    }

    std::size_t records_ = 0;
    Buffer<std::uint64_t> work_before_;  // before each block of records
    std::uint64_t work_ = 0, work_per_task_ = 1;
};

}  // namespace vicinal::inline VICINAL_API
