// `cargo xtask bench page`: the figures of the page, each beside its limit. Times are those of this machine and
// of this moment; whoever else uses its processors is in them.
import { availableParallelism, loadavg } from "node:os";
import { gzipSync } from "node:zlib";
import { openFile, ready, start, withPage } from "./page.mjs";
import { file, largeSnapshot } from "./snapshots.mjs";

const KIB = 1024;
let failed = 0;

function say(what, value, limit, unit) {
  const holds = value <= limit;
  if (!holds) failed += 1;
  console.log(`${holds ? "  ok " : "FAIL "} ${what.padEnd(58)}${String(Math.round(value * 10) / 10).padStart(8)} ${unit}   (at most ${limit})`);
}

/** In the page: from now on every task over 50 ms is counted. */
function watchTasks() {
  window.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longTasks.push(duration);
  }).observe({ type: "longtask" });
}

const longest = (page) => page.evaluate(() => Math.max(0, ...window.longTasks.splice(0)));

const site = await start();
try {
  console.log(`load ${loadavg()[0].toFixed(1)} on ${availableParallelism()} processors`);

  await withPage(site, {}, async (page, { requests }) => {
    await ready(page);
    const painted = await page.evaluate(() => performance.now());
    console.log(`      the demo is there ${Math.round(painted)} ms after the address`);
    const sizes = { page: 0, module: 0 };
    for (const url of new Set(requests)) {
      const bytes = gzipSync(Buffer.from(await (await fetch(url)).arrayBuffer()), { level: 9 }).length;
      sizes[url.endsWith(".wasm") ? "module" : "page"] += bytes;
    }
    say("first load, gzip: the page", sizes.page / KIB, 250, "KiB");
    say("first load, gzip: the page and the core", (sizes.page + sizes.module) / KIB, 250, "KiB");
  });

  await withPage(site, {}, async (page) => {
    await ready(page);
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
    await page.evaluate(watchTasks);
    await openFile(page, file(largeSnapshot(10_000)));
    await page.waitForFunction(() => window.painted !== undefined);
    say("10,000 cards: first useful paint after the file", await page.evaluate(() => window.painted - window.given), 1_000, "ms");
    await longest(page);

    const scroller = page.locator(".scroller").first();
    const height = await scroller.evaluate((node) => node.scrollHeight);
    for (let step = 1; step <= 120; step += 1) {
      await scroller.evaluate((node, top) => (node.scrollTop = top), (height * step) / 120);
      await page.waitForTimeout(16);
    }
    say("10,000 cards: longest task while scrolling", await longest(page), 200, "ms");

    await scroller.focus();
    for (let press = 0; press < 60; press += 1) await page.keyboard.press("k");
    say("10,000 cards: longest task while walking", await longest(page), 200, "ms");

    await page.keyboard.press("/");
    await page.keyboard.type("the gate closed at 23:40", { delay: 30 });
    await page.locator(".search [role=status]").waitFor();
    say("10,000 cards: longest task while typing", await longest(page), 200, "ms");
  });

  await withPage(site, {}, async (page) => {
    await ready(page);
    await openFile(page, file(largeSnapshot(1_000)));
    await page.locator("#tab-cards .figure", { hasText: "1,001" }).waitFor();
    await page.keyboard.press("3");
    await page.locator(".fit-line").first().waitFor();
    await page.evaluate(watchTasks);
    const times = await page.evaluate(async () => {
      const slider = document.querySelector('input[type="range"]');
      const status = () => document.querySelector(".controls [role=status]")?.textContent;
      /** The moment at which the status says something else. */
      const changed = (before) => new Promise((resolve) => {
        const watch = new MutationObserver(() => {
          if (status() === before) return;
          watch.disconnect();
          resolve(performance.now());
        });
        watch.observe(document.querySelector(".controls"), { subtree: true, childList: true, characterData: true });
      });
      const taken = [];
      for (let step = 0; step < 60; step += 1) {
        const told = changed(status());
        const started = performance.now();
        slider.value = String(900 - step * 10);
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        taken.push((await told) - started);
        // the next move comes after this one was painted
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
      }
      return taken.sort((a, b) => a - b);
    });
    say("1,000 cards: slider, median", times[times.length / 2], 16, "ms");
    console.log(`      of 60 moves the slowest took ${Math.round(times.at(-1))} ms`);
    say("1,000 cards: longest task while the slider moves", await longest(page), 200, "ms");
  });
} finally {
  await site.stop();
}
process.exitCode = failed === 0 ? 0 : 1;
