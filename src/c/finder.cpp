// The C interface: each function is the call of the same name of the C++ interface.
#include <string>
#include <type_traits>
#include <variant>

#include "c/interrupt.hpp"
#include "c/json.hpp"
#include "c/results.hpp"
#include "c/status.hpp"
#include "c/views.hpp"

#include <vicinal/batch.hpp>

namespace vicinal::inline VICINAL_API {
namespace {

using AnyFinder =
    std::variant<Finder<float, 2>, Finder<float, 3>, Finder<double, 2>, Finder<double, 3>>;

template <Real T, int D>
struct TypePair {
    using Scalar = T;
    static constexpr int dimension = D;
};

// Calls f<T, D>() with the types of the options.
template <class F>
auto with_types(const vicinal_options& o, const F& f) {
    // Of the valid types, the nearest: what is not valid differs from it.
    check_type("vicinal_options", o.dimension, o.scalar, o.dimension == 2 ? 2 : 3,
               o.scalar == VICINAL_FLOAT ? VICINAL_FLOAT : VICINAL_DOUBLE);
    if (o.scalar == VICINAL_FLOAT)
        return o.dimension == 2 ? f(TypePair<float, 2>()) : f(TypePair<float, 3>());
    return o.dimension == 2 ? f(TypePair<double, 2>()) : f(TypePair<double, 3>());
}

}  // namespace
}  // namespace vicinal::inline VICINAL_API

struct vicinal_finder {
    vicinal::AnyFinder any;
    bool interruptible;
    std::string json;  // of the last report
};

namespace vicinal::inline VICINAL_API {
namespace {

// Calls f(finder, bodies_of), where bodies_of reads bodies of the finder's type.
template <class F>
vicinal_status with_finder(const vicinal_finder* given, const F& f) noexcept {
    return guarded([&] {
        auto& finder = const_cast<vicinal_finder&>(required(given, "finder"));
        const InterruptWatch watch(finder.interruptible);
        std::visit(
            [&]<Real T, int D>(Finder<T, D>& typed) {
                f(typed, [](const vicinal_bodies* bodies) { return bodies_of<T, D>(bodies); });
            },
            finder.any);
    });
}

// The finder with `bodies`, or with those of its last update if they are null.
template <class Typed, class Read>
Typed& updated(Typed& finder, const vicinal_bodies* bodies, const Read& read) {
    if (bodies != nullptr) finder.update(read(bodies));
    return finder;
}

// `search<I>()` as a result of the form's index type.
template <class F>
void make(vicinal_result** result, const Form& form, const F& search) {
    vicinal_result*& to = required(result, "result");
    to = nullptr;
    with_index_type(form.index,
                    [&]<class I>() { to = new_result(search.template operator()<I>()); });
}

template <Real T, int D>
const void* data_of(std::span<const Vector<T, D>> vectors) {
    return vectors.empty() ? nullptr : vectors.data()->data();
}

template <int D>
vicinal_block block_of(const Block<D>& block, Columns columns) {
    vicinal_block result{};
    result.size = sizeof result;
    result.count = block.pairs.size();
    result.pairs = reinterpret_cast<const std::uint32_t*>(block.pairs.data());
    if (has_images(columns) && !block.images.empty())
        result.images = block.images.data()->data();
    result.worker = block.worker;
    return result;
}

struct Consume {
    vicinal_consumer consumer;
    void* context;
    void operator()(const vicinal_block& block) const {
        if (consumer(&block, context) != 0)
            throw Error(Error::Kind::cancelled, "the consumer ended the call");
    }
};

template <Real T, int D>
void stream(Finder<T, D>& finder, Columns columns, const Consume& consume) {
    if (!has_distances(columns) && !has_vectors(columns))
        return finder.for_each_block(
            [&](const Block<D>& block) { consume(block_of(block, columns)); });
    finder.for_each_block(columns, [&](const ColumnBlock<T, D>& block) {
        vicinal_block given = block_of<D>(block, columns);
        given.vectors = data_of<T, D>(block.vectors);
        given.distances = block.distances.data();
        consume(given);
    });
}

}  // namespace
}  // namespace vicinal::inline VICINAL_API

using namespace vicinal;

vicinal_status vicinal_new(const vicinal_options* options, vicinal_finder** finder) {
    return guarded([&] {
        vicinal_finder*& to = required(finder, "finder");
        to = nullptr;
        const vicinal_options& o = checked(options, "vicinal_options");
        to = with_types(o, [&]<Real T, int D>(TypePair<T, D>) {
            return new vicinal_finder{Finder<T, D>(options_of<D>(o)), o.interruptible != 0, {}};
        });
    });
}

void vicinal_free(vicinal_finder* finder) {
    delete finder;
}

vicinal_status vicinal_update(vicinal_finder* finder, const vicinal_bodies* bodies,
                              const vicinal_domain* domain) {
    return with_finder(finder, [&]<Real T, int D>(Finder<T, D>& typed, const auto& read) {
        if (domain == nullptr)
            typed.update(read(bodies));
        else
            typed.update(read(bodies), domain_of<D>(domain));
    });
}

vicinal_status vicinal_pairs(vicinal_finder* finder, const vicinal_bodies* bodies,
                             const vicinal_form* form, vicinal_result** result) {
    return with_finder(finder, [&](auto& typed, const auto& read) {
        const Form f = form_of(form);
        make(result, f, [&]<class I>() {
            return updated(typed, bodies, read).template pairs<I>(f.columns, f.pairs);
        });
    });
}

vicinal_status vicinal_neighbours(vicinal_finder* finder, const vicinal_bodies* bodies,
                                  const vicinal_form* form, vicinal_result** result) {
    return with_finder(finder, [&](auto& typed, const auto& read) {
        const Form f = form_of(form);
        make(result, f, [&]<class I>() {
            return updated(typed, bodies, read)
                .template take_neighbours<I>(f.columns, f.row_kind, f.pairs.order, f.row_order);
        });
    });
}

