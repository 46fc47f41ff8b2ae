import type { ProfileRow } from "./cards.js";
import type { EngineOptions } from "./engine.js";
import type { Store } from "./store.js";

/** One rule of the contract of a store. */
export interface ContractCase {
  /** What it is about: `reads`, `isolation`, `atomicity`, `versions`, .. */
  readonly group: string;
  /** The rule, as a sentence. */
  readonly name: string;
  /** Resolves when the store keeps the rule, and rejects with an error that says what was found. */
  run(): Promise<void>;
}

export interface ContractOptions<Tested extends Store = Store> {
  /** Registers profiles, which no batch can; the store's own `addProfiles` by default. */
  readonly addProfiles?: (store: Tested, project_id: string, rows: readonly ProfileRow[]) => unknown;
  /** Called after every case. */
  readonly close?: (store: Tested) => unknown;
  /** How large the large cases are, for stores with limits. */
  readonly sizes?: {
    /** Cards in one batch; 2,000 by default. */
    readonly cards?: number;
    /** Cards in one box; 50,000 by default. */
    readonly card_ids?: number;
    /** Characters in one text; 300,000 by default. */
    readonly text?: number;
  };
}

/**
 * The contract of a store as cases for any test framework, or for none.
 *
 * `open` gives the store under test. It may be the same store every time: every case works in
 * projects of its own.
 *
 * @example
 * for (const { name, run } of storeContract(() => store)) {
 *   await run().catch((error) => console.error(name, error.message));
 * }
 */
export declare function storeContract<Tested extends Store>(
  open: () => Tested | PromiseLike<Tested>,
  options?: ContractOptions<Tested>,
): ContractCase[];

/**
 * Hands every case to a `test(name, run)` function: that of `node:test`, Deno, Bun, Vitest, ..
 *
 * @example
 * import { test } from "node:test";
 * testStore(test, "my store", () => new MyStore());
 */
export declare function testStore<Tested extends Store>(
  test: (name: string, run: () => Promise<void>) => unknown,
  label: string,
  open: () => Tested | PromiseLike<Tested>,
  options?: ContractOptions<Tested>,
): void;

/** What an engine is tested on. */
export type EngineHost = Pick<EngineOptions, "open" | "store">;

/**
 * The contract of an engine and its workers on a store, as cases: turns, tools, failures, batches, hosts beside
 * hosts. `host` may give the same store every time: every case works in a project of its own.
 */
export declare function engineContract(host: () => EngineHost | PromiseLike<EngineHost>): ContractCase[];

/**
 * Hands every case to a `test(name, run)` function.
 *
 * @example
 * testEngine(test, "my store", () => ({ open, store: new MyStore() }));
 */
export declare function testEngine(
  test: (name: string, run: () => Promise<void>) => unknown,
  label: string,
  host: () => EngineHost | PromiseLike<EngineHost>,
): void;
