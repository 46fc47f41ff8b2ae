// What takes long elsewhere: ten thousand cards, fifty megabytes, a slider. These run alone, so that
// nothing else of ours competes with what they measure.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openFile, ready, start, within, withPage } from "../page.mjs";
import { file, largeSnapshot } from "../snapshots.mjs";

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

test("typing in a context of ten thousand cards never blocks the page", async (t) => {
  await withPage(site, {}, async (page) => {
    await ready(page);
    await openFile(page, file(largeSnapshot(10_000)));
    await page.locator("#tab-cards .figure", { hasText: "10,001" }).waitFor();
    await page.locator(".heading").getByRole("button", { name: "Edit" }).click();
    await page.evaluate(() => {
      window.longTasks = [];
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.longTasks.push(entry.duration);
      }).observe({ type: "longtask" });
    });
    await page.getByLabel("instruction", { exact: true }).pressSequentially(" and then some more", { delay: 20 });
    await page.locator("#card-0 .excerpt").getByText("go on and then some more").waitFor();
    const longest = Math.max(0, ...(await page.evaluate(() => window.longTasks)));
    t.diagnostic(`the longest task while typing: ${longest} ms`);
    assert.ok(longest <= within(200), `a task took ${longest} ms`);
  });
});

test("moving the slider over a thousand cards re-runs the budget at once", async (t) => {
  await withPage(site, {}, async (page) => {
    await ready(page);
    await openFile(page, file(largeSnapshot(1_000)));
    await page.locator("#tab-cards .figure", { hasText: "1,001" }).waitFor();
    await page.keyboard.press("3");
    await page.locator(".controls [role=status]").waitFor();
    const round = () => page.evaluate(async () => {
      const slider = document.querySelector('input[type="range"]');
      const status = document.querySelector(".controls [role=status]");
      const tasks = [];
      const watch = new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) tasks.push(entry.duration);
      });
      watch.observe({ type: "longtask" });
      const times = [];
      const down = Number(slider.value) > 500;
      for (let step = 1; step <= 40; step += 1) {
        const changed = new Promise((resolve) => {
          const seen = new MutationObserver(() => {
            seen.disconnect();
            resolve(performance.now());
          });
          seen.observe(status, { subtree: true, childList: true, characterData: true });
        });
        const started = performance.now();
        slider.value = String(down ? 900 - step * 15 : 300 + step * 15);
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        times.push((await changed) - started);
      }
      watch.disconnect();
      times.sort((a, b) => a - b);
      return { median: times[times.length / 2], longest: Math.max(0, ...tasks) };
    });
    // others may use the processors as well: the quietest of a few rounds tells what the page needs
    let holds = false;
    let said = "";
    for (let tries = 0; tries < 5 && !holds; tries += 1) {
      const { median, longest } = await round();
      holds = median <= within(16) && longest <= within(200);
      said = `slider re-run: median ${median.toFixed(1)} ms, longest task ${longest} ms`;
      t.diagnostic(said);
    }
    assert.ok(holds, said);
  });
});

test("a snapshot of fifty megabytes shows its progress, can be stopped, and opens beside the page", async (t) => {
  await withPage(site, {}, async (page) => {
    await ready(page);
    const size = await page.evaluate(() => {
      const count = 50_000;
      const ids = Array.from({ length: count }, (_, n) => `c${n}`);
      const rows = ids.map((card_id, n) => JSON.stringify({
        card_id,
        content: { __type__: "TextContent", text: `${n} ${"x".repeat(900)}` },
        metadata: { type: "agent.thought", role: "assistant" },
      }));
      const box = JSON.stringify({ box_id: "big", card_ids: ids, version: 1 });
      const text = `{"format":1,"projects":[{"project_id":"big_project","boxes":[${box}],"cards":[${rows.join(",")}]}]}`;
      const bigFile = new File([text], "big.json");
      window.drop = () => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(bigFile);
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
      };
      return bigFile.size;
    });
    t.diagnostic(`${Math.round(size / 2 ** 20)} MiB`);
    await page.evaluate(() => window.drop());
    await page.locator("dialog .progress").waitFor();
    await page.locator("dialog").getByRole("button", { name: "Stop" }).click();
    await page.locator("dialog .progress").waitFor({ state: "detached" });
    assert.equal(await page.locator(".project").textContent(), "night_ferry");

    await page.evaluate(() => {
      window.longTasks = [];
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.longTasks.push(entry.duration);
      }).observe({ type: "longtask" });
      window.drop();
    });
    await page.locator("#tab-cards .figure", { hasText: "50,000" }).waitFor({ timeout: 120_000 });
    const longest = Math.max(0, ...(await page.evaluate(() => window.longTasks)));
    t.diagnostic(`the longest task of the page while it opened: ${longest} ms`);
    assert.ok(longest <= within(200), `a task took ${longest} ms`);
  });
});
