// The contract of a store as tests that a host runs on its own store.
//
//   import { test } from "node:test";
//   import { testStore } from "tuckbox/testing";
//
//   testStore(test, "my store", () => new MyStore());
/** @import { Case, Register } from "./lib/contract/trial.js" */
/** @import { ProfileRow } from "./types/cards.js" */
import { atomicity, deletion, operations, versions } from "./lib/contract/commits.js";
import { Team } from "./lib/contract/engine/team.js";
import { teams } from "./lib/contract/engine/teams.js";
import { turns } from "./lib/contract/engine/turns.js";
import { freshness } from "./lib/contract/freshness.js";
import { concurrency, load } from "./lib/contract/load.js";
import { isolation, reads } from "./lib/contract/reads.js";
import { lists, rows } from "./lib/contract/rows.js";
import { fresh, Project } from "./lib/contract/trial.js";
import { json, kinds, profiles } from "./lib/contract/values.js";
import { TuckboxError } from "./lib/error.js";

const GROUPS = {
  reads,
  isolation,
  atomicity,
  versions,
  deletion,
  operations,
  json,
  kinds,
  profiles,
  rows,
  lists,
  freshness,
  load,
  concurrency,
};

const SIZES = { cards: 2000, cardIds: 50_000, text: 300_000 };

/**
 * Returns the cases. `open` returns the store under test, which can be the same each time: each case has its own
 * projects.
 *
 * @type {typeof import("./types/testing.js").storeContract}
 */
export function storeContract(open, { addProfiles, close, sizes } = {}) {
  if (typeof open !== "function") {
    throw new TuckboxError("bad_request", "`open` must be a function that returns the store under test", { path: "open" });
  }
  const register = /** @type {Register} */ (addProfiles ?? registered);
  /** @param {Case[1]} check */
  const run = (check) => async () => {
    const store = await open();
    /** @param {string} projectId */
    const named = (projectId) => new Project(store, register, projectId);
    try {
      await check({ project: named(fresh("project")), other: named(fresh("other")), named, sizes: { ...SIZES, ...sizes } });
    } finally {
      await close?.(store);
    }
  };
  return Object.entries(GROUPS).flatMap(([group, cases]) => cases.map(([name, check]) => ({ group, name, run: run(check) })));
}

/**
 * Passes each case to a `test(name, run)` function: that of node:test, Deno, Bun, Vitest, ..
 *
 * @type {typeof import("./types/testing.js").testStore}
 */
export function testStore(test, label, open, options) {
  for (const { name, run } of storeContract(open, options)) test(`${label}: ${name}`, run);
}

/**
 * Returns the contract of an engine on a store, as cases. `host` returns `{ open, store }`; the store can be the same
 * each time.
 *
 * @type {typeof import("./types/testing.js").engineContract}
 */
export function engineContract(host) {
  if (typeof host !== "function") {
    throw new TuckboxError("bad_request", "`host` must be a function that returns `{ open, store }`", { path: "host" });
  }
  /** @param {import("./lib/contract/engine/team.js").Case[1]} check */
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

/**
 * Passes each case of an engine to a `test(name, run)` function.
 *
 * @type {typeof import("./types/testing.js").testEngine}
 */
export function testEngine(test, label, host) {
  for (const { name, run } of engineContract(host)) test(`${label}: ${name}`, run);
}

/**
 * Registers profiles, with the method of the store.
 *
 * @param {any} store
 * @param {string} projectId
 * @param {readonly ProfileRow[]} rows
 */
async function registered(store, projectId, rows) {
  if (typeof store.addProfiles === "function") {
    await store.addProfiles(projectId, rows);
  } else if (typeof store.project === "function") {
    for (const row of rows) store.project(projectId).addProfile(row);
  } else {
    const message = "the store has no `addProfiles(projectId, rows)`; pass one as an option";
    throw new TuckboxError("bad_request", message, { path: "addProfiles" });
  }
}
