// The logs of other tools in the page: sessions, their requests, what was recorded and what nobody can know.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openFile, ready, start, withPage } from "./page.mjs";

let site;
before(async () => {
  site = await start();
});
after(() => site?.stop());

const body = (messages) => JSON.stringify({ model: "claude-x", max_tokens: 100, system: "You are brief.", messages });
const user = (content) => ({ role: "user", content });
const first = user("When does the last boat leave? <img src=x onerror=alert(1)>");
const log = [body([first]), body([first, { role: "assistant", content: "At 23:40." }, user("And why do people miss it?")]), body([user("Summary: the boat."), user("So what now?")]), "{ broken"].join("\n");

test("a log of several requests is a timeline; each leads to its cards, and to what changed before it", async () => {
  await withPage(site, {}, async (page) => {
    await ready(page);
    await openFile(page, { name: "chain.jsonl", mimeType: "application/jsonl", buffer: Buffer.from(log) });
    await page.locator(".turn-column").nth(2).waitFor();
    assert.match(await page.locator(".sessions header").textContent(), /1 file, 1 session, 3 requests/);
    const rows = page.locator(".layer-table tbody tr");
    assert.match(await rows.nth(1).textContent(), /\+2 −0.*kept.*chain\.jsonl:2/);
    assert.match(await rows.nth(2).textContent(), /\+2 −3.*differs after 0 messages/);
    await page.locator(".turn-part[data-kind]").first().waitFor();
    await page.locator(".sessions .notes", { hasText: "chain.jsonl:4" }).waitFor();
    await rows.nth(1).getByRole("button", { name: "Compare with the one before" }).click();
    await page.locator('.run[data-change="added"]').first().waitFor();
    await page.goBack();
    await page.locator(".turn-column").first().click();
    await page.locator(".line", { hasText: "<img src=x onerror=alert(1)>" }).first().waitFor();
  });
});

test("two files are two sessions of one project", async () => {
  await withPage(site, {}, async (page) => {
    await ready(page);
    const named = (name, text) => ({ name, mimeType: "application/json", buffer: Buffer.from(text) });
    await page.locator("header").getByRole("button", { name: "Open", exact: true }).click();
    await page.locator('dialog input[type="file"]').setInputFiles([named("a.json", body([first])), named("b.json", body([user("Something else.")])), named("c.txt", "nothing of the kind")]);
    await page.locator(".turn-column").first().waitFor();
    assert.match(await page.locator(".sessions header").textContent(), /3 files/);
    await page.locator(".sessions .notes", { hasText: "c.txt" }).first().waitFor();
  });
});
