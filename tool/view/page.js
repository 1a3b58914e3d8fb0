// The page: how bodies are moved, cut, coloured and chosen.

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const whole = (value) => value.toLocaleString("en-GB");
const palette = [[92, 70, 160], [72, 96, 172], [56, 118, 170], [44, 140, 162], [38, 164, 150], [62, 188, 124], [112, 206, 90],
    [180, 222, 52], [253, 231, 60]];  // a lighter viridis
const canvas = $("canvas");
const view = {frame: 0, playing: false, chosen: -1, neighbours: [], yaw: 0, pitch: 0, away: 3, target: [0, 0, 0]};
const advice = "Try a current Firefox, Chromium or Safari.";
const say = (text) => { $("message").textContent = text; };
let drawing, plots, colourings = [];

const colouring = () => colourings[$("colour").value];
const colour_of = (name) => {
    const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    return [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);
};

// --- the picture ---

function upload_frame() {
    const q = unpacked[view.frame], {rows} = frames[view.frame], solid = dim === 3;
    drawing.upload("places", interleave([q[0], q[1], solid && q[2], is.spheres && !header.radius && q[coordinates]], rows), 4);
    if (is.boxes) drawing.upload("uppers", interleave([q[dim], q[dim + 1], solid && q[5]], rows), 4);
    if (is.mesh) drawing.upload("centres", centres_of(view.frame), 4);
    upload_colours();
}

function upload_colours() {
    let numbers = colouring().of(view.frame);
    if (view.neighbours.length && (!is.mesh || colouring().per_body)) {
        numbers = numbers.slice();
        for (const body of view.neighbours) numbers[body] |= 32768;
    }
    drawing.upload("colours", numbers, 1);
}

function camera() {
    const s = Math.sin(view.yaw), c = Math.cos(view.yaw), up = Math.sin(view.pitch), flat = Math.cos(view.pitch);
    return {right: [c, s, 0], up: [-up * s, up * c, flat], back: [s * flat, -c * flat, up]};
}

function reset() {
    const aspect = canvas.clientWidth / canvas.clientHeight || 1;
    Object.assign(view, dim === 2 ? {yaw: 0, pitch: Math.PI / 2} : {yaw: 0.5, pitch: 0.35});
    view.target = extents.map((edge) => edge / 2);
    view.away = dim === 2 ? 0.55 * field * Math.max(extents[1], extents[0] / aspect, 0.01)
        : 0.5 * Math.hypot(...extents, 0.01) * Math.hypot(1, field) / Math.min(1, aspect);
    redraw();
}

// With `pixel`, the bodies there in the colours of their indices.
function draw(pixel) {
    const {right, up, back} = camera(), axis = Number($("axis").value), cut = [0, 0, 0, 0], {rows} = frames[view.frame];
    if (axis >= 0) {
        const side = back[axis] < 0 ? -1 : 1;  // what hides the slice from the camera is cut away
        cut[axis] = side;
        cut[3] = side * axes[axis].extent * $("cut").value / 1000;
    }
    const {low, quantum} = is.spheres && !header.radius ? columns[coordinates]
        : {low: header.radius ?? longest * Math.min(0.02, (pairs ? 0.12 : 0.35) / Math.max(8, rows) ** (1 / dim)), quantum: 0};
    Object.assign(drawing.uniforms, {
        turn: [0, 1, 2].flatMap((a) => [right[a], up[a], back[a]]), target: view.target, away: view.away, cut, extent: extents,
        radii: [low / longest, quantum / longest], grow: 10 ** ($("size").value / 100), slab: $("slab").checked ? 0.05 : 9,
        chosen: view.chosen, highlight: colour_of("--chosen"), unit: 1 / top_number});
    drawing.begin(colour_of("--paper"), pixel);
    const centres = is.mesh ? ["centres", "centres"] : ["places", is.boxes ? "uppers" : "places"];
    const {plain, per_body} = colouring(), paint = plain ? {plain: colour_of("--ours")} : {};
    if (is.mesh)
        drawing.draw("mesh", 3 * header.triangles, ["places", "centres", "colours"],
            {...paint, attributes: ["vertices", "elements"], per_body: per_body || plain ? 1 : 0});
    else if (rows)
        drawing.draw(is.boxes ? "boxes" : "spheres", is.boxes ? 36 : rows, [...centres, "colours"], {...paint, instances: is.boxes && rows});
    if (pixel) return;
    const {solids} = header, faint = colour_of("--line"), lines = $("pairs").checked && pairs ? header.pairs.count - header.pairs.across : 0;
    if (solids && $("solids").checked)
        drawing.draw("spheres", solids.rows, ["solids", "solids", "colours"],
            {plain: faint, grow: 1, chosen: -1, radii: [solids.low / longest, solids.quantum / longest]});
    if (lines) drawing.draw("lines", 2 * lines, centres, {plain: colour_of("--pair"), attributes: ["lines"]});
    drawing.draw("frame", 24, [], {plain: faint});
}

