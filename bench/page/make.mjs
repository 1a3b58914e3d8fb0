// Makes the page of scripts/bench.sh from its rows. The tables are written here, the plots are drawn
// by page.js when the page is opened. The file is self-contained and fetches nothing.
//   node make.mjs ROWS.csv PAGE.html DATE COMMIT
//
// ECharts supports all three plots (logarithmic axes, bars with names, stacked bars) in SVG. uPlot is a
// tenth of the size but does not support the last two.
import {readFileSync, writeFileSync} from "node:fs";
import {cell, html, html_document, short, whole} from "./html.mjs";

function fail(message) {
    console.error(`make.mjs: ${message}`);
    process.exit(1);
}

// --- the rows ---

const texts = ["input", "shape", "precision", "domain", "output", "name", "kind", "machine"];
const phases = ["scene", "build", "search", "output"];
const numbers = ["cutoff", "dim", "moving", "bodies", "threads", "repeats", "median_ms", "spread",
    ...phases.map((phase) => `${phase}_ms`), "pairs", "candidates", "peak_bytes", "differs", "other_cores"];

// Fields may be quoted, and then hold commas, line ends and doubled quotes.
function parse_csv(text) {
    const field = /(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/y;
    const lines = [[]];
    while (field.lastIndex < text.length) {
        const at = field.lastIndex;
        const match = field.exec(text);
        if (!match) fail(`quotes do not match near '${text.slice(at, at + 40)}'`);
        const [, quoted, plain, end] = match;
        lines.at(-1).push(quoted?.replaceAll('""', '"') ?? plain);
        if (end !== ",") lines.push([]);
    }
    return lines.filter((line) => line.length > 0);
}

function read_rows(file) {
    const [heading = [], ...lines] = parse_csv(readFileSync(file, "utf8").replaceAll("\r\n", "\n"));
    for (const column of [...texts, ...numbers])
        if (!heading.includes(column))
            fail(`${file} has no column '${column}'; give a file that vicinal bench -o wrote`);
    if (lines.length === 0) fail(`${file} has no rows`);
    return lines.map((line, k) => {
        if (line.length !== heading.length)
            fail(`row ${k + 1} of ${file} has ${line.length} fields, the heading ${heading.length}`);
        const row = Object.fromEntries(heading.map((column, c) => [column, line[c]]));
        if (!["method", "peer"].includes(row.kind))
            fail(`row ${k + 1} of ${file}: kind '${row.kind}' is neither method nor peer`);
        for (const column of numbers) {
            const value = row[column].trim() === "" ? null : Number(row[column]);
            if (value !== null && !(Number.isFinite(value) && value >= 0))
                fail(`row ${k + 1} of ${file}: ${column} '${row[column]}' is no number >= 0`);
            row[column] = value;
        }
        return row;
    });
}

// Lists of the rows that have the same key, in the order of their first rows.
function grouped_by(rows, key) {
    const groups = new Map();
    for (const row of rows) {
        if (!groups.has(key(row))) groups.set(key(row), []);
        groups.get(key(row)).push(row);
    }
    return [...groups.values()];
}

// One scene in all its sizes. Every row is compared with the first method with the same number of
// threads and bodies, as in the tool.
function make_scene(rows, index) {
    for (const alike of grouped_by(rows, (row) => JSON.stringify([row.bodies, row.threads]))) {
        const first = alike.find((row) => row.kind === "method");
        for (const row of alike) {
            row.first = row === first;
            row.ratio = first?.median_ms && row.median_ms !== null ? row.median_ms / first.median_ms : null;
            row.odd = row.differs > 0 || (row.pairs !== null && row.pairs !== (first?.pairs ?? row.pairs));
        }
    }
    const {input, shape, dim, precision, domain, output, moving, machine} = rows[0];
    return {
        id: `scene-${index + 1}`,
        title: `${input}: ${shape} in ${dim}-D`,
        about: `${precision}, ${domain} domain` + (moving > 0 ? `, moving by ${moving} of their size` : "") +
            `, output as ${output}`,
        machine,
        other_cores: Math.max(...rows.map((row) => row.other_cores ?? 0)),
        sizes: grouped_by(rows.sort((a, b) => a.bodies - b.bodies), (row) => row.bodies),
    };
}

// --- HTML ---

const odd_mark = '<abbr title="its pairs differ from those of our first row">≠</abbr>';
const name_of = (row) => (row.odd ? `${odd_mark} ` : "") + html(row.name);

const columns = [
    ["threads", (row) => cell(row.threads, whole)],
    ["runs", (row) => cell(row.repeats, whole)],
    ["ms", (row) => cell(row.median_ms, short)],
    ["spread", (row) => cell(row.spread, (value) => `${(value * 100).toFixed(1)}%`)],
    ["ratio", (row) => cell(row.ratio, (value) => `${short(value)}×`)],
    ...phases.map((phase) => [`${phase}, ms`, (row) => cell(row[`${phase}_ms`], short)]),
    ["pairs", (row) => cell(row.pairs, whole)],
    ["cand/pair", (row) => cell(row.pairs && row.candidates !== null ? row.candidates / row.pairs : null, short)],
    ["memory, MB", (row) => cell(row.peak_bytes, (value) => short(value / 1e6))],
    ["differs", (row) => cell(row.differs, whole)],
];

function size_title(rows) {
    const {bodies, cutoff} = rows[0];
    return (bodies === null ? "Number of bodies not known" : `${whole(bodies)} bodies`) +
        (cutoff === null ? "" : ` within ${cutoff.toPrecision(4)}`);
}

// Sorted by thread count, then by time.
function table(scene) {
    const order = (a, b) => a.threads - b.threads || (a.median_ms ?? Infinity) - (b.median_ms ?? Infinity) || 0;
    const line = (row) => `<tr class="${row.kind}"><th scope="row">${name_of(row)}</th>` +
        columns.map(([, write]) => write(row)).join("") + "</tr>";
    const size = (rows) => `<tbody><tr class="size"><th scope="rowgroup" colspan="${columns.length + 1}">` +
        `<span>${size_title(rows)}</span></th></tr>\n` + [...rows].sort(order).map(line).join("\n") + "</tbody>";
    return `<div class="scroll tall" tabindex="0" role="region" aria-label="${html(scene.title)}: all rows">
<table><thead><tr><th scope="col">method or peer</th>${columns.map(([title]) => `<th scope="col">${title}</th>`).join("")}</tr></thead>
${scene.sizes.map(size).join("\n")}</table></div>`;
}

function figure(scene, kind, title) {
    return `<figure class="${kind}"><figcaption>${title}</figcaption>
<div class="plot" role="img" aria-label="${html(scene.title)}: ${title}. The table below has the numbers."></div>
<p class="note"></p></figure>`;
}

// The threshold of the tool, above which times on several threads are unreliable.
const busy = (scene) => scene.other_cores >= 0.2;

function section(scene) {
    const sizes = scene.sizes.map((rows) => rows[0].bodies).filter((bodies) => bodies !== null);
    const options = sizes.map((bodies, k) =>
        `<option value="${bodies}"${k === sizes.length - 1 ? " selected" : ""}>${whole(bodies)}</option>`);
    return `<section id="${scene.id}"><h2>${html(scene.title)}</h2>
<p>${html(scene.about)}</p>
${busy(scene) ? `<p class="busy"><strong>Busy host:</strong> other processes used ${scene.other_cores.toFixed(2)} cores.</p>` : ""}
${sizes.length > 1 ? `<p><label>Bodies in the bars <select>${options.join("")}</select></label></p>` : ""}
<div class="plots">
${figure(scene, "growth", "Time against the number of bodies")}
${figure(scene, "ratios", "Time over that of our first method")}
${figure(scene, "phases", "Where the time goes")}
</div>
${table(scene)}</section>`;
}

// The largest size of each scene: our first method, our fastest one and the fastest peer.
function glance(scenes) {
    const best = (rows) => rows.filter((row) => row.median_ms !== null)
        .reduce((best, row) => best && best.median_ms <= row.median_ms ? best : row, undefined);
    const named = (row) => row
        ? `<td>${name_of(row)}</td>${cell(row.median_ms, short)}${cell(row.ratio, (value) => `${short(value)}×`)}`
        : "<td>–</td>".repeat(3);
    const lines = scenes.flatMap((scene) => grouped_by(scene.sizes.at(-1), (row) => row.threads).map((rows) => {
        const of = (kind) => rows.filter((row) => row.kind === kind);
        return `<tr><th scope="row"><a href="#${scene.id}">${html(scene.title)}</a></th>` +
            cell(rows[0].bodies, whole) + cell(rows[0].threads, whole) +
            cell(rows.find((row) => row.first)?.median_ms ?? null, short) +
            named(best(of("method"))) + named(best(of("peer"))) + "</tr>";
    }));
    return `<div class="scroll" tabindex="0" role="region" aria-label="At a glance">
<table><thead><tr><th scope="col">scene</th><th scope="col">bodies</th><th scope="col">threads</th>
<th scope="col">first method, ms</th>
<th scope="col">quickest method</th><th scope="col">ms</th><th scope="col">ratio</th>
<th scope="col">quickest peer</th><th scope="col">ms</th><th scope="col">ratio</th></tr></thead>
<tbody>${lines.join("\n")}</tbody></table></div>`;
}

function thread_choice(rows) {
    const counts = [...new Set(rows.map((row) => row.threads))].filter((threads) => threads !== null).sort((a, b) => a - b);
    return `<form class="choice"><fieldset><legend>Threads in the plots</legend>` + counts.map((threads, k) =>
        `<label><input type="radio" name="threads" value="${threads}"${k === 0 ? " checked" : ""}>${threads}</label>`)
        .join("") + "</fieldset></form>";
}

// The data for page.js.
function plot_data(scenes) {
    return scenes.map(({id, sizes}) => ({id, rows: sizes.flat().map((row) => ({
        name: row.name, peer: row.kind === "peer", first: row.first, odd: row.odd, threads: row.threads,
        bodies: row.bodies, ms: row.median_ms, ratio: row.ratio, phases: phases.map((phase) => row[`${phase}_ms`])}))}));
}

const listed = (rows, column) => [...new Set(rows.map((row) => row[column]))].map(html).join("<br>");

function page(rows, date, commit) {
    const scenes = grouped_by(rows, (row) => JSON.stringify([row.input, row.shape, row.dim, row.precision,
        row.domain, row.output, row.moving, row.machine])).map(make_scene);
    return html_document(`Vicinal: measurements of ${date}`, new URL("page.js", import.meta.url), plot_data(scenes),
        `<h1>Vicinal beside other libraries</h1>
<dl><dt>Machine, compiler</dt><dd>${listed(rows, "machine")}</dd>
<dt>Measured</dt><dd>${html(date)}</dd>
<dt>Commit</dt><dd>${html(commit)}</dd></dl>
<p>The time is from the arrays of bodies to the pairs, or to the output that the scene names. A method
keeps one finder, as in a simulation. After a warm-up, runs of the rows alternate; “runs” is their number
and “ms” their median. “Spread” is the interquartile range over the median. “Ratio” is the time over that
of our first method with the same number of threads: a peer with 3× takes three times as long. Phases are
separate medians. “Memory” is the growth of the peak resident memory during the row. Preparations of other
libraries, such as conversion to their layout, are not timed.</p>
<p>${odd_mark} marks a row whose pairs differ from those of our first row; “differs” counts the pairs that
only one of the two found. – is a value that was not measured, or that a peer does not report.</p>
${scenes.some(busy) ? `<p class="busy"><strong>The host was busy with other work during
${scenes.filter(busy).length} of ${scenes.length} scenes: their times are unreliable, especially on several threads.
Measure again when the host is idle.</strong></p>` : ""}
<noscript><p><strong>The plots need JavaScript. The tables have all numbers.</strong></p></noscript>
<h2>At a glance</h2>
<p>The largest size of each scene.</p>
${glance(scenes)}
${thread_choice(rows)}
${scenes.map(section).join("\n")}`);
}

if (process.argv.length !== 6) fail("usage: node make.mjs ROWS.csv PAGE.html DATE COMMIT");
const [rows_file, page_file, date, commit] = process.argv.slice(2);
writeFileSync(page_file, page(read_rows(rows_file), date, commit));
