// One consumer for each runtime and bundler, installed from the tarball. Each packs, previews, commits and reads with a
// store of its platform.
//
// Fast tests run Node, workerd, esbuild and Vite. workerd differs most from Node: it has no files, no code from bytes,
// and alarms instead of timers. esbuild inlines the module as text, and Vite emits it as a file.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, launchWithExtension } from "../browser/chromium.mjs";
import { serve } from "../browser/server.mjs";
import { onlyDeep, SHIPPED } from "../support/deep.mjs";
import { GUARD_MS, until } from "../support/until.mjs";
import { expected } from "./expected.mjs";
import { outputOf } from "./harness/pages.mjs";
import { program, run, startTalking } from "./harness/programs.mjs";
import { CONSUMERS, install, pack } from "./harness/tarball.mjs";
import { startWorker } from "./harness/worker.mjs";

await install(await pack("installed"));

const at = (...parts) => join(CONSUMERS, ...parts);
const node = process.execPath;
const RUNTIMES = "all runtimes and bundlers";
const resultOf = async (consumer, program, args) => JSON.parse(await run(program, args, { cwd: at(consumer) }));

describe("programs", { concurrency: 2 }, () => {
  test("Node with ES modules packs a project in a file", async () => {
    rmSync(at("node-esm/project.json"), { force: true });
    assert.deepEqual(await resultOf("node-esm", node, ["main.js"]), expected);
    assert.deepEqual(await resultOf("node-esm", node, ["main.js"]), expected, "the second run continues with the file of the first");
  });

  test("the `tuckbox` command of the package packs and inspects a project", async () => {
    const cwd = at("node-esm");
    const file = join(mkdtempSync(join(tmpdir(), "tuckbox-command-")), "project.json");
    const started = ["--store", file, "--project", "demo", "--commit"];
    await run(program("tuckbox"), ["call", "create_box", "-", ...started], { cwd, input: '{"box_id": "pb_writer", "card_ids": []}' });
    await run(program("tuckbox"), ["profile", "register", "Writer", "pb_writer", ...started], { cwd });
    const packed = JSON.parse(
      await run(program("tuckbox"), ["pack", "--store", file, "--to", "writer", "--instruction", "Draft it.", "--commit", "--json"], {
        cwd,
      }),
    );
    assert.match(
      await run(program("tuckbox"), ["inspect", packed.value.packed.context_box_id, "--store", file], { cwd }),
      /task\.instruction[^\n]+Draft it\./,
    );
  });

  test("Node with `require` runs a server and its client", onlyDeep(RUNTIMES), async () => {
    assert.deepEqual(await resultOf("node-require", node, ["main.js"]), expected);
  });

  test("TypeScript compiles and runs a custom store", onlyDeep(RUNTIMES), async () => {
    await run(node, [at("../node_modules/typescript/bin/tsc")], { cwd: at("typescript") });
    assert.deepEqual(await resultOf("typescript", node, ["dist/main.js"]), expected);
  });

  test("Deno without permissions packs a project in Deno KV", onlyDeep(RUNTIMES), async () => {
    const args = ["run", "--no-prompt", "--quiet", "main.js"];
    assert.deepEqual(await resultOf("deno", program("deno"), args), expected);
  });

  test("Deno KV satisfies the store contract", onlyDeep(RUNTIMES), async () => {
    const { cases, failed } = await resultOf("deno", program("deno"), ["run", "--no-prompt", "--quiet", "contract.js"]);
    assert.deepEqual(failed, []);
    assert.ok(cases > 30, `${cases} cases`);
  });

  test("Bun runs a server and a client", onlyDeep(RUNTIMES), async () => {
    assert.deepEqual(await resultOf("bun", program("bun"), ["main.js"]), expected);
  });
});

