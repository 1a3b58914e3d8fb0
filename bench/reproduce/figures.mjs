// Which part of an experiment's table is the counterpart of which published figure.
//
// A figure: title (or a function of the facet); x and y. x is a column, or a part of the rows' names: rows
// "0.1, 300" of the first column "fill, n" have the parts fill and n. y is the columns of this name or
// unit, at the end of their names; published values follow in the column `... paper`. facet: one plot for
// each combination of these parts; lines: one line for each value of this part; log: axes that are
// logarithmic; bars: x has no numbers. plain: the name of a column that is headed by its unit alone.
// curves: the lines are the result's own curves, not of the table.
import {columns_of, is_paper} from "./results.mjs";

// The number of a figure by its fill, and what else the facet says.
const by_fill = (what, numbers) => ({fill, ...others}) =>
    [...fill in numbers ? [`Figure ${numbers[fill]}: ${what.toLowerCase()}`] : [what], `fill ${fill}`, ...Object.values(others)].join(", ");
const with_facet = (title) => (facet) => [title, ...Object.values(facet)].join(", ");
const races = (times, tests) => [
    {title: by_fill("Time", times), facet: ["cell", "fill", "form"], x: "n", y: ["ms"], log: "xy"},
    {title: by_fill("Pairs tested", tests), facet: ["cell", "fill", "form"], x: "n", y: ["tested"], log: "xy"}];

const figures = {
    "p1-table1": [{title: "Table 1: selected pairs", x: "d", y: ["selected"], plain: "split", log: "xy"}],
    "p1-fig11-12": [{title: ({steps}) => `Figure ${steps === "0-10" ? 11 : 12}: few spheres, steps ${steps}, ms`, facet: ["steps"],
        x: "N", y: ["quadratic", "S&P", "S&P ours", "Delaunay", "kd-tree-1"], log: "xy"}],
    "p1-table2": [
        {title: "Table 2: time, ms", x: "N", y: ["quadratic", "S&P", "S&P ours", "Delaunay", "kd-tree-1", "row_grid"], log: "xy"},
        {title: "Table 2: candidates", x: "N", y: ["cand."], log: "xy"}],
    "p1-table3": [
        {title: "Table 3: time", x: "N", y: ["ms"], log: "xy"},
        {title: "Table 3: memory", x: "N", y: ["MB"], log: "xy"}],
    "p1-motion": [{title: ({N}) => `Motion of ${N} spheres`, facet: ["N"], x: "motion/radius", y: ["ms"], log: "xy"}],
    "p1-stages": [{title: ({spheres}) => `Stages of kd-tree-1, ${spheres}`, facet: ["spheres"], x: "threads", y: ["ms"]}],
    "p1-coherence": [{title: "Coherence (section 7)", x: "motion/radius", y: ["ms"], plain: "plain", log: "x"}],
    "p2": [{title: ({part}) => `${part === "boxes" ? "Figure 5" : "Figure 6"}: ${part}`, facet: ["part"], lines: "bodies",
        x: "threads", y: ["ms"], log: "y"}],
    "p3-uniform": races({"0.1": 4.1, "0.03": 4.2, "0.01": 4.3, "0.003": 4.4}, {"0.1": 4.5, "0.03": 4.6, "0.01": 4.7, "0.003": 4.8}),
    "p3-nonuniform": races({"0.1": 4.9, "0.03": "4.10", "0.01": 4.11, "0.003": 4.12}, {}),
    "p3-collisions": [{title: "Figure 4.13: collisions per step", x: "steps", y: ["uniform", "non-uniform"], bars: true}],
    "p3-table4.1": [{title: with_facet("Table 4.1: ms per step"), facet: ["cell"], x: "fill",
        y: ["fixed(5)", "variable(3)", "fixed(3)"], log: "xy"}],
    "p3-timestep": [{title: with_facet("Length of the step (section 5.3.2)"), facet: ["form"], x: "dt", y: ["ms"], log: "xy"}],
    "p3-leaf": [{title: with_facet("Bodies per leaf (section 5.2)"), facet: ["form"], x: "leaf", y: ["ms"], log: "x"}],
    "p3-orders": [{title: ({cell, fill}) => `Order of the cells (section 3.2.1), ms per step: ${cell}, fill ${fill}`, facet: ["cell", "fill"],
        x: "grid", y: ["row", "morton", "hilbert"], bars: true}],
    "p4-2d": [
        {title: "Figure 4, left: time", x: "hit %", y: ["ms"]},
        {title: "Figure 4, right: memory", x: "hit %", y: ["kB"], log: "y"}],
    "p4-nns": [
        {title: "Figure 5, left: time against the largest number of neighbours", x: "most", y: ["ms"], log: "xy"},
        {title: "Figure 5, right: memory", x: "most", y: ["MB"], log: "x"}],
    "p4-table": [
        {title: "Section 4.3: false candidates", lines: "method", x: "slots per record", y: ["false %"], log: "xy"},
        {title: "Section 4.3: time", lines: "method", x: "slots per record", y: ["ms"], log: "x"}],
    "p4-fluid": [{title: "Figure 6: collision detection of a frame", curves: true, x: "iteration", y: ["ms"]}],
    "p5-sort": [{title: "Section 6: the sort", x: "keys changed", y: ["ms"], bars: true}],
    "p5-cuckoo": [{title: "Building", x: "bodies", y: ["ms"], bars: true}],
};

