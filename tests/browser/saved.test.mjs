// Nothing is lost: two tabs share one store, drafts survive, and nothing is written without confirmation.
import assert from "node:assert/strict";
import { test } from "node:test";
import { onlyDeep } from "../support/deep.mjs";
import { becomes, openFile, pageUrl, ready, resized, settled, showsText, whenHeld, whenKept, withPage } from "./page.mjs";
import { session } from "./session.mjs";
import { card, file, snapshot } from "./snapshots.mjs";

const boxes = (page) => page.locator(".nav-boxes .entry").count();

async function commit(page) {
  await page.locator(".heading .primary").click();
  const dialog = page.locator("dialog[open]");
  await dialog
    .getByText(/create/)
    .first()
    .waitFor();
  await dialog.getByRole("button", { name: "Commit", exact: true }).click();
  return dialog;
}

test("two tabs share one store: both have both commits after a reload", onlyDeep("loads the page four times"), async () => {
  await withPage({}, async (a, { context }) => {
    await ready(a);
    await a.locator(".where[data-lost]").waitFor({ state: "detached" });
    await whenKept(a, 1);
    const before = await boxes(a);
    const b = await context.newPage();
    await b.goto(pageUrl());
    await ready(b);
    await commit(a);
    await a.locator(".committed").waitFor();
    // the other tab is notified
    await becomes(() => boxes(b), before + 1);
    await commit(b);
    await b.locator(".committed").waitFor();
    await becomes(() => boxes(a), before + 2);
    for (const page of [a, b]) {
      await page.reload();
      await ready(page);
      await becomes(() => boxes(page), before + 2);
    }
  });
});

test("a commit on stale data is a conflict, and nothing is overwritten", async () => {
  const cards = ["n1", "n2", "n3"].map((id) => card(id, "note", { __type__: "TextContent", text: id }));
  await withPage({}, async (a, { context }) => {
    await ready(a);
    await whenKept(a, 1);
    await openFile(a, file(snapshot({ cards, boxes: [{ box_id: "notes", card_ids: ["n1"] }], calls: [] })));
    await a.locator(".line", { hasText: "n1" }).waitFor();
    await whenKept(a, 2);
    const b = await context.newPage();
    await b.goto(pageUrl());
    await b.locator(".line", { hasText: "n1" }).waitFor();
    const propose = async (page, id) => {
      await page.locator(".views").getByRole("button", { name: "Boxes" }).click();
      const form = page.getByRole("form", { name: "Change this box" });
      await form.getByLabel("Change").selectOption("replace_box");
      await form.getByLabel("Card ids").fill(id);
      await form.getByRole("button", { name: "Preview" }).click();
      await page.locator("dialog[open]").getByText("replace notes").waitFor();
      return page.locator("dialog[open]");
    };
    const [inA, inB] = [await propose(a, "n2"), await propose(b, "n3")];
    await inA.getByRole("button", { name: "Commit", exact: true }).click();
    await inA.waitFor({ state: "detached" });
    await inB.getByRole("button", { name: "Commit", exact: true }).click();
    await a.locator(".views").getByRole("button", { name: "Boxes" }).waitFor();
    // either B was notified in time and previews what A left, or its commit is rejected; A's change is never
    // overwritten
    const refused = inB.locator(".error-note", { hasText: "conflict" });
    await Promise.race([refused.waitFor(), inB.waitFor({ state: "hidden" })]);
    const log = await a.evaluate(async () => {
      const db = await new Promise((resolve) => {
        const request = indexedDB.open("tuckbox-inspector");
        request.onsuccess = () => resolve(request.result);
      });
      const all = await new Promise((resolve) => {
        const request = db.transaction("texts").objectStore("texts").getAll();
        request.onsuccess = () => resolve(request.result);
      });
      return all.map((text) => JSON.parse(text)).find((one) => one.projects[0].project_id === "test_project").projects[0];
    });
    const versions = log.boxes.find(({ box_id }) => box_id === "notes").version;
    assert.equal(versions, (await refused.count()) > 0 ? 2 : 3, "every commit that was taken counts once");
  });
});

