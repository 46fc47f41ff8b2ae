// A slow machine on demand. `TUCKBOX_CPU=6` runs the main thread of every page at a sixth of its speed. `TUCKBOX_LATE=400`
// delivers the files of a page, and its questions to the worker, 400 ms late. A test that reads before the state that
// it asserts fails then in every run. The DevTools protocol does not slow workers down: "Operation is only supported for
// pages, not workers".

const RATE = Number(process.env.TUCKBOX_CPU ?? 1);
const LATE = Number(process.env.TUCKBOX_LATE ?? 0);

/** Slows down the pages of a context, also those that a test opens later; returns the context. */
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

/** The rate holds as long as the session does, also after a navigation. */
async function throttled(page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: RATE });
}

/** In the page, before its own scripts: every question to a worker is asked so much later. */
function late(ms) {
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (...message) {
    setTimeout(() => postMessage.apply(this, message), ms);
  };
}
