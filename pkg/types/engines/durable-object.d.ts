import type { Engine, EngineOptions } from "../engine.js";
import type { Worker, WorkerOptions } from "../worker.js";

/** The alarms of a Durable Object. */
export interface Alarms {
  getAlarm(): Promise<number | null>;
  setAlarm(at: number): Promise<void>;
  deleteAlarm(): Promise<void>;
}

/** Options of a Durable Object's engine. */
export type DurableObjectEngineOptions = Omit<EngineOptions, "store" | "onWrite"> & {
  /** The object's `ctx.storage`. */
  readonly storage: { get(keys: string[]): any; transaction(work: any): any } & Alarms;
  /** The worker that runs turns inside the object. None by default. */
  readonly worker?: Omit<WorkerOptions, "engine">;
  /** The interval between two alarms while work is pending: 5,000 by default. */
  readonly alarmMs?: number;
  /** The delay between a write and the next alarm: 10 by default. */
  readonly wakeMs?: number;
};

/**
 * An engine and a worker inside a Durable Object. Every write of the engine sets an alarm. The object's `alarm()` calls
 * `alarm()` of this one, which sets the next alarm before it works.
 */
export declare function durableObjectEngine(options: DurableObjectEngineOptions): {
  readonly engine: Engine;
  readonly worker: Worker | undefined;
  /** Sets an alarm for now, unless an earlier one is set. */
  wake(): Promise<void>;
  /** Runs due calls and turns until none is left. */
  alarm(): Promise<void>;
};