test("a draft survives a reload, another project and a commit, and can be undone", onlyDeep("loads the page three times"), async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await page.locator(".heading").getByRole("button", { name: "Edit" }).click();
    const field = page.getByLabel("instruction", { exact: true });
    const before = await field.inputValue();
    await field.fill("Write it as a poem.");
    await page.locator("#card-0", { hasText: "as a poem" }).waitFor();
    await becomes(() => page.getByRole("button", { name: "Keep", exact: true }).count(), 0);
    await whenHeld(page, "as a poem");
    await page.reload();
    await page.locator("#card-0", { hasText: "as a poem" }).waitFor();
    await commit(page);
    await page.locator(".committed").waitFor();
    await page.reload();
    await page.locator("#card-0", { hasText: "as a poem" }).waitFor();
    await page.locator(".heading").getByRole("button", { name: "Edit" }).click();
    await field.fill("And in Chinese.");
    await page.locator("#card-0", { hasText: "And in Chinese" }).waitFor();
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await page.locator("#card-0", { hasText: "as a poem" }).waitFor();
    await page.getByRole("button", { name: "Redo", exact: true }).click();
    await page.locator("#card-0", { hasText: "And in Chinese" }).waitFor();
    await page.getByRole("button", { name: "Reset", exact: true }).click();
    await becomes(() => field.inputValue(), before);
  });
});

test("the same file twice is one entry, and its second project can be selected", onlyDeep("loads the page again"), async () => {
  const one = snapshot({
    cards: [card("a", "note", { __type__: "TextContent", text: "alpha text" })],
    boxes: [{ box_id: "b1", card_ids: ["a"] }],
    calls: [],
  });
  one.projects.push({
    project_id: "second",
    profiles: [],
    boxes: [{ box_id: "b2", card_ids: ["z"] }],
    cards: [card("z", "note", { __type__: "TextContent", text: "other" })],
    agents: [],
    operations: [],
  });
  await withPage({}, async (page) => {
    await ready(page);
    await whenKept(page, 1);
    for (let i = 0; i < 2; i += 1) {
      await openFile(page, file(one));
      await page.locator(".line", { hasText: "alpha text" }).waitFor();
      await whenKept(page, 2);
      // the dialog is closed
      await settled(page);
    }
    await page.locator("header").getByRole("button", { name: "Open", exact: true }).click();
    await page.locator(".kept li").first().waitFor();
    await becomes(() => page.locator(".kept li", { hasText: "test_project" }).count(), 1);
    await showsText(page.locator(".kept li", { hasText: "test_project" }), /1 card, 1 box,/);
    await page.keyboard.press("Escape");
    await page.locator("select", { has: page.locator("option[value=second]") }).selectOption("second");
    await page.locator(".line", { hasText: "other" }).waitFor();
  });
});

