// Opens and exports projects: files, drops, pastes, URLs, links; and all errors.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { test } from "node:test";
import { onlyDeep, times } from "../support/deep.mjs";
import { becomes, copied, lines, openFile, ready, settled, showsText, withPage } from "./page.mjs";
import { session } from "./session.mjs";
import { card, file, pack, snapshot } from "./snapshots.mjs";

function small(text = "hello from a file") {
  return snapshot({
    cards: [card("c1", "agent.thought", { __type__: "TextContent", text })],
    boxes: [{ box_id: "b1", card_ids: ["c1"], version: 1 }],
    calls: [pack("small call", { instruction: "go", box_ids: ["b1"] }, ["b1"])],
  });
}

test("a link contains the project", async () => {
  await withPage({ permissions: ["clipboard-read", "clipboard-write"] }, async (page, { context }) => {
    await ready(page);
    await openFile(page, file(small("hello from a link")));
    await page.locator(".line", { hasText: "hello from a link" }).waitFor();
    await page.getByRole("radio", { name: "v1r4_hotfix" }).check();
    await page.locator(".nav-boxes .entry", { hasText: "b1" }).click();
    await page.locator("summary", { hasText: "Export" }).click();
    const link = await copied(page, () => page.getByRole("button", { name: "Copy link" }).click());
    await page.getByText("Link copied").waitFor();
    const other = await context.newPage();
    await other.goto(link);
    await other.locator(".line", { hasText: "hello from a link" }).waitFor();
    // the link contains the view
    await becomes(() => other.locator(".heading h2").textContent(), "b1");
    await becomes(() => other.getByRole("radio", { name: "v1r4_hotfix" }).isChecked(), true);
  });
});

