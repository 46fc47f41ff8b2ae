// The first page of a local server. It has no data: it exchanges the token of the URL for a cookie.

/** The page. `{home}` is the path to open then. */
export const ENTRANCE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="color-scheme" content="light dark" />
    <title>Tuckbox</title>
    <script type="module" src="/entrance.js"></script>
  </head>
  <body data-home="{home}">
    <p hidden>Access denied. Open the URL that the command printed; it works once. To get a new one, start the command again.</p>
    <noscript>This page needs JavaScript.</noscript>
  </body>
</html>
`;

/** The script of the page. */
export const ENTRANCE_SCRIPT = `const token = location.hash.slice(1);
// the token leaves the history of the browser
history.replaceState(null, "", "/");
const response = await fetch("/session", { method: "POST", body: token }).catch(() => undefined);
if (response?.ok) location.replace(document.body.dataset.home);
else document.querySelector("p").hidden = false;
`;
