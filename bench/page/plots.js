// What the pages of bench share: colours, axes, tooltips, and showing a plot in its figure.
"use strict";

const dark = matchMedia("(prefers-color-scheme: dark)");
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

const short = (value) => value >= 1000 ? Math.round(value).toLocaleString("en-GB") : String(+value.toPrecision(3));
const compact = (value) => value >= 1e6 ? `${value / 1e6}M` : value >= 1e3 ? `${value / 1e3}k` : short(value);

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

// Width in pixels for names: that of the longest, up to a limit.
const name_width = (names) => Math.min(12 + 7 * Math.max(...names.map((name) => name.length)), 170, look.width * 0.35);

// The range of an axis: whole decades of a logarithmic one, from zero otherwise.
const range = (values, log) => log ? decades(values) : {min: 0, max: nice_above(Math.max(...values))};
// A round number.
function nice_above(value) {
    const power = 10 ** Math.floor(Math.log10(value || 1));
    return power * [1, 2, 3, 4, 5, 6, 8, 10].find((factor) => factor * power >= value);
}

// Lines with their names at their ends. A line: {name, label, index (of its colour and marker), thick, dashed,
// data: [{value: [x, y], tip: [text, ...]}, ...]}. An axis: {name, log}.
function line_plot(lines, x, y) {
    const all = lines.flatMap((line) => line.data.map(({value}) => value));
    const inner = Math.max(270, 18 * lines.length);  // height between the axes
    const x_range = range(all.map(([value]) => value), x.log), y_range = range(all.map(([, value]) => value), y.log);
    const share = (value) => y.log ? Math.log(value / y_range.min) / Math.log(y_range.max / y_range.min) : value / y_range.max;
    const end_of = (line) => line.data.at(-1).value;
    const labels = name_width(lines.map((line) => line.label));
    const series = lines.map((line) => {
        const color = look.palette[line.index % look.palette.length];
        // Labels of lines that end at the same place are stacked.
        const ends = lines.map(end_of).filter((end) => end[0] === end_of(line)[0]);
        const shift = spread_out(ends.map((end) => inner * (1 - share(end[1]))), 15, inner)[ends.indexOf(end_of(line))];
        return {
            type: "line", name: line.name, data: line.data, color, symbol: marks[line.index % marks.length], symbolSize: 7,
            z: line.thick ? 3 : 2, emphasis: {focus: "series"},
            lineStyle: {width: line.thick ? 4 : 1.5, type: line.dashed ? "dashed" : "solid"},
            endLabel: {show: true, formatter: line.label, color, offset: [0, shift], width: labels, overflow: "truncate"},
        };
    });
    return {
        height: inner + 60,
        option: {
            ...common(({data}) => tip(...data.tip)), series,
            grid: {left: 70, right: 12 + labels, top: 12, height: inner, outerBoundsMode: "none"},
            xAxis: {...axis(x.name, 26, x.log ? compact : short), type: x.log ? "log" : "value", ...x_range},
            yAxis: {...axis(y.name, 48, y.log ? compact : short), type: y.log ? "log" : "value", ...y_range},
        },
    };
}

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

// Calls draw now and whenever the width or the colour scheme changes.
function keep_drawn(draw) {
    draw();
    dark.addEventListener("change", draw);
    let width = innerWidth;
    addEventListener("resize", () => {
        if (innerWidth !== width) draw();  // ignores height changes when a phone scrolls
        width = innerWidth;
    });
}
