// The page: what is shown, and how it is moved, cut, coloured and chosen.

const header = JSON.parse(element("header").textContent);
const {shape, dim, coordinates} = header;
const longest = header.columns[0].quantum * (2 ** header.bits - 1);  // edge of the scene
const whole = (value) => value.toLocaleString("en-GB");
const palette = [[92, 70, 160], [72, 96, 172], [56, 118, 170], [44, 140, 162], [38, 164, 150], [62, 188, 124], [112, 206, 90],
    [180, 222, 52], [253, 231, 60]];  // a lighter viridis
const axes = header.columns.slice(0, dim).map(({low, high}) => ({low, high, extent: (high - low) / longest || 0}));

const view = {frame: 0, frames: [], playing: false, chosen: -1, neighbours: [], yaw: 0, pitch: 0, away: 3, target: [0, 0, 0],
    drawn: 0};
let drawing, pairs, triangles, solids, plots, centres_of;

// --- the data ---

// The value of column c for a row of a frame.
const value_of = (frame, c, row) => header.columns[c].low + header.columns[c].quantum * view.frames[frame].columns[c][row];
const bodies_in = (frame) => shape === "mesh" ? header.elements : header.frames[frame].rows;

// The centre of a body, or a corner of a box (side 0 or 1), in the units of the data.
function position(frame, body, side = undefined) {
    if (shape === "mesh") return [0, 1, 2].map((a) => header.columns[a].low + header.columns[a].quantum * centres_of(frame)[4 * body + a]);
    return axes.map((_, a) => {
        const lower = value_of(frame, a, body);
        if (shape !== "boxes" || side === 0) return lower;
        const upper = value_of(frame, dim + a, body);
        return side === 1 ? upper : (lower + upper) / 2;
    });
}
const radius_of = (frame, body) => "radius" in header ? header.radius : value_of(frame, coordinates, body);

// Colourings: whole numbers per row, or per body.
function make_colourings() {
    const list = header.columns.slice(coordinates).map((column, k) => ({...column, of: (frame) => frame.columns[coordinates + k]}))
        .filter(({low, high}) => high > low);
    const up = header.columns[dim - 1], shift = header.bits > 15 ? 1 : 0;
    list.push({name: "height", low: up.low, quantum: up.quantum * 2 ** shift, top: axes[dim - 1].extent * (2 ** header.bits - 1) / 2 ** shift,
        of: (frame) => shift ? frame.columns[dim - 1].map((q) => q >> 1) : frame.columns[dim - 1]});
    if (pairs) {
        const counts = new Uint16Array(bodies_in(0));
        for (const side of pairs) for (const body of side) if (counts[body] < 32767) ++counts[body];
        list.unshift({name: "neighbours", low: 0, quantum: 1, per_body: true, of: () => counts});
    }
    return list.concat({name: "none", plain: true, low: 0, quantum: 1, of: (frame) => frame.columns[0]});
}
let colourings = [];

// Up to the largest number but for the few outliers above: one in two hundred.
function top_of(colouring) {
    if (colouring.top !== undefined) return colouring.top;
    const counts = new Uint32Array(32768);
    let total = 0;
    for (const frame of view.frames) {
        const numbers = colouring.of(frame);
        for (const number of numbers) ++counts[number];
        total += numbers.length;
    }
    let top = 0, most = 0;
    for (let k = 0, below = 0; k < counts.length; ++k) {
        if (counts[k]) most = k;
        if (below < total * 0.995) top = k;
        below += counts[k];
    }
    return top || most;
}

// The centres of the elements of a mesh.
function make_centres() {
    let last = -1, centres;
    return (frame) => {
        if (frame === last) return centres;
        last = frame;
        const sums = new Float64Array(3 * header.elements), count = new Uint32Array(header.elements);
        const columns = view.frames[frame].columns, [a, b, c, element_of] = triangles;
        element_of.forEach((e, k) => {
            for (let x = 0; x < 3; ++x) sums[3 * e + x] += (columns[x][a[k]] + columns[x][b[k]] + columns[x][c[k]]) / 3;
            ++count[e];
        });
        centres = new Uint16Array(4 * header.elements);
        for (let e = 0; e < header.elements; ++e)
            for (let x = 0; x < 3; ++x) centres[4 * e + x] = Math.round(sums[3 * e + x] / (count[e] || 1));
        return centres;
    };
}

