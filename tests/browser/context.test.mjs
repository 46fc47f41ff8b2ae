// A packed context with its ledger: the page shows what the package returns.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { onlyDeep } from "../support/deep.mjs";
import { becomes, copied, lines, pageUrl, ready, resized, settled, shipped, showsText, withPage } from "./page.mjs";
import { session } from "./session.mjs";
import { everyView } from "./views.mjs";

session(
  { permissions: ["clipboard-read", "clipboard-write"] },
  {
    "the demo opens with a packed context: role, type and source of every position": async (page) => {
      await ready(page);
      await settled(page);
      const rows = await lines(page);
      assert.deepEqual(
        rows.slice(0, 2).map((row) => [row.type, row.role, row.source]),
        [
          ["task.instruction", "user", "argument instruction"],
          ["task.result_fields", "user", "argument result_fields"],
        ],
      );
      assert.deepEqual(rows[2], {
        position: "2",
        type: "task.instruction",
        role: "user",
        excerpt: rows[2].excerpt,
        source: "box_brief · 0",
        kind: "instruction",
      });
      assert.match(rows[2].excerpt, /^Passengers keep missing the last boat/);
      assert.equal(rows.at(-1).type, "meta.parent_pointer");
      assert.equal(rows.at(-1).source, "parent");
      const count = Number(await page.locator("#tab-cards .num").textContent());
      assert.equal(rows.length, count);
    },

    "a card lists its later duplicates and their places": async (page) => {
      await ready(page);
      const brief = page.locator(".line", { hasText: "Passengers keep missing" });
      await showsText(brief.locator(".dup [aria-hidden]"), /^\+2$/);
      await brief.click();
      const why = page.locator(".why");
      await why.getByText("Later duplicates, removed").waitFor();
      await showsText(why, /box_li_output, position 0.*arguments\.evidence\[1\]/s);
      await showsText(why, /Inherited from box box_brief, position 0/);
    },

    "the content of a selected card is shown verbatim, including Chinese": async (page) => {
      await ready(page);
      await page.locator(".line", { hasText: "What passengers say" }).click();
      const content = page.locator(".why .content");
      await content.getByText("我们 23:39 到码头").waitFor();
      await showsText(page.locator(".why .facts"), /li_result/);
    },

    "problems are listed with the core's messages and link to their card": async (page) => {
      await ready(page);
      await page.locator("#tab-problems").click();
      const notes = page.locator("#panel-problems .notes > li");
      // conversion changes are in the same list, and arrive with the request
      await notes.locator(".code", { hasText: "media_as_text" }).first().waitFor();
      await becomes(
        async () => (await notes.locator(".code").allTextContents()).slice(0, 2),
        ["field_without_description", "inherited_card_deleted"],
      );
      await notes.nth(1).getByRole("button").click();
      await page.locator('.line[aria-selected="true"]', { hasText: "noor_slip" }).waitFor();
      await page.locator(".why .gone").waitFor();
    },

    "the writes are the batch a commit would send": async (page) => {
      await ready(page);
      await page.locator("#tab-writes").click();
      const panel = page.locator("#panel-writes");
      await panel.locator("details summary").click();
      await panel.locator(".raw").waitFor();
      await settled(page);
      const batch = JSON.parse(await panel.locator(".raw").textContent());
      assert.equal(batch.project_id, "night_ferry");
      assert.equal(batch.cards.length, 3);
      assert.equal(batch.boxes[0].change, "create");
      assert.deepEqual(
        batch.expects.filter(({ table }) => table === "boxes").map(({ key }) => key[0]),
        ["box_brief", "box_li_output", "box_noor_output", "box_talk_compacted"],
      );
      assert.match(await panel.textContent(), /[0-9a-f]{64}/);
    },

    "the bar contains every part, and a part links to its first card": async (page) => {
      await ready(page);
      const part = page.getByRole("button", { name: /^Inherited from box_noor_output, Tool result: 2 cards/ });
      await part.click();
      await page.locator('.line[aria-selected="true"]', { hasText: /tool\.result.*box_noor_output/s }).waitFor();
      await settled(page);
      const widths = await page
        .locator(".parts > *:not(i)")
        .evaluateAll((nodes) => nodes.map((node) => node.getBoundingClientRect().width));
      const bar = await page.locator(".parts").evaluate((node) => node.getBoundingClientRect().width);
      const sum = widths.reduce((a, b) => a + b, 0);
      assert.ok(Math.abs(sum + widths.length - 1 - bar) < 2, `${sum} of ${bar}`);
    },

    "j and k walk the list, and the list follows": async (page) => {
      await resized(page, { width: 1440, height: 620 });
      await ready(page);
      await page.locator(".tour").waitFor();
      // what loads after the first cards takes space from the list
      await settled(page);
      for (let i = 0; i < 20; i += 1) await page.keyboard.press("j");
      const selected = page.locator('.line[aria-selected="true"]');
      await becomes(() => selected.getAttribute("id"), "card-20");
      await settled(page);
      assert.ok(
        await selected.evaluate((row) => {
          const [a, b] = [row.getBoundingClientRect(), row.closest(".scroller").getBoundingClientRect()];
          return a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
        }),
      );
      await page.keyboard.press("k");
      await becomes(() => selected.getAttribute("id"), "card-19");
    },

    "a stored box is shown without causes and without writes": async (page) => {
      await ready(page);
      await page
        .locator(".nav")
        .getByRole("button", { name: /box_talk_compacted/ })
        .click();
      // the card is also in the handover that was open before
      await page.locator("#card-0", { hasText: "Summary of talk" }).waitFor();
      await becomes(() => page.locator("#tab-writes").count(), 0);
      await becomes(async () => [...new Set((await lines(page)).map((row) => row.source))], ["stored"]);
    },

    "the search finds cards by text, and Enter walks the matches": async (page) => {
      await ready(page);
      await page.keyboard.press("/");
      await page.keyboard.type("末班船");
      await page.getByText("2 found").waitFor();
      await page.keyboard.press("Enter");
      const selected = page.locator('.line[aria-selected="true"]');
      const found = selected.and(page.locator('[data-match="true"]'));
      const first = await found.getAttribute("id");
      await page.keyboard.press("Enter");
      await becomes(async () => (await found.getAttribute("id")) !== first, true);
      await page.keyboard.press("Enter");
      await becomes(() => selected.getAttribute("id"), first);
      await page.keyboard.press("Escape");
      await becomes(() => page.locator("#search").inputValue(), "");
    },

    "a card lists its other boxes, and links to them": async (page) => {
      await ready(page);
      await page.locator(".line", { hasText: "Passengers keep missing" }).click();
      const elsewhere = page.locator(".why section", { hasText: "Also in" });
      await elsewhere.waitFor();
      await becomes(
        () => elsewhere.locator("li").allTextContents(),
        [
          "box_mira_context, position 0",
          "box_li_context, position 0",
          "box_noor_context, position 0",
          "box_li_output, position 0",
          "box_noor_output, position 0",
        ],
      );
      assert.equal(await copied(page, () => page.getByRole("button", { name: "Copy id" }).click()), "brief");
      assert.equal(JSON.parse(await copied(page, () => page.getByRole("button", { name: "Copy JSON" }).click())).card_id, "brief");
      await elsewhere.getByRole("button", { name: "box_li_output" }).click();
      await page.locator(".line", { hasText: "What passengers say" }).waitFor();
    },

    "the dialect changes the order, and rejects what it does not allow": async (page) => {
      await ready(page);
      await page.getByRole("radio", { name: "v1r4_hotfix" }).check();
      await page.locator("#card-0", { hasText: "box_brief" }).waitFor();
      await settled(page);
      const rows = await lines(page);
      assert.equal(rows[0].source, "box_brief · 0");
      assert.equal(rows.at(-2).source, "argument result_fields");

      await page.getByText("Handoff to execution").first().click();
      const error = page.locator(".error-note");
      await showsText(error, /bad_request.*box_mira_output/s);
      await page.getByRole("radio", { name: "v1r3" }).check();
      await error.waitFor({ state: "detached" });
      await page.locator(".line", { hasText: "handoff.package" }).waitFor();
    },

    "a window as wide as a wall has larger text": async (page) => {
      await resized(page, WALL);
      const size = await page.evaluate(() => parseFloat(getComputedStyle(document.body).fontSize));
      assert.ok(size >= 18, `font size ${size} px on a wall`);
    },

    "an omitted argument is a problem with an undoable fix": async (page) => {
      await ready(page);
      await page.locator("#tab-problems").click();
      const left = page.locator("#panel-problems .notes > li", { hasText: "argument_absent" });
      await showsText(left, /info.*argument_absent.*pack_arguments\[2\]/s);
      await left.getByRole("button", { name: "Remove from the call" }).click();
      await left.waitFor({ state: "detached" });
      await page.locator(".nav .changed").waitFor();
      await page.locator(".heading").getByRole("button", { name: "Edit" }).click();
      await page.getByRole("button", { name: "Undo", exact: true }).click();
      await left.waitFor();
    },
  },
);

