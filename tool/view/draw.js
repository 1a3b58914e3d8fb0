// Draws bodies with WebGL 2. Shaders fetch them by index from textures, so that one upload per
// frame serves bodies, lines and picking. Lengths are over the longest edge of the scene.

const row_bits = 11;  // of an index in a texture: 2048 texels a row
const field = 2.4;    // focal length over half the height of the window

const common_glsl = `#version 300 es
precision highp float; precision highp int; precision highp usampler2D;
uniform vec2 window;        // pixels
uniform mat3 turn;
uniform vec3 target;        // the camera looks at it
uniform float away;         // its distance
vec2 lens() { return ${field} * vec2(window.y / window.x, 1); }
float depth(float z) {      // 0 to 1 within 2 of the target
    float near = max(away - 2., .01 * away), far = away + 2.;
    return (far + near * far / z) / (far - near);
}
`;
const vertex_glsl = common_glsl + `
uniform usampler2D places, uppers, colours;
uniform float unit;         // length of a quantum
uniform vec2 radii;         // the radius for 0, and of a quantum
uniform float grow;         // of radii
uniform vec2 range;         // numbers of the first and the last colour
uniform vec3 palette[9];
uniform vec3 plain;         // a colour, if not negative
uniform int ids;            // 1: the colour is the index
uniform int chosen;         // an index; -1: none
uniform vec3 highlight;
uniform vec4 cut;           // an axis, and what is cut away: dot(axis, p) > w
uniform float slab;         // thickness of what is left
flat out vec3 colour;
ivec2 at(int i) { return ivec2(i & ${(1 << row_bits) - 1}, i >> ${row_bits}); }
vec3 place(int i) { return unit * vec3(texelFetch(places, at(i), 0).xyz); }
vec3 upper(int i) { return unit * vec3(texelFetch(uppers, at(i), 0).xyz); }
vec3 eye(vec3 p) { return turn * (p - target) - vec3(0, 0, away); }
bool is_cut(vec3 p) { float d = dot(cut.xyz, p) - cut.w; return dot(cut.xyz, cut.xyz) > 0. && (d > 0. || d < -slab); }
vec4 clip(vec3 e) { return vec4(e.xy * lens(), (2. * depth(min(e.z, -1e-6)) - 1.) * -e.z, -e.z); }
const vec4 nowhere = vec4(0, 0, 2, 1);
vec3 paint(int i, int body) {
    if (ids == 1) return vec3(body & 255, body >> 8 & 255, body >> 16) / 255.;
    if (body == chosen) return highlight;
    if (plain.r >= 0.) return plain;
    uint number = texelFetch(colours, at(i), 0).r;
    if (number >= 32768u) return mix(highlight, vec3(.6), .4);  // a neighbour of the chosen one
    float x = 8. * clamp((float(number) - range.x) / max(range.y - range.x, 1.), 0., 1.);
    return mix(palette[int(x)], palette[min(int(x) + 1, 8)], fract(x));
}
`;
const fragment_glsl = common_glsl + `
uniform int ids;
flat in vec3 colour;
out vec4 result;
const vec3 light = normalize(vec3(-.4, .6, .7));
vec4 shade(vec3 normal) {
    return vec4(ids == 1 ? colour : colour * (.45 + .6 * max(dot(normal, light), 0.)), 1);
}
`;

