// The page of `tuckbox mcp` in Chromium, in a sandbox with the default policy of MCP Apps. The client and the host are
// those of the protocol's authors.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { AppBridge } from "@modelcontextprotocol/ext-apps/app-bridge";
import { launch } from "../browser/chromium.mjs";

const folder = mkdtempSync(join(tmpdir(), "tuckbox-app-"));
const program = fileURLToPath(new URL("../../pkg/bin/tuckbox.js", import.meta.url));
const EXTENSION = "io.modelcontextprotocol/ui";
const MIME_TYPE = "text/html;profile=mcp-app";
/** The policy of a page without declared domains. */
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";
const HOSTILE = "<img src=x onerror=alert(1)><script>parent.postMessage('broken', '*')</script>";

const browser = await launch();
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Connects the official client to the server over a log with two requests. */
async function connected(capabilities) {
  const log = join(folder, "session.jsonl");
  const messages = (...texts) => texts.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content }));
  const body = (...texts) => JSON.stringify({ model: "gpt-5", messages: messages(...texts) });
  writeFileSync(log, `${body(HOSTILE)}\n${body(HOSTILE, "second", "third ".repeat(3000))}\n`);
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" }, capabilities });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, "mcp", log] }));
  return client;
}

/** Shows a page in a sandboxed frame. Returns its frame, and the transport between the host and the page. */
async function shown(html) {
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("dialog", (dialog) => errors.push(dialog.message()));
  page.on("console", (line) => line.type() === "error" && errors.push(line.text()));
  const transport = {
    async start() {},
    send: (message) => page.evaluate((data) => document.querySelector("iframe").contentWindow.postMessage(data, "*"), message),
    async close() {},
  };
  await page.exposeFunction("received", (data) => transport.onmessage?.(data));
  const guarded = html.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
  return {
    page,
    errors,
    transport,
    async load() {
      await page.setContent('<iframe sandbox="allow-scripts" style="width:720px;height:900px;border:0"></iframe>');
      await page.evaluate((text) => {
        addEventListener("message", ({ data }) => window.received(data));
        document.querySelector("iframe").srcdoc = text;
      }, guarded);
      return page.frameLocator("iframe");
    },
  };
}

test("only a client that shows pages gets the page of a tool", async () => {
  const plain = await connected({});
  assert.ok((await plain.listTools()).tools.every((tool) => tool._meta === undefined));
  await plain.close();
  const client = await connected({ extensions: { [EXTENSION]: { mimeTypes: [MIME_TYPE] } } });
  const { tools } = await client.listTools();
  assert.deepEqual([...new Set(tools.map((tool) => tool._meta?.ui?.resourceUri))], ["ui://tuckbox/view"]);
  assert.ok(EXTENSION in client.getServerCapabilities().extensions);
  await client.close();
});

test("the page shows answers, follows buttons and pages, and runs no text of logs", async () => {
  const client = await connected({ extensions: { [EXTENSION]: { mimeTypes: [MIME_TYPE] } } });
  const uri = "ui://tuckbox/view";
  const [{ mimeType, text }] = (await client.readResource({ uri })).contents;
  assert.equal(mimeType, MIME_TYPE);
  const { page, errors, transport, load } = await shown(text);
  const sizes = [];
  const bridge = new AppBridge(client, { name: "host", version: "1" }, { serverTools: {} }, { hostContext: { theme: "dark" } });
  bridge.onsizechange = (size) => sizes.push(size);
  const ready = new Promise((resolve) => {
    bridge.oninitialized = resolve;
  });
  await bridge.connect(transport);
  const view = await load();
  await ready;

  const show = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    await bridge.sendToolInput({ arguments: args });
    await bridge.sendToolResult(result);
  };
  await show("sessions", {});
  await view.getByRole("heading", { name: "1 sessions" }).waitFor();
  await view.getByRole("button", { name: "Explain" }).click();
  await view.getByRole("heading", { name: /^Request 1 of 2/ }).waitFor();
  assert.equal(await view.getByRole("img").count(), 1, "a bar of the buckets");
  await view.getByRole("button", { name: "Previous request" }).click();
  await view.getByRole("heading", { name: /^Request 0 of 2/ }).waitFor();
  await view.getByText("<img src=x", { exact: false }).first().waitFor();
  await view.getByRole("button", { name: "Back" }).click();
  await view.getByRole("heading", { name: /^Request 1 of 2/ }).waitFor();
  await view.getByRole("button", { name: "What changed" }).click();
  await view.getByRole("heading", { name: /^Requests 0 and 1/ }).waitFor();

  // a long message comes in pages
  await show("explain", { message: 2, max_tokens: 500 });
  await view.getByRole("heading", { name: /^Request 1 of 2/ }).waitFor();
  const rows = () => view.locator("table").last().locator("tbody tr").count();
  const tables = await view.locator("table").count();
  await view.getByRole("button", { name: "More" }).click();
  await view.locator(`table >> nth=${tables}`).waitFor();
  assert.ok((await rows()) > 0);

  for (const [name, heading] of [
    ["cache", /^Cache of/],
    ["compaction", /compactions in/],
  ]) {
    await show(name, {});
    await view.getByRole("heading", { name: heading }).waitFor();
  }
  await bridge.sendToolResult({ content: [{ type: "text", text: "no session" }], isError: true });
  await view.getByRole("alert").filter({ hasText: "no session" }).waitFor();

  assert.deepEqual(errors, []);
  assert.ok(sizes.length > 0, "the page reports its size");
  assert.equal(await page.frames()[1].evaluate(() => document.documentElement.style.colorScheme), "dark");
  if (process.env.SCREENSHOT) {
    await show("explain", {});
    await view.getByRole("heading", { name: /^Request 1 of 2/ }).waitFor();
    await page.screenshot({ path: process.env.SCREENSHOT });
  }
  await page.close();
  await client.close();
});
