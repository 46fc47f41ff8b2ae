// The types of the stores and of their contract. Nothing here runs.
import { type Store, jsonText, memoryStore, open } from "tuckbox";
import { pgStore } from "tuckbox/stores/pg";
import { pgliteStore } from "tuckbox/stores/pglite";
import { postgresStore } from "tuckbox/stores/postgres";
import { type SqlStore, migration, sqlStore } from "tuckbox/stores/sql";
import { storeContract, testStore } from "tuckbox/testing";

interface Rows {
  rows: { [column: string]: unknown }[];
}

export async function sql(pool: { query(text: string, params: unknown[]): Promise<Rows> }): Promise<void> {
  const store: SqlStore = sqlStore((text, params, more) => (more?.signal?.aborted ? Promise.reject(new Error()) : pool.query(text, params)), { schema: "context" });
  await store.migrate();
  await store.addProfiles("p1", [{ name: "Writer", profile_box_id: "pb" }, jsonText('{"name":"Critic"}')]);
  await open(store, { project_id: "p1" });
  const text: string = migration({ schema: "context" });
  await pool.query(text, []);
  const stores: Store[] = [pgStore(pool), pgliteStore(pool), postgresStore({ unsafe: async () => [] })];
  for (const each of stores) testStore(() => {}, "each", () => each);
  // @ts-expect-error an unknown option
  sqlStore(pool.query, { tables: "x" });
}

export async function contract(): Promise<void> {
  const cases = storeContract(async () => memoryStore(), {
    addProfiles: (store, project_id, rows) => rows.map((row) => store.project(project_id).addProfile(row)),
    sizes: { cards: 10 },
  });
  for (const { group, name, run } of cases) await run().catch((error: unknown) => `${group}: ${name}: ${String(error)}`);
}
