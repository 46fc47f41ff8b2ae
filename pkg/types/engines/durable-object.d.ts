import type { Engine, EngineOptions } from "../engine.js";
import type { Worker, WorkerOptions } from "../worker.js";

/** The alarms of a Durable Object. */
export interface Alarms {
  getAlarm(): Promise<number | null>;
  setAlarm(at: number): Promise<void>;
  deleteAlarm(): Promise<void>;
}

/** What the engine of an object is made with. */
export type DurableObjectEngineOptions = Omit<EngineOptions, "store" | "onWrite"> & {
  /** The object's `ctx.storage`. */
  readonly storage: { get(keys: string[]): any; transaction(work: any): any } & Alarms;
  /** The worker that runs turns inside the object; none by default. */
  readonly worker?: Omit<WorkerOptions, "engine">;
  /** How often an object that waits for something wakes up; 5,000 by default. */
  readonly alarm_ms?: number;
  /** How soon after a write the object begins to work; 10 by default. */
  readonly wake_ms?: number;
};

/**
 * An engine, and a worker, inside a Durable Object. Every write of the engine sets an alarm; the object's `alarm()` calls
 * this one, which sets the next alarm before it works.
 */
export declare function durableObjectEngine(options: DurableObjectEngineOptions): {
  readonly engine: Engine;
  readonly worker: Worker | undefined;
  /** Sets an alarm for now, unless there is an earlier one. */
  wake(): Promise<void>;
  /** Does what is due, and runs turns until nothing is left. */
  alarm(): Promise<void>;
};
