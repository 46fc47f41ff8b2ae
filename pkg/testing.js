// The contract of a store as tests that any host can run against its own.
//
//   import { test } from "node:test";
//   import { testStore } from "tuckbox/testing";
//
//   testStore(test, "my store", () => new MyStore());
import { atomicity, deletion, operations, versions } from "./lib/contract/commits.js";
import { freshness } from "./lib/contract/freshness.js";
import { concurrency, load } from "./lib/contract/load.js";
import { isolation, reads } from "./lib/contract/reads.js";
import { lists, rows } from "./lib/contract/rows.js";
import { Team } from "./lib/contract/engine/team.js";
import { teams } from "./lib/contract/engine/teams.js";
import { turns } from "./lib/contract/engine/turns.js";
import { Project, fresh } from "./lib/contract/trial.js";
import { json, kinds, profiles } from "./lib/contract/values.js";
import { TuckboxError } from "./lib/error.js";

const GROUPS = { reads, isolation, atomicity, versions, deletion, operations, json, kinds, profiles, rows, lists, freshness, load, concurrency };

const SIZES = { cards: 2000, card_ids: 50_000, text: 300_000 };

/**
 * The cases as `{ group, name, run }`. `open` gives the store under test; it may be the same store
 * every time, since every case works in projects of its own.
 */
export function storeContract(open, { addProfiles, close, sizes } = {}) {
  if (typeof open !== "function") {
    throw new TuckboxError("bad_request", "`open` is a function that gives the store under test", { path: "open" });
  }
  const run = (check) => async () => {
    const store = await open();
    const register = addProfiles ?? ((store, project_id, rows) => registered(store, project_id, rows));
    const named = (project_id) => new Project(store, register, project_id);
    try {
      await check({ project: named(fresh("project")), other: named(fresh("other")), named, sizes: { ...SIZES, ...sizes } });
    } finally {
      await close?.(store);
    }
  };
  return Object.entries(GROUPS).flatMap(([group, cases]) => cases.map(([name, check]) => ({ group, name, run: run(check) })));
}

/** Hands every case to a `test(name, run)` function: that of node:test, Deno, Bun, Vitest, .. */
export function testStore(test, label, open, options) {
  for (const { name, run } of storeContract(open, options)) test(`${label}: ${name}`, run);
}

/**
 * The contract of an engine on a store, as cases: `host` gives `{ open, store }`, and may give the same store every
 * time.
 */
export function engineContract(host) {
  if (typeof host !== "function") {
    throw new TuckboxError("bad_request", "`host` is a function that gives `{ open, store }`", { path: "host" });
  }
  const run = (check) => async () => {
    const team = new Team(await host());
    try {
      await team.clock.run(async () => {
        await team.people();
        await check(team);
      });
    } finally {
      await team.clock.run(() => team.close());
    }
  };
  return Object.entries({ turns, teams }).flatMap(([group, cases]) => cases.map(([name, check]) => ({ group, name, run: run(check) })));
}

/** Hands every case of an engine to a `test(name, run)` function. */
export function testEngine(test, label, host) {
  for (const { name, run } of engineContract(host)) test(`${label}: ${name}`, run);
}

/** Profiles have no batch of their own: every store registers them in its own way. */
async function registered(store, project_id, rows) {
  if (typeof store.addProfiles === "function") {
    await store.addProfiles(project_id, rows);
  } else if (typeof store.project === "function") {
    for (const row of rows) store.project(project_id).addProfile(row);
  } else {
    const message = "the store has no `addProfiles(project_id, rows)`; pass one as an option";
    throw new TuckboxError("bad_request", message, { path: "addProfiles" });
  }
}
