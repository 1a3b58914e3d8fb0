// The ranks of a run.
#pragma once

#include <cstdint>
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

    double max(double value) const { return reduced(value, MPI_MAX); }
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

  private:
    double reduced(double value, MPI_Op op) const {
        double result = 0;
        MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
        return result;
    }
};

}  // namespace vicinal::tool
