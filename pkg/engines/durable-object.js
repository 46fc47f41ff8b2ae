// An engine and its worker inside a Cloudflare Durable Object: one object a project, alarms in place of timers.
//
//   export class Project extends DurableObject {
//     #team = durableObjectEngine({ storage: this.ctx.storage, open, project_id: "demo", worker: { model, tools } });
//     fetch = async (request) => Response.json(await this.#team.engine.dispatch(await request.json()));
//     alarm = () => this.#team.alarm();
//   }
import { engine } from "../engine.js";
import { TuckboxError, messageOf } from "../lib/error.js";
import { durableObjectStore } from "../stores/durable-object.js";
import { worker } from "../worker.js";

const DEFAULTS = { storage: undefined, worker: undefined, alarm_ms: 5000, wake_ms: 10, log: () => {} };

/** The engine of one object. Every write sets an alarm; `alarm()` does what is due and runs turns. */
export function durableObjectEngine(given) {
  const { storage, worker: crewOptions, alarm_ms, wake_ms, log, ...options } = { ...DEFAULTS, ...given };
  if (typeof storage?.setAlarm !== "function") throw new TuckboxError("bad_request", "`storage` is missing: pass the object's `ctx.storage`", { path: "storage" });
  const wake = async () => {
    const at = Date.now() + wake_ms;
    const set = await storage.getAlarm();
    if (set === null || set > at) await storage.setAlarm(at);
  };
  let isWorking = false;
  const onWrite = () => {
    // what is written while an alarm works is seen by it
    if (!isWorking) wake().catch((error) => log({ level: "error", event: "alarm_not_set", error: messageOf(error) }));
  };
  const team = engine({ store: durableObjectStore(storage), log, ...options, onWrite });
  const crew = crewOptions === undefined ? undefined : worker({ engine: team, log, ...crewOptions });

  /** Sets the next alarm before it works: an object that is evicted in between is woken again. */
  async function alarm() {
    await storage.setAlarm(Date.now() + alarm_ms);
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

/** Nothing runs, waits or is to be sent: nobody has to wake up before something is written. */
async function isAtRest(team) {
  const { agents, queued, batches } = await team.state();
  const { messages } = await team.look("outbox", { limit: 1 });
  return queued.length + batches.length + messages.length === 0 && agents.every(({ status }) => status === "idle") && (await team.rows.pending(1)).length === 0;
}
