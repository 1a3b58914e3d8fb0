// Tests the page of scripts/bench.sh in a browser, with rows of the tool and hostile rows: no script
// fails, nothing is fetched, the tables hold the values, and the plots are drawn, in light and dark
// schemes and wide and narrow windows.
//   node page_test.mjs SOURCE TOOL CHROMIUM
import assert from "node:assert/strict";
import {execFileSync, spawnSync} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import {Browser} from "./browser.mjs";
import {assert_looks, assert_quiet, drawn, open} from "./checks.mjs";

const [source, tool, chromium] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), "vicinal-page-test-"));
const make = (rows, page) => spawnSync("node", [join(source, "bench/page/make.mjs"), rows, page,
    "2026-01-02 <i>03:04</i> UTC", "abc1234 & more"], {encoding: "utf8"});

function make_page(rows) {
    const file = join(work, "page.html");
    const {status, stderr} = make(rows, file);
    assert.equal(status, 0, stderr);
    return pathToFileURL(file).href;
}

// Rows of the tool: a file for the page, and JSON to compare with.
function measure(file, ...options) {
    const json = execFileSync(tool, ["bench", ...options, "--repeat", "2", "--json", "-o", file], {encoding: "utf8"});
    return JSON.parse(json).rows;
}

// --- what the page holds ---

const table_rows = (page, id) => page.value(`[...document.querySelectorAll("#${id} table tbody tr:not(.size)")].map((tr) => ({
    name: tr.querySelector("th").lastChild.textContent.trim(), odd: tr.querySelector("abbr") !== null,
    bodies: tr.parentElement.querySelector(".size").textContent,
    cells: [...tr.querySelectorAll("td")].map((td) => ({text: td.textContent, value: td.querySelector("data")?.value}))}))`);
const headings = ["threads", "runs", "ms", "spread", "ratio", "scene, ms", "build, ms", "search, ms", "output, ms", "pairs",
    "cand/pair", "memory, MB", "differs"];

// The text of a plot; empty if none is visible.
const plot_texts = (page, id, kind) => page.value(`(() => {
    const plot = document.querySelector("#${id} .${kind} .plot");
    return plot.hidden ? "" : [...plot.querySelectorAll("svg text")].map((text) => text.textContent);
})()`);
const number = (text) => Number(text.replace(/[,×%]|ms/g, ""));
const near = (a, b, relative = 0.006) => Math.abs(a - b) <= relative * Math.abs(b) + 0.0006;

function assert_has(texts, value, unit, what) {
    assert.ok(texts.some((text) => text.endsWith(unit) && near(number(text), value)), `${what}: no ${value}${unit} in ${texts}`);
}

const choose_threads = (page, threads) =>
    page.value(`document.querySelector(".choice [value='${threads}']").click(), ${drawn}`);
const choose_bodies = (page, id, bodies) => page.value(`(() => {
    const select = document.querySelector("#${id} select");
    select.value = "${bodies}";
    select.dispatchEvent(new Event("change"));
})(), ${drawn}`);

// --- the cases ---

function assert_row(shown, row) {
    const phases = row.phases ?? {};
    const values = [row.threads, row.repeats, row.median_ms, row.spread, null, phases.scene_ms, phases.build_ms,
        phases.search_ms, phases.output_ms, row.pairs, row.candidates_per_pair, row.peak_bytes, row.differs];
    values.forEach((value, k) => {
        if (headings[k] === "ratio") return;
        const {text, value: exact} = shown.cells[k];
        const what = `${row.name}, ${headings[k]}: ${text} (${exact}) for ${value}`;
        if (value === null || value === undefined) return assert.equal(text, "–", what);
        assert.ok(Math.abs(exact - value) <= 1e-3 * value, what);  // the file has four digits at least
        const scale = headings[k] === "spread" ? 100 : headings[k] === "memory, MB" ? 1e-6 : 1;
        const last_digit = 10 ** -(/\.(\d+)/.exec(text)?.[1].length ?? 0);
        assert.ok(Math.abs(number(text) - exact * scale) <= 0.501 * last_digit, what);
    });
}

