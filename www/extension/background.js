// Relays messages between a panel and the page it inspects. It reads and stores nothing. The panel names a tab, this
// script injects the bridge into that tab and passes messages in both directions.
import { fromPage, fromPanel } from "./messages.js";

/** The ports of panels and pages, by tab id. */
const panels = new Map();
const pages = new Map();

chrome.runtime.onConnect.addListener((port) => {
  const tab = panelTab(port);
  if (tab !== undefined) join(tab, port);
  else if (port.name === "page" && port.sender?.tab?.id !== undefined) arrive(port.sender.tab.id, port);
  else port.disconnect();
});

/** Returns the tab that a panel names. Scripts in pages cannot connect as a panel. */
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
    notify(tab, "gone");
  });
  notify(tab, "joined");
}

/** Injects the bridge into a tab if the extension has permission. */
async function enter(tab) {
  try {
    await chrome.scripting.executeScript({ target: { tabId: tab }, files: ["bridge.js"] });
  } catch {
    // no such tab, no page in it, or no permission for the site
    notify(tab, "denied");
  }
}

function notify(tab, state) {
  panels.get(tab)?.postMessage({ tuckbox: 1, from: "bridge", state });
}

// a reloaded page has lost its bridge
chrome.tabs.onUpdated.addListener((tab, { status }) => {
  if (status === "complete" && panels.has(tab)) void enter(tab);
});

// a click on the icon grants access to a site other than localhost
chrome.action.onClicked.addListener(({ id }) => {
  if (id !== undefined && panels.has(id)) void enter(id);
});
