// The extension in Chromium, on real pages. One test opens DevTools itself. The others open the panel as a page, with
// the tab id that DevTools would pass. Everything else is the same: the background script, the bridge, the page's
// project and store.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { onlyDeep } from "../support/deep.mjs";
import { extensionFolder, launchWithExtension } from "./chromium.mjs";
import { openPanel } from "./devtools.mjs";
import { GUARD_MS, guarded, limited } from "./guard.mjs";
import { becomes, glimpse, settled, showsText } from "./page.mjs";
import { slowed } from "./slow.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A project in a page or in a worker that exposes itself. */
const PROJECT = (options) => `
  import { memoryStore, open } from "/pkg/index.js";
  import { expose } from "/pkg/devtools.js";
  const store = memoryStore();
  const text = (card_id, text) => ({ card_id, content: { __type__: "TextContent", text }, metadata: { type: "note", role: "user" } });
  store.project("shop")
    .addProfile({ name: "Lead", profile_box_id: "pb_lead", delegation_policy: { target_profiles: ["Writer"] } })
    .addProfile({ name: "Writer", profile_box_id: "pb_writer" })
    .addAgent({ agent_id: "lead", profile_box_id: "pb_lead" })
    .addCard(text("n1", "Bees dance.")).addCard(text("n2", "<img src=x onerror=globalThis.hit=1>"))
    .addBox({ box_id: "notes", card_ids: ["n1", "n2"] });
  const project = await open(store, { projectId: "shop" });
  Object.assign(globalThis, { project, store, stop: expose(project, ${JSON.stringify(options)}) });
  globalThis.delegate = (instruction) => project.preview("delegate_async", { source_agent_id: "lead",
    arguments: { target_strategy: "new", target_ref: "Writer", instruction, context_box_id: "notes" } });
`;

const FILES = {
  "/": "<!doctype html><title>shop</title><p>A shop.</p>",
  "/page": '<!doctype html><title>shop</title><script type="module" src="/page.js"></script>',
  "/page.js": PROJECT({ name: "the shop" }),
  "/open": '<!doctype html><title>open</title><script type="module" src="/open.js"></script>',
  "/open.js": PROJECT({ name: "open shop", commits: true }),
  "/working":
    '<!doctype html><title>worker</title><script type="module">globalThis.worker = new Worker("/worker.js", { type: "module" });</script>',
  "/worker.js": `${PROJECT({ name: "back room" })} (await delegate("From the back room."));`,
};

let server;
let url;
let context;
/** An empty page of the extension that holds the compiled modules for the panels; another one does so for the shop. */
let home;

const prepared = (launched) => slowed(limited(launched));

