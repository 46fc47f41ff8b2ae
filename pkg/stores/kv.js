// Cards and boxes in a key-value database that can read many keys and commit with checks.
//
// Every commit checks and changes one key of its project, the gate: whoever read before somebody
// else committed tries again. So one check is enough, however many rows a batch touches.
import { deciding, selecting } from "../lib/decide.js";
import { TuckboxError } from "../lib/error.js";
import { partsOf, pieces, pointer, sizeOf, stageOf, staged } from "../lib/kv/values.js";
import { KEYS, answersText, columns, placed, wanted, withFollowed } from "../lib/rows.js";

const LIMITS = { keys: Infinity, value_bytes: Infinity, changes: Infinity, commit_bytes: Infinity, key_bytes: Infinity };

/** How often a commit is tried while others go first, and a read while what it reads is replaced. */
const TRIES = 200;

export function kvStore(kv, { prefix = ["tuckbox"], ...limits } = {}) {
  for (const method of ["get", "commit"]) {
    if (typeof kv?.[method] !== "function") {
      throw new TuckboxError("bad_request", `a key-value database has a method \`${method}\``, { path: `kv.${method}` });
    }
  }
  for (const name of Object.keys(limits)) {
    if (!(name in LIMITS)) throw new TuckboxError("bad_request", `unknown option \`${name}\``, { path: name });
  }
  return new KvStore(kv, prefix, { ...LIMITS, ...limits });
}

class KvStore {
  #kv;
  #prefix;
  #limits;

  constructor(kv, prefix, limits) {
    this.#kv = kv;
    this.#prefix = prefix;
    this.#limits = limits;
  }