// --- what is uploaded ---

// Four columns as one array; a missing one is 0.
function interleave(columns, rows) {
    const result = new Uint16Array(4 * rows);
    columns.forEach((column, a) => { if (column) for (let k = 0; k < rows; ++k) result[4 * k + a] = column[k]; });
    return result;
}

function upload_frame() {
    const {columns} = view.frames[view.frame], {rows} = header.frames[view.frame];
    const with_radius = shape === "spheres" && !("radius" in header);
    drawing.upload("places", interleave([columns[0], columns[1], dim === 3 && columns[2], with_radius && columns[coordinates]], rows), 4);
    if (shape === "boxes") drawing.upload("uppers", interleave([columns[dim], columns[dim + 1], dim === 3 && columns[5]], rows), 4);
    if (shape === "mesh") drawing.upload("centres", centres_of(view.frame), 4);
    upload_colours();
}

function upload_colours() {
    const colouring = colourings[element("colour").value];
    let numbers = colouring.of(view.frames[view.frame]);
    if (view.neighbours.length && (shape !== "mesh" || colouring.per_body)) {
        numbers = numbers.slice();
        for (const body of view.neighbours) numbers[body] |= 32768;
    }
    drawing.upload("colours", numbers, 1);
}

// --- the picture ---

const colour_of = (name) => {
    const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    return [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);
};

function camera() {
    const s = Math.sin(view.yaw), c = Math.cos(view.yaw), up = Math.sin(view.pitch), flat = Math.cos(view.pitch);
    return {right: [c, s, 0], up: [-up * s, up * c, flat], back: [s * flat, -c * flat, up]};
}

function reset() {
    const extents = [0, 1, 2].map((a) => axes[a]?.extent ?? 0), canvas = element("canvas");
    const aspect = canvas.clientWidth / canvas.clientHeight || 1;
    Object.assign(view, dim === 2 ? {yaw: 0, pitch: Math.PI / 2} : {yaw: 0.5, pitch: 0.35});
    view.target = extents.map((edge) => edge / 2);
    view.away = dim === 2 ? 0.55 * field * Math.max(extents[1], extents[0] / aspect, 0.01)
        : 0.5 * Math.hypot(...extents, 0.01) * Math.hypot(1, field) / Math.min(1, aspect);
    redraw();
}

function draw_bodies() {
    const colouring = colourings[element("colour").value], textures = ["places", shape === "boxes" ? "uppers" : "places", "colours"];
    const options = {plain: colouring.plain ? colour_of("--ours") : [-1, 0, 0]};
    const {rows} = header.frames[view.frame];
    if (shape === "boxes") {
        if (rows) drawing.draw("boxes", 36, textures, {...options, instances: rows});
    } else if (shape === "mesh") {
        drawing.draw("mesh", 3 * header.triangles, ["places", "centres", "colours"],
            {...options, attributes: ["vertices", "elements"], per_body: colouring.per_body ? 1 : 0});
    } else {
        drawing.draw("spheres", rows, textures, options);
    }
}

