// The instance of the core, and its replacement after a trap.
//
// The state of an instance after a trap is unknown, so a new instance replaces it at once. Calls read again what was
// resident in the old one.
//
// The module has parts. The core is loaded first, each other part when a call needs it. A part shares the memory and
// the table of the core's instance, so resident data stays in place.
/** @import { ModulePart, ModuleSource } from "../types/slim.js" */
import init, * as glue from "../generated/core.js";
import { messageOf, TuckboxError } from "./error.js";
import { small } from "./json.js";
import { decoder } from "./text.js";
import { version } from "./version.js";

/**
 * Returns the module of a part.
 *
 * @typedef {(part: ModulePart) => ModuleSource} Source
 */

/** @type {Source | undefined} */
let source;
/** @type {Promise<void> | undefined} */
let loading;
let broken = false;

/** The other parts that are linked, and the downloads of those that are not. */
const linked = /** @type {Map<string, WebAssembly.Module>} */ (new Map());
const coming = /** @type {Map<string, Promise<void>>} */ (new Map());

/** The number of the instance. Objects of earlier instances are lost. */
let generation = 0;

/**
 * The source of the core for a store that needs it before a project is opened.
 *
 * @type {Source | undefined}
 */
let offered;

/**
 * Sets the source of the core. Each entry of the package does this when it is imported.
 *
 * @param {Source} from
 */
export function offer(from) {
  offered ??= from;
}

/** Waits for the core, and starts it if no project was opened. */
export function ready() {
  return loading ?? load(knownSource());
}

/** Returns the source of the core. */
export function knownSource() {
  const known = source ?? offered;
  if (known === undefined) {
    throw new TuckboxError("load", "the store needs the core: import `tuckbox` (or `tuckbox/web`), or open a project first");
  }
  return known;
}

/**
 * As `ready`, and waits for a part.
 *
 * @param {ModulePart} part
 */
export async function readyWith(part) {
  await ready();
  if (!linked.has(part)) await loadParts([part]);
}

/**
 * Starts the core, once.
 *
 * @param {Source} from
 */
export function load(from) {
  loading ??= start(from).catch((cause) => {
    loading = undefined;
    throw unloadable("the WebAssembly module", cause);
  });
  return loading;
}

/** @param {Source} from */
async function start(from) {
  const given = /** @type {any} */ (from("core"));
  const module = await compiled(typeof given?.then === "function" ? await given : given);
  // `init` refers to `Request`, and Node then loads all of fetch, which takes longer than the compilation
  if (module instanceof WebAssembly.Module) glue.initSync({ module });
  else await init({ module_or_path: module });
  source = from;
  prepare();
  announce();
}

/** Prepares a new instance. */
function prepare() {
  memory = glue.instance_exports().memory;
  if (decoder !== undefined) glue.decode_with(decoder);
}

/** @type {WebAssembly.Memory} */
let memory;
let bytes = new Uint8Array();
let words = new Uint32Array();

/** Returns the memory of the core as bytes and as words. Both are valid until the memory grows. */
export function views() {
  if (bytes.buffer !== memory.buffer) {
    bytes = new Uint8Array(memory.buffer);
    words = new Uint32Array(memory.buffer);
  }
  return { bytes, words };
}

/**
 * Loads parts and links them. Each part is downloaded once.
 *
 * @param {readonly ModulePart[]} names
 */
function loadParts(names) {
  return Promise.all(
    names.map((name) => {
      const known = coming.get(name);
      if (known !== undefined) return known;
      const part = loadPart(name).finally(() => coming.delete(name));
      coming.set(name, part);
      return part;
    }),
  );
}

/** @param {ModulePart} name */
async function loadPart(name) {
  try {
    const module = await compiled(await knownSource()(name));
    if (broken) replace();
    attach(module);
    linked.set(name, module);
    reportLinked();
  } catch (cause) {
    throw unloadable(`the part \`${name}\` of the WebAssembly module`, cause);
  }
}

/**
 * Compiles a module from its bytes, a response or a URL.
 *
 * @param {any} given
 * @returns {Promise<WebAssembly.Module>}
 */