async function rows_of_the_tool(browser) {
    const [small, large, other] = ["small.csv", "large.csv", "other.csv"].map((name) => join(work, name));
    const options = ["--scene", "uniform", "--methods", "auto,compact_grid,compact_grid(cell=2)", "--threads", "1,2"];
    const rows = [...measure(small, ...options, "--n", "500"), ...measure(large, ...options, "--n", "3000")];
    const other_rows = measure(other, "--scene", "polydisperse", "--n", "400", "--threads", "1");
    const all = join(work, "all.csv");
    const tail = (file) => readFileSync(file, "utf8").replace(/^.*\n/, "");
    writeFileSync(all, readFileSync(small, "utf8") + tail(other) + tail(large));
    const url = make_page(all);
    const page = await open(browser, url);

    assert.deepEqual(await page.value("[...document.querySelectorAll('#scene-1 thead th')].map((th) => th.textContent)"),
        ["method or peer", ...headings]);
    const shown = await table_rows(page, "scene-1");
    assert.equal(shown.length, rows.length);
    for (const row of rows) {
        const same = shown.filter((one) => one.name === row.name && one.cells[0].value === String(row.threads) &&
            one.bodies.startsWith(`${row.bodies.toLocaleString("en-GB")} bodies`));
        assert.equal(same.length, 1, `${row.name} of ${row.bodies} on ${row.threads} threads`);
        assert_row(same[0], row);
        const first = rows.find((one) => one.threads === row.threads && one.bodies === row.bodies);
        assert.ok(near(same[0].cells[4].value, row.median_ms / first.median_ms));
        assert.equal(same[0].odd, false);
    }
    const others = await table_rows(page, "scene-2");
    assert.equal(others.length, 1);
    assert_row(others[0], other_rows[0]);
    const machine = /[^"]*(?="\n$)/.exec(readFileSync(small, "utf8"))[0];
    const heading = await page.value("document.querySelector('dl').textContent");
    for (const text of [machine, "2026-01-02 <i>03:04</i> UTC", "abc1234 & more"]) assert.ok(heading.includes(text), heading);

    // The plots follow the choices.
    for (const threads of [1, 2])
        for (const bodies of [3000, 500]) {
            await choose_threads(page, threads);
            await choose_bodies(page, "scene-1", bodies);
            const here = rows.filter((row) => row.threads === threads && row.bodies === bodies);
            const texts = {};
            for (const kind of ["growth", "ratios", "phases"]) texts[kind] = await plot_texts(page, "scene-1", kind);
            for (const row of here) {
                for (const kind of ["growth", "ratios", "phases"]) assert.ok(texts[kind].includes(row.name), `${kind}: ${row.name} in ${texts[kind]}`);
                assert_has(texts.ratios, row.median_ms / here[0].median_ms, "×", "ratios");
                assert_has(texts.phases, row.median_ms, " ms", "phases");
            }
            for (const kind of ["growth", "ratios", "phases"])
                assert.equal(texts[kind].filter((text) => rows.some((row) => row.name === text)).length, here.length, `${kind}: ${texts[kind]}`);
            for (const name of ["scene", "build", "search", "output"]) assert.ok(texts.phases.includes(name));
        }
    assert.ok((await plot_texts(page, "scene-1", "growth")).includes("1k"));
    assert.ok(await page.value("document.querySelectorAll('#scene-1 .growth svg path').length") >= 3 * 3, "lines and marks");
    // The other scene has no rows for two threads, and the page says so.
    assert.equal(await plot_texts(page, "scene-2", "ratios"), "");
    assert.match(await page.value("document.querySelector('#scene-2 .ratios .note').textContent"), /No method/);
    await choose_threads(page, 1);
    assert.ok((await plot_texts(page, "scene-2", "phases")).includes("auto"));
    assert.equal(await page.value("document.querySelector('#scene-2 select')"), null, "one size is no choice");

    // The colour scheme changes while the page is open.
    const fills = () => page.value("[...new Set([...document.querySelectorAll('svg text')].map((text) => getComputedStyle(text).fill))]");
    const before = await fills();
    await page.prefer("dark");
    await page.value(drawn);
    assert.deepEqual(before.filter((fill) => fill === "rgb(228, 231, 234)"), []);
    assert.ok((await fills()).includes("rgb(228, 231, 234)"), "the plots did not turn light on dark");
    assert_quiet(page, url);
    await assert_looks(browser, url);
}

async function one_size_one_thread(browser) {
    const file = join(work, "one.csv");
    measure(file, "--scene", "uniform", "--n", "300", "--threads", "1");
    const url = make_page(file);
    const page = await open(browser, url);
    assert.equal(await plot_texts(page, "scene-1", "growth"), "");
    assert_has(await plot_texts(page, "scene-1", "ratios"), 1, "×", "ratios");
    assert_quiet(page, url);
    await assert_looks(browser, url);
}

