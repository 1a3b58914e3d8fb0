// Makes the page of the reproduction: each published figure beside ours, the tables, and the verdicts.
//   node page.mjs FOLDER SIZE PAGE.html
import {writeFileSync} from "node:fs";
import {cell, html, html_document} from "../page/html.mjs";
import {figures_of} from "./figures.mjs";
import {columns_of, fail, figure_text, headings_of, measured_text, newest_results, paper_of, papers, verdict_headings,
    verdict_rows, worth} from "./results.mjs";

const scrolling = (label, table, kind = "") =>
    `<div class="scroll${kind}" tabindex="0" role="region" aria-label="${html(label)}"><table>${table}</table></div>`;
const heading_row = (headings) =>
    `<thead><tr>${headings.map((text) => `<th scope="col">${html(text)}</th>`).join("")}</tr></thead>`;

function data_table(name, table) {
    const [first, ...columns] = columns_of(table);
    const lines = table.rows.map((row) => `<tr><th scope="row">${html(row[first])}</th>` +
        columns.map((column) => cell(row[column], figure_text)).join("") + "</tr>");
    return scrolling(`${name}: all rows`, heading_row(headings_of(table)) + `<tbody>${lines.join("\n")}</tbody>`, " tall");
}

const verdict_class = {"holds": "holds", "does not hold": "fails", "not comparable": "open"};

function verdict_lines(result) {
    return verdict_rows(result).map(([claim, published, ours, verdict, why]) =>
        `<tr><th scope="row">${html(claim)}</th><td>${html(published)}</td><td>${html(ours)}</td>` +
        `<td class="${verdict_class[verdict]}">${html(verdict)}</td><td>${html(why)}</td></tr>`).join("\n");
}

// All verdicts, with a heading for each paper and each experiment.
function all_verdicts(results) {
    const bodies = results.filter((result) => result.table.claims.length > 0).map((result, k, all) => {
        const new_paper = k === 0 || paper_of(all[k - 1].name) !== paper_of(result.name);
        return (new_paper ? `<tbody><tr class="size"><th scope="rowgroup" colspan="5"><span>${html(papers[paper_of(result.name)])}` +
            "</span></th></tr></tbody>" : "") + `<tbody><tr><th class="experiment" scope="rowgroup" colspan="5">` +
            `<a href="#${result.name}">${html(result.name)}</a></th></tr>\n${verdict_lines(result)}</tbody>`;
    });
    return scrolling("All verdicts", heading_row(verdict_headings) + bodies.join("\n"), " verdicts");
}

const figure = ({title}) => `<figure><figcaption>${html(title)}</figcaption>
<div class="plot" role="img" aria-label="${html(title)}. The table below has the numbers."></div>
<p class="note"></p></figure>`;

function section(result, {drawn, missing}) {
    const {name, table} = result;
    const verdicts = heading_row(verdict_headings) + `<tbody>${verdict_lines(result)}</tbody>`;
    return `<section id="${name}"><h2>${html(name)}</h2>
<p>${html(table.title)}</p>
<p class="note">${html(measured_text(result))}</p>
<div class="plots alike">
${drawn.map(figure).join("\n")}
</div>
${missing.map((text) => `<p class="fails">A figure is missing: ${html(text)}</p>`).join("\n")}
${data_table(name, table)}
<p>${html(table.note)}</p>
${table.claims.length > 0 ? scrolling(`${name}: verdicts`, verdicts, " verdicts") : ""}</section>`;
}

function page(results, figures, size) {
    const data = results.map(({name}, k) => ({id: name, figures: figures[k].drawn}));
    return html_document("Vicinal: the papers' experiments", new URL("papers.js", import.meta.url), data, `<h1>The papers’ experiments, repeated</h1>
<p>${html(worth[size])} Times are ours, on our machine; a published figure is in the column headed “paper” beside ours, and in
the plots a dashed line or a pale bar. – is a value that is not known.</p>
<noscript><p><strong>The plots need JavaScript. The tables have all numbers.</strong></p></noscript>
<h2>All verdicts</h2>
${all_verdicts(results)}
${results.map((result, k) => section(result, figures[k])).join("\n")}`);
}

const [folder, size, file] = process.argv.slice(2);
if (file === undefined) fail("usage: node page.mjs FOLDER SIZE PAGE.html");
const results = newest_results(folder, size), figures = results.map(figures_of);
writeFileSync(file, page(results, figures, size));
const missing = figures.flatMap((of_one) => of_one.missing);
if (missing.length > 0) fail(`${file} lacks figures (bench/reproduce/figures.mjs): ${missing.join("; ")}`);
