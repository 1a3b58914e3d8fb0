// Writes the results into docs/reproduction.md, between the markers of each experiment:
//   <!-- p4-nns: written by scripts/reproduce.sh -->
//   <!-- end of p4-nns -->
// Everything outside of the markers is written by hand and stays.
//   node docs.mjs FOLDER SIZE PAGE.md
import {readFileSync, writeFileSync} from "node:fs";
import {columns_of, fail, figure_text, headings_of, measured_text, newest_results, one_line, verdict_headings,
    verdict_rows} from "./results.mjs";

const cell = (text) => one_line(text).replaceAll("|", "\\|").replaceAll("<", "&lt;");
const line = (cells) => `| ${cells.map((text) => cell(text)).join(" | ")} |`.replaceAll("|  |", "| |");

function markdown_table(headings, rows) {
    return [line(headings), `|${"---|".repeat(headings.length)}`, ...rows.map(line)].join("\n");
}

function block(result) {
    const {table} = result;
    const columns = columns_of(table);
    const parts = [
        markdown_table(headings_of(table), table.rows.map((row) => columns.map((column) => figure_text(row[column])))),
        one_line(table.note),
        table.claims.length > 0 ? markdown_table(verdict_headings, verdict_rows(result)) : "",
        `${table.title}. ${measured_text(result)}`,
    ];
    return parts.filter((part) => part !== "").join("\n\n");
}

const [folder, size, page] = process.argv.slice(2);
if (page === undefined) fail("usage: node docs.mjs FOLDER SIZE PAGE.md");
let text = readFileSync(page, "utf8");
const homeless = [];
for (const result of newest_results(folder, size)) {
    const begin = `<!-- ${result.name}: written by scripts/reproduce.sh -->`, end = `<!-- end of ${result.name} -->`;
    const from = text.indexOf(begin), to = text.indexOf(end);
    if (from < 0 || to < from) {
        homeless.push(result.name);
        continue;
    }
    text = `${text.slice(0, from)}${begin}\n\n${block(result)}\n\n${text.slice(to)}`;
}
writeFileSync(page, text);
if (homeless.length > 0) fail(`${page} has no place for ${homeless.join(", ")}: their markers are missing`);
