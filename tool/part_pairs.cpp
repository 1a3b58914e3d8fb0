#include "part_pairs.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "io/write.hpp"
#include "job.hpp"
#include "part.hpp"
#include "text.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::tool {
namespace {

// Columns of numbers of type I: i and j, and in a periodic domain the image.
template <class I, int D>
void write_columns(const io::Output& output, const std::vector<ImagedPair<D>>& pairs,
                   bool periodic) {
    std::vector<std::vector<I>> values(periodic ? 2 + D : 2);
    for (const ImagedPair<D>& pair : pairs) {
        values[0].push_back(pair.i);
        values[1].push_back(pair.j);
        for (std::size_t a = 0; a + 2 < values.size(); ++a)
            values[2 + a].push_back(static_cast<I>(pair.image[a]));
    }
    constexpr const char* names[] = {"i", "j", "nx", "ny", "nz"};
    std::vector<io::OutputColumn> columns;
    for (std::size_t c = 0; c < values.size(); ++c)
        columns.push_back({names[c], std::span<const I>(values[c])});
    io::write_table(output, columns);
}

// In the whole file the body with the lower index comes first.
template <int D>
ImagedPair<D> of_whole(const ImagedPair<D>& pair, const io::BodyIds& ids) {
    const auto i = static_cast<Index>(ids[pair.i]), j = static_cast<Index>(ids[pair.j]);
    if (i <= j) return {i, j, pair.image};
    Image<D> image = pair.image;
    for (auto& n : image) n = static_cast<std::int16_t>(-n);
    return {j, i, image};
}

template <Real T, int D>
void search(Job& job, const PartFolder& folder, const PartSettings& settings, PartNumber number,
            io::BodyFile& file) {
    const Space<D> space = job.domain_for<D>(file, nullptr);
    const bool periodic = !space.domain.is_open();
    io::BodyArrays<T, D> bodies = file.take<T, D>();
    folder.read_filters(settings, bodies);
    const Holders holders = folder.read_holders(bodies.count);
    const PartFilter filter(number, bodies.count, holders);
    job.searching();
    Finder<T, D> finder(job.search.options(space.domain));
    io::naming(file.origin(), [&] { finder.update(bodies.view()); });
    if (job.output.count) {
        std::atomic<std::uint64_t> count = 0;
        finder.for_each_block([&](const Block<D>& block) {
            count += std::ranges::count_if(
                block.pairs, [&](Pair pair) { return filter.reports(pair.i, pair.j); });
        });
        job.summary.take(finder.report(), periodic);
        job.summary.pairs = count;
        return;
    }
    std::vector<ImagedPair<D>> pairs;
    for (const ImagedPair<D>& pair : finder.pairs().with_images())
        if (filter.reports(pair.i, pair.j)) pairs.push_back(of_whole<D>(pair, bodies.ids));
    if (job.search.sorted) std::ranges::sort(pairs);
    job.summary.take(finder.report(), periodic);
    job.summary.pairs = pairs.size();
    job.writing([&] {
        const io::Output to = job.output.destination();
        periodic ? write_columns<std::int64_t, D>(to, pairs, true)
                 : write_columns<std::uint32_t, D>(to, pairs, false);
        return std::vector<std::string>{job.output.file};
    });
}

}  // namespace

int run_part(const std::string& name, const SearchFlags& given, const OutputFlags& output) {
    if (output.rows)
        throw UsageError("--rows is for the bodies of one file; leave out --rows or --part");
    if (!given.domain.empty() || given.precision != "double")
        throw UsageError(
            "a part has the domain and the precision of vicinal split; leave out --domain and "
            "--precision");
    output.check({});
    const PartFolder folder(name);
    PartNumber number = 0;
    const PartSettings settings = folder.settings(number);
    SearchFlags flags = given;
    flags.domain = settings.domain;
    flags.precision = settings.precision;
    Job job(flags, output, name);
    io::Layout layout = layout_of(settings.shape, true);
    layout.ids = true;
    io::BodyFile file(folder.bodies_file(), layout);
    job.reads(file);
    dispatch(flags.precision, file.dim(),
             [&]<Real T, int D> { search<T, D>(job, folder, settings, number, file); });
    output.json ? print(to_json(job.summary), output.summary_stream())
                : print(to_text(job.summary), output.summary_stream());
    return 0;
}

}  // namespace vicinal::tool
