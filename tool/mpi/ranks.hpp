// The ranks of a run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <vicinal/mpi.hpp>

namespace vicinal::tool {

struct Ranks {
    int rank = 0, size = 1;

    Ranks() {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    }
    bool first() const { return rank == 0; }

    // The rows [begin, end) of this rank, if all ranks take about as many.
    std::pair<std::uint64_t, std::uint64_t> share_of(std::uint64_t rows) const {
        const auto from = [&](int r) {
            return rows / static_cast<unsigned>(size) * static_cast<unsigned>(r) +
                   rows % static_cast<unsigned>(size) * static_cast<unsigned>(r) /
                       static_cast<unsigned>(size);
        };
        return {from(rank), from(rank + 1)};
    }

    // Runs this rank's part of the work. If it fails on any rank, all ranks throw the Error of
    // the first one that failed.
    template <class F>
    void together(const F& f) const {
        std::optional<Error> error;
        try {
            f();
        } catch (const Error& caught) {
            error = caught;
        }
        int failed = error ? rank : size, first = size;
        MPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        if (first == size) return;
        std::array<char, 1000> text{};
        int kind = 0;
        if (error && first == rank) {
            const std::string what = error->what();
            what.copy(text.data(), text.size() - 1);
            kind = static_cast<int>(error->kind());
        }
        MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, first, MPI_COMM_WORLD);
        MPI_Bcast(&kind, 1, MPI_INT, first, MPI_COMM_WORLD);
        throw Error(static_cast<Error::Kind>(kind), text.data());
    }

    // The sum over the ranks before this one.
    std::uint64_t sum_before(std::uint64_t value) const {
        std::uint64_t sum = 0;
        MPI_Exscan(&value, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        return first() ? 0 : sum;
    }

    double max(double value) const {
        double highest = 0;
        MPI_Allreduce(&value, &highest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        return highest;
    }
    std::uint64_t sum(std::uint64_t value) const {
        std::uint64_t total = 0;
        MPI_Allreduce(&value, &total, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        return total;
    }
    std::uint64_t max(std::uint64_t value) const {
        std::uint64_t highest = 0;
        MPI_Allreduce(&value, &highest, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
        return highest;
    }
};

}  // namespace vicinal::tool
