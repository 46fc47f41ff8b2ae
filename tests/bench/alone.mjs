// Measurements that need a new process.
import { readFileSync } from "node:fs";
import { distinctBoxes, MANY_IDS, packCall, profile } from "./worlds.mjs";

const measurement = { start, memory }[process.argv[2]];
process.send(await measurement());

/** Measures opening the first project, and compiling the same bytes without opening. */
async function start() {
  const { memoryStore, open } = await import("../../pkg/index.js");
  const bytes = readFileSync(new URL("../../pkg/generated/core.wasm", import.meta.url));
  // compile before and after, because the first one also pays for shared initialization
  const compile = () => timed(() => WebAssembly.compile(bytes));
  const init = () => timed(() => open(memoryStore(), { projectId: "p1" }));
  const before = await compile();
  const init_ms = await init();
  const after = await compile();
  return { init_ms, compile_ms: (before + after) / 2 };
}

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Measures the memory of 1,000,000 different ids in one workspace. */
async function memory() {
  const { open } = await import("../../pkg/index.js");
  const boxes = distinctBoxes(1_000_000);
  const bytes = new TextEncoder().encode(JSON.stringify({ profiles: [profile], boxes }));
  const store = { read: async () => bytes, commit: async () => undefined };
  const workspace = await open(store, { projectId: "p1", limits: MANY_IDS });
  (await workspace.preview("pack_context", packCall)).dispose();
  return workspace.stats();
}
