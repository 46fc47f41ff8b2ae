// Logs of other tools as a timeline: nine questions on one page, each answered in at most three actions; and opening.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { onlyDeep } from "../support/deep.mjs";
import { claudeSession, requestLog } from "../support/logs.mjs";
import { glimpse, ready, settled, showsText, stopping, whenKept, withPage } from "./page.mjs";

const named = ({ name, text }) => ({ name, mimeType: "application/jsonl", buffer: Buffer.from(text) });
const body = (messages) => JSON.stringify({ model: "claude-x", max_tokens: 100, system: "You are brief.", messages });
const user = (content) => ({ role: "user", content });

async function openLogs(page, files) {
  await page.locator("header").getByRole("button", { name: "Open", exact: true }).click();
  await page.locator('dialog input[type="file"]').first().setInputFiles(files);
  await page.locator(".tl-step").first().waitFor();
}

/** Counts the actions of a question. */
function counting(page) {
  let actions = 0;
  const act = (work) => {
    actions += 1;
    return work;
  };
  return {
    click: (at) => act(at.click()),
    fill: (at, text) => act(at.fill(text)),
    select: (at, value) => act(at.selectOption(value)),
    press: (key) => act(page.keyboard.press(key)),
    end: () => assert.ok(actions <= 3, `${actions} actions`),
  };
}

const QUESTIONS = {
  "request N": async (page, act) => {
    await act.click(page.locator(".tl-step", { hasText: "09:12:08" }).or(page.locator(".tl-step").first()));
    await showsText(page.locator(".tl-head h2"), /^Step 1 · .*Read total\.ts$/);
    await showsText(
      page.locator(".tl-facts").first(),
      /claude-sonnet-4-5 · 9,012 input tokens · 0 read from cache · 120 output · \$0\.03\d* · 4\.5% of the window/,
    );
  },
  "from N−1 to N": async (page, act) => {
    await act.click(page.locator(".tl-step", { hasText: "Bash npm test ✗" }));
    await act.press("j");
    await showsText(page.locator(".tl-tab h3").first(), /^Changes since step 2$/);
    await page.locator('.tl-card[data-change="added"]', { hasText: /Tool result.*Bash npm test.*giftCard is applied twice/s }).waitFor();
    await page.locator(".tl-card", { hasText: /Tool call.*Read src\/total\.ts/s }).waitFor();
  },
  "where the tokens go": async (page, act) => {
    await act.click(page.locator("#tl-tab-tokens"));
    await page.locator(".tl-table tr", { hasText: /src\/total\.ts.*×2/ }).waitFor();
    await page.locator(".tl-map-kind[data-part='tool_result']").waitFor();
  },
  "where the cache broke and why": async (page, act) => {
    await act.click(page.locator(".tl-chip", { hasText: "Breaks" }));
    await act.click(page.locator(".tl-step", { hasText: "Edit cart.ts" }));
    await showsText(
      page.locator(".tl-why"),
      /Cache break: The entry expired\..*since the last use; entries live 5 min.*tokens were read again at full price/s,
    );
  },
  "what the compaction took": async (page, act) => {
    await act.click(page.locator(".tl-chip", { hasText: "Compactions" }));
    await act.click(page.locator(".tl-step").first());
    await act.click(page.locator("#tl-tab-changes"));
    await showsText(page.locator(".tl-compaction h3").first(), /^Compaction: \d+ messages replaced by a summary$/);
    await page.locator(".tl-compaction", { hasText: "Summary: the gift card bug is mended" }).waitFor();
    await page.locator('.tl-compaction [data-change="removed"]', { hasText: "npm test" }).first().waitFor();
  },
  "a text in a tool call": async (page, act) => {
    await act.fill(page.locator("#search"), "subagent_type");
    await act.click(page.locator(".tl-hit", { hasText: "Task" }));
    await showsText(page.locator(".tl-right .content").first(), /subagent_type: Explore/);
    await showsText(page.locator(".tl-right"), /project\/s1\.jsonl:\d+/);
    await page.locator("#search").fill("");
  },
  "what a sub-agent saw": async (page, act) => {
    await act.click(page.locator(".tl-chip", { hasText: "All" }));
    await act.click(page.locator('.tl-step[data-depth="1"]').nth(1));
    await act.click(page.locator("#tl-tab-request"));
    await page.locator(".tl-card", { hasText: "Find all uses of giftCard" }).waitFor();
    await page.locator(".tl-card", { hasText: "src/receipt.ts:12" }).waitFor();
  },
  "the most expensive step": async (page, act) => {
    await act.click(page.getByRole("button", { name: "Most expensive step" }));
    await showsText(page.locator(".tl-head h2"), /Answer|Edit|Renamed|Read/);
    const costs = await page.locator(".tl-facts").first().textContent();
    assert.match(costs, /\$0\.\d+/);
  },
  "tools that are never used": async (page, act) => {
    await act.select(page.locator(".tl-session select"), { index: 0 });
    await act.click(page.locator("#tl-tab-tools"));
    await page.locator(".tl-table tr", { hasText: /book_boat.*never used/ }).waitFor();
    await showsText(page.locator(".tl-save"), /Without the 3 unused tools, this request has [\d,]+ tokens less/);
  },
};

