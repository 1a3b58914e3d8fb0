// The same question on many machines: a finder over the ranks of an MPI communicator. Each rank
// gives bodies of its own, with ids that are unique over all ranks; together the ranks report
// exactly the pairs of all bodies, each once. Link vicinal::mpi.
//
//     vicinal::mpi::Finder<double, 3> finder(MPI_COMM_WORLD, {.domain = box});
//     finder.update(vicinal::points<3>(x, cutoff), ids);
//     for (const auto found = finder.pairs(); ...)  // ids: finder.id(i), finder.id(j)
//
// Every call that says "collective" must be made by all ranks of the communicator. If it fails
// on some rank, all ranks get the same Error, which names the rank and the id of the body.
#pragma once

// The C++ bindings of MPI are obsolete, and need a library of their own.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include <vicinal/finder.hpp>

namespace vicinal::inline VICINAL_API::mpi {

// Two bodies that never pair, in any image.
struct IdPair {
    std::uint64_t i;
    std::uint64_t j;
};

// Brings the arrays of the bodies to the ranks to which the bodies go. All calls are
// collective.
class VICINAL_EXPORT Migration {
  public:
    Migration(Migration&&) noexcept;
    Migration& operator=(Migration&&) noexcept;
    ~Migration();

    std::size_t size() const;  // bodies of this rank afterwards; not collective

    // An array with `each` values for every body of this rank: returns that of its bodies
    // afterwards. All arrays are moved in the same order.
    template <class V>
    std::vector<V> move(std::span<const V> values, std::size_t each = 1) const {
        static_assert(std::is_trivially_copyable_v<V>);
        return values_of<V>(move_bytes(reinterpret_cast<const std::byte*>(values.data()),
                                       [=](std::size_t k) { return k * each * sizeof(V); }));
    }
    // The same for a number of values that varies: those of body k are values[offsets[k]] up
    // to, but not including, values[offsets[k + 1]].
    template <class V>
    struct Lists {
        std::vector<std::uint64_t> offsets;
        std::vector<V> values;
    };
    template <class V>
    Lists<V> move(std::span<const std::uint64_t> offsets, std::span<const V> values) const {
        static_assert(std::is_trivially_copyable_v<V>);
        std::vector<std::uint64_t> counts;
        for (std::size_t k = 0; k + 1 < offsets.size(); ++k)
            counts.push_back(offsets[k + 1] - offsets[k]);
        Lists<V> result;
        result.offsets.push_back(0);
        for (const std::uint64_t count : move(std::span<const std::uint64_t>(counts)))
            result.offsets.push_back(result.offsets.back() + count);
        result.values =
            values_of<V>(move_bytes(reinterpret_cast<const std::byte*>(values.data()),
                                    [&](std::size_t k) { return offsets[k] * sizeof(V); }));
        return result;
    }

    struct State;
    explicit Migration(std::unique_ptr<State> state);  // by Finder::rebalance()

  private:
    // The bytes of body k begin at offset(k) and end at offset(k + 1).
    std::vector<std::byte> move_bytes(
        const std::byte* values, const std::function<std::size_t(std::size_t)>& offset) const;
    template <class V>
    static std::vector<V> values_of(const std::vector<std::byte>& bytes) {
        std::vector<V> values(bytes.size() / sizeof(V));
        if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }

    std::unique_ptr<State> state_;
};

template <Real T, int D>
class VICINAL_EXPORT Finder {
  public:
    // Collective: duplicates the communicator. Options are those of each rank's own search; the
    // domain must be the same on all ranks. The skin is a length: while the bodies and the
    // domain remain and no body has moved farther than half of it, only the values of copies
    // are sent again, and no new copies are looked for.
    explicit Finder(MPI_Comm communicator, const Options<D>& options = {}, double skin = 0);
    Finder(Finder&&) noexcept;
    Finder& operator=(Finder&&) noexcept;
    ~Finder();  // also after MPI_Finalize