describe("workers", { concurrency: 2 }, () => {
  test("workerd serves a project in a Durable Object over HTTP", async () => {
    const worker = await startWorker(at("workerd/src/worker.js"), {
      bindings: { API_TOKEN: "secret" },
      durableObjects: { PROJECTS: { className: "Project", useSQLite: true } },
    });
    const send = async (method, path, body, token = "secret") => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const response = await worker.fetch(`http://localhost/projects/${path}`, { method, headers, body: body && JSON.stringify(body) });
      return {
        status: response.status,
        value: response.headers.get("content-type")?.includes("json") ? await response.json() : await response.text(),
      };
    };
    const done = async (...request) => {
      const { status, value } = await send(...request);
      assert.ok(status < 300, `${request[1]}: ${status} ${JSON.stringify(value)}`);
      return value;
    };
    try {
      await done("PUT", "demo/profiles", [{ name: "Writer", profile_box_id: "pb_writer" }]);
      const note = (text) => ({ type: "note", author_id: "me", content: { __type__: "TextContent", text } });
      const put = await done("POST", "demo/operations/put_cards/commit", {
        cards: [note("Cards never change."), note("Boxes keep their order.")],
      });
      const box = await done("POST", "demo/operations/create_box/commit", { card_ids: put.value.card_ids });
      const call = {
        tool_suffix: "delegate",
        source_agent_id: "agent_a",
        profile_name: "writer",
        instruction: "Draft it.",
        inherit_box_ids: [box.value.box_id],
      };
      const preview = await done("POST", "demo/operations/pack_context_with_instruction/preview?entries=true", call);
      const why = preview.ledger.boxes[0].entries.map(({ cause }) => cause.kind);
      const { context_box_id } = preview.value.packed;
      assert.equal((await send("GET", `demo/boxes/${context_box_id}/cards`)).status, 404, "a preview writes nothing");

      await done("POST", `demo/operations/pack_context_with_instruction/commit?preview=${encodeURIComponent(preview.preview)}`, call);
      const { cards } = await done("GET", `demo/boxes/${context_box_id}/cards`);
      assert.deepEqual({ why, read: cards.map(({ content }) => content.text ?? content.data) }, expected);

      assert.equal((await send("GET", `demo/boxes/${context_box_id}`, undefined, "guess")).status, 401);
      assert.equal((await send("GET", `other/boxes/${context_box_id}`)).status, 404);
      for (const path of ["%ff/boxes/b", "demo/boxes/%ff"]) assert.equal((await send("GET", path)).status, 400, path);
      assert.equal((await send("GET", "demo")).status, 404);
      assert.deepEqual((await send("PUT", "demo/profiles", [{ name: 7 }])).status, 400);
    } finally {
      await worker.stop();
    }
  });

  test("a Durable Object satisfies the store contract", async () => {
    const worker = await startWorker(at("workerd/src/contract.js"), {
      durableObjects: { CONTRACT: { className: "Contract", useSQLite: true } },
    });
    try {
      const { cases, failed } = await (await worker.fetch("http://localhost/")).json();
      assert.deepEqual(failed, []);
      assert.ok(cases > 30, `${cases} cases`);
    } finally {
      await worker.stop();
    }
  });

  test("a Durable Object satisfies the engine contract", onlyDeep(RUNTIMES), async () => {
    const worker = await startWorker(at("workerd/src/engine.js"), {
      durableObjects: { CONTRACT: { className: "Contract", useSQLite: true } },
    });
    try {
      const { cases, failed } = await (await worker.fetch("http://localhost/")).json();
      assert.deepEqual(failed, []);
      assert.ok(cases > 15, `${cases} cases`);
    } finally {
      await worker.stop();
    }
  });

  test("workerd runs a team of agents in a Durable Object with alarms", async () => {
    const worker = await startWorker(at("workerd/src/team.js"), { durableObjects: { TEAMS: { className: "Team", useSQLite: true } } });
    try {
      const asked = await worker.fetch("http://localhost/demo", {
        method: "POST",
        body: JSON.stringify({ instruction: "What moves a ship?" }),
      });
      const { output_box_id } = await asked.json();
      const look = async () => (await worker.fetch(`http://localhost/demo/${output_box_id}`)).json();
      const seen = await until(
        "the turn has a deliverable, and no alarm is set",
        look,
        ({ delivered, alarm }) => delivered !== null && alarm === null,
      );
      assert.deepEqual(seen, {
        delivered: [
          { name: "summary", value: "success" },
          { name: "output", value: "3 answers" },
        ],
        busy: 0,
        alarm: null,
      });
    } finally {
      await worker.stop();
    }
  });

  test("edge-runtime packs a project of a server", onlyDeep(RUNTIMES), async () => {
    const { startEdgeFunction } = await import("./harness/edge.mjs");
    // this server also uses the installed package
    const { memoryStore, open } = await import("./node_modules/tuckbox/index.js");
    const { fetchHandler, nodeListener } = await import("./node_modules/tuckbox/http.js");
    const store = memoryStore();
    store.project("demo").addProfile({ name: "Writer", profile_box_id: "pb_writer" });
    const authorize = ({ request }) => request.headers.get("authorization") === "Bearer secret";
    const server = createServer(nodeListener(fetchHandler({ open, store, authorize })));
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const TUCKBOX_URL = `http://127.0.0.1:${server.address().port}`;
    const body = JSON.stringify({ instruction: "Draft it.", notes: ["Cards never change.", "Boxes keep their order."] });
    const ask = async (TUCKBOX_TOKEN) => {
      const edge = await startEdgeFunction(at("edge-runtime/api/hand-over.js"), { TUCKBOX_URL, TUCKBOX_TOKEN });
      const response = await edge.fetch("http://localhost/api/hand-over", { method: "POST", body });
      return { status: response.status, value: await response.json() };
    };
    try {
      assert.deepEqual(await ask("secret"), { status: 200, value: expected });
      assert.equal((await ask("guess")).value.error.code, "auth_failed");
    } finally {
      server.close();
    }
  });
});

