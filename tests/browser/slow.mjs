// Simulates a slow machine. `TUCKBOX_CPU=6` runs the main thread of every page at a sixth of its speed.
// `TUCKBOX_LATE=400` delays the files of a page, and its calls to the worker, by 400 ms. A test that reads before the
// state that it asserts then fails in every run. The DevTools protocol cannot slow down workers: "Operation is only
// supported for pages, not workers". Chromium keeps a processor busy for each slow process, also while its pages do
// nothing, so the tab of no test is not slow.

const RATE = Number(process.env.TUCKBOX_CPU ?? 1);
const LATE = Number(process.env.TUCKBOX_LATE ?? 0);

/** Slows down the pages of a context, including those opened later; returns the context. */
export async function slowed(context) {
  if (LATE > 0) {
    await context.addInitScript(late, LATE);
    await context.route("**/assets/**", (route) => setTimeout(() => void route.continue().catch(() => {}), LATE));
  }
  if (RATE > 1) {
    const newPage = context.newPage.bind(context);
    context.newPage = async () => {
      const page = await newPage();
      await throttled(page);
      return page;
    };
    for (const page of context.pages()) await throttled(page);
  }
  return context;
}

/** The sessions that set the rates of pages. A rate lasts as long as its session, including navigations. */
const sessions = new WeakMap();

/** Slows down the process of a page, or restores its speed. */
export async function throttled(page, rate = RATE) {
  if (RATE <= 1) return;
  if (!sessions.has(page)) sessions.set(page, await page.context().newCDPSession(page));
  await sessions.get(page).send("Emulation.setCPUThrottlingRate", { rate });
}

/** Runs in the page before its scripts: delays every call to a worker. */
function late(ms) {
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (...message) {
    setTimeout(() => postMessage.apply(this, message), ms);
  };
}
