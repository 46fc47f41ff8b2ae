// Revoked means revoked: no store lets a commit through whose ground has gone.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createServer } from "node:http";
import { memoryStore, open } from "../../pkg/index.js";
import { fetchHandler, nodeListener } from "../../pkg/http.js";
import { fileStore } from "../../pkg/stores/file.js";
import { httpStore } from "../../pkg/stores/http.js";
import { kvStore } from "../../pkg/stores/kv.js";
import { law } from "./law.mjs";

test("in memory", async () => {
  await law(memoryStore());
});

test("in a file", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "tuckbox-law-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  let count = 0;
  const stores = new Map();
  const of = ({ project_id }) => {
    if (!stores.has(project_id)) stores.set(project_id, fileStore(join(folder, `${(count += 1)}.json`)));
    return stores.get(project_id);
  };
  await law({ read: (reads, more) => of(reads).read(reads, more), commit: (writes, more) => of(writes).commit(writes, more) });
});

test("in a key-value database", async () => {
  const entries = new Map();
  let version = 0;
  const kv = {
    get: async (keys) => keys.map((key) => entries.get(JSON.stringify(key)) ?? null),
    commit: async ({ checks, sets, deletes }) => {
      if (checks.some(({ key, version: expected }) => (entries.get(JSON.stringify(key))?.version ?? null) !== expected)) return false;
      version += 1;
      for (const { key, value } of sets) entries.set(JSON.stringify(key), { value, version: String(version) });
      for (const key of deletes) entries.delete(JSON.stringify(key));
      return true;
    },
  };
  await law(kvStore(kv));
});

test("over HTTP", async (t) => {
  const server = createServer(nodeListener(fetchHandler({ open, store: memoryStore(), authorize: () => true })));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  await law(httpStore(`http://127.0.0.1:${server.address().port}`));
});
