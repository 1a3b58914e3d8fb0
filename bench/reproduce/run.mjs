// Runs experiments of the papers one after the other, and keeps each result in a file. A result of the
// same commit and size is not run again, so an interrupted series continues where it was stopped.
//   node run.mjs TOOL FOLDER quick|usual|full COMMIT [NAME...]
import {execFileSync, spawn} from "node:child_process";
import {existsSync, mkdirSync, readFileSync, renameSync, writeFileSync} from "node:fs";
import {all_results, fail, file_of} from "./results.mjs";

const flags = {quick: ["--quick"], usual: [], full: ["--full"]};
const [tool, folder, size, commit, ...chosen] = process.argv.slice(2);
if (!(size in flags) || commit === undefined) fail("usage: node run.mjs TOOL FOLDER quick|usual|full COMMIT [NAME...]");

// The help of the tool lists all experiments, in order.
const known = [...new Set(execFileSync(tool, ["bench", "--help"], {encoding: "utf8"}).match(/\bp[1-5](-[a-z0-9]+)*(\.\d)?\b/g))];
for (const name of chosen)
    if (!known.includes(name)) fail(`unknown experiment '${name}'; known: ${known.join(", ")}`);

function duration(seconds) {
    const whole = Math.round(seconds), two = (value) => String(value).padStart(2, "0");
    return whole < 3600 ? `${Math.floor(whole / 60)}:${two(whole % 60)}`
        : `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}

// Seconds that an experiment takes: those of the last run here, or those of seconds.json.
const expected = JSON.parse(readFileSync(new URL("seconds.json", import.meta.url), "utf8"))[size];
for (const {name, seconds} of all_results(folder, size)) expected[name] = seconds;
const expected_sum = (names) => names.reduce((sum, name) => sum + (expected[name] ?? 0), 0);
// The time of some experiments at this machine's pace, as far as it is known.
function estimate(names, pace) {
    const unknown = names.filter((name) => expected[name] === undefined).length;
    const sum = `about ${duration(expected_sum(names) * pace)}`;
    return unknown === 0 ? sum : unknown === names.length ? "time not known" : `${sum} and ${unknown} of unknown time`;
}

const show = (text) => process.stderr.isTTY && process.stderr.write(`\r\x1b[K${text}`);

// Resolves to the JSON of the experiment, or to null if it failed.
function run(name, progress) {
    return new Promise((resolve) => {
        const child = spawn(tool, ["bench", "--experiment", name, ...flags[size], "--json"], {stdio: ["ignore", "pipe", "inherit"]});
        const ticking = setInterval(progress, 1000);
        let text = "";
        child.stdout.setEncoding("utf8").on("data", (more) => { text += more; });
        child.on("close", (code) => {
            clearInterval(ticking);
            show("");
            resolve(code === 0 ? JSON.parse(text) : null);
        });
    });
}

const names = chosen.length > 0 ? known.filter((name) => chosen.includes(name)) : known;
const missing = names.filter((name) => !existsSync(file_of(folder, name, size, commit)));
mkdirSync(folder, {recursive: true});
if (missing.length < names.length)
    console.error(`${names.length - missing.length} of ${names.length} experiments have results of commit ${commit}`);
const failed = [];
let spent = 0, foreseen = 0;  // seconds, of the experiments that have ended
for (const [k, name] of missing.entries()) {
    // This machine may be slower or faster than the expected seconds say.
    const pace = foreseen > 0 ? spent / foreseen : 1;
    const left = expected_sum(missing.slice(k)) * pace;
    const title = `[${k + 1}/${missing.length}] ${name}`;
    console.error(`${title}: ${estimate([name], pace)}; all that is left: ${estimate(missing.slice(k), pace)}`);
    const start = Date.now(), seconds = () => (Date.now() - start) / 1000;
    const table = await run(name, () => show(`${title}: ${duration(seconds())}, about ${duration(Math.max(0, left - seconds()))} left`));
    if (table === null) {
        failed.push(name);
        continue;
    }
    spent += seconds();
    foreseen += expected[name] ?? seconds();
    const file = file_of(folder, name, size, commit);
    const result = {name, order: known.indexOf(name), size, commit, date: new Date().toISOString(), seconds: seconds(), table};
    writeFileSync(`${file}.part`, JSON.stringify(result, null, 1) + "\n");
    renameSync(`${file}.part`, file);  // never half a result
}
if (failed.length > 0) fail(`failed: ${failed.join(", ")}; the others have their results in ${folder}`);