function draw(ids = null) {
    const {uniforms} = drawing, {right, up, back} = camera(), axis = Number(element("axis").value);
    const size = 10 ** (element("size").value / 100), ink = colour_of("--faint"), cut = [0, 0, 0, 0];
    const radius = shape === "points" ? Math.min(0.02, 0.35 / Math.max(8, bodies_in(view.frame)) ** (1 / dim)) : 0;
    if (axis >= 0) {
        cut[axis] = 1;
        cut[3] = axes[axis].extent * element("cut").value / 1000;
    }
    const column = header.columns[coordinates];
    const radii = shape === "points" ? [radius, 0] : "radius" in header ? [header.radius / longest, 0]
        : shape === "spheres" ? [column.low / longest, column.quantum / longest] : [0, 0];
    Object.assign(uniforms, {
        turn: [0, 1, 2].flatMap((a) => [right[a], up[a], back[a]]), target: view.target, away: view.away, cut, radii, grow: size,
        slab: element("slab").checked ? 0.05 : 9, chosen: view.chosen, highlight: colour_of("--chosen"),
        unit: 1 / (2 ** header.bits - 1), extent: [0, 1, 2].map((a) => axes[a]?.extent ?? 0)});
    drawing.begin(colour_of("--paper"), ids);
    draw_bodies();
    if (ids) return;
    if (solids && element("solids").checked)
        drawing.draw("spheres", header.solids.rows, ["solids", "solids", "colours"],
            {plain: colour_of("--line"), grow: 1, chosen: -1, radii: [header.solids.low / longest, header.solids.quantum / longest]});
    const lines = pairs && element("pairs").checked ? header.pairs.count - header.pairs.across : 0;
    const centres = shape === "mesh" ? ["centres", "centres"] : ["places", shape === "boxes" ? "uppers" : "places"];
    if (lines) drawing.draw("lines", 2 * lines, centres, {plain: ink, attributes: ["lines"]});
    drawing.draw("frame", 24, [], {plain: colour_of("--line")});
}

// Each axis and its ends, beside one of the four parallel edges of the box around the scene: the
// leftmost of z, the lowest of the others.
function place_labels() {
    const {clientWidth: width, clientHeight: height} = element("canvas"), {right, up, back} = camera();
    const step = 10 ** Math.floor(Math.log10(longest)) / 1000, round = (value) => short(Math.round(value / step) * step);
    document.querySelectorAll(".axis").forEach((label, a) => {
        label.hidden = a >= dim;
        if (label.hidden) return;
        let best;
        for (let corner = 0; corner < 4; ++corner) {
            const edges = [0, 1, 2].map((k) => k === a ? 0.5 : (k === (a + 1) % 3 ? corner & 1 : corner >> 1));
            const p = edges.map((edge, k) => edge * (axes[k]?.extent ?? 0) - view.target[k]);
            const dot = (v) => v[0] * p[0] + v[1] * p[1] + v[2] * p[2], z = view.away - dot(back), scale = field * height / 2 / z;
            const x = width / 2 + dot(right) * scale, y = height / 2 - dot(up) * scale;
            if (z > 0 && (!best || (a === 2 ? x < best.x : y > best.y))) best = {x, y};
        }
        label.hidden = !best;
        if (!best) return;
        label.textContent = `${"xyz"[a]}: ${round(axes[a].low)} … ${round(axes[a].high)}`;
        const half = label.clientWidth / 2 + 4, x = Math.min(Math.max(best.x - (a === 2 ? half : 0), half), width - half);
        label.style.transform = `translate(${x}px, ${Math.min(best.y + 4, height - 20)}px) translate(-50%, 0)`;
    });
}

let asked = false;
function redraw() {
    if (asked || !view.frames.length || !drawing) return;
    asked = true;
    requestAnimationFrame(() => {
        asked = false;
        draw();
        place_labels();
        ++view.drawn;
    });
}

// --- time ---

function show_frame(frame) {
    view.frame = Math.min(Math.max(frame, 0), view.frames.length - 1);
    element("frame").value = view.frame;
    const {time} = header.frames[view.frame];
    element("clock").textContent = header.timed ? `t = ${short(time)} (${view.frame + 1} of ${header.frames.length})`
        : `frame ${time} (${view.frame + 1} of ${header.frames.length})`;
    plots?.show(time);
    if (!drawing) return;
    find_neighbours();
    upload_frame();
    show_body();
    redraw();
}

function play(on) {
    view.playing = on && view.frames.length > 1;
    element("play").textContent = view.playing ? "❚❚" : "▶";
    element("play").setAttribute("aria-label", view.playing ? "Stop" : "Play");
    let last = 0;
    const step = (now) => {
        if (!view.playing) return;
        if (now - last > 80) {
            last = now;
            show_frame((view.frame + 1) % view.frames.length);
        }
        requestAnimationFrame(step);
    };
    if (view.playing) requestAnimationFrame(step);
}

