// Tests scripts/reproduce.sh behind its build: a stopped series is continued, results are kept by commit
// and size, and the verdicts, the page and the blocks of the docs hold what the tool measured.
//   node reproduce_test.mjs SOURCE TOOL CHROMIUM
import assert from "node:assert/strict";
import {spawnSync} from "node:child_process";
import {existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import {Browser} from "./browser.mjs";
import {assert_looks, assert_quiet, open} from "./checks.mjs";

const [source, tool, chromium] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), "vicinal-reproduce-test-"));
const results = join(work, "results");
const node = (program, ...words) => spawnSync("node", [join(source, "bench/reproduce", program), ...words], {encoding: "utf8"});

function expect_success({status, stdout, stderr}) {
    assert.equal(status, 0, stderr);
    return {stdout, stderr};
}
function expect_failure({status, stderr}, ...words) {
    assert.notEqual(status, 0);
    for (const word of words) assert.match(stderr, word);
}

const file = (name, commit) => join(results, `${name}.quick.${commit}.json`);
const run = (commit, ...names) => node("run.mjs", tool, results, "quick", commit, ...names);

function resumes() {
    // The second experiment of two fails: the tool is replaced by one that knows only the first.
    const broken = join(work, "broken.sh");
    writeFileSync(broken, `#!/bin/sh\nif [ "$3" = p4-2d ]; then exit 3; fi\nexec "${tool}" "$@"\n`, {mode: 0o755});
    expect_failure(node("run.mjs", broken, results, "quick", "abc1234", "p5-sort", "p4-2d"), /failed: p4-2d/);
    assert.deepEqual(readdirSync(results), ["p5-sort.quick.abc1234.json"]);
    const before = readFileSync(file("p5-sort", "abc1234"), "utf8"), time = statSync(file("p5-sort", "abc1234")).mtimeMs;

    // The next run does only what is missing, in the order of the tool.
    const {stderr} = expect_success(run("abc1234", "p5-sort", "p4-2d"));
    assert.match(stderr, /1 of 2 experiments have results of commit abc1234/);
    assert.match(stderr, /\[1\/1\] p4-2d/);
    assert.ok(!stderr.includes("p5-sort"), stderr);
    assert.equal(statSync(file("p5-sort", "abc1234")).mtimeMs, time);
    assert.equal(readFileSync(file("p5-sort", "abc1234"), "utf8"), before);
    assert.ok(!run("abc1234", "p5-sort").stderr.includes("[1/"));

    // Another commit is another key, and its result is the newer one.
    const again = expect_success(run("def5678", "p5-sort")).stderr;
    assert.match(again, /\[1\/1\] p5-sort/);
    assert.ok(existsSync(file("p5-sort", "def5678")));
    expect_failure(run("abc1234", "p4-2e"), /unknown experiment 'p4-2e'/, /p4-2d/);
    expect_failure(node("run.mjs", tool, results, "huge", "abc1234"), /usage/);
    for (const name of readdirSync(results)) assert.match(name, /\.json$/, "half a result is left");
}

const table_of = (name, commit) => JSON.parse(readFileSync(file(name, commit), "utf8")).table;

function prints_verdicts() {
    const {stdout} = expect_success(node("verdicts.mjs", results, "quick"));
    const words = stdout.replace(/\s+/g, " ");
    for (const heading of ["claim", "published", "ours", "verdict", "why"]) assert.ok(words.includes(heading), stdout);
    const claims = [...table_of("p4-2d", "abc1234").claims, ...table_of("p5-sort", "def5678").claims];
    for (const verdict of ["holds", "does not hold"]) {
        const count = claims.filter((claim) => claim.verdict === verdict).length;
        if (count > 0) assert.ok(stdout.includes(`${count} ${verdict}`), stdout);
    }
    assert.ok(!expect_success(node("verdicts.mjs", results, "quick", "p4-2d")).stdout.includes("p5-sort"));
    expect_failure(node("verdicts.mjs", results, "full"), /no results of size full/);
}

