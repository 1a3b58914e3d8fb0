// The results of the experiments as run.mjs keeps them: one JSON file per experiment, size and commit.
import {readdirSync, readFileSync} from "node:fs";
import {join} from "node:path";

export const papers = {
    p1: "Poirrier (2009): linear kd-trees",
    p2: "Avril, Gouranton and Arnaldi (2010): parallel sweep and prune",
    p3: "Lara (2005): spatial structures for physical simulation",
    p4: "Pouchol, Ahmad, Crespin and Terraz (2009): hierarchical hashing",
    p5: "Gissler, Ihmsen and Teschner (2011): uniform grids for medical simulators",
};
export const paper_of = (name) => name.slice(0, 2);

export function fail(message) {
    console.error(`reproduce: ${message}`);
    process.exit(1);
}

export const file_of = (folder, name, size, commit) => join(folder, `${name}.${size}.${commit}.json`);

// All results of a size, the newest last.
export function all_results(folder, size) {
    let files = [];
    try {
        files = readdirSync(folder).filter((file) => file.endsWith(".json"));
    } catch {
        return [];  // no folder, no results
    }
    return files.map((file) => {
        try {
            return JSON.parse(readFileSync(join(folder, file), "utf8"));
        } catch (error) {
            return fail(`${join(folder, file)} is no result (${error.message}); remove it`);
        }
    }).filter((result) => result.size === size).sort((a, b) => a.date < b.date ? -1 : a.date > b.date ? 1 : 0);
}

// What verdicts at a size are worth.
export const worth = {
    quick: "Sizes of seconds, to try the experiments: only verdicts at full size judge the papers.",
    usual: "Sizes of minutes, mostly smaller than the papers': only verdicts at full size judge the papers.",
    full: "The papers' sizes.",
};

// The newest result of each experiment, in the order of the tool.
export function newest_results(folder, size) {
    const newest = new Map(all_results(folder, size).map((result) => [result.name, result]));
    if (newest.size === 0) fail(`no results of size ${size} in ${folder}`);
    return [...newest.values()].sort((a, b) => a.order - b.order);
}

// --- tables ---

export const columns_of = (table) => Object.keys(table.rows[0] ?? {});
export const is_paper = (column, before) => column === `${before} paper`;
// Headings as in the tool: a published column is headed "paper".
export const headings_of = (table) =>
    columns_of(table).map((column, k, all) => is_paper(column, all[k - 1]) ? "paper" : column);

// Three significant digits, all digits of larger numbers.
export function figure_text(value) {
    if (typeof value === "string") return value;
    if (value === null) return "";
    if (Math.abs(value) >= 1e4) return Math.round(value).toLocaleString("en-GB").replaceAll(",", " ");
    return String(Math.abs(value) >= 1000 ? Math.round(value) : +value.toPrecision(3));
}

// How a result was measured: size and runs, commit, machine and date.
export function measured_text({commit, date, table}) {
    const runs = table.runs
        ? `Medians of ${table.runs} runs; spread (interquartile range over median) at most ${figure_text(100 * table.spread)} %. ` : "";
    const busy = table.busy ? " The machine was busy with other work: times are unreliable." : "";
    return `${runs}Commit ${commit}, ${date.slice(0, 10)}${table.machine ? `, ${table.machine}` : ""}.${busy}`;
}

export const one_line = (text) => text.replace(/\s+/g, " ").trim();

// The verdict table: claim, published, ours, verdict, why.
export const verdict_headings = ["claim", "published", "ours", "verdict", "why"];
export const verdict_rows = ({table}) =>
    table.claims.map(({claim, published, measured, verdict, why}) => [claim, published || "as claimed", measured, verdict, why]);