test("until the bar is loaded, a text in its place states that the request is being counted", async () => {
  let open;
  const gate = new Promise((resolve) => (open = resolve));
  const prepare = ({ page }) => page.route("**/request-bar-*.js", (route) => gate.then(() => route.continue()));
  await withPage({ prepare }, async (page) => {
    // the request is counted: its tokens are next to the cards
    await page.locator("#card-0 .tokens", { hasText: /\d/ }).waitFor();
    await showsText(page.locator(".picture"), /^Counting the request…$/);
    open();
    await page.locator('[data-total="bar"]').waitFor();
    await page.getByText("Counting the request…").waitFor({ state: "detached" });
  });
});

test("the page sends requests only to its own server, and enforces its policy", async () => {
  await withPage({ expectedLogs: [/requires 'TrustedHTML' assignment/] }, async (page, { requests }) => {
    await ready(page);
    await settled(page);
    const origin = new URL(pageUrl()).origin;
    assert.deepEqual(
      requests.filter((url) => new URL(url).origin !== origin),
      [],
    );
    const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content");
    assert.match(policy, /^default-src 'none';/);
    assert.match(policy, /require-trusted-types-for 'script'/);
    const refused = await page.evaluate(() => {
      try {
        document.createElement("div").innerHTML = "<b>x</b>";
        return "allowed";
      } catch (error) {
        return error.name;
      }
    });
    assert.equal(refused, "TypeError");
  });
});

