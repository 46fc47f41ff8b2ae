// The pipe between a panel and the page it looks at. It reads nothing and keeps nothing: a panel asks for a
// tab, the bridge is put into that tab, and what one side says the other hears.
import { fromPage, fromPanel } from "./messages.js";

/** Both ends by the number of the tab. */
const panels = new Map();
const pages = new Map();

chrome.runtime.onConnect.addListener((port) => {
  const tab = panelTab(port);
  if (tab !== undefined) join(tab, port);
  else if (port.name === "page" && port.sender?.tab?.id !== undefined) arrive(port.sender.tab.id, port);
  else port.disconnect();
});

/** The tab that a panel asks for; a script in a page cannot pass for a panel. */
function panelTab({ name, sender }) {
  if (sender?.url?.startsWith(chrome.runtime.getURL("panel.html")) !== true) return undefined;
  const tab = /^panel:(\d+)$/.exec(name)?.[1];
  return tab === undefined ? undefined : Number(tab);
}

function join(tab, port) {
  panels.get(tab)?.disconnect();
  panels.set(tab, port);
  port.onMessage.addListener((message) => {
    if (fromPanel(message)) pages.get(tab)?.postMessage(message);
  });
  port.onDisconnect.addListener(() => {
    if (panels.get(tab) !== port) return;
    panels.delete(tab);
    pages.get(tab)?.disconnect();
    pages.delete(tab);
  });
  void enter(tab);
}

function arrive(tab, port) {
  const panel = panels.get(tab);
  if (panel === undefined) {
    port.disconnect();
    return;
  }
  pages.get(tab)?.disconnect();
  pages.set(tab, port);
  port.onMessage.addListener((message) => {
    if (fromPage(message)) panels.get(tab)?.postMessage(message);
  });
  port.onDisconnect.addListener(() => {
    if (pages.get(tab) !== port) return;
    pages.delete(tab);
    tell(tab, "gone");
  });
  tell(tab, "joined");
}

/** Puts the bridge into a tab, where that is allowed. */
async function enter(tab) {
  try {
    await chrome.scripting.executeScript({ target: { tabId: tab }, files: ["bridge.js"] });
  } catch {
    // no tab, no page, or a site that nobody allowed
    tell(tab, "denied");
  }
}

function tell(tab, state) {
  panels.get(tab)?.postMessage({ tuckbox: 1, from: "bridge", state });
}

// a page that was loaded again has no bridge any more
chrome.tabs.onUpdated.addListener((tab, { status }) => {
  if (status === "complete" && panels.has(tab)) void enter(tab);
});

// a click lets the panel look at a site that is not one of this machine
chrome.action.onClicked.addListener(({ id }) => {
  if (id !== undefined && panels.has(id)) void enter(id);
});
