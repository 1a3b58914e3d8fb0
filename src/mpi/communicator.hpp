// A communicator of our own, errors that reach all ranks, and messages to a few of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <vicinal/error.hpp>
#include <vicinal/mpi.hpp>

namespace vicinal::inline VICINAL_API::mpi {

using Bytes = std::vector<std::byte>;

struct Message {
    int rank = 0;  // to which it goes, or from which it comes
    Bytes bytes;
};

class Communicator {
  public:
    explicit Communicator(MPI_Comm parent);
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    ~Communicator();

    int rank() const { return rank_; }
    int size() const { return size_; }
    MPI_Comm get() const { return comm_; }

    std::uint64_t sum(std::uint64_t value) const;
    std::uint64_t max(std::uint64_t value) const;
    int min(int value) const;
    // Of one value for each rank, the sum over all ranks of those for this rank.
    std::uint64_t sum_for_this(const std::vector<std::uint64_t>& values) const;
    // The bytes of rank `root`, on all ranks.
    void broadcast(Bytes& bytes, int root) const;

    // Delivers messages to a few ranks; returns those to this rank, by ascending rank. No rank
    // knows beforehand who sends to it: the messages are sent synchronously, and when all of
    // them have been received, a barrier that does not block tells so to all (T. Hoefler,
    // C. Siebert, A. Lumsdaine, Scalable communication protocols for dynamic sparse data
    // exchange, 2010, section 3.2).
    std::vector<Message> exchange(const std::vector<Message>& outgoing);

    // Runs this rank's part of a collective call. If it fails on any rank, all ranks throw the
    // Error of the first one that failed; an exception that is not of this library goes on on
    // its own rank.
    template <class F>
    void together(const F& f) {
        std::optional<Error> error;
        std::exception_ptr foreign;
        try {
            f();
        } catch (const Error& caught) {
            error = caught;
        } catch (const std::bad_alloc&) {
            error.emplace(Error::Kind::memory, "there is not enough memory");
        } catch (const std::exception& caught) {
            foreign = std::current_exception();
            error.emplace(Error::Kind::input, caught.what());
        } catch (...) {
            foreign = std::current_exception();
            error.emplace(Error::Kind::input, "an unknown exception");
        }
        agree(error, foreign);
    }

  private:
    void agree(const std::optional<Error>& error, const std::exception_ptr& foreign) const;
    void receive(std::vector<Message>& incoming, int tag) const;

    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0, size_ = 1;
    // Two tags by turns: a rank may begin the next exchange while another one still waits at
    // the end of the last.
    int tag_ = 0;
};

}  // namespace vicinal::inline VICINAL_API::mpi
