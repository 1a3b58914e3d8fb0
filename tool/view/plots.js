// Small plots of the columns of series.csv, with a cursor that follows the time.

const tag = (name, text = "") => Object.assign(document.createElement(name), {textContent: text});

function short(value) {
    const size = Math.abs(value);
    return size && (size < 1e-3 || size >= 1e6) ? value.toExponential(2) : value.toLocaleString("en-GB", {maximumSignificantDigits: 4});
}

// Times and, of each column, the least and the largest values of its rows.
class Plots {
    #plots = [];
    #times;

    constructor(place, {rows, names}, values, go_to) {
        this.#times = values.subarray(0, rows);
        names.forEach((name, k) => {
            const at = rows * (1 + 2 * k), low = values.subarray(at, at + rows), high = values.subarray(at + rows, at + 2 * rows);
            this.#add(place, name, low, high, go_to);
        });
    }

    #add(place, name, low, high, go_to) {
        const first = this.#times[0], length = this.#times.at(-1) - first || 1;
        let least = Infinity, most = -Infinity;
        for (let k = 0; k < low.length; ++k) {
            if (low[k] < least) least = low[k];
            if (high[k] > most) most = high[k];
        }
        const x = (time) => (100 * (time - first) / length).toFixed(2);
        const y = (value) => (most > least ? 39 - 38 * (value - least) / (most - least) : 20).toFixed(2);
        let path = "M";
        this.#times.forEach((time, k) => { path += `${x(time)} ${y(low[k])} ${high[k] === low[k] ? "" : `${x(time)} ${y(high[k])} `}`; });
        const figure = tag("figure");
        figure.innerHTML = `<figcaption><span></span><output></output></figcaption>
<svg viewBox="0 0 100 40" preserveAspectRatio="none" role="img"><path d="${path}"/><line y2="40"/></svg>
<small><span>${short(least)}</span><span>${short(most)}</span></small>`;
        figure.querySelector("span").textContent = name.replaceAll("_", " ");
        const svg = figure.querySelector("svg");
        svg.ariaLabel = `${name} over time, from ${short(least)} to ${short(most)}`;
        svg.addEventListener("click", ({offsetX}) => go_to(first + length * offsetX / svg.clientWidth));
        place.append(figure);
        this.#plots.push({low, high, x, line: figure.querySelector("line"), output: figure.querySelector("output")});
    }

    // Moves the cursor to the last row up to this time.
    show(time) {
        let row = 0;
        while (row + 1 < this.#times.length && this.#times[row + 1] <= time * (1 + 1e-6)) ++row;
        for (const {low, high, x, line, output} of this.#plots) {
            const at = Math.min(100, Math.max(0, x(time)));
            line.setAttribute("x1", at);
            line.setAttribute("x2", at);
            output.textContent = low[row] === high[row] ? short(low[row]) : `${short(low[row])} … ${short(high[row])}`;
        }
    }
}