describe("pages", { concurrency: 2 }, () => {
  let server;
  let browser;
  before(async () => {
    [server, browser] = await Promise.all([serve(CONSUMERS), launch()]);
  });
  after(async () => {
    await browser.close();
    server.close();
  });
  const newContext = async () => {
    const context = await browser.newContext();
    context.setDefaultTimeout(GUARD_MS);
    return context;
  };
  const shown = async (path) => {
    const context = await newContext();
    try {
      return await outputOf(context, new URL(path, server.address).href);
    } finally {
      await context.close();
    }
  };

  test("a page built with Vite packs a project in IndexedDB", async () => {
    await run(program("vite"), ["build", "--base", "./", "--logLevel", "warn"], { cwd: at("vite") });
    assert.deepEqual(await shown("vite/dist/"), expected);
  });

  test("the development server of Vite serves the same page", onlyDeep(RUNTIMES), async () => {
    const { createServer: createDevServer } = await import("vite");
    const dev = await createDevServer({
      root: at("vite"),
      cacheDir: at("../.cache/vite"),
      logLevel: "error",
      optimizeDeps: { force: true },
      server: { host: "127.0.0.1", port: 0, strictPort: false },
    });
    try {
      await dev.listen();
      assert.deepEqual(await shown(dev.resolvedUrls.local[0]), expected);
    } finally {
      await dev.close();
    }
  });

  test("the React example works with a policy against inline styles", onlyDeep(SHIPPED), async () => {
    cpSync(fileURLToPath(new URL("../../examples/react", import.meta.url)), at("deep/react"), { recursive: true });
    await run(program("vite"), ["build", "--logLevel", "error"], { cwd: at("deep/react") });
    const context = await newContext();
    try {
      const page = await context.newPage();
      const complaints = [];
      page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(String(error)));
      await page.goto(new URL("deep/react/dist/", server.address).href);
      for (const project of ["ferry", "harbor"]) {
        await page.locator("#root > label select").selectOption(project);
        await page.locator("output", { hasText: project }).waitFor();
        await page.locator('input[name="box_id"]').first().fill("notes");
        await page.keyboard.press("Enter");
        await page.locator(".line", { hasText: `Notes about the ${project}.` }).waitFor();
      }
      assert.equal(
        await page
          .locator("h1")
          .first()
          .evaluate((node) => getComputedStyle(node).color),
        "rgb(1, 2, 3)",
      );
      assert.deepEqual(complaints, []);
    } finally {
      await context.close();
    }
  });

  test("a page built with webpack packs a project in IndexedDB", onlyDeep(RUNTIMES), async () => {
    await run(program("webpack"), [], { cwd: at("webpack") });
    assert.deepEqual(await shown("webpack/"), expected);
  });

  test("a page built with esbuild packs a project in IndexedDB", async () => {
    await run(program("esbuild"), ["src/main.js", "--bundle", "--minify", "--format=esm", "--outdir=dist", "--log-level=warning"], {
      cwd: at("esbuild"),
    });
    assert.deepEqual(await shown("esbuild/"), expected);
  });

  test("a page without a build step packs a project in IndexedDB", onlyDeep(RUNTIMES), async () => {
    assert.deepEqual(await shown("browser/"), expected);
  });

  test("`tuckbox ui` of the package opens the inspector", onlyDeep(SHIPPED), async (t) => {
    const started = performance.now();
    const ui = await startTalking(program("tuckbox"), ["ui", "--no-open"], /http:\/\/\S+/, { cwd: at("node-esm") });
    const context = await newContext();
    try {
      const page = await context.newPage();
      await page.goto(ui.said);
      await page.locator(".line:not([data-waiting])").first().waitFor();
      t.diagnostic(`${Math.round(performance.now() - started)} ms from the start of the command to the first cards`);
    } finally {
      await context.close();
      await ui.stop();
    }
  });

  test("Chromium writes the bytes of a lockfile in two locales and time zones", onlyDeep(RUNTIMES), async () => {
    const repository = fileURLToPath(new URL("../../", import.meta.url));
    const text = readFileSync(join(repository, "examples/lock/tuckbox.lock"), "utf8");
    const { address, close } = await serve(repository);
    try {
      for (const [locale, timezoneId] of [
        ["tr-TR", "Asia/Tokyo"],
        ["de-DE", "America/New_York"],
      ]) {
        const context = await browser.newContext({ locale, timezoneId });
        const page = await context.newPage();
        // any page of the server
        await page.goto(`${address}none`);
        const made = await page.evaluate(async (repeats) => {
          const [tuckbox, { lockText }] = await Promise.all([import("/pkg/web.js"), import("/tests/support/lock_text.mjs")]);
          return lockText(tuckbox, repeats);
        }, 500);
        assert.equal(made, text, timezoneId);
        await context.close();
      }
    } finally {
      close();
    }
  });

  test("a page of an extension packs a project in IndexedDB", onlyDeep(RUNTIMES), async () => {
    rmSync(at("extension/tuckbox"), { recursive: true, force: true });
    cpSync(at("node_modules/tuckbox"), at("extension/tuckbox"), { recursive: true });
    const context = await launchWithExtension(at("extension"));
    context.setDefaultTimeout(GUARD_MS);
    try {
      const address = await extensionAddress(context);
      assert.deepEqual(await outputOf(context, `${address}page.html`), expected);
    } finally {
      await context.close();
    }
  });
});

/** Returns the base URL of the extension after the browser has loaded it. */
async function extensionAddress(context) {
  const page = await context.newPage();
  await page.goto("chrome://extensions/");
  const unpacked = () =>
    page.evaluate(async () => {
      const extensions = await chrome.developerPrivate.getExtensionsInfo();
      return extensions.find(({ location }) => location === "UNPACKED")?.id;
    });
  const id = await until("the browser has loaded the extension", unpacked);
  await page.close();
  return `chrome-extension://${id}/`;
}