  async read(reads, { signal } = {}) {
    const select = await selecting(reads);
    const looked = { ...(await this.#looked(reads.project_id, reads, signal)), select };
    const whole = withFollowed(reads, looked);
    if (reads.follow === undefined) return answersText(whole, looked);
    return answersText(whole, { ...(await this.#looked(reads.project_id, whole, signal, [], looked.rows)), select });
  }

  async commit(writes, { text, signal } = {}) {
    const batch = await deciding(writes, text);
    for (let tried = 0; tried < TRIES && !signal?.aborted; tried += 1) {
      const receipt = await this.#attempt(writes, batch, signal);
      if (receipt !== undefined) return receipt;
      await pause(tried);
    }
    throw new TuckboxError("store", "others kept committing to the project; nothing was written", { path: "store.commit" });
  }

  /** Registers profiles; one with the same name in any case is replaced. */
  async addProfiles(project_id, rows) {
    const version = nonce();
    const puts = rows.map((row) => placed("project_profiles", columns(row), version));
    for (let tried = 0; ; tried += 1) {
      const [gate] = await this.#get([this.#key(project_id, "gate")]);
      const known = listOf(await this.#rows(project_id, [["keys", "project_profiles"]]), "project_profiles");
      const changes = [...puts, { shelf: "keys", key: "project_profiles", text: keysAfter(known, puts) }];
      const { parts, heads } = this.#split(project_id, nonce(), changes);
      const sets = [...parts, ...heads, { key: this.#key(project_id, "gate"), value: nonce() }];
      const checks = [{ key: this.#key(project_id, "gate"), version: gate?.version ?? null }];
      if (!this.#fits(sets)) throw new TuckboxError("limit", "these are more profiles than the database can commit at once", { path: "rows" });
      if (await this.#commit({ checks, sets, deletes: [] })) return;
      await pause(tried);
    }
  }

  /** Everything that answering `reads` needs, as functions that find it; `before` are rows that were found before. */
  async #looked(project_id, reads, signal, more = [], before = new Map()) {
    const { keys, whole, paths } = wanted(reads);
    const named = [...new Set([...whole, ...(paths ? ["files"] : []), ...more])];
    const rows = new Map(before);
    const look = async (names) => {
      const open = names.filter(([shelf, key]) => !rows.has(`${shelf} ${key}`));
      for (const [name, row] of await this.#rows(project_id, open, signal)) rows.set(name, row);
    };
    await look([...keys, ...named.map((shelf) => ["keys", shelf])]);
    await look(whole.flatMap((shelf) => listOf(rows, shelf).map((key) => [shelf, key])));
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

  /** One try: the receipt, or nothing when somebody else was faster. */
  async #attempt({ project_id, operation_id, files = [], agents = [], rows: given = [] }, batch, signal) {
    const operation = this.#key(project_id, "operations", operation_id);
    const [gate, before] = await this.#get([this.#key(project_id, "gate"), operation], signal);
    const applied = before ? JSON.parse(before.value).operation : undefined;
    // shelves whose keys are listed, because a key-value database finds nothing by itself
    const listed = [...new Set([...(files.length > 0 ? ["files"] : []), ...(agents.length > 0 ? ["project_agents"] : []), ...given.map(({ table }) => table)])];
    const looked = await this.#looked(project_id, batch.reads, signal, listed);
    const { rows } = looked;
    const { changes: made, receipt, operation: kept } = batch.decide(looked, applied);
    if (kept === undefined) return receipt;

    const attempt = nonce();
    const changes = made.filter(({ text }) => text !== undefined);
    for (const shelf of listed) {
      const [before, after] = [listOf(rows, shelf), keysAfter(listOf(rows, shelf), made.filter((change) => change.shelf === shelf))];
      if (after !== JSON.stringify(before)) changes.push({ shelf: "keys", key: shelf, text: after });
    }
    const checks = [{ key: this.#key(project_id, "gate"), version: gate?.version ?? null }];
    const sets = [
      { key: this.#key(project_id, "gate"), value: attempt },
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
   * What goes first and what goes last. Before the last commit nothing of it can be seen: parts that
   * nobody points to, and new rows that wait for their operation.
   */
  #plan({ parts, heads, sets, deletes, rows, operation_id, attempt }) {
    const fits = (list, gone = []) => this.#fits([...list, ...gone.map((key) => ({ key, value: "" }))]);
    const last = [...sets, ...heads];
    if (fits([...last, ...parts], deletes)) return { early: [], sets: [...last, ...parts], deletes };
    if (fits(last, deletes)) return { early: this.#grouped(parts), sets: last, deletes };
    const isNew = ({ shelf, id }) => Object.hasOwn(KEYS, shelf) && !rows.has(`${shelf} ${id}`);
    const waiting = heads.filter(isNew).map((head) => ({ ...head, value: staged(operation_id, attempt, head.value) }));
    const rest = [...sets, ...heads.filter((head) => !isNew(head))];
    if (!fits(rest, deletes)) {
      throw new TuckboxError("limit", "the batch changes more than the database can commit at once", { path: "store.commit" });
    }
    return { early: this.#grouped([...parts, ...waiting]), sets: rest, deletes };
  }

  /** Texts that are too long for one value, taken apart. */
  #split(project_id, attempt, changes) {
    const [parts, heads] = [[], []];
    for (const [index, { shelf, key, text }] of changes.entries()) {
      const head = { shelf, id: key, key: this.#key(project_id, shelf, key), value: text };
      // a staged value is a little longer than its row
      if (sizeOf(text) > this.#limits.value_bytes - 2000) {
        const name = `${attempt}-${index}`;
        const found = pieces(text, this.#limits.value_bytes);
        parts.push(...found.map((value, at) => ({ key: this.#key(project_id, "parts", name, String(at)), value })));
        head.value = pointer(name, found.length);
      }
      heads.push(head);
    }
    return { parts, heads };
  }

  /** Rows by `shelf key`, as far as they are there: their text, and where their parts are. */
  async #rows(project_id, wanted, signal) {
    const rows = new Map();
    let open = wanted;
    for (let tried = 0; open.length > 0; tried += 1) {
      if (tried >= TRIES) throw new TuckboxError("store", "others kept replacing what was read", { path: "store.read" });
      const found = await this.#settled(project_id, open, await this.#get(open.map((one) => this.#key(project_id, ...one)), signal), signal);
      const pointers = found.map(partsOf);
      const parts = await this.#get(pointers.flatMap((one) => this.#partKeys(project_id, one)), signal);
      const again = [];
      let at = 0;
      for (const [index, value] of found.entries()) {
        const own = parts.slice(at, (at += pointers[index]?.count ?? 0));
        const name = `${open[index][0]} ${open[index][1]}`;
        // a part that is gone belongs to a row that has been replaced meanwhile
        if (own.some((part) => !part)) again.push(open[index]);
        else if (value !== undefined) rows.set(name, { text: pointers[index] ? own.map((part) => part.value).join("") : value, parts: pointers[index] });
      }
      open = again;
    }
    return rows;
  }

  /** The values that count: staged ones only when their operation is there. */
  async #settled(project_id, wanted, entries, signal) {
    const stages = entries.map((entry) => stageOf(entry?.value));
    const names = [...new Set(stages.flatMap((stage) => (stage ? [stage.operation_id] : [])))];
    const operations = await this.#get(names.map((name) => this.#key(project_id, "operations", name)), signal);
    const attempts = new Map(names.map((name, index) => [name, operations[index] ? JSON.parse(operations[index].value).attempt : undefined]));
    return wanted.map((_, index) => {
      const stage = stages[index];
      if (stage === undefined) return entries[index]?.value;
      return attempts.get(stage.operation_id) === stage.attempt ? stage.value : undefined;
    });
  }

  async #get(keys, signal) {
    const groups = [];
    for (let from = 0; from < keys.length; from += Math.min(this.#limits.keys, keys.length)) groups.push(keys.slice(from, from + this.#limits.keys));
    const found = await Promise.all(groups.map(async (group) => {
      const entries = await this.#kv.get(group, { signal });
      if (Array.isArray(entries) && entries.length === group.length) return entries;
      throw new TuckboxError("store", "`get` resolved with something else than one entry for each key", { path: "kv.get" });
    }));
    return found.flat();
  }

  async #commit({ checks, sets, deletes }, signal) {
    const plain = sets.map(({ key, value }) => ({ key, value }));
    return (await this.#kv.commit({ checks, sets: plain, deletes }, { signal })) === true;
  }

  #fits(sets) {
    return this.#grouped(sets).length <= 1;
  }

  /** Sets in groups that fit into one commit each. */
  #grouped(sets) {
    const { changes, commit_bytes, key_bytes } = this.#limits;
    const groups = [];
    let [group, bytes, ofKeys] = [[], 0, 0];
    for (const set of sets) {
      // keys and values are a little longer where they are kept
      const key = set.key.reduce((sum, part) => sum + sizeOf(part) + 2, 0);
      const more = sizeOf(set.value) + key + 20;
      if (group.length > 0 && (group.length >= changes || bytes + more > commit_bytes || ofKeys + key > key_bytes)) {
        groups.push(group);
        [group, bytes, ofKeys] = [[], 0, 0];
      }
      group.push(set);
      [bytes, ofKeys] = [bytes + more, ofKeys + key];
    }
    return group.length === 0 ? groups : [...groups, group];
  }

  #partKeys(project_id, parts) {
    if (parts === undefined) return [];
    return Array.from({ length: parts.count }, (_, at) => this.#key(project_id, "parts", parts.name, String(at)));
  }

  #key(project_id, ...rest) {
    return [...this.#prefix, project_id, ...rest];
  }
}

/** The keys of a shelf, which the project keeps beside its rows. */
function listOf(rows, shelf) {
  return JSON.parse(rows.get(`keys ${shelf}`)?.text ?? "[]");
}

/** The text of that list after some changes. */
function keysAfter(keys, changes) {
  const after = new Set(keys);
  for (const { key, text } of changes) {
    if (text === undefined) after.delete(key);
    else after.add(key);
  }
  return JSON.stringify([...after]);
}

/** Waits longer the more often somebody else was faster, and never as long as they do. */
function pause(tried) {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(2 ** tried, 60)));
}

function nonce() {
  return Array.from(globalThis.crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
