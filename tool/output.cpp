#include "output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <iterator>

#include "flags.hpp"
#include "io/write.hpp"
#include "pairfile.hpp"
#include "text.hpp"

#include <vicinal/error.hpp>

namespace vicinal::tool {
namespace {

static_assert(std::endian::native == std::endian::little, ".npy files are written as they lie");
static_assert(sizeof(Pair) == 2 * sizeof(Index));

template <class T>
void write_all(io::PendingFile& out, std::span<const T> values) {
    out.write(values.data(), values.size_bytes());
}

// Pairs and images side by side, a block's worth at a time.
template <int D>
void write_wide(io::PendingFile& out, const Block<D>& block) {
    constexpr std::size_t chunk = 4096;
    std::vector<std::int64_t> buffer;
    buffer.reserve(chunk * (2 + D));
    for (std::size_t k = 0; k < block.pairs.size(); ++k) {
        buffer.push_back(block.pairs[k].i);
        buffer.push_back(block.pairs[k].j);
        for (const std::int16_t n : block.images[k]) buffer.push_back(n);
        if (buffer.size() < chunk * (2 + D) && k + 1 < block.pairs.size()) continue;
        write_all<std::int64_t>(out, buffer);
        buffer.clear();
    }
}

template <int D>
void write_npy(io::PendingFile& out, const PairList<D>& pairs, bool periodic) {
    out.write(io::npy_header(periodic ? "<i8" : "<u4", pairs.size(), periodic ? 2 + D : 2));
    for (const Block<D>& block : pairs.blocks()) {
        if (periodic)
            write_wide(out, block);
        else
            write_all(out, block.pairs);
    }
}

template <int D>
void write_csv(io::PendingFile& out, const PairList<D>& pairs, bool periodic) {
    std::string text = "i,j";
    if (periodic) text += D == 2 ? ",nx,ny" : ",nx,ny,nz";
    text += '\n';
    for (const Block<D>& block : pairs.blocks())
        for (std::size_t k = 0; k < block.pairs.size(); ++k) {
            const Pair pair = block.pairs[k];
            fmt::format_to(std::back_inserter(text), "{},{}", pair.i, pair.j);
            if (periodic)
                for (const std::int16_t n : block.images[k])
                    fmt::format_to(std::back_inserter(text), ",{}", n);
            text += '\n';
            if (text.size() < 60'000) continue;
            out.write(text);
            text.clear();
        }
    out.write(text);
}

}  // namespace

void OutputFlags::add_to(CLI::App& app, Rows offered) {
    constexpr const char* group = "The result";
    app.add_flag("--count", count, "only count: no memory per pair")->group(group);
    if (offered == Rows::offered)
        app.add_flag("--rows", rows,
                     "neighbour rows: OUT.offsets.npy, OUT.indices.npy (periodic: and "
                     "OUT.images.npy)")
            ->group(group);
    app.add_option("-o,--output", file, "write the pairs as .npy or .csv")
        ->check(not_empty())
        ->type_name("OUT")
        ->group(group);
    app.add_flag("--json", json, "print one JSON object and nothing else")->group(group);
}

void OutputFlags::check(const std::vector<std::string>& inputs) const {
    if (count && (rows || !file.empty()))
        throw UsageError("--count keeps no pairs: leave out --rows and -o");
    if (rows && file.empty())
        throw UsageError("--rows needs -o OUT, the beginning of its files' names");
    if (rows && file.ends_with(".csv")) throw UsageError("--rows writes .npy files, not .csv");
    if (file.empty()) return;
    check_place(file, inputs);
    if (!rows && !file.ends_with(".npy") && !file.ends_with(".csv"))
        throw UsageError(fmt::format("-o '{}' must end in .npy or .csv", file));
}

void check_place(const std::string& file, const std::vector<std::string>& inputs) {
    if (std::filesystem::path(file).filename().empty())
        throw UsageError(fmt::format("-o '{}' is a folder; name a file in it", file));
    for (const std::string& input : inputs) {
        std::error_code ignored;
        if (!input.empty() && std::filesystem::equivalent(file, input, ignored))
            throw UsageError(
                fmt::format("-o '{}' would overwrite the input; name another", file));
    }
    const auto parent = std::filesystem::path(file).parent_path();
    const std::string folder = parent.empty() ? "." : parent.string();
    if (access(folder.c_str(), W_OK | X_OK) != 0)
        throw Error(Error::Kind::input,
                    fmt::format("{}: the folder '{}' does not exist or may not be written to; "
                                "choose another for -o",
                                file, folder));
}

template <int D>
void write_pairs(const std::string& file, const PairList<D>& pairs, bool periodic) {
    io::PendingFile out(file);
    if (file.ends_with(".csv"))
        write_csv(out, pairs, periodic);
    else
        write_npy(out, pairs, periodic);
    out.commit();
}

template <int D>
std::vector<std::string> write_rows(const std::string& prefix, const Rows<D>& rows,
                                    bool periodic) {
    const RowFiles names(prefix);
    io::PendingFile offsets(names.offsets), indices(names.indices);
    offsets.write(io::npy_header("<u8", rows.offsets.size(), 0));
    write_all<std::uint64_t>(offsets, rows.offsets);
    indices.write(io::npy_header("<u4", rows.indices.size(), 0));
    write_all<Index>(indices, rows.indices);
    if (periodic) {
        io::PendingFile images(names.images);
        images.write(io::npy_header("<i2", rows.images.size(), D));
        write_all<Image<D>>(images, rows.images);
        images.commit();
    }
    offsets.commit();
    indices.commit();
    if (!periodic) return {names.offsets, names.indices};
    return {names.offsets, names.indices, names.images};
}

template void write_pairs<2>(const std::string&, const PairList<2>&, bool);
template void write_pairs<3>(const std::string&, const PairList<3>&, bool);
template std::vector<std::string> write_rows<2>(const std::string&, const Rows<2>&, bool);
template std::vector<std::string> write_rows<3>(const std::string&, const Rows<3>&, bool);

}  // namespace vicinal::tool
