// numpy's .npz: a zip archive of .npy files. Arrays with as many rows as the positions become
// columns.
#include <algorithm>
#include <filesystem>

#include "common/text.hpp"
#include "io/names.hpp"
#include "io/readers.hpp"
#include "io/text.hpp"
#include "io/zip.hpp"

#include <vicinal/error.hpp>

namespace vicinal::io {

namespace {

struct Array {
    std::string name;
    Table table;
};

// A table of bodies, pairs or vertices has one of these.
bool is_leading(const Table& table) {
    for (const char* const name : {"x", "x0", "i", "v0"})
        if (table.find(name) != nullptr) return true;
    return false;
}

class Archive {
  public:
    Archive(const Source& source, std::string_view bytes) : source_(source) {
        for (ZipEntry& entry : zip_entries(source, bytes)) {
            if (!entry.name.ends_with(".npy")) continue;
            entry.name.resize(entry.name.size() - 4);
            entries_.push_back(std::move(entry));
        }
        if (entries_.empty())
            source.fail("holds no array; save arrays by name with numpy.savez");
    }

    Table read(const ReadOptions& options) const {
        if (!options.part.empty()) return read_array(find(options.part), options);
        if (entries_.size() == 1) return read_array(entries_[0], options);
        if (!options.fields.empty())
            source_.fail("holds several arrays (" + names() +
                         "); --fields needs one, such as " + example());
        return join();
    }

  private:
    std::string names() const {
        std::string result;
        for (const ZipEntry& entry : entries_)
            result += (result.empty() ? "" : ", ") + printable(entry.name);
        return result;
    }

    std::string example() const { return source_.name() + ":" + printable(entries_[0].name); }

    const ZipEntry& find(const std::string& name) const {
        const auto found = std::ranges::find(entries_, name, &ZipEntry::name);
        if (found == entries_.end())
            source_.fail("there is no array " + shown(name) + "; it has " + names());
        return *found;
    }

    Table read_array(const ZipEntry& entry, const ReadOptions& options) const {
        std::string buffer;
        Source array(source_.name() + ":" + entry.name, zip_contents(source_, entry, buffer));
        return read_npy(array, options);
    }

    // An array of other uses may have a shape or type that bodies cannot have: it is left out.
    std::vector<Array> read_all() const {
        std::vector<Array> arrays;
        for (const ZipEntry& entry : entries_) {
            try {
                arrays.push_back({entry.name, read_array(entry, {})});
            } catch (const Error&) {
                if (has_meaning(component_names(entry.name, 1)[0]) ||
                    has_meaning(component_names(entry.name, 2)[0]))
                    throw;
                continue;
            }
            auto& columns = arrays.back().table.columns;
            if (!columns.empty() && !columns[0].name.empty()) continue;
            const auto columns_names = component_names(entry.name, columns.size());
            for (std::size_t k = 0; k < columns.size(); ++k) columns[k].name = columns_names[k];
        }
        return arrays;
    }

    Table join() const {
        std::vector<Array> arrays = read_all();
        const auto lead = std::ranges::find_if(arrays, is_leading, &Array::table);
        if (lead == arrays.end())
            source_.fail("none of its arrays (" + names() +
                         ") is named positions or x; choose one, such as " + example());
        Table result;
        result.rows = lead->table.rows;
        const std::string lead_name = lead->name;
        for (Array& array : arrays)
            for (NamedColumn& column : array.table.columns) {
                if (array.table.rows != result.rows) {
                    if (has_meaning(column.name))
                        source_.fail("the array " + shown(array.name) + " has " +
                                     common::counted(array.table.rows, "rows") + ", but " +
                                     shown(lead_name) + " has " + std::to_string(result.rows));
                    continue;
                }
                if (result.find(column.name) != nullptr)
                    source_.fail("two arrays give the column " + shown(column.name) +
                                 "; choose one, such as " + example());
                result.columns.push_back(std::move(column));
            }
        return result;
    }

    const Source& source_;
    std::vector<ZipEntry> entries_;
};

}  // namespace

Table read_npz(Source& source, const ReadOptions& options) {
    const std::string bytes = source.rest();
    return Archive(source, bytes).read(options);
}

}  // namespace vicinal::io
