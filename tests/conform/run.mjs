// Runs the recorded cases through the npm package, the Python package or the component: `node tests/conform/run.mjs
// RUNTIME DIR CALLS`. CALLS has the files of sequences as calls.
//
// Prints the lines of `cases.mjs`. `cargo xtask conform --through RUNTIME` compares them with the recording and with
// the native core. All runtimes use the same files and adaptors. They differ only in how they load the package.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { answers } from "./cases.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const RUNTIMES = {
  async node(files) {
    return answers(files, await import("../../pkg/index.js"));
  },

  /** Runs Deno without permissions. It can import local modules, and the cases come through a pipe. */
  async deno(files) {
    const { program, run } = await import("../consumers/harness/programs.mjs");
    return run(program("deno"), ["run", "--no-prompt", "--no-config", "--quiet", here("./piped.mjs")], { input: JSON.stringify(files) });
  },

  async bun(files) {
    const { program, run } = await import("../consumers/harness/programs.mjs");
    return run(program("bun"), [here("./piped.mjs")], { input: JSON.stringify(files) });
  },

  async workerd(files) {
    const { startWorker } = await import("../consumers/harness/worker.mjs");
    const worker = await startWorker(here("./worker.mjs"));
    try {
      return await (await worker.fetch("http://localhost/", { method: "POST", body: JSON.stringify(files) })).text();
    } finally {
      await worker.stop();
    }
  },

  async "edge-runtime"(files) {
    const { startEdgeFunction } = await import("../consumers/harness/edge.mjs");
    const edge = await startEdgeFunction(here("./edge.mjs"));
    return (await edge.fetch("http://localhost/", { method: "POST", body: JSON.stringify(files) })).text();
  },

  async chromium(files) {
    const [{ launch }, { serve }, { GUARD_MS }] = await Promise.all([
      import("../browser/chromium.mjs"),
      import("../browser/server.mjs"),
      import("../support/until.mjs"),
    ]);
    const server = await serve(here("../../"));
    const browser = await launch();
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(GUARD_MS);
      await page.goto(`${server.address}tests/conform/page.html`);
      return await page.evaluate(async (files) => {
        const [{ answers }, tuckbox] = await Promise.all([import("/tests/conform/cases.mjs"), import("/pkg/web.js")]);
        return answers(files, tuckbox);
      }, files);
    } finally {
      await browser.close();
      server.close();
    }
  },

  /** Runs the adaptors in Node, and their calls in Python. */
  async python(files) {
    const { startPython } = await import("./python.mjs");
    const { tuckbox, stop } = startPython(process.env.PYTHON);
    try {
      return await answers(files, tuckbox);
    } finally {
      stop();
    }
  },

  async component(files) {
    const { componentPackage } = await import("./component.mjs");
    return answers(files, await componentPackage(process.env.COMPONENT));
  },
};

const [, , runtime, dir, calls] = process.argv;
const names = (folder) => readdirSync(folder).filter((name) => name.endsWith(".json"));
const scripts = new Set(names(calls));
const text = (name) => readFileSync(join(scripts.has(name) ? calls : dir, name), "utf8");
const files = Object.fromEntries(
  names(dir)
    .sort()
    .map((name) => [name.slice(0, -".json".length), text(name)]),
);
process.stdout.write(await RUNTIMES[runtime](files));
