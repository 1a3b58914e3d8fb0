#include "domain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "common/text.hpp"
#include "text.hpp"

namespace vicinal::tool {
namespace {

using Fields = std::vector<std::string_view>;

[[noreturn]] void refuse(const std::string& flag, const std::string& what,
                         const std::string& example) {
    throw UsageError(fmt::format("--domain '{}': {}; write it like {}", flag, what, example));
}

// D comma-separated numbers; where `open` is given a single '-' marks an axis as open.
template <int D>
std::array<double, D> numbers(const std::string& flag, std::string_view text,
                              const std::string& example, std::array<bool, D>* open = nullptr) {
    const Fields fields = split(text, ',');
    if (fields.size() != D)
        refuse(flag,
               fmt::format("'{}' has {} {} between commas where {} are needed", text,
                           fields.size(), fields.size() == 1 ? "part" : "parts", D),
               example);
    std::array<double, D> result{};
    for (std::size_t a = 0; a < D; ++a) {
        if (open != nullptr && fields[a] == "-")
            (*open)[a] = true;
        else if (!common::parse(fields[a], result[a]))
            refuse(flag, fmt::format("'{}' is not a number", fields[a]), example);
    }
    return result;
}

template <int D>
std::array<bool, D> closed(const std::array<bool, D>& open) {
    std::array<bool, D> result{};
    for (std::size_t a = 0; a < D; ++a) result[a] = !open[a];
    return result;
}

// An open axis needs some length that the library accepts.
template <int D>
std::array<double, D> with_open(std::array<double, D> lengths,
                                const std::array<bool, D>& open) {
    for (std::size_t a = 0; a < D; ++a)
        if (open[a]) lengths[a] = 1;
    return lengths;
}

template <int D>
Domain<D> periodic(const std::string& flag, const Fields& parts) {
    const std::string example = D == 2 ? "periodic:10,10 or periodic:0,0:10,10"
                                       : "periodic:10,10,- or periodic:0,0,0:10,10,10";
    if (parts.size() != 2 && parts.size() != 3)
        refuse(flag, "lengths or two corners are expected", example);
    std::array<bool, D> open{};
    auto lengths = numbers<D>(flag, parts[1], example, &open);
    if (parts.size() == 3) {
        std::array<bool, D> open_above{};
        const auto upper = numbers<D>(flag, parts[2], example, &open_above);
        for (std::size_t a = 0; a < D; ++a) {
            if (open[a] != open_above[a])
                refuse(flag, fmt::format("axis {} is open in one corner only", "xyz"[a]),
                       example);
            lengths[a] = upper[a] - lengths[a];
        }
    }
    return Domain<D>::orthogonal(with_open<D>(lengths, open), closed<D>(open));
}

template <int D>
Domain<D> sheared(const std::string& flag, const Fields& parts) {
    const std::string example = D == 2 ? "sheared:10,10:2.5" : "sheared:10,10,-:2.5:0.01";
    if (parts.size() != 3 && parts.size() != 4)
        refuse(flag, "lengths and an offset are expected", example);
    std::array<bool, D> open{};
    const auto lengths = numbers<D>(flag, parts[1], example, &open);
    if (open[0] || open[1]) refuse(flag, "a sheared box must be periodic in x and y", example);
    double offset = 0, change = 0;
    if (!common::parse(parts[2], offset) ||
        (parts.size() == 4 && !common::parse(parts[3], change)))
        refuse(flag, fmt::format("'{}' is not a number", parts.back()), example);
    return Domain<D>::sheared(with_open<D>(lengths, open), offset, change, closed<D>(open));
}

// The lattice vectors as the help calls them.
constexpr std::string_view vector_names = "abc";

// Which of the vectors are periodic: "ab".
template <int D>
std::array<bool, D> periodic_vectors(const std::string& flag, std::string_view names,
                                     const std::string& example) {
    constexpr std::string_view all = vector_names.substr(0, D);
    std::array<bool, D> result{};
    bool right = !names.empty();
    for (const char name : names) {
        const std::size_t k = all.find(name);
        right = right && k != std::string_view::npos && !result[k];
        if (right) result[k] = true;
    }
    if (!right)
        refuse(
            flag,
            fmt::format("'{}' must name the periodic vectors among {}, each once", names, all),
            example);
    return result;
}

template <int D>
Domain<D> triclinic(const std::string& flag, const Fields& parts) {
    const std::string example = D == 2 ? "triclinic:10,0,3,10 or triclinic:10,0,3,10:a"
                                       : "triclinic:10,0,0,3,10,0,1,2,10 or "
                                         "triclinic:10,0,0,3,10,0,1,2,10:ab";
    if (parts.size() != 2 && parts.size() != 3)
        refuse(flag, "the lattice vectors are expected", example);
    const auto values = numbers<D * D>(flag, parts[1], example);
    typename Domain<D>::Lattice lattice;
    for (std::size_t k = 0; k < D * D; ++k) lattice[k / D][k % D] = values[k];
    if (parts.size() == 2) return Domain<D>::triclinic(lattice);
    return Domain<D>::triclinic(lattice, periodic_vectors<D>(flag, parts[2], example));
}

template <int D>
Domain<D> parse_domain(const std::string& flag) {
    const Fields parts = split(flag, ':');
    if (flag == "open") return Domain<D>::open();
    if (parts[0] == "periodic") return periodic<D>(flag, parts);
    if (parts[0] == "sheared") return sheared<D>(flag, parts);
    if (parts[0] == "triclinic") return triclinic<D>(flag, parts);
    refuse(flag, "no such domain",
           "open, periodic:10,10,10, sheared:10,10,10:2.5 or triclinic:10,0,0,3,10,0,1,2,10");
}

// A box along the axes. (Vectors that point backwards are allowed, as a lattice.)
bool is_orthogonal(const io::Cell& cell) {
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t a = 0; a < 3; ++a)
            if (k == a ? cell.vectors[k][a] < 0 : cell.vectors[k][a] != 0) return false;
    return true;
}

// In 2-D a periodic z is ignored, but a periodic vector that leaves the plane is an error.
void check_plane(const io::Cell& cell, const std::string& file) {
    for (std::size_t k = 0; k < 2; ++k)
        if (cell.periodic[k] && cell.vectors[k][2] != 0)
            throw UsageError(file + ": the cell is not flat; give --domain with --dim 2");
}

template <int D>
Space<D> from_cell(const io::Cell& cell, const std::string& file) {
    if (D == 2) check_plane(cell, file);
    typename Domain<D>::Lattice vectors;
    typename Domain<D>::Lengths lengths;
    std::array<bool, D> open{};
    std::vector<std::string> text;
    std::string periodic;
    const bool orthogonal = is_orthogonal(cell);
    for (std::size_t k = 0; k < D; ++k) {
        open[k] = !cell.periodic[k];
        if (!open[k]) periodic += vector_names[k];
        lengths[k] = cell.vectors[k][k];
        for (std::size_t a = 0; a < D; ++a) {
            vectors[k][a] = cell.vectors[k][a];
            if (!orthogonal) text.push_back(fmt::format("{}", vectors[k][a]));
        }
        if (orthogonal) text.push_back(open[k] ? "-" : fmt::format("{}", lengths[k]));
    }
    if (periodic.empty()) return {Domain<D>::open(), "open", file};
    if (orthogonal)
        return {Domain<D>::orthogonal(with_open<D>(lengths, open), closed<D>(open)),
                "periodic:" + common::join(text, ","), file};
    std::string spelt = "triclinic:" + common::join(text, ",");
    if (periodic.size() < D) spelt += ":" + periodic;
    return {Domain<D>::triclinic(vectors, closed<D>(open)), spelt, file};
}

// Ignores the lengths of open axes.
template <int D>
bool is_same(const Domain<D>& a, const Domain<D>& b) {
    for (std::size_t k = 0; k < D; ++k)
        if (a.periodic()[k] && a.lattice()[k] != b.lattice()[k]) return false;
    return a.periodic() == b.periodic();
}

}  // namespace

template <int D>
Space<D> choose_domain(const std::string& flag, const io::BodyFile& file,
                       const io::BodyFile* second) {
    if (!flag.empty()) return {parse_domain<D>(flag), flag, {}};
    std::vector<Space<D>> spaces;
    for (const io::BodyFile* one : {&file, second})
        if (one != nullptr && one->cell())
            spaces.push_back(from_cell<D>(*one->cell(), one->name()));
    if (spaces.empty()) return {Domain<D>::open(), "open", {}};
    if (!is_same(spaces.front().domain, spaces.back().domain))
        throw Error(
            Error::Kind::input,
            fmt::format("{} is in {} but {} is in {}; choose one with --domain", spaces[0].from,
                        spaces[0].text, spaces[1].from, spaces[1].text));
    return spaces.front();
}

template Space<2> choose_domain<2>(const std::string&, const io::BodyFile&,
                                   const io::BodyFile*);
template Space<3> choose_domain<3>(const std::string&, const io::BodyFile&,
                                   const io::BodyFile*);

}  // namespace vicinal::tool
