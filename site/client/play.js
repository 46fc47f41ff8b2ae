// Runs an example on the package's own module, and shows its project in the inspector.

/** The modules that an example can import. */
const MODULES = {
  tuckbox: "play-module.js",
  "tuckbox/engine": "pkg/engine.js",
  "tuckbox/worker": "pkg/worker.js",
  "tuckbox/stores/kv": "pkg/stores/kv.js",
  "tuckbox/mask": "pkg/mask.js",
};

const shown = (value) => (typeof value === "string" ? value : value instanceof Error ? String(value) : JSON.stringify(value));

/** Runs the code of an example. The code before it in its section runs first, without its output. */
export async function runExample(example, at) {
  const output = example.querySelector(".output");
  output.hidden = false;
  output.textContent = "";
  example.dataset.state = "running";
  let isOwn = example.dataset.before === "";
  const print = (...values) => isOwn && output.append(`${values.map(shown).join(" ")}\n`);
  globalThis.playConsole = { ...console, log: print, info: print, warn: print, error: print, begin: () => (isOwn = true) };
  let opened;
  const remember = ({ detail }) => (opened = detail);
  addEventListener("tuckbox-open", remember);
  const code = `const console = globalThis.playConsole;${example.dataset.before}console.begin();\n${example.querySelector("textarea").value}`;
  const linked = code.replace(/^((?:const console = globalThis\.playConsole;)?import (?:.*? from )?)"([^"]+)"/gm, (whole, start, name) =>
    Object.hasOwn(MODULES, name) ? `${start}"${at(MODULES[name])}"` : whole,
  );
  const url = URL.createObjectURL(new Blob([linked], { type: "text/javascript" }));
  try {
    await import(url);
    example.dataset.state = "done";
  } catch (error) {
    isOwn = true;
    print(error);
    example.dataset.state = "failed";
  } finally {
    URL.revokeObjectURL(url);
    removeEventListener("tuckbox-open", remember);
  }
  output.hidden = output.textContent === "";
  if (opened !== undefined) await inspect(example.querySelector(".inspector"), at, { project: opened });
}

/** Shows a project or a log in the inspector. A page has one inspector, so it replaces that of another example. */
export async function inspect(place, at, content) {
  for (const other of document.querySelectorAll("tuckbox-inspector")) {
    other.parentElement.hidden = true;
    other.remove();
  }
  await import(at("pkg/inspector/inspector.js"));
  const element = document.createElement("tuckbox-inspector");
  element.dataset.theme = document.documentElement.dataset.theme;
  const opened = new Promise((resolve) => {
    for (const name of ["tuckbox-opened", "tuckbox-refused"]) element.addEventListener(name, resolve, { once: true });
  });
  place.replaceChildren(element);
  place.hidden = false;
  Object.assign(element, content);
  await opened;
}
