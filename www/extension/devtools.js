// Adds the panel: the inspector, on the page that DevTools looks at.
chrome.devtools.panels.create("Tuckbox", "icon32.png", "panel.html");
