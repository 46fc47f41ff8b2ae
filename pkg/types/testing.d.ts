import type { ProfileRow } from "./cards.js";
import type { EngineOptions } from "./engine.js";
import type { Store } from "./store.js";

/** One rule of the contract of a store. */
export interface ContractCase {
  /** The topic: `reads`, `isolation`, `atomicity`, `versions`, .. */
  readonly group: string;
  /** The rule as a sentence. */
  readonly name: string;
  /** Resolves if the store follows the rule. Rejects with an error that describes the difference. */
  run(): Promise<void>;
}

export interface ContractOptions<Tested extends Store = Store> {
  /** Registers profiles. The method `addProfiles` of the store by default. */
  readonly addProfiles?: (store: Tested, projectId: string, rows: readonly ProfileRow[]) => unknown;
  /** Called after every case. */
  readonly close?: (store: Tested) => unknown;
  /** The sizes of the large cases, for stores with limits. */
  readonly sizes?: {
    /** Cards in one batch: 2,000 by default. */
    readonly cards?: number;
    /** Cards in one box: 50,000 by default. */
    readonly cardIds?: number;
    /** Characters in one string: 300,000 by default. */
    readonly text?: number;
  };
}

/**
 * Returns the contract of a store as test cases for any framework.
 *
 * `open` returns the store under test. It can return the same store every time, because every case uses
 * separate projects.
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
 * Passes every case to a function `test(name, run)`, such as that of `node:test`, Deno, Bun or Vitest.
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

/** The host of a tested engine. */
export type EngineHost = Pick<EngineOptions, "open" | "store">;

/**
 * Returns the contract of an engine and its workers as test cases: turns, tools, failures, batches and several
 * hosts. `host` can return the same store every time, because every case uses a separate project.
 */
export declare function engineContract(host: () => EngineHost | PromiseLike<EngineHost>): ContractCase[];

/**
 * Passes every case to a function `test(name, run)`.
 *
 * @example
 * testEngine(test, "my store", () => ({ open, store: new MyStore() }));
 */
export declare function testEngine(
  test: (name: string, run: () => Promise<void>) => unknown,
  label: string,
  host: () => EngineHost | PromiseLike<EngineHost>,
): void;
