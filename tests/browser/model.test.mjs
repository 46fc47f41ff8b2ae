// What the model sees: messages, provider payloads, budgets.
import assert from "node:assert/strict";
import { test } from "node:test";
import { onlyDeep } from "../support/deep.mjs";
import { becomes, copied, ready, settled, showsText, withPage } from "./page.mjs";
import { session } from "./session.mjs";

session(
  { permissions: ["clipboard-read", "clipboard-write"] },
  {
    "the receiver's messages are shown before anything is committed, each with its card": async (page) => {
      await ready(page);
      await page.locator("#tab-messages").click();
      const messages = page.locator(".message");
      await showsText(messages.first(), /system.*system prompt of the profile.*You write for people.*Required result fields:.*report/s);
      await showsText(messages.nth(1), /user.*card 0.*Write the report for the board/s);
      await showsText(page.locator(".messages"), /Unreadable cards.*noor_slip/s);
      await messages.nth(2).getByRole("button").click();
      await page.locator('#card-2[aria-selected="true"]').waitFor();
    },

    "the payload is the exact request of each provider, with its losses": async (page) => {
      await ready(page);
      await page.locator("#tab-payload").click();
      const body = page.locator(".payload-text .raw");
      const choose = (provider) => page.locator(".payload").getByLabel("Provider").selectOption(provider);
      const bodyOf = async (provider, key) => {
        await choose(provider);
        await page.waitForFunction((wanted) => document.querySelector(".payload-text .raw")?.textContent.includes(`"${wanted}"`), key);
        await settled(page);
        return JSON.parse(await body.textContent());
      };
      const chat = await bodyOf("openai_chat", "messages");
      assert.equal(chat.messages[0].role, "system");
      assert.ok(chat.messages.some((message) => message.tool_calls?.[0]?.function.name === "search_letters"));
      const anthropic = await bodyOf("anthropic", "max_tokens");
      assert.equal(anthropic.messages[0].role, "user");
      assert.match(JSON.stringify(anthropic.system), /You write for people/);
      await page.locator(".payload-side .notes code.code", { hasText: "limit_added" }).waitFor();
      const gemini = await bodyOf("gemini", "contents");
      assert.ok(Array.isArray(gemini.contents));
      const responses = await bodyOf("openai_responses", "input");
      assert.ok(Array.isArray(responses.input));

      await choose("anthropic");
      await page.waitForFunction(() => document.querySelector(".payload-text .raw").textContent.includes("max_tokens"));
      await settled(page);
      const text = await copied(page, () => page.getByRole("button", { name: "Copy as cURL" }).click());
      assert.match(text, /^curl 'https:\/\/api\.anthropic\.com\/v1\/messages'/);
      assert.match(text, /x-api-key: \$ANTHROPIC_API_KEY/);
      const sent = /<<'END_OF_BODY'\n(.*)\nEND_OF_BODY/.exec(text)[1];
      assert.deepEqual(JSON.parse(sent), anthropic);
    },

    "strict rejects changes to what the model sees": async (page) => {
      await ready(page);
      await page.locator("#tab-payload").click();
      await page.locator(".payload-text .raw").waitFor();
      await page.getByLabel(/^Strict/).check();
      await page.locator(".payload .error-note", { hasText: "bad_request" }).waitFor();
      await page.getByLabel(/^Strict/).uncheck();
      await page.locator(".payload .error-note").waitFor({ state: "detached" });
    },

    "the buckets of the account add up to the total": async (page) => {
      await ready(page);
      await page.locator("#tab-payload").click();
      await page.locator(".buckets").waitFor();
      await settled(page);
      const more = page.locator(".payload-side").getByRole("button", { name: /^Show .* more/ });
      if ((await more.count()) > 0) await more.click();
      await settled(page);
      const counts = await page.locator(".buckets td:nth-child(2)").allTextContents();
      const sum = counts.reduce((total, text) => total + Number(text.replaceAll(/[≈, ]/g, "")), 0);
      const whole = await page.locator(".payload-side h3", { hasText: "Tokens by part" }).locator(".num").textContent();
      assert.equal(sum, Number(whole.replaceAll(",", "")));
    },

    "a smaller budget drops the least valuable messages, and a pin keeps one": async (page) => {
      await ready(page);
      await page.getByRole("navigation", { name: "View" }).getByRole("button", { name: "What if" }).click();
      const dropped = page.locator('.fit-line[data-dropped="true"]');
      const slider = page.getByRole("slider");
      await slider.fill("1000");
      await page.getByText(/24 of 24 messages stay, 0 dropped/).waitFor();
      await slider.fill("600");
      await dropped.first().waitFor();
      await dropped
        .first()
        .filter({ hasText: /team__context.*over budget/s })
        .waitFor();
      await becomes(() => page.locator("#fit-0").getAttribute("data-dropped"), "false");
      await page.locator("#fit-6 .pin").click();
      await page.locator('#fit-6[data-dropped="false"]').waitFor();
      await page.locator("#fit-6").click();
      await page.locator(".whatif .why").getByRole("button", { name: "Pinned" }).click();
      await page.locator('#fit-6[data-dropped="true"]').waitFor();
      await page.keyboard.press("p");
      await page.locator('#fit-6[data-dropped="false"]').waitFor();
      await page.keyboard.press("p");
      await slider.fill("0");
      await page.locator(".whatif .error-note", { hasText: "limit" }).waitFor();
    },

    "composed messages have their layers and their origins": async (page) => {
      await ready(page);
      await page
        .locator(".nav")
        .getByRole("button", { name: /Mira's next step, composed/ })
        .click();
      await page.getByRole("slider").fill("1000");
      const layers = page.locator(".fit-line .type");
      await layers.first().waitFor();
      await becomes(
        async () => (await layers.allTextContents()).slice(0, 8),
        [
          "system_prompt",
          "framework__context",
          "experience__context",
          "knowledge__context",
          "todo__context",
          "compression__context",
          "team__context",
          "checkpoint_messages",
        ],
      );
      await page.locator("#fit-4").click();
      const why = page.locator(".whatif .why");
      await why.filter({ hasText: /The layer todo__context\..*contexts\.todo__context.*\[x\] letters \(Li\)/s }).waitFor();
      for (let i = 0; i < 19; i += 1) await page.keyboard.press("j");
      await why.getByText("This is the query").waitFor();
      await page.getByRole("radio", { name: "Payload" }).check();
      await page.locator(".whatif .payload-text .raw", { hasText: "What do we hand to the writer?" }).waitFor();
    },
  },
);

test("layer switches and the process decide what the composer includes", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await page.keyboard.press("3");
    await page.getByRole("slider").fill("1000");
    await page.locator(".fit-line", { hasText: "todo__context" }).waitFor();
    await page.getByLabel("todo__context").uncheck();
    await page.locator(".fit-line", { hasText: "todo__context" }).waitFor({ state: "detached" });
    await page.getByLabel("Process").selectOption("mapreduce_worker");
    await page.locator(".left-out", { hasText: "this process remembers nothing" }).waitFor();
    await page.locator(".fit-line", { hasText: "checkpoint_messages" }).first().waitFor({ state: "detached" });
  });
});