function writes_docs() {
    const page = join(work, "page.md"), begin = (name) => `<!-- ${name}: written by scripts/reproduce.sh -->`;
    writeFileSync(page, `# By hand\n\n${begin("p4-2d")}\nstale text\n<!-- end of p4-2d -->\n\nMore by hand.\n`);
    expect_failure(node("docs.mjs", results, "quick", page), /no place for p5-sort/);
    writeFileSync(page, readFileSync(page, "utf8") + `${begin("p5-sort")}\n<!-- end of p5-sort -->\n`);
    expect_success(node("docs.mjs", results, "quick", page));
    const text = readFileSync(page, "utf8");
    assert.ok(text.startsWith("# By hand\n\n<!-- p4-2d"), text);
    assert.ok(text.includes("<!-- end of p4-2d -->\n\nMore by hand.\n"), text);
    assert.ok(!text.includes("stale"), text);
    const {rows, claims} = table_of("p4-2d", "abc1234");
    for (const row of rows) assert.match(text, new RegExp(`^\\| ${row.N} \\| `, "m"));
    for (const {claim, verdict} of claims)
        assert.ok(text.split("\n").some((line) => line.startsWith(`| ${claim} |`) && line.includes(`| ${verdict} |`)), text);
    assert.match(text, /Commit def5678, \d{4}-\d\d-\d\d/);  // the newest of p5-sort
    expect_success(node("docs.mjs", results, "quick", page));
    assert.equal(readFileSync(page, "utf8"), text, "writing it again changes something");
}

async function shows_figures(browser) {
    const html = join(work, "page.html"), url = pathToFileURL(html).href;
    expect_success(node("page.mjs", results, "quick", html));
    const page = await open(browser, url);
    const {rows, claims} = table_of("p4-2d", "abc1234");
    const texts = (selector) => page.value(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((e) => e.textContent)`);
    assert.deepEqual(await texts("#p4-2d figcaption"), ["Figure 4, left: time", "Figure 4, right: memory"]);
    for (const k of [1, 2]) {
        const plot = await texts(`#p4-2d figure:nth-of-type(${k}) svg text`);
        for (const name of ["kd_tree", "multilevel_hash", "hierarchical_hash"]) assert.ok(plot.includes(name), plot);
    }
    // Published values are in plots and tables.
    assert.ok((await texts("#p5-sort svg text")).includes("radix, paper"));
    assert.ok((await texts("#p5-sort th")).includes("paper"));
    const values = await page.value(`[...document.querySelectorAll("#p4-2d tbody tr")].slice(0, ${rows.length})
        .map((tr) => [...tr.children].map((cell) => cell.querySelector("data")?.value ?? cell.textContent))`);
    assert.deepEqual(values, rows.map((row) => Object.values(row).map(String)));
    const verdicts = await page.value(`[...document.querySelectorAll("h2 + .verdicts tbody tr:has(td)")].map((tr) =>
        [tr.children[0].textContent, tr.children[3].textContent])`);
    for (const {claim, verdict} of claims)
        assert.ok(verdicts.some(([text, shown]) => text === claim && shown === verdict), `${claim}: ${JSON.stringify(verdicts)}`);
    assert_quiet(page, url);
    await assert_looks(browser, url);
}

