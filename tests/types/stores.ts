// Compiles uses of the store and contract types. Nothing here runs.
import { jsonText, memoryStore, open, type Store } from "tuckbox";
import { fetchHandler, nodeListener } from "tuckbox/http";
import { type FileStore, fileStore } from "tuckbox/stores/file";
import { httpStore } from "tuckbox/stores/http";
import { type IndexedDbStore, indexedDbStore } from "tuckbox/stores/indexeddb";
import { type Entry, kvStore } from "tuckbox/stores/kv";
import { pgStore } from "tuckbox/stores/pg";
import { pgliteStore } from "tuckbox/stores/pglite";
import { postgresStore } from "tuckbox/stores/postgres";
import { migration, type SqlStore, sqlStore } from "tuckbox/stores/sql";
import { type SqliteStore, sqliteStore } from "tuckbox/stores/sqlite";
import { storeContract, testStore } from "tuckbox/testing";

interface Rows {
  rows: { [column: string]: unknown }[];
}

export async function sql(pool: { query(text: string, params: unknown[]): Promise<Rows> }): Promise<void> {
  const store: SqlStore = sqlStore(
    (text, params, more) => (more?.signal?.aborted ? Promise.reject(new Error()) : pool.query(text, params)),
    { schema: "context" },
  );
  await store.migrate();
  await store.addProfiles("p1", [{ name: "Writer", profile_box_id: "pb" }, jsonText('{"name":"Critic"}')]);
  await open(store, { projectId: "p1" });
  const text: string = migration({ schema: "context" });
  await pool.query(text, []);
  const stores: Store[] = [pgStore(pool), pgliteStore(pool), postgresStore({ unsafe: async () => [] })];
  for (const each of stores)
    testStore(
      () => {},
      "each",
      () => each,
    );
  // @ts-expect-error an unknown option
  sqlStore(pool.query, { tables: "x" });
}

export async function sqlite(): Promise<void> {
  const store: SqliteStore = await sqliteStore("project.db", { timeoutMs: 1000 });
  await open(store, { projectId: store.projects()[0] ?? "p1" });
  // @ts-expect-error a database has `exec` and `prepare`
  await sqliteStore({});
  store.close();
}

export async function contract(): Promise<void> {
  const cases = storeContract(async () => memoryStore(), {
    addProfiles: (store, project_id, rows) => rows.map((row) => store.project(project_id).addProfile(row)),
    sizes: { cards: 10 },
  });
  for (const { group, name, run } of cases) await run().catch((error: unknown) => `${group}: ${name}: ${String(error)}`);
}

export async function files(): Promise<void> {
  const store: FileStore = fileStore("project.json", { waitMs: 100 });
  await store.addProfiles("p1", [{ name: "Writer", profile_box_id: "pb" }]);
  testStore(
    () => {},
    "file",
    () => store,
  );
  // @ts-expect-error a file store must have a path
  fileStore();
}

export async function browsers(): Promise<void> {
  const store: IndexedDbStore = indexedDbStore("app", { durability: "relaxed" });
  await open(store, { projectId: "p1" });
  await store.close();
}

export async function keyValue(entries: Map<string, Entry<number>>): Promise<void> {
  const name = (key: readonly string[]) => JSON.stringify(key);
  const store = kvStore<number>(
    {
      get: async (keys) => keys.map((key) => entries.get(name(key))),
      commit: async ({ checks, sets, deletes }) => {
        if (checks.some(({ key, version }) => (entries.get(name(key))?.version ?? null) !== version)) return false;
        for (const { key, value } of sets) entries.set(name(key), { value, version: entries.size });
        for (const key of deletes) entries.delete(name(key));
        return true;
      },
    },
    { valueBytes: 65_536, prefix: ["app", "context"] },
  );
  await store.addProfiles("p1", [{ name: "Writer" }]);
}

export async function http(env: { TOKEN: string }): Promise<void> {
  const store = httpStore("https://example.org/api", { headers: async () => ({ authorization: "x" }), routes: "store" });
  const project = await open(store, { projectId: "p1" });
  await project.cards.get({ card_ids: [] });
  const handler = fetchHandler<[typeof env]>({
    open,
    store: ({ projectId }, { TOKEN }) => (projectId === TOKEN ? store : memoryStore()),
    authorize: async ({ action, op }) => action === "preview" && op === "pack_context",
    settings: { dialect: "v1r4" },
  });
  await handler(undefined, env);
  nodeListener((request) => handler(request, env));
  // @ts-expect-error `authorize` is missing
  fetchHandler({ open, store });
}
