// What answers the page's calls: a worker, or this thread if the inspector is embedded in another page.
import type { MethodCall, MethodReply, ProjectChanged } from "./protocol.ts";

export interface Port {
  postMessage(ask: MethodCall): void;
  onmessage: ((event: MessageEvent<MethodReply | ProjectChanged>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  terminate(): void;
}

/** Answers on this thread, without starting a script by URL. */
export function threadPort(): Port {
  let isLive = true;
  const send = (message: MethodReply | ProjectChanged) => {
    if (isLive) port.onmessage?.(new MessageEvent("message", { data: message }));
  };
  const port: Port = {
    onmessage: null,
    onerror: null,
    postMessage(ask) {
      import("./methods.ts").then(
        ({ setNotifier, answerCall }) => {
          setNotifier(send);
          return answerCall(ask, send, () => isLive);
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
