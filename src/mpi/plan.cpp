#include "mpi/plan.hpp"

#include <cstring>
#include <map>

namespace vicinal::inline VICINAL_API::mpi {
namespace {

// One message per rank, although a plan may have several lists of it.
std::vector<Message> messages(std::map<int, Bytes> by_rank) {
    std::vector<Message> result;
    for (auto& [rank, bytes] : by_rank) result.push_back({rank, std::move(bytes)});
    return result;
}

// The bytes of each rank, as its lists consume them.
class Inbox {
  public:
    explicit Inbox(const std::vector<Message>& incoming) {
        for (const Message& message : incoming) next_[message.rank] = message.bytes.data();
    }
    const std::byte* take(int rank, std::size_t bytes) {
        const std::byte* const at = next_[rank];
        next_[rank] += bytes;
        return at;
    }

  private:
    std::map<int, const std::byte*> next_;
};

}  // namespace

void Plan::forward(Communicator& comm, std::byte* values, std::size_t each) const {
    std::map<int, Bytes> outgoing;
    comm.together([&] {
        for (const Sent& list : sent) {
            Bytes& bytes = outgoing[list.rank];
            for (const Index k : list.bodies)
                bytes.insert(bytes.end(), values + k * each, values + (k + 1) * each);
        }
    });
    const std::vector<Message> incoming = comm.exchange(messages(std::move(outgoing)));
    Inbox inbox(incoming);
    for (const Held& range : held)
        std::memcpy(values + range.begin * each, inbox.take(range.rank, range.count * each),
                    range.count * each);
}

void Plan::reverse(Communicator& comm, const std::byte* values, std::size_t each,
                   const Add& add) const {
    std::map<int, Bytes> outgoing;
    comm.together([&] {
        for (const Held& range : held) {
            Bytes& bytes = outgoing[range.rank];
            bytes.insert(bytes.end(), values + range.begin * each,
                         values + (range.begin + range.count) * each);
        }
    });
    const std::vector<Message> incoming = comm.exchange(messages(std::move(outgoing)));
    Inbox inbox(incoming);
    for (const Sent& list : sent)
        for (const Index k : list.bodies) add(k, inbox.take(list.rank, each));
}

}  // namespace vicinal::inline VICINAL_API::mpi
