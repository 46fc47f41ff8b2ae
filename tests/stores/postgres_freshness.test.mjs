// Freshness with two processes: a commit never uses rows that another process has changed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import "../../pkg/index.js";
import { CHANGES, tryWhile } from "../../pkg/lib/contract/freshness.js";
import { Project } from "../../pkg/lib/contract/trial.js";
import { pgStore } from "../../pkg/stores/pg.js";
import { deep } from "../support/deep.mjs";
import { awaited } from "../support/until.mjs";
import { poolOf, startPostgres } from "./server.mjs";

const server = await startPostgres();
const pool = poolOf(server.url);
const store = pgStore(pool);
await store.migrate();
test.after(async () => {
  await pool.end();
  await server.stop();
});

test("a commit never uses rows that another process has changed", async (t) => {
  const file = (path) => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));
  const script = `
    import { createInterface } from "node:readline";
    import { open } from ${file("../../pkg/index.js")};
    import { CHANGES } from ${file("../../pkg/lib/contract/freshness.js")};
    import { pgStore } from ${file("../../pkg/stores/pg.js")};
    import { poolOf } from ${file("./server.mjs")};
    const store = pgStore(poolOf(${JSON.stringify(server.url)}, { max: 2 }));
    for await (const line of createInterface({ input: process.stdin })) {
      const [project_id, name] = JSON.parse(line);
      const project = await open(store, { projectId: project_id });
      const [, change] = CHANGES[name];
      await change(project);
      project.dispose();
      console.log("done");
    }
    process.exit(0);`;
  const other = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["pipe", "pipe", "inherit"] });
  t.after(() => other.kill("SIGKILL"));
  const lines = createInterface({ input: other.stdout });
  let count = 0;
  const named = () => new Project(store, undefined, `two_${(count += 1)}`);
  for (const [at, name] of Object.keys(CHANGES).entries()) {
    // a third of the calls run during each change; in deep tests, all calls
    for (const first of deep ? [0, 1, 2] : [at]) {
      await tryWhile(name, named, first, async ({ project_id }) => {
        const done = once(lines, "line");
        other.stdin.write(`${JSON.stringify([project_id, name])}\n`);
        await awaited(`the other process has finished \`${name}\``, done);
      });
    }
  }
});
