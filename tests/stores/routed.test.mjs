// Projects in two databases, with one store for both.
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryStore, open } from "../../pkg/index.js";
import { pgStore } from "../../pkg/stores/pg.js";
import { routeByHash, routedStore } from "../../pkg/stores/routed.js";
import { poolOf, startPostgres } from "./server.mjs";

const PROJECTS = Array.from({ length: 12 }, (_, at) => `team_${at}`);

test("each project is in one of two databases, and no other has a row of it", async (t) => {
  const servers = await Promise.all([startPostgres(), startPostgres()]);
  const pools = servers.map(({ url }) => poolOf(url));
  t.after(async () => {
    for (const pool of pools) await pool.end();
    for (const server of servers) await server.stop();
  });
  const [east, west] = pools.map((pool) => pgStore(pool));
  await Promise.all([east.migrate(), west.migrate()]);
  const route = routeByHash({ east, west });
  const store = routedStore(route);
  for (const projectId of PROJECTS) {
    const project = await open(store, { projectId });
    await project.boxes.create({ box_id: "notes", card_ids: [projectId] });
    const { boxes } = await project.boxes.get({ box_ids: ["notes"] });
    assert.deepEqual(boxes[0].card_ids, [projectId]);
  }
  const found = await Promise.all(
    pools.map(async (pool) => (await pool.query("select tenant_id from card_boxes")).rows.map(({ tenant_id }) => tenant_id)),
  );
  for (const [at, own] of [east, west].entries()) {
    assert.deepEqual(found[at].sort(), PROJECTS.filter((projectId) => route(projectId) === own).sort());
    assert.ok(found[at].length > 0);
  }
});

test("a new store takes its share from all others and moves no other project", () => {
  const stores = { a: memoryStore(), b: memoryStore(), c: memoryStore() };
  const all = Array.from({ length: 3000 }, (_, at) => `p${at}`);
  const [before, after] = [routeByHash(stores), routeByHash({ d: memoryStore(), ...stores })];
  const moved = all.filter((projectId) => before(projectId) !== after(projectId));
  assert.ok(moved.every((projectId) => !Object.values(stores).includes(after(projectId))));
  assert.ok(moved.length > 600 && moved.length < 900, String(moved.length));
});

test("a missing route and a missing store are refused", async () => {
  assert.throws(() => routedStore({}), { code: "bad_request", path: "route" });
  assert.throws(() => routeByHash({}), { code: "bad_request", path: "stores" });
  const project = await open(
    routedStore(() => undefined),
    { projectId: "lost" },
  );
  await assert.rejects(project.boxes.get({ box_ids: ["b"] }), { code: "store", message: /no store for the project `lost`/ });
});
