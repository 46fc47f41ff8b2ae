// What answers the page's calls: a worker, or this thread if the inspector is embedded in another page.
import type { Answer, Ask, Told } from "./protocol.ts";

export interface Port {
  postMessage(ask: Ask): void;
  onmessage: ((event: MessageEvent<Answer | Told>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  terminate(): void;
}

/** Answers on this thread, without starting a script by URL. */
export function threadPort(): Port {
  let isLive = true;
  const say = (said: Answer | Told) => {
    if (isLive) port.onmessage?.(new MessageEvent("message", { data: said }));
  };
  const port: Port = {
    onmessage: null,
    onerror: null,
    postMessage(ask) {
      import("./methods.ts").then(
        ({ announceTo, answer }) => {
          announceTo(say);
          return answer(ask, say, () => isLive);
        },
        (thrown: unknown) => port.onerror?.(new ErrorEvent("error", { message: String(thrown) })),
      );
    },
    terminate() {
      isLive = false;
    },
  };
  return port;
}