test("the page is available in Chinese, and fits into 360 px", onlyDeep("loads the page again"), async () => {
  await withPage({ viewport: { width: 360, height: 740 } }, async (page) => {
    await ready(page);
    await page.locator(".settings summary").click();
    await page.locator(".settings").getByRole("button", { name: "中文" }).click();
    await page.locator("#tab-cards", { hasText: "卡片" }).waitFor();
    await settled(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 360, `the page is ${wide} px wide`);
    assert.equal(await page.evaluate(() => document.documentElement.lang), "zh-Hans");
  });
});

// not as high as a wall, because painting takes most of the time
const WALL = { width: 3840, height: 480 };

for (const size of [{ width: 360, height: 740 }, WALL]) {
  test(`no view is wider than a window of ${size.width} px`, onlyDeep("walks through all views again"), async () => {
    await withPage({ viewport: size }, async (page) => {
      await ready(page);
      const wide = [];
      await everyView(page, async (name) => {
        const found = await page.evaluate(() => document.documentElement.scrollWidth);
        if (found > size.width) wide.push(`${name}: ${found} px of ${size.width}`);
      });
      assert.deepEqual(wide, []);
    });
  });
}

/** The maximum size of what is loaded before the first cards, gzipped. */
const FIRST_LOAD_KIB = 260;

/** Serves the page up to a number of gzipped bytes; later requests never get an answer. */
async function behindDoor(most) {
  const asked = [];
  let bytes = 0;
  const server = createServer(async (request, response) => {
    const answer = await fetch(new URL(request.url, pageUrl()));
    const body = Buffer.from(await answer.arrayBuffer());
    const size = gzipSync(body, { level: 9 }).length;
    const isLet = bytes + size <= most;
    asked.push(`${request.url}: ${size} bytes${isLet ? "" : ", kept waiting"}`);
    if (!isLet) return;
    bytes += size;
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") }).end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, asked, close };
}

test("the first cards load within the size limit", shipped, async (t) => {
  const door = await behindDoor(FIRST_LOAD_KIB * 1024);
  try {
    const { url, asked } = door;
    await withPage({ own: {}, url }, async (page) => {
      await ready(page).catch((cause) => {
        throw new Error(`no cards after ${FIRST_LOAD_KIB} KiB:\n${asked.join("\n")}`, { cause });
      });
      assert.ok(
        asked.some((line) => /core-[^/]*\.wasm/.test(line)),
        "the module was not seen",
      );
      assert.ok(!asked.some((line) => /cache-[^/]*\.wasm/.test(line)), "the part that explains caches was loaded");
      t.diagnostic(asked.join("; "));
    });
  } finally {
    door.close();
  }
});
