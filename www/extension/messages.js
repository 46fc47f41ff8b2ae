// Checks the messages between page and panel; everything else is dropped.
const PROTOCOL = 1;
const PAGE = ["here", "hello", "event", "answer", "bye"];
const PANEL = ["who", "read", "commit"];

export function fromPage(message) {
  return is(message, "page", PAGE) && typeof message.id === "string" && message.id.length <= 64;
}

export function fromPanel(message) {
  return is(message, "panel", PANEL);
}

function is(message, from, types) {
  return typeof message === "object" && message !== null && message.tuckbox === PROTOCOL && message.from === from && types.includes(message.type);
}
