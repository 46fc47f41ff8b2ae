// Every view passes all rules of axe, in light, dark and forced colors. The short form checks dark and forced colors
// only in the views with the most colors, and the surroundings of a view only once.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { isDeep, ready, withPage } from "./page.mjs";
import { everyView, openLog } from "./views.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** As wide as usual, with fewer of the identical rows of a list. */
const LOW = { width: 1440, height: 500 };

/** Runs in the page: returns the findings of axe in some places or everywhere, one line each. */
async function findings({ rules, places: selectors }) {
  // no rule that needs the style sheets can fail here, so they are not fetched again
  const options = { resultTypes: ["violations"], preload: false, ...(rules === null ? {} : { runOnly: rules }) };
  const places = selectors === null ? [] : [...document.querySelectorAll(selectors)];
  const { violations } = await globalThis.axe.run(places.length === 0 ? document : { include: places }, options);
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.slice(0, 3).map(({ target, failureSummary }) => `${id} (${impact}) at ${target.join(" ")}: ${failureSummary.split("\n").at(-1).trim()}`),
  );
}

// dark mode and forced colors change only colors
const COLOR_RULES = ["color-contrast", "link-in-text-block"];
const LOOKS = [["dark", { colorScheme: "dark" }, COLOR_RULES], ["forced colors", { forcedColors: "active" }, COLOR_RULES], ["light", {}, null]];
/** The views with the most colors. */
const COLORFUL = ["cards", "compare", "what if", "runs, simulated"];

test("axe finds nothing in any view, in light, dark and forced colors", async (t) => {
  // the page's policy blocks other scripts, so the test bypasses it
  await withPage({ own: { bypassCSP: true }, viewport: LOW }, async (page) => {
    await ready(page);
    await page.evaluate(axe);
    const found = [];
    const look = async (view, place = "#main") => {
      const isFirst = view === "cards";
      for (const [name, media, rules] of LOOKS) {
        if (rules !== null && !isDeep && !COLORFUL.includes(view)) continue;
        await page.emulateMedia({ colorScheme: "light", forcedColors: "none", reducedMotion: "reduce", ...media });
        // the surroundings have the same colors in all views
        const places = rules === null && (isDeep || isFirst) ? null : isDeep || isFirst ? "#main, dialog[open]" : place;
        for (const finding of await page.evaluate(findings, { rules, places })) found.push(`${view}, ${name}: ${finding}`);
      }
    };
    const views = await everyView(page, look);
    for (const media of [{ colorScheme: "dark" }, { forcedColors: "active" }]) {
      await page.emulateMedia({ colorScheme: "light", forcedColors: "none", ...media });
      const around = await page.evaluate((rules) => globalThis.axe.run("header.bar", { preload: false, runOnly: rules }), COLOR_RULES);
      assert.deepEqual(around.violations.map(({ id }) => id), []);
    }
    await openLog(page, ["When does the last boat leave?", "At 23:40.", "And why do people miss it?"]);
    await look("sessions of a log");
    assert.deepEqual(found, []);
    t.diagnostic(`${views.length} views: ${views.join(", ")}`);
  });
});
