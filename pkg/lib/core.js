// The one instance of the core, and what happens when it traps.
//
// A trap leaves an instance in a state that nobody knows. So it is never used again: a new one
// takes its place at once, and whatever was resident in the old one is read again when needed.
//
// The module comes in parts: the core first, each other part when a call needs it. A part shares
// the memory and the table of the core's instance, so what is resident stays where it is.
import init, * as glue from "../generated/core.js";
import { TuckboxError, messageOf } from "./error.js";
import { small } from "./json.js";
import { decoder } from "./text.js";
import { version } from "./version.js";

let source;
let loading;
let broken = false;

/** The parts beside the core that are linked, and those on their way. */
const linked = new Map();
const coming = new Map();

/** Counts instances. What was made in an earlier one is gone. */
let generation = 0;

/** Where the core comes from when a store needs it before a project was opened. */
let offered;

/** Says where the core comes from; the entries do, when they are imported. */
export function offer(from) {
  offered ??= from;
}

/** Waits for the core, and starts it where no project was opened yet. */
export function ready() {
  return loading ?? load(knownSource());
}

/** Where the core came from or would come from, for whoever was not told. */
export function knownSource() {
  const known = source ?? offered;
  if (known === undefined) {
    throw new TuckboxError("load", "the store needs the core: import `tuckbox` (or `tuckbox/web`), or open a project first");
  }
  return known;
}

/** As `ready`, and waits for a part. */
export async function readyWith(part) {
  await ready();
  if (!linked.has(part)) await loadParts([part]);
}

/** Starts the core, once; `from` gives for the name of a part where its module is. */
export function load(from) {
  loading ??= start(from).catch((cause) => {
    loading = undefined;
    throw unloadable("the WebAssembly module", cause);
  });
  return loading;
}

async function start(from) {
  const given = from("core");
  const module = await compiled(typeof given?.then === "function" ? await given : given);
  // the glue's own way asks for `Request`, and Node then loads all of fetch: longer than compiling
  if (module instanceof WebAssembly.Module) glue.initSync({ module });
  else await init({ module_or_path: module });
  source = from;
  prepare();
  announce();
}

/** What every new instance is told. */
function prepare() {
  memory = glue.instance_exports().memory;
  if (decoder !== undefined) glue.decode_with(decoder);
}

let memory;
let bytes = new Uint8Array();
let words = new Uint32Array();

/** The memory of the core in bytes and in words. Both are good until it grows. */
export function views() {
  if (bytes.buffer !== memory.buffer) {
    bytes = new Uint8Array(memory.buffer);
    words = new Uint32Array(memory.buffer);
  }
  return { bytes, words };
}

/** Loads parts and links them; whoever asks for the same part waits for the same download. */
function loadParts(names) {
  return Promise.all(names.map((name) => {
    if (!coming.has(name)) coming.set(name, loadPart(name).finally(() => coming.delete(name)));
    return coming.get(name);
  }));
}

async function loadPart(name) {
  try {
    const module = await compiled(await source(name));
    if (broken) replace();
    attach(module);
    linked.set(name, module);
    tellLinked();
  } catch (cause) {
    throw unloadable(`the part \`${name}\` of the WebAssembly module`, cause);
  }
}

/** A module from what it may be given as: itself, its bytes, a response, an address. */
async function compiled(given) {
  // a module of another realm is no instance of our class
  if (Object.prototype.toString.call(given) === "[object WebAssembly.Module]") return given;
  if (ArrayBuffer.isView(given) || given instanceof ArrayBuffer) return WebAssembly.compile(given);
  const response = typeof given?.arrayBuffer === "function" ? given : await fetch(given);
  if (!response.ok) throw new Error(`\`${response.url}\` answered ${response.status}`);
  // a server that does not know the type of the file costs a little time, and nothing else
  const streams = response.headers.get("content-type")?.startsWith("application/wasm");
  return streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** Links all parts that were loaded to a new instance. */
function link() {
  for (const module of linked.values()) attach(module);
  tellLinked();
}

/** Gives a part what it imports of the core: functions by their slot in the table, the rest by name. */
function attach(module) {
  const exports = glue.instance_exports();
  const wanted = WebAssembly.Module.imports(module).map(({ kind, name }) => [
    name,
    kind === "function" ? exports.table.get(Number(name)) : exports[name],
  ]);
  // it fills its own slots, and has nothing to say itself
  new WebAssembly.Instance(module, { core: Object.fromEntries(wanted) });
}

function tellLinked() {
  glue.linked([...linked.keys()]);
}

function unloadable(what, cause) {
  return new TuckboxError("load", `${what} could not be loaded: ${messageOf(cause)}`, { cause });
}

/**
 * As `enter`, for work that may need parts which are not there yet: they are loaded, it is done again, and there is
 * a promise instead of a result.
 */
export function enterWithParts(work) {
  try {
    return enter(work);
  } catch (error) {
    if (!(error instanceof MissingParts)) throw error;
    return loadParts(error.names).then(() => enterWithParts(work));
  }
}

/** The core did nothing, because it needs these parts first. */
class MissingParts extends TuckboxError {
  constructor(names) {
    super("load", `these parts of the WebAssembly module are not loaded: ${names.join(", ")}`);
    this.names = names;
  }
}

/** Calls into the core. Its own errors come out as they are; anything else was a trap. */
export function enter(work) {
  if (broken) replace();
  try {
    return work(glue);
  } catch (thrown) {
    if (thrown instanceof TuckboxError) throw thrown;
    if (Array.isArray(thrown)) throw new MissingParts(thrown);
    if (thrown?.name === "TuckboxError") throw errorOf(thrown);
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
  idle.length = 0;
  try {
    glue.__wbg_reset_state();
    prepare();
    link();
  } catch (cause) {
    throw new TuckboxError("trap", `the core could not be replaced: ${messageOf(cause)}`, { cause });
  }
  broken = false;
}

/** An error of the core as one of ours: its class is not known on the other side. */
function errorOf({ code, path, message, details }) {
  return new TuckboxError(code, message, { path, details: small(details) });
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
    if (this.isThere) this.give(this.#object);
    this.#object = undefined;
  }

  /** Gives back what the object holds. */
  give(object) {
    object.free();
  }
}

/** A run: once it is done with, the next call uses it again. Making one costs as much as a tenth of a small call. */
class ResidentRun extends Resident {
  give(run) {
    if (idle.length >= MOST_IDLE) {
      run.free();
      return;
    }
    run.clear();
    idle.push(run);
  }
}

/** Runs that hold no call. */
const idle = [];
const MOST_IDLE = 16;

/** A run that holds no call yet; only inside `enter`. */
export function idleRun() {
  return new ResidentRun("preview", idle.pop() ?? new glue.Run());
}

/** Two installed copies work, but each keeps its own instance in memory: say so early. */
function announce() {
  const copies = (globalThis[Symbol.for("tuckbox.copies")] ??= []);
  copies.push(version);
  if (copies.length > 1) {
    console.warn(`tuckbox: ${copies.length} copies are loaded (${copies.join(", ")}); each has its own memory`);
  }
}
