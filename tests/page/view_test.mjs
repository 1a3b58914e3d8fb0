// Tests the pages of vicinal view in a browser that draws in software: what they hold is what the
// files hold, pictures follow time, colours and controls, bodies are found under the mouse, and
// nothing is fetched or said on the console, for every shape, light and dark, wide and narrow.
//   node view_test.mjs TOOL CHROMIUM
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import {Browser} from "./browser.mjs";
import {assert_quiet, least_contrast} from "./checks.mjs";

const [tool, chromium] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), "vicinal-view-test-"));
const file = (name) => join(work, name);
const run = (...words) => execFileSync(tool, words, {encoding: "utf8", cwd: work});
const view = (...words) => JSON.parse(run("view", ...words, "-o", file("page.html"), "--json"));

async function open(browser, name = "page.html", look = {}) {
    const url = pathToFileURL(file(name)).href, page = await browser.open(url, look);
    page.url = url;
    await page.value("view.ready");
    await settle(page);
    return page;
}
const settle = (page) => page.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))");
const quiet = async (page) => {
    assert_quiet(page, page.url);
    if (await page.value("Boolean(drawing)")) assert.equal(await page.value("canvas.getContext('webgl2').getError()"), 0);
};

// The pixels of the canvas.
async function picture(page) {
    await settle(page);
    const {x, y, width, height} = await page.value("(({x, y, width, height}) => ({x, y, width, height}))(canvas.getBoundingClientRect())");
    const {data} = await page.send("Page.captureScreenshot", {format: "png", clip: {x, y, width, height, scale: 1}});
    return data;
}
async function press(page, key) {
    const text = key.length === 1 ? key : undefined;
    await page.send("Input.dispatchKeyEvent", {type: "keyDown", key, text});
    await page.send("Input.dispatchKeyEvent", {type: "keyUp", key});
    await settle(page);
}
async function click(page, x, y) {
    for (const type of ["mousePressed", "mouseReleased"])
        await page.send("Input.dispatchMouseEvent", {type, x, y, button: "left", clickCount: 1});
    await settle(page);
}

// The arrays of a frame that vicinal run wrote: single precision, after the XML.
function read_vtp(name) {
    const bytes = readFileSync(name), mark = '<AppendedData encoding="raw">\n_', begin = bytes.indexOf(mark) + mark.length;
    const xml = bytes.toString("latin1", 0, begin);
    const arrays = {};
    for (const [, array, components, offset] of xml.matchAll(/type="Float32" Name="(\w+)" NumberOfComponents="(\d)" format="appended" offset="(\d+)"/g)) {
        const at = begin + Number(offset), count = Number(bytes.readBigUInt64LE(at)) / 4;
        const values = Array.from({length: count}, (_, k) => bytes.readFloatLE(at + 8 + 4 * k));
        arrays[array] = Number(components) === 1 ? values : Array.from({length: count / 3}, (_, k) => values.slice(3 * k, 3 * k + 3));
    }
    return arrays;
}
const frames_of = (folder) => [...readFileSync(file(`${folder}/bodies.pvd`), "utf8").matchAll(/timestep="([^"]+)" file="([^"]+)"/g)]
    .map(([, time, name]) => ({time: Number(time), ...read_vtp(file(`${folder}/${name}`))}));

function assert_within(shown, expected, error, what) {
    assert.equal(shown.length, expected.length, what);
    let worst = 0;
    expected.forEach((point, k) => point.forEach((x, a) => {
        worst = Math.max(worst, Math.abs(shown[k][a] - x) - 4e-16 * Math.abs(x));
    }));
    assert.ok(worst <= error * (1 + 1e-9), `${what}: ${worst} is more than ${error}`);
}
const positions = (page, frame) => page.value(`Array.from({length: bodies_in(${frame})}, (_, body) => position(${frame}, body))`);
const column = (page, frame, name) => page.value(`(() => { const c = columns.findIndex(({name}) => name === "${name}");
    return Array.from({length: bodies_in(${frame})}, (_, body) => value_of(${frame}, c, body)); })()`);

// --- what the pages hold ---

