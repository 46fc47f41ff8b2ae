// Large projects: in the long form 10,000 cards, 50 MB, a slider over 1,000 messages. `cargo xtask bench page` measures
// times; these tests check results.
import assert from "node:assert/strict";
import { test } from "node:test";
import { onlyDeep } from "../support/deep.mjs";
import { becomes, isDeep, openFile, ready, settled, showsText, stopping, withPage } from "./page.mjs";
import { card, file, largeSnapshot, snapshot } from "./snapshots.mjs";

const CARDS = isDeep ? 10_000 : 400;
/** The number of messages that a budget is fitted over. */
const MESSAGES = isDeep ? 1_000 : 150;

const format = (n) => n.toLocaleString("en-GB");

test("of many cards only the visible ones are rendered, correctly and with edits", onlyDeep("draws a large project"), async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await openFile(page, file(largeSnapshot(CARDS)));
    await page.locator("#tab-cards .num", { hasText: format(CARDS + 1) }).waitFor();
    await settled(page);
    const drawn = await page.locator(".line").count();
    assert.ok(drawn < 100, `${drawn} rows are in the document`);

    const scroller = page.locator(".scroller");
    const height = await scroller.evaluate((node) => node.scrollHeight);
    await scroller.evaluate(
      async (node, { far, steps }) => {
        for (let step = 1; step <= steps; step += 1) {
          node.scrollTop = (far * step) / steps;
          await new Promise((resolve) => requestAnimationFrame(resolve));
        }
      },
      { far: height, steps: isDeep ? 60 : 8 },
    );
    await page.locator(".line:not([data-waiting])", { hasText: `box_${CARDS / 100 - 1} · 99` }).waitFor();
    // after a jump the visible rows are rendered at once, the rows around them when the list rests; the next jump
    // reuses rows, so it starts at rest
    await settled(page);
    const inSight = await scroller.evaluate((node) => Math.ceil(node.clientHeight / node.querySelector(".line").clientHeight));
    const isAtRest = (rows) => document.querySelector(".canvas").childElementCount > rows;
    await page.waitForFunction(isAtRest, inSight + 2);
    const first = await scroller.evaluate(
      (node, top) =>
        new Promise((resolve) => {
          const canvas = node.querySelector(".canvas");
          const watch = new MutationObserver(() => {
            watch.disconnect();
            resolve(canvas.childElementCount);
          });
          watch.observe(canvas, { childList: true });
          node.scrollTop = top;
        }),
      (CARDS / 5) * (height / (CARDS + 1)),
    );
    assert.ok(first <= inSight + 2, `${first} rows after a leap, ${inSight} in sight`);
    await page.waitForFunction(isAtRest, first + 10);
    await scroller.evaluate(
      (node, top) => {
        node.scrollTop = top;
      },
      (CARDS / 2) * (height / (CARDS + 1)),
    );
    const row = page.locator(`#card-${CARDS / 2}:not([data-waiting])`);
    await showsText(row.locator(".excerpt"), new RegExp(`^${CARDS / 2 - 1} `));
    await showsText(row.locator(".badge"), new RegExp(`box_${CARDS / 200 - 1} · 99`));

    await page.locator(".scroller").focus();
    for (let i = 0; i < 10; i += 1) await page.keyboard.press("j");
    await page.keyboard.press("End");
    await page.locator(`#card-${CARDS}[aria-selected="true"]`).waitFor();

    // typed text is shown
    await scroller.evaluate((node) => node.scrollTo(0, 0));
    await page.locator(".heading").getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("instruction", { exact: true }).pressSequentially(" and more");
    await page.locator("#card-0 .excerpt").getByText("go on and more").waitFor();
  });
});

test("every move of the slider over many cards gets an answer", onlyDeep("draws a large project"), async () => {
  await withPage({ project: largeSnapshot(MESSAGES) }, async (page) => {
    await ready(page);
    await page.keyboard.press("3");
    await page.locator(".controls [role=status]").waitFor();
    await settled(page);
    const answers = await page.evaluate(async () => {
      const slider = document.querySelector('input[type="range"]');
      const status = document.querySelector(".controls [role=status]");
      const seen = [];
      for (let step = 1; step <= 12; step += 1) {
        const changed = new Promise((resolve) => {
          const watch = new MutationObserver(() => {
            watch.disconnect();
            resolve();
          });
          watch.observe(status, { subtree: true, childList: true, characterData: true });
        });
        slider.value = String(300 + step * 50);
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        await changed;
        seen.push(Number(status.textContent.match(/[\d,]+/)[0].replace(",", "")));
      }
      return seen;
    });
    assert.deepEqual(
      answers,
      answers.toSorted((a, b) => a - b),
      "a larger budget keeps at least as many messages",
    );
    assert.ok(answers.at(-1) > answers[0], `${answers}`);
  });
});

