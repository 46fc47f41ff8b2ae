// Adds the panel: the inspector, on the page that DevTools looks at.
chrome.devtools.panels.create("Tuckbox", "", "panel.html");
