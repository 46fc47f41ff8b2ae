// `tuckbox mcp` with the official client over standard input and output, and its protocol with the official
// conformance suite over HTTP.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { serveHttp } from "../../pkg/lib/mcp/http.js";
import { VERSIONS } from "../../pkg/lib/mcp/protocol.js";
import { conformanceServer } from "./conformance_server.mjs";

const folder = mkdtempSync(join(tmpdir(), "tuckbox-mcp-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const program = fileURLToPath(new URL("../../pkg/bin/tuckbox.js", import.meta.url));

for (const mode of ["auto", "legacy"])
  test(`the official client lists and calls every tool (${mode})`, async () => {
    const log = join(folder, `${mode}.jsonl`);
    const body = (text) => JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: text }] });
    writeFileSync(log, `${body("one")}\n${body("two")}\n`);
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, "mcp", log] }));
    assert.equal(client.getServerVersion()?.name, "tuckbox");
    const { tools } = await client.listTools();
    assert.equal(tools.length, 6);
    for (const { name } of tools.filter((tool) => tool.name !== "preview")) {
      // the client checks structured content against the output schema
      const { structuredContent, isError } = await client.callTool({ name, arguments: {} });
      assert.deepEqual([typeof structuredContent, isError ?? false], ["object", false], name);
    }
    const { resources } = await client.listResources();
    assert.equal((await client.readResource({ uri: resources[0].uri })).contents.length, 1);
    assert.equal((await client.listPrompts()).prompts.length, 3);
    await client.close();
  });

/** Returns the program of the suite. Its file needs a function that Node 20 lacks and servers do not use. */
function suite() {
  const index = join(dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")), "dist/index.js");
  const path = join(dirname(index), "suite.mjs");
  writeFileSync(path, readFileSync(index, "utf8").replace(/globSync as (\w+),/, "accessSync as $1,"));
  return path;
}

for (const version of VERSIONS)
  test(`the conformance suite passes for ${version}`, async () => {
    const server = await serveHttp(conformanceServer(), { port: 0, isExact: true });
    const args = [suite(), "server", "--url", server.url, "--requirements", version];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
    let report = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (report += text));
    const [code] = await once(child, "exit");
    assert.equal(code, 0, report);
    assert.match(report, /tools-list: \d+ passed, 0 failed/);
    await server.close();
  });
