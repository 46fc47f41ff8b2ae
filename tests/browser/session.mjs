// Several tests on one page. A load takes a second of processor time, so tests that leave the page unchanged share one.
import { after, describe, test } from "node:test";
import { openPage, resized, settled } from "./page.mjs";

/**
 * Runs tests in sequence on one page. `tests` has their names and functions, or pairs of options and a function;
 * `options` are those of `openPage`. The first test has a page that was just loaded. Before each other test the page
 * returns to its start without a load; `undo` reverts what is not part of the URL. The page is loaded again if it does
 * not return, and after a failed test. Views other than the first keep their own choices: a test sets those that it
 * depends on, or uses `withPage`.
 */
export function session({ undo, ...options }, tests) {
  describe("on one page", { concurrency: 1 }, () => {
    let opened;
    const close = async () => {
      const last = opened;
      opened = undefined;
      await last?.end();
    };
    for (const [name, entry] of Object.entries(tests)) {
      const [choice, work] = Array.isArray(entry) ? entry : [{}, entry];
      test(name, choice, async (t) => {
        const changed = opened === undefined ? [] : await back(opened, undo);
        if (changed.length > 0) {
          t.diagnostic(`loaded again, because of changes: ${changed.join(", ")}`);
          await close();
        }
        try {
          if (opened === undefined) {
            opened = await openPage(options);
            await opened.run(async (page) => {
              await settled(page);
              await page.evaluate(changes, true);
            });
          }
          await opened.run((page) => work(page, t));
        } catch (error) {
          await close();
          throw error;
        }
      });
    }
    after(close);
  });
}

/** Returns the page to its start; returns what differs from it. */
async function back({ page, viewport, run }, undo) {
  let changed = [];
  const work = async () => {
    const size = page.viewportSize();
    if (size.width !== viewport.width || size.height !== viewport.height) await resized(page, viewport);
    for (let left = await page.locator("dialog[open]").count(); left > 0; left -= 1) await page.keyboard.press("Escape");
    await undo?.(page);
    await page.mouse.move(0, 0);
    changed = await goToStart(page);
    if (!changed.includes("app")) return;
    // a commit, a draft or another project
    await page.evaluate(resetDemo);
    await settled(page);
    changed = await goToStart(page);
  };
  await run(work).catch((error) => changed.push(error.message));
  return changed;
}

/** Opens the URL of the start without a load; returns what differs from the start. */
async function goToStart(page) {
  await page.evaluate(() => {
    document.activeElement.blur();
    for (const node of document.querySelectorAll("*")) if (node.scrollTop !== 0 || node.scrollLeft !== 0) node.scrollTo(0, 0);
    location.hash = window.atStart.hash;
  });
  await settled(page);
  return page.evaluate(changes, false);
}

/** Runs in the page: replaces the open project by a new demo, as a user does. */
async function resetDemo() {
  const click = (name) => {
    const button = [...document.querySelectorAll("button")].find(({ textContent }) => textContent === name);
    button?.click();
    return button !== undefined;
  };
  // another project does not have the call of the URL
  document.querySelector(".unknown-params button")?.click();
  if (!click("Open")) return;
  while (!click("Reset demo")) await new Promise(requestAnimationFrame);
}

/** Runs in the page: records what it shows and its preferences as its start, or returns the parts that differ. */
function changes(isStart) {
  // these preferences are also part of the URL, and are saved when it is applied
  const inUrl = ["tuckbox.window", "tuckbox.provider", "tuckbox.dialect"];
  const fields = Array.from(document.querySelectorAll("input, select, textarea"), ({ value, checked }) => [value, checked]);
  const nodes = Array.from(document.querySelectorAll("*"));
  const now = {
    hash: location.hash,
    title: document.title,
    html: document.documentElement.cloneNode(false).outerHTML,
    // the page explains terms under the pointer, and new cards have random ids
    app: document.querySelector("#app").innerHTML.replaceAll(/ title="[^"]*"|\b[0-9a-f]{32}\b/g, ""),
    fields: JSON.stringify(fields),
    focus: document.activeElement.tagName,
    scrolled: nodes.filter(({ scrollTop, scrollLeft }) => scrollTop !== 0 || scrollLeft !== 0).length,
    preferences: JSON.stringify(
      Object.entries(localStorage)
        .filter(([name]) => !inUrl.includes(name))
        .sort(),
    ),
  };
  if (isStart) window.atStart = now;
  return Object.keys(now).filter((part) => now[part] !== window.atStart[part]);
}
