// The script of every page: theme, search, examples, logs, and the files for reading without a network.
const up = document.documentElement.dataset.up;
const at = (path) => new URL(`${up}/${path}`, document.baseURI).href;

const theme = document.querySelector("#theme");
const THEMES = ["", "light", "dark"];
const setTheme = (name) => {
  document.documentElement.dataset.theme = name;
  for (const element of document.querySelectorAll("tuckbox-inspector")) element.dataset.theme = name;
};
setTheme(localStorage.getItem("theme") ?? "");
theme.addEventListener("click", () => {
  const next = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length];
  localStorage.setItem("theme", next);
  setTheme(next);
});

// the search is loaded with its first use
const field = document.querySelector("#search");
const found = document.querySelector("#found");
let searching;
const load = () =>
  (searching ??= Promise.all([import(at("minisearch.js")), fetch(at("search.json")).then((file) => file.json())]).then(
    ([{ default: MiniSearch }, sections]) => {
      const index = new MiniSearch({
        fields: ["title", "text", "page"],
        storeFields: ["title", "page", "url"],
        searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.1, combineWith: "AND" },
      });
      index.addAll(sections);
      return index;
    },
  ));
field.addEventListener("focus", load, { once: true });
field.addEventListener("input", async () => {
  const index = await load();
  const hits = field.value.trim() === "" ? [] : index.search(field.value).slice(0, 12);
  found.replaceChildren(
    ...hits.map(({ title, page, url }) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = at(url);
      link.textContent = title === page ? title : `${page}: ${title}`;
      item.append(link);
      return item;
    }),
  );
  found.hidden = hits.length === 0;
});
field.addEventListener("keydown", (event) => {
  if (event.key === "Escape") found.hidden = true;
  if (event.key === "Enter") found.querySelector("a")?.click();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || /^(?:INPUT|TEXTAREA)$/.test(document.activeElement.tagName) || document.activeElement.shadowRoot !== null)
    return;
  event.preventDefault();
  field.focus();
});

// examples are loaded when one is run
for (const button of document.querySelectorAll(".play .run")) button.addEventListener("click", () => run(button.closest(".play")));
for (const text of document.querySelectorAll(".play textarea"))
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run(text.closest(".play"));
  });
async function run(example) {
  const { runExample } = await import(at("play.js"));
  await runExample(example, at);
}

const log = document.querySelector("#log");
const drop = document.querySelector("#drop");
const show = async (file) => {
  if (file === undefined) return;
  const { inspect } = await import(at("play.js"));
  await inspect(document.querySelector("#log-inspector"), at, { snapshot: await file.text() });
};
log?.addEventListener("change", () => show(log.files[0]));
drop?.addEventListener("dragover", (event) => event.preventDefault());
drop?.addEventListener("drop", (event) => {
  event.preventDefault();
  show(event.dataTransfer.files[0]);
});

// narrow pages start with closed navigation
if (matchMedia("(width < 60rem)").matches) document.querySelector(".pages details")?.removeAttribute("open");

addEventListener("load", () => navigator.serviceWorker?.register(at("sw.js"), { type: "module" }).catch(() => {}));
