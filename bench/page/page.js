// Draws the plots of the page: three per scene, for the selected thread count and size.
"use strict";

const scenes = JSON.parse(document.getElementById("data").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
const phases = ["scene", "build", "search", "output"];

// A name has the same colour and marker in all scenes; combinations repeat after 30 names.
const names = [...new Set(scenes.flatMap((scene) => scene.rows.map((row) => row.name)))];
const palettes = {
    light: ["#1f6fc4", "#b3540f", "#2a7d4f", "#a8327a", "#7a5bd0", "#8a6d00", "#0f7f8c", "#b3261e", "#5a6570", "#5f7d1c"],
    dark: ["#6aaef2", "#eb9a5c", "#6fcf97", "#ee8fc6", "#b6a1f7", "#d9bd4a", "#5fd0dc", "#ff8f86", "#b4bec8", "#b4d368"],
};
const marks = ["circle", "rect", "triangle"];

// Styles of page.css, read once for all plots, because reading them forces a layout.
let look;
function read_look() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    look = {
        ink: colour("ink"), faint: colour("faint"), line: colour("line"), band: colour("band"),
        ours: colour("ours"), theirs: colour("theirs"), palette: palettes[dark.matches ? "dark" : "light"],
        font: getComputedStyle(document.body).fontFamily,
        width: document.querySelector("figure").clientWidth,
    };
}

// The marker first, because a long name is truncated at its end.
const label_of = (row) => (row.odd ? "≠ " : "") + row.name.replace(/\s+/g, " ");
const short = (value) => value >= 1000 ? Math.round(value).toLocaleString("en-GB") : String(+value.toPrecision(3));
// Width in pixels for the names of rows: that of the longest, up to a limit.
const name_width = (rows) => Math.min(12 + 7 * Math.max(...rows.map((row) => label_of(row).length)), 170, look.width * 0.35);
const ms = (value) => `${short(value)} ms`;
const compact = (value) => value >= 1e6 ? `${value / 1e6}M` : value >= 1e3 ? `${value / 1e3}k` : String(value);

// Text, never HTML: names come from the command line.
function tip(...lines) {
    const box = document.createElement("div");
    for (const line of lines) box.appendChild(document.createElement("div")).textContent = line;
    return box;
}

const common = (write_tip) => ({
    animation: false, textStyle: {fontFamily: look.font},
    tooltip: {confine: true, backgroundColor: look.band, borderColor: look.line, textStyle: {color: look.ink},
        formatter: write_tip},
});

const axis = (name, gap, labels) => ({
    name, nameGap: gap, nameLocation: "middle", nameTextStyle: {color: look.faint}, nameTruncate: {maxWidth: look.width * 0.6},
    axisLabel: {color: look.ink, hideOverlap: true, formatter: labels}, axisTick: {show: false},
    axisLine: {show: true, onZero: false, lineStyle: {color: look.line}},
    splitLine: {show: true, lineStyle: {color: look.line}},
});

// --- time against the number of bodies ---

// Whole decades around the values.
const decades = (values) => ({
    min: 10 ** Math.floor(Math.log10(Math.min(...values))),
    max: 10 ** Math.ceil(Math.log10(Math.max(...values))),
});

// Vertical offsets in pixels for labels at the given heights, so that none overlap: first down as far
// as needed, then up again from the bottom.
function spread_out(heights, gap, lowest) {
    const order = heights.map((_, k) => k).sort((a, b) => heights[a] - heights[b]);
    const places = [...heights];
    order.forEach((k, at) => {
        if (at > 0) places[k] = Math.max(places[k], places[order[at - 1]] + gap);
    });
    order.reverse().forEach((k, at) => {
        places[k] = Math.min(places[k], at > 0 ? places[order[at - 1]] - gap : lowest);
    });
    return places.map((place, k) => place - heights[k]);
}

function growth(rows) {
    const drawn = rows.filter((row) => row.bodies > 0 && row.ms > 0);
    if (new Set(drawn.map((row) => row.bodies)).size < 2) return "Not measured at two sizes: no growth to see.";
    const lines = names.map((name) => drawn.filter((row) => row.name === name)).filter((line) => line.length > 0);
    const inner = Math.max(270, 18 * lines.length);  // height between the axes
    const y_range = decades(drawn.map((row) => row.ms));
    const height_of = (row) => inner * Math.log(y_range.max / row.ms) / Math.log(y_range.max / y_range.min);
    const series = lines.map((line) => {
        const {name, peer, first} = line[0];
        const index = names.indexOf(name);
        const color = look.palette[index % look.palette.length];
        // Labels of lines that end at the same size are stacked.
        const ends = lines.map((other) => other.at(-1)).filter((end) => end.bodies === line.at(-1).bodies);
        const shift = spread_out(ends.map(height_of), 15, inner)[ends.indexOf(line.at(-1))];
        return {
            type: "line", name, data: line.map((row) => ({value: [row.bodies, row.ms], row})), color,
            symbol: marks[index % marks.length], symbolSize: 7, z: first ? 3 : 2, emphasis: {focus: "series"},
            lineStyle: {width: first ? 4 : 1.5, type: peer ? "dashed" : "solid"},
            endLabel: {show: true, formatter: label_of(line.at(-1)), color, offset: [0, shift],
                width: name_width(drawn), overflow: "truncate"},
        };
    });
    return {
        height: inner + 60,
        option: {
            ...common(({data: {row}}) =>
                tip(label_of(row), `${row.bodies.toLocaleString("en-GB")} bodies: ${ms(row.ms)}`)),
            grid: {left: 70, right: 12 + name_width(drawn), top: 12, height: inner, outerBoundsMode: "none"}, series,
            xAxis: {...axis("bodies", 26, compact), type: "log", ...decades(drawn.map((row) => row.bodies))},
            yAxis: {...axis("ms", 48, short), type: "log", ...y_range},
        },
    };
}

