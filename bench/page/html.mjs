// What the pages of bench share: text as HTML, numbers, and the frame of a self-contained document.
import {readFileSync} from "node:fs";

const beside = (name) => readFileSync(new URL(name, import.meta.url), "utf8");

const escapes = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"};
export const html = (text) => String(text).replace(/[&<>"']/g, (c) => escapes[c]);
export const whole = (value) => value.toLocaleString("en-GB");

// Three significant digits, as in the tool.
export function short(value) {
    const digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.0995 ? 2 : 3;
    return value.toLocaleString("en-GB", {minimumFractionDigits: digits, maximumFractionDigits: digits});
}

// A rounded number, with all digits in its attribute.
export const cell = (value, format) =>
    value === null ? "<td>–</td>" : `<td><data value="${value}">${format(value)}</data></td>`;

// A document that fetches nothing. `script` (the URL of a file) draws the plots of `data`.
export function html_document(title, script, data, body) {
    // "<" in a script must not start or end a tag.
    const json = JSON.stringify(data).replaceAll("<", "\\u003c");
    return `<!DOCTYPE html>
<html lang="en-GB"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${html(title)}</title>
<style>${beside("page.css")}</style></head><body>
${body}
<script type="application/json" id="data">${json}</script>
<script>${beside("node_modules/echarts/dist/echarts.common.min.js")}</script>
<script>${beside("plots.js")}</script>
<script>${readFileSync(script, "utf8")}</script>
</body></html>
`;
}
