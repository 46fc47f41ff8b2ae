// Adapters in real frameworks: every body that arrives is the assembled one, byte for byte, or that of the framework.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { memoryStore, open } from "../../pkg/index.js";
import { onlyDeep } from "../support/deep.mjs";
import { startProviders } from "../support/providers.mjs";

const folder = fileURLToPath(new URL("../frameworks", import.meta.url));

test("LangChain and OpenAI Agents send what the adapter assembles", onlyDeep("installs frameworks"), async (t) => {
  await promisify(execFile)("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder });
  const frameworks = await import("../frameworks/conversations.mjs");
  const server = await startProviders();
  t.after(() => server.close());
  const project = await open(memoryStore(), { projectId: "demo" });
  for (const [name, converse] of Object.entries(frameworks)) {
    const seen = [];
    for (const mode of ["look", "assemble"]) {
      const from = server.bodies.length;
      const answer = await converse(`${server.url}/openai/v1`, { project, mode, onRequest: (request) => seen.push(request.text) });
      assert.equal(answer, "Rain, 4 °C.", `${name}, ${mode}`);
      const arrived = server.bodies.slice(from);
      assert.equal(arrived.length, 2, `${name}, ${mode}`);
      assert.deepEqual(seen, mode === "look" ? [] : arrived, `${name}, ${mode}`);
    }
  }
});
