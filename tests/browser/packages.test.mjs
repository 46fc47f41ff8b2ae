// Handoff packages, and memory with its layers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { onlyDeep } from "../support/deep.mjs";
import { becomes, showsText, withPage } from "./page.mjs";

test("a package is checked, its files are audited, stored by preview, planned within a budget and loaded", async () => {
  await withPage({ path: "#view=handoff" }, async (page) => {
    const main = page.locator(".handoff .browse-main");
    // the package of the demo's card: its artifacts are not stored
    await main.getByText("Some referenced files are not stored", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Build an example" }).click();
    await page.locator("dialog[open]").getByRole("button", { name: "Commit", exact: true }).click();
    await main.getByText("All referenced files are stored", { exact: true }).waitFor();
    /** Returns the tokens spent of a budget, once its plan is shown. */
    const spentOf = async (budget) => {
      const status = await main.locator('[role="status"]', { hasText: `of ${budget} tokens` }).textContent();
      return Number(status.match(/[\d,]+/)[0].replace(",", ""));
    };
    assert.ok((await spentOf("8,000")) <= 8_000);
    await main.getByRole("spinbutton", { name: "Budget" }).fill("1500");
    assert.ok((await spentOf("1,500")) <= 1_500);
    await main.getByText("over the budget").first().waitFor();
    const first = main.locator("section", { hasText: "What the receiver reads" }).locator("details").first();
    await first.locator("summary").click();
    await first.locator(".raw").waitFor();
    await page.locator(".handoff textarea").fill('{"handoff_type": "nonsense"}');
    await main.locator(".error-note").waitFor();
    await page.locator(".handoff textarea").fill("{");
    await page.getByText("Invalid JSON").waitFor();
  });
});

test(
  "a query is added once, a summary replaces messages, and write-back lists what is kept",
  onlyDeep("loads the page again"),
  async () => {
    await withPage({ path: "#view=memory" }, async (page) => {
      const count = async () => Number(await page.locator(".runs-details h3 .num").first().textContent());
      await page.locator(".remembered li").first().waitFor();
      const before = await count();
      const enter = async () => {
        await page.getByLabel("Query").fill("And the gate?");
        await page.getByRole("button", { name: "Add", exact: true }).click();
      };
      await enter();
      await page.locator(".memory-log").waitFor();
      await page
        .locator(".runs-details h3 .num", { hasText: String(before + 1) })
        .first()
        .waitFor();
      await enter();
      await page.locator(".memory-log", { hasText: "duplicate" }).waitFor();
      await becomes(count, before + 1);
      // the open query cannot be covered: the error is shown, and the typed text stays
      await page.locator(".remembered input").last().check();
      await page.getByLabel("Summary").fill("They asked about the gate.");
      await page.getByRole("button", { name: "Compact" }).click();
      await page.getByText(/is the open query/).waitFor();
      await becomes(() => page.getByLabel("Summary").inputValue(), "They asked about the gate.");
      await page.locator(".remembered input").last().uncheck();
      await page.locator(".remembered input").nth(0).check();
      await page.locator(".remembered input").nth(1).check();
      await page.getByLabel("Summary").fill("They asked about the timetable.");
      await page.getByRole("button", { name: "Compact" }).click();
      await page.getByText(/covers m01, m02/).waitFor();
      await becomes(count, before - 1);
      await page.getByRole("button", { name: "Write back" }).click();
      await page.locator(".memory-log", { hasText: "todo__context is not kept: it lasts for one run" }).waitFor();
      // one right after the other: saving ends later, and must not switch the view back
      await page.evaluate(() => {
        for (const name of ["Save to the composition", "Compose and fit"])
          [...document.querySelectorAll("button")].find(({ textContent }) => textContent === name).click();
      });
      await page.locator(".fit-line", { hasText: "And the gate?" }).first().waitFor();
    });
  },
);

test("a composition is created, and the table shows which process sees which layer", async () => {
  await withPage({ path: "#view=memory" }, async (page) => {
    const row = page.locator(".layer-table tr", { hasText: "knowledge__context" });
    await showsText(row, /one run.*when sharing.*always/);
    await page.getByRole("button", { name: "New composition" }).click();
    await page.locator("select", { hasText: "New composition" }).waitFor();
    await page.getByLabel("Query").fill("First?");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.locator(".remembered li", { hasText: "First?" }).waitFor();
  });
});
