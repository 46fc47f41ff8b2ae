// The page in real Chromium. The tests of a file share one tab: what a new window and its processes cost is several
// times what the page itself does. Between two tests the tab is emptied of everything that the page keeps.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { launch, pageAddress } from "./chromium.mjs";

const SIZE = { width: 1440, height: 900 };
/** How late a page gets its files and the answers of its worker, in ms: what is read before it is there fails. */
const LATE = Number(process.env.TUCKBOX_LATE ?? 0);

/** A browser and the page's address. */
export async function start() {
  const browser = await launch();
  return { address: pageAddress(), browser, stop: () => browser.close() };
}

/**
 * Opens the page, records whatever goes wrong and whatever it asks the network for, hands it to `work`, and fails
 * when the page complained. `own` are options of a context of its own, for what cannot be undone afterwards.
 */
export async function withPage(site, options, work) {
  const { expectedComplaints = [], path = "", own, viewport = SIZE, permissions = [], ...media } = options;
  const tab = own === undefined ? await shared(site) : await tabOf(site, own);
  const { context, page } = tab;
  const complaints = [];
  const requests = [];
  const heard = [
    [context, "request", (request) => requests.push(request.url())],
    [page, "console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    }],
    [page, "pageerror", (error) => complaints.push(String(error))],
  ];
  for (const [where, event, listener] of heard) where.on(event, listener);
  let isGood = false;
  try {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme: "light", forcedColors: "none", reducedMotion: "reduce", ...media });
    if (permissions.length > 0) await context.grantPermissions(permissions);
    await page.goto(site.address + path);
    await work(page, { requests, complaints, context });
    const unexpected = complaints.filter((text) => !expectedComplaints.some((known) => known.test(text)));
    if (unexpected.length > 0) throw new Error(`the page complained:\n${unexpected.join("\n")}`);
    isGood = own === undefined;
  } finally {
    for (const [where, event, listener] of heard) where.off(event, listener);
    // whatever a test left behind that failed, the next one does not find
    if (isGood) await emptied(tab, site.address);
    else await closed(tab);
  }
}

/** The tab that is shared, by browser. */
const tabs = new Map();

async function shared({ browser }) {
  const tab = tabs.get(browser) ?? (await tabOf({ browser }, {}));
  tabs.set(browser, tab);
  return tab;
}

async function tabOf({ browser }, options) {
  const context = await browser.newContext({ viewport: SIZE, ...options });
  if (LATE > 0) {
    await context.addInitScript(late, LATE);
    await context.route("**/assets/**", (route) => setTimeout(() => void route.continue().catch(() => {}), LATE));
  }
  const page = await context.newPage();
  return { browser, context, page };
}

/** In the page, before its own scripts: whatever it asks its worker is asked so much later. */
function late(ms) {
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (...message) {
    setTimeout(() => postMessage.apply(this, message), ms);
  };
}

/** Leaves the page, and forgets everything that it kept. */
async function emptied({ context, page }, address) {
  for (const other of context.pages()) if (other !== page) await other.close();
  const devtools = await context.newCDPSession(page);
  await page.goto("about:blank");
  await devtools.send("Storage.clearDataForOrigin", { origin: new URL(address).origin, storageTypes: "all" });
  await devtools.detach();
  await context.clearPermissions();
}

async function closed(tab) {
  if (tabs.get(tab.browser) === tab) tabs.delete(tab.browser);
  await tab.context.close();
}

/** As long as the browser's driver waits for anything. */
const PATIENCE_MS = 30_000;

/** Waits until something that is read of the page becomes what it should be; fails with what it was last. */
export async function becomes(read, expected) {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await read();
    if (isDeepStrictEqual(found, expected)) return;
    if (performance.now() > end) assert.deepEqual(found, expected);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Waits until the preview is there. */
export async function ready(page) {
  await page.locator(".line:not([data-waiting])").first().waitFor();
}

/** The texts of the rows in sight, column by column. */
export function lines(page) {
  return page.locator(".line").evaluateAll((rows) =>
    rows.map((row) => ({
      position: row.querySelector(".position")?.textContent,
      type: row.querySelector(".type")?.textContent,
      role: row.querySelector(".role")?.textContent,
      excerpt: row.querySelector(".excerpt")?.textContent,
      source: row.querySelector(".badge")?.textContent,
      kind: row.dataset.kind,
    })),
  );
}

/** Does something, and waits for what it shows for a moment only: whoever looks afterwards may be too late. */
export async function shows(glimpse, act) {
  await Promise.all([glimpse.waitFor(), act()]);
}

/** Does something to a page that copies a text; gives the text. */
export async function copied(page, act) {
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await act();
  let text = "";
  await becomes(async () => (text = await page.evaluate(() => navigator.clipboard.readText())) !== "", true);
  return text;
}

/**
 * From now on whatever is read is stopped as soon as the page says how far it is, in words that match `said`; gives
 * how to wait for that. Whoever looks from outside may come when everything is read.
 */
export async function stopping(page, said) {
  await page.evaluate((pattern) => {
    new MutationObserver((_, watch) => {
      const progress = document.querySelector("dialog .progress");
      if (progress === null || !new RegExp(pattern).test(progress.textContent)) return;
      watch.disconnect();
      [...document.querySelectorAll("dialog button")].find(({ textContent }) => textContent === "Stop").click();
      window.isStopped = true;
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  }, said);
  return () => page.waitForFunction(() => window.isStopped);
}

/** Opens a snapshot through the dialog. */
export async function openFile(page, file) {
  await page.locator("header").getByRole("button", { name: "Open", exact: true }).click();
  await page.locator('dialog input[type="file"]').first().setInputFiles(file);
}

/** Everything in some tables of what the browser keeps; nothing while it keeps nothing. */
const keptRows = (page, tables) => page.evaluate(async (names) => {
  // opening what is not there yet would make it, empty
  const known = await indexedDB.databases();
  if (!known.some(({ name }) => name === "tuckbox-inspector")) return [];
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("tuckbox-inspector");
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const reading = request.result.transaction(names);
      const found = names.map((name) => reading.objectStore(name).getAll());
      reading.oncomplete = () => {
        request.result.close();
        resolve(found.flatMap(({ result }) => result));
      };
    };
  });
}, tables);

async function until(page, tables, isThere, missing) {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
    if (isThere(await keptRows(page, tables).catch(() => []))) return;
    await page.waitForTimeout(50);
  }
  throw new Error(missing);
}

/** Waits until the browser keeps so many projects: it does so a moment after they were opened. */
export function whenKept(page, count) {
  return until(page, ["about"], (rows) => rows.length >= count, `there are not ${count} kept projects`);
}

/** Waits until the browser keeps a text: a draft is kept a moment after it was written. */
export function whenHeld(page, text) {
  return until(page, ["texts", "calls"], (rows) => JSON.stringify(rows).includes(text), `\`${text}\` is not kept`);
}
