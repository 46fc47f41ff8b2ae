// Runs the page in Chromium. Tests share browsers and tabs, because a new window costs several times as much as the
// page. A test has its browser alone, because the pages of a browser share one clipboard. Between two tests the tab
// loses its storage, but not the compiled modules.

import { launch, pageUrl } from "./chromium.mjs";
import { becomes, GUARD_MS, guarded, limited, readUntil } from "./guard.mjs";
import { slowed, throttled } from "./slow.mjs";
import { linkOf } from "./snapshots.mjs";

export { pageUrl } from "./chromium.mjs";
export { becomes, showsText } from "./guard.mjs";

/** True in the long form of the tests: large projects, and the module as it is published. */
export const isDeep = process.env.TUCKBOX_DEEP === "1";
/** Options of a test about the published form of the module: its parts and their sizes. */
export const shipped = isDeep ? {} : { skip: "deep: needs the shipped build" };

const SIZE = { width: 1440, height: 900 };

/** Browsers that no test uses. */
const free = [];
const browsers = new Set();

/** Returns a browser and its shared tab: `{ browser, tab }`. No other test uses them until they are in `free` again. */
async function takeBrowser() {
  const lane = free.pop() ?? { browser: await launch(["--process-per-site"]), tab: undefined };
  browsers.add(lane.browser);
  return lane;
}

/** Closes all browsers, after the last test. */
export async function closeBrowsers() {
  free.length = 0;
  await Promise.all([...browsers].map((browser) => browser.close()));
  browsers.clear();
}

/** Opens the page, passes it to `work`, and fails if the page logged errors or warnings. */
export async function withPage(options, work) {
  const opened = await openPage(options);
  try {
    await opened.run(work);
  } finally {
    await opened.end();
  }
}

/**
 * Opens the page. `project` is a snapshot to open instead of the demo. `own` are options of a separate context, for what
 * cannot be undone afterward. `prepare` runs before the page is loaded. Returns the page; `run`, which passes it to a
 * function and fails if the page logged errors or warnings; and `end`.
 */
export async function openPage(options) {
  const {
    url = pageUrl(),
    expectedLogs = [],
    project,
    path = project === undefined ? "" : linkOf(project),
    own,
    prepare,
    viewport = SIZE,
    permissions = [],
    ...media
  } = options;
  const lane = await takeBrowser();
  const { browser } = lane;
  const tab = own === undefined ? (lane.tab ??= await sharedTab(browser)) : await tabOf(browser, own);
  const { context, page } = tab;
  await throttled(page);
  const logged = [];
  const requests = [];
  const listeners = [
    [context, "request", (request) => requests.push(request.url())],
    [
      page,
      "console",
      (message) => {
        if (message.type() === "error" || message.type() === "warning") logged.push(message.text());
      },
    ],
    [page, "pageerror", (error) => logged.push(String(error))],
  ];
  for (const [where, event, listener] of listeners) where.on(event, listener);
  // a failed test must not affect the next one
  let isGood = own === undefined;
  const run = async (work) => {
    const isGoodBefore = isGood;
    isGood = false;
    await guarded(
      () => context.pages().filter((one) => one !== tab.keeper),
      async () => {
        await work(page, { requests, logged, context, browser });
        const unexpected = logged.filter((text) => !expectedLogs.some((known) => known.test(text)));
        if (unexpected.length > 0) throw new Error(`the page logged:\n${unexpected.join("\n")}`);
      },
    );
    isGood = isGoodBefore;
  };
  const end = async () => {
    for (const [where, event, listener] of listeners) where.off(event, listener);
    try {
      if (isGood) {
        await throttled(page, 1);
        await emptied(tab, url, requests);
      } else {
        if (lane.tab === tab) lane.tab = undefined;
        await context.close();
      }
    } finally {
      if (browser.isConnected()) free.push(lane);
    }
  };
  try {
    await run(async () => {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme: "light", forcedColors: "none", reducedMotion: "reduce", ...media });
      if (permissions.length > 0) await context.grantPermissions(permissions);
      await prepare?.({ page, context });
      await page.goto(url + path);
    });
  } catch (error) {
    await end();
    throw error;
  }
  return { page, viewport, run, end };
}

async function tabOf(browser, options) {
  const context = await slowed(limited(await browser.newContext({ viewport: SIZE, ...options })));
  return { context, page: await context.newPage() };
}

/**
 * Opens a tab for many tests, and a second one, the keeper, that holds compiled modules. Chromium compiles a module
 * once per process while a page holds it, which saves a third of a test's processor time.
 */
async function sharedTab(browser) {
  const tab = await tabOf(browser, {});
  const keeper = await tab.context.newPage();
  // not a file of the server, but a page of the same site and so of the same process
  await keeper.goto(new URL("keeper", pageUrl()).href);
  return { ...tab, keeper };
}

