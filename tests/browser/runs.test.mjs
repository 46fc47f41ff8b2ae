// Runs: a simulated team step by step, and the rows of a project's store.
import assert from "node:assert/strict";
import { test } from "node:test";
import { onlyDeep } from "../support/deep.mjs";
import { becomes, isDeep, settled, showsText, withPage } from "./page.mjs";

const path = "#view=runs";
const button = (page, name) => page.getByRole("button", { name });
const lanes = (page, n) => page.waitForFunction((count) => document.querySelectorAll(".lane-table tbody tr").length === count, n);
const asked = (page, n) => page.waitForFunction((count) => document.querySelectorAll(".question").length === count, n);
/** Runs `act`, and waits for the next step. */
async function next(page, act) {
  const before = await page.locator(".step").count();
  await act();
  await page.waitForFunction(
    (n) => document.querySelectorAll(".step").length > n && document.querySelector(".sim-actions[aria-busy=true]") === null,
    before,
  );
  await settled(page);
}
const state = (page, name) =>
  page.locator(".runs-rows", { hasText: "Agents" }).first().locator("tr", { hasText: name }).locator("td").nth(1).textContent();

async function team(page, tasks) {
  await page.getByRole("radio", { name: "Simulated team" }).check();
  await button(page, "Start a team").click();
  await page.locator(".sim-actions").waitFor();
  await next(page, () => button(page, /^Send messages/).click());
  await asked(page, 1);
  await becomes(() => state(page, "Lead"), "running");
  await page.getByLabel("Tasks").fill(String(tasks));
  await next(page, () => button(page, /^Call fork_join/).click());
  await lanes(page, tasks + 1);
  await becomes(() => state(page, "Lead"), "suspended");
}

test("a fork_join with a failing task runs from call to join, and every step can be revisited", async () => {
  await withPage({ path }, async (page) => {
    await team(page, 2);
    await next(page, () => button(page, /^Send messages/).click());
    await asked(page, 2);
    // every handover is an arrow from the lead's lane to the receiver's lane, and the batch is a bracket
    const arrows = page.locator(".handover[data-phase=request]");
    await becomes(() => arrows.evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().height))), [35, 70]);
    const reaches = await arrows.evaluateAll((all) =>
      all.map((one) => {
        const { left, top, bottom } = one.getBoundingClientRect();
        const rows = [...document.querySelectorAll(".lane-table tbody tr")];
        const at = (y) => rows.findIndex((row) => row.getBoundingClientRect().top <= y && row.getBoundingClientRect().bottom >= y);
        return [left > 0, at(top), at(bottom)];
      }),
    );
    assert.deepEqual(reaches, [
      [true, 0, 1],
      [true, 0, 2],
    ]);
    await showsText(page.locator(".batch"), /joins 2 tasks.*2 of 2 open/);
    await next(page, () =>
      button(page, /^Fail$/)
        .first()
        .click(),
    );
    await next(page, () =>
      button(page, /^Answer$/)
        .first()
        .click(),
    );
    // the ended tasks notify the batch, the batch notifies the lead, the lead continues
    for (let sends = 0; sends < 6 && (await page.locator(".question").count()) === 0; sends += 1)
      await next(page, () => button(page, /^Send messages/).click());
    await asked(page, 1);
    await becomes(() => state(page, "Lead"), "running");
    await showsText(page.locator(".runs-rows caption", { hasText: "Batch" }), /partial.*0 of 2 open\s*$/);
    await showsText(page.locator(".rules"), /resume/);
    const last = (await page.locator(".step").count()) - 1;
    await page.locator(".step").nth(1).click();
    await becomes(() => state(page, "Lead"), "running");
    await page.getByText("This is an earlier step").waitFor();
    await page.locator(".scrubber input").fill(String(last));
    await button(page, /^Answer$/).waitFor();
    await button(page, "Open this step as a project").click();
    await page.locator(".project", { hasText: "simulation" }).waitFor();
    await page.locator(".nav").getByRole("button", { name: /Lead/ }).first().waitFor();
  });
});

/** The number of tasks of a large team. */
const TASKS = isDeep ? 999 : 199;

test("a large team stays usable", onlyDeep("draws a large project"), async (t) => {
  await withPage({ path }, async (page) => {
    await page.getByRole("radio", { name: "Simulated team" }).check();
    await button(page, "Start a team").click();
    await page.locator(".sim-actions").waitFor();
    await next(page, () => button(page, /^Send messages/).click());
    await asked(page, 1);
    const all = (TASKS + 1).toLocaleString("en-GB");
    await page.getByLabel("Tasks").fill(String(TASKS));
    const started = performance.now();
    await next(page, () => button(page, /^Call fork_join/).click());
    await page.getByText(`1 to 60 of ${all}`).waitFor();
    t.diagnostic(`dispatched ${TASKS} tasks in ${Math.round(performance.now() - started)} ms`);
    await page.evaluate(() => {
      window.longTasks = [];
      new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
        type: "longtask",
      });
    });
    await page.getByLabel("Find an agent").fill(`Researcher ${Math.floor(TASKS / 10)}`);
    await page.getByText("1 to 11 of 11").waitFor();
    await page.getByLabel("Find an agent").fill("");
    await button(page, "Next lanes").click();
    await page.getByText(`61 to 120 of ${all}`).waitFor();
    await page.locator(".step").nth(1).click();
    await page.getByText("This is an earlier step").waitFor();
    t.diagnostic(`longest task of the page ${Math.round(await page.evaluate(() => Math.max(0, ...window.longTasks)))} ms`);
    await showsText(page.locator(".batch"), new RegExp(`joins ${TASKS} tasks`));
  });
});

test("a lost wakeup is sent again when it is due", onlyDeep("the core has the rule and its tests"), async () => {
  await withPage({ path }, async (page) => {
    await team(page, 1);
    await next(page, () => button(page, "Send, but lose wakeups").click());
    await asked(page, 0);
    await page.locator(".arrow.lost").first().waitFor();
    for (let ticks = 0; ticks < 6 && (await page.locator(".question").count()) === 0; ticks += 1)
      await next(page, () => button(page, "Advance 1 min").click());
    await asked(page, 1);
  });
});

test("the watchdog ends the turn of a dead worker, and the lead continues", onlyDeep("the core has the rule and its tests"), async () => {
  await withPage({ path }, async (page) => {
    await team(page, 1);
    await next(page, () => button(page, /^Send messages/).click());
    await asked(page, 1);
    await next(page, () => button(page, "End the worker").click());
    await asked(page, 0);
    await next(page, () => button(page, "Advance 10 min").click());
    await page.locator(".runs-rows", { hasText: "Batch failed" }).getByText("timeout_reaped_by_watchdog").waitFor();
    await becomes(() => state(page, "Lead"), "running");
    await asked(page, 1);
  });
});

test("the run state of a project's store is shown", async () => {
  await withPage({ path }, async (page) => {
    await page.getByText("No agent of this project has run yet").waitFor();
    await team(page, 1);
    await button(page, "Open this step as a project").click();
    await page.locator(".project", { hasText: "simulation" }).waitFor();
    await page.locator(".views").getByRole("button", { name: "Runs" }).click();
    await page.getByRole("radio", { name: "This project" }).check();
    await button(page, "Refresh").click();
    await lanes(page, 2);
    await becomes(() => state(page, "Lead"), "suspended");
  });
});