const programs_glsl = {
    // A point sprite in which each pixel meets a sphere or not.
    spheres: [`
flat out vec4 ball;
void main() {
    uvec4 q = texelFetch(places, at(gl_VertexID), 0);
    vec3 p = unit * vec3(q.xyz), c = eye(p);
    float r = grow * (radii.x + radii.y * float(q.w));
    gl_PointSize = 1.;
    gl_Position = nowhere;
    if (is_cut(p) || -c.z < 1.01 * r) return;
    float slope = length(c.xy) / -c.z, wide = r * inversesqrt(dot(c, c) - r * r);
    gl_PointSize = 1. + window.y * ${field} * wide * (1. + slope * slope) / max(1. - slope * wide, .1);
    ball = gl_PointSize < 2.5 ? vec4(c, -1) : vec4(c, r);
    gl_Position = clip(c);
    colour = paint(gl_VertexID, gl_VertexID);
}`, `
flat in vec4 ball;
void main() {
    vec3 ray = vec3((2. * gl_FragCoord.xy / window - 1.) / lens(), -1), c = ball.xyz;
    float rr = ball.w * ball.w;
    if (ball.w < 0.) { gl_FragDepth = depth(c.z); result = shade(light); return; }
    float along = dot(ray, c) / dot(ray, ray);
    vec3 off = along * ray - c;
    float inside = rr - dot(off, off);
    if (inside < 0.) discard;
    vec3 hit = ray * (along - sqrt(inside / dot(ray, ray)));
    gl_FragDepth = depth(hit.z);
    result = shade((hit - c) / ball.w);
}`],
    // An instance per box, six vertices per side.
    boxes: [`
out vec3 normal; out vec2 side;
void main() {
    int i = gl_InstanceID, face = gl_VertexID / 6, axis = face >> 1, k = int[6](0, 1, 2, 2, 1, 3)[gl_VertexID % 6];
    vec3 a = place(i), b = upper(i), w = vec3(0), n = vec3(0);
    w[axis] = float(face & 1);
    w[(axis + 1) % 3] = float(k & 1);
    w[(axis + 2) % 3] = float(k >> 1);
    n[axis] = 2. * w[axis] - 1.;
    side = vec2(k & 1, k >> 1);
    normal = turn * n;
    gl_Position = is_cut(.5 * (a + b)) ? nowhere : clip(eye(mix(a, b, w)));
    colour = paint(i, i);
}`, `
in vec3 normal; in vec2 side;
void main() {
    vec2 edge = min(side, 1. - side) / max(fwidth(side), 1e-6);
    result = shade(normal);
    if (ids == 0) result.rgb *= mix(.6, 1., clamp(min(edge.x, edge.y), 0., 1.));
}`],
    mesh: [`
layout(location = 0) in uint vertex; layout(location = 1) in uint body;
uniform int per_body;
out vec3 seen;
void main() {
    vec3 p = place(int(vertex));
    seen = eye(p);
    gl_Position = is_cut(upper(int(body))) ? nowhere : clip(seen);
    colour = paint(per_body == 1 ? int(body) : int(vertex), int(body));
}`, `
in vec3 seen;
void main() {
    vec3 n = cross(dFdx(seen), dFdy(seen));
    result = shade(dot(n, n) > 0. ? normalize(n) : light);
}`],
    // Between the centres of bodies: uppers are places, if those are centres.
    lines: [`
layout(location = 0) in uint body;
void main() {
    vec3 p = .5 * (place(int(body)) + upper(int(body)));
    gl_Position = is_cut(p) ? nowhere : clip(eye(p));
    colour = plain;
}`, `void main() { result = vec4(colour, 1); }`],
    // The twelve edges of the box around the scene.
    frame: [`
uniform vec3 extent;
void main() {
    int edge = gl_VertexID / 2, axis = edge / 4, k = edge % 4;
    vec3 w = vec3(0);
    w[axis] = float(gl_VertexID & 1);
    w[(axis + 1) % 3] = float(k & 1);
    w[(axis + 2) % 3] = float(k >> 1);
    gl_Position = clip(eye(w * extent));
    colour = plain;
}`, `void main() { result = vec4(colour, 1); }`],
};

class Drawing {
    #gl;
    #programs = {};
    #textures = {};
    #buffers = {};
    uniforms = {turn: [1, 0, 0, 0, 1, 0, 0, 0, 1], target: [0, 0, 0], away: 3, radii: [0, 0], grow: 1, range: [0, 1],
        palette: [], chosen: -1, highlight: [1, .3, .1], cut: [0, 0, 0, 0], slab: 9, unit: 1, extent: [1, 1, 1]};

    constructor(canvas) {
        const gl = this.#gl = canvas.getContext("webgl2", {antialias: false, alpha: false});
        if (!gl) throw new Error("no WebGL 2");
        gl.disable(gl.DITHER);
        gl.enable(gl.DEPTH_TEST);
        gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
        this.max_texels = gl.getParameter(gl.MAX_TEXTURE_SIZE) << row_bits;
    }

