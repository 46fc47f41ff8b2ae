// Runs beside the page's own scripts, in a world of its own, while a panel looks at the page: passes on what
// `tuckbox/devtools` says, and what the panel asks. It touches nothing of the page.
(() => {
  const ours = (message, from) => typeof message === "object" && message !== null && message.tuckbox === 1 && message.from === from;
  // a second bridge takes the place of the first
  globalThis.tuckboxBridge?.();
  const port = chrome.runtime.connect({ name: "page" });
  // workers have no window; their channel is heard by this origin alone
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
