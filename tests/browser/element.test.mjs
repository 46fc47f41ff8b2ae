// `<tuckbox-inspector>`: the inspector in another page, under a policy without inline styles.
import assert from "node:assert/strict";
import { test } from "node:test";
import { onlyDeep } from "../support/deep.mjs";
import { becomes, pageUrl, settled, withPage } from "./page.mjs";
import { card, pack, snapshot } from "./snapshots.mjs";

const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; require-trusted-types-for 'script'";
const notes = snapshot({
  cards: [
    card("n1", "note", { __type__: "TextContent", text: "a single note" }),
    card("n2", "note", { __type__: "TextContent", text: "<img src=x onerror=alert(1)>" }),
  ],
  boxes: [{ box_id: "notes", card_ids: ["n1", "n2"] }],
  calls: [pack("p", { instruction: "write", box_ids: ["notes"] }, ["notes"])],
});

/** Opens another page with the element and a script in it. */
function withHost(script, work, { markup = "<tuckbox-inspector></tuckbox-inspector>", css = "" } = {}) {
  const files = {
    "host.html": [
      "text/html",
      `<!doctype html><title>Theirs</title><link rel="stylesheet" href="host.css"><script type="module" src="host.js"></script><h1>Theirs</h1>${markup}`,
    ],
    "host.css": ["text/css", `h1 { color: rgb(1, 2, 3); } ${css}`],
    "host.js": ["text/javascript", `import "./pkg/inspector/inspector.js";\n${script}`],
    "notes.json": ["application/json", JSON.stringify(notes)],
  };
  const prepare = async ({ page }) => {
    for (const [name, [contentType, body]] of Object.entries(files)) {
      await page.route(`${pageUrl()}${name}`, (route) =>
        route.fulfill({ contentType, body, headers: { "content-security-policy": POLICY } }),
      );
    }
  };
  return withPage({ prepare, path: "host.html", viewport: { width: 1100, height: 800 } }, work);
}

test("the element shows a snapshot, and changes neither the page nor its storage", async () => {
  const text = JSON.stringify(notes);
  await withHost(`document.querySelector("tuckbox-inspector").snapshot = ${JSON.stringify(text)};`, async (page) => {
    await page.locator(".line", { hasText: "a single note" }).waitFor();
    await page.locator('[data-total="bar"]').waitFor();
    await page.locator(".line", { hasText: "<img src=x onerror=alert(1)>" }).click();
    await settled(page);
    assert.equal(await page.title(), "Theirs");
    assert.equal(new URL(page.url()).hash, "");
    assert.equal(await page.locator("h1", { hasText: "Theirs" }).evaluate((node) => getComputedStyle(node).color), "rgb(1, 2, 3)");
    assert.equal(await page.evaluate(() => document.querySelectorAll("style, [style]").length), 0);
    assert.deepEqual(await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name)), []);
    await page.locator("#tab-payload").click();
    await page.locator('[data-total="payload"]').waitFor();
    await page.getByRole("button", { name: "Compare" }).click();
    await page.locator(".chooser").first().waitFor();
    await page.locator(".settings summary").click();
    await page.locator(".settings .menu-body").waitFor();
    await settled(page);
    const [menu, host] = await Promise.all([
      page.locator(".settings .menu-body").boundingBox(),
      page.locator("tuckbox-inspector").boundingBox(),
    ]);
    assert.ok(menu.x + menu.width <= host.x + host.width && menu.y >= host.y, JSON.stringify({ menu, host }));
  });
});

test("the element opens a URL, and its layout follows its own size", onlyDeep("loads the element again"), async () => {
  await withHost(
    "",
    async (page) => {
      await page.locator(".line", { hasText: "a single note" }).waitFor();
      await settled(page);
      const box = await page.locator("tuckbox-inspector").boundingBox();
      assert.deepEqual([box.width, box.height], [420, 500]);
      // as narrow as a panel: the columns of a wide window are hidden
      assert.equal(await page.locator(".columns").evaluate((node) => getComputedStyle(node).display), "none");
      assert.equal(
        await page
          .locator(".primary")
          .first()
          .evaluate((node) => getComputedStyle(node).backgroundColor),
        "rgb(0, 102, 51)",
      );
    },
    {
      markup: '<tuckbox-inspector src="notes.json"></tuckbox-inspector>',
      css: "tuckbox-inspector { inline-size: 420px; block-size: 500px; --accent: rgb(0, 102, 51); }",
    },
  );
});

test("the element shows a project of the page's store, and commits to it", async () => {
  const script = `
    import { memoryStore } from "./pkg/web.js";
    const store = memoryStore(await (await fetch("notes.json")).text());
    const state = { status: "idle", context_box_id: "notes" };
    store.project("test_project").addAgent({ agent_id: "reader", profile_box_id: "pb_reader", state });
    window.boxes = async () => JSON.parse(store.export()).projects[0].boxes.length;
    const element = document.querySelector("tuckbox-inspector");
    element.addEventListener("tuckbox-opened", () => (window.opened = true));
    element.project = { store: { read: (...args) => store.read(...args), commit: (...args) => store.commit(...args) }, projectId: "test_project" };`;
  await withHost(script, async (page) => {
    await page.waitForFunction(() => window.opened === true);
    // nothing was chosen, so the newest box opens that an agent or a call used
    await page.locator(".line", { hasText: "a single note" }).waitFor();
    await page.locator(".views").getByRole("button", { name: "Boxes" }).click();
    await page.locator(".browse-main").getByRole("button", { name: "Preview" }).first().click();
    await page.locator("dialog[open]").getByRole("button", { name: "Commit", exact: true }).click();
    await becomes(() => page.evaluate(() => window.boxes()), 2);
  });
});

test("an invalid snapshot is an error in the element and an event for the page", async () => {
  const script = `const element = document.querySelector("tuckbox-inspector");
    element.addEventListener("tuckbox-refused", ({ detail }) => (window.refused = detail.code));
    element.snapshot = "{";`;
  await withHost(script, async (page) => {
    await page.waitForFunction(() => window.refused === "bad_request");
    await page.locator(".error-note", { hasText: "not JSON" }).waitFor();
  });
});
