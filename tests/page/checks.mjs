// What every page of bench must satisfy in a browser.
import assert from "node:assert/strict";

// A page draws each section in a separate task; ECharts shows it in the next frame.
export const drawn = `new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => done()))))`;

export async function open(browser, url, look = {}) {
    const page = await browser.open(url, look);
    await page.value(drawn);
    return page;
}

// The minimum contrast (WCAG 2.1) of all text on the page and in its plots.
export const least_contrast = (page) => page.value(`(() => {
    const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
    const light = (colour) => {
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((c) => c / 255)
            .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const paper = light(getComputedStyle(document.body).backgroundColor);
    const inks = [...document.querySelectorAll("p, a, th, td, dt, dd, h1, h2, figcaption")].map((e) => getComputedStyle(e).color)
        .concat([...document.querySelectorAll("svg text")].map((e) => getComputedStyle(e).fill));
    return Math.min(...[...new Set(inks)].map(light).map((ink) =>
        (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05)));
})()`);

export function assert_quiet(page, url) {
    assert.deepEqual(page.complaints, []);
    assert.deepEqual([...new Set(page.requests)], [url]);
}

// Nothing is wider than the window, and every plot fills its container.
async function assert_fits(page) {
    assert.ok(await page.value("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways");
    const widths = await page.value("[...document.querySelectorAll('.plot:not([hidden])')].map((plot) => " +
        "[plot.clientWidth, plot.querySelector('svg').clientWidth])");
    for (const [place, plot] of widths) assert.equal(plot, place);
}

export async function assert_looks(browser, url) {
    for (const look of [{}, {scheme: "dark"}, {width: 360}, {width: 360, scheme: "dark"}]) {
        const page = await open(browser, url, look);
        assert.ok(await page.value("document.querySelectorAll('.plot svg path').length") > 3, "no plots");
        assert.ok(await least_contrast(page) >= 4.5, `${JSON.stringify(look)}: contrast ${await least_contrast(page)}`);
        const dark = await page.value("getComputedStyle(document.body).backgroundColor") === "rgb(21, 24, 27)";
        assert.equal(dark, look.scheme === "dark");
        await assert_fits(page);
        await page.resize(700, 900);
        await page.value(drawn);
        await assert_fits(page);
        assert_quiet(page, url);
    }
}