session(
  {},
  {
    "a comparison shows the rows of its sides after a side changed": async (page) => {
      await ready(page);
      await page.keyboard.press("2");
      const side = (n) => page.locator(".chooser").nth(n).locator("select").first();
      await side(0).selectOption("box:box_talk");
      await side(1).selectOption("box:box_talk_compacted");
      await page.locator('.run[data-change="removed"] .line').nth(11).waitFor();
      await side(0).selectOption("box:box_brief");
      await page.waitForFunction(() => {
        const runs = [...document.querySelectorAll(".run")].filter((run) => run.querySelector(".line") !== null);
        return (
          runs.length > 0 &&
          runs.every(
            (run) => Number(/(\d+) cards?/.exec(run.querySelector(".run-head").textContent)[1]) === run.querySelectorAll(".line").length,
          )
        );
      });
    },

    "all errors of a file are reported at once": async (page) => {
      const broken = snapshot({
        cards: [{ content: {} }, card("ok", "note", { __type__: "TextContent", text: "fine" }), 7],
        boxes: [{ card_ids: [] }],
        calls: [],
      });
      await ready(page);
      await openFile(page, file(broken));
      const error = page.locator("dialog .error-note");
      await showsText(error, /projects\[0\]\.cards\[0\]\.card_id/);
      await showsText(error, /2 more errors at `projects\[0\]\.cards\[2\]`, `projects\[0\]\.boxes\[0\]\.box_id`/);
    },

    "a fork can be compared before it is written": async (page) => {
      await ready(page);
      const count = await boxes(page);
      await page.locator(".views").getByRole("button", { name: "Boxes" }).click();
      await page
        .locator(".browse-side")
        .getByRole("button", { name: /box_talk_compacted/ })
        .click();
      const form = page.getByRole("form", { name: "Change this box" });
      await form.getByLabel("First cards").fill("2");
      await form.getByRole("button", { name: "Preview" }).click();
      const dialog = page.locator("dialog[open]");
      await dialog.getByText(/create .* with 2 cards/).waitFor();
      await dialog.getByRole("button", { name: "Compare without committing" }).click();
      await page.locator('.run[data-change="removed"]').waitFor();
      await becomes(() => page.locator(".run").evaluateAll((all) => all.map((run) => run.dataset.change)), ["kept", "removed"]);
      await page.locator(".views").getByRole("button", { name: "Context" }).click();
      await becomes(() => boxes(page), count);
      await page.locator(".views").getByRole("button", { name: "Boxes" }).click();
      await form.getByRole("button", { name: "Preview" }).click();
      await dialog.getByRole("button", { name: "Commit", exact: true }).click();
      await page.locator(".run").first().waitFor();
      await page.locator(".views").getByRole("button", { name: "Context" }).click();
      await becomes(() => boxes(page), count + 1);
    },

    "after a commit the writes are those of the next commit": async (page) => {
      await ready(page);
      await page.locator("#tab-writes").click();
      const operation = page.locator("#panel-writes .facts dd").first();
      await operation.waitFor();
      const first = await operation.textContent();
      await commit(page);
      await page.locator(".committed").waitFor();
      await page.waitForFunction((old) => document.querySelector("#panel-writes .facts dd")?.textContent !== old, first);
      // the commit links to its result
      const made = page.locator(".committed .link").first();
      const box_id = await made.textContent();
      await made.click();
      await page.locator(".heading h2", { hasText: box_id }).waitFor();
    },

    "menus close with Escape and with a click elsewhere, and are never cut off": async (page) => {
      await resized(page, { width: 1440, height: 520 });
      await ready(page);
      const summary = page.locator("summary", { hasText: "New handover" });
      const body = page.locator(".menu.new .menu-body");
      await summary.click();
      const last = body.getByRole("button").last();
      await last.scrollIntoViewIfNeeded();
      await settled(page);
      assert.ok(
        await last.evaluate((button) => {
          const at = button.getBoundingClientRect();
          const hit = document.elementFromPoint(at.left + 4, at.top + 4);
          return at.bottom <= innerHeight && button.contains(hit);
        }),
      );
      await page.keyboard.press("Escape");
      await body.waitFor({ state: "hidden" });
      await summary.click();
      await page.mouse.click(700, 400);
      await body.waitFor({ state: "hidden" });
    },
  },
);

test("an unreadable card is a red row with its reason, next to readable ones", async () => {
  const cards = [
    card("a", "note", { __type__: "TextContent", text: "before" }),
    { card_id: "broken", content: { __type__: "NoSuchContent" }, metadata: {} },
    card("c", "note", { __type__: "TextContent", text: "after" }),
  ];
  await withPage({ project: snapshot({ cards, boxes: [{ box_id: "b1", card_ids: ["a", "broken", "c"] }], calls: [] }) }, async (page) => {
    await ready(page);
    await page.locator(".line", { hasText: "after" }).waitFor();
    const row = page.locator('.line[data-presence="unreadable"]');
    await showsText(row, /broken/);
    await row.click();
    await page.locator(".why .gone", { hasText: "NoSuchContent" }).waitFor();
    await page.locator('[data-total="bar"]').waitFor();
  });
});