async function holds_a_run(browser) {
    run("run", "falling", "--n", "1500", "--steps", "40", "--every", "4", "fill=0.3", "spread=0.3", "-o", "fall");
    const frames = frames_of("fall");
    assert.equal(frames.length, 11);
    for (const bits of [4, 12, 16]) {
        const {error, bodies, frames: shown, bytes} = view("fall", "--bits", String(bits));
        assert.deepEqual([bodies, shown, bytes], [1500, 11, statSync(file("page.html")).size]);
        const extent = Math.max(...[0, 1, 2].map((a) => {
            const all = frames.flatMap(({Points}) => Points.map((point) => point[a]));
            return Math.max(...all) - Math.min(...all);
        }));
        assert.ok(Math.abs(error - extent / (2 ** bits - 1) / 2) < 1e-6 * error, `${error} for an extent of ${extent}`);
        const page = await open(browser);
        for (const [k, frame] of frames.entries()) {
            assert_within(await positions(page, k), frame.Points, error, `positions of frame ${k}, ${bits} bits`);
            assert.deepEqual(await column(page, k, "contacts"), frame.contacts);
            const range = Math.max(...frames[0].radius) - Math.min(...frames[0].radius);
            assert_within((await column(page, k, "radius")).map((r) => [r]), frame.radius.map((r) => [r]), range / (2 ** bits - 1) / 2, "radii");
            const speeds = frame.velocity.map((v) => [Math.hypot(...v)]);
            const fastest = Math.max(...frames.flatMap(({velocity}) => velocity.map((v) => Math.hypot(...v))));
            assert_within((await column(page, k, "speed")).map((s) => [s]), speeds, fastest / 31 / 2, "speeds");
        }
        assert.deepEqual(await page.value("frames.map(({time}) => time)"), frames.map(({time}) => time));
        await quiet(page);
    }
    assert.ok(frames.at(-1).contacts.some((count) => count > 2), "no contacts");
    // What run writes at its end is this page.
    const {error} = view("fall");
    const page = await open(browser, "fall/view.html");
    assert_within(await positions(page, 10), frames[10].Points, error, "the page of the run");
}

// Coordinates that single precision could not tell apart, and frames of different sizes.
async function holds_a_trajectory(browser) {
    const sizes = [50, 50, 30, 70], frames = sizes.map((size, f) => Array.from({length: size}, (_, k) =>
        [1e6 + Math.sin(k + f / 9), -3e6 + Math.cos(7 * k - f / 5), (k * 0.37 + f / 50) % 1]));
    writeFileSync(file("far.xyz"), frames.map((points) =>
        `${points.length}\nProperties=species:S:1:pos:R:3\n${points.map((p) => `A ${p.join(" ")}`).join("\n")}\n`).join(""));
    const {error} = view("far.xyz", "--bits", "16");
    assert.ok(error < 2e-5);
    const page = await open(browser);
    for (const [k, points] of frames.entries()) assert_within(await positions(page, k), points, error, `frame ${k}`);
    await quiet(page);
    const {frames: shown, every} = view("far.xyz", "--every", "3");
    assert.deepEqual([shown, every], [2, 3]);
    const thin = await open(browser);
    assert.deepEqual(await thin.value("frames.map(({time, rows}) => [time, rows])"), [[1, 50], [4, 70]]);
}

// --- what they show ---

async function follows_time_and_colours(browser) {
    const page = await open(browser, "fall/view.html");
    const first = await picture(page);
    assert.ok(await picture(page) === first, "a picture is not the same twice");
    const pictures = new Set([first]), differs = async (what) => {
        const now = await picture(page);
        assert.ok(!pictures.has(now), `${what} changes nothing`);
        pictures.add(now);
    };
    await press(page, "End");
    assert.equal(await page.value("view.frame"), 10);
    await differs("the last frame");
    for (const name of ["speed", "contacts", "none"]) {
        await press(page, "c");
        assert.equal(await page.value("colouring().name"), name);
        await differs(`colour by ${name}`);
    }
    await press(page, "c");
    await press(page, "Home");
    for (const key of ["z", "[", "]", "x", "y", "a", "w", "+", "-"]) {
        if (key === "]" || key === "-") {
            await press(page, key);  // back to where it was
            continue;
        }
        await press(page, key);
        await differs(`key ${key}`);
    }
    await press(page, "y");
    assert.equal(await page.value("$('axis').value"), "-1");
    await press(page, "r");
    assert.ok(await picture(page) === first, "the view does not come back");
    await press(page, "ArrowRight");
    assert.equal(await page.value("view.frame"), 1);
    await press(page, " ");
    assert.equal(await page.value("view.playing"), true);
    await page.value("new Promise((done) => { const wait = () => view.frame > 3 ? done() : setTimeout(wait, 20); wait(); })");
    await press(page, " ");
    assert.equal(await page.value("view.playing"), false);
    // The mouse rotates and zooms.
    const before = await page.value("[view.yaw, view.away]");
    await page.send("Input.dispatchMouseEvent", {type: "mousePressed", x: 300, y: 300, button: "left", clickCount: 1});
    await page.send("Input.dispatchMouseEvent", {type: "mouseMoved", x: 380, y: 320, button: "left", buttons: 1});
    await page.send("Input.dispatchMouseEvent", {type: "mouseReleased", x: 380, y: 320, button: "left", clickCount: 1});
    await page.send("Input.dispatchMouseEvent", {type: "mouseWheel", x: 300, y: 300, deltaX: 0, deltaY: 200});
    await settle(page);
    const [yaw, away] = await page.value("[view.yaw, view.away]");
    assert.ok(yaw < before[0] - 0.3 && away > before[1] * 1.1, `${yaw} ${away} ${before}`);
    await quiet(page);
}

