// Wavefront OBJ: lines "v x y z" and "f a b c ...", where a corner is the number of a vertex,
// from 1 or, if negative, back from the last one; what follows a '/' belongs to textures.
#include <algorithm>
#include <array>

#include "io/mesh.hpp"
#include "io/readers.hpp"
#include "io/text.hpp"

namespace vicinal::io {

namespace {

class ObjReader {
  public:
    ObjReader(Source& source, bool faces) : source_(source), faces_(faces) {
        for (const char* const axis : {"x", "y", "z"}) table_.columns.push_back({axis, {}});
    }

    Table read() {
        std::string_view line;
        while (next(line)) {
            split(line, words_);
            if (words_.empty()) continue;
            if (words_[0] == "v") add_vertex();
            if (words_[0] == "f" && faces_) add_face();
        }
        if (table_.rows == 0)
            source_.fail("has no line 'v x y z'; it is not an OBJ file with vertices");
        if (faces_) {
            table_.elements = std::move(elements_);
            check_corners(source_, table_);
        }
        return std::move(table_);
    }

  private:
    // A backslash at the end joins a line with the next one.
    bool next(std::string_view& line) {
        if (!source_.line(line)) return false;
        if (!line.ends_with('\\')) return true;
        joined_.clear();
        do {
            joined_ += line.substr(0, line.size() - 1);
            joined_ += ' ';
        } while (source_.line(line) && line.ends_with('\\'));
        joined_ += line;
        line = joined_;
        return true;
    }

    void add_vertex() {
        std::array<double, 3> position{};
        bool good = words_.size() >= 4;
        for (std::size_t k = 0; good && k < 3; ++k) good = parse(words_[k + 1], position[k]);
        if (!good) source_.fail_here("a vertex needs three numbers: v x y z");
        for (std::size_t k = 0; k < 3; ++k) table_.columns[k].values.push_back(position[k]);
        table_.lines.add(source_.line_number());
        ++table_.rows;
    }

    void add_face() {
        for (std::size_t k = 1; k < words_.size(); ++k) {
            const std::string_view word = words_[k].substr(0, words_[k].find('/'));
            double number = 0;
            if (!parse(word, number) || number == 0)
                source_.fail_here("the face holds " + shown(words_[k]) +
                                  "; a corner is a number of a vertex, from 1");
            add_corner(source_, elements_,
                       number > 0 ? number - 1 : static_cast<double>(table_.rows) + number);
        }
        end_element(source_, elements_);
        elements_.lines.add(source_.line_number());
    }

    Source& source_;
    bool faces_;
    Table table_;
    Elements elements_;
    std::vector<std::string_view> words_;
    std::string joined_;
};

}  // namespace

Table read_obj(Source& source, const ReadOptions& options) {
    return ObjReader(source, options.elements).read();
}

}  // namespace vicinal::io
