// Resizable panes, a sortable list with a filter, and the glossary.
import assert from "node:assert/strict";
import { test } from "node:test";
import { onlyDeep } from "../support/deep.mjs";
import { becomes, lines, ready, settled, showsText, whenKept, withPage } from "./page.mjs";
import { session } from "./session.mjs";
import { card, snapshot } from "./snapshots.mjs";

test("the tour has three steps, and stays closed", onlyDeep("loads the page twice"), async () => {
  await withPage({}, async (page) => {
    await ready(page);
    const tour = page.locator(".tour");
    await showsText(tour, /1 \/ 3/);
    await tour.getByRole("button", { name: "Next" }).click();
    await tour.getByRole("button", { name: "Next" }).click();
    await showsText(tour, /3 \/ 3/);
    await tour.getByRole("button", { name: "Done" }).click();
    await tour.waitFor({ state: "detached" });
    await page.reload();
    await ready(page);
    await settled(page);
    assert.equal(await tour.count(), 0);
  });
});

session(
  {},
  {
    "terms are explained in place, and in the help": async (page) => {
      await ready(page);
      // the explanations load after the first view
      await page.locator('.nav .term[title*="ordered list of card ids"]', { hasText: "Boxes" }).waitFor();
      await page.locator('#tab-payload[title*="sent to a provider"]').waitFor();
      await page.keyboard.press("?");
      await page.locator("dialog[open] summary", { hasText: "Glossary" }).click();
      await page.locator(".glossary dt").nth(19).waitFor();
    },

    "cards are sorted by tokens, and filtered by a search": async (page) => {
      await ready(page);
      await page.locator('.picture[aria-busy="false"]').waitFor();
      await page
        .locator(".columns")
        .getByRole("button", { name: /Tokens/ })
        .click();
      await page.waitForFunction(() => Number(document.querySelector(".line .tokens")?.textContent) > 300);
      await settled(page);
      const costs = (await page.locator(".line .tokens").allTextContents()).map(Number).filter((cost) => cost > 0);
      assert.deepEqual(
        costs,
        costs.toSorted((a, b) => b - a),
      );
      await page.locator(".columns").getByRole("button", { name: /#/ }).click();
      await page.locator("#search").fill("gate");
      await page.getByLabel("Show only matches").check();
      await settled(page);
      const found = Number((await page.locator(".search .num").textContent()).match(/\d+/)[0]);
      assert.equal((await lines(page)).length, found);
      assert.ok(found > 0 && found < 24, `${found} found`);
    },
  },
);

test(
  "terms are explained on hover in texts of the page, but not in texts of the project",
  onlyDeep("waits for many tooltips"),
  async () => {
    await withPage({ path: "#view=memory" }, async (page) => {
      // the explanations load later, and elements may be replaced
      const explained = (place, word) =>
        becomes(
          () =>
            place.evaluate((node, wanted) => {
              node.dispatchEvent(new PointerEvent("pointerover", { bubbles: true, composed: true }));
              return node.title.includes(wanted);
            }, word),
          true,
        );
      await explained(page.locator("main th, main h3, main button", { hasText: /layer/i }).first(), "Layer: ");
      await page.locator(".views button").first().click();
      await ready(page);
      await explained(page.locator(".heading .primary"), "Commit: ");
      await page.locator("#tab-payload").click();
      await explained(page.locator("main label", { hasText: /window/i }).first(), "Window: ");
      // names are never explained
      const entry = page.locator(".nav-boxes .entry").first();
      await settled(page);
      const before = await entry.getAttribute("title");
      await entry.dispatchEvent("pointerover");
      assert.equal(await entry.getAttribute("title"), before);
      // the same terms in Chinese
      await page.locator(".settings summary").click();
      await page.getByRole("button", { name: "中文" }).click();
      await page.keyboard.press("Escape");
      await page.locator("html[lang=zh-Hans]").waitFor();
      await explained(page.locator(".heading .primary"), "提交");
    });
  },
);

test("panes are resized with pointer and keyboard, and keep their width", onlyDeep("loads the page again"), async () => {
  await withPage({}, async (page) => {
    await ready(page);
    const width = (selector) => page.locator(selector).evaluate((node) => node.getBoundingClientRect().width);
    // until it is loaded, a splitter is only a placeholder
    await page.getByRole("separator").first().waitFor({ state: "attached" });
    await settled(page);
    const before = await width(".nav");
    const box = await page.getByRole("separator").first().boundingBox();
    await page.mouse.move(box.x, box.y + 300);
    await page.mouse.down();
    await page.mouse.move(box.x + 80, box.y + 300, { steps: 4 });
    await page.mouse.up();
    const moved = () => becomes(async () => Math.round(await width(".nav")), Math.round(before + 80));
    await moved();
    await settled(page);
    const why = await width(".why");
    await page.getByRole("separator").last().focus();
    await page.keyboard.press("ArrowLeft");
    await becomes(async () => (await width(".why")) > why, true);
    await page.reload();
    await ready(page);
    await moved();
  });
});

test("a replaced card has a word diff, and a row links to its card", onlyDeep("loads the page again"), async () => {
  const text = (id, words) => card(id, "note", { __type__: "TextContent", text: words });
  const cards = [text("a", "the same"), text("b", "the gate closes at 23:40 sharp"), text("c", "the gate closes at 23:41 <b>sharp</b>")];
  const boxes = [
    { box_id: "before", card_ids: ["a", "b"] },
    { box_id: "after", card_ids: ["a", "c"] },
  ];
  await withPage({ project: snapshot({ cards, boxes, calls: [] }) }, async (page) => {
    await ready(page);
    await page.locator(".line", { hasText: "the same" }).waitFor();
    await whenKept(page, 1);
    await page.goto(
      `${page.url().replace(/#.*/, "")}#view=compare&left=box:before@v1r3&right=box:after@v1r3&p=${/p=([^&]+)/.exec(page.url())[1]}`,
    );
    await page.reload();
    await page.getByRole("button", { name: "Word diff" }).click();
    await page.locator(".changed-pairs ins").first().waitFor();
    await becomes(() => page.locator(".changed-pairs del").allTextContents(), ["23:40", "sharp"]);
    await becomes(() => page.locator(".changed-pairs ins").allTextContents(), ["23:41", "<b>sharp</b>"]);
    await page.locator('.run[data-change="added"] .line').click();
    await page.locator('.line[aria-selected="true"]', { hasText: "23:41" }).waitFor();
  });
});