async function plots_the_series(browser) {
    const page = await open(browser, "fall/view.html");
    const [names, ...rows] = readFileSync(file("fall/series.csv"), "utf8").trim().split("\n").map((line) => line.split(","));
    assert.deepEqual(await page.value("[...document.querySelectorAll('figcaption span')].map((e) => e.textContent)"),
        names.filter((name) => !["step", "time"].includes(name)).map((name) => name.replaceAll("_", " ")));
    for (const k of [0, 3, 10]) {
        await page.value(`show_frame(${k})`);
        const row = rows[Math.max(0, 4 * k - 1)];  // step 4 k
        const shown = await page.value("[...document.querySelectorAll('figcaption output')].map((e) => e.textContent)");
        names.slice(2).forEach((name, c) => {
            const value = Number(row[c + 2]), text = Number(shown[c].replaceAll(",", ""));
            assert.ok(Math.abs(text - value) <= 0.006 * Math.abs(value), `${name} at frame ${k}: ${shown[c]} for ${value}`);
        });
    }
    // A click in a plot goes to that time.
    const [x, y] = await page.value("(() => { const {x, y, width, height} = document.querySelector('svg').getBoundingClientRect(); return [x + width / 2, y + height / 2]; })()");
    await click(page, x, y);
    assert.equal(await page.value("view.frame"), 5);
    await quiet(page);
}

// Where the centres of the bodies are in the window, and how far away.
const places_of = (page) => page.value(`(() => {
    const {right, up, back} = camera(), box = canvas.getBoundingClientRect();
    return Array.from({length: bodies_in(view.frame)}, (_, body) => {
        const p = position(view.frame, body).map((x, a) => (x - axes[a].low) / longest - view.target[a]);
        const dot = (v) => v[0] * p[0] + v[1] * p[1] + v[2] * p[2], z = view.away - dot(back), scale = field * box.height / 2 / z;
        return {body, x: box.x + box.width / 2 + dot(right) * scale, y: box.y + box.height / 2 - dot(up) * scale, z};
    });
})()`);

async function finds_bodies(browser) {
    const page = await open(browser, "fall/view.html"), [{Points, radius}] = frames_of("fall").slice(-1);
    await press(page, "End");
    // Those nearest to the camera hide the others.
    const places = await places_of(page), order = [...places].sort((a, b) => a.z - b.z);
    let found = 0;
    for (const {x, y, body} of order.slice(0, 12)) {
        await click(page, x, y);
        const chosen = await page.value("view.chosen"), near = Math.hypot(x - places[chosen]?.x, y - places[chosen]?.y);
        assert.ok(chosen >= 0 && near < 30, `a click on body ${body} chooses ${chosen}`);
        if (chosen !== body) continue;
        ++found;
        const error = 4e-4, gap = (other) => Math.hypot(...[0, 1, 2].map((a) => Points[body][a] - Points[other][a])) - radius[body] - radius[other];
        const shown = await page.value("view.neighbours");
        Points.forEach((_, other) => {
            if (other === body || Math.abs(gap(other)) < 2 * error) return;  // within the precision of the page
            assert.equal(shown.includes(other), gap(other) < 0, `${other} beside ${body}: ${gap(other)}`);
        });
        assert.equal(await page.value("document.querySelector('#body h2').textContent"), `body ${body.toLocaleString("en-GB")}`);
    }
    assert.ok(found >= 6, `only ${found} of 12 bodies are found`);
    await press(page, "Escape");
    assert.equal(await page.value("view.chosen"), -1);
    await click(page, 3, 3);
    assert.equal(await page.value("view.chosen"), -1);
    await quiet(page);
}

