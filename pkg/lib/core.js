// The one instance of the core, and what happens when it traps.
//
// A trap leaves an instance in a state that nobody knows. So it is never used again: a new one
// takes its place at once, and whatever was resident in the old one is read again when needed.
import init, * as glue from "../generated/core.js";
import { TuckboxError, messageOf } from "./error.js";
import { parseJson } from "./json.js";
import { version } from "./version.js";

let loading;
let broken = false;

/** Counts instances. What was made in an earlier one is gone. */
let generation = 0;

/** Starts the core, once; `source` says where the module is. */
export function load(source) {
  loading ??= start(source).catch((cause) => {
    loading = undefined;
    const message = `the WebAssembly module could not be loaded: ${messageOf(cause)}`;
    throw new TuckboxError("load", message, { cause });
  });
  return loading;
}

async function start(source) {
  const given = await source();
  const isBytes = ArrayBuffer.isView(given) || given instanceof ArrayBuffer;
  const module = isBytes ? await WebAssembly.compile(given) : given;
  // the glue's own way asks for `Request`, and Node then loads all of fetch: longer than compiling
  if (module instanceof WebAssembly.Module) glue.initSync({ module });
  else await init({ module_or_path: module });
  announce();
}

/** Calls into the core. Its own errors come out as they are; anything else was a trap. */
export function enter(work) {
  if (broken) replace();
  try {
    return work(glue);
  } catch (thrown) {
    if (typeof thrown === "string") throw errorOf(thrown);
    if (thrown instanceof TuckboxError) throw thrown;
    broken = true;
    try {
      replace();
    } catch {
      // the next call tries again
    }
    const message = `the core stopped and was replaced: ${messageOf(thrown)}`;
    throw new TuckboxError("trap", message, { cause: thrown });
  }
}

function replace() {
  generation += 1;
  try {
    glue.__wbg_reset_state();
  } catch (cause) {
    throw new TuckboxError("trap", `the core could not be replaced: ${messageOf(cause)}`, { cause });
  }
  broken = false;
}

function errorOf(text) {
  const { code, path, message, details } = parseJson(text);
  return new TuckboxError(code, message, { path, details });
}

/** An object inside the core: there until it is freed or its instance is replaced. */
export class Resident {
  #what;
  #object;
  #generation = generation;

  constructor(what, object) {
    this.#what = what;
    this.#object = object;
  }

  /** True once the instance it lived in is gone. */
  get isLost() {
    return this.#generation !== generation;
  }

  get isThere() {
    return this.#object !== undefined && !this.isLost;
  }

  get object() {
    if (this.#object === undefined) throw new TuckboxError("bad_request", `the ${this.#what} was disposed`);
    if (this.isLost) throw new TuckboxError("trap", `the ${this.#what} was lost when the core was replaced`);
    return this.#object;
  }

  free() {
    if (this.isThere) this.#object.free();
    this.#object = undefined;
  }
}

/** Two installed copies work, but each keeps its own instance in memory: say so early. */
function announce() {
  const copies = (globalThis[Symbol.for("tuckbox.copies")] ??= []);
  copies.push(version);
  if (copies.length > 1) {
    console.warn(`tuckbox: ${copies.length} copies are loaded (${copies.join(", ")}); each has its own memory`);
  }
}
