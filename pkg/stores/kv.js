// Cards and boxes in a key-value database that reads many keys and commits with checks.
//
// Every commit checks and changes one key of its project, the gate. A commit that read before another commit tries
// again. So one check is enough for a batch of any size.
/** @import { ProfileRow } from "../types/cards.js" */
/** @import { JsonText } from "../types/json.js" */
/** @import { AbortSignalLike, Reads, Writes } from "../types/store.js" */
/** @import { Change, Entry, Key, KeyValue } from "../types/stores/kv.js" */
/** @import { Change as RowChange, Shelves } from "../lib/rows.js" */
import { deciding, selecting } from "../lib/decide.js";
import { TuckboxError } from "../lib/error.js";
import { partsOf, pieces, pointer, sizeOf, staged, stageOf } from "../lib/kv/values.js";
import { only, own } from "../lib/options.js";
import { answersText, columns, KEYS, placed, wanted, withFollowed } from "../lib/rows.js";

const LIMITS = { keys: Infinity, valueBytes: Infinity, changes: Infinity, commitBytes: Infinity, keyBytes: Infinity };

/** The format of the rows. The gate of a project has the format of the commit before; without one it is 1. */
const FORMAT = 1;

/** The maximum number of tries of a commit, if other commits come first, and of a read, if its rows are replaced. */
const MAX_TRIES = 200;

/**
 * @typedef {{ key: Key, value: string }} Set
 * @typedef {Set & { shelf: string, id: string }} Head The value of a row, or the place of its parts.
 * @typedef {{ name: string, count: number }} Parts
 * @typedef {Map<string, { text: string, parts: Parts | undefined }>} Rows Rows by `shelf key`.
 * @typedef {readonly [shelf: string, key: string]} Place
 */

/** @type {typeof import("../types/stores/kv.js").kvStore} */
export function kvStore(kv, options) {
  const { prefix = ["tuckbox"], ...limits } = own(options);
  for (const method of /** @type {const} */ (["get", "commit"])) {
    if (typeof kv?.[method] !== "function") {
      throw new TuckboxError("bad_request", `a key-value database must have a method \`${method}\``, { path: `kv.${method}` });
    }
  }
  only(options, ["prefix", ...Object.keys(LIMITS)]);
  return new KvStore(kv, prefix, { ...LIMITS, ...limits });
}

class KvStore {
  #kv;
  #prefix;
  #limits;

  /** @param {KeyValue<any>} kv @param {Key} prefix @param {typeof LIMITS} limits */
  constructor(kv, prefix, limits) {
    this.#kv = kv;
    this.#prefix = prefix;
    this.#limits = limits;
  }