// --- the chosen body ---

// By the pairs of the file; else what touches within a quantum; of points the nearest.
function find_neighbours() {
    const had = view.neighbours.length > 0, body = view.chosen, frame = view.frame;
    view.neighbours = [];
    if (body < 0 || body >= bodies_in(frame)) return had;
    const found = view.neighbours;
    if (pairs) {
        const [i, j] = pairs;
        for (let k = 0; k < i.length; ++k) {
            if (i[k] === body) found.push(j[k]);
            else if (j[k] === body) found.push(i[k]);
        }
        return true;
    }
    if (shape === "mesh") return had;
    const slack = header.columns[0].quantum, p = position(frame, body, 0), q = position(frame, body, 1), nearest = [];
    const columns = view.frames[frame].columns, box = shape === "boxes";
    for (let other = 0, rows = bodies_in(frame); other < rows; ++other) {
        if (other === body) continue;
        let gap = 0;
        for (let a = 0; a < dim; ++a) {
            const {low, quantum} = header.columns[a], x = low + quantum * columns[a][other];
            const d = box ? Math.max(0, x - q[a], p[a] - low - quantum * columns[dim + a][other]) : x - p[a];
            gap += d * d;
        }
        gap = Math.sqrt(gap) - (shape === "spheres" ? radius_of(frame, body) + radius_of(frame, other) : 0);
        if (shape !== "points") {
            if (gap <= 2 * slack) found.push(other);
        } else if (nearest.length < 6 || gap < nearest[5].gap) {
            nearest.push({other, gap});
            nearest.sort((a, b) => a.gap - b.gap);
            nearest.length = Math.min(nearest.length, 6);
        }
    }
    found.push(...nearest.map(({other}) => other));
    return true;
}

function show_body() {
    const place = element("body"), body = view.chosen;
    if (body < 0 || body >= bodies_in(view.frame)) {
        if (body >= 0) choose(-1);
        return;
    }
    const facts = [["position", position(view.frame, body).map(short).join(", ")]];
    if (shape !== "mesh")
        header.columns.slice(coordinates).forEach(({name}, k) => facts.push([name, short(value_of(view.frame, coordinates + k, body))]));
    const shown = view.neighbours.slice(0, 24).map(whole).join(", ");
    facts.push([pairs ? "paired with" : shape === "points" ? "nearest" : "touches",
        view.neighbours.length === 0 ? "none" : `${shown}${view.neighbours.length > 24 ? " …" : ""} (${view.neighbours.length})`]);
    place.innerHTML = "<h2></h2><dl></dl>";
    place.firstChild.textContent = `${shape === "mesh" ? "face" : "body"} ${body}`;
    for (const fact of facts) {
        fact.forEach((text, k) => {
            const item = document.createElement(k ? "dd" : "dt");
            item.textContent = text.replaceAll("_", " ");
            place.lastChild.append(item);
        });
    }
}

function choose(body) {
    view.chosen = body;
    if (find_neighbours()) upload_colours();
    if (body < 0) element("body").innerHTML = '<p class="faint">Click a body to see its values and neighbours.</p>';
    else show_body();
    redraw();
}

function body_at(x, y) {
    const canvas = element("canvas"), scale = canvas.width / canvas.clientWidth;
    const at = [Math.floor(x * scale), canvas.height - 1 - Math.floor(y * scale)];
    draw(at);
    const id = drawing.pixel(...at);
    draw();
    return id === 0xffffff ? -1 : id;
}

// --- controls ---

function rotate(x, y) {
    view.yaw -= x;
    view.pitch = Math.min(Math.PI / 2, Math.max(-Math.PI / 2, view.pitch + y));
    redraw();
}
function move(x, y) {
    const {right, up} = camera(), scale = 2 * view.away / field / element("canvas").clientHeight;
    view.target = view.target.map((t, a) => t + scale * (up[a] * y - right[a] * x));
    redraw();
}
function zoom(factor) {
    view.away = Math.min(20, Math.max(0.01, view.away * factor));
    redraw();
}

