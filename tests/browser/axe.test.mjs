// The main views hold every rule of axe, in light, in dark and with forced colours.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { ready, start, withPage } from "./page.mjs";
import { everyView } from "./views.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let site;
before(async () => {
  site = await start();
});
after(() => site?.stop());

/** Runs in the page: what axe has against it, one line a finding. */
async function findings(rules) {
  const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"], ...(rules === null ? {} : { runOnly: rules }) });
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.slice(0, 3).map(({ target, failureSummary }) => `${id} (${impact}) at ${target.join(" ")}: ${failureSummary.split("\n").at(-1).trim()}`),
  );
}

// in the dark only the colours are others
const COLOURS = ["color-contrast", "link-in-text-block"];
for (const [name, look, rules] of [["light", { colorScheme: "light" }, null], ["dark", { colorScheme: "dark" }, COLOURS], ["forced colours", { forcedColors: "active" }, COLOURS]]) {
  test(`axe finds nothing in the main views, ${name}`, { timeout: 300_000 }, async (t) => {
    // the page's policy lets no other script in; the test goes around it
    await withPage(site, { ...look, bypassCSP: true }, async (page) => {
      await ready(page);
      await page.evaluate(axe);
      const found = [];
      const views = await everyView(page, async (view) => {
        for (const finding of await page.evaluate(findings, rules)) found.push(`${view}: ${finding}`);
      });
      assert.deepEqual(found, []);
      t.diagnostic(`${views.length} views: ${views.join(", ")}`);
    });
  });
}