// The figures of an experiment for the page, {title, x, y, bars, series: [{name, paper, points: [[x, y], ...]}]},
// and a line for each figure that cannot be drawn because the table lacks its columns.
export function figures_of({name, table}) {
    const made = (figures[name] ?? []).map((figure) => {
        const lacking = lacking_for(table, figure);
        if (lacking.length > 0) return {missing: [`${name} has no ${lacking.join(", ")} for "${any_title(figure)}"`], drawn: []};
        return {missing: [], drawn: figure.curves ? curves(table, figure) : plots(table, figure)};
    });
    return {drawn: made.flatMap(({drawn}) => drawn), missing: made.flatMap(({missing}) => missing)};
}

const is_of = (column, unit) => column === unit || column.endsWith(` ${unit}`);

// The columns and parts of names that a figure needs and its table does not have.
function lacking_for(table, figure) {
    if (figure.curves) return table.curves?.length > 0 ? [] : ["curves"];
    const [heading, ...columns] = columns_of(table);
    const parts = [...heading.split(", "), ...columns];
    const needed = [figure.x, figure.lines, ...figure.facet ?? []].filter((part) => part !== undefined);
    return [...needed.filter((part) => !parts.includes(part)),
        ...figure.y.filter((unit) => !columns.some((column) => is_of(column, unit)))];
}

const title_of = ({title}, facet) => typeof title === "string" ? title : title(facet);
const any_title = (figure) => title_of(figure, Object.fromEntries((figure.facet ?? []).map((part) => [part, `<${part}>`])));

const axes = ({x, y, log = "", bars = false}) => ({
    x: {name: x, log: log.includes("x")}, y: {name: y.length === 1 ? y[0] : "", log: log.includes("y")}, bars,
});

const curves = (table, figure) => [{title: figure.title, ...axes(figure),
    series: table.curves.map(({name, x, y}) => ({name, paper: false, points: x.map((value, k) => [value, y[k]])}))}];

// The name of a row, divided as the heading of the names is.
function parts_of(row, heading) {
    const keys = heading.split(", "), values = row[heading].split(", ");
    if (keys.length === 1) return {[heading]: row[heading]};
    return Object.fromEntries(keys.map((key, k) => [key, values[k]]));
}

// The series of one plot from its rows. A series of one value per row is a line or a set of bars.
function series_of(rows, columns, ours, figure) {
    const unit_of = (column) => figure.y.find((unit) => is_of(column, unit));
    const short_name = (column) => column === unit_of(column) ? figure.plain ?? column : column.slice(0, -unit_of(column).length - 1);
    const lines = figure.lines === undefined ? [undefined] : [...new Set(rows.map((row) => row[figure.lines]))];
    const known = ([, y]) => y !== null && !(figure.log?.includes("y") && y <= 0);
    return lines.flatMap((line) => ours.flatMap((column) => {
        const name = line === undefined ? short_name(column) : ours.length === 1 ? line : `${line}, ${short_name(column)}`;
        const published = columns.find((other) => is_paper(other, column));
        const points = (from) => rows.filter((row) => line === undefined || row[figure.lines] === line)
            .map((row) => [figure.bars ? row[figure.x] : Number(row[figure.x]), row[from]]).filter(known)
            .filter(([x]) => !(figure.log?.includes("x") && x <= 0)).sort(([a], [b]) => figure.bars ? 0 : a - b);
        return [{name, paper: false, points: points(column)},
            ...published === undefined ? [] : [{name, paper: true, points: points(published)}]];
    })).filter(({points}) => points.length > 0);
}

function plots(table, figure) {
    const [heading, ...columns] = columns_of(table);
    const rows = table.rows.map((row) => ({...row, ...parts_of(row, heading)}));
    const ours = columns.filter((column) => figure.y.some((unit) => is_of(column, unit)));
    const facet = figure.facet ?? [];
    const key = (row) => facet.map((part) => row[part]).join(", ");
    return [...new Set(rows.map(key))].map((value) => {
        const here = rows.filter((row) => key(row) === value);
        const title = title_of(figure, Object.fromEntries(facet.map((part) => [part, here[0][part]])));
        return {title, ...axes(figure), series: series_of(here, columns, ours, figure)};
    }).filter(({series}) => series.flatMap(({points}) => points).length > 1);  // a single value is in the table
}
