// Which own bodies have copies on other ranks, and which numbers the copies here have: values
// travel along it without their ids.
#pragma once

#include <functional>
#include <vector>

#include "mpi/communicator.hpp"

#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API::mpi {

struct Plan {
    struct Sent {
        int rank;
        std::vector<Index> bodies;
    };
    struct Held {  // consecutive numbers, in the order of the owner's list
        int rank;
        std::size_t begin, count;
    };
    std::vector<Sent> sent;
    std::vector<Held> held;
    // How many of the lists are of bodies that take part in the search. Those that were added
    // for rows follow.
    std::size_t searched_sent = 0, searched_held = 0;
    void drop_unheld() {
        sent.resize(searched_sent);
        held.resize(searched_held);
    }

    // Copies the values of own bodies, of `each` bytes, to their copies.
    void forward(Communicator& comm, std::byte* values, std::size_t each) const;
    // Calls add(body, value) for the value of each copy of an own body.
    using Add = std::function<void(Index body, const std::byte* value)>;
    void reverse(Communicator& comm, const std::byte* values, std::size_t each,
                 const Add& add) const;
};

}  // namespace vicinal::inline VICINAL_API::mpi
