// From a finding to a fix: fit it, keep it, take it out; and take the new request along as a call or as a command.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { memoryStore, open } from "../../pkg/index.js";
import { becomes, openFile, ready, start, withPage } from "./page.mjs";
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
    await becomes(() => page.locator(".line .excerpt").allTextContents(), ["Hello.", "Good-bye."]);
  });
});

test("what falls out is compacted: a summary takes its place, and the new request is seen", async () => {
  const cards = Array.from({ length: 6 }, (_, n) => said(`c${n}`, `${n} ${"All hands to the pier. ".repeat(40)}`));
  const project = snapshot({ cards, boxes: [{ box_id: "notes", card_ids: cards.map(({ card_id }) => card_id) }], calls: [] });
  await withPage(site, { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await ready(page);
    await openFile(page, file(project));
    await page.locator(".line", { hasText: "5 All hands" }).waitFor();
    await page.locator(".rooms").getByRole("button", { name: "What if" }).click();
    await page.locator(".controls select").first().selectOption("box:notes");
    await page.locator(".fit-line").nth(5).waitFor();
    await page.locator('.controls input[type="number"]').fill("700");
    await page.locator("summary", { hasText: /Compact the \d cards that fall out/ }).click();
    const fallen = Number(/\d/.exec(await page.locator(".compact summary").textContent())[0]);
    assert.ok(fallen >= 2 && fallen < 6, `${fallen} fall out`);
    await page.getByLabel("A summary that stands for them").fill("Everybody was called to the pier.");

    await page.getByRole("button", { name: "Copy the commands" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const folder = mkdtempSync(join(tmpdir(), "tuckbox-compact-"));
    writeFileSync(join(folder, "project.json"), JSON.stringify(project));
    const commands = (await page.evaluate(() => navigator.clipboard.readText())).replaceAll("npx tuckbox", `'${process.execPath}' '${program}'`);
    execFileSync("sh", ["-e", "-c", commands], { cwd: folder });
    const [there] = JSON.parse(readFileSync(join(folder, "project.json"), "utf8")).projects[0].boxes;
    assert.equal(there.card_ids.length, 6 - fallen + 1);

    await page.getByRole("button", { name: "Put it in their place" }).click();
    await page.locator("dialog[open]", { hasText: "A card with the summary" }).getByRole("button", { name: "Commit", exact: true }).click();
    await page.locator("dialog[open]", { hasText: "the summary takes the place of" }).getByRole("button", { name: "Commit", exact: true }).click();
    await page.locator(".fit-line", { hasText: "Everybody was called to the pier." }).waitFor();
    await becomes(() => page.locator(".fit-line").count(), 6 - fallen + 1);
    await becomes(() => page.locator('.fit-line[data-dropped="true"]').count(), 0);
  });
});