test("exact counts use a vocabulary that is loaded on first use", onlyDeep("loads a vocabulary of megabytes"), async () => {
  await withPage({}, async (page, { requests }) => {
    await ready(page);
    await page.locator("#tab-payload").click();
    await page.locator(".buckets").waitFor();
    await settled(page);
    assert.equal(await page.locator('.buckets [data-exact="true"]').count(), 0);
    assert.ok(!requests.some((url) => url.includes("o200k")));
    await page
      .locator(".payload")
      .getByLabel(/^Tokens/)
      .selectOption("o200k_base");
    await page.locator('.buckets [data-exact="true"]').first().waitFor();
    await page.locator('.buckets tr:has([data-exact="false"])', { hasText: "Framing" }).waitFor();
  });
});

test("boxes and turns are fitted too, with a typed budget and a pin", onlyDeep("loads the page again"), async () => {
  await withPage({ path: "#view=whatif" }, async (page) => {
    const of = page.locator(".controls select").first();
    const status = page.locator(".controls [role=status]");
    for (const what of ["agent:agent_mira", "box:box_talk"]) {
      await of.selectOption(what);
      await page.getByLabel("Exact budget").fill("100000");
      await page.getByLabel("Exact budget").press("Tab");
      await page.locator(".slider output b", { hasText: "100,000" }).waitFor();
      await status.filter({ hasText: /^([1-9]\d*) of \1 messages? stay, 0 dropped/ }).waitFor();
    }
    await page.getByLabel("Exact budget").fill("60");
    await page.getByLabel("Exact budget").press("Tab");
    const dropped = page.locator('.fit-line[data-dropped="true"]');
    await dropped.first().waitFor();
    await settled(page);
    const id = await dropped.first().getAttribute("id");
    await dropped.first().locator(".pin").click();
    await page.locator(`#${id}[data-dropped="false"]`).waitFor();
  });
});