function listen_to_pointers() {
    const canvas = element("canvas"), down = new Map();
    let moved = 0;
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.exp(event.deltaY * 0.0015)); }, {passive: false});
    canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        if (down.size === 0) moved = 0;
        down.set(event.pointerId, [event.offsetX, event.offsetY]);
    });
    canvas.addEventListener("pointermove", (event) => {
        const before = down.get(event.pointerId);
        if (!before) return;
        const now = [event.offsetX, event.offsetY], x = now[0] - before[0], y = now[1] - before[1];
        moved += Math.abs(x) + Math.abs(y);
        if (down.size === 2) {
            const [other] = [...down].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
            const span = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
            zoom(span(before) / span(now));
            move(x / 2, y / 2);
        } else if (event.shiftKey || event.buttons > 1 || dim === 2) {
            move(x, y);
        } else {
            rotate(x * 0.008, y * 0.008);
        }
        down.set(event.pointerId, now);
    });
    const up = (event) => {
        if (down.delete(event.pointerId) && moved < 5 && event.type === "pointerup") choose(body_at(event.offsetX, event.offsetY));
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
}

function choose_colour() {
    const colouring = colourings[element("colour").value], top = colouring.plain ? 0 : top_of(colouring);
    drawing.uniforms.range = [0, top];
    element("legend").style.visibility = colouring.plain ? "hidden" : "visible";
    element("low").textContent = short(colouring.low);
    const end = colouring.low + colouring.quantum * top;
    element("high").textContent = (colouring.high > end * (1 + 1e-6) ? "≥ " : "") + short(end);
    upload_colours();
    redraw();
}

function choose_slice() {
    const off = element("axis").value < 0;
    for (const id of ["cut", "slab"]) element(id).disabled = off;
    redraw();
}

const next_of = (select) => { select.selectedIndex = (select.selectedIndex + 1) % select.options.length; };
const click = (id) => element(id).click();
const move_cut = (by) => { element("cut").value = Number(element("cut").value) + by; redraw(); };
function slice_across(axis) {
    if (axis >= dim) return;
    element("axis").value = Number(element("axis").value) === axis ? -1 : axis;
    choose_slice();
}
const keys = {
    " ": () => play(!view.playing), ArrowLeft: () => show_frame(view.frame - 1), ArrowRight: () => show_frame(view.frame + 1),
    Home: () => show_frame(0), End: () => show_frame(view.frames.length - 1),
    a: () => rotate(-0.1, 0), d: () => rotate(0.1, 0), w: () => rotate(0, 0.1), s: () => rotate(0, -0.1),
    "+": () => zoom(0.85), "=": () => zoom(0.85), "-": () => zoom(1 / 0.85),
    c: () => { next_of(element("colour")); choose_colour(); },
    x: () => slice_across(0), y: () => slice_across(1), z: () => slice_across(2), "[": () => move_cut(-20), "]": () => move_cut(20),
    p: () => pairs && click("pairs"), r: reset, Escape: () => choose(-1),
};

function listen() {
    listen_to_pointers();
    document.addEventListener("keydown", (event) => {
        const busy = event.target.closest("select, summary") || (event.target.closest("input") && /Arrow|Home|End| /.test(event.key)) ||
            (event.target.closest("button") && event.key === " ");
        if (busy || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
        event.preventDefault();
        keys[event.key]();
    });
    element("play").addEventListener("click", () => play(!view.playing));
    element("frame").addEventListener("input", ({target}) => { play(false); show_frame(Number(target.value)); });
    element("colour").addEventListener("change", choose_colour);
    element("axis").addEventListener("change", choose_slice);
    for (const id of ["cut", "slab", "size", "pairs", "solids"]) element(id).addEventListener("input", redraw);
    element("reset").addEventListener("click", reset);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    element("canvas").addEventListener("webglcontextlost", () => say("The graphics were lost. Reload the page."));
    new ResizeObserver(fit).observe(element("canvas"));
}

function fit() {
    const canvas = element("canvas"), scale = Math.min(2, devicePixelRatio);
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * scale));
    canvas.height = Math.max(1, Math.round(canvas.clientHeight * scale));
    redraw();
}