test("limits near a moving slider are known ahead, and equal the answers of the core", onlyDeep("compares many limits"), async () => {
  await withPage({ project: largeSnapshot(MESSAGES) }, async (page) => {
    await ready(page);
    await page.evaluate(() => {
      const { postMessage } = Worker.prototype;
      window.asked = [];
      window.waiting = new Map();
      Worker.prototype.postMessage = function (message, ...more) {
        window.asked.push(message.method);
        window.waiting.set(message.id, message.method);
        this.addEventListener("message", ({ data: { id } }) => window.waiting.delete(id));
        return postMessage.call(this, message, ...more);
      };
    });
    await page.keyboard.press("3");
    await page.locator(".controls [role=status]").waitFor();
    await settled(page);
    const slider = page.getByRole("slider");
    const status = page.locator(".controls [role=status]");
    /** Moves the slider; returns what the page shows then, and the number of budget requests until then. */
    const move = async (to) => {
      await slider.fill(String(to));
      const limit = await page.locator(".slider output b").textContent();
      await page.locator(`.controls [data-limit="${limit.replaceAll(",", "")}"]`).waitFor();
      await settled(page);
      return { shown: await status.textContent(), dropped: await page.locator(".fit-over").innerHTML(), asked: await asked() };
    };
    const asked = () => page.evaluate(() => window.asked.filter((method) => method === "budget").length);
    await move(500);
    await move(520);
    // limits near the slider are requested until all are known
    await page.waitForFunction(() => window.asked.includes("budgets") && ![...window.waiting.values()].includes("budgets"));
    const known = [];
    const places = [525, 600, 680, 500];
    for (const place of places) known.push(await move(place));
    assert.deepEqual(new Set(known.map((one) => one.asked)), new Set([await asked()]), "a move to a known place asks nothing");

    // pinning and unpinning discards known limits: the core is asked, and returns the same
    const pin = page.locator("#fit-0 .pin");
    for (const [at, place] of places.entries()) {
      const { shown, dropped, asked: times } = await move(place);
      assert.deepEqual({ shown, dropped }, { shown: known[at].shown, dropped: known[at].dropped });
      await pin.click();
      await pin.click();
      const again = async () => ({
        shown: await status.textContent(),
        dropped: await page.locator(".fit-over").innerHTML(),
        isAsked: (await asked()) >= times + 2,
      });
      await becomes(again, { shown, dropped, isAsked: true });
    }
  });
});

test("a snapshot of many megabytes shows its progress, can be stopped, and opens", onlyDeep("reads a large file"), async (t) => {
  const COUNT = isDeep ? 50_000 : 3_000;
  await withPage({}, async (page) => {
    await ready(page);
    const size = await page.evaluate((count) => {
      const ids = Array.from({ length: count }, (_, n) => `c${n}`);
      const rows = ids.map((card_id, n) =>
        JSON.stringify({
          card_id,
          content: { __type__: "TextContent", text: `${n} ${"x".repeat(900)}` },
          metadata: { type: "agent.thought", role: "assistant" },
        }),
      );
      const box = JSON.stringify({ box_id: "big", card_ids: ids, version: 1 });
      const text = `{"format":1,"projects":[{"project_id":"big_project","boxes":[${box}],"cards":[${rows.join(",")}]}]}`;
      const bigFile = new File([text], "big.json");
      window.drop = () => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(bigFile);
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
      };
      return bigFile.size;
    }, COUNT);
    t.diagnostic(`${Math.round(size / 2 ** 20)} MiB`);
    const stopped = await stopping(page, "");
    await page.evaluate(() => window.drop());
    await stopped();
    await page.locator("dialog .progress").waitFor({ state: "detached" });
    await showsText(page.locator(".project"), /^night_ferry$/);

    await page.evaluate(() => window.drop());
    await page.locator("#tab-cards .num", { hasText: format(COUNT) }).waitFor();
  });
});

