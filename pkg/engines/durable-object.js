// An engine and its worker in a Cloudflare Durable Object: one object per project, alarms instead of timers.
//
//   export class Project extends DurableObject {
//     #team = durableObjectEngine({ storage: this.ctx.storage, open, projectId: "demo", worker: { model, tools } });
//     fetch = async (request) => Response.json(await this.#team.engine.dispatch(await request.json()));
//     alarm = () => this.#team.alarm();
//   }
/** @import { Engine, LogEntry } from "../types/engine.js" */
import { engine } from "../engine.js";
import { messageOf, TuckboxError } from "../lib/error.js";
import { own } from "../lib/options.js";
import { durableObjectStore } from "../stores/durable-object.js";
import { worker } from "../worker.js";

const DEFAULTS = { alarmMs: 5000, wakeMs: 10, log: /** @type {(entry: LogEntry) => void} */ (() => {}) };

/**
 * Returns the engine of one object. Every write sets an alarm; `alarm()` makes calls that are due and runs turns.
 *
 * @type {typeof import("../types/engines/durable-object.js").durableObjectEngine}
 */
export function durableObjectEngine(given) {
  const {
    storage,
    worker: workerOptions,
    alarmMs,
    wakeMs,
    log,
    ...options
  } = /** @type {typeof DEFAULTS & typeof given} */ (own({ ...DEFAULTS, ...given }));
  if (typeof storage?.setAlarm !== "function")
    throw new TuckboxError("bad_request", "`storage` is missing: pass the object's `ctx.storage`", { path: "storage" });
  const wake = async () => {
    const at = Date.now() + wakeMs;
    const set = await storage.getAlarm();
    if (set === null || set > at) await storage.setAlarm(at);
  };
  let isWorking = false;
  const onWrite = () => {
    // a running alarm sees the write
    if (!isWorking) wake().catch((error) => log({ level: "error", event: "alarm_not_set", error: messageOf(error) }));
  };
  const team = engine({ store: durableObjectStore(storage), log, ...options, onWrite });
  const crew = workerOptions === undefined ? undefined : worker({ engine: team, log, ...workerOptions });

  /** Does the work. It sets the next alarm first, so that an evicted object wakes up again. */
  async function alarm() {
    await storage.setAlarm(Date.now() + alarmMs);
    isWorking = true;
    try {
      for (;;) {
        await team.tick();
        if (crew === undefined || (await crew.step()) === 0) break;
      }
      await team.send();
    } finally {
      isWorking = false;
    }
    if (await isAtRest(team)) await storage.deleteAlarm();
  }

  return { engine: team, worker: crew, wake, alarm };
}

/**
 * Returns true if nothing runs, waits or must be sent, so that no alarm is needed before the next write.
 *
 * @param {Engine} team
 */
async function isAtRest(team) {
  const { agents, queued, batches } = /** @type {any} */ (await team.state());
  const { messages } = await team.look("outbox", { limit: 1 });
  return (
    queued.length + batches.length + messages.length === 0 &&
    agents.every((/** @type {{ status: string }} */ { status }) => status === "idle") &&
    (await team.rows.pending(1)).length === 0
  );
}
