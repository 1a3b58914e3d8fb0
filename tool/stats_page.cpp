// The page of vicinal stats: plots as inline SVG and all numbers as tables, in the style of
// bench/page, without scripts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "common/text.hpp"
#include "page_css.hpp"
#include "stats.hpp"

namespace vicinal::tool {
namespace {

std::string html(const std::string& text) {
    std::string result;
    for (const char c : common::one_line(text)) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

// A distance of 1, 2 or 5 times a power of ten, for about six ticks up to `maximum`.
double tick_distance(double maximum) {
    const double power = std::pow(10, std::floor(std::log10(maximum / 6)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (maximum / (factor * power) <= 6) return factor * power;
    return 10 * power;
}

// A plot from (left, 0) to (right, top) in the units of the data.
class Plot {
  public:
    Plot(double left, double right, double top) : begin_(left), right_(right), top_(top) {}

    double x(double value) const {
        return left_ + (value - begin_) / (right_ - begin_) * plot_width_;
    }
    double y(double value) const { return upper_ + (1 - value / top_) * plot_height_; }

    void add(const std::string& element) { body_ += element + '\n'; }

    // A bar with a text that appears under the mouse.
    void bar(double from, double to, double height, const char* style,
             const std::string& title) {
        add(fmt::format(R"(<rect class="{}" x="{:.2f}" y="{:.2f}" width="{:.2f}" )"
                        R"(height="{:.2f}"><title>{}</title></rect>)",
                        style, x(from), y(height), x(to) - x(from), y(0) - y(height), title));
    }

    std::string svg(const std::string& label, const std::string& x_title,
                    const std::string& y_title) const {
        return fmt::format(R"(<svg viewBox="0 0 {} {}" role="img" aria-label="{}">)", width_,
                           height_, label) +
               '\n' + axis_x() + axis_y() + body_ +
               fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                           left_ + plot_width_ / 2, height_ - 6, x_title) +
               fmt::format("<text x=\"{}\" y=\"14\" text-anchor=\"start\">{}</text>\n", 4,
                           y_title) +
               "</svg>";
    }

  private:
    std::string axis_x() const {
        std::string text;
        const double step = tick_distance(right_);
        for (int k = 0; k * step <= right_ * (1 + 1e-9); ++k)
            text += fmt::format(
                "<path class=\"grid\" d=\"M{0:.2f} {1}V{2}\"/><text x=\"{0:.2f}\" "
                "y=\"{3}\" text-anchor=\"middle\">{4:.6g}</text>\n",
                x(k * step), upper_, upper_ + plot_height_, upper_ + plot_height_ + 18,
                k * step);
        return text;
    }
    std::string axis_y() const {
        std::string text;
        const double step = tick_distance(top_);
        for (int k = 0; k * step <= top_ * (1 + 1e-9); ++k)
            text += fmt::format(
                "<path class=\"grid\" d=\"M{1} {0:.2f}H{2}\"/><text x=\"{3}\" "
                "y=\"{4:.2f}\" text-anchor=\"end\">{5:.6g}</text>\n",
                y(k * step), left_, left_ + plot_width_, left_ - 6, y(k * step) + 5, k * step);
        return text;
    }

    static constexpr double width_ = 720, height_ = 360, left_ = 76, upper_ = 26,
                            plot_width_ = 628, plot_height_ = 282;
    double begin_, right_, top_;
    std::string body_;
};

std::string figure(const std::string& caption, const std::string& svg,
                   const std::string& note) {
    return fmt::format(
        "<figure><figcaption>{}</figcaption>\n{}\n<p class=\"note\">{}</p></figure>\n", caption,
        svg, note);
}

using Lines = std::vector<std::vector<std::string>>;

// The first line holds the headings.
std::string table(const std::string& summary, const Lines& lines) {
    std::string text = fmt::format(
        "<details><summary>{}</summary><div class=\"scroll tall\" tabindex=\"0\" "
        "role=\"region\" aria-label=\"{}\"><table>\n<thead>",
        summary, summary);
    for (std::size_t k = 0; k < lines.size(); ++k) {
        text += "<tr>";
        for (std::size_t c = 0; c < lines[k].size(); ++c)
            text += k == 0   ? fmt::format("<th scope=\"col\">{}</th>", lines[k][c])
                    : c == 0 ? fmt::format("<th scope=\"row\">{}</th>", lines[k][c])
                             : fmt::format("<td>{}</td>", lines[k][c]);
        text += k == 0 ? "</tr></thead>\n<tbody>" : "</tr>\n";
    }
    return text + "</tbody></table></div></details>\n";
}

std::string radial_plot(const Radial& radial) {
    double highest = 1;
    for (std::size_t k = 0; k < radial.bins(); ++k)
        highest = std::max(highest, radial.g(k, k + 1));
    Plot plot(0, radial.cutoff(), 1.05 * highest);
    constexpr std::size_t max_columns = 500;  // under the mouse
    for (const auto& [begin, end] : merged_bins(radial.bins(), max_columns))
        plot.bar(radial.edges[begin], radial.edges[end], 1.05 * highest, "hover",
                 fmt::format("r from {:.6g} to {:.6g}: g = {:.4f}, {} pairs",
                             radial.edges[begin], radial.edges[end], radial.g(begin, end),
                             common::grouped(radial.count(begin, end))));
    plot.add(fmt::format("<path class=\"one\" d=\"M{:.2f} {:.2f}H{:.2f}\"/>", plot.x(0),
                         plot.y(1), plot.x(radial.cutoff())));
    std::string path = fmt::format("M{:.2f} {:.2f}", plot.x(0), plot.y(radial.g(0, 1)));
    for (std::size_t k = 0; k < radial.bins(); ++k)
        path += fmt::format("V{:.2f}H{:.2f}", plot.y(radial.g(k, k + 1)),
                            plot.x(radial.edges[k + 1]));
    plot.add("<path class=\"line\" d=\"" + path + "\"/>");
    return plot.svg("Radial distribution function g(r) against r. The table has the numbers.",
                    "distance r", "g(r)");
}

std::string radial_section(const Radial& radial) {
    if (!radial.defined()) return "<p>g(r): " + html(normalisation(radial)) + ".</p>\n";
    Lines lines{{"r from", "to", "pairs", "g(r)", "neighbours up to r"}};
    for (std::size_t k = 0; k < radial.bins(); ++k)
        lines.push_back(
            {fmt::format("{:.6g}", radial.edges[k]), fmt::format("{:.6g}", radial.edges[k + 1]),
             common::grouped(radial.pairs[k]), fmt::format("{:.5f}", radial.g(k, k + 1)),
             fmt::format("{:.6g}", radial.neighbours(k + 1))});
    return figure("Radial distribution function", radial_plot(radial),
                  "g(r) is taken " + html(normalisation(radial)) +
                      ". The dashed line is 1, bodies independent of each other.") +
           table(fmt::format("g(r) in {} bins", radial.bins()), lines);
}

std::string coordination_section(const Coordination& coordination, const std::string& name) {
    Lines lines{{name, "bodies"}};
    for (const auto& [number, bodies] : coordination.counts)
        lines.push_back({common::grouped(number), common::grouped(bodies)});
    constexpr std::uint64_t max_bars = 200;
    const std::uint64_t width = coordination.max() / max_bars + 1;
    std::vector<std::uint64_t> bars(coordination.max() / width + 1);
    for (const auto& [number, bodies] : coordination.counts) bars[number / width] += bodies;
    const auto highest =
        static_cast<double>(std::max<std::uint64_t>(1, *std::ranges::max_element(bars)));
    Plot plot(-0.5, static_cast<double>(bars.size() * width) - 0.5, 1.05 * highest);
    for (std::uint64_t k = 0; k < bars.size(); ++k) {
        const std::uint64_t from = k * width, to = from + width - 1;
        plot.bar(static_cast<double>(from) - 0.5, static_cast<double>(to) + 0.5,
                 static_cast<double>(bars[k]), "bar",
                 fmt::format("{}{} {}: {} bodies", common::grouped(from),
                             from == to ? "" : " to " + common::grouped(to), name,
                             common::grouped(bars[k])));
    }
    return figure(fmt::format("Bodies by their number of {}", name),
                  plot.svg(fmt::format("Number of bodies against their number of {}. The table "
                                       "has the numbers.",
                                       name),
                           name + " of a body", "bodies"),
                  fmt::format("{:.6g} {} per body on average, at most {}.", coordination.mean(),
                              name, common::grouped(coordination.max()))) +
           table(fmt::format("Bodies by {}", name), lines);
}

constexpr const char* own_style = R"(
svg { width: 100%; height: auto; font: 13px system-ui, sans-serif; }
svg text { fill: var(--ink); }
.grid { stroke: var(--line); fill: none; }
.line { stroke: var(--ours); stroke-width: 1.5; fill: none; }
.one { stroke: var(--faint); stroke-dasharray: 5 4; fill: none; }
.bar { fill: var(--ours); stroke: var(--paper); stroke-width: 0.5; }
.hover { fill: transparent; }
.hover:hover { fill: var(--band); }
)";

}  // namespace

std::string stats_page(const StatsResult& result) {
    const Summary& s = result.summary;
    std::string page = fmt::format(
        R"(<!DOCTYPE html>
<html lang="en-GB"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Vicinal: statistics of {0}</title>
<style>{1}{2}</style></head><body>
<h1>Statistics of {0}</h1>
<dl><dt>Bodies</dt><dd>{3} in {4}-D, {5}</dd>
<dt>Domain</dt><dd>{6}</dd>)",
        html(s.file), page_css, own_style, common::grouped(s.bodies), s.dim, s.precision,
        html(s.domain_shown));
    const auto fact = [&](const std::string& name, const std::string& value) {
        page += fmt::format("\n<dt>{}</dt><dd>{}</dd>", name, html(value));
    };
    if (s.frame) fact("Frame", fmt::format("{} of {}", s.frame->number, s.frame->of));
    if (result.radial) {
        const Radial& radial = *result.radial;
        fact("Cut-off", fmt::format("{:.6g}", radial.cutoff()));
        fact("Neighbours", fmt::format("{:.6g} per body", result.neighbours->mean()));
        if (radial.defined())
            fact("Density", fmt::format("{:.6g}; of neighbours {:.6g}", radial.density(),
                                        radial.neighbour_density()));
    }
    if (result.contacts)
        fact(result.contact_name == "contacts" ? "Contacts" : "Overlaps",
             fmt::format("{:.6g} per body", result.contacts->mean()));
    page += "</dl>\n<div class=\"plots\">\n";
    for (const auto& [coordination, name] :
         {std::pair(&result.neighbours, std::string("neighbours")),
          std::pair(&result.contacts, result.contact_name)})
        if (*coordination)
            page += "<div>" + coordination_section(**coordination, name) + "</div>\n";
    if (result.radial) page += "<div>" + radial_section(*result.radial) + "</div>\n";
    return page + "</div>\n</body></html>\n";
}

}  // namespace vicinal::tool
