// Where a project is stored: in the browser, or on a server that may fail in any way.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { fetchHandler, nodeListener } from "../../pkg/http.js";
import { memoryStore, open } from "../../pkg/index.js";
import { onlyDeep } from "../support/deep.mjs";
import { becomes, copied, openFile, pageUrl, ready, showsText, whenKept, withPage } from "./page.mjs";
import { card, file, pack, snapshot } from "./snapshots.mjs";

function small(text, project_id = "test_project") {
  return snapshot({
    project_id,
    cards: [card("c1", "agent.thought", { __type__: "TextContent", text })],
    boxes: [{ box_id: "b1", card_ids: ["c1"], parent_ids: [], version: 1 }],
    calls: [pack("small call", { instruction: "go", box_ids: ["b1"] }, ["b1"])],
  });
}

test("a reload restores commits, and other projects stay available", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    const boxes = await page.locator(".nav-boxes .entry").count();
    await page.locator(".heading .primary").click();
    await page.locator("dialog").getByRole("button", { name: "Commit" }).click();
    await page.locator(".committed").waitFor();
    await page.reload();
    await ready(page);
    await becomes(() => page.locator(".nav-boxes .entry").count(), boxes + 1);

    await openFile(page, file(small("another project")));
    await page.locator(".line", { hasText: "another project" }).waitFor();
    await whenKept(page, 2);
    await page.reload();
    await page.locator(".line", { hasText: "another project" }).waitFor();
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.locator(".kept").getByRole("button", { name: "night_ferry", exact: true }).click();
    await page.locator(".project", { hasText: "night_ferry" }).waitFor();
    await becomes(() => page.locator(".nav-boxes .entry").count(), boxes + 1);

    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByRole("button", { name: "Delete test_project" }).click();
    await page.getByRole("button", { name: "Delete test_project" }).waitFor({ state: "detached" });
  });
});

test("full storage is reported, and the page continues", async () => {
  // Chromium reads the quota at the first write to IndexedDB, and not again within 30 seconds. An override after the
  // page has saved the demo does not stop the next write. `navigator.storage.estimate()` does not show it
  const prepare = async ({ page, context }) => {
    const { origin } = new URL(pageUrl());
    const devtools = await context.newCDPSession(page);
    await devtools.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1 });
    await becomes(async () => (await devtools.send("Storage.getUsageAndQuota", { origin })).overrideActive, true);
  };
  await withPage({ own: {}, prepare }, async (page) => {
    await ready(page);
    await openFile(page, file(small("x".repeat(3_000_000))));
    await page.locator(".project", { hasText: "test_project" }).waitFor();
    await showsText(page.locator(".where"), /not saved.*storage/s);
    await page.locator(".heading .primary").click();
    await page.locator("dialog").getByRole("button", { name: "Commit" }).click();
    await page.locator(".committed").waitFor();
  });
});

test("a browser without storage is reported, and the page continues", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await whenKept(page, 1);
    // a later version of the page left a database that this one cannot open
    await page.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const request = indexedDB.open("tuckbox-inspector", 99);
          request.onsuccess = () => resolve(request.result.close());
          request.onerror = () => reject(request.error);
        }),
    );
    await page.reload();
    await ready(page);
    await showsText(page.locator(".where"), /not saved.*refuses storage/s);
    await showsText(page.locator(".project"), /^night_ferry$/);
  });
});

/** Starts a server with the package's routes, and a switch for errors. */
async function server() {
  const store = memoryStore(JSON.stringify(small("hello from a server", "p1")));
  const handler = fetchHandler({
    open,
    store,
    authorize: async ({ request }) => request.headers.get("authorization") === "Bearer open sesame",
  });
  const listener = nodeListener(handler);
  const state = { mode: "good", asked: 0, store };
  const http = createServer((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "authorization, content-type");
    if (request.method === "OPTIONS") {
      response.end();
      return;
    }
    state.asked += 1;
    if (state.mode === "hang") return;
    if (state.mode === "html") response.setHeader("content-type", "text/html").end("<h1>it works</h1>");
    else if (state.mode === "broken") response.setHeader("content-type", "application/json").end('{"boxes": [{"box_id": "b1", "card_ids"');
    else if (state.mode === "down") response.writeHead(503).end();
    else listener(request, response);
  });
  await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    state,
    url: `http://127.0.0.1:${http.address().port}`,
    close() {
      http.closeAllConnections();
      http.close();
    },
  };
}