test("megabytes of text are shown completely, and only visible pieces are rendered", async () => {
  const text = `${"All hands to the pier. ".repeat(isDeep ? 220_000 : 20_000)}the very end`;
  const cards = [card("big", "note", { __type__: "TextContent", text })];
  await withPage({ project: snapshot({ cards, boxes: [{ box_id: "notes", card_ids: ["big"] }], calls: [] }) }, async (page) => {
    await ready(page);
    await page
      .locator(".why")
      .getByRole("button", { name: `Show all ${format(text.length)} characters` })
      .click();
    const pieces = page.locator(".why .content .piece");
    await page.waitForFunction((n) => document.querySelectorAll(".why .content .piece").length > n, text.length / 8_500);
    await settled(page);
    const drawn = await pieces.evaluateAll((all) => all.filter((one) => one.textContent !== "").length);
    assert.ok(drawn < 20, `${drawn} pieces are drawn`);
    await page.locator(".why .content").evaluate((node) => node.scrollTo(0, node.scrollHeight));
    await pieces.last().getByText("the very end").waitFor();
    for (const tab of ["messages", "payload"]) {
      await page.locator(`#tab-${tab}`).click();
      await page.locator(`[data-total="${tab}"]`).waitFor();
    }
  });
});

test(
  "no view renders all of many boxes that contain one card, and each can be reached",
  onlyDeep("draws all views of a large project"),
  async () => {
    const COUNT = 3_000;
    const cards = [card("c", "note", { __type__: "TextContent", text: "the only card" })];
    const boxes = Array.from({ length: COUNT }, (_, n) => ({
      box_id: `box_${n}`,
      card_ids: ["c"],
      parent_ids: n === 0 ? [] : [`box_${n - 1}`],
      version: 1,
    }));
    const agents = Array.from({ length: COUNT }, (_, n) => ({
      agent_id: `agent_${n}`,
      profile_box_id: "pb_writer",
      state: { status: "idle", context_box_id: `box_${n}` },
    }));
    await withPage({ project: snapshot({ cards, boxes, agents, calls: [] }) }, async (page) => {
      await ready(page);
      await page.locator(".project", { hasText: "test_project" }).waitFor();
      // the other boxes of the card
      const places = page.locator(".why section", { hasText: "Also in" });
      await places.getByRole("button", { name: `Show ${format(COUNT - 100)} more` }).waitFor();
      const drawn = [];
      const look = async (view, sight) => {
        await page.locator(sight).first().waitFor({ state: "attached" });
        await settled(page);
        drawn.push([view, await page.evaluate(() => document.querySelectorAll("*").length)]);
      };
      await look("context", ".line");
      for (const [key, view, sight] of [
        ["2", "compare", ".chooser option"],
        ["3", "what if", ".fit-line"],
        ["4", "boxes", ".graph .node"],
        ["9", "search", ".find"],
      ]) {
        await page.keyboard.press(key);
        await look(view, sight);
      }
      await page.getByLabel("Find in all cards of the project").fill("only");
      await page.locator(".find .hit").first().waitFor();
      await page.getByLabel("Hide boxes without matches").uncheck();
      await page
        .locator(".find")
        .getByRole("button", { name: `Show ${format(COUNT - 200)} more` })
        .waitFor();
      await look("search, all boxes", ".find .hit");
      assert.deepEqual(
        drawn.filter(([, elements]) => elements > 2.5 * COUNT),
        [],
        JSON.stringify(drawn),
      );

      await page.locator(".views").getByRole("button", { name: "What if" }).click();
      await page
        .locator(".controls")
        .getByRole("searchbox")
        .fill(`box_${COUNT - 1}`);
      await page
        .locator(".controls select")
        .first()
        .selectOption(`box:box_${COUNT - 1}`);
      await page.locator(".views").getByRole("button", { name: "Context" }).click();
      await places.getByRole("button", { name: `Show ${format(COUNT - 100)} more` }).click();
      await places.getByRole("button", { name: `Show ${format(COUNT - 1_100)} more` }).waitFor();
    });
  },
);