// --- bars ---

// Names from the top down.
function bars(rows, series, x_axis, write_tip) {
    return {
        height: 80 + 24 * rows.length,
        option: {
            ...common(write_tip),
            grid: {left: 4, right: 64, top: 34, bottom: 30, outerBoundsMode: "same", outerBoundsContain: "axisLabel"},
            legend: {top: 0, left: 0, selectedMode: false, textStyle: {color: look.ink}},
            series: series.map((one) => ({type: "bar", barCategoryGap: "25%", ...one})), xAxis: x_axis,
            yAxis: {...axis(), type: "category", inverse: true, data: rows.map(label_of), splitLine: {show: false},
                axisLabel: {color: look.ink, width: name_width(rows), overflow: "truncate", interval: 0}},
        },
    };
}

// Bars to both sides of 1 on a logarithmic axis: the length is log2 of the ratio.
function ratios(rows) {
    const drawn = rows.filter((row) => row.ratio > 0).sort((a, b) => a.ratio - b.ratio);
    if (drawn.length === 0) return "No method on as many threads to compare with.";
    const bar = (row) => ({
        value: Math.log2(row.ratio), row,
        label: {show: true, position: row.ratio < 1 ? "left" : "right", color: look.ink, formatter: `${short(row.ratio)}×`},
    });
    const series = (name, peer, color) => ({
        name, color, barGap: "-100%", data: drawn.map((row) => row.peer === peer ? bar(row) : null),
    });
    const [least, most] = [drawn[0], drawn.at(-1)].map((row) => Math.log2(row.ratio));
    const power_label = (power) => power < 0 ? `1/${2 ** -power}` : `${2 ** power}×`;
    return bars(drawn, [series("methods", false, look.ours), series("peers", true, look.theirs)], {
        ...axis(`time over that of ${rows.find((row) => row.first).name}`, 24, power_label), type: "value", minInterval: 1,
        min: least < 0 ? Math.floor(least) - 1 : 0,  // space for a label to the left
        max: Math.max(1, Math.ceil(most)),
    }, ({data: {row}}) => tip(label_of(row), ms(row.ms), `${short(row.ratio)}×`));
}

function stacked(rows) {
    const drawn = rows.filter((row) => row.phases.some((value) => value !== null)).sort((a, b) => a.ms - b.ms);
    if (drawn.length === 0) return "No phases were measured.";
    const series = phases.map((name, k) => ({
        name, stack: "all", color: look.palette[k + 2],  // not those of methods and peers
        data: drawn.map((row) => ({value: row.phases[k], row})),
        label: {show: k === phases.length - 1, position: "right", color: look.ink,
            formatter: ({data: {row}}) => row.ms === null ? "" : ms(row.ms)},
    }));
    return bars(drawn, series, {...axis("ms", 24, short), type: "value"},
        ({data: {row}, seriesName, value}) => tip(label_of(row), `${seriesName}: ${ms(value)}`));
}

// --- the page ---

// `made`: height and option of the chart, or the reason why there is none.
function show(figure, made) {
    const plot = figure.querySelector(".plot");
    const drawn = typeof made !== "string";
    figure.querySelector(".note").textContent = drawn ? "" : made;
    plot.hidden = !drawn;
    if (!drawn) return;
    plot.style.height = `${made.height}px`;
    const size = {width: look.width, height: made.height};
    let chart = echarts.getInstanceByDom(plot);
    if (chart) chart.resize(size);
    else chart = echarts.init(plot, null, {renderer: "svg", ...size});
    chart.setOption(made.option, true);
}

function draw(scene) {
    const section = document.getElementById(scene.id);
    const threads = Number(document.querySelector(".choice :checked")?.value);
    const rows = scene.rows.filter((row) => row.threads === threads);
    const bodies = section.querySelector("select")?.value;
    const of_size = rows.filter((row) => bodies === undefined || row.bodies === Number(bodies));
    show(section.querySelector(".growth"), growth(rows));
    show(section.querySelector(".ratios"), ratios(of_size));
    show(section.querySelector(".phases"), stacked(of_size));
}

function draw_all() {
    read_look();
    // In separate tasks, so that the page is responsive while plots are drawn.
    for (const scene of scenes) setTimeout(draw, 0, scene);
}

draw_all();
document.querySelector(".choice").addEventListener("change", draw_all);
dark.addEventListener("change", draw_all);
for (const scene of scenes)
    document.querySelector(`#${scene.id} select`)?.addEventListener("change", () => draw(scene));
let width = innerWidth;
addEventListener("resize", () => {
    if (innerWidth !== width) draw_all();  // ignores height changes when a phone scrolls
    width = innerWidth;
});
