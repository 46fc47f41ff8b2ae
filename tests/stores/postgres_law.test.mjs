// Revoked means revoked, also when another process revokes it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { pgStore } from "../../pkg/stores/pg.js";
import { CALLS, CHANGES, law, tryOnce } from "./law.mjs";
import { poolOf, startPostgres } from "./server.mjs";

const server = await startPostgres();
const pool = poolOf(server.url);
const store = pgStore(pool);
await store.migrate();
test.after(async () => {
  await pool.end();
  await server.stop();
});

test("one process", async () => {
  await law(store);
});

test("two processes", async (t) => {
  const script = `
    import { createInterface } from "node:readline";
    import { open } from ${JSON.stringify(fileURLToPath(new URL("../../pkg/index.js", import.meta.url)))};
    import { pgStore } from ${JSON.stringify(fileURLToPath(new URL("../../pkg/stores/pg.js", import.meta.url)))};
    import { CHANGES } from ${JSON.stringify(fileURLToPath(new URL("./law.mjs", import.meta.url)))};
    import { poolOf } from ${JSON.stringify(fileURLToPath(new URL("./server.mjs", import.meta.url)))};
    const store = pgStore(poolOf(${JSON.stringify(server.url)}, { max: 2 }));
    for await (const line of createInterface({ input: process.stdin })) {
      const [project_id, name] = JSON.parse(line);
      const project = await open(store, { project_id });
      await CHANGES[name](project);
      project.dispose();
      console.log("done");
    }
    process.exit(0);`;
  const other = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["pipe", "pipe", "inherit"] });
  t.after(() => other.kill("SIGKILL"));
  const lines = createInterface({ input: other.stdout });
  const counts = { committed: 0, conflict: 0 };
  let seed = 0;
  for (const name of Object.keys(CHANGES)) {
    for (const call of CALLS) {
      seed += 1;
      const { outcome } = await tryOnce(store, `two_${seed}`, call, async (project_id) => {
        const done = once(lines, "line");
        other.stdin.write(`${JSON.stringify([project_id, name])}\n`);
        await done;
      }, seed);
      counts[outcome] += 1;
    }
  }
  assert.ok(counts.committed >= 20 && counts.conflict >= 15, JSON.stringify(counts));
});