  /** @param {Reads} reads @param {{ signal?: AbortSignalLike }} [more] */
  async read(reads, { signal } = {}) {
    const select = await selecting(reads);
    const [rows] = await Promise.all([this.#looked(reads.project_id, reads, signal), this.#gate(reads.project_id, signal)]);
    const looked = { ...rows, select };
    const whole = withFollowed(reads, looked);
    if (reads.follow === undefined) return answersText(whole, looked);
    return answersText(whole, { ...(await this.#looked(reads.project_id, whole, signal, [], looked.rows)), select });
  }

  /** @param {Writes} writes @param {{ text?: string, signal?: AbortSignalLike }} [more] */
  async commit(writes, { text, signal } = {}) {
    const batch = await deciding(writes, text);
    for (let tried = 0; tried < MAX_TRIES && !signal?.aborted; tried += 1) {
      const receipt = await this.#attempt(writes, batch, signal);
      if (receipt !== undefined) return receipt;
      await pause(tried);
    }
    throw new TuckboxError("store", "other commits to the project always came first; nothing was written", { path: "store.commit" });
  }

  /**
   * Registers profiles. A profile replaces one with the same name; case is ignored.
   *
   * @param {string} project_id
   * @param {readonly (ProfileRow | JsonText)[]} rows
   */
  async addProfiles(project_id, rows) {
    const version = nonce();
    const puts = rows.map((row) => placed("project_profiles", columns(row), version));
    for (let tried = 0; ; tried += 1) {
      const gate = await this.#gate(project_id);
      const known = listOf(await this.#rows(project_id, [["keys", "project_profiles"]]), "project_profiles");
      const changes = [...puts, { shelf: "keys", key: "project_profiles", text: keysAfter(known, puts) }];
      const { parts, heads } = this.#split(project_id, nonce(), changes);
      const sets = [...parts, ...heads, { key: this.#key(project_id, "gate"), value: `${FORMAT} ${nonce()}` }];
      const checks = [{ key: this.#key(project_id, "gate"), version: gate?.version ?? null }];
      if (!this.#fits(sets))
        throw new TuckboxError("limit", "the profiles exceed the size of one commit of the database", { path: "rows" });
      if (await this.#commit({ checks, sets, deletes: [] })) return;
      await pause(tried);
    }
  }

  /**
   * Reads everything that the answer to `reads` needs. `before` are rows that were read before.
   *
   * @param {string} project_id
   * @param {Reads} reads
   * @param {AbortSignalLike | undefined} signal
   * @param {readonly string[]} [more]
   * @param {Rows} [before]
   * @returns {Promise<Shelves & { rows: Rows }>}
   */
  async #looked(project_id, reads, signal, more = [], before = new Map()) {
    const { keys, whole, paths } = wanted(reads);
    const named = [...new Set([...whole, ...(paths ? ["files"] : []), ...more])];
    const rows = /** @type {Rows} */ (new Map(before));
    /** @param {readonly Place[]} names */
    const look = async (names) => {
      const open = names.filter(([shelf, key]) => !rows.has(`${shelf} ${key}`));
      for (const [name, row] of await this.#rows(project_id, open, signal)) rows.set(name, row);
    };
    await look([...keys, ...named.map((shelf) => /** @type {Place} */ (["keys", shelf]))]);
    await look(whole.flatMap((shelf) => listOf(rows, shelf).map((key) => /** @type {Place} */ ([shelf, key]))));
    return {
      rows,
      find: (shelf, key) => {
        const text = rows.get(`${shelf} ${key}`)?.text;
        return shelf === "operations" && text !== undefined ? JSON.parse(text).operation : text;
      },
      all: (shelf) => listOf(rows, shelf).flatMap((key) => rows.get(`${shelf} ${key}`)?.text ?? []),
      paths: () => listOf(rows, "files"),
    };
  }

  /**
   * Returns the gate of a project. Every write checks that it is unchanged.
   *
   * @param {string} project_id
   * @param {AbortSignalLike} [signal]
   */
  async #gate(project_id, signal) {
    const [gate] = await this.#get([this.#key(project_id, "gate")], signal);
    checkFormat(gate);
    return gate;
  }

  /**
   * Tries a commit once, and returns the receipt; nothing if another commit came first.
   *
   * @param {Writes} writes
   * @param {Awaited<ReturnType<typeof deciding>>} batch
   * @param {AbortSignalLike | undefined} signal
   */
  async #attempt({ project_id, operation_id, files = [], agents = [], rows: given = [] }, batch, signal) {
    const operation = this.#key(project_id, "operations", operation_id);
    const [gate, before] = await this.#get([this.#key(project_id, "gate"), operation], signal);
    checkFormat(gate);
    const applied = before ? JSON.parse(before.value).operation : undefined;
    // the store lists the keys of these shelves, because a key-value database has no index
    const listed = [
      ...new Set([
        ...(files.length > 0 ? ["files"] : []),
        ...(agents.length > 0 ? ["project_agents"] : []),
        ...given.map(({ table }) => table),
      ]),
    ];
    const looked = await this.#looked(project_id, batch.reads, signal, listed);
    const { rows } = looked;
    const { changes: made, receipt, operation: kept } = batch.decide(looked, applied);
    if (kept === undefined) return receipt;

    const attempt = nonce();
    const changes = made.filter(({ text }) => text !== undefined);
    for (const shelf of listed) {
      const [before, after] = [
        listOf(rows, shelf),
        keysAfter(
          listOf(rows, shelf),
          made.filter((change) => change.shelf === shelf),
        ),
      ];
      if (after !== JSON.stringify(before)) changes.push({ shelf: "keys", key: shelf, text: after });
    }
    const checks = [{ key: this.#key(project_id, "gate"), version: gate?.version ?? null }];
    const sets = [
      { key: this.#key(project_id, "gate"), value: `${FORMAT} ${attempt}` },
      { key: operation, value: JSON.stringify({ operation: kept, attempt }) },
    ];
    const { parts, heads } = this.#split(project_id, attempt, changes);
    const gone = made.filter(({ text }) => text === undefined).map(({ shelf, key }) => this.#key(project_id, shelf, key));
    const replaced = [...changes, ...made].flatMap(({ shelf, key }) => this.#partKeys(project_id, rows.get(`${shelf} ${key}`)?.parts));
    const deletes = [...gone, ...new Map(replaced.map((key) => [JSON.stringify(key), key])).values()];
    const plan = this.#plan({ parts, heads, sets, deletes, rows, operation_id, attempt });
    for (const early of plan.early) {
      if (!(await this.#commit({ checks, sets: early, deletes: [] }, signal))) return undefined;
    }
    return (await this.#commit({ checks, sets: plan.sets, deletes: plan.deletes }, signal)) ? receipt : undefined;
  }

  /**
   * Splits a batch into commits. Nothing is visible before the last one: parts without a row, and new rows that wait
   * for their operation.
   *
   * @param {{ parts: Set[], heads: Head[], sets: Set[], deletes: Key[], rows: Rows, operation_id: string, attempt: string }} batch
   */
  #plan({ parts, heads, sets, deletes, rows, operation_id, attempt }) {
    /** @param {readonly Set[]} list @param {readonly Key[]} [gone] */
    const fits = (list, gone = []) => this.#fits([...list, ...gone.map((key) => ({ key, value: "" }))]);
    const last = [...sets, ...heads];
    if (fits([...last, ...parts], deletes)) return { early: [], sets: [...last, ...parts], deletes };
    if (fits(last, deletes)) return { early: this.#grouped(parts), sets: last, deletes };
    /** @param {Head} head */
    const isNew = ({ shelf, id }) => Object.hasOwn(KEYS, shelf) && !rows.has(`${shelf} ${id}`);
    const waiting = heads.filter(isNew).map((head) => ({ ...head, value: staged(operation_id, attempt, head.value) }));
    const rest = [...sets, ...heads.filter((head) => !isNew(head))];
    if (!fits(rest, deletes)) {
      throw new TuckboxError("limit", "the batch exceeds the size of one commit of the database", { path: "store.commit" });
    }
    return { early: this.#grouped([...parts, ...waiting]), sets: rest, deletes };
  }

  /**
   * Splits texts that are too long for one value.
   *
   * @param {string} project_id
   * @param {string} attempt
   * @param {readonly RowChange[]} changes
   */
  #split(project_id, attempt, changes) {
    const parts = /** @type {Set[]} */ ([]);
    const heads = /** @type {Head[]} */ ([]);
    for (const [index, { shelf, key, text = "" }] of changes.entries()) {
      const head = { shelf, id: key, key: this.#key(project_id, shelf, key), value: text };
      // a staged value is longer than its row
      if (sizeOf(text) > this.#limits.valueBytes - 2000) {
        const name = `${attempt}-${index}`;
        const found = pieces(text, this.#limits.valueBytes);
        parts.push(...found.map((value, at) => ({ key: this.#key(project_id, "parts", name, String(at)), value })));
        head.value = pointer(name, found.length);
      }
      heads.push(head);
    }
    return { parts, heads };
  }

  /**
   * Returns the rows that exist, with the places of their parts.
   *
   * @param {string} project_id
   * @param {readonly Place[]} wanted
   * @param {AbortSignalLike} [signal]
   */
  async #rows(project_id, wanted, signal) {
    const rows = /** @type {Rows} */ (new Map());
    let open = wanted;
    for (let tried = 0; open.length > 0; tried += 1) {
      if (tried >= MAX_TRIES) throw new TuckboxError("store", "other commits replaced the rows during every read", { path: "store.read" });
      const found = await this.#settled(
        project_id,
        open,
        await this.#get(
          open.map((one) => this.#key(project_id, ...one)),
          signal,
        ),
        signal,
      );
      const pointers = found.map(partsOf);
      const parts = await this.#get(
        pointers.flatMap((one) => this.#partKeys(project_id, one)),
        signal,
      );
      const again = /** @type {Place[]} */ ([]);
      let at = 0;
      for (const [index, value] of found.entries()) {
        const own = parts.slice(at, (at += pointers[index]?.count ?? 0));
        const name = `${open[index][0]} ${open[index][1]}`;
        // a missing part belongs to a row that was replaced meanwhile
        if (own.some((part) => !part)) again.push(open[index]);
        else if (value !== undefined)
          rows.set(name, { text: pointers[index] ? own.map((part) => part?.value).join("") : value, parts: pointers[index] });
      }
      open = again;
    }
    return rows;
  }

  /**
   * Returns the valid values: staged ones only if their operation is stored.
   *
   * @param {string} project_id
   * @param {readonly Place[]} wanted
   * @param {readonly (Entry<any> | null | undefined)[]} entries
   * @param {AbortSignalLike | undefined} signal
   */
  async #settled(project_id, wanted, entries, signal) {
    const stages = entries.map((entry) => stageOf(entry?.value));
    const names = [...new Set(stages.flatMap((stage) => (stage ? [stage.operation_id] : [])))];
    const operations = await this.#get(
      names.map((name) => this.#key(project_id, "operations", name)),
      signal,
    );
    const attempts = new Map(
      names.map((name, index) => {
        const operation = operations[index];
        return [name, operation ? JSON.parse(operation.value).attempt : undefined];
      }),
    );
    return wanted.map((_, index) => {
      const stage = stages[index];
      if (stage === undefined) return entries[index]?.value;
      return attempts.get(stage.operation_id) === stage.attempt ? stage.value : undefined;
    });
  }

  /**
   * @param {readonly Key[]} keys
   * @param {AbortSignalLike} [signal]
   * @returns {Promise<(Entry<any> | null | undefined)[]>}
   */
  async #get(keys, signal) {
    const groups = /** @type {Key[][]} */ ([]);
    for (let from = 0; from < keys.length; from += Math.min(this.#limits.keys, keys.length))
      groups.push(keys.slice(from, from + this.#limits.keys));
    const found = await Promise.all(
      groups.map(async (group) => {
        const entries = await this.#kv.get(group, { signal });
        if (Array.isArray(entries) && entries.length === group.length) return entries;
        throw new TuckboxError("store", "`get` must resolve with one entry for each key", { path: "kv.get" });
      }),
    );
    return found.flat();
  }

  /** @param {Change<any>} change @param {AbortSignalLike} [signal] */
  async #commit({ checks, sets, deletes }, signal) {
    const plain = sets.map(({ key, value }) => ({ key, value }));
    return (await this.#kv.commit({ checks, sets: plain, deletes }, { signal })) === true;
  }

  /** @param {readonly Set[]} sets */
  #fits(sets) {
    return this.#grouped(sets).length <= 1;
  }

  /**
   * Groups sets so that each group fits into one commit.
   *
   * @param {readonly Set[]} sets
   */
  #grouped(sets) {
    const { changes, commitBytes, keyBytes } = this.#limits;
    const groups = /** @type {Set[][]} */ ([]);
    let [group, bytes, ofKeys] = [/** @type {Set[]} */ ([]), 0, 0];
    for (const set of sets) {
      // a database stores a few more bytes per key and value
      const key = set.key.reduce((sum, part) => sum + sizeOf(part) + 2, 0);
      const more = sizeOf(set.value) + key + 20;
      if (group.length > 0 && (group.length >= changes || bytes + more > commitBytes || ofKeys + key > keyBytes)) {
        groups.push(group);
        [group, bytes, ofKeys] = [[], 0, 0];
      }
      group.push(set);
      [bytes, ofKeys] = [bytes + more, ofKeys + key];
    }
    return group.length === 0 ? groups : [...groups, group];
  }

  /** @param {string} project_id @param {Parts | undefined} parts */
  #partKeys(project_id, parts) {
    if (parts === undefined) return [];
    return Array.from({ length: parts.count }, (_, at) => this.#key(project_id, "parts", parts.name, String(at)));
  }

  /** @param {string} project_id @param {readonly string[]} rest @returns {Key} */
  #key(project_id, ...rest) {
    return [...this.#prefix, project_id, ...rest];
  }
}

/**
 * Refuses a project that a newer version of this package wrote.
 *
 * @param {Entry<any> | null | undefined} gate
 */
function checkFormat(gate) {
  const [, format] = /^(\d+) /.exec(String(gate?.value ?? "")) ?? [];
  if (format === undefined || Number(format) <= FORMAT) return;
  const message = `the project has format ${format}, made by a newer version of this package; expected format ${FORMAT}: use a newer version`;
  throw new TuckboxError("store", message, { path: "store", details: { reason: "newer", found: Number(format), expected: FORMAT } });
}

/**
 * Returns the keys of a shelf, which the project stores next to its rows.
 *
 * @param {Rows} rows
 * @param {string} shelf
 * @returns {string[]}
 */
function listOf(rows, shelf) {
  return JSON.parse(rows.get(`keys ${shelf}`)?.text ?? "[]");
}

/**
 * Returns the text of the keys of a shelf after changes.
 *
 * @param {readonly string[]} keys
 * @param {readonly RowChange[]} changes
 */
function keysAfter(keys, changes) {
  const after = new Set(keys);
  for (const { key, text } of changes) {
    if (text === undefined) after.delete(key);
    else after.add(key);
  }
  return JSON.stringify([...after]);
}

/**
 * Waits for a random time that grows with the number of tries.
 *
 * @param {number} tried
 */
function pause(tried) {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(2 ** tried, 60)));
}

function nonce() {
  return Array.from(globalThis.crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