// Boxes, a mesh, cells, points in a plane; each with pairs.
async function draws_every_shape(browser) {
    const random = ((seed) => () => (seed = (seed * 16807) % 2147483647) / 2147483647)(7);
    const lines = (count, f) => Array.from({length: count}, (_, k) => f(k).join(",")).join("\n") + "\n";
    writeFileSync(file("boxes.csv"), "x0,y0,z0,x1,y1,z1\n" + lines(300, () => {
        const low = [random(), random(), random()];
        return [...low, ...low.map((x) => x + 0.02 + 0.08 * random())];
    }));
    writeFileSync(file("flat.csv"), "x,y\n" + lines(300, () => [random(), random()]));
    writeFileSync(file("spheres.csv"), "x,y,z,radius\n" + lines(300, () => [random(), random(), random(), 0.01 + 0.06 * random()]));
    const ring = [...Array(24).keys()].map((k) => `v ${Math.cos(k * 2.3)} ${Math.sin(k * 1.7)} ${k / 24}`);
    writeFileSync(file("mesh.obj"), ring.join("\n") + "\n" + [...Array(21).keys()].map((k) => `f ${k + 1} ${k + 2} ${k + 4}`).join("\n") + "\n");
    run("pairs", "boxes.csv", "--boxes", "-o", "boxes.pairs.csv");
    run("pairs", "flat.csv", "--cutoff", "0.05", "--domain", "periodic:1,1", "-o", "flat.pairs.csv");
    run("pairs", "spheres.csv", "--radius", "column", "-o", "spheres.pairs.npy");
    run("pairs", "mesh.obj", "--boxes", "-o", "mesh.pairs.csv");
    for (const [input, pairs, shape] of [["boxes.csv", "boxes.pairs.csv", "boxes"], ["flat.csv", "flat.pairs.csv", "points"],
        ["spheres.csv", "spheres.pairs.npy", "spheres"], ["mesh.obj", "mesh.pairs.csv", "mesh"]]) {
        const summary = view(input, pairs);
        assert.ok(summary.pairs > 10, `${input}: ${summary.pairs} pairs`);
        const page = await open(browser);
        assert.equal(await page.value("shape"), shape);
        assert.equal(await page.value("colouring().name"), "neighbours");
        await page.value("$('size').value = -60, redraw()");  // spheres hide the lines within them
        const with_pairs = await picture(page);
        await press(page, "p");
        const without = await picture(page);
        assert.ok(with_pairs !== without, `${input}: no lines`);
        await press(page, "c");
        assert.ok(await picture(page) !== without, `${input}: no colours`);
        if (pairs.endsWith(".csv")) {
            const rows = readFileSync(file(pairs), "utf8").trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
            const expected = rows.flatMap(([i, j]) => i === 5 ? [j] : j === 5 ? [i] : []).sort();
            await page.value("choose(5)");
            assert.deepEqual((await page.value("view.neighbours")).sort(), expected);
            const across = rows.filter(([, , ...image]) => image.some((n) => n !== 0)).length;
            assert.equal(await page.value("header.pairs.across"), across);
            assert.equal(across > 0, input === "flat.csv");
        }
        await quiet(page);
    }
    // Two tetrahedra with a common face, over time as a folder of frames.
    const vtu = (top) => `<VTKFile type="UnstructuredGrid" byte_order="LittleEndian"><UnstructuredGrid>
<Piece NumberOfPoints="5" NumberOfCells="2"><Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">
0 0 0 1 0 0 0 1 0 0 0 1 ${top} ${top} ${top}</DataArray></Points><Cells>
<DataArray type="Int64" Name="connectivity" format="ascii">0 1 2 3 1 2 3 4</DataArray>
<DataArray type="Int64" Name="offsets" format="ascii">4 8</DataArray>
<DataArray type="UInt8" Name="types" format="ascii">10 10</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>`;
    mkdirSync(file("cells"));
    for (const top of [1, 2]) writeFileSync(file(`cells/${top}.vtu`), vtu(top));
    writeFileSync(file("cells/bodies.pvd"), `<Collection><DataSet timestep="0" file="1.vtu"/><DataSet timestep="0.5" file="2.vtu"/></Collection>`);
    view("cells", "--bits", "16");
    const cells = await open(browser);
    assert.deepEqual(await cells.value("[header.elements, header.triangles]"), [2, 6]);
    const before = await picture(cells);
    await press(cells, "End");
    assert.ok(await picture(cells) !== before, "the mesh does not move");
    // Of the three outer faces of the upper cell, two vertices of each are fixed.
    assert_within([await cells.value("position(1, 1)")], [[(2 + 2 / 3) / 3, (2 + 2 / 3) / 3, (2 + 2 / 3) / 3]], 1e-4, "centre of a cell");
    await quiet(cells);
    view("mesh.obj", "--boxes");
    assert.equal(await (await open(browser)).value("shape"), "boxes");
}