vicinal_status vicinal_count(vicinal_finder* finder, const vicinal_bodies* bodies,
                             uint64_t* count) {
    return with_finder(finder, [&](auto& typed, const auto& read) {
        required(count, "count") = updated(typed, bodies, read).count();
    });
}

vicinal_status vicinal_stream(vicinal_finder* finder, const vicinal_bodies* bodies,
                              const vicinal_form* form, vicinal_consumer consumer,
                              void* context) {
    return with_finder(finder, [&](auto& typed, const auto& read) {
        if (consumer == nullptr) refuse("consumer is a null pointer; it must be given");
        stream(updated(typed, bodies, read), form_of(form).columns, Consume{consumer, context});
    });
}

vicinal_status vicinal_pairs_with(const vicinal_finder* finder, const vicinal_bodies* others,
                                  const vicinal_form* form, vicinal_result** result) {
    return with_finder(finder, [&](const auto& typed, const auto& read) {
        const Form f = form_of(form);
        make(result, f, [&]<class I>() {
            return typed.template pairs_with<I>(read(others), f.columns, f.pairs);
        });
    });
}

vicinal_status vicinal_rows_with(const vicinal_finder* finder, const vicinal_bodies* others,
                                 const vicinal_form* form, vicinal_result** result) {
    return with_finder(finder, [&](const auto& typed, const auto& read) {
        const Form f = form_of(form);
        make(result, f, [&]<class I>() {
            return typed.template rows_with<I>(read(others), f.columns, f.pairs.order);
        });
    });
}

vicinal_status vicinal_probe(const vicinal_finder* finder, const vicinal_bodies* queries,
                             const vicinal_form* form, vicinal_result** result) {
    return with_finder(finder, [&](const auto& typed, const auto& read) {
        const Form f = form_of(form);
        make(result, f, [&]<class I>() {
            return typed.template probe<I>(read(queries), f.columns, f.pairs);
        });
    });
}

vicinal_status vicinal_probe_rows(const vicinal_finder* finder, const vicinal_bodies* queries,
                                  const vicinal_form* form, vicinal_result** result) {
    return with_finder(finder, [&](const auto& typed, const auto& read) {
        const Form f = form_of(form);
        make(result, f, [&]<class I>() {
            return typed.template probe_rows<I>(read(queries), f.columns, f.pairs.order);
        });
    });
}

vicinal_status vicinal_nearest(const vicinal_finder* finder, const vicinal_bodies* queries,
                               uint64_t k, double max_distance, const vicinal_form* form,
                               vicinal_result** result) {
    return with_finder(finder, [&]<Real T, int D>(const Finder<T, D>& typed, const auto& read) {
        const Form f = form_of(form, Columns::ijSd);
        const T within = static_cast<T>(max_distance);
        make(result, f, [&]<class I>() {
            return queries == nullptr
                       ? typed.template nearest<I>(k, within, f.columns)
                       : typed.template nearest<I>(read(queries), k, within, f.columns);
        });
    });
}

vicinal_status vicinal_changes(vicinal_finder* finder, vicinal_change_list** changes) {
    return with_finder(finder, [&]<Real T, int D>(Finder<T, D>& typed, const auto&) {
        vicinal_change_list*& to = required(changes, "changes");
        to = nullptr;
        to = new ChangesOf<D>(typed.changes());
    });
}

vicinal_status vicinal_order(const vicinal_finder* finder, uint32_t* order, uint64_t count) {
    return with_finder(finder, [&](const auto& typed, const auto&) {
        const std::vector<Index> found = typed.order();
        if (found.size() != count)
            refuse("`count` is " + std::to_string(count) + ", but there are " +
                   std::to_string(found.size()) + " bodies; give an array with one for each");
        if (count > 0) std::copy(found.begin(), found.end(), &required(order, "order"));
    });
}

vicinal_status vicinal_report(vicinal_finder* finder, const char** json) {
    return with_finder(finder, [&](auto& typed, const auto&) {
        const char*& to = required(json, "json");
        to = nullptr;
        finder->json = json_of(typed.report());
        to = finder->json.c_str();
    });
}

vicinal_status vicinal_batch(const vicinal_options* options, const vicinal_bodies* bodies,
                             const uint64_t* offsets, uint64_t systems,
                             const vicinal_domain* domains, uint64_t domain_count,
                             const vicinal_form* form, vicinal_result** result) {
    return guarded([&] {
        const vicinal_options& o = checked(options, "vicinal_options");
        const InterruptWatch watch(o.interruptible != 0);
        const Form f = form_of(form);
        with_types(o, [&]<Real T, int D>(TypePair<T, D>) {
            std::vector<Domain<D>> each;
            for (uint64_t d = 0; d < domain_count; ++d)
                each.push_back(domain_of<D>(domains == nullptr ? nullptr : domains + d));
            const auto read = bodies_of<T, D>(bodies);
            make(result, f, [&]<class I>() {
                return find_batch<I, T, D>(
                    read, std::span(&required(offsets, "offsets"), systems + 1), each,
                    f.columns, options_of<D>(o), f.pairs.order);
            });
        });
    });
}

vicinal_status vicinal_methods(const char** json) {
    return guarded([&] {
        static const std::string all = json_of_methods();
        required(json, "json") = all.c_str();
    });
}

void vicinal_release(vicinal_result* result) {
    delete static_cast<OwnedResult*>(result);
}

void vicinal_release_changes(vicinal_change_list* changes) {
    delete static_cast<OwnedChanges*>(changes);
}

void vicinal_trim(void) {
    trim_recycled();
}
