// Reads the numbers that tool/view_pack.cpp packed.
"use strict";

const $ = (id) => document.getElementById(id);

async function bytes_of(id) {
    const script = $(`packed_${id}`), text = atob(script.textContent), packed = new Uint8Array(text.length);
    for (let k = 0; k < text.length; ++k) packed[k] = text.charCodeAt(k);
    script.remove();  // frees its memory
    const {readable, writable} = new DecompressionStream("gzip"), writer = writable.getWriter();
    writer.write(packed);
    writer.close();
    const bytes = new Uint8Array(new DataView(packed.buffer).getUint32(packed.length - 4, true));  // the size is at the end
    let at = 0;
    for await (const chunk of readable) {
        bytes.set(chunk, at);
        at += chunk.length;
    }
    return bytes;
}

// What became z: 0, -1, 1, -2, 2, ...
const unzigzag = (z) => (z >>> 1) ^ -(z & 1);

// Frames in the order of time: columns of whole numbers.
class FrameUnpacker {
    #last = [];
    #before_last = [];

    async next(id, rows, count) {
        const bytes = await bytes_of(id), columns = [];
        for (let c = 0, at = count; c < count; ++c, at += 2 * rows) {
            const order = bytes[c], last = this.#last[c], before = this.#before_last[c];
            const numbers = new Uint16Array(rows);  // adds modulo 2^16
            for (let k = 0; k < rows; ++k) {
                const z = bytes[at + k] | bytes[at + rows + k] << 8;
                numbers[k] = order === 0 ? z : unzigzag(z) + (order === 1 ? last[k] : 2 * last[k] - before[k]);
            }
            columns.push(numbers);
        }
        this.#before_last = this.#last;
        this.#last = columns;
        return columns;
    }
}

async function unpack_words(id, rows, count) {
    const bytes = await bytes_of(id), columns = [];
    for (let c = 0, at = 0; c < count; ++c, at += 4 * rows) {
        const numbers = new Uint32Array(rows);
        for (let k = 0, above = 0; k < rows; ++k) {
            const z = bytes[at + k] | bytes[at + rows + k] << 8 | bytes[at + 2 * rows + k] << 16 |
                bytes[at + 3 * rows + k] << 24;
            numbers[k] = above += unzigzag(z);
        }
        columns.push(numbers);
    }
    return columns;
}

const unpack_floats = async (id, count) => new Float32Array((await unpack_words(id, count, 1))[0].buffer);
