// Compares contexts; boxes, lineage and forks.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { contexts, shared } from "../../examples/lock/contexts.mjs";
import { memoryStore, open } from "../../pkg/index.js";
import { onlyDeep } from "../support/deep.mjs";
import { becomes, openFile, pageUrl, ready, settled, showsText, whenKept, withPage } from "./page.mjs";
import { session } from "./session.mjs";
import { card, snapshot } from "./snapshots.mjs";

const runs = (page) =>
  page
    .locator(".run")
    .evaluateAll((all) =>
      all.map((run) => [run.dataset.change, Number(/(\d+) cards?/.exec(run.querySelector(".run-head").textContent)[1])]),
    );

/** Returns the lockfile of the sample project, and the one after an edit of a shared prompt. */
async function lockfiles() {
  const project = await open(memoryStore(), { projectId: "p" });
  const lockOf = async (given) => {
    const entries = [];
    for (const [name, context] of Object.entries(contexts(given))) entries.push(await project.lock.entry({ name, ...context }));
    return (await project.lock.update({ entries })).lock;
  };
  const prompts = { ...shared.prompts, writer: shared.prompts.writer.replace("reports", "clear reports") };
  return { base: await lockOf(shared), edited: await lockOf({ ...shared, prompts }) };
}

async function compare(page, left, right) {
  await page.keyboard.press("2");
  await page.locator(".chooser").first().locator("select").first().selectOption(left);
  await page.locator(".chooser").last().locator("select").first().selectOption(right);
}

