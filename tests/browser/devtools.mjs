// Drives DevTools itself, which playwright does not. Its front end and panels are targets of the browser that evaluate
// expressions.
import { GUARD_MS } from "./guard.mjs";

/** Opens a panel of an extension in the DevTools of `page`; returns a function that evaluates in the panel. */
export async function openPanel(context, page, title) {
  const browser = await context.browser().newBrowserCDPSession();
  const answers = new Map();
  let last = 0;
  browser.on("Target.receivedMessageFromTarget", ({ message }) => {
    const { id, result, error } = JSON.parse(message);
    answers.get(id)?.({ result, error });
  });
  const find = async (what, fits, before = () => {}) => {
    for (const end = Date.now() + GUARD_MS; Date.now() < end; ) {
      await before();
      const { targetInfos } = await browser.send("Target.getTargets", { filter: [{}] });
      const found = targetInfos.find(fits);
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw new Error(`there is no ${what}`);
  };
  const attach = async ({ targetId }) => {
    const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: false });
    return async (expression) => {
      const id = (last += 1);
      const answered = new Promise((resolve) => answers.set(id, resolve));
      const params = { expression, awaitPromise: true, returnByValue: true };
      await browser.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify({ id, method: "Runtime.evaluate", params }) });
      const { result, error } = await answered;
      const wrong = error?.message ?? result.exceptionDetails?.exception?.description ?? result.exceptionDetails?.text;
      if (wrong !== undefined) throw new Error(`in DevTools: ${wrong}`);
      return result.result.value;
    };
  };

  const own = await context.newCDPSession(page);
  const { targetInfo } = await own.send("Target.getTargetInfo");
  const frontEnd = await attach(await browser.send("Target.openDevTools", { targetId: targetInfo.targetId }));
  const { url } = await find("DevTools page of the extension", (target) => /^chrome-extension:.*\/devtools\.html$/.test(target.url));
  const panel = `${new URL(url).protocol}//${new URL(url).host}${title}`;
  // the front end names panels of extensions like this; it ignores unknown panels
  const show = () =>
    frontEnd(`(async () => {
    const { InspectorView } = await import("./ui/legacy/legacy.js");
    await InspectorView.InspectorView.instance().showPanel(${JSON.stringify(panel)});
  })()`);
  return attach(await find("panel", (target) => target.type === "iframe" && target.url.endsWith("/panel.html"), show));
}
