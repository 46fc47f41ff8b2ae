// The process of `Isolated`: it runs one action of `tuckbox lock`, and sends its result.
/** @import { Message, Task } from "./isolated.js" */
import { runAction } from "../cli/lock.js";
import { Session } from "../cli/session.js";
import { readyWith } from "../core.js";
import { messageOf } from "../error.js";
import { observeLimits } from "./limit.js";

/** @param {Message} message */
const send = (message) => process.send?.(message);

observeLimits((running) => send({ running: running ?? null }));
// the module compiles on other threads while the config is loaded; the action reports why it cannot
import("../../index.js").then(() => readyWith("lock")).catch(() => {});
// the command ended
process.once("disconnect", () => process.exit());
process.once("message", async (/** @type {Task} */ { action, names, values }) => {
  const session = new Session(process, values, false);
  try {
    const { value = null, view, ...result } = await runAction(session, action, names, values);
    send({ answer: { ...result, value, lines: (await view?.(value)) ?? [] } });
  } catch (error) {
    send({ error: messageOf(error) });
  } finally {
    await session.close();
  }
});
