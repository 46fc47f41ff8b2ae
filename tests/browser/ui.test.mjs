// `tuckbox ui`: the inspector from the package, on a store, on logs, and on nothing.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { fetchHandler, nodeListener } from "../../pkg/http.js";
import { memoryStore, open } from "../../pkg/index.js";
import { sqlStore } from "../../pkg/stores/sql.js";
import { poolOf, startPostgres } from "../stores/server.mjs";
import { onlyDeep } from "../support/deep.mjs";
import { certificate } from "./certificate.mjs";
import { becomes, ready, showsText, withPage } from "./page.mjs";
import { card, pack, snapshot } from "./snapshots.mjs";

const program = fileURLToPath(new URL("../../pkg/bin/tuckbox.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "tuckbox-ui-"));

/** Starts the command, passes its URL and its origin to `work`, and ends it. */
async function withUi(args, work, { cwd = folder, env = {} } = {}) {
  const child = spawn(process.execPath, [program, "ui", "--no-open", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    cwd,
    env: { ...process.env, ...env },
  });
  const output = { out: "", err: "" };
  // on `close`, all output has arrived
  const ended = new Promise((resolve) => child.once("close", resolve));
  try {
    const url = await new Promise((resolve, reject) => {
      child.stdout.on("data", (chunk) => {
        output.out += chunk;
        const found = /http:\/\/\S+/.exec(output.out)?.[0];
        if (found !== undefined) resolve(found);
      });
      child.stderr.on("data", (chunk) => (output.err += chunk));
      child.once("close", (code) => reject(new Error(`ended with ${code}: ${output.err}`)));
    });
    const end = () => {
      child.kill("SIGINT");
      return ended;
    };
    await work({ url, origin: `${new URL(url).origin}/`, end });
  } finally {
    child.kill("SIGINT");
    assert.equal(await ended, 0, output.err);
  }
}

test("the browser caches the files of the package, and revalidates them", async () => {
  await withUi([], async ({ url, origin }) => {
    const entered = await fetch(`${origin}session`, {
      method: "POST",
      headers: { origin: new URL(url).origin },
      body: new URL(url).hash.slice(1),
    });
    const [cookie] = entered.headers.get("set-cookie").split(";");
    const get = (path, headers = {}) => fetch(`${origin}${path}`, { headers: { cookie, ...headers } });
    const page = await get("inspector/");
    assert.equal(page.headers.get("cache-control"), "no-store");
    const [, script] = /src="\.\/([^"]+)"/.exec(await page.text());
    for (const path of ["generated/core.wasm", "lib/core.js", `inspector/${script}`]) {
      const first = await get(path);
      const etag = first.headers.get("etag");
      assert.equal(first.headers.get("cache-control"), "no-cache", path);
      assert.equal((await get(path, { "if-none-match": etag })).status, 304, path);
      assert.equal((await get(path, { "if-none-match": '"another"' })).status, 200, path);
    }
    const [, hashed] = /"\.\/([\w.-]+-[\w-]{8}\.js)"/.exec(await (await get(`inspector/${script}`)).text());
    assert.match((await get(`inspector/${hashed}`)).headers.get("cache-control"), /immutable/);
  });
});

function project() {
  const cards = [card("n1", "note", { __type__: "TextContent", text: "a single note" })];
  const agents = [
    { agent_id: "wendy", profile_box_id: "pb_writer", display_name: "Wendy", state: { context_box_id: "notes", status: "idle" } },
  ];
  const boxes = [
    { box_id: "notes", card_ids: ["n1"] },
    { box_id: "pb_writer", card_ids: [] },
  ];
  return snapshot({ cards, boxes, agents, calls: [pack("Hand over", { instruction: "write", box_ids: ["notes"] }, ["notes"])] });
}

test("a project in a file is listed, and a commit is written to the file", async () => {
  const file = join(folder, "project.json");
  writeFileSync(file, JSON.stringify(project()));
  await withUi([file], (ui) =>
    withPage({ url: ui.url }, async (page, { requests }) => {
      await ready(page);
      await becomes(() => page.locator(".nav-boxes .entry-title").allTextContents(), ["notes", "pb_writer"]);
      await page.locator(".nav").getByRole("button", { name: /Wendy/ }).waitFor();
      await page
        .locator(".nav")
        .getByRole("button", { name: /Hand over/ })
        .click();
      await page.locator(".line", { hasText: "a single note" }).waitFor();
      await page.locator(".heading .primary").click();
      await page.locator("dialog[open]").getByRole("button", { name: "Commit", exact: true }).click();
      await page.locator(".committed").waitFor();
      assert.equal(JSON.parse(readFileSync(file, "utf8")).projects[0].boxes.length, 3);
      assert.deepEqual(
        requests.filter((url) => !url.startsWith(ui.origin)),
        [],
      );
    }),
  );
});