async function connect(page, { url, project = "p1", box = "b1", token = "open sesame" }) {
  if ((await page.locator("dialog[open]").count()) === 0) await page.getByRole("button", { name: "Open", exact: true }).click();
  const dialog = page.locator("dialog[open]");
  const way = dialog.locator("summary", { hasText: "Connect to a server" });
  if (!(await way.evaluate((node) => node.parentElement.open))) await way.click();
  await dialog.getByLabel("Server URL", { exact: true }).fill(url);
  await dialog.getByLabel("Project").fill(project);
  await dialog.getByLabel("First box").fill(box);
  await dialog.getByLabel("Bearer token").fill(token);
  await dialog.getByRole("button", { name: "Connect" }).click();
}

test("a project on a server is read, packed and committed there", async () => {
  const remote = await server();
  try {
    await withPage({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
      await ready(page);
      assert.equal(remote.state.asked, 0);
      await connect(page, remote);
      await page.locator(".line", { hasText: "hello from a server" }).waitFor();
      await showsText(page.locator(".where"), /on 127\.0\.0\.1/);
      await page.locator("summary", { hasText: "New handover" }).click();
      await page.getByRole("button", { name: "pack_context_with_instruction" }).click();
      await page.getByLabel("source_agent_id", { exact: true }).fill("agent_a");
      await page.getByLabel("profile_name", { exact: true }).fill("Writer");
      await page.getByLabel("instruction", { exact: true }).fill("from afar");
      await page.locator(".line", { hasText: "from afar" }).waitFor();
      await page.locator(".heading .primary").click();
      await page.locator("dialog[open]", { hasText: "The commit writes to 127.0.0.1" }).waitFor();
      await page.locator("dialog").getByRole("button", { name: "Commit" }).click();
      await page.locator(".committed").waitFor();
      assert.match(remote.state.store.export(), /from afar/);

      await page.locator("summary", { hasText: "Export" }).click();
      const link = await copied(page, () => page.getByRole("button", { name: "Copy link" }).click());
      const shared = new URLSearchParams(new URL(link).hash.slice(1)).get("s");
      const text = inflateRawSync(Buffer.from(shared, "base64url")).toString("utf8");
      assert.match(text, /from afar|hello from a server|127\.0\.0\.1/);
      assert.ok(!text.includes("sesame"));
    });
  } finally {
    remote.close();
  }
});

test("a server with invalid answers does not affect the open project", onlyDeep("loads the page for each answer"), async () => {
  const remote = await server();
  try {
    await withPage({ expectedLogs: [/503/, /40[134]/] }, async (page) => {
      await ready(page);
      const error = page.locator("dialog .error-note");
      await connect(page, { ...remote, token: "wrong" });
      await error.filter({ hasText: /auth_failed/ }).waitFor();
      await connect(page, { ...remote, project: "" });
      await error.filter({ hasText: /`project_id` is required/ }).waitFor();
      await connect(page, { ...remote, box: "b99" });
      await error.filter({ hasText: /no box `b99`/ }).waitFor();
      await connect(page, { url: "ftp://example.org" });
      await error.filter({ hasText: /start with `https:\/\/`/ }).waitFor();
      for (const [mode, message] of [
        ["html", /is not JSON/],
        ["broken", /store|bad_request/],
        ["down", /status 503/],
      ]) {
        remote.state.mode = mode;
        await connect(page, remote);
        await error.filter({ hasText: message }).waitFor();
      }
      remote.state.mode = "hang";
      await connect(page, remote);
      await page.locator("dialog").getByRole("button", { name: "Stop" }).click();
      await page.locator("dialog .progress").waitFor({ state: "detached" });
      await showsText(page.locator(".project"), /^night_ferry$/);

      // a server that fails after connecting
      remote.state.mode = "good";
      await connect(page, remote);
      await page.locator(".line", { hasText: "hello from a server" }).waitFor();
      remote.state.mode = "down";
      await page.locator(".nav .byid input").fill("b2");
      await page.locator(".nav .byid button").click();
      await page.locator(".center .error-note", { hasText: "503" }).waitFor();
      await page.locator(".nav").getByRole("button", { name: /b1/ }).click();
      await page.locator(".line", { hasText: "hello from a server" }).waitFor();
    });
  } finally {
    remote.close();
  }
});
