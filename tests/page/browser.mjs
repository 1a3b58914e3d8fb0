// Controls headless Chromium by its debugging protocol over a pipe, without a port or a library.
import {spawn} from "node:child_process";
import {mkdtempSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

export class Browser {
    #replies = new Map();
    #listeners = new Set();
    #sent = 0;

    constructor(program, flags = ["--disable-gpu"]) {
        this.folder = mkdtempSync(join(tmpdir(), "vicinal-page-"));
        // The sandbox needs privileges that containers lack; the pages are trusted.
        this.process = spawn(program, ["--headless=new", "--no-sandbox", ...flags, "--disable-dev-shm-usage",
            "--no-first-run", `--user-data-dir=${this.folder}`, "--remote-debugging-pipe"],
            {stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"]});
        let said = "";
        this.process.stderr.on("data", (text) => { said += text; });
        this.process.on("exit", () => {
            for (const {reject} of this.#replies.values()) reject(new Error(`${program} ended: ${said}`));
        });
        let rest = "";
        this.process.stdio[4].setEncoding("utf8").on("data", (text) => {
            const messages = (rest + text).split("\0");
            rest = messages.pop();
            for (const message of messages) this.#receive(JSON.parse(message));
        });
    }

    #receive({id, result, error, ...event}) {
        if (id === undefined) {
            for (const listener of this.#listeners) listener(event);
            return;
        }
        const {resolve, reject} = this.#replies.get(id);
        this.#replies.delete(id);
        if (error) reject(new Error(error.message));
        else resolve(result);
    }

    send(method, params = {}, sessionId = undefined) {
        const id = ++this.#sent;
        this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + "\0");
        return new Promise((resolve, reject) => this.#replies.set(id, {resolve, reject}));
    }

    async open(url, {width = 1200, height = 900, scheme = "light"} = {}) {
        const {targetId} = await this.send("Target.createTarget", {url: "about:blank"});
        const {sessionId} = await this.send("Target.attachToTarget", {targetId, flatten: true});
        const send = (method, params) => this.send(method, params, sessionId);
        const page = new Page(send);
        const loaded = new Promise((resolve) => this.#listeners.add((event) => {
            if (event.sessionId !== sessionId) return;
            page.hear(event);
            if (event.method === "Page.loadEventFired") resolve();
        }));
        for (const domain of ["Page", "Runtime", "Log", "Network"]) await send(`${domain}.enable`);
        await page.resize(width, height);
        await page.prefer(scheme);
        await send("Page.navigate", {url});
        await loaded;
        return page;
    }

    async close() {
        const ended = new Promise((resolve) => this.process.on("exit", resolve));
        await this.send("Browser.close").catch(() => {});
        await ended;
        rmSync(this.folder, {recursive: true, force: true, maxRetries: 5});
    }
}

class Page {
    complaints = [];  // of scripts, the console and the log
    requests = [];    // addresses

    constructor(send) { this.send = send; }

    hear({method, params}) {
        if (method === "Runtime.exceptionThrown")
            this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
        if (method === "Runtime.consoleAPICalled")
            this.complaints.push(params.args.map((arg) => arg.value ?? arg.description).join(" "));
        if (method === "Page.javascriptDialogOpening") {
            this.complaints.push(`a dialogue opened: ${params.message}`);
            this.send("Page.handleJavaScriptDialog", {accept: true});
        }
        if (method === "Log.entryAdded") this.complaints.push(params.entry.text);
        if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    }

    resize(width, height) {
        return this.send("Emulation.setDeviceMetricsOverride", {width, height, deviceScaleFactor: 1, mobile: false});
    }

    prefer(scheme) {
        return this.send("Emulation.setEmulatedMedia", {features: [{name: "prefers-color-scheme", value: scheme}]});
    }

    // The value of an expression in the page.
    async value(expression) {
        const {result, exceptionDetails} = await this.send("Runtime.evaluate", {expression, returnByValue: true, awaitPromise: true});
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        return result.value;
    }
}