session(
  {},
  {
    "two dialects of one call: moved cards are shown, unchanged cards are collapsed": async (page) => {
      await ready(page);
      await page.keyboard.press("2");
      await page.locator(".run").first().waitFor();
      await becomes(
        () => runs(page),
        [
          ["moved_away", 2],
          ["kept", 21],
          ["moved_here", 2],
          ["kept", 1],
        ],
      );
      await page.locator(".run").first().getByText("argument instruction").waitFor();
      const kept = page.locator('.run[data-change="kept"]').first();
      await becomes(() => kept.locator(".line").count(), 0);
      await kept.locator(".run-head").click();
      await kept.locator(".line").first().waitFor();
      await becomes(() => kept.locator(".line").count(), 21);
      await page.getByText("First difference:").waitFor();
    },

    "a compaction shows what it removed and what its summary covers": async (page) => {
      await ready(page);
      await compare(page, "box:box_talk", "box:box_talk_compacted");
      await page.locator('.run[data-change="removed"]').waitFor();
      await becomes(
        () => runs(page),
        [
          ["removed", 12],
          ["added", 1],
          ["kept", 4],
        ],
      );
      await showsText(page.locator(".compare-sum"), /Compaction: the card at 0 replaces 12 cards; \d+ → \d+ tokens/);
    },

    "sender and receiver are compared by source, with the cacheable prefix": async (page) => {
      await ready(page);
      await compare(page, "agent:agent_mira", "call:to_writer");
      await page.locator(".growth td", { hasText: "Inherited from box_li_output" }).waitFor();
      await settled(page);
      const rows = await page
        .locator(".growth tbody tr")
        .evaluateAll((all) => all.map((row) => Array.from(row.cells, (cell) => cell.textContent)));
      const sent = rows.find(([name]) => name.includes("box_li_output"));
      assert.equal(sent[1], "0");
      assert.equal(sent[3], `+${sent[2]}`);
      await page.getByText("Cacheable prefix").waitFor();
      await page.getByRole("button", { name: "Swap sides" }).click();
      await page.locator(".growth tbody tr", { hasText: "box_li_output" }).locator('[data-sign="-1"]').waitFor();
    },

    "the contexts of one fork are compared with each other": async (page) => {
      await ready(page);
      await compare(page, "call:fork", "call1:fork");
      await page.locator('.run[data-change="added"] .line', { hasText: "departure log" }).waitFor();
      await page.locator('.run[data-change="removed"] .line', { hasText: "Read the letters" }).waitFor();
      await page.getByText("First difference:").waitFor();
    },

    "a side that fails shows its error": async (page) => {
      await ready(page);
      await compare(page, "call:handoff", "box:box_brief");
      await page.locator(".chooser").first().locator("select").last().selectOption("v1r4");
      await page.locator(".compare .error-note", { hasText: "box_mira_output" }).waitFor();
    },

    "an agent's turn is shown as the cards of its two boxes": async (page) => {
      await ready(page);
      await page.keyboard.press("Control+k");
      await page.locator("dialog.palette input:focus").waitFor();
      await page.keyboard.type("mira agent_");
      await page.keyboard.press("Enter");
      await page.locator(".line", { hasText: "Two kinds of evidence" }).waitFor();
      await showsText(page.locator("#card-0 .badge"), /box_mira_context · 0/);
      await page.locator("#tab-messages").click();
      await page.locator(".message", { hasText: "fork_join" }).first().waitFor();
    },

    "a lockfile has entries, changes next to each other, and their causes": async (page) => {
      await ready(page);
      const locks = await lockfiles();
      await openFile(page, { name: "tuckbox.lock", mimeType: "text/plain", buffer: Buffer.from(locks.base) });
      const entries = page.getByRole("navigation", { name: "Entries" }).getByRole("button");
      await becomes(() => entries.count(), 9);
      await page.locator(".lock-text", { hasText: "You review reports." }).waitFor();
      // a second lockfile has the current contexts
      await openFile(page, { name: "tuckbox.lock", mimeType: "text/plain", buffer: Buffer.from(locks.edited) });
      await showsText(page.locator(".lock-verdict [role=status]"), /4 of 9 contexts changed/);
      await page.locator(".lock-group", { hasText: "system prompt edited: 4 contexts" }).click();
      await becomes(() => entries.count(), 5);
      const row = page.locator('.lock-rows tr[aria-current="true"]');
      await showsText(row, /\/system\/0.*You write reports/s);
      await showsText(row.locator("ins"), /clear/);
      // from a change to the contexts with the same cause
      await page.getByRole("button", { name: "Show all 9 entries" }).click();
      await becomes(() => entries.count(), 9);
      await row.locator(".lock-cause", { hasText: "edited · system prompt" }).click();
      await becomes(() => entries.count(), 5);
      await page.getByRole("button", { name: "Close lockfile" }).click();
      await page.locator(".chooser").first().waitFor();
    },

    "boxes can be searched, have a lineage, and a fork is compared with its parent": async (page) => {
      await ready(page);
      await page.keyboard.press("4");
      await page.getByRole("searchbox").fill("noor");
      await becomes(
        () => page.locator(".browse-side ul").first().locator(".entry-title").allTextContents(),
        ["box_noor_context", "box_noor_output"],
      );
      await page
        .locator(".browse-side")
        .getByRole("button", { name: /box_noor_output/ })
        .click();
      const graph = page.getByRole("group", { name: "Lineage" });
      await becomes(() => graph.locator(".node .mono").allTextContents(), ["box_noor_output", "box_noor_context", "box_brief"]);
      await becomes(() => graph.locator("path").count(), 2);
      await page.getByLabel("First cards").fill("3");
      await page.getByRole("button", { name: "Preview" }).click();
      await page.locator("dialog[open]").getByRole("button", { name: "Commit", exact: true }).click();
      await page.locator('.run[data-change="removed"]').waitFor();
      await becomes(
        () => runs(page),
        [
          ["kept", 3],
          ["removed", 6],
        ],
      );
      await page.keyboard.press("4");
      await page.getByRole("searchbox").fill("");
      await page
        .locator(".browse-side")
        .getByRole("button", { name: /box_noor_output/ })
        .click();
      await becomes(() => graph.locator(".node").count(), 4);
    },

    "every action is available from the keyboard": async (page) => {
      await ready(page);
      await page.keyboard.press("Control+k");
      await page.locator("dialog.palette input:focus").waitFor();
      await page.keyboard.type("handoff to");
      await page.keyboard.press("Enter");
      await page.locator(".line", { hasText: "handoff.package" }).waitFor();
      await page.keyboard.press("?");
      await page.getByRole("heading", { name: "Keyboard" }).waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("e");
      await page.locator(".build").waitFor();
      await page.keyboard.press("e");
      await page.locator(".build").waitFor({ state: "detached" });
      await page.keyboard.press("Control+k");
      await page.locator("dialog.palette input:focus").waitFor();
      await page.keyboard.type("theme dark");
      await page.keyboard.press("Enter");
      await becomes(() => page.evaluate(() => document.documentElement.dataset.theme), "dark");
    },
  },
);