test("only a typed URL is fetched, and errors state what is wrong", onlyDeep("loads the page for each URL"), async () => {
  let asked = 0;
  const hanging = new Set();
  const server = createServer((request, response) => {
    asked += 1;
    response.setHeader("access-control-allow-origin", "*");
    if (request.url === "/good.json") response.end(JSON.stringify(small("hello from a server")));
    else if (request.url === "/page") response.setHeader("content-type", "text/html").end("<h1>sorry</h1>");
    else if (request.url === "/hang") hanging.add(response);
    else response.writeHead(503).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  try {
    await withPage({ expectedLogs: [/503/] }, async (page) => {
      await ready(page);
      assert.equal(asked, 0);
      const dialog = page.locator("dialog[open]");
      await page.getByRole("button", { name: "Open", exact: true }).click();
      const fetchFrom = async (url) => {
        await page.locator("#open-url").fill(url);
        await page.getByRole("button", { name: "Fetch" }).click();
      };
      for (const [url, message] of [
        [`${base}/page`, /returned a web page/],
        [`${base}/other`, /returned status 503/],
        ["file:///etc/passwd", /unsupported protocol `file:`/],
        ["not a URL", /is not a URL/],
      ]) {
        await fetchFrom(url);
        await dialog.locator(".error-note", { hasText: message }).waitFor();
      }
      await fetchFrom(`${base}/hang`);
      await dialog.getByRole("button", { name: "Stop" }).click();
      await dialog.locator(".progress").waitFor({ state: "detached" });
      await showsText(page.locator(".project"), /^night_ferry$/);
      await fetchFrom(`${base}/good.json`);
      await page.locator(".line", { hasText: "hello from a server" }).waitFor();
    });
  } finally {
    for (const response of hanging) response.destroy();
    server.close();
  }
});

session(
  {},
  {
    "an invalid snapshot is rejected with its path, and the open project stays": async (page) => {
      await ready(page);
      await settled(page);
      const before = await lines(page);
      await page.getByRole("button", { name: "Open", exact: true }).click();
      const input = page.locator('dialog input[type="file"]').first();
      const error = page.locator("dialog .error-note");
      const refused = [
        ["", /the file is empty/],
        ['{"projects": [', /bad_request.*not JSON/s],
        ["[]", /a snapshot must be an object/],
        ['{"projects": {}}', /at projects.*a list `projects`/s],
        ['{"projects": []}', /contains no project/],
        ['{"projects": [{}]}', /projects\[0\]\.project_id.*`project_id` is missing/s],
        ['{"projects": [{"project_id": "p", "boxes": 7}]}', /projects\[0\]\.boxes.*list of rows/s],
        ['{"projects": [{"project_id": "p", "boxes": [null]}]}', /projects\[0\]\.boxes\[0\].*a row/s],
        ['{"projects": [{"project_id": "p", "cards": [{"card_id": 7}]}]}', /projects\[0\]\.cards\[0\]\.card_id.*`card_id` is missing/s],
        [{ ...small(), format: 99 }, /format 99.*newer version/s],
        ["\u0000\u0001binary", /not JSON/],
      ];
      for (const [given, message] of times(refused.slice(0, 6), refused)) {
        await input.setInputFiles(file(given));
        await error.filter({ hasText: message }).waitFor();
      }
      await input.setInputFiles({ name: "x.json", mimeType: "application/json", buffer: Buffer.from([0xff, 0xfe, 0x00]) });
      await error.filter({ hasText: /not UTF-8/ }).waitFor();
      await page.keyboard.press("Escape");
      await page.locator("dialog[open]").waitFor({ state: "detached" });
      await settled(page);
      assert.deepEqual(await lines(page), before);
      await page.keyboard.press("j");
      await becomes(() => page.locator('.line[aria-selected="true"]').getAttribute("id"), "card-1");
    },

    "a file opens in place of the demo": async (page) => {
      await ready(page);
      await openFile(page, file(small()));
      await page.locator(".line", { hasText: "hello from a file" }).waitFor();
      await becomes(() => page.locator("dialog[open]").count(), 0);
      await showsText(page.locator(".project"), /^test_project$/);
    },

    "a file dropped anywhere opens": async (page) => {
      await ready(page);
      const transfer = await page.evaluateHandle(
        (text) => {
          const data = new DataTransfer();
          data.items.add(new File([text], "dropped.json", { type: "application/json" }));
          return data;
        },
        JSON.stringify(small("hello from a drop")),
      );
      await page.dispatchEvent("body", "dragover", { dataTransfer: transfer });
      await page.locator(".dropping").waitFor();
      await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
      await page.locator(".line", { hasText: "hello from a drop" }).waitFor();
    },

    "invalid metadata of a snapshot is ignored": [
      onlyDeep("loads the page again"),
      async (page) => {
        await ready(page);
        const odd = small("still readable");
        odd.looking = { target: { kind: "nowhere" }, dialect: 7, window: -1 };
        odd.calls.unshift(null, 7, { id: "x" }, { id: "bare", call: { op: "fork_box", box_id: "b1" }, title: { en: { a: 1 } }, note: [] });
        odd.projects[0].agents = [{ agent_id: "agent_a", display_name: { odd: true }, state: "asleep" }];
        await openFile(page, file(odd));
        await page.locator(".nav .entry", { hasText: "small call" }).click();
        await page.locator(".line", { hasText: "still readable" }).waitFor();
        await becomes(() => page.locator(".nav ul").first().locator(".entry-title").allTextContents(), ["bare", "small call"]);
      },
    ],

    "pasted text opens, in the field and outside of it": async (page) => {
      await ready(page);
      await page.getByRole("button", { name: "Open", exact: true }).click();
      await page.locator("#open-text").fill(JSON.stringify(small("hello from a field")));
      await page.getByRole("button", { name: "Open text" }).click();
      await page.locator(".line", { hasText: "hello from a field" }).waitFor();
      await page.evaluate(
        (text) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", text);
          document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
        },
        JSON.stringify(small("hello from a paste")),
      );
      await page.locator(".line", { hasText: "hello from a paste" }).waitFor();
    },

    "an exported project opens again with its commits": async (page) => {
      await ready(page);
      const before = await page.locator(".nav-boxes .entry").count();
      await page.locator(".heading .primary").click();
      await page.locator("dialog").getByRole("button", { name: "Commit" }).click();
      await page.locator(".committed").waitFor();
      await becomes(() => page.locator(".nav-boxes .entry").count(), before + 1);
      await settled(page);
      const committed = await lines(page);

      await page.locator("summary", { hasText: "Export" }).click();
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as file" }).click()]);
      assert.equal(download.suggestedFilename(), "night_ferry.tuckbox.json");
      const text = await readFile(await download.path(), "utf8");
      const exported = JSON.parse(text);
      assert.equal(exported.projects[0].boxes.length, before + 1);
      assert.equal(exported.calls.length, 5);

      await openFile(page, file(text));
      await page.locator("dialog[open]").waitFor({ state: "detached" });
      await becomes(() => page.locator(".nav-boxes .entry").count(), before + 1);
      await becomes(() => lines(page), committed);
    },
  },
);

test("a damaged link is an error, and the demo is offered", async () => {
  await withPage({ path: "#s=not-a-link" }, async (page) => {
    await page.locator(".error-note", { hasText: "the link is damaged" }).waitFor();
    await page.getByRole("button", { name: "Reset demo" }).click();
    await ready(page);
  });
});
