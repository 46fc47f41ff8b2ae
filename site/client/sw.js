// Stores all files of the site on the first visit, and answers from them. `build.mjs` fills in the list.
const FILES = ["__FILES__"];
const CACHE = "tuckbox-__VERSION__";

addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(["./", ...FILES])));
  globalThis.skipWaiting();
});

addEventListener("activate", (event) => {
  const old = (names) => names.filter((name) => name.startsWith("tuckbox-") && name !== CACHE);
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(old(names).map((name) => caches.delete(name))))
      .then(() => globalThis.clients.claim()),
  );
});

addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || new URL(event.request.url).origin !== location.origin) return;
  event.respondWith(
    caches.open(CACHE).then(async (cache) => (await cache.match(event.request, { ignoreSearch: true })) ?? fetch(event.request)),
  );
});
