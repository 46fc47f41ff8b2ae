// Ten thousand cards: the first paint, and no long task while scrolling.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openFile, ready, start, within, withPage } from "./page.mjs";
import { file, largeSnapshot } from "./snapshots.mjs";

const CARDS = 10_000;
let site;
before(async () => {
  site = await start();
});
after(() => site?.stop());

test("ten thousand cards scroll without a long task, and every row is the right one", async (t) => {
  await withPage(site, {}, async (page) => {
    await ready(page);
    await openFile(page, file(largeSnapshot(CARDS)));
    await page.locator("#tab-cards .figure", { hasText: "10,001" }).waitFor();
    const drawn = await page.locator(".line").count();
    assert.ok(drawn < 100, `${drawn} rows are in the document`);

    await page.evaluate(() => {
      window.longTasks = [];
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.longTasks.push(entry.duration);
      }).observe({ type: "longtask" });
    });
    const scroller = page.locator(".scroller");
    const height = await scroller.evaluate((node) => node.scrollHeight);
    for (let step = 1; step <= 60; step += 1) {
      await scroller.evaluate((node, top) => {
        node.scrollTop = top;
      }, (height * step) / 60);
      await page.waitForTimeout(30);
    }
    await page.locator(".line:not([data-waiting])", { hasText: "box_99 · 99" }).waitFor();
    await scroller.evaluate((node, top) => {
      node.scrollTop = top;
    }, 5_000 * (height / (CARDS + 1)));
    const row = page.locator("#card-5000:not([data-waiting])");
    await row.waitFor();
    assert.match(await row.locator(".excerpt").textContent(), /^4999 /);
    assert.match(await row.locator(".badge").textContent(), /box_49 · 99/);

    await page.locator(".scroller").focus();
    for (let i = 0; i < 40; i += 1) await page.keyboard.press("j");
    await page.keyboard.press("End");
    await page.locator('#card-10000[aria-selected="true"]').waitFor();

    const longTasks = await page.evaluate(() => window.longTasks);
    const longest = Math.max(0, ...longTasks);
    t.diagnostic(`${longTasks.length} long tasks, the longest ${longest} ms`);
    assert.ok(longest <= within(200), `a task took ${longest} ms`);
  });
});

test("the first useful paint of ten thousand cards comes within a second of their bytes", async (t) => {
  await withPage(site, {}, async (page) => {
    await ready(page);
    const snapshot = largeSnapshot(CARDS);
    await page.evaluate(() => {
      const watch = new MutationObserver(() => {
        if (document.querySelector("#tab-cards .figure")?.textContent !== "10,001") return;
        if (document.querySelector(".line:not([data-waiting])") === null) return;
        watch.disconnect();
        requestAnimationFrame(() => (window.painted = performance.now()));
      });
      watch.observe(document, { subtree: true, childList: true, characterData: true });
      document.addEventListener("change", () => (window.given = performance.now()), { capture: true });
    });
    await openFile(page, file(snapshot));
    await page.waitForFunction(() => window.painted !== undefined);
    const took = await page.evaluate(() => window.painted - window.given);
    t.diagnostic(`first useful paint after ${Math.round(took)} ms`);
    assert.ok(took <= within(1_000), `it took ${took} ms`);
  });
});
