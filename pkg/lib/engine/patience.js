// Waiting for a store that is away.

/** Does `work` again while the store fails, for so long. */
export async function patiently(work, patience_ms, signal) {
  const end = Date.now() + patience_ms;
  for (let wait = 25; ; wait = Math.min(wait * 2, 1000)) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || signal?.aborted || Date.now() + wait > end) throw error;
      await pause(wait);
    }
  }
}

/** No answer, or no connection: that may pass. Tables that are not there do not come by themselves. */
function isPassing(error) {
  return error?.code === "store" && error.details?.reason !== "not_migrated";
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
