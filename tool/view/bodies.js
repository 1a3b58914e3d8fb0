// What the page holds: frames of bodies as whole numbers, and what follows from them.

const header = JSON.parse($("header").textContent);
const {shape, dim, coordinates, columns, frames} = header;
const top_number = 2 ** header.bits - 1;
const longest = columns[0].quantum * top_number;  // edge of the scene
const axes = columns.slice(0, dim).map(({low, high}) => ({low, high, extent: (high - low) / longest}));
const extents = [0, 1, 2].map((a) => axes[a]?.extent ?? 0);
const is = Object.fromEntries(["points", "spheres", "boxes", "mesh"].map((word) => [word, word === shape]));

const unpacked = [];  // columns of each frame
let pairs, triangles, centres_of;

const bodies_in = (frame) => is.mesh ? header.elements : frames[frame].rows;
const value_of = (frame, c, row) => columns[c].low + columns[c].quantum * unpacked[frame][c][row];
const radius_of = (frame, body) => header.radius ?? value_of(frame, coordinates, body);

// The centre of a body, or a corner of a box (side 0 or 1), in the units of the data.
function position(frame, body, side) {
    return axes.map(({low}, a) => {
        if (is.mesh) return low + columns[a].quantum * centres_of(frame)[4 * body + a];
        const lower = value_of(frame, a, body), upper = is.boxes ? value_of(frame, dim + a, body) : lower;
        return side === 0 ? lower : side === 1 ? upper : (lower + upper) / 2;
    });
}

// By the pairs of the file; else what touches within two quanta; of points the nearest.
function neighbours_of(frame, body) {
    const found = [], near = [];
    if (pairs) {
        const [i, j] = pairs;
        for (let k = 0; k < i.length; ++k) {
            if (i[k] === body) found.push(j[k]);
            else if (j[k] === body) found.push(i[k]);
        }
        return found;
    }
    if (is.mesh) return found;
    const p = position(frame, body, 0), q = position(frame, body, 1), slack = 2 * columns[0].quantum;
    for (let other = 0; other < frames[frame].rows; ++other) {
        if (other === body) continue;
        let gap = 0;
        for (let a = 0; a < dim; ++a) {
            const x = value_of(frame, a, other), y = is.boxes ? value_of(frame, dim + a, other) : x;
            gap += Math.max(0, x - q[a], p[a] - y) ** 2;
        }
        gap = Math.sqrt(gap) - (is.spheres ? radius_of(frame, body) + radius_of(frame, other) : 0);
        if (!is.points) {
            if (gap <= slack) found.push(other);
        } else if (near.length < 6 || gap < near[5].gap) {
            near.push({other, gap});
            near.sort((a, b) => a.gap - b.gap).splice(6);
        }
    }
    return found.concat(near.map(({other}) => other));
}

// Four columns as one array; a missing one is 0.
function interleave(list, rows) {
    const result = new Uint16Array(4 * rows);
    list.forEach((column, a) => { if (column) for (let k = 0; k < rows; ++k) result[4 * k + a] = column[k]; });
    return result;
}

// The centres of the elements of a mesh.
function make_centres() {
    const [a, b, c, element] = triangles, count = header.elements;
    let last, centres;
    return (frame) => {
        if (frame === last) return centres;
        last = frame;
        const sizes = new Uint32Array(count), sums = [0, 1, 2].map(() => new Float64Array(count));
        element.forEach((e, k) => {
            ++sizes[e];
            sums.forEach((sum, x) => { const q = unpacked[frame][x]; sum[e] += (q[a[k]] + q[b[k]] + q[c[k]]) / 3; });
        });
        centres = interleave(sums.map((sum) => sum.map((s, e) => Math.round(s / sizes[e]))), count);
        return centres;
    };
}

// Colourings: whole numbers below 2^15 of each row, or of each body.
function make_colourings() {
    const up = columns[dim - 1], half = header.bits > 15 ? 2 : 1;
    const list = [{name: "height", low: up.low, quantum: up.quantum * half, top: axes[dim - 1].extent * top_number / half,
        of: (frame) => half > 1 ? unpacked[frame][dim - 1].map((q) => q >> 1) : unpacked[frame][dim - 1]}];
    columns.forEach((column, c) => {
        if (c >= coordinates && column.high > column.low && column.name !== "radius") list.push({...column, of: (frame) => unpacked[frame][c]});
    });
    if (pairs) {
        const counts = new Uint16Array(bodies_in(0));
        for (const side of pairs) for (const body of side) counts[body] = Math.min(counts[body] + 1, 32767);
        list.unshift({name: "neighbours", low: 0, quantum: 1, per_body: true, of: () => counts});
    }
    return list.concat({name: "none", plain: true, low: 0, quantum: 1, of: (frame) => new Uint16Array(bodies_in(frame))});
}

// The largest number, without the few outliers above: one in two hundred.
function top_of(colouring) {
    if (colouring.top) return colouring.top;
    const counts = new Uint32Array(32768);
    let total = 0, top = 0, below = 0, most = 0;
    unpacked.forEach((_, frame) => { for (const number of colouring.of(frame)) ++counts[number], ++total; });
    counts.forEach((count, k) => {
        if (count) most = k;
        if (count && below < total * 0.995) top = k;
        below += count;
    });
    return top || most;
}
