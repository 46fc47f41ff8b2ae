// Adds the panel: the inspector for the page that DevTools inspects.
chrome.devtools.panels.create("Tuckbox", "icon32.png", "panel.html");
