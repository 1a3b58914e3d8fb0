// Draws the plots of the page: three per scene, for the selected thread count and size.
"use strict";

const scenes = JSON.parse(document.getElementById("data").textContent);
const phases = ["scene", "build", "search", "output"];

// A name has the same colour and marker in all scenes; combinations repeat after 30 names.
const names = [...new Set(scenes.flatMap((scene) => scene.rows.map((row) => row.name)))];

// The marker first, because a long name is truncated at its end.
const label_of = (row) => (row.odd ? "≠ " : "") + row.name.replace(/\s+/g, " ");
const ms = (value) => `${short(value)} ms`;

// --- the plots ---

// Time against the number of bodies.
function growth(rows) {
    const drawn = rows.filter((row) => row.bodies > 0 && row.ms > 0);
    if (new Set(drawn.map((row) => row.bodies)).size < 2) return "Not measured at two sizes: no growth to see.";
    const lines = names.map((name) => drawn.filter((row) => row.name === name)).filter((line) => line.length > 0);
    return line_plot(lines.map((line) => ({
        name: line[0].name, label: label_of(line.at(-1)), index: names.indexOf(line[0].name), thick: line[0].first,
        dashed: line[0].peer,
        data: line.map((row) => ({value: [row.bodies, row.ms],
            tip: [label_of(row), `${row.bodies.toLocaleString("en-GB")} bodies: ${ms(row.ms)}`]})),
    })), {name: "bodies", log: true}, {name: "ms", log: true});
}

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
                axisLabel: {color: look.ink, width: name_width(rows.map(label_of)), overflow: "truncate", interval: 0}},
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

keep_drawn(draw_all);
document.querySelector(".choice").addEventListener("change", draw_all);
for (const scene of scenes)
    document.querySelector(`#${scene.id} select`)?.addEventListener("change", () => draw(scene));