// Each axis and its ends, beside one of the four parallel edges of the box around the scene: the
// leftmost of z, the lowest of the others.
function place_labels() {
    const {clientWidth: width, clientHeight: height} = canvas, {right, up, back} = camera();
    const step = 10 ** Math.round(Math.log10(longest)) / 1000, round = (value) => short(Math.round(value / step) * step);
    document.querySelectorAll(".axis").forEach((label, a) => {
        let best;
        for (let corner = 0; corner < 4 && a < dim; ++corner) {
            const p = extents.map((edge, k) => edge * (k === a ? 0.5 : k === (a + 1) % 3 ? corner & 1 : corner >> 1) - view.target[k]);
            const dot = (v) => v[0] * p[0] + v[1] * p[1] + v[2] * p[2], z = view.away - dot(back), scale = field * height / 2 / z;
            const x = width / 2 + dot(right) * scale, y = height / 2 - dot(up) * scale;
            if (z > 0 && (!best || (a === 2 ? x < best.x : y > best.y))) best = {x, y};
        }
        label.hidden = !best;
        if (!best) return;
        label.textContent = `${"xyz"[a]}: ${round(axes[a].low)} … ${round(axes[a].high)}`;
        const half = label.clientWidth / 2 + 4, x = best.x + Math.sign(best.x - width / 2) * half;
        label.style.transform = `translate(${clamp(x, half, width - half)}px, ${Math.min(best.y + 4, height - 20)}px) translate(-50%)`;
    });
}

let asked = false;
function redraw() {
    if (asked || !unpacked.length) return;
    asked = true;
    requestAnimationFrame(() => {
        asked = false;
        draw();
        place_labels();
    });
}

// --- time ---

function show_frame(frame) {
    view.frame = clamp(frame, 0, unpacked.length - 1);
    $("frame").value = view.frame;
    const {time} = frames[view.frame];
    $("clock").textContent = `${header.timed ? "time" : "frame"} ${short(time)} (${view.frame + 1} of ${frames.length})`;
    plots?.show(time);
    choose(view.chosen);
    upload_frame();
}

// The frame at about this time.
function go_to(time) {
    const gaps = frames.map((frame) => Math.abs(frame.time - time));
    play(false);
    show_frame(gaps.indexOf(Math.min(...gaps)));
}

