// From a problem to a fix: fit, pin, remove; and copy the new request as a call or as a command.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { memoryStore, open } from "../../pkg/index.js";
import { onlyDeep } from "../support/deep.mjs";
import { becomes, copied, ready, settled, showsText, withPage } from "./page.mjs";
import { card, pack, snapshot } from "./snapshots.mjs";

const program = fileURLToPath(new URL("../../pkg/bin/tuckbox.js", import.meta.url));

/** Runs shell commands in a folder; returns their output. */
const shell = async (commands, cwd) => (await promisify(execFile)("sh", ["-e", "-c", commands], { cwd, encoding: "utf8" })).stdout;

const note = (id, text, role = "user") => card(id, "note", { __type__: "TextContent", text }, { metadata: { role } });

test("a request that is too large is fitted into the window, and copied as a call and as a command", async () => {
  const cards = Array.from({ length: 40 }, (_, n) => note(`c${n}`, `${n} ${"All hands to the pier. ".repeat(40)}`));
  const project = snapshot({ cards, boxes: [{ box_id: "notes", card_ids: cards.map(({ card_id }) => card_id) }], calls: [] });
  await withPage({ project, permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await ready(page);
    await page.locator("#tab-problems").click();
    await page.locator(".notes", { hasText: "over_window" }).getByRole("button", { name: "Fit into a budget" }).click();
    await page.locator(".controls [role=status]").waitFor();
    await becomes(() => page.locator(".controls select").first().inputValue(), "box:notes");
    await becomes(() => page.locator('.controls input[type="number"]').inputValue(), "4096");
    await settled(page);
    const taken = (name) => copied(page, () => page.getByRole("button", { name, exact: true }).click());
    const call = JSON.parse(await taken("Copy call"));
    const workspace = await open(memoryStore(JSON.stringify(project)), { projectId: "test_project" });
    const { value } = await workspace.preview(call.op, call);
    assert.ok(value.account.tokens <= 4_096, `${value.account.tokens} tokens`);
    assert.ok(value.dropped.length > 0);

    const folder = mkdtempSync(join(tmpdir(), "tuckbox-fix-"));
    writeFileSync(join(folder, "project.json"), JSON.stringify(project));
    const command = (await taken("Copy command")).replace("npx tuckbox", `'${process.execPath}' '${program}'`).replace(" <<", " --json <<");
    const result = JSON.parse(await shell(command, folder));
    assert.equal((result.value ?? result).account.tokens, value.account.tokens);
  });
});

test("a card with a problem is pinned, or removed from its box", onlyDeep("loads the page again"), async () => {
  const cards = [note("a", "Hello."), note("b", "Odd.", "narrator"), note("c", "Good-bye.")];
  await withPage({ project: snapshot({ cards, boxes: [{ box_id: "notes", card_ids: ["a", "b", "c"] }], calls: [] }) }, async (page) => {
    await ready(page);
    await page.locator(".line", { hasText: "Odd." }).waitFor();
    await page.locator("#tab-problems").click();
    const note = page.locator(".notes li", { hasText: "Go to card 1" }).first();
    await note.getByRole("button", { name: "Pin in the budget" }).click();
    await page.locator(".whatif .why", { hasText: "Odd." }).getByRole("button", { name: "Pinned" }).waitFor();
    await page.locator(".views").getByRole("button", { name: "Context" }).click();
    await note.getByRole("button", { name: "Remove from the box" }).click();
    await page
      .locator("dialog[open]", { hasText: "Remove card 1 from notes" })
      .getByRole("button", { name: "Commit", exact: true })
      .click();
    await page.locator("#tab-cards").click();
    await page.locator(".line", { hasText: "Odd." }).waitFor({ state: "detached" });
    await becomes(() => page.locator(".line .excerpt").allTextContents(), ["Hello.", "Good-bye."]);
  });
});

test("a summary replaces dropped cards of a box", onlyDeep("the same as for a handover"), async () => {
  const cards = Array.from({ length: 6 }, (_, n) => note(`c${n}`, `${n} ${"All hands to the pier. ".repeat(40)}`));
  const project = snapshot({ cards, boxes: [{ box_id: "notes", card_ids: cards.map(({ card_id }) => card_id) }], calls: [] });
  await withPage({ project, permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await ready(page);
    await page.locator(".line", { hasText: "5 All hands" }).waitFor();
    const fallen = await writeSummary(page, "box:notes", 700);
    assert.ok(fallen >= 2 && fallen < 6, `${fallen} fall out`);

    const text = await copied(page, () => page.getByRole("button", { name: "Copy commands" }).click());
    const folder = mkdtempSync(join(tmpdir(), "tuckbox-compact-"));
    writeFileSync(join(folder, "project.json"), JSON.stringify(project));
    const commands = text.replaceAll("npx tuckbox", `'${process.execPath}' '${program}'`);
    await shell(commands, folder);
    const [there] = JSON.parse(readFileSync(join(folder, "project.json"), "utf8")).projects[0].boxes;
    assert.equal(there.card_ids.length, 6 - fallen + 1);

    await page.getByRole("button", { name: "Replace", exact: true }).click();
    await page
      .locator("dialog[open]", { hasText: "Add a card with the summary" })
      .getByRole("button", { name: "Commit", exact: true })
      .click();
    await page.locator("dialog[open]", { hasText: "in notes by the summary" }).getByRole("button", { name: "Commit", exact: true }).click();
    await page.locator(".fit-line", { hasText: "Everybody was called to the pier." }).waitFor();
    await becomes(() => page.locator(".fit-line").count(), 6 - fallen + 1);
    await becomes(() => page.locator('.fit-line[data-dropped="true"]').count(), 0);
  });
});

