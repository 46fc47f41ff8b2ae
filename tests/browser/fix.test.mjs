// From a finding to a fix: fit it, keep it, take it out; and take the new request along as a call or as a command.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { memoryStore, open } from "../../pkg/index.js";
import { openFile, ready, start, withPage } from "./page.mjs";
import { card, file, snapshot } from "./snapshots.mjs";

const program = fileURLToPath(new URL("../../pkg/bin/tuckbox.js", import.meta.url));

let site;
before(async () => {
  site = await start();
});
after(() => site?.stop());

const said = (id, text, role = "user") => card(id, "note", { __type__: "TextContent", text }, { metadata: { role } });

test("what is too large is fitted into the window, and the fitted request is a call and a command", async () => {
  const cards = Array.from({ length: 40 }, (_, n) => said(`c${n}`, `${n} ${"All hands to the pier. ".repeat(40)}`));
  const project = snapshot({ cards, boxes: [{ box_id: "notes", card_ids: cards.map(({ card_id }) => card_id) }], calls: [] });
  await withPage(site, { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await ready(page);
    await openFile(page, file(project));
    await page.locator("#tab-problems").click();
    await page.locator(".notes", { hasText: "over_window" }).getByRole("button", { name: "Fit it into a budget" }).click();
    await page.locator(".controls [role=status]").waitFor();
    assert.equal(await page.locator(".controls select").first().inputValue(), "box:notes");
    assert.equal(await page.locator('.controls input[type="number"]').inputValue(), "4096");
    const copied = async (name) => {
      await page.getByRole("button", { name, exact: true }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      const text = await page.evaluate(() => navigator.clipboard.readText());
      await page.getByRole("button", { name, exact: true }).waitFor();
      return text;
    };
    const call = JSON.parse(await copied("Copy the call"));
    const workspace = await open(memoryStore(JSON.stringify(project)), { project_id: "test_project" });
    const { value } = await workspace.preview(call.op, call);
    assert.ok(value.account.tokens <= 4_096, `${value.account.tokens} tokens`);
    assert.ok(value.dropped.length > 0);

    const folder = mkdtempSync(join(tmpdir(), "tuckbox-fix-"));
    writeFileSync(join(folder, "project.json"), JSON.stringify(project));
    const command = (await copied("Copy the command")).replace("npx tuckbox", `'${process.execPath}' '${program}'`).replace(" <<", " --json <<");
    const told = JSON.parse(execFileSync("sh", ["-c", command], { cwd: folder, encoding: "utf8" }));
    assert.equal((told.value ?? told).account.tokens, value.account.tokens);
  });
});

test("a card that something was noticed about is kept whatever happens, or taken out of its box", async () => {
  const cards = [said("a", "Hello."), said("b", "Odd.", "narrator"), said("c", "Good-bye.")];
  await withPage(site, {}, async (page) => {
    await ready(page);
    await openFile(page, file(snapshot({ cards, boxes: [{ box_id: "notes", card_ids: ["a", "b", "c"] }], calls: [] })));
    await page.locator(".line", { hasText: "Odd." }).waitFor();
    await page.locator("#tab-problems").click();
    const note = page.locator(".notes li", { hasText: "Go to the card 1" }).first();
    await note.getByRole("button", { name: "Keep it, whatever else has to go" }).click();
    await page.locator(".whatif .why", { hasText: "Odd." }).getByRole("button", { name: "Pinned" }).waitFor();
    await page.locator(".rooms").getByRole("button", { name: "Context" }).click();
    await note.getByRole("button", { name: "Take it out of the box" }).click();
    await page.locator("dialog[open]", { hasText: "Card 1 of notes goes" }).getByRole("button", { name: "Commit", exact: true }).click();
    await page.locator("#tab-cards").click();
    await page.locator(".line", { hasText: "Odd." }).waitFor({ state: "detached" });
    assert.deepEqual(await page.locator(".line .excerpt").allTextContents(), ["Hello.", "Good-bye."]);
  });
});