function play(on) {
    view.playing = on && unpacked.length > 1;
    $("play").textContent = view.playing ? "❚❚" : "▶";
    $("play").ariaLabel = view.playing ? "Stop" : "Play";
    let last = 0;
    const step = (now) => {
        if (!view.playing) return;
        if (now - last > 80) {
            last = now;
            show_frame((view.frame + 1) % unpacked.length);
        }
        requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
}

// --- the chosen body ---

function choose(body) {
    const {frame} = view, had = view.neighbours.length;
    view.chosen = body < bodies_in(frame) ? body : -1;
    view.neighbours = view.chosen < 0 ? [] : neighbours_of(frame, body);
    if (had || view.neighbours.length) upload_colours();
    redraw();
    if (view.chosen < 0) return $("body").replaceChildren(tag("p", "Click a body to see its values and neighbours."));
    const facts = tag("dl"), count = view.neighbours.length;
    const add = (name, value) => facts.append(tag("dt", name.replaceAll("_", " ")), tag("dd", value));
    add("position", position(frame, body).map(short).join(", "));
    if (!is.mesh) columns.slice(coordinates).forEach(({name}, k) => add(name, short(value_of(frame, coordinates + k, body))));
    add(pairs ? "paired with" : is.points ? "nearest" : "touches",
        count ? `${view.neighbours.slice(0, 24).map(whole).join(", ")}${count > 24 ? " …" : ""} (${whole(count)})` : "none");
    $("body").replaceChildren(tag("h2", `${is.mesh ? "face" : "body"} ${whole(body)}`), facts);
}

function body_at(x, y) {
    const scale = canvas.width / canvas.clientWidth, at = [Math.floor(x * scale), canvas.height - 1 - Math.floor(y * scale)];
    draw(at);
    const id = drawing.pixel(...at);
    draw();
    return id === 0xffffff ? -1 : id;
}

// --- controls ---

function rotate(x, y) {
    view.yaw -= x;
    view.pitch = clamp(view.pitch + y, -Math.PI / 2, Math.PI / 2);
    redraw();
}
function move(x, y) {
    const {right, up} = camera(), scale = 2 * view.away / field / canvas.clientHeight;
    view.target = view.target.map((t, a) => t + scale * (up[a] * y - right[a] * x));
    redraw();
}
function zoom(factor) {
    view.away = clamp(view.away * factor, 0.01, 20);
    redraw();
}

function listen_to_pointers() {
    const down = new Map();
    let moved = 0;
    const on = (name, act) => canvas.addEventListener(name, act, {passive: false});
    on("contextmenu", (event) => event.preventDefault());
    on("wheel", (event) => { event.preventDefault(); zoom(Math.exp(event.deltaY * 0.0015)); });
    on("pointerdown", ({pointerId, offsetX, offsetY}) => {
        canvas.setPointerCapture(pointerId);
        if (!down.size) moved = 0;
        down.set(pointerId, [offsetX, offsetY]);
    });
    on("pointermove", ({pointerId, offsetX, offsetY, shiftKey, buttons}) => {
        const before = down.get(pointerId), now = [offsetX, offsetY];
        if (!before) return;
        const x = now[0] - before[0], y = now[1] - before[1], other = [...down.keys()].find((id) => id !== pointerId);
        moved += Math.abs(x) + Math.abs(y);
        if (other !== undefined) {
            const at = down.get(other), span = (p) => Math.hypot(p[0] - at[0], p[1] - at[1]) || 1;
            zoom(span(before) / span(now));
            move(x / 2, y / 2);
        } else if (shiftKey || buttons > 1 || dim === 2) move(x, y);
        else rotate(x * 0.008, y * 0.008);
        down.set(pointerId, now);
    });
    on("pointerup", ({pointerId, offsetX, offsetY}) => {
        if (down.delete(pointerId) && moved < 5) choose(body_at(offsetX, offsetY));
    });
    on("pointercancel", ({pointerId}) => down.delete(pointerId));
}

function choose_colour() {
    const {low, high, quantum, plain} = colouring(), top = plain ? 1 : top_of(colouring()), end = low + quantum * top;
    drawing.uniforms.range = [0, top];
    $("legend").style.visibility = plain ? "hidden" : "";
    $("low").textContent = short(low);
    $("high").textContent = (high > end * (1 + 1e-6) ? "≥ " : "") + short(end);
    upload_colours();
    redraw();
}

function choose_slice() {
    $("cut").disabled = $("slab").disabled = $("axis").value < 0;
    redraw();
}

const move_cut = (by) => { $("cut").value = Number($("cut").value) + by; redraw(); };
function slice_across(axis) {
    if (axis < dim) $("axis").value = Number($("axis").value) === axis ? -1 : axis;
    choose_slice();
}
const keys = {
    " ": () => play(!view.playing), ArrowLeft: () => show_frame(view.frame - 1), ArrowRight: () => show_frame(view.frame + 1),
    Home: () => show_frame(0), End: () => show_frame(unpacked.length - 1),
    a: () => rotate(-0.1, 0), d: () => rotate(0.1, 0), w: () => rotate(0, 0.1), s: () => rotate(0, -0.1),
    "+": () => zoom(0.85), "-": () => zoom(1 / 0.85),
    c: () => { $("colour").value = (Number($("colour").value) + 1) % colourings.length; choose_colour(); },
    x: () => slice_across(0), y: () => slice_across(1), z: () => slice_across(2), "[": () => move_cut(-20), "]": () => move_cut(20),
    p: () => $("pairs").click(), r: reset, Escape: () => choose(-1),
};

function listen() {
    listen_to_pointers();
    document.addEventListener("keydown", (event) => {
        const {key, target} = event, own = /Arrow|Home|End| /.test(key) ? "input, button" : "none";  // keys of the element itself
        if (target.closest(`select, summary, ${own}`) || event.ctrlKey || event.metaKey || event.altKey || !keys[key]) return;
        event.preventDefault();
        keys[key]();
    });
    const on = (name, act, ...ids) => ids.forEach((id) => $(id).addEventListener(name, act));
    on("click", () => play(!view.playing), "play");
    on("click", reset, "reset");
    on("input", ({target}) => { play(false); show_frame(Number(target.value)); }, "frame");
    on("input", choose_colour, "colour");
    on("input", choose_slice, "axis");
    on("input", redraw, "cut", "slab", "size", "pairs", "solids");
    on("webglcontextlost", () => say("The graphics were lost. Reload the page."), "canvas");
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    new ResizeObserver(fit).observe(canvas);
}

function fit() {
    const scale = Math.min(2, devicePixelRatio);
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * scale));
    canvas.height = Math.max(1, Math.round(canvas.clientHeight * scale));
    redraw();
}