test("a log of another tool is read", async () => {
  const file = join(folder, "body.json");
  writeFileSync(
    file,
    JSON.stringify({
      model: "claude-x",
      max_tokens: 100,
      system: "You are brief.",
      messages: [{ role: "user", content: "When does the last boat leave?" }],
    }),
  );
  await withUi([file], (ui) =>
    withPage({ url: ui.url }, async (page) => {
      await page.locator("#main", { hasText: "When does the last boat leave?" }).waitFor();
    }),
  );
});

test("without a store the demo is shown", onlyDeep("starts another server"), async () => {
  await withUi([], (ui) =>
    withPage({ url: ui.url }, async (page) => {
      await ready(page);
      await showsText(page.locator(".project"), /^night_ferry$/);
    }),
  );
});

test("a server that ends during a run is reported, and the page continues", onlyDeep("starts another server"), async () => {
  const file = join(folder, "watched.json");
  writeFileSync(file, JSON.stringify(project()));
  await withUi([file], (ui) =>
    withPage({ url: ui.url, expectedLogs: [/ERR_CONNECTION_|ERR_EMPTY_RESPONSE/] }, async (page) => {
      await ready(page);
      await page.locator(".views").getByRole("button", { name: "Runs" }).click();
      await page.getByText("No agent of this project has run yet").waitFor();
      await ui.end();
      await page.locator(".scroll-view .error-note", { hasText: "could not be reached" }).waitFor();
      await page.locator(".views").getByRole("button", { name: "Context" }).click();
      await page.locator(".line", { hasText: "a single note" }).waitFor();
    }),
  );
});

/** Forks a box in the page, and commits it. */
async function forkNotes(page) {
  await page.locator(".views").getByRole("button", { name: "Boxes" }).click();
  await page.locator(".browse-main").getByRole("button", { name: "Preview" }).first().click();
  await page.locator("dialog[open]").getByRole("button", { name: "Commit", exact: true }).click();
  // the dialog closes after the commit, and stays open with the error otherwise
  await page.locator("dialog[open]").waitFor({ state: "detached" });
}

test(
  "boxes on a PostgreSQL server are listed, and a commit is written there",
  onlyDeep("the contract of the store runs there"),
  async () => {
    const postgres = await startPostgres();
    const pool = poolOf(postgres.url);
    try {
      const store = sqlStore((text, params) => pool.query(text, params));
      await store.migrate();
      const workspace = await open(store, { projectId: "test_project" });
      await workspace.call("put_cards", {
        cards: [{ card_id: "n1", type: "note", author_id: "me", content: { __type__: "TextContent", text: "a single note" } }],
      });
      await workspace.call("create_box", { box_id: "notes", card_ids: ["n1"] });
      workspace.dispose();
      // the command finds the driver in its working directory: here the tools of the tests
      const cwd = fileURLToPath(new URL("..", import.meta.url));
      await withUi(
        [postgres.url, "--project", "test_project"],
        (ui) =>
          withPage({ url: ui.url }, async (page) => {
            await page.locator(".nav-boxes").getByRole("button", { name: /notes/ }).click();
            await page.locator(".line", { hasText: "a single note" }).waitFor();
            await forkNotes(page);
          }),
        { cwd },
      );
      const { rows } = await pool.query("select count(*)::int as boxes from card_boxes");
      assert.equal(rows[0].boxes, 2);
    } finally {
      await pool.end();
      await postgres.stop();
    }
  },
);

