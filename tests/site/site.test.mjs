// The built site in Chromium: every link resolves, every example runs, axe finds nothing, and no request leaves it.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, posix } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import operations from "../../pkg/generated/operations.js";
import { launch } from "../browser/chromium.mjs";

const site = fileURLToPath(new URL("../../target/site/", import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".wasm": "application/wasm",
};
const GUARD_MS = 5 * 60_000;
/** The maximum of the front page, in bytes. */
const MAX_FIRST = 300 * 1024;

const pages = readdirSync(site, { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".html") && !name.startsWith("api/rust/") && !name.startsWith("pkg/"))
  .sort();
const html = new Map(pages.map((page) => [page, readFileSync(site + page, "utf8")]));

let server, browser, url;
let sent = 0;
const outside = [];

before(async () => {
  server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://site").pathname).replace(/\/$/, "/index.html");
    // in a folder, as on a server with other sites
    const file = path.startsWith("/docs-of-tuckbox/") ? join(site, path.slice("/docs-of-tuckbox/".length)) : "";
    if (file === "" || !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, {
      "content-type": TYPES[extname(file)] ?? (file.endsWith(".svg") ? "image/svg+xml" : "application/octet-stream"),
    });
    const body = readFileSync(file);
    sent += body.length;
    return response.end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${server.address().port}/docs-of-tuckbox/`;
  browser = await launch();
});

after(async () => {
  await browser?.close();
  server?.close();
});

/** Opens a page in a new context and passes it to `work`. Records requests to other servers and errors. */
async function visit(path, work, options = {}) {
  const context = await browser.newContext({ serviceWorkers: "block", viewport: { width: 1360, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(GUARD_MS);
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  context.on("request", (request) => {
    if (!/^(?:blob|data):/.test(request.url()) && !request.url().startsWith(url)) outside.push(request.url());
  });
  try {
    await page.goto(url + path);
    await work(page, context);
    assert.deepEqual(errors, [], path);
  } finally {
    await context.close();
  }
}

test("every link and every file of a page resolves", () => {
  const broken = [];
  for (const [page, text] of html) {
    for (const [, found] of text.replace(/<textarea[\s\S]*?<\/textarea>/g, "").matchAll(/\b(?:href|src)="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(found)) continue;
      const [path, anchor] = found.split("#");
      const target = path === "" ? page : posix.join(posix.dirname(page), path);
      const isAnchor = anchor === undefined || !html.has(target) || html.get(target).includes(` id="${anchor}"`);
      // the Rust API is built only with `cargo doc`
      if (!(existsSync(site + target) || target.startsWith("api/rust/")) || !isAnchor) broken.push(`${page}: ${found}`);
    }
  }
  assert.deepEqual(broken, []);
  assert.ok(pages.length > 60, String(pages.length));
});

test("the front page is below 300 KiB", async (t) => {
  sent = 0;
  await visit("", (page) => page.waitForLoadState("networkidle"));
  t.diagnostic(`${sent} bytes`);
  assert.ok(sent > 10_000 && sent < MAX_FIRST, String(sent));
});

test("every example runs and prints what it promises, and its project is in the inspector", async (t) => {
  let examples = 0;
  let calls = 0;
  let common = 0;
  for (const [path, text] of html) {
    const count = text.split('<div class="play"').length - 1;
    // the common example is the same in all pages that have no other
    if (count === 0 || (text.includes('<details class="try">') && (common += 1) > 2)) continue;
    await visit(path, async (page) => {
      let hasInspector = false;
      await page.evaluate(() => {
        for (const details of document.querySelectorAll("details")) details.open = true;
      });
      for (let at = 0; at < count; at += 1) {
        const example = page.locator(".play").nth(at);
        await example.locator(".run").click();
        await example.and(page.locator('[data-state="done"], [data-state="failed"]')).waitFor();
        const output = await example.locator(".output").textContent();
        assert.equal(await example.getAttribute("data-state"), "done", `${path}, example ${at + 1}: ${output}`);
        const promised = JSON.parse(await example.getAttribute("data-promised"));
        if (promised.length > 0) assert.deepEqual(output.trimEnd().split("\n"), promised, path);
        // a page has one inspector, so the first example that opens a project is enough
        const isCall = (await example.getAttribute("data-call")) !== null;
        if (!hasInspector && (isCall || /\bopen\(/.test(await example.locator("textarea").inputValue()))) {
          await example.locator("tuckbox-inspector #app .nav, tuckbox-inspector #app main, tuckbox-inspector #main").first().waitFor();
          hasInspector = true;
        }
        examples += 1;
        calls += isCall ? 1 : 0;
      }
    });
  }
  t.diagnostic(`${examples} examples, ${calls} of them calls of an operation`);
  // the reference has an example of each operation
  assert.equal(calls, operations.length);
  assert.ok(examples - calls >= 20, String(examples));
});

test("a changed example runs, and its error is shown", async () => {
  await visit("", async (page) => {
    const example = page.locator(".play").first();
    await example
      .locator("textarea")
      .fill('import { memoryStore } from "tuckbox";\nconsole.log(typeof memoryStore, { a: 1 });\nthrow new Error("mine");');
    await example.locator(".run").click();
    await page.locator('.play[data-state="failed"]').waitFor();
    assert.equal(await example.locator(".output").textContent(), 'function {"a":1}\nError: mine\n');
  });
});

test("a log that is chosen on the front page opens in the inspector", async () => {
  await visit("zh.html", async (page) => {
    await page.locator("#log").setInputFiles(fileURLToPath(new URL("../recordings/pi-session.jsonl", import.meta.url)));
    await page.locator("#log-inspector tuckbox-inspector #app").getByRole("button").first().waitFor();
  });
});

test("the search finds an operation and a page", async () => {
  await visit("docs/concepts.html", async (page) => {
    await page.locator("#search").fill("fork_join");
    await page.locator("#found a", { hasText: "fork_join" }).first().waitFor();
    await page.locator("#search").fill("upgrade");
    await page.locator("#found a", { hasText: "Upgrade" }).first().click();
    await page.locator("h1", { hasText: "Upgrade" }).waitFor();
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing in ${colorScheme}`, async () => {
    for (const path of [
      "index.html",
      "zh.html",
      "docs/how-to/run-agents.html",
      "docs/reference/operations/pack.html",
      "npm.html",
      "api/typescript/engine.html",
    ]) {
      await visit(
        path,
        async (page) => {
          await page.evaluate(axe);
          const found = await page.evaluate(async () => {
            const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
            return violations.flatMap(({ id, nodes }) =>
              nodes.slice(0, 2).map(({ target, failureSummary }) => `${id} at ${target.join(" ")}: ${failureSummary}`),
            );
          });
          assert.deepEqual(found, [], path);
        },
        { colorScheme, bypassCSP: true },
      );
    }
  });
}

test("after the first visit, pages and examples work without a network", async () => {
  await visit(
    "",
    async (page, context) => {
      await page.evaluate(async () => {
        const { active } = await navigator.serviceWorker.ready;
        while (active.state !== "activated")
          await new Promise((resolve) => active.addEventListener("statechange", resolve, { once: true }));
      });
      await context.setOffline(true);
      await page.goto(`${url}docs/how-to/fit-a-budget.html`);
      await page.locator(".play .run").first().click();
      await page.locator('.play[data-state="done"]').waitFor();
      await page.locator("#search").fill("ledger");
      await page.locator("#found a").first().waitFor();
    },
    { serviceWorkers: "allow" },
  );
});

test("no request left the site", () => {
  assert.deepEqual(outside, []);
});