// --- the start ---

function introduce() {
    const {title, pairs: lines, solids} = header, most = Math.max(...frames.map((_, k) => bodies_in(k)));
    document.title = `${title} · Vicinal`;
    $("title").textContent = title;
    $("about").textContent = `${whole(most)} ${is.mesh ? "faces" : shape}, ${whole(frames.length)} ${frames.length > 1 ? "frames" : "frame"}` +
        (lines ? `, ${whole(lines.count)} pairs` : "") + (lines?.across ? ` (${whole(lines.across)} across periodic faces: no lines)` : "") +
        `; coordinates within ${short(columns[0].quantum / 2)}`;
    $("frame").max = frames.length - 1;
    $("time").hidden = frames.length < 2;
    $("with_pairs").hidden = !lines;
    $("with_solids").hidden = !solids;
    $("with_size").hidden = is.boxes || is.mesh;
    axes.forEach((_, a) => $("axis").add(new Option("xyz"[a], a)));
    $("scale").style.background = `linear-gradient(90deg, ${palette.map((rgb) => `rgb(${rgb})`)})`;
}

async function unpack_rest() {
    const {solids, pairs: {count, across} = {}} = header;
    if (is.mesh) {
        triangles = await unpack_words("triangles", header.triangles, 4);
        centres_of = make_centres();
        const corners = Uint32Array.from({length: 3 * header.triangles}, (_, k) => triangles[k % 3][Math.floor(k / 3)]);
        drawing.buffer("vertices", corners);
        drawing.buffer("elements", corners.map((_, k) => triangles[3][Math.floor(k / 3)]));
    }
    if (solids) drawing.upload("solids", interleave(await new FrameUnpacker().next("solids", solids.rows, 4), solids.rows), 4);
    if (count === undefined) return;
    pairs = await unpack_words("pairs", count, 2);
    drawing.buffer("lines", Uint32Array.from({length: 2 * (count - across)}, (_, k) => pairs[k & 1][k >> 1]));
}

async function start() {
    introduce();
    const {series} = header;
    if (series) {
        plots = new Plots($("plots"), series, await unpack_floats("series", series.rows * (1 + 2 * series.names.length)), go_to);
        plots.show(frames[0].time);
    }
    try {
        drawing = new Drawing(canvas);
    } catch {
        return say(`The bodies cannot be drawn: this browser has no WebGL 2, or it is turned off. ${advice}`);
    }
    if (frames.some(({rows}) => rows > drawing.max_texels)) return say("These are more bodies than the graphics can hold.");
    drawing.uniforms.palette = palette.flat().map((c) => c / 255);
    await unpack_rest();
    const unpacker = new FrameUnpacker();
    for (let k = 0; k < frames.length; ++k) {
        unpacked.push(await unpacker.next(`frame${k}`, frames[k].rows, columns.length));
        say(`Unpacking … ${k + 1} of ${frames.length}`);
        if (k) continue;
        colourings = make_colourings();
        colourings.forEach(({name}, index) => $("colour").add(new Option(name.replaceAll("_", " "), index)));
        listen();
        fit();
        reset();
        choose_colour();
        show_frame(0);
    }
    choose_colour();  // its range is that of all frames
    say("");
}
view.ready = start().catch((error) => {
    say(`The page cannot be shown: ${error.message}. ${advice}`);
    throw error;
});