    #program(name) {
        if (this.#programs[name]) return this.#programs[name];
        const gl = this.#gl, program = gl.createProgram();
        programs_glsl[name].forEach((source, k) => {
            const shader = gl.createShader(k ? gl.FRAGMENT_SHADER : gl.VERTEX_SHADER);
            gl.shaderSource(shader, (k ? fragment_glsl : vertex_glsl) + source);
            gl.compileShader(shader);
            gl.attachShader(program, shader);
        });
        gl.linkProgram(program);
        if (!gl.getProgramParameter(program, gl.LINK_STATUS))
            throw new Error(gl.getProgramInfoLog(program) + gl.getAttachedShaders(program).map((s) => gl.getShaderInfoLog(s)));
        const at = {};
        for (let k = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); k-- > 0;) {
            const {name: full, type} = gl.getActiveUniform(program, k), word = full.replace("[0]", "");
            at[word] = {type, location: gl.getUniformLocation(program, full)};
        }
        return this.#programs[name] = {program, at};
    }

    // Numbers of 16 bits, one or four per texel.
    upload(name, numbers, channels) {
        const gl = this.#gl, flat = gl.TEXTURE_2D, width = 1 << row_bits, texels = numbers.length / channels;
        const format = channels === 1 ? gl.RED_INTEGER : gl.RGBA_INTEGER;
        let texture = this.#textures[name];
        gl.activeTexture(gl.TEXTURE0);
        if (!texture || texture.texels !== texels) {
            if (texture) gl.deleteTexture(texture.texture);
            texture = this.#textures[name] = {texels, texture: gl.createTexture()};
            gl.bindTexture(flat, texture.texture);
            gl.texStorage2D(flat, 1, channels === 1 ? gl.R16UI : gl.RGBA16UI, width, Math.max(1, Math.ceil(texels / width)));
            for (const filter of ["MIN", "MAG"]) gl.texParameteri(flat, gl[`TEXTURE_${filter}_FILTER`], gl.NEAREST);
        }
        gl.bindTexture(flat, texture.texture);
        const full = texels >> row_bits, rest = texels - full * width, type = gl.UNSIGNED_SHORT;
        if (full) gl.texSubImage2D(flat, 0, 0, 0, width, full, format, type, numbers);
        if (rest) gl.texSubImage2D(flat, 0, 0, full, rest, 1, format, type, numbers.subarray(full * width * channels));
    }

    buffer(name, indices) {
        const gl = this.#gl;
        this.#buffers[name] = gl.createBuffer();
        gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffers[name]);
        gl.bufferData(gl.ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    }

    // Starts a picture. `ids`: colours are indices, and only this pixel is drawn.
    begin(background, ids = null) {
        const gl = this.#gl;
        this.uniforms.window = [gl.drawingBufferWidth, gl.drawingBufferHeight];
        this.uniforms.ids = ids ? 1 : 0;
        gl.viewport(0, 0, ...this.uniforms.window);
        if (ids) gl.enable(gl.SCISSOR_TEST), gl.scissor(...ids, 1, 1);
        else gl.disable(gl.SCISSOR_TEST);
        gl.clearColor(...(ids ? [1, 1, 1] : background), 1);
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    }

    // `textures`: of places, uppers and colours; `attributes`: buffers of indices.
    draw(name, count, textures, {instances = 0, attributes = [], ...uniforms} = {}) {
        const gl = this.#gl, {program, at} = this.#program(name);
        const setters = {[gl.FLOAT]: "1f", [gl.FLOAT_VEC2]: "2fv", [gl.FLOAT_VEC3]: "3fv", [gl.FLOAT_VEC4]: "4fv"};
        gl.useProgram(program);
        textures.forEach((texture, unit) => {
            gl.activeTexture(gl.TEXTURE0 + unit);
            gl.bindTexture(gl.TEXTURE_2D, this.#textures[texture].texture);
        });
        const values = {plain: [-1, 0, 0], places: 0, uppers: 1, colours: 2, ...this.uniforms, ...uniforms};
        for (const [word, {type, location}] of Object.entries(at)) {
            const value = values[word];
            if (type === gl.FLOAT_MAT3) gl.uniformMatrix3fv(location, false, value);
            else gl[`uniform${setters[type] ?? "1i"}`](location, value);
        }
        attributes.forEach((buffer, k) => {
            gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffers[buffer]);
            gl.enableVertexAttribArray(k);
            gl.vertexAttribIPointer(k, 1, gl.UNSIGNED_INT, 0, 0);
        });
        if (instances) gl.drawArraysInstanced(gl.TRIANGLES, 0, count, instances);
        else gl.drawArrays(name === "spheres" ? gl.POINTS : name === "mesh" ? gl.TRIANGLES : gl.LINES, 0, count);
        attributes.forEach((_, k) => gl.disableVertexAttribArray(k));
    }

    pixel(x, y) {
        const gl = this.#gl, rgba = new Uint8Array(4);
        gl.readPixels(x, y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, rgba);
        return rgba[0] | rgba[1] << 8 | rgba[2] << 16;
    }
}