/** Leaves the page, deletes its storage, and keeps its modules compiled. */
async function emptied({ context, page, keeper }, url, requests) {
  for (const other of context.pages()) if (other !== page && other !== keeper) await other.close();
  await keeper.evaluate(
    async (urls) => {
      globalThis.modules ??= new Map();
      for (const url of urls) if (!globalThis.modules.has(url)) globalThis.modules.set(url, await WebAssembly.compileStreaming(fetch(url)));
    },
    requests.filter((url) => url.startsWith(pageUrl()) && url.endsWith(".wasm")),
  );
  await page.unrouteAll();
  const devtools = await context.newCDPSession(page);
  await page.goto("about:blank");
  await devtools.send("Storage.clearDataForOrigin", { origin: new URL(url).origin, storageTypes: "all" });
  await devtools.detach();
  await context.clearPermissions();
}

/** Waits until the preview is shown and the page handles keys. */
export async function ready(page) {
  await page.locator(".line:not([data-waiting])").first().waitFor();
  // the effects of the first frame run after it
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
}

/**
 * Waits until the page is settled: no answer, file, write or effect is pending, and nothing in the document changed
 * during a whole frame. Only then a test reads sizes and positions.
 */
export function settled(page) {
  return page.evaluate(
    (limit) =>
      new Promise((resolve, reject) => {
        const app = document.querySelector("#app") ?? document.querySelector("tuckbox-inspector").shadowRoot.querySelector("#app");
        let isChanged = false;
        let isLooking = false;
        const end = (work) => {
          clearTimeout(timer);
          watch.disconnect();
          work();
        };
        const timer = setTimeout(
          () => end(() => reject(new Error(`the page is not settled: data-settled is ${app.dataset.settled}`))),
          limit,
        );
        // a page with pending work needs no frames
        const look = () => {
          isChanged = true;
          if (isLooking || app.dataset.settled !== "true") return;
          isLooking = true;
          isChanged = false;
          requestAnimationFrame(() =>
            setTimeout(() => {
              isLooking = false;
              if (isChanged || app.dataset.settled !== "true") look();
              else end(resolve);
            }),
          );
        };
        const watch = new MutationObserver(look);
        watch.observe(app, { subtree: true, childList: true, characterData: true, attributes: true });
        // what happened before this call is in the document after a frame
        requestAnimationFrame(() => setTimeout(look));
      }),
    GUARD_MS,
  );
}

/** Changes the size of the window, and waits until the page has adapted to it. */
export async function resized(page, size) {
  await page.setViewportSize(size);
  await page.waitForFunction(({ width, height }) => innerWidth === width && innerHeight === height, size);
  await settled(page);
}

/** Returns the texts of the visible rows by column. */
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

/**
 * Records from now on whether the page ever shows a string in an element that matches `selector`; returns a function
 * that waits for it. Polling could miss it.
 */
export async function glimpse(page, selector, text) {
  const id = `glimpse-${selector}-${text}`;
  await page.evaluate(
    ([name, css, wanted]) => {
      const look = () => {
        if (![...document.querySelectorAll(css)].some(({ textContent }) => textContent.includes(wanted))) return;
        watch.disconnect();
        window[name] = true;
      };
      const watch = new MutationObserver(look);
      watch.observe(document.documentElement, { subtree: true, childList: true, characterData: true });
      look();
    },
    [id, selector, text],
  );
  return () => page.waitForFunction((name) => window[name] === true, id);
}

/** Runs `act`, which copies text in the page; returns the text. */
export async function copied(page, act) {
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await act();
  return readUntil(
    () => page.evaluate(() => navigator.clipboard.readText()),
    (text) => text !== "",
  );
}

/**
 * Stops every opening as soon as the page shows progress that matches `pattern`; returns a function that waits for it.
 * Polling could come too late.
 */
export async function stopping(page, pattern) {
  await page.evaluate((text) => {
    new MutationObserver((_, watch) => {
      const progress = document.querySelector("dialog .progress");
      if (progress === null || !new RegExp(text).test(progress.textContent)) return;
      watch.disconnect();
      [...document.querySelectorAll("dialog button")].find(({ textContent }) => textContent === "Stop").click();
      window.isStopped = true;
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  }, pattern);
  return () => page.waitForFunction(() => window.isStopped);
}

/** Opens a snapshot through the dialog. */
export async function openFile(page, file) {
  await page.locator("header").getByRole("button", { name: "Open", exact: true }).click();
  await page.locator('dialog input[type="file"]').first().setInputFiles(file);
}

/** Returns all rows of some tables of the browser's database; empty if it does not exist. */
const keptRows = (page, tables) =>
  page.evaluate(async (names) => {
    // opening a database that does not exist creates an empty one
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

/** Waits until the browser has saved so many projects; it saves them after opening. */
export function whenKept(page, count) {
  return becomes(async () => (await keptRows(page, ["about"])).length >= count, true);
}

/** Waits until the browser has saved a string; it saves drafts after typing. */
export function whenHeld(page, text) {
  return becomes(async () => JSON.stringify(await keptRows(page, ["texts", "calls"])).includes(text), true);
}
