// A host of the component in Node: jco transpiles the component to a JavaScript module, and the host passes its store.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { transpileBytes } from "@bytecodealliance/jco-transpile";

/** Transpiles a component. Returns the files of the module. */
export async function transpiled(bytes, options = {}) {
  return (await transpileBytes(bytes, { name: "tuckbox", instantiation: "async", noTypescript: true, ...options })).files;
}

/** Transpiles a component. Returns a function that starts an instance with a store. */
export async function load(path) {
  const bytes = await readFile(path);
  const files = await transpiled(bytes);
  const folder = mkdtempSync(join(tmpdir(), "tuckbox-component-"));
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    const { instantiate } = await import(pathToFileURL(join(folder, "tuckbox.js")).href);
    const modules = new Map();
    const module = async (name) => {
      if (!modules.has(name)) modules.set(name, await WebAssembly.compile(files[name]));
      return modules.get(name);
    };
    const start = async (store = none) => {
      const found = await instantiate(module, { "tuckbox:core/store": store, "tuckbox:core/types": {} });
      return { steps: found.steps, project: found.project, operations: found.operations };
    };
    return { bytes, start };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const missing = () => {
  throw { code: "store", path: "", message: "this host has no store", details: "{}" };
};
const none = { read: missing, commit: missing };

/** Returns the error of a failed call as a plain object, with the code of the wire format. */
export function errorOf(thrown) {
  // jco throws the record, or an error with the record as its payload
  const error = thrown?.payload ?? thrown;
  if (typeof error?.code !== "string") throw thrown;
  return { code: error.code.replaceAll("-", "_"), path: error.path, message: error.message, details: JSON.parse(error.details) };
}