test("nine questions about a log are answered in at most three actions each", async (t) => {
  await withPage({}, async (page) => {
    await ready(page);
    await openLogs(page, [...claudeSession(), requestLog()].map(named));
    await settled(page);
    assert.deepEqual(await page.locator(".views button").allTextContents(), ["Timeline", "Compare", "What if", "Search"]);
    await page
      .locator(".tl-session select")
      .selectOption({ label: await page.locator(".tl-session option", { hasText: "claude-code" }).textContent() });
    for (const [name, ask] of Object.entries(QUESTIONS)) {
      await t.test(name, async () => {
        const act = counting(page);
        await ask(page, act);
        act.end();
      });
    }
  });
});

test("a request without an answer shows what is not in the log, and no cache break", async () => {
  const text = readFileSync(new URL("../recordings/pi-session.jsonl", import.meta.url), "utf8");
  await withPage({}, async (page) => {
    await ready(page);
    await openLogs(page, [named({ name: "pi.jsonl", text })]);
    await showsText(page.locator(".tl-head h2"), /^Step 45 · .* · No answer in the log$/);
    await showsText(page.locator(".tl-facts").first(), /^model not in the log · ≈[\d,]+ input tokens \(estimated\) · cost unknown$/);
    await page.locator('.tl-card[data-change="added"]').first().waitFor();
    assert.equal(await page.locator('.tl-why, .tl-card[data-change="changed"]').count(), 0);
  });
});

test("a log is imported when a view needs its project, and once", async () => {
  const prepare = ({ page }) =>
    page.addInitScript(() => {
      window.imports = 0;
      window.Worker = class extends Worker {
        constructor(...given) {
          super(...given);
          this.addEventListener("message", ({ data }) => {
            if (data.changed !== undefined && data.log?.isImported === true) window.imports += 1;
          });
        }
      };
    });
  await withPage({ prepare }, async (page) => {
    await ready(page);
    await openLogs(page, claudeSession().map(named));
    await whenKept(page, 2);
    for (const tab of ["request", "tokens", "tools", "raw", "changes"]) {
      await page.locator(`#tl-tab-${tab}`).click();
      await page.keyboard.press("k");
      await settled(page);
    }
    const imports = () => page.evaluate(() => window.imports);
    assert.equal(await imports(), 0);
    await page.locator(".tl-actions").getByRole("button", { name: "Compare" }).click();
    await page.locator(".run .line").first().waitFor();
    await settled(page);
    await page.locator(".views").getByRole("button", { name: "Timeline" }).click();
    await page.locator("#tl-tab-log").click();
    await page.locator(".tl-tab .notes", { hasText: "project/s1.jsonl" }).first().waitFor();
    await settled(page);
    assert.equal(await imports(), 1);
  });
});

test("a step is exported as a file with only the shown tab, without secrets and markup", onlyDeep("saves files"), async () => {
  await withPage({}, async (page) => {
    await ready(page);
    // split, so that secret scanners do not report it
    const key = ["sk-ant-", "api03-a1b2c3d4e5f6g7h8i9j0k1l2"].join("");
    const text = `<script>alert(1)</script> \u202e my key is ${key} ${"long ".repeat(400)}END`;
    await openLogs(page, [named({ name: "secret.jsonl", text: body([user(text)]) })]);
    const saved = async () => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.locator(".tl-actions").getByRole("button", { name: "Export" }).click(),
      ]);
      return [download.suggestedFilename(), readFileSync(await download.path(), "utf8")];
    };
    const [name, html] = await saved();
    assert.equal(name, "step-1-changes.html");
    assert.match(html, /long END/);
    assert.doesNotMatch(html, new RegExp(`${key}|<script|\u202e`));
    assert.match(html, /You are brief/);
    await page.locator("#tl-tab-tools").click();
    const [, tools] = await saved();
    assert.doesNotMatch(tools, /long END|You are brief/);
  });
});

