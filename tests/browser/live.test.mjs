// The timeline follows: files that grow under `tuckbox watch PATH`, and requests of `tuckbox watch -- COMMAND`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { onlyDeep } from "../support/deep.mjs";
import { claudeSession } from "../support/logs.mjs";
import { showsText, withPage } from "./page.mjs";

const program = fileURLToPath(new URL("../../pkg/bin/tuckbox.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "tuckbox-live-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Starts `tuckbox watch`; returns the process and the URL of its page. */
async function watch(args, env = {}) {
  const child = spawn(process.execPath, [program, "watch", "--no-open", "--port", "0", ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    cwd: folder,
    env: { ...process.env, ...env },
  });
  const ended = once(child, "close");
  let text = "";
  const url = await new Promise((resolve, reject) => {
    const look = (chunk) => {
      text += chunk;
      const found = /http:\/\/\S+/.exec(text)?.[0];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    child.once("close", (code) => reject(new Error(`ended with ${code}: ${text}`)));
  });
  return { child, url, ended };
}

test("steps appear as files grow, and a user who looks at an earlier step stays there", async () => {
  mkdirSync(join(folder, "project"));
  const [main] = claudeSession();
  const lines = main.text.split("\n");
  const path = join(folder, "project", "s1.jsonl");
  // ends inside of a line, as a log does while it is written
  writeFileSync(path, `${lines.slice(0, 2).join("\n")}\n${lines[2].slice(0, 20)}`);
  const { child, url, ended } = await watch(["project"]);
  try {
    await withPage({ url }, async (page) => {
      const title = page.locator(".tl-head h2");
      await showsText(title, /^Step 1 · .*Read total\.ts$/);
      await showsText(page.locator(".tl-live"), /Following/);
      appendFileSync(path, `${lines[2].slice(20)}\n${lines[3]}\n`);
      // the last step was selected, so the next one is
      await showsText(title, /^Step 2 · .*Edit total\.ts, Bash npm test/);
      await page.locator(".tl-step").first().click();
      await showsText(title, /^Step 1 /);
      appendFileSync(path, `${lines.slice(4, 7).join("\n")}\n`);
      await page.locator(".tl-step").nth(2).waitFor();
      await showsText(title, /^Step 1 /);
      // a tab that shows the report has all requests, too
      await page.locator(".tl-step").nth(2).click();
      await page.locator("#tl-tab-raw").click();
      await page.getByRole("button", { name: "Convert" }).waitFor();
      // a new session does not move the user, who chose the step before the last
      await page.locator(".tl-step").nth(1).click();
      writeFileSync(join(folder, "project", "s2.jsonl"), `${lines.slice(0, 2).join("\n").replaceAll('"s1"', '"s2"')}\n`);
      await page.locator(".tl-session option").nth(1).waitFor({ state: "attached" });
      await showsText(title, /^Step 2 /);
      child.kill("SIGTERM");
      await showsText(page.locator(".tl-live"), /tuckbox ended/);
    });
  } finally {
    child.kill("SIGTERM");
  }
  assert.deepEqual(await ended, [0, null]);
});

/** A client: sends a question for each line of its input. */
const CLIENT = `
const messages = [];
for await (const chunk of process.stdin.setEncoding("utf8")) {
  for (const text of chunk.split("\\n").filter(Boolean)) {
    messages.push({ role: "user", content: text });
    const response = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": "a secret" },
      body: JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 100, messages }),
    });
    messages.push({ role: "assistant", content: (await response.json()).content });
  }
}`;

test("requests of a command appear, and what the recorder omits is stated", onlyDeep("starts a command, a proxy and a page"), async () => {
  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    incoming.on("end", () => {
      const content = [{ type: "text", text: "An answer." }];
      const usage = { input_tokens: 1_200, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 7 };
      const message = { id: "m1", type: "message", role: "assistant", model: "claude-sonnet-4-5", content, usage };
      outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const upstream = `http://127.0.0.1:${server.address().port}`;
  const client = join(folder, "client.mjs");
  writeFileSync(client, CLIENT);
  const { child, url, ended } = await watch(["--upstream", upstream, "--keep", "2", "--record", "rec", "--", process.execPath, client]);
  try {
    await withPage({ url }, async (page) => {
      await showsText(page.locator(".tl-waiting"), /Waiting for the first request.*Following/s);
      child.stdin.write("Where is the gate?\n");
      await showsText(page.locator(".tl-head h2"), /^Step 1 · .*An answer\.$/);
      await showsText(page.locator(".tl-facts").first(), /claude-sonnet-4-5 · 1,200 input tokens/);
      child.stdin.write("And the boat?\n");
      await showsText(page.locator(".tl-head h2"), /^Step 2 · /);
      await page.locator('.tl-card[data-change="added"]', { hasText: "And the boat?" }).waitFor();
      assert.equal(await page.locator(".tl-session").count(), 0);
      child.stdin.write("And the clock?\n");
      await showsText(page.locator(".tl-live"), /1 exchanges were not recorded: the limit of 2 exchanges is reached/);
      child.stdin.end();
      await showsText(page.locator(".tl-live"), /tuckbox ended/);
    });
  } finally {
    child.stdin.end();
    server.close();
  }
  assert.deepEqual(await ended, [0, null]);
});