async function compiled(given) {
  // a module of another realm is not an instance of `WebAssembly.Module` here
  if (Object.prototype.toString.call(given) === "[object WebAssembly.Module]") return given;
  if (ArrayBuffer.isView(given) || given instanceof ArrayBuffer) return WebAssembly.compile(/** @type {BufferSource} */ (given));
  const response = typeof given?.arrayBuffer === "function" ? given : await fetch(given);
  if (!response.ok) throw new Error(`\`${response.url}\` answered ${response.status}`);
  // without the content type, streaming compilation fails
  const streams = response.headers.get("content-type")?.startsWith("application/wasm");
  return streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** Links all loaded parts to a new instance. */
function link() {
  for (const module of linked.values()) attach(module);
  reportLinked();
}

/**
 * Links a part to the core. It imports functions by their slot in the table, and everything else by name.
 *
 * @param {WebAssembly.Module} module
 */
function attach(module) {
  const exports = glue.instance_exports();
  const wanted = WebAssembly.Module.imports(module).map(({ kind, name }) => [
    name,
    kind === "function" ? exports.table.get(Number(name)) : exports[name],
  ]);
  // the instance fills its slots of the table and has no exports
  new WebAssembly.Instance(module, { core: Object.fromEntries(wanted) });
}

function reportLinked() {
  glue.linked([...linked.keys()]);
}

/** @param {string} what @param {unknown} cause */
function unloadable(what, cause) {
  return new TuckboxError("load", `${what} could not be loaded: ${messageOf(cause)}`, { cause });
}

/**
 * As `enter`, for work that can need missing parts. It then loads them, repeats the work and returns a promise.
 *
 * @template Result
 * @param {(core: typeof glue) => Result} work
 * @returns {Result | Promise<Result>}
 */
export function enterWithParts(work) {
  try {
    return enter(work);
  } catch (error) {
    if (!(error instanceof MissingParts)) throw error;
    return loadParts(error.names).then(() => enterWithParts(work));
  }
}

/** The core did nothing, because parts are missing. */
class MissingParts extends TuckboxError {
  /** @param {ModulePart[]} names */
  constructor(names) {
    super("load", `these parts of the WebAssembly module are not loaded: ${names.join(", ")}`);
    this.names = names;
  }
}

/**
 * Calls the core. A thrown value that is not an error of the core is a trap.
 *
 * @template Result
 * @param {(core: typeof glue) => Result} work
 * @returns {Result}
 */
export function enter(work) {
  if (broken) replace();
  try {
    return work(glue);
  } catch (thrown) {
    if (thrown instanceof TuckboxError) throw thrown;
    if (Array.isArray(thrown)) throw new MissingParts(thrown);
    if (/** @type {any} */ (thrown)?.name === "TuckboxError") throw errorOf(thrown);
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

/**
 * Returns an error of the core as a `TuckboxError`: the core cannot construct the class.
 *
 * @param {any} thrown
 */
function errorOf({ code, path, message, details }) {
  return new TuckboxError(code, message, { path, details: small(details) });
}

/**
 * An object of the core. It exists until it is freed or its instance is replaced.
 *
 * @template {{ free(): void }} Item
 */
export class Resident {
  #what;
  /** @type {Item | undefined} */
  #object;
  #generation = generation;

  /**
   * @param {string} what
   * @param {Item} object
   */
  constructor(what, object) {
    this.#what = what;
    this.#object = object;
  }

  /** True after its instance was replaced. */
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
    if (this.#object !== undefined && !this.isLost) this.release(this.#object);
    this.#object = undefined;
  }

  /**
   * Releases the memory of the object.
   *
   * @param {Item} object
   */
  release(object) {
    object.free();
  }
}

/**
 * A run. The next call uses a finished one again: creating one takes a tenth of the time of a small call.
 *
 * @extends {Resident<glue.Run>}
 */
class ResidentRun extends Resident {
  /**
   * @override
   * @param {glue.Run} run
   */
  release(run) {
    if (idle.length >= MAX_IDLE) {
      run.free();
      return;
    }
    run.clear();
    idle.push(run);
  }
}

/** Runs without a call. */
const idle = /** @type {glue.Run[]} */ ([]);
const MAX_IDLE = 16;

/** Returns a run without a call; only inside `enter`. */
export function idleRun() {
  return new ResidentRun("preview", idle.pop() ?? new glue.Run());
}

/** Warns of a second installed copy, which works but has an instance of its own. */
function announce() {
  const known = /** @type {{ [key: symbol]: string[] | undefined }} */ (/** @type {unknown} */ (globalThis));
  const copies = (known[Symbol.for("tuckbox.copies")] ??= []);
  copies.push(version);
  if (copies.length > 1) {
    console.warn(`tuckbox: ${copies.length} copies are loaded (${copies.join(", ")}); each has its own memory`);
  }
}
