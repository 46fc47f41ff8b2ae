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

/** Runs an example and shows its project. */
export async function runExample(example, at) {
  const output = example.querySelector(".output");
  output.hidden = false;
  output.textContent = "";
  example.dataset.state = "running";
  const opened = example.dataset.call === undefined ? await runProgram(example, output, at) : await runCall(example, output, at);
  output.hidden = output.textContent === "";
  if (opened !== undefined) await inspect(example.querySelector(".inspector"), at, contentOf(opened));
}

/** Returns what the inspector opens: a copy of a store in memory with its newest box, or the store itself. */
function contentOf(opened) {
  if (opened.store.export === undefined) return { project: opened };
  const text = opened.store.export();
  const box_id = JSON.parse(text)
    .projects.find(({ project_id }) => project_id === opened.projectId)
    ?.boxes?.at(-1)?.box_id;
  return { snapshot: `{"looking":${JSON.stringify(box_id === undefined ? {} : { target: { kind: "box", box_id } })},${text.slice(1)}` };
}

/** Runs the call of an operation on the project of its sample, and prints the answer. */
async function runCall(example, output, at) {
  let opened;
  try {
    const { jsonText, memoryStore, open } = await import(at("pkg/web.js"));
    const { recipes, rows, samples } = await fetch(at("samples.json")).then((file) => file.json());
    const { now, project: shared } = samples[example.dataset.call];
    const lists = Object.entries(shared).map(([name, list]) => [name, Array.isArray(list) ? list.map((position) => rows[position]) : list]);
    const store = memoryStore({ projects: [Object.fromEntries(lists)] });
    const options = { projectId: shared.project_id, recipes };
    opened = { store, ...options };
    const project = await open(store, options);
    const preview = await project.preview(jsonText(example.querySelector("textarea").value), { now });
    output.textContent = JSON.stringify(JSON.parse(preview.valueText), undefined, 2);
    await preview.commit();
    example.dataset.state = "done";
  } catch (error) {
    output.textContent = String(error);
    example.dataset.state = "failed";
  }
  return opened;
}

/** Runs the code of an example. The code before it in its section runs first, without its output. */
async function runProgram(example, output, at) {
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
  return opened;
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
