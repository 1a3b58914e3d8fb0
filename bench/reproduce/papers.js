// Draws the plots of the papers' figures: ours as lines or bars, published values dashed or pale.
"use strict";

const experiments = JSON.parse(document.getElementById("data").textContent);

// A name has the same colour and marker in all plots of an experiment.
const names_of = (figures) => [...new Set(figures.flatMap(({series}) => series.map(({name}) => name)))];
const label_of = ({name, paper}) => paper ? `${name}, paper` : name;

function lines(figure, names) {
    return line_plot(figure.series.map((one) => ({
        name: label_of(one), label: label_of(one), index: names.indexOf(one.name), thick: false, dashed: one.paper,
        data: one.points.map(([x, y]) => ({value: [x, y],
            tip: [label_of(one), `${figure.x.name}: ${short(x)}`, `${short(y)} ${figure.y.name}`]})),
    })), figure.x, figure.y);
}

function bars(figure, names) {
    const categories = [...new Set(figure.series.flatMap(({points}) => points.map(([x]) => x)))];
    const value_of = (one, category) => one.points.find(([x]) => x === category)?.[1] ?? null;
    const series = figure.series.map((one) => ({
        type: "bar", name: label_of(one), barCategoryGap: "25%", color: look.palette[names.indexOf(one.name) % look.palette.length],
        itemStyle: {opacity: one.paper ? 0.45 : 1},
        data: categories.map((category) => ({value: value_of(one, category), category})),
        label: {show: true, position: "right", color: look.ink, opacity: 1, formatter: ({value}) => value === null ? "" : short(value)},
    }));
    return {
        height: 90 + categories.length * (14 + 16 * series.length),
        option: {
            ...common(({seriesName, value, data}) => tip(seriesName, data.category, `${short(value)} ${figure.y.name}`)), series,
            grid: {left: 4, right: 64, top: 50, bottom: 30, outerBoundsMode: "same", outerBoundsContain: "axisLabel"},
            legend: {top: 0, left: 0, selectedMode: false, textStyle: {color: look.ink}},
            xAxis: {...axis(figure.y.name, 24, short), type: figure.y.log ? "log" : "value"},
            yAxis: {...axis(), type: "category", inverse: true, data: categories, splitLine: {show: false},
                axisLabel: {color: look.ink, width: name_width(categories), overflow: "truncate", interval: 0}},
        },
    };
}

function draw_all() {
    if (document.querySelector("figure") === null) return;
    read_look();
    // In separate tasks, so that the page is responsive while plots are drawn.
    for (const {id, figures} of experiments)
        setTimeout(() => document.querySelectorAll(`[id="${id}"] figure`).forEach((place, k) =>
            show(place, (figures[k].bars ? bars : lines)(figures[k], names_of(figures)))));
}

keep_drawn(draw_all);