    // Collective. Takes the bodies of this rank, of any place and number, and their ids. The
    // shape and its settings, and whether there are displacements, groups, kinds or vertices,
    // must be the same on all ranks that have bodies. An excluded pair may be given by any rank
    // that has one of its bodies; Bodies::excluding(), which numbers the bodies of one set, is
    // an Error. The views must stay valid until the call returns.
    void update(const Bodies<T, D>& bodies, std::span<const std::uint64_t> ids,
                std::span<const IdPair> excluded = {});
    // The same in a new domain.
    void update(const Bodies<T, D>& bodies, std::span<const std::uint64_t> ids,
                const Domain<D>& domain, std::span<const IdPair> excluded = {});

    // This rank numbers its own bodies as given, and after them the copies of other ranks'
    // bodies that it holds.
    std::size_t own() const;
    std::size_t size() const;  // own bodies and copies
    std::uint64_t id(Index k) const;
    int owner(Index k) const;  // a rank

    // Collective, as all of the following. The pairs that this rank reports, by its numbers,
    // i < j.
    PairColumns<T, D> pairs(Columns columns = Columns::ijS, Order order = Order::any);
    void for_each_block(const Consumer<D>& consumer);
    // The number of pairs of all ranks.
    std::uint64_t count();

    // The neighbours of each own body: row k is that of body k, and each pair is in the rows of
    // both bodies, wherever they are. Order::sorted sorts each row by (id, image), so that sums
    // along rows are the same for any number of ranks. May add copies (size()). The finder owns
    // the rows, which are valid until its next update or rows.
    const Rows<T, D>& neighbours(Columns columns = Columns::ijS, Order order = Order::any);

    // Sends values of own bodies to their copies: resizes to size(), and fills in the copies.
    template <class V>
    void forward(std::vector<V>& values) {
        check_value<V>();
        values.resize(size());
        forward(reinterpret_cast<std::byte*>(values.data()), sizeof(V));
    }
    // Sends values of copies to their bodies, where add(sum, value) adds them, by default with
    // +=: takes size() values, and resizes to own().
    template <class V, class Add>
    void reverse(std::vector<V>& values, const Add& add) {
        check_value<V>();
        values.resize(size());
        reverse(reinterpret_cast<const std::byte*>(values.data()), sizeof(V),
                [&](Index body, const std::byte* bytes) {
                    V value;
                    std::memcpy(&value, bytes, sizeof(V));
                    add(values[body], value);
                });
        values.resize(own());
    }
    template <class V>
    void reverse(std::vector<V>& values) {
        reverse(values, [](V& sum, const V& value) { sum += value; });
    }

    // Where bodies should go: each to the rank whose region holds it, so that most of its
    // neighbours are there. Space is cut at the first update; it is cut anew here if the
    // busiest rank has more than `threshold` times the mean work, counted in bodies held and
    // pairs found by the last search. Move all arrays along the migration, then call update().
    // A program that keeps a distribution of its own does not need it.
    Migration rebalance(double threshold = 1.1);

    // Of this rank's own search.
    const Report<D>& report() const;

    // Bodies change their rank, so there is no log of changes across ranks.
    void changes() = delete;
    // The nearest neighbours may be on ranks that hold no copy of the body.
    void nearest() = delete;

  private:
    template <class V>
    static constexpr void check_value() {
        static_assert(std::is_trivially_copyable_v<V> && !std::is_same_v<V, bool>,
                      "values that travel must be trivially copyable, and not bool");
    }
    void forward(std::byte* values, std::size_t each);
    void reverse(const std::byte* values, std::size_t each,
                 const std::function<void(Index, const std::byte*)>& add);

    struct State;
    State& state() const;
    std::unique_ptr<State> state_;
};

#define VICINAL_DECLARE(T, D) extern template class Finder<T, D>;
VICINAL_DECLARE(float, 2)
VICINAL_DECLARE(float, 3)
VICINAL_DECLARE(double, 2)
VICINAL_DECLARE(double, 3)
#undef VICINAL_DECLARE

}  // namespace vicinal::inline VICINAL_API::mpi