async function looks_well(browser) {
    for (const look of [{}, {scheme: "dark"}, {width: 360}, {width: 360, scheme: "dark"}]) {
        const page = await open(browser, "fall/view.html", look);
        await page.value("choose(7)");
        assert.ok(await page.value("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways");
        const contrast = await least_contrast(page);
        assert.ok(contrast >= 4.5, `${JSON.stringify(look)}: contrast ${contrast}`);
        const corner = await page.value("(draw(), drawing.pixel(2, 2))");
        assert.equal(corner, look.scheme === "dark" ? 0x1b1815 : 0xffffff, "the background of the picture");
        assert.ok(await page.value("canvas.clientWidth") > 200);
        await page.resize(700, 900);
        await settle(page);
        assert.ok(await page.value("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways");
        await quiet(page);
    }
}

async function distrusts_files(browser) {
    const evil = "<img src=x onerror=alert(1)>";
    writeFileSync(file("a<b>&'.csv"), `x,y,z,${evil},</script>\n0,0,0,1,5\n1,1,1,2,7\n`);
    view("a<b>&'.csv");
    const page = await open(browser);
    await page.value("choose(1)");
    assert.equal(await page.value("document.querySelectorAll('img').length"), 0);
    assert.equal(await page.value("$('title').textContent"), "a<b>&'.csv");
    assert.ok((await page.value("$('body').textContent")).includes(evil));
    await quiet(page);
}

// One body, none, all in one place.
async function opens_little(browser) {
    for (const rows of ["", "1,2,3\n", "1,2,3\n1,2,3\n1,2,3\n"]) {
        writeFileSync(file("few.csv"), "x,y,z\n" + rows);
        view("few.csv");
        const page = await open(browser);
        assert.equal(await page.value("bodies_in(0)"), rows.split("\n").length - 1);
        await picture(page);
        await quiet(page);
        const code = await page.value("[...document.scripts].filter(({type}) => type === '').map(({text}) => text.length)");
        assert.ok(code.length === 1 && code[0] > 10000 && code[0] <= 30000, `${code} bytes of code`);
    }
}

async function opens_much(browser) {
    run("scene", "uniform", "--n", "1000000", "-o", "million.npy");
    view("million.npy");
    const million = await open(browser);
    assert.equal(await million.value("bodies_in(0)"), 1000000);
    await picture(million);
    await quiet(million);
    run("run", "falling", "--n", "100000", "--steps", "30", "--every", "1", "-o", "large");
    const {bytes, frames} = view("large");
    assert.equal(frames, 31);
    assert.ok(bytes <= 13e6, `${bytes} bytes`);
    const page = await open(browser), frame = 30, {Points} = frames_of("large")[frame];
    const error = await page.value("columns[0].quantum / 2");
    assert_within(await positions(page, frame), Points, error, "100,000 spheres");
    await press(page, "End");
    const seconds = await page.value("(() => { const begin = performance.now(); show_frame(15); draw(); drawing.pixel(0, 0); return (performance.now() - begin) / 1000; })()");
    console.log(`  100,000 spheres, 31 frames: ${(bytes / 1e6).toFixed(1)} MB, a frame in ${seconds.toFixed(2)} s`);
    await quiet(page);
}

// Without WebGL the page says so, and still plots the series.
async function says_what_it_needs() {
    const browser = new Browser(chromium, ["--disable-gpu", "--disable-3d-apis"]);
    try {
        const page = await open(browser, "fall/view.html");
        assert.match(await page.value("$('message').textContent"), /no WebGL 2/);
        assert.ok(await page.value("document.querySelectorAll('svg path').length") > 5);
        await quiet(page);
    } finally {
        await browser.close();
    }
}

const browser = new Browser(chromium, ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]);
try {
    for (const test of [holds_a_run, holds_a_trajectory, follows_time_and_colours, plots_the_series, finds_bodies, draws_every_shape,
        looks_well, distrusts_files, opens_little, opens_much, says_what_it_needs]) {
        const begin = Date.now();
        await test(browser);
        console.log(`${test.name} ${((Date.now() - begin) / 1000).toFixed(1)} s`);
    }
} finally {
    await browser.close();
    rmSync(work, {recursive: true});
}