test("steps are compared, fitted and converted under their names", onlyDeep("opens four views"), async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await openLogs(page, [requestLog()].map(named));
    await page.locator(".tl-step").nth(1).click();
    await page.locator(".tl-actions").getByRole("button", { name: "Compare" }).click();
    await page.locator(".run .line").first().waitFor();
    await showsText(page.locator(".chooser").first(), /Step 1 · /);
    await page.goBack();
    await page.locator(".tl-actions").getByRole("button", { name: "What if" }).click();
    await page.locator(".fit-line").first().waitFor();
    await page.goBack();
    await page.locator(".tl-actions").getByRole("button", { name: "Convert" }).click();
    await showsText(page.locator(".center h2"), /^Step 2 · /);
    await page.locator("#tab-payload[aria-selected=true]").waitFor();
    assert.equal(await page.locator(".tour").count(), 0);
    await page.locator("#tab-cards").click();
    await page.locator('.line [data-kind="user"]').first().waitFor();
  });
});

test(
  "a folder is read, a reload restores the timeline, and text of a log is never markup",
  onlyDeep("drags a folder and reloads the page"),
  async () => {
    const folder = join(mkdtempSync(join(tmpdir(), "tuckbox-logs-")), "logs");
    mkdirSync(join(folder, "deep"), { recursive: true });
    writeFileSync(join(folder, "chain.jsonl"), [body([user("<img src=x onerror=alert(1)>")]), "{ broken"].join("\n"));
    writeFileSync(join(folder, "deep", "notes.txt"), "nothing of the kind");
    await withPage({}, async (page, { context }) => {
      await ready(page);
      await whenKept(page, 1);
      const devtools = await context.newCDPSession(page);
      const data = { items: [], files: [folder], dragOperationsMask: 1 };
      const drag = (type) => devtools.send("Input.dispatchDragEvent", { type, x: 400, y: 400, data });
      await drag("dragEnter");
      // dragging takes time: move until the page shows the drop target
      do await drag("dragOver");
      while ((await page.locator(".dropping").count()) === 0);
      await drag("drop");
      const prompt = page.locator(".tl-prompt", { hasText: "<img src=x onerror=alert(1)>" });
      await prompt.waitFor();
      await whenKept(page, 2);
      await page.reload();
      await prompt.waitFor();
      await page.locator("#tl-tab-log").click();
      await page.locator(".tl-tab .notes", { hasText: "logs/deep/notes.txt" }).first().waitFor();
      await page.locator(".tl-tab .notes", { hasText: "chain.jsonl:2" }).waitFor();
    });
  },
);

test("reading large logs shows its progress and can be stopped; one session is open at a time", onlyDeep("reads 54 MiB"), async () => {
  await withPage({}, async (page) => {
    await ready(page);
    const drop = (count) =>
      page.evaluate(
        ([line, requests]) => {
          const dataTransfer = new DataTransfer();
          for (const name of ["early", "late", "last"]) {
            const content = (n) => `${name} ${n}${n === 0 ? ` ${"x".repeat(9 * 1024 * 1024)}` : ""}`;
            const text = Array.from({ length: requests }, (_, n) => line.replace("{n}", content(n))).join("\n");
            dataTransfer.items.add(new File([text], `${name}.jsonl`));
          }
          document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
        },
        [body([user("{n}")]), count],
      );
    const stopped = await stopping(page, "Reading [\\d,]+ KiB of logs");
    await drop(3);
    await stopped();
    await page.locator("dialog .progress").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    const listed = await glimpse(page, ".read-so-far tr", "early.jsonl3 requests");
    await drop(3);
    await listed();
    const choice = page.locator(".tl-session select");
    await choice.waitFor();
    const early = await choice.locator("option").first().getAttribute("value");
    await choice.selectOption(early);
    await page.locator(".tl-prompt", { hasText: "early" }).first().waitFor();
  });
});