/** Opens "What if" on something with a limit, and writes a summary for what is dropped; returns how many that are. */
async function writeSummary(page, what, limit) {
  await page.locator(".views").getByRole("button", { name: "What if" }).click();
  await page.locator(".controls select").first().selectOption(what);
  // until the answer arrives, the lines and the limit are those of the previous choice
  await settled(page);
  await page.locator('.controls input[type="number"]').fill(String(limit));
  await page.locator(`.controls [role=status][data-limit="${limit}"]`).waitFor();
  await settled(page);
  const summary = page.locator(".compact summary");
  await showsText(summary, /Compact the \d+ (cards|messages) that are dropped/);
  const count = Number(/\d+/.exec(await summary.textContent())[0]);
  await summary.click();
  await page.getByLabel("Summary that replaces them").fill("Everybody was called to the pier.");
  return count;
}

/** Returns the number of messages, including dropped ones. */
async function messages(page) {
  return Number(/ of (\d+) messages /.exec(await page.locator(".controls [role=status]").textContent())[1]);
}

async function commitEach(page, titles) {
  await page.getByRole("button", { name: "Replace", exact: true }).click();
  for (const title of titles) {
    await page.locator("dialog[open]", { hasText: title }).getByRole("button", { name: "Commit", exact: true }).click();
  }
  await page.locator(".fit-line", { hasText: "Everybody was called to the pier." }).waitFor();
  await becomes(() => page.locator('.fit-line[data-dropped="true"]').count(), 0);
}

const long = (id) => note(id, `${id} ${"All hands to the pier. ".repeat(40)}`);

test("a summary replaces dropped cards of a handover in copies of its boxes", async () => {
  const cards = Array.from({ length: 6 }, (_, n) => long(`c${n}`));
  const boxes = [
    { box_id: "old", card_ids: ["c0", "c1", "c2"] },
    { box_id: "new", card_ids: ["c2", "c3", "c4", "c5"] },
  ];
  const project = snapshot({ cards, boxes, calls: [pack("hand over", { instruction: "go on", box_ids: ["old", "new"] }, ["old", "new"])] });
  await withPage({ project }, async (page) => {
    await ready(page);
    await page.locator(".line", { hasText: "c5 All hands" }).waitFor();
    const count = await writeSummary(page, "call:hand over", 800);
    assert.ok(count >= 3 && count < 6, `${count} fall out`);
    // the card in both boxes is removed from both copies
    await commitEach(page, ["Add a card with the summary", "Copy old with the summary", "Copy new with the summary"]);
    // the instruction is dropped first, and is not a card of a box
    await becomes(() => page.locator(".fit-line").count(), 7 - (count - 1) + 1);
    await page.locator(".views").getByRole("button", { name: "Boxes" }).click();
    await page.locator(".whole-view", { hasText: "old_" }).waitFor();
    for (const [box, texts] of [
      ["old", ["c0", "c1", "c2"]],
      ["new", ["c2", "c3", "c4", "c5"]],
    ]) {
      await page.evaluate((name) => (location.hash = `#box=${name}`), box);
      await page.locator(".heading h2", { hasText: box }).waitFor();
      await becomes(async () => (await page.locator(".line .excerpt").allTextContents()).map((text) => text.slice(0, 2)), texts);
    }
  });
});

test("a summary replaces dropped cards of a turn in both of its boxes", onlyDeep("the same as for a handover"), async () => {
  const cards = Array.from({ length: 6 }, (_, n) => long(`c${n}`));
  const agents = [
    {
      agent_id: "ann",
      profile_box_id: "pb_writer",
      display_name: "Ann",
      state: { status: "idle", profile_box_id: "pb_writer", context_box_id: "context", output_box_id: "output" },
    },
  ];
  const boxes = [
    { box_id: "context", card_ids: ["c0", "c1"] },
    { box_id: "output", card_ids: ["c2", "c3", "c4", "c5"] },
  ];
  await withPage({ project: snapshot({ cards, boxes, calls: [], agents }) }, async (page) => {
    await ready(page);
    await page.locator(".line", { hasText: "c1 All hands" }).waitFor();
    const count = await writeSummary(page, "agent:ann", 700);
    assert.ok(count >= 3 && count < 6, `${count} fall out`);
    await commitEach(page, ["Add a card with the summary", "in context by the summary", "in output by the summary"]);
  });
});

test("a summary replaces remembered messages of a composition without a commit", onlyDeep("the same as for a handover"), async () => {
  await withPage({}, async (page) => {
    await ready(page);
    const count = await writeSummary(page, "call:compose", 480);
    assert.ok(count > 1, `${count} fall out`);
    await settled(page);
    const before = await messages(page);
    await page.getByRole("button", { name: "Replace", exact: true }).click();
    await page.locator(".fit-line", { hasText: "Everybody was called to the pier." }).waitFor();
    // the new summary replaces the old one
    await becomes(() => messages(page), before - count);
    await settled(page);
    assert.equal(await page.locator("dialog[open]").count(), 0);
    // it is an undoable edit of the call
    await page.locator(".controls").getByRole("button", { name: "Undo" }).click();
    await becomes(() => messages(page), before);
    await page.locator(".controls").getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
    await page.locator(".compact summary").click();
    await page.getByLabel("Summary that replaces them").fill("Everybody was called to the pier.");
    await page.getByRole("button", { name: "Replace", exact: true }).click();
    await page.locator(".controls").getByRole("button", { name: "Undo" }).waitFor();
    await page.locator(".views").getByRole("button", { name: "Context" }).click();
    await page.locator(".entry", { hasText: "next step, composed" }).locator(".changed").waitFor();
  });
});
