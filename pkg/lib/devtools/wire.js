// Messages between a page and the panel. In a page they are messages of the window, which the script of the extension
// forwards. In a worker they use a channel of the same origin.

/**
 * A message of the panel.
 *
 * @typedef {{ type: string, to?: string, ask?: number, body?: unknown }} PanelMessage
 */

/** The version of the messages; those of other versions are ignored. */
export const PROTOCOL = 1;

const CHANNEL = "tuckbox-devtools";

/**
 * Calls `take` with every message of a panel.
 *
 * @param {(message: PanelMessage) => void} take
 */
export function wire(take) {
  /** @param {any} data */
  const heard = (data) => {
    if (isObject(data) && data.tuckbox === PROTOCOL && data.from === "panel") take(data);
  };
  const { window } = globalThis;
  if (window !== undefined && window === globalThis && typeof window.postMessage === "function") {
    // other windows can post to this one: their messages are ignored
    /** @param {MessageEvent} event */
    const listen = ({ source, data }) => {
      if (source === window) heard(data);
    };
    window.addEventListener("message", listen);
    return {
      where: "page",
      /** @param {object} message */
      send: (message) => window.postMessage(message, "/"),
      close: () => window.removeEventListener("message", listen),
    };
  }
  const channel = new BroadcastChannel(CHANNEL);
  // in Node, an open channel must not keep the process alive
  /** @type {any} */ (channel).unref?.();
  channel.onmessage = ({ data }) => heard(data);
  return {
    where: "worker",
    /** @param {object} message */
    send: (message) => channel.postMessage(message),
    close: () => channel.close(),
  };
}

/** @param {any} value */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