async function hostile_rows(browser) {
    const url = make_page(join(source, "tests/page/hostile.csv"));
    const page = await open(browser, url);
    const shown = new Map((await table_rows(page, "scene-1")).map((row) => [row.name, row]));
    const evil = '<img src=x onerror="alert(3)">,\ntwo lines';
    assert.deepEqual(new Set(shown.keys()),
        new Set(["auto", "</script><script>alert(2)</script>", evil, "__proto__", "{{$&}}${name}"]));
    assert.deepEqual([...shown.values()].filter((row) => row.odd).map((row) => row.name), [evil]);
    assert.deepEqual(shown.get(evil).cells.map((cell) => cell.text),
        ["2", "3", "2.50", "30.0%", "5.00×", "–", "–", "–", "–", "490", "–", "–", "12"]);
    assert.deepEqual(shown.get("auto").cells.map((cell) => cell.text),
        ["2", "3", "0.50", "1.0%", "1.00×", "0.10", "0.20", "0.15", "0.050", "500", "3.00", "1.00", "–"]);
    assert.ok(shown.get("__proto__").cells.slice(1).every((cell) => cell.text === "–"));
    assert.equal(await page.value("document.querySelector('#scene-1 h2').textContent"),
        `<b>bold</b> & "quoted", 'single'.csv: points in 2-D`);
    assert.equal(await page.value("document.querySelectorAll('img, b, i, script:not(:nth-last-of-type(-n + 4))').length"), 0);

    // Only the first scene was measured on a busy host.
    assert.match(await page.value("document.querySelector('#scene-1 .busy').textContent"), /0\.85 cores/);
    assert.equal(await page.value("document.querySelector('#scene-2 .busy')"), null);
    assert.match(await page.value("document.querySelector('body > .busy').textContent"), /busy.*\n?1 of 2 scenes/);

    const ratios = await plot_texts(page, "scene-1", "ratios");
    assert_has(ratios, 5, "×", "ratios");
    assert.ok(ratios.some((text) => text.startsWith("≠ <img")), ratios);
    assert.deepEqual(await plot_texts(page, "scene-2", "ratios"), "", "a ratio to nothing");

    // The tooltip of the longest bar is plain text.
    const {x, y} = await page.value(`(() => {
        document.querySelector("#scene-1 .ratios").scrollIntoView({block: "center"});
        const boxes = [...document.querySelectorAll("#scene-1 .ratios svg path")].filter((path) => path.getAttribute("fill") === look.theirs)
            .map((path) => path.getBoundingClientRect()).sort((a, b) => b.width - a.width);
        return {x: boxes[0].x + boxes[0].width / 2, y: boxes[0].y + boxes[0].height / 2};
    })()`);
    await page.send("Input.dispatchMouseEvent", {type: "mouseMoved", x, y});
    await page.value("new Promise((resolve) => setTimeout(resolve, 300))");
    assert.match(await page.value("document.querySelector('#scene-1 .ratios .plot').textContent"), /<img src=x onerror="alert\(3\)">, two lines2.5 ms5×/);
    assert.equal(await page.value("document.querySelectorAll('img').length"), 0);
    assert_quiet(page, url);
    await assert_looks(browser, url);
}

function bad_files() {
    const good = readFileSync(join(source, "tests/page/hostile.csv"), "utf8");
    const cases = [
        ["", /has no column 'input'/],
        [good.replace("median_ms", "seconds"), /has no column 'median_ms'/],
        [good.split("\n")[0] + "\n", /has no rows/],
        [good.replace(",0.5,0.01,", ",fast,0.01,"), /row 1 of .*: median_ms 'fast' is no number/],
        [good.replace(",0.5,0.01,", ",0.5,0.01,7,"), /row 1 of .* has 26 fields, the heading 25/],
        [good.replace(",method,", ",madness,"), /row 1 of .*: kind 'madness'/],
        [good + '"never closed', /quotes do not match/],
    ];
    for (const [text, message] of cases) {
        const file = join(work, "bad.csv");
        writeFileSync(file, text);
        const {status, stderr} = make(file, join(work, "bad.html"));
        assert.equal(status, 1);
        assert.match(stderr, message);
        assert.equal(stderr.trim().split("\n").length, 1, stderr);
    }
}

const browser = new Browser(chromium);
try {
    for (const test of [bad_files, rows_of_the_tool, one_size_one_thread, hostile_rows]) {
        console.log(test.name);
        await test(browser);
    }
} finally {
    await browser.close();
    rmSync(work, {recursive: true});
}
