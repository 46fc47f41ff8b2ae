// Logs of other tools: sessions, requests, recorded tokens, and what is not in the log.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { glimpse, openFile, ready, showsText, stopping, whenKept, withPage } from "./page.mjs";
import { session } from "./session.mjs";

const body = (messages) => JSON.stringify({ model: "claude-x", max_tokens: 100, system: "You are brief.", messages });
const user = (content) => ({ role: "user", content });
const first = user("When does the last boat leave? <img src=x onerror=alert(1)>");
const log = [
  body([first]),
  body([first, { role: "assistant", content: "At 23:40." }, user("And why do people miss it?")]),
  body([user("Summary: the boat."), user("So what now?")]),
  "{ broken",
].join("\n");

test("all files of a dropped folder are read, each card has its origin, and a reload restores both", async () => {
  const folder = join(mkdtempSync(join(tmpdir(), "tuckbox-logs-")), "logs");
  mkdirSync(join(folder, "deep", "er"), { recursive: true });
  writeFileSync(join(folder, "chain.jsonl"), log);
  writeFileSync(join(folder, "deep", "er", "other.json"), body([user("Something else.")]));
  writeFileSync(join(folder, "deep", "notes.txt"), "nothing of the kind");
  await withPage({}, async (page, { context }) => {
    await ready(page);
    await whenKept(page, 1);
    const devtools = await context.newCDPSession(page);
    const data = { items: [], files: [folder], dragOperationsMask: 1 };
    const drag = (type) => devtools.send("Input.dispatchDragEvent", { type, x: 400, y: 400, data });
    await drag("dragEnter");
    // dragging takes time: move until the page shows the drop target, then a few times over it
    do await drag("dragOver");
    while ((await page.locator(".dropping").count()) === 0);
    for (let moves = 0; moves < 3; moves += 1) {
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      await drag("dragOver");
    }
    await drag("drop");
    const header = page.locator(".sessions header", { hasText: /3 files, 2 sessions, 4 requests/ });
    await header.waitFor();
    await page.locator(".sessions .notes", { hasText: "logs/deep/notes.txt" }).first().waitFor();
    await whenKept(page, 2);
    await page.reload();
    await header.waitFor();
    const session = page.locator(".sessions select").first();
    await session.selectOption({ label: await session.locator("option", { hasText: "(3)" }).textContent() });
    await page.locator(".origins summary").click();
    await page.locator(".origins select").selectOption({ label: "1" });
    const row = page.locator(".origins tbody tr", { hasText: "And why do people miss it?" });
    await showsText(row, /logs\/chain\.jsonl:2 \/messages\/2/);
    await row.getByRole("button").click();
    await page.locator('.line[aria-selected="true"]', { hasText: "And why do people miss it?" }).waitFor();
  });
});

session(
  {},
  {
    "reading large logs shows its progress, and can be stopped": async (page) => {
      await ready(page);
      const stopped = await stopping(page, "Reading [\\d,]+ KiB of logs");
      await page.evaluate(
        (line) => {
          const text = Array.from({ length: 4_000 }, (_, n) => line.replace("{n}", `${n} ${"x".repeat(4_000)}`)).join("\n");
          const dataTransfer = new DataTransfer();
          for (const name of ["a.jsonl", "b.jsonl"]) dataTransfer.items.add(new File([text], name));
          document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
        },
        body([user("{n}")]),
      );
      await stopped();
      await page.locator("dialog .progress").waitFor({ state: "detached" });
      await showsText(page.locator(".project"), /^night_ferry$/);
      await page.keyboard.press("Escape");
      await page.locator(".line").first().waitFor();
    },

    "a log of several requests is a timeline that links to cards and comparisons": async (page) => {
      await ready(page);
      await openFile(page, { name: "chain.jsonl", mimeType: "application/jsonl", buffer: Buffer.from(log) });
      await page.locator(".turn-column").nth(2).waitFor();
      await showsText(page.locator(".sessions header"), /1 file, 1 session, 3 requests/);
      const rows = page.locator(".layer-table tbody tr");
      await showsText(rows.nth(1), /\+2 −0.*Prefix unchanged.*chain\.jsonl:2/);
      await showsText(rows.nth(2), /\+2 −3.*Prefix changed at message 0/);
      await page.locator(".turn-part[data-kind]").first().waitFor();
      await page.locator(".sessions .notes", { hasText: "chain.jsonl:4" }).waitFor();
      await rows.nth(1).getByRole("button", { name: "Compare with previous" }).click();
      await page.locator('.run[data-change="added"]').first().waitFor();
      await page.goBack();
      await page.locator(".turn-column").first().click();
      await page.locator(".line", { hasText: "<img src=x onerror=alert(1)>" }).first().waitFor();
    },

    "two files are two sessions of one project": async (page) => {
      await ready(page);
      const named = (name, text) => ({ name, mimeType: "application/json", buffer: Buffer.from(text) });
      await page.locator("header").getByRole("button", { name: "Open", exact: true }).click();
      await page
        .locator('dialog input[type="file"]')
        .first()
        .setInputFiles([
          named("a.json", body([first])),
          named("b.json", body([user("Something else.")])),
          named("c.txt", "nothing of the kind"),
        ]);
      await page.locator(".turn-column").first().waitFor();
      await showsText(page.locator(".sessions header"), /3 files/);
      await page.locator(".sessions .notes", { hasText: "c.txt" }).first().waitFor();
    },
  },
);

test("large logs list their files while they are read, and one session is open at a time", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    const listed = await glimpse(page, ".read-so-far tr", "early.jsonl3 requests");
    await page.evaluate(
      (line) => {
        const dataTransfer = new DataTransfer();
        for (const name of ["early", "late", "last"]) {
          const content = (n) => `${name} ${n}${n === 0 ? ` ${"x".repeat(9 * 1024 * 1024)}` : ""}`;
          const text = Array.from({ length: 3 }, (_, n) => line.replace("{n}", content(n))).join("\n");
          dataTransfer.items.add(new File([text], `${name}.jsonl`));
        }
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
      },
      body([user("{n}")]),
    );
    await listed();
    const sessions = page.locator(".sessions");
    await sessions.getByText("3 files, 3 sessions, 9 requests").waitFor();
    const choice = sessions.locator("select").first();
    const early = await choice.locator("option").first().getAttribute("value");
    await choice.selectOption(early);
    await sessions.getByRole("button", { name: "Open this session" }).click();
    await sessions.getByRole("button", { name: "Open this session" }).waitFor({ state: "detached" });
    await sessions.getByText("3 files, 3 sessions, 9 requests").waitFor();
    await page.locator(".turn-part[data-kind]").first().waitFor();
  });
});