test("a server behind TLS is read and committed to, and the page never gets its token", onlyDeep("starts another server"), async () => {
  const { key, cert } = certificate();
  const trusted = join(folder, "trusted.pem");
  writeFileSync(trusted, cert);
  const store = memoryStore(JSON.stringify(project()));
  const server = createServer(
    { key, cert },
    nodeListener(fetchHandler({ open, store, authorize: ({ request: { headers } }) => headers.get("authorization") === "Bearer t0ken" })),
  );
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const env = { NODE_EXTRA_CA_CERTS: trusted, TUCKBOX_TOKEN: "t0ken" };
    await withUi(
      [`https://127.0.0.1:${server.address().port}`, "--project", "test_project"],
      (ui) =>
        withPage({ url: ui.url }, async (page, { requests }) => {
          await page.locator('input[name="box_id"]').first().fill("notes");
          await page.keyboard.press("Enter");
          await page.locator(".line", { hasText: "a single note" }).waitFor();
          await forkNotes(page);
          assert.deepEqual(
            requests.filter((url) => !url.startsWith(ui.origin)),
            [],
          );
          assert.doesNotMatch(await page.content(), /t0ken/);
        }),
      { env },
    );
    assert.equal(JSON.parse(store.export()).projects[0].boxes.length, 3);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("other pages neither read the server nor end it, and the URL works once", async () => {
  const file = join(folder, "guarded.json");
  writeFileSync(file, JSON.stringify(project()));
  const other = createHttpServer((_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>other</title>"),
  );
  await new Promise((resolve) => other.listen(0, "127.0.0.1", resolve));
  try {
    await withUi([file], async (ui) => {
      await withPage({ url: ui.url, own: {} }, async (page, { context }) => {
        await ready(page);
        assert.equal(page.url().split("#")[0], `${ui.origin}inspector/`);
        assert.ok(!page.url().includes(new URL(ui.url).hash.slice(1)));
        assert.equal(await page.evaluate(() => document.cookie), "", "scripts do not see the cookie");
        assert.doesNotMatch(await page.content(), new RegExp(new URL(ui.url).hash.slice(1)));
        // a page of another port is on the same site, and its requests carry the cookie
        const foreign = await context.newPage();
        await foreign.goto(`http://127.0.0.1:${other.address().port}/`);
        const seen = await foreign.evaluate(async (origin) => {
          const image = new Image();
          const loaded = new Promise((resolve) => {
            image.onload = () => resolve("loaded");
            image.onerror = () => resolve("refused");
          });
          image.src = `${origin}/`;
          const read = (path, options) =>
            fetch(`${origin}${path}`, { credentials: "include", ...options }).then(
              ({ status }) => status,
              () => "refused",
            );
          return [
            await loaded,
            await read("listing"),
            await read("session", { method: "POST", mode: "no-cors" }),
            await read("inspector/", { mode: "no-cors" }),
          ];
        }, ui.origin);
        assert.deepEqual(seen.slice(0, 2), ["refused", "refused"]);
      });
      await withPage({ url: ui.url, own: {}, expectedLogs: [/403/] }, (page) => page.getByText("Access denied").waitFor());
      assert.equal((await fetch(ui.origin)).status, 200, "the server still runs");
    });
  } finally {
    other.closeAllConnections();
    other.close();
  }
});

test("a missing file and a taken port are errors", async () => {
  const refused = (args) =>
    withUi(args, () => undefined).then(
      () => "started",
      (error) => error.message,
    );
  assert.match(await refused([join(folder, "none.json")]), /`[^`]*none\.json` cannot be read/);
  await withUi([], async ({ url }) => {
    const { port } = new URL(url);
    assert.match(await refused(["--port", port]), new RegExp(`port ${port} is in use`));
  });
});

test("a lockfile is compared with the contexts of its config", onlyDeep("starts the command and loads a page"), async () => {
  const sample = fileURLToPath(new URL("../../examples/lock/", import.meta.url));
  const work = async ({ url }) => {
    await withPage({ url }, async (page) => {
      await page.locator(".lock-group", { hasText: "system prompt edited: 4 contexts" }).click();
      await showsText(page.locator('.lock-rows tr[aria-current="true"]'), /passive voice/);
    });
  };
  await withUi(["tuckbox.lock"], work, { cwd: sample, env: { EDIT: "1" } });
});

test("a captured request becomes an entry", onlyDeep("starts the command and loads a page"), async () => {
  const body = {
    model: "gpt-5",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
    ],
  };
  writeFileSync(join(folder, "captured.jsonl"), JSON.stringify(body));
  await withUi(["captured.jsonl"], async ({ url }) => {
    await withPage({ url }, async (page) => {
      await page.locator("#tl-tab-raw").click();
      await page.getByRole("button", { name: "Add to lockfile" }).click();
      await page.locator(".lock-text", { hasText: "Be brief." }).waitFor();
      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name: "Download lockfile" }).click();
      const text = readFileSync(await (await saved).path(), "utf8");
      // the core writes the same bytes in Chromium and in Node
      const project = await open(memoryStore(), { projectId: "p" });
      const request = { body, provider: "openai_chat", model: "gpt-5" };
      const entry = await project.lock.entry({ name: "request/1", request, from: "captured.jsonl#0" });
      assert.equal(text, (await project.lock.update({ entries: [entry] })).lock);
    });
  });
});
