// Every view holds every rule of axe, in light, in dark and with forced colours. The short form checks dark and
// forced colours in the views with the most colours, and what surrounds a view only in the first.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { isDeep, ready, withPage } from "./page.mjs";
import { everyView, openLog } from "./views.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** As wide as ever, and fewer rows of a list that are all alike. */
const LOW = { width: 1440, height: 500 };

/** Runs in the page: what axe finds in some places, or everywhere, one line a finding. */
async function findings({ rules, places: selectors }) {
  // the style sheets are not fetched once more: no rule that asks for them can fail here
  const options = { resultTypes: ["violations"], preload: false, ...(rules === null ? {} : { runOnly: rules }) };
  const places = selectors === null ? [] : [...document.querySelectorAll(selectors)];
  const { violations } = await globalThis.axe.run(places.length === 0 ? document : { include: places }, options);
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.slice(0, 3).map(({ target, failureSummary }) => `${id} (${impact}) at ${target.join(" ")}: ${failureSummary.split("\n").at(-1).trim()}`),
  );
}

// in the dark and with forced colours only the colours are others
const COLOURS = ["color-contrast", "link-in-text-block"];
const LOOKS = [["dark", { colorScheme: "dark" }, COLOURS], ["forced colours", { forcedColors: "active" }, COLOURS], ["light", {}, null]];
/** The views with the most colours. */
const COLOURED = ["cards", "compare", "what if", "runs, simulated"];

test("axe finds nothing in any view, in light, in dark and with forced colours", async (t) => {
  // the page's policy lets no other script in; the test goes around it
  await withPage({ own: { bypassCSP: true }, viewport: LOW }, async (page) => {
    await ready(page);
    await page.evaluate(axe);
    const found = [];
    const look = async (view, place = "#main") => {
      const isFirst = view === "cards";
      for (const [name, media, rules] of LOOKS) {
        if (rules !== null && !isDeep && !COLOURED.includes(view)) continue;
        await page.emulateMedia({ colorScheme: "light", forcedColors: "none", reducedMotion: "reduce", ...media });
        // what surrounds a view has the same colours in all of them
        const places = rules === null && (isDeep || isFirst) ? null : isDeep || isFirst ? "#main, dialog[open]" : place;
        for (const finding of await page.evaluate(findings, { rules, places })) found.push(`${view}, ${name}: ${finding}`);
      }
    };
    const views = await everyView(page, look);
    for (const media of [{ colorScheme: "dark" }, { forcedColors: "active" }]) {
      await page.emulateMedia({ colorScheme: "light", forcedColors: "none", ...media });
      const around = await page.evaluate((rules) => globalThis.axe.run("header.bar", { preload: false, runOnly: rules }), COLOURS);
      assert.deepEqual(around.violations.map(({ id }) => id), []);
    }
    await openLog(page, ["When does the last boat leave?", "At 23:40.", "And why do people miss it?"]);
    await look("sessions of a log");
    assert.deepEqual(found, []);
    t.diagnostic(`${views.length} views: ${views.join(", ")}`);
  });
});
