// URLs, sender and receiver, project search, panels of any shape.
import assert from "node:assert/strict";
import { test } from "node:test";
import { onlyDeep } from "../support/deep.mjs";
import { becomes, ready, resized, settled, showsText, whenKept, withPage } from "./page.mjs";
import { session } from "./session.mjs";
import { card, snapshot } from "./snapshots.mjs";

test("Back goes through views, targets and tabs, and a reload shows the same view", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await page
      .locator(".nav")
      .getByRole("button", { name: /box_talk_compacted/ })
      .click();
    await page.locator(".line", { hasText: "Summary of talk" }).waitFor();
    await page.locator("#tab-messages").click();
    await page.locator(".message").first().waitFor();
    await page.locator(".views").getByRole("button", { name: "Compare" }).click();
    await page.locator(".chooser").first().locator("select").first().selectOption("box:box_brief");
    await page.locator(".chooser").last().locator("select").first().selectOption("box:box_talk");
    await page.locator(".run").first().waitFor();
    await page.waitForURL(/view=compare.*left=box:box_brief.*right=box:box_talk/);
    await page.reload();
    await page.locator(".run").first().waitFor();
    await becomes(() => page.locator(".chooser").last().locator("select").first().inputValue(), "box:box_talk");
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await page.locator("#panel-messages .message").first().waitFor();
    await page.waitForURL(/view=context&box=box_talk_compacted&tab=messages/);
    await page.goBack();
    await page.locator("#panel-cards").waitFor();
    await page.goForward();
    await page.locator("#panel-messages").waitFor();
  });
});

test("unknown URL parameters are listed, and the page continues", onlyDeep("loads the page again"), async () => {
  await withPage({ path: "#view=orrery&box=no_such_box&tab=cards&window=-3" }, async (page) => {
    await ready(page);
    const note = page.locator(".unknown-params");
    await showsText(note, /box=no_such_box, view=orrery, window=-3/);
    await note.getByRole("button").click();
    await note.waitFor({ state: "detached" });
  });
});

session(
  {},
  {
    "sender and receiver are shown with shared, added and withheld cards and the authority": async (page) => {
      await ready(page);
      await page.locator("#tab-sides").click();
      const [sender, receiver] = [page.locator(".sides-column").first(), page.locator(".sides-column").last()];
      await sender.locator("h3", { hasText: "Mira" }).waitFor();
      const listed = (side, group) =>
        side.locator(`[data-group="${group}"] li`).evaluateAll((all) => all.map((one) => one.querySelector(".name").textContent));
      for (const side of [sender, receiver]) await becomes(() => listed(side, "shared"), ["brief", "house_style", "pier_map"]);
      await becomes(async () => (await listed(sender, "kept")).includes("mira_scratch"), true);
      await becomes(async () => (await listed(receiver, "added")).includes("li_result"), true);
      await showsText(page.locator(".sides"), /box_li_output.*any box of the project/s);
      await receiver.getByRole("button", { name: "li_result" }).click();
      await page.locator('.line[aria-selected="true"]', { hasText: "task.deliverable" }).waitFor();
    },

    "the palette finds any text of any card, and links to it": async (page) => {
      await ready(page);
      await page.keyboard.press("Control+k");
      await page.locator("dialog.palette input").fill("末班船");
      const hit = page.locator("#commands li", { hasText: "末班船" }).first();
      await hit.waitFor();
      await hit.click();
      await page.locator('.line[aria-selected="true"]').waitFor();
      await page.waitForURL(/box=box_/);
    },

    "a narrow panel shows the current view's button, and a low one the whole bar of the budget": async (page) => {
      await resized(page, { width: 400, height: 700 });
      await ready(page);
      const current = page.locator(".views button[aria-current]");
      for (const [key, name] of [
        ["7", "Memory"],
        ["6", "Handoff"],
        ["1", "Context"],
      ]) {
        await page.keyboard.press(key);
        await current.getByText(name).waitFor();
        await settled(page);
        const { left, right } = await current.evaluate((node) => node.getBoundingClientRect().toJSON());
        assert.ok(left >= -1 && right <= 401, `${name} is from ${left} to ${right}`);
      }
      await resized(page, { width: 1200, height: 300 });
      await page.keyboard.press("3");
      const bar = page.locator(".whatif .picture .parts");
      await bar.waitFor();
      await page.locator(".fit-line").first().waitFor();
      await settled(page);
      const { width } = await bar.boundingBox();
      assert.ok(width > 600, `the bar is ${width} px wide`);
      // messages are visible below it
      const list = await page.locator(".whatif .scroller").boundingBox();
      assert.ok(list.y + list.height <= 301 && list.height > 100, `the messages are at ${list.y}, ${list.height} px high`);
      const { height } = await page.locator("header.bar .project").boundingBox();
      assert.ok(height < 30, `the name of the project is ${height} px high`);
    },

    "the colors of kinds are distinguishable with deuteranopia": async (page) => {
      await ready(page);
      const kinds = ["instruction", "contract", "thought", "tool_call", "tool_result", "deliverable", "system", "pointer", "file", "other"];
      for (const theme of ["light", "dark"]) {
        const colors = await page.evaluate(
          ([names, to]) => {
            document.documentElement.dataset.theme = to;
            return names.map((name) => {
              const probe = document.createElement("i");
              probe.style.color = `var(--${name})`;
              document.body.append(probe);
              const found = getComputedStyle(probe)
                .color.match(/[\d.]+/g)
                .slice(0, 3)
                .map(Number);
              probe.remove();
              return found;
            });
          },
          [kinds, theme],
        );
        const seen = colors.map((color) => lab(deuteranope(color.map((part) => linear(part / 255)))));
        for (const [i, one] of seen.entries())
          for (const [j, other] of seen.slice(0, i).entries()) {
            const apart = Math.hypot(...one.map((part, at) => part - other[at]));
            assert.ok(apart > 0.06, `${theme}: ${kinds[i]} and ${kinds[j]} are ${apart.toFixed(3)} apart`);
          }
      }
      await page.evaluate(() => delete document.documentElement.dataset.theme);
    },

    "a panel of any shape shows cards, and cuts off no text of header and tabs, in either language": [
      onlyDeep("draws twenty shapes"),
      async (page) => {
        await ready(page);
        await page.locator('[data-total="bar"]').waitFor();
        for (const [width, height, lang, least] of [
          [1200, 300, "English", 5],
          [400, 700, "English", 2],
          [1280, 800, "English", 8],
          [1024, 768, "English", 8],
          [1440, 900, "中文", 8],
        ]) {
          const at = `${width} x ${height}, ${lang}`;
          await resized(page, { width, height });
          if (lang !== "English") {
            await page.locator(".settings summary").click();
            await page.getByRole("button", { name: lang }).click();
            await page.keyboard.press("Escape");
            await page.locator("html[lang=zh-Hans]").waitFor();
            await page.locator(".settings .menu-body").waitFor({ state: "hidden" });
            await settled(page);
          }
          const inSight = await page.locator(".line").evaluateAll(
            (rows) =>
              rows.filter((row) => {
                const { top, bottom } = row.getBoundingClientRect();
                return top >= 0 && bottom <= innerHeight;
              }).length,
          );
          assert.ok(inSight >= least, `${at}: ${inSight} cards in sight`);
          // a narrower window scrolls its tabs
          if (width < 1000) continue;
          const cut = await page.locator(".tabs button, .views button, .choices > *").evaluateAll((all) =>
            all
              .filter((one) => {
                const [inner, outer] = [one, one.closest(".tabs, .bar")].map((node) => node.getBoundingClientRect());
                return inner.right > outer.right + 1 || inner.left < outer.left - 1 || inner.right > innerWidth;
              })
              .map((one) => one.textContent),
          );
          assert.deepEqual(cut, [], at);
        }
      },
    ],
  },
);

