// The views of a context pass all rules of axe in light. In the long form all views do, and the rules about colors
// hold in dark and forced colors too.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { onlyDeep } from "../support/deep.mjs";
import { isDeep, ready, withPage } from "./page.mjs";
import { everyView, firstViews, openLog } from "./views.mjs";

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
    nodes
      .slice(0, 3)
      .map(({ target, failureSummary }) => `${id} (${impact}) at ${target.join(" ")}: ${failureSummary.split("\n").at(-1).trim()}`),
  );
}

// dark mode and forced colors change only colors
const COLOR_RULES = ["color-contrast", "link-in-text-block"];
const LIGHT = [["light", {}, null]];
const OTHERS = [
  ["dark", { colorScheme: "dark" }, COLOR_RULES],
  ["forced colors", { forcedColors: "active" }, COLOR_RULES],
];

for (const [name, schemes, options] of [
  ["light", LIGHT, {}],
  ["dark and forced colors", OTHERS, onlyDeep("walks through all views for each scheme")],
]) {
  test(`axe finds nothing, in ${name}`, options, async (t) => {
    // the page's policy blocks other scripts, so the test bypasses it
    await withPage({ own: { bypassCSP: true }, viewport: LOW }, async (page) => {
      await ready(page);
      await page.evaluate(axe);
      const found = [];
      const look = async (view, place = "#main") => {
        for (const [scheme, media, rules] of schemes) {
          await page.emulateMedia({ colorScheme: "light", forcedColors: "none", reducedMotion: "reduce", ...media });
          // the surroundings have the same colors in all views; the short form checks them only once
          const isWhole = view === "cards" || (isDeep && rules === null);
          const places = isWhole ? null : isDeep ? "#main, dialog[open]" : place;
          for (const finding of await page.evaluate(findings, { rules, places })) found.push(`${view}, ${scheme}: ${finding}`);
        }
      };
      const views = isDeep ? await everyView(page, look) : await firstViews(page, look);
      await openLog(page, ["When does the last boat leave?", "At 23:40.", "And why do people miss it?"]);
      await look("timeline of a log");
      assert.deepEqual(found, []);
      t.diagnostic(`${views.length} views: ${views.join(", ")}`);
    });
  });
}