before(async () => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://x");
    const type = pathname.endsWith(".js") ? "text/javascript" : "text/html";
    try {
      const body = FILES[pathname] ?? (pathname.startsWith("/pkg/") ? readFileSync(join(root, pathname)) : undefined);
      response.writeHead(body === undefined ? 404 : 200, { "content-type": `${type}; charset=utf-8` }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${server.address().port}`;
  context = await prepared(
    await launchWithExtension(extensionFolder(), ["--process-per-site", "--host-resolver-rules=MAP elsewhere.test 127.0.0.1"]),
  );
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
  home = await context.newPage();
  await home.goto(worker.url().replace("background.js", "manifest.json"));
  await home.evaluate(
    async (names) => {
      globalThis.modules = await Promise.all(names.map((name) => WebAssembly.compileStreaming(fetch(`/assets/${name}`))));
    },
    readdirSync(join(extensionFolder(), "assets")).filter((name) => name.endsWith(".wasm")),
  );
  const shop = await context.newPage();
  await shop.goto(url);
  await shop.evaluate(async () => {
    globalThis.module = await WebAssembly.compile(await (await fetch("/pkg/generated/core.wasm")).arrayBuffer());
  });
});

after(async () => {
  await context?.close();
  server?.close();
});

/** Opens a page of the shop and its panel, passes both to `work`, and fails if the panel logged errors. */
async function looking(path, work, host = url) {
  const page = await context.newPage();
  let panel;
  const logged = [];
  try {
    await guarded(
      () => [page, panel].filter((one) => one !== undefined),
      async () => {
        await page.goto(host + path);
        // the tab id that DevTools would pass: that of the newest tab
        const tab = await home.evaluate(async () => Math.max(...(await chrome.tabs.query({})).map(({ id }) => id)));
        panel = await context.newPage();
        panel.on("console", (message) => message.type() === "error" && logged.push(message.text()));
        panel.on("pageerror", (error) => logged.push(String(error)));
        await panel.goto(home.url().replace("manifest.json", `panel.html?tab=${tab}`));
        await work({ page, panel, state: panel.locator(".panel-state") });
        assert.deepEqual(logged, []);
      },
    );
  } finally {
    await panel?.close();
    await page.close();
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Makes a preview in the page; returns its ids and its hash. */
async function previewed(page, instruction) {
  await page.waitForFunction(() => globalThis.delegate !== undefined);
  return page.evaluate(async (words) => {
    globalThis.last = await globalThis.delegate(words);
    return { hash: globalThis.last.contentHash, ids: globalThis.last.value.card_ids, box: globalThis.last.value.dispatch.context_box_id };
  }, instruction);
}

test("the extension requests only the permissions it needs", () => {
  const manifest = JSON.parse(readFileSync(join(extensionFolder(), "manifest.json"), "utf8"));
  assert.deepEqual(manifest.permissions, ["activeTab", "scripting"]);
  assert.deepEqual(manifest.host_permissions, ["http://localhost/*", "http://127.0.0.1/*"]);
  assert.equal(manifest.content_scripts, undefined);
  assert.equal(manifest.externally_connectable, undefined);
  assert.equal(manifest.web_accessible_resources, undefined);
  assert.match(manifest.content_security_policy.extension_pages, /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/);
});

test("previews and commits of a page appear in the panel with the page's ids", async () => {
  await looking("/page", async ({ page, panel, state }) => {
    await state.getByText("Live").waitFor();
    await panel.locator(".panel-choice option", { hasText: "the shop" }).waitFor({ state: "attached" });

    const { hash, ids, box } = await previewed(page, "Draft it.");
    await panel.locator(".line", { hasText: "Draft it." }).waitFor();
    const rows = panel.locator(".line:not([data-waiting])");
    await becomes(() => rows.count(), ids.length);
    await panel.locator(".line", { hasText: "Bees dance." }).waitFor();
    // hostile text of the page's store is shown as text
    await panel.locator(".line", { hasText: "<img src=x" }).click();
    await panel.locator(".why pre.content", { hasText: "<img src=x onerror=globalThis.hit=1>" }).waitFor();
    await settled(panel);
    assert.equal(await panel.evaluate(() => globalThis.hit), undefined);
    await panel.locator(".line", { hasText: "Draft it." }).click();
    await panel.locator(".why .facts", { hasText: ids[0] }).waitFor();
    await settled(panel);
    assert.equal(await panel.locator(".error-note").count(), 0);
    await panel.locator("#tab-writes").click();
    await panel.locator("#panel-writes", { hasText: hash }).waitFor();
    await panel.locator("#tab-cards").click();

    await page.evaluate(() => globalThis.last.commit());
    await panel.locator(".panel-log summary").click();
    const newest = panel.locator(".panel-log li").first();
    await newest.getByText("commit", { exact: true }).waitFor();
    await showsText(newest, /delegate_async/);
    await panel.locator(".nav .entry", { hasText: box }).waitFor();

    await page.evaluate(() => globalThis.project.preview("delegate_async", { source_agent_id: "lead", arguments: {} }).catch(() => {}));
    await panel.locator(".panel-log li", { hasText: "bad_request" }).waitFor();
    await settled(panel);
    await panel.evaluate(axe);
    const { violations } = await panel.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"], preload: false }));
    assert.deepEqual(
      violations.map(({ id, nodes }) => `${id} at ${nodes[0].target}`),
      [],
    );

    await page.evaluate(() => globalThis.stop());
    await state.getByText("No project is exposed").waitFor();
  });
});

test("in DevTools the panel follows the inspected page", onlyDeep("starts another browser window"), async () => {
  const page = await context.newPage();
  try {
    await guarded(
      () => [page],
      async () => {
        await page.goto(`${url}/page`);
        await page.waitForFunction(() => globalThis.delegate !== undefined);
        const panel = await openPanel(context, page, "Tuckbox");
        const { ids } = await previewed(page, "In the real thing.");
        const shown = await panel(`new Promise((resolve, reject) => {
        const look = () => {
          const lines = [...document.querySelectorAll(".line:not([data-waiting])")].map((line) => line.textContent);
          if (lines.length !== ${ids.length} || !lines.some((line) => line.includes("In the real thing."))) return;
          resolve({ state: document.querySelector(".panel-state").textContent, tab: chrome.devtools.inspectedWindow.tabId });
        };
        setInterval(look, 50);
        setTimeout(() => reject(new Error("no ${ids.length} lines with the preview: " + document.body.innerText.slice(0, 300))), ${GUARD_MS});
      })`);
        assert.equal(shown.state, "Live");
        assert.equal(typeof shown.tab, "number");
      },
    );
  } finally {
    await page.close();
  }
});

test("a panel opened later shows past events, and survives a reload of the page", onlyDeep("loads the panel three times"), async () => {
  await looking("/page", async ({ page, panel, state }) => {
    await state.getByText("Live").waitFor();
    await previewed(page, "The first one.");
    await panel.locator(".line", { hasText: "The first one." }).waitFor();
    await panel.reload();
    await panel.locator(".line", { hasText: "The first one." }).waitFor();

    // the browser ends an idle background script; the panel reconnects, and no event appears twice
    await panel.locator(".panel-log summary").click();
    const session = await context.newCDPSession(panel);
    await session.send("ServiceWorker.enable");
    const waited = await glimpse(panel, ".panel-state", "Waiting");
    await session.send("ServiceWorker.stopAllWorkers");
    await waited();
    await state.getByText("Live").waitFor();
    await previewed(page, "The second one.");
    await panel.locator(".line", { hasText: "The second one." }).waitFor();
    await becomes(() => panel.locator(".panel-log li").count(), 2);

    await page.reload();
    await previewed(page, "After the reload.");
    await panel.locator(".line", { hasText: "After the reload." }).waitFor();

    // a panel whose port cannot be used answers its worker with an error, and does not leave it waiting
    const name = await panel.evaluate(() => `tuckbox-page-${document.querySelector(".panel-choice select").value}`);
    await panel.evaluate(() => {
      const listener = { addListener() {} };
      const unusable = () => {
        throw new Error("the port is disconnected");
      };
      chrome.runtime.connect = () => ({ postMessage: unusable, disconnect() {}, onMessage: listener, onDisconnect: listener });
    });
    const waiting = await glimpse(panel, ".panel-state", "Waiting");
    await session.send("ServiceWorker.stopAllWorkers");
    await waiting();
    const answer = await panel.evaluate(async (channelName) => {
      const channel = new BroadcastChannel(channelName);
      const answered = new Promise((resolve) => (channel.onmessage = ({ data }) => data.type === "answer" && resolve(data)));
      channel.postMessage({ type: "read", ask: -1, body: "{}" });
      const { ask, fault } = await answered;
      channel.close();
      return { ask, fault };
    }, name);
    assert.deepEqual(answer, { ask: -1, fault: { code: "store", path: "", message: "the panel is not connected to the page" } });
  });
});

test("a project in a worker is shown too", onlyDeep("opens another page and panel"), async () => {
  await looking("/working", async ({ panel }) => {
    await panel.locator(".panel-choice option", { hasText: "back room" }).waitFor({ state: "attached" });
    await panel.locator(".line", { hasText: "From the back room." }).waitFor();
  });
});

for (const [path, allowed] of [
  ["/page", false],
  ["/open", true],
]) {
  test(`the panel previews on the page's own store, and ${allowed ? "commits" : "does not commit"} where the page ${allowed ? "allows" : "forbids"} it`, async () => {
    await looking(path, async ({ page, panel, state }) => {
      await state.getByText("Live").waitFor();
      await previewed(page, "Look here.");
      await panel.locator(".line", { hasText: "Look here." }).waitFor();
      const before = await page.evaluate(() => globalThis.store.export());
      // the panel has not read this box yet, so it asks the page's store
      await panel.locator(".nav .entry", { hasText: "notes" }).click();
      await panel.locator(".line", { hasText: "Bees dance." }).waitFor();
      const answer = await panel.evaluate(async () => {
        const name = `tuckbox-page-${document.querySelector(".panel-choice select").value}`;
        const channel = new BroadcastChannel(name);
        const answered = new Promise(
          (resolve) => (channel.onmessage = ({ data }) => data.type === "answer" && data.ask === -1 && resolve(data)),
        );
        const writes = {
          project_id: "shop",
          operation_id: "from_panel",
          at: "2026-01-04T15:30:00.000Z",
          boxes: [{ change: "create", box: { box_id: "made_here", card_ids: [], parent_ids: [], version: 1, deleted_at: null } }],
        };
        channel.postMessage({ type: "commit", ask: -1, body: JSON.stringify(writes) });
        const { body, fault } = await answered;
        channel.close();
        return { body, code: fault?.code };
      });
      assert.equal(answer.code, allowed ? undefined : "auth_failed");
      const now = await page.evaluate(() => globalThis.store.export());
      assert.equal(now === before, !allowed);

      await panel.locator(".nav .entry", { hasText: "delegate_async" }).click();
      await panel.locator(".heading").getByRole("button", { name: "Edit" }).waitFor();
      await settled(panel);
      const commit = panel.locator(".heading").getByRole("button", { name: "Commit" });
      assert.equal(await commit.count(), allowed ? 1 : 0);
      if (!allowed) return;
      await commit.click();
      await panel.locator("dialog[open]", { hasText: "The commit writes to open shop." }).locator(".row .primary").click();
      await panel.locator(".committed").waitFor();
      assert.notEqual(await page.evaluate(() => globalThis.store.export()), now);
    });
  });
}