test("the project search shows matches in context by box, and has a URL", async () => {
  const cards = [
    card("a", "note", { __type__: "TextContent", text: "The first boat leaves at five." }),
    card("b", "note", { __type__: "TextContent", text: "Nothing of that kind." }),
    card("c", "note", { __type__: "TextContent", text: "When the LAST boat is gone, <b>walk</b>." }),
  ];
  const boxes = [
    { box_id: "one", card_ids: ["a", "b"] },
    { box_id: "two", card_ids: ["b"] },
    { box_id: "three", card_ids: ["b", "c", "a"] },
  ];
  await withPage({ project: snapshot({ cards, boxes, calls: [] }) }, async (page) => {
    await ready(page);
    await page.locator(".project", { hasText: "test_project" }).waitFor();
    await whenKept(page, 1);
    await page.locator(".views").getByRole("button", { name: "Search" }).click();
    const view = page.locator(".find");
    const input = view.getByLabel("Find in all cards of the project");
    await input.fill("boat");
    await view.getByText("2 of 3 cards match").waitFor();
    await becomes(() => view.locator(".find-box h2 .name").allTextContents(), ["one", "three"]);
    await becomes(() => view.locator("mark").allTextContents(), ["boat", "boat"]);
    await showsText(view.locator(".hit", { hasText: "LAST" }).locator(".snippet"), /the LAST boat is gone, <b>walk<\/b>/);
    await view.locator(".hit", { hasText: "first" }).getByText("in 2 boxes").waitFor();
    await view.getByLabel("Hide boxes without matches").uncheck();
    await view.locator('.find-box[data-found="false"]', { hasText: "two" }).waitFor();

    // the URL shows the same search again
    await page.waitForURL(/view=search.*find=boat/);
    await page.reload();
    await view.locator(".hit", { hasText: "LAST" }).waitFor();
    await becomes(() => input.inputValue(), "boat");

    // a match links to its card, and a box to its matches
    await view.locator(".hit", { hasText: "LAST" }).click();
    await page.locator('.line[aria-selected="true"]', { hasText: "LAST" }).waitFor();
    await page.goBack();
    await view.locator(".find-box", { hasText: "three" }).getByRole("button", { name: "Show these in the box" }).click();
    await page.locator(".search [role=status]", { hasText: "2 found" }).waitFor();
    await page.locator(".line", { hasText: "Nothing of that kind." }).waitFor({ state: "detached" });

    await page.locator(".views").getByRole("button", { name: "Search" }).click();
    await input.fill("zeppelin");
    await view.getByText("No matches").waitFor();
  });
});

const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
const times = (matrix, vector) => matrix.map((row) => row.reduce((sum, factor, at) => sum + factor * vector[at], 0));

/** Simulates deuteranopia with the matrix of Machado, Oliveira and Fernandes. */
function deuteranope(rgb) {
  return times(
    [
      [0.367322, 0.860646, -0.227968],
      [0.280085, 0.672501, 0.047413],
      [-0.01182, 0.04294, 0.968881],
    ],
    rgb,
  ).map((part) => Math.max(0, part));
}

/** Converts to Oklab, in which distances match perceived differences. */
function lab(rgb) {
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    rgb,
  ).map(Math.cbrt);
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones,
  );
}
