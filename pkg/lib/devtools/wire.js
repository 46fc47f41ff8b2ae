// How a page and the panel hear each other: messages of the window, which the extension's script in the
// page passes on, or, where there is no window, a channel that only this origin hears.

/** The version of the messages; others are not understood. */
export const PROTOCOL = 1;

const CHANNEL = "tuckbox-devtools";

/** Calls `take` with every message of a panel. */
export function wire(take) {
  const heard = (data) => {
    if (isObject(data) && data.tuckbox === PROTOCOL && data.from === "panel") take(data);
  };
  const { window } = globalThis;
  if (window !== undefined && window === globalThis && typeof window.postMessage === "function") {
    // another window may write to this one: only this one counts
    const listen = ({ source, data }) => {
      if (source === window) heard(data);
    };
    window.addEventListener("message", listen);
    return {
      where: "page",
      say: (message) => window.postMessage(message, "/"),
      close: () => window.removeEventListener("message", listen),
    };
  }
  const channel = new BroadcastChannel(CHANNEL);
  // nobody should wait for a panel before he goes home
  channel.unref?.();
  channel.onmessage = ({ data }) => heard(data);
  return { where: "worker", say: (message) => channel.postMessage(message), close: () => channel.close() };
}

export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
