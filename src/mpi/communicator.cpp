#include "mpi/communicator.hpp"

#include <algorithm>
#include <cstring>

namespace vicinal::inline VICINAL_API::mpi {
namespace {

// Counts of MPI are ints: longer messages are sent in pieces.
constexpr std::size_t max_piece = std::size_t{1} << 30;

}  // namespace

Communicator::Communicator(MPI_Comm parent) {
    int initialized = 0, finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (initialized == 0 || finalized != 0 || parent == MPI_COMM_NULL)
        throw Error(
            Error::Kind::option,
            "mpi: the communicator cannot be used; make the finder between MPI_Init and "
            "MPI_Finalize, with a communicator that is not MPI_COMM_NULL");
    MPI_Comm_dup(parent, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
}

Communicator::~Communicator() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) MPI_Comm_free(&comm_);
}

std::uint64_t Communicator::sum(std::uint64_t value) const {
    std::uint64_t total = 0;
    MPI_Allreduce(&value, &total, 1, MPI_UINT64_T, MPI_SUM, comm_);
    return total;
}

std::uint64_t Communicator::max(std::uint64_t value) const {
    std::uint64_t highest = 0;
    MPI_Allreduce(&value, &highest, 1, MPI_UINT64_T, MPI_MAX, comm_);
    return highest;
}

std::uint64_t Communicator::sum_for_this(const std::vector<std::uint64_t>& values) const {
    std::uint64_t total = 0;
    MPI_Reduce_scatter_block(values.data(), &total, 1, MPI_UINT64_T, MPI_SUM, comm_);
    return total;
}

int Communicator::min(int value) const {
    int lowest = 0;
    MPI_Allreduce(&value, &lowest, 1, MPI_INT, MPI_MIN, comm_);
    return lowest;
}

void Communicator::broadcast(Bytes& bytes, int root) const {
    std::uint64_t size = bytes.size();
    MPI_Bcast(&size, 1, MPI_UINT64_T, root, comm_);
    bytes.resize(size);
    for (std::size_t at = 0; at < size; at += max_piece)
        MPI_Bcast(bytes.data() + at, static_cast<int>(std::min(max_piece, size - at)), MPI_BYTE,
                  root, comm_);
}

// Takes a message that has arrived, if there is one.
void Communicator::receive(std::vector<Message>& incoming, int tag) const {
    int arrived = 0;
    MPI_Message message{};
    MPI_Status status{};
    MPI_Improbe(MPI_ANY_SOURCE, tag, comm_, &arrived, &message, &status);
    if (arrived == 0) return;
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    auto from = std::find_if(incoming.begin(), incoming.end(),
                             [&](const Message& m) { return m.rank == status.MPI_SOURCE; });
    if (from == incoming.end()) from = incoming.insert(from, {status.MPI_SOURCE, {}});
    const std::size_t at = from->bytes.size();  // pieces of one rank arrive in order
    from->bytes.resize(at + static_cast<std::size_t>(count));
    MPI_Mrecv(from->bytes.data() + at, count, MPI_BYTE, &message, MPI_STATUS_IGNORE);
}

std::vector<Message> Communicator::exchange(const std::vector<Message>& outgoing) {
    tag_ = 1 - tag_;
    std::vector<MPI_Request> sends;
    for (const Message& message : outgoing)
        for (std::size_t at = 0; at < message.bytes.size(); at += max_piece) {
            const std::size_t count = std::min(max_piece, message.bytes.size() - at);
            MPI_Issend(message.bytes.data() + at, static_cast<int>(count), MPI_BYTE,
                       message.rank, tag_, comm_, &sends.emplace_back());
        }
    std::vector<Message> incoming;
    MPI_Request barrier = MPI_REQUEST_NULL;
    for (int done = 0; done == 0;) {
        receive(incoming, tag_);
        if (barrier != MPI_REQUEST_NULL) {
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
            continue;
        }
        int sent = 0;
        MPI_Testall(static_cast<int>(sends.size()), sends.data(), &sent, MPI_STATUSES_IGNORE);
        if (sent != 0) MPI_Ibarrier(comm_, &barrier);
    }
    std::sort(incoming.begin(), incoming.end(),
              [](const Message& a, const Message& b) { return a.rank < b.rank; });
    return incoming;
}

void Communicator::agree(const std::optional<Error>& error,
                         const std::exception_ptr& foreign) const {
    const int failed = min(error ? rank_ : size_);
    if (failed == size_) return;
    struct Head {
        Error::Kind kind;
        bool has_element;
        std::uint64_t element;
    };
    Bytes bytes;
    if (failed == rank_) {
        const std::string text = error->what();
        const Head head{error->kind(), error->element().has_value(),
                        error->element().value_or(0)};
        bytes.resize(sizeof head + text.size());
        std::memcpy(bytes.data(), &head, sizeof head);
        std::memcpy(bytes.data() + sizeof head, text.data(), text.size());
    }
    broadcast(bytes, failed);
    if (foreign) std::rethrow_exception(foreign);
    Head head{};
    std::memcpy(&head, bytes.data(), sizeof head);
    const std::string text(reinterpret_cast<const char*>(bytes.data()) + sizeof head,
                           bytes.size() - sizeof head);
    std::optional<std::uint64_t> element;
    if (head.has_element) element = head.element;
    throw Error(head.kind, "rank " + std::to_string(failed) + ": " + text, element);
}

}  // namespace vicinal::inline VICINAL_API::mpi
