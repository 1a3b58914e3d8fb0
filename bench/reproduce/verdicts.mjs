// Prints the verdict table of the experiments, for people at a terminal.
//   node verdicts.mjs FOLDER SIZE [NAME...]
import {fail, newest_results, verdict_headings, verdict_rows, worth} from "./results.mjs";

const widths = [38, 18, 34, 14, 40];

function wrapped(text, width) {
    const lines = [""];
    for (const word of text.split(/\s+/)) {
        if (lines.at(-1) !== "" && lines.at(-1).length + 1 + word.length > width) lines.push("");
        lines[lines.length - 1] += (lines.at(-1) === "" ? "" : " ") + word;
    }
    return lines;
}

// Each cell wraps within its column.
function print_row(cells) {
    const columns = cells.map((text, k) => wrapped(text, widths[k]));
    const height = Math.max(...columns.map((lines) => lines.length));
    for (let line = 0; line < height; ++line)
        console.log(columns.map((lines, k) => (lines[line] ?? "").padEnd(widths[k])).join("  ").trimEnd());
}

const [folder, size, ...names] = process.argv.slice(2);
if (size === undefined) fail("usage: node verdicts.mjs FOLDER SIZE [NAME...]");
const results = newest_results(folder, size).filter(({name}) => names.length === 0 || names.includes(name));
for (const result of results) {
    console.log(`\n${result.name}: ${result.table.title}\n`);
    const rows = verdict_rows(result);
    if (rows.length === 0) console.log("It has no claim to judge.");
    else [verdict_headings, ...rows].forEach(print_row);
}
const counts = new Map();
for (const [, , , verdict] of results.flatMap(verdict_rows)) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
console.log(`\n${[...counts].map(([verdict, count]) => `${count} ${verdict}`).join(", ")}. ${worth[size]}`);