// Every experiment of the tool runs, and the figures of all of them have their columns.
async function shows_every_experiment(browser) {
    const every = join(work, "every"), html = join(work, "every.html"), url = pathToFileURL(html).href;
    expect_success(node("run.mjs", tool, every, "quick", "abc1234"));
    expect_success(node("page.mjs", every, "quick", html));
    const page = await open(browser, url);
    const names = readdirSync(every).map((name) => name.split(".quick.")[0]);
    assert.ok(names.length >= 19, names);
    assert.deepEqual((await page.value("[...document.querySelectorAll('section')].map(({id}) => id)")).sort(), names.sort());
    // A plot for each part of the names that is a facet, but none of a single value.
    const titles = (name) => page.value(`[...document.querySelectorAll("#${name} figcaption")].map((e) => e.textContent)`);
    assert.deepEqual(await titles("p1-stages"), ["step 0", "slab 64:64:1", "step 60"].map((part) => `Stages of kd-tree-1, ${part}`));
    assert.equal((await titles("p3-orders")).length, 4);
    assert.deepEqual((await titles("p2")).filter((title) => title.includes("vertices")), []);
    const empty = "[...document.querySelectorAll('figure')].filter((figure) => figure.querySelector('svg path') === null)";
    assert.deepEqual(await page.value(`${empty}.map((figure) => figure.textContent)`), []);
    assert_quiet(page, url);
    await assert_looks(browser, url);
}

// A figure whose columns the table lacks is named, on the page and by a failure; all else is drawn.
async function draws_what_it_can(browser) {
    const partial = join(work, "partial"), html = join(work, "partial.html"), url = pathToFileURL(html).href;
    expect_success(node("run.mjs", tool, partial, "quick", "abc1234", "p3-orders", "p4-2d", "p5-sort"));
    const change = (name, edit) => {
        const path = join(partial, `${name}.quick.abc1234.json`), result = JSON.parse(readFileSync(path, "utf8"));
        result.table.rows = result.table.rows.map((row) =>
            Object.fromEntries(Object.entries(row).map(([column, value]) => [edit(column), value])));
        writeFileSync(path, JSON.stringify(result));
    };
    change("p3-orders", (column) => column === "morton" ? "z" : column);            // one of several columns
    change("p4-2d", (column) => column.endsWith("kB") ? `${column}ytes` : column);  // all columns of one figure of two
    const complaints = [/p3-orders has no morton for "Order of the cells .*<cell>, fill <fill>"/,
        /p4-2d has no kB for "Figure 4, right: memory"/];
    const {status, stderr} = node("page.mjs", partial, "quick", html);
    assert.notEqual(status, 0);
    for (const complaint of complaints) assert.match(stderr, complaint);
    const page = await open(browser, url);
    const texts = (selector) => page.value(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((e) => e.textContent)`);
    assert.deepEqual(await texts("figcaption"), ["Figure 4, left: time", "Section 6: the sort"]);
    assert.equal((await texts("figure svg")).length, 2);
    const notes = await texts("section p.fails");
    assert.equal(notes.length, 2);
    complaints.forEach((complaint, k) => assert.match(notes[k], complaint));
    assert_quiet(page, url);
}

// Text of a result is never HTML.
async function distrusts_results(browser) {
    const result = JSON.parse(readFileSync(file("p4-2d", "abc1234"), "utf8"));
    const evil = `<img src=x onerror="alert(1)"> | </script>`;
    result.table.title = evil;
    result.table.claims[0].claim = evil;
    writeFileSync(file("p4-2d", "evil"), JSON.stringify({...result, date: "2999-01-01"}));
    const html = join(work, "evil.html"), url = pathToFileURL(html).href;
    expect_success(node("page.mjs", results, "quick", html));
    const page = await open(browser, url);
    assert.equal(await page.value("document.querySelectorAll('img').length"), 0);
    assert.equal(await page.value("document.querySelector('#p4-2d p').textContent"), evil);
    assert_quiet(page, url);
    writeFileSync(file("p4-2d", "evil"), "{");
    expect_failure(node("page.mjs", results, "quick", html), /p4-2d\.quick\.evil\.json is no result/);
}

const browser = new Browser(chromium);
try {
    for (const test of [resumes, prints_verdicts, writes_docs, shows_figures, shows_every_experiment, draws_what_it_can,
        distrusts_results]) {
        console.log(test.name);
        await test(browser);
    }
} finally {
    await browser.close();
    rmSync(work, {recursive: true});
}
