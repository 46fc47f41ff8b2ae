// A content script in an isolated world. While a panel inspects the page, it relays the messages of `tuckbox/devtools`
// and of the panel. It does not change the page.
(() => {
  const ours = (message, from) => typeof message === "object" && message !== null && message.tuckbox === 1 && message.from === from;
  // a second bridge replaces the first
  globalThis.tuckboxBridge?.();
  const port = chrome.runtime.connect({ name: "page" });
  // workers have no window; only this origin receives the messages of the channel
  const channel = new BroadcastChannel("tuckbox-devtools");
  const pass = (message) => {
    if (ours(message, "page")) port.postMessage(message);
  };
  const hear = ({ source, data }) => {
    if (source === window) pass(data);
  };
  const leave = () => {
    window.removeEventListener("message", hear);
    channel.close();
    port.disconnect();
  };
  window.addEventListener("message", hear);
  channel.onmessage = ({ data }) => pass(data);
  port.onMessage.addListener((message) => {
    if (!ours(message, "panel")) return;
    window.postMessage(message, "/");
    channel.postMessage(message);
  });
  port.onDisconnect.addListener(leave);
  globalThis.tuckboxBridge = leave;
})();