test(
  "without permission for a site the panel states so, and sends nothing to the page",
  onlyDeep("starts another browser window"),
  async () => {
    const listen = () => {
      globalThis.received = 0;
      addEventListener("message", ({ data }) => (globalThis.received += data?.from === "panel" ? 1 : 0));
    };
    await looking(
      "/page",
      async ({ page, panel: denied, state }) => {
        await page.evaluate(listen);
        await denied.reload();
        await state.getByText("has no access to this site").waitFor();
        // messages of a later panel, through the same background script, arrive in an allowed page
        await looking("/page", async ({ page: allowed, panel }) => {
          await allowed.evaluate(listen);
          await panel.reload();
          await allowed.waitForFunction(() => globalThis.received > 0);
        });
        assert.equal(await page.evaluate(() => globalThis.received), 0);
      },
      url.replace("127.0.0.1", "elsewhere.test"),
    );
  },
);

test("the bridge drops invalid messages", async () => {
  await looking("/page", async ({ page, panel, state }) => {
    await state.getByText("Live").waitFor();
    await page.evaluate(() => {
      const id = "x".repeat(36);
      const settings = JSON.stringify({ project_id: "forged" });
      const base = { tuckbox: 1, from: "page", id };
      for (const odd of [
        null,
        "hello",
        { ...base, tuckbox: 2, type: "hello", name: "forged", settings },
        { ...base, from: "bridge", state: "denied" },
        { ...base, id: 5, type: "hello", name: "forged", settings },
        { ...base, type: "hello", name: "forged", settings: "{" },
        { ...base, type: "hello", name: "forged", settings: "null" },
        { ...base, type: "event", count: 1, at: 1, kind: "preview", call: "{}", now: 1, entropy: "00" },
        { ...base, type: "eval", body: "alert(1)" },
      ])
        window.postMessage(odd, "/");
    });
    // an invalid call is reported, and the next one is still shown
    const id = await panel.locator(".panel-choice select").inputValue();
    await page.evaluate((own) => {
      const base = { tuckbox: 1, from: "page", id: own, type: "event", count: 1, at: 1, kind: "preview", now: 1, entropy: "00".repeat(32) };
      for (const call of ["{", "null", "[]", '{"op":"pack_context"}', '{"op":{}}']) window.postMessage({ ...base, call }, "/");
    }, id);
    await previewed(page, "Still here.");
    await panel.locator(".line", { hasText: "Still here." }).waitFor();
    await becomes(() => panel.locator(".panel-choice option").count(), 1);
    await state.getByText("Live").waitFor();
  });
});
