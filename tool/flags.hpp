// The flags that several commands share, and their combinations.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "io/bodies.hpp"
#include "io/pairs.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::tool {

// A whole number >= 0. CLI11 alone would read -1 as the largest unsigned number.
CLI::Validator whole_number();

// One of these words. The type's name lists them, so that the help need not repeat them.
CLI::Validator one_of(std::vector<std::string> words);

// Rejects an empty value: it is probably an unset shell variable, not the default.
CLI::Validator not_empty();

// How to write a domain, for the end of a command's help.
extern const char* const domain_help;

void add_domain(CLI::App& app, std::string& domain);
void add_precision(CLI::App& app, std::string& precision);

// The shape of the bodies in a file.
struct ShapeFlags {
    std::string cutoff;  // a number, or one for each pair of kinds; empty: not given
    std::string radius;  // a number, "column" or "column:NAME"; empty: not given
    bool boxes = false;
    std::string rule;  // empty: sum
    bool swept = false;
    int dim = 0;  // 0: from the columns

    void add_to(CLI::App& app);
    bool by_kind() const { return cutoff.find(':') != cutoff.npos; }
};

// The method, the domain and the limits of a search.
struct SearchFlags {
    std::string method = "auto";
    std::string domain;  // empty: the file's own, else open
    int threads = 0;
    std::string precision = "double";
    std::uint64_t max_pairs = no_limit;
    bool sorted = false;

    void add_to(CLI::App& app);
    Order order() const { return sorted ? Order::sorted : Order::any; }

    template <int D>
    Options<D> options(const Domain<D>& in) const {
        return {.domain = in, .method = method, .threads = threads, .max_pairs = max_pairs};
    }
};

// A second set and filters.
struct PartnerFlags {
    std::string with;                     // a second file; empty: pairs within the first
    std::string exclude;                  // a file of pairs; empty: none
    std::string vertices, with_vertices;  // of the bodies, and of those of `with`; empty: none
    bool skip_adjacent = false;           // faces of a mesh with a common vertex never pair

    void add_to(CLI::App& app);
    // Adds what concerns the reading of the bodies. Throws UsageError if flags contradict each
    // other, or if only one of two files has vertices: they would have no effect.
    void apply(io::Layout& layout) const;
    std::vector<std::string> files() const { return {with, exclude, vertices, with_vertices}; }

    // Reads the files for the bodies and, unless null, for the second set.
    template <Real T, int D>
    void read(io::BodyArrays<T, D>& bodies, io::BodyArrays<T, D>* others) const {
        const io::BodyIds& second = others != nullptr ? others->ids : bodies.ids;
        if (!exclude.empty())
            for (const Pair pair : io::read_excluded(exclude, bodies.ids, second))
                bodies.excluded.push_back(pair);
        if (!vertices.empty()) bodies.vertices = io::read_vertices(vertices, bodies.count);
        if (!with_vertices.empty())
            others->vertices = io::read_vertices(with_vertices, others->count);
    }
};

// Checks the shape flags. Throws UsageError if they contradict each other, or if none is given
// and `needed` is set; otherwise the default is points without a cut-off.
io::Layout layout_of(const ShapeFlags& flags, bool needed);

// Two files that are searched against each other must agree on the dimension.
void check_same_dim(const io::BodyFile& a, const io::BodyFile& b);

// Calls f.operator()<T, D>() for the precision and dimension chosen at run time.
template <class F>
auto dispatch(const std::string& precision, int dim, const F& f) {
    if (precision == "float")
        return dim == 2 ? f.template operator()<float, 2>() : f.template operator()<float, 3>();
    return dim == 2 ? f.template operator()<double, 2>() : f.template operator()<double, 3>();
}

}  // namespace vicinal::tool
