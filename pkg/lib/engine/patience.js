// Waiting for a store that is away.
import { sleep } from "../clock.js";

/** Does `work` again while the store fails, for so long by the clock. */
export async function patiently(work, { clock, patience_ms, signal }) {
  const end = clock.now() + patience_ms;
  for (let wait = 25; ; wait = Math.min(wait * 2, 1000)) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || signal?.aborted || clock.now() + wait > end) throw error;
      await sleep(clock, wait);
    }
  }
}

/** No answer, or no connection: that may pass. Tables that are not there do not come by themselves. */
function isPassing(error) {
  return error?.code === "store" && error.details?.reason !== "not_migrated";
}