test(
  "two turns of an agent are compared, with the cacheable prefix and its cost at the user's prices",
  onlyDeep("loads the page again"),
  async () => {
    const cards = ["a", "b", "c"].map((id) =>
      card(id, "note", { __type__: "TextContent", text: `${id} ${"and then some words ".repeat(400)}` }),
    );
    const boxes = [
      { box_id: "ctx", card_ids: ["a", "b"], version: 1 },
      { box_id: "pb_writer", card_ids: [] },
    ];
    const agents = [
      { agent_id: "wendy", profile_box_id: "pb_writer", display_name: "Wendy", state: { context_box_id: "ctx", status: "idle" } },
    ];
    const store = memoryStore(JSON.stringify(snapshot({ cards, boxes, agents, calls: [] })));
    const project = await open(store, { projectId: "test_project" });
    await project.call("turn_view", { agent_id: "wendy", record: true });
    await project.call("append_to_box", { box_id: "ctx", card_ids: ["c"] });
    await project.call("turn_view", { agent_id: "wendy", record: true });
    await withPage({ project: store.export() }, async (page) => {
      await ready(page);
      await whenKept(page, 1);
      await page.locator(".nav").getByRole("button", { name: /Wendy/ }).click();
      await page.locator(".views").getByRole("button", { name: "Compare" }).click();
      const added = page.locator('.run[data-change="added"] .line', { hasText: "and then some words" });
      await added.waitFor();
      await settled(page);
      const chosen = await page.locator(".chooser select").evaluateAll((all) => all.map((one) => one.selectedOptions[0].textContent));
      assert.match(chosen.join(" | "), /Wendy: turn 1, .* \| .*Wendy: turn 2, /);
      assert.match(await added.textContent(), /c and then/);

      const [kept, whole] = (await page.locator(".tiles div", { hasText: "cache" }).first().locator("dd").textContent())
        .match(/[\d,]+/g)
        .map((text) => Number(text.replaceAll(",", "")));
      assert.ok(kept > 1_000 && whole > kept, `${kept} of ${whole}`);
      await page.locator(".prices summary").click();
      await page.getByLabel("Per million new tokens").fill("1000000");
      await page.getByLabel("Per million cached tokens").fill("0");
      const cost = page.locator(".cost dd");
      await cost.waitFor();
      await settled(page);
      const numbers = (await cost.textContent()).match(/[\d,.]+/g).map((text) => Number(text.replaceAll(",", "")));
      assert.ok(Math.abs(numbers[1] - (whole - kept)) <= 1, `${numbers} for ${whole} - ${kept}`);
      await page.reload();
      await cost.waitFor();
    });
  },
);

test("a select with thousands of boxes lists some, and the others can be searched", onlyDeep("draws a large project"), async () => {
  const boxes = Array.from({ length: 1_500 }, (_, n) => ({ box_id: `box_${n}`, card_ids: ["c"], version: 1 }));
  const cards = [card("c", "note", { __type__: "TextContent", text: "the only card" })];
  await withPage({ project: snapshot({ cards, boxes, calls: [] }) }, async (page) => {
    await ready(page);
    await page.locator(".line", { hasText: "the only card" }).waitFor();
    await page.keyboard.press("2");
    const side = page.locator(".chooser").last();
    await side.locator("option").first().waitFor({ state: "attached" });
    await settled(page);
    assert.ok((await side.locator("option").count()) <= 401);
    await side.getByRole("searchbox").fill("box_1499");
    await side.locator("select").selectOption("box:box_1499");
    await side.getByRole("searchbox").fill("");
    await becomes(() => side.locator("select").inputValue(), "box:box_1499");
  });
});

test("lockfiles have the bytes of Node in two locales and time zones", onlyDeep("loads the package twice"), async () => {
  const { base } = await lockfiles();
  const script = `
    import { contexts } from "./contexts.mjs";
    import { memoryStore, open } from "./pkg/web.js";
    const project = await open(memoryStore(), { projectId: "p" });
    const locks = new Set();
    for (let repeat = 0; repeat < 500; repeat += 1) {
      const entries = [];
      for (const [name, context] of Object.entries(contexts())) entries.push(await project.lock.entry({ name, ...context }));
      locks.add((await project.lock.update({ entries })).lock);
    }
    window.made = { locks: [...locks], zone: Intl.DateTimeFormat().resolvedOptions().timeZone };`;
  const files = {
    "lock.html": ["text/html", '<!doctype html><title>Lock</title><script type="module" src="lock.js"></script>'],
    "lock.js": ["text/javascript", script],
    "contexts.mjs": ["text/javascript", readFileSync(new URL("../../examples/lock/contexts.mjs", import.meta.url), "utf8")],
  };
  const prepare = async ({ page }) => {
    for (const [name, [contentType, body]] of Object.entries(files))
      await page.route(`${pageUrl()}${name}`, (route) => route.fulfill({ contentType, body }));
  };
  for (const [locale, timezoneId] of [
    ["tr-TR", "Asia/Tokyo"],
    ["de-DE", "America/New_York"],
  ]) {
    await withPage({ prepare, path: "lock.html", own: { locale, timezoneId } }, async (page) => {
      const { locks, zone } = await (await page.waitForFunction(() => window.made)).jsonValue();
      assert.deepEqual([locks, zone], [[base], timezoneId]);
    });
  }
});
