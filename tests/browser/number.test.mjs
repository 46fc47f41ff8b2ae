// Bar, messages and payload show the same token count, and unsent cards count nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { onlyDeep } from "../support/deep.mjs";
import { becomes, ready, settled, showsText, withPage } from "./page.mjs";
import { session } from "./session.mjs";
import { card, pack, snapshot } from "./snapshots.mjs";

const parse = (text) => Number(text.replaceAll(",", ""));

/** Returns the totals of the bar, the messages and the payload. */
async function totals(page) {
  await settled(page);
  const found = { bar: parse(await page.locator('[data-total="bar"]').textContent()) };
  for (const name of ["messages", "payload"]) {
    await page.locator(`#tab-${name}`).click();
    await page.locator(`[data-total="${name}"]`).waitFor();
    await settled(page);
    found[name] = parse(await page.locator(`[data-total="${name}"]`).textContent());
  }
  await page.locator("#tab-cards").click();
  return found;
}

const section = async (page, name) => parse((await page.locator(`.picture [data-section="${name}"] b`).textContent()).replace("≈", ""));

session(
  {},
  {
    "bar, messages and payload of every demo call show the same total": async (page) => {
      await ready(page);
      for (const call of await page.locator(".nav ul").first().locator(".entry").all()) {
        await call.click();
        await page.locator(".heading h2", { hasText: (await call.locator(".entry-title").textContent()).trim() }).waitFor();
        const { bar, messages, payload } = await totals(page);
        assert.deepEqual([messages, payload], [bar, bar]);
      }
    },

    "an unsent card shows the reason and counts nothing": async (page) => {
      await ready(page);
      await page.locator('.picture[aria-busy="false"]').waitFor();
      const gone = page.locator(".line", { hasText: "noor_slip" });
      await showsText(gone.locator(".tokens"), /not sent: the card was deleted/);
      const record = page.locator(".line", { hasText: "search_letters" });
      await showsText(record.locator(".tokens"), /not sent: it records a call/);
    },

    "an exact count of OpenAI is an estimate for other providers": async (page) => {
      await ready(page);
      await page.locator("#tab-payload").click();
      const payload = page.locator(".payload");
      await payload.getByLabel(/^Tokens/).selectOption("o200k_base");
      await payload.getByLabel("Provider").selectOption("gemini");
      await page.locator('.buckets [data-exact="false"]').first().waitFor();
      await page.waitForFunction(() => document.querySelectorAll('.buckets [data-exact="true"]').length === 0);
      await payload.getByLabel("Provider").selectOption("openai_chat");
      await page.locator('.buckets [data-exact="true"]').first().waitFor();
    },
  },
);

test("eight images are counted at their cost, and do not fit", onlyDeep("loads the page again"), async () => {
  const cards = Array.from({ length: 8 }, (_, n) =>
    card(
      `i${n}`,
      "note",
      {
        __type__: "ImageFileContent",
        uri: `https://example.org/${n}.png`,
        checksum: "x",
        content_type: "image/png",
      },
      { metadata: { role: "user" } },
    ),
  );
  const boxes = [{ box_id: "pictures", card_ids: cards.map(({ card_id }) => card_id) }];
  await withPage({ project: snapshot({ cards, boxes, calls: [] }) }, async (page) => {
    await ready(page);
    await page.locator("#card-7").waitFor();
    await page.getByText(/tokens over the window/).waitFor();
    const { bar, messages, payload } = await totals(page);
    assert.ok(bar > 6_000, `${bar} tokens`);
    assert.deepEqual([messages, payload], [bar, bar]);
    assert.equal(await section(page, "media"), 8 * 765);
    await settled(page);
    assert.doesNotMatch(await page.locator(".level").textContent(), /%/);
  });
});

test("an agent's tools and prompt are part of the total", async () => {
  const tools = Array.from({ length: 20 }, (_, n) => ({
    type: "function",
    function: {
      name: `tool_${n}`,
      description: "Looks up the departures of a pier. ".repeat(20),
      parameters: { type: "object", properties: { pier: { type: "string" } } },
    },
  }));
  const cards = [
    card("prof", "sys.profile", {
      __type__: "JsonContent",
      data: { name: "Writer", system_prompt_template: "You are {display_name}. {nobody}" },
    }),
    card("tools", "sys.tools", { __type__: "ToolContent", tools }),
    card("hi", "task.instruction", { __type__: "TextContent", text: "Hello." }),
  ];
  const boxes = [
    { box_id: "pb_writer", card_ids: ["prof"] },
    { box_id: "ctx", card_ids: ["tools", "hi"] },
  ];
  const agents = [
    { agent_id: "wendy", profile_box_id: "pb_writer", display_name: "Wendy", state: { context_box_id: "ctx", status: "idle" } },
  ];
  await withPage({ project: snapshot({ cards, boxes, calls: [], agents }) }, async (page) => {
    await ready(page);
    await page.locator(".nav").getByRole("button", { name: /Wendy/ }).click();
    await page.locator(".line", { hasText: "Hello." }).waitFor();
    await page.waitForFunction(
      () => Number(document.querySelector('.picture [data-section="tools"] b')?.textContent.replace(/\D/g, "")) > 2_000,
    );
    const { bar, messages, payload } = await totals(page);
    assert.ok(bar > 3_000, `${bar} tokens`);
    assert.deepEqual([messages, payload], [bar, bar]);
    assert.ok((await section(page, "system_prompt")) > 0);
    // a placeholder without a value is a problem
    await page.locator("#tab-problems").click();
    await page.locator(".notes", { hasText: "unfilled_placeholder" }).getByText("{nobody}").waitFor();
  });
});

test("the max output tokens are reserved, and windows are shown with all digits", onlyDeep("loads the page again"), async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await becomes(async () => (await page.getByLabel("Window").locator("option").allTextContents()).includes("128,000"), true);
    await page.locator("#tab-payload").click();
    await page.locator(".payload").getByLabel("Max output tokens").fill("1000");
    await page.waitForFunction(() => document.querySelector('.picture [data-section="reserve"] b')?.textContent === "1,000");
    await settled(page);
    const bar = parse(await page.locator('[data-total="bar"]').textContent());
    const free = parse((await page.locator(".parts .free").textContent()).replace(/\D/g, ""));
    assert.equal(free, 4_096 - 1_000 - bar);
  });
});

test("a call without dialects gets none", async () => {
  const fork = { id: "fork", title: { en: "fork", zh: "fork" }, note: { en: "", zh: "" }, call: { op: "fork_box", box_id: "notes" } };
  const cards = [card("n1", "note", { __type__: "TextContent", text: "a single note" })];
  await withPage(
    {
      project: snapshot({
        cards,
        boxes: [{ box_id: "notes", card_ids: ["n1"] }],
        calls: [fork, pack("p", { instruction: "x", box_ids: ["notes"] }, ["notes"])],
      }),
    },
    async (page) => {
      await ready(page);
      await page.locator(".line", { hasText: "a single note" }).waitFor();
      await settled(page);
      assert.equal(await page.locator(".error-note").count(), 0);
    },
  );
});