const say = (text) => { element("message").textContent = text; };

function introduce() {
    const {frames, title} = header, most = Math.max(...frames.map((_, k) => bodies_in(k)));
    const word = shape === "mesh" ? "faces" : shape, across = header.pairs?.across;
    document.title = `${title} · Vicinal`;
    element("title").textContent = title;
    element("about").textContent = `${whole(most)} ${word}, ${whole(frames.length)} ${frames.length === 1 ? "frame" : "frames"}` +
        `${header.pairs ? `, ${whole(header.pairs.count)} pairs` : ""}${across ? ` (${whole(across)} across periodic faces: no lines)` : ""}; ` +
        `coordinates within ${short(header.columns[0].quantum / 2)}`;
    element("frame").max = frames.length - 1;
    element("time").hidden = frames.length === 1;
    element("with_pairs").hidden = !header.pairs;
    element("with_solids").hidden = !header.solids;
    for (let a = 0; a < dim; ++a) element("axis").add(new Option("xyz"[a], a));
    element("legend").querySelector("i").style.background = `linear-gradient(90deg, ${palette.map((rgb) => `rgb(${rgb})`)})`;
}

async function unpack_rest() {
    if (header.triangles !== undefined) {
        triangles = await unpack_words("triangles", header.triangles, 4);
        const vertices = new Uint32Array(3 * header.triangles), elements = new Uint32Array(3 * header.triangles);
        for (let k = 0; k < vertices.length; ++k) {
            vertices[k] = triangles[k % 3][Math.floor(k / 3)];
            elements[k] = triangles[3][Math.floor(k / 3)];
        }
        drawing.buffer("vertices", vertices);
        drawing.buffer("elements", elements);
        centres_of = make_centres();
    }
    if (header.solids) {
        solids = await new FrameUnpacker().next("solids", header.solids.rows, 4);
        drawing.upload("solids", interleave(solids, header.solids.rows), 4);
    }
    if (header.pairs) {
        pairs = await unpack_words("pairs", header.pairs.count, 2);
        const lines = new Uint32Array(2 * (header.pairs.count - header.pairs.across));
        for (let k = 0; k < lines.length; ++k) lines[k] = pairs[k & 1][k >> 1];
        drawing.buffer("lines", lines);
    }
}

async function start() {
    introduce();
    if (header.series) {
        plots = new Plots(element("plots"), header.series, await unpack_floats("series"), (time) => {
            const {frames} = header;
            let best = 0;
            frames.forEach((frame, k) => { if (Math.abs(frame.time - time) < Math.abs(frames[best].time - time)) best = k; });
            play(false);
            show_frame(best);
        });
        plots.show(header.frames[0].time);
    }
    try {
        drawing = new Drawing(element("canvas"));
    } catch {
        return say("The bodies cannot be drawn: this browser has no WebGL 2, or it is turned off. Try a current Firefox, Chromium or Safari.");
    }
    drawing.uniforms.palette = palette.flat().map((c) => c / 255);
    await unpack_rest();
    const unpacker = new FrameUnpacker(), {frames} = header;
    for (let k = 0; k < frames.length; ++k) {
        view.frames.push({columns: await unpacker.next(`frame${k}`, frames[k].rows, header.columns.length)});
        if (k > 0) {
            say(`Unpacking … ${k + 1} of ${frames.length}`);
            continue;
        }
        colourings = make_colourings();
        colourings.forEach(({name}, index) => element("colour").add(new Option(name.replaceAll("_", " "), index)));
        listen();
        fit();
        reset();
        choose_colour();
        show_frame(0);
    }
    choose_colour();  // its range is that of all frames
    say("");
}
view.ready = start();
