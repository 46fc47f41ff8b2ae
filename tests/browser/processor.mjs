// Measures the processor time of a page's threads, which does not depend on the load of the machine.
import { readdirSync, readFileSync } from "node:fs";

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // the process has ended, or the system has no such file
    return "";
  }
}

/** Returns how long the threads of a process have run, in ms: the first, those of workers, all. Works only on Linux. */
export function ran(pid) {
  const found = { page: 0, workers: 0, all: 0 };
  let threads = [];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    // as above
  }
  for (const thread of threads) {
    const time = Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0]) / 1e6;
    found.all += time;
    if (Number(thread) === pid) found.page += time;
    else if (read(`/proc/${pid}/task/${thread}/comm`).startsWith("DedicatedWorker")) found.workers += time;
  }
  return found;
}

/** Returns the processor time of every renderer process of the browser. */
async function renderers(browser) {
  const session = await browser.newBrowserCDPSession();
  try {
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    return new Map(processInfo.filter(({ type }) => type === "renderer").map(({ id }) => [id, ran(id)]));
  } finally {
    await session.detach();
  }
}

/** Starts counting; returns a function that reads the processor time since then, in ms. */
export async function counting(browser) {
  const before = await renderers(browser);
  return async () => {
    const sum = { page: 0, workers: 0, all: 0 };
    for (const [pid, now] of await renderers(browser)) {
      for (const part of Object.keys(sum)) sum[part] += now[part] - (before.get(pid)?.[part] ?? 0);
    }
    return sum;
  };
}

/**
 * Starts tracing the tasks of a page's thread; returns a function that reads the longest one, in wall-clock and in
 * processor time.
 */
export async function tracing(browser, page) {
  await browser.startTracing(page, { categories: ["disabled-by-default-devtools.timeline"] });
  return async () => {
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString("utf8"));
    const pages = new Set(
      traceEvents
        .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
        .map(({ pid, tid }) => `${pid} ${tid}`),
    );
    const tasks = traceEvents.filter(({ name, ph, pid, tid }) => name === "RunTask" && ph === "X" && pages.has(`${pid} ${tid}`));
    const most = (of) => Math.max(0, ...tasks.map((task) => (task[of] ?? 0) / 1000));
    return { wall: most("dur"), processor: most("tdur") };
  };
}
