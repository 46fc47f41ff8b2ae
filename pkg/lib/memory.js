// A store in memory, for tests, previews and small tools; also the example of how to write one.
import { TuckboxError } from "./error.js";
import { JsonText, parseJson, toText } from "./json.js";
import { items, members } from "./raw.js";

/** What can be read by key, and the column that the key stands in. */
const KINDS = { profiles: "name", boxes: "box_id", cards: "card_id", agents: "agent_id", files: "path" };

/** A store in memory, empty or from what another one exported. */
export function memoryStore(exported) {
  const store = new MemoryStore();
  if (exported !== undefined) load(store, exported);
  return store;
}

class MemoryStore {
  #projects = new Map();

  /** The tables of a project, to fill them by hand. */
  project(project_id) {
    if (typeof project_id !== "string" || project_id === "") throw wrong("project_id", "a project has an id");
    if (!this.#projects.has(project_id)) this.#projects.set(project_id, new Project());
    return this.#projects.get(project_id);
  }

  /** Answers every key that is asked for, as a row or as missing. */
  async read(reads) {
    const project = this.#projects.get(reads.project_id) ?? new Project();
    const parts = [];
    for (const kind of [...Object.keys(KINDS), "directories"]) {
      const { found, missing } = project.find(kind, reads[kind] ?? []);
      parts.push(`"${kind}":[${found.join(",")}]`, `"missing_${kind}":${JSON.stringify(missing)}`);
    }
    // text: the core reads it once, and no number in a card passes through JavaScript
    return `{${parts.join(",")}}`;
  }

  /** Applies the whole batch, or nothing. */
  async commit(writes, { text = toText(writes, "store") } = {}) {
    return this.project(writes.project_id).apply(writes, text);
  }

  /** Everything in the store as JSON text; `memoryStore` takes it back. */
  export() {
    const projects = Array.from(this.#projects, ([id, project]) => project.export(id));
    return `{"projects":[${projects.join(",")}]}`;
  }
}

/** The tables of one project. Rows are JSON text, column by column. */
class Project {
  #tables = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, new Map()]));
  #operations = new Map();

  /** Registers a profile: `{ name, profile_box_id, .. }`. */
  addProfile(row) {
    return this.#add("profiles", columns(row));
  }

  /** Puts a box: `{ box_id, card_ids, .. }`, at version 1 unless it says otherwise. */
  addBox(row) {
    const box = columns(row);
    for (const [name, text] of [["card_ids", "[]"], ["parent_ids", "[]"], ["version", "1"], ["deleted_at", "null"]]) {
      if (!box.has(name)) box.set(name, text);
    }
    return this.#add("boxes", box);
  }

  /** Puts a card as it stands: `{ card_id, content, metadata, .. }`. */
  addCard(row) {
    return this.#add("cards", columns(row));
  }

  /** Puts an agent: `{ agent_id, profile_box_id, .. }`. */
  addAgent(row) {
    return this.#add("agents", columns(row));
  }

  /** Puts a file: `{ path, text }`. */
  addFile(row) {
    return this.#add("files", columns(row));
  }

  find(kind, keys) {
    const [found, missing] = [[], []];
    for (const key of keys) {
      const row = kind === "directories" ? this.#directory(key) : this.#tables[kind].get(fold(kind, key));
      if (row === undefined) missing.push(key);
      else found.push(rowText(row));
    }
    return { found, missing };
  }

  apply(writes, text) {
    const before = this.#operations.get(writes.operation_id);
    if (before !== undefined) return { ...before, repeated: true };
    const batch = new Map(members(text));
    const rows = (name) => (batch.has(name) ? items(batch.get(name)).map((row) => new Map(members(row))) : []);
    const cards = rows("cards");
    this.#checkCards(cards);
    const files = rows("files");
    this.#checkFiles(files);
    const boxes = this.#boxesAfter(writes, rows("boxes"));

    // nothing below can fail
    for (const card of cards) {
      if (!this.#tables.cards.has(idOf(card, "card_id"))) this.#add("cards", card);
    }
    for (const card_id of writes.delete_cards ?? []) {
      const card = this.#tables.cards.get(card_id);
      if (card !== undefined && (card.get("deleted_at") ?? "null") === "null") {
        card.set("deleted_at", JSON.stringify(writes.at));
      }
    }
    for (const agent of rows("agents")) this.#add("agents", agent);
    for (const file of files) this.#add("files", file);
    for (const box of boxes.values()) this.#add("boxes", box);
    const versions = Array.from(boxes, ([box_id, box]) => ({ box_id, version: versionOf(box) }));
    const receipt = { operation_id: writes.operation_id, repeated: false, boxes: versions };
    this.#operations.set(writes.operation_id, receipt);
    return receipt;
  }

  export(project_id) {
    const table = (kind) => `"${kind}":[${Array.from(this.#tables[kind].values(), rowText).join(",")}]`;
    const tables = Object.keys(KINDS).map(table);
    const operations = JSON.stringify([...this.#operations.values()]);
    return `{"project_id":${JSON.stringify(project_id)},${tables.join(",")},"operations":${operations}}`;
  }

  /** Takes back what a receipt of an earlier life said. */
  addOperation(receipt) {
    this.#operations.set(receipt.operation_id, receipt);
    return this;
  }

  #add(kind, row) {
    this.#tables[kind].set(fold(kind, idOf(row, KINDS[kind])), row);
    return this;
  }

  /** The files inside a directory, at any depth; nothing where there are none. */
  #directory(directory) {
    const paths = [...this.#tables.files.keys()].filter((path) => path.startsWith(`${directory}/`));
    if (paths.length === 0) return undefined;
    return new Map([["directory", JSON.stringify(directory)], ["paths", JSON.stringify(paths.sort())]]);
  }

  #checkFiles(files) {
    for (const file of files) {
      const path = idOf(file, "path");
      const there = this.#tables.files.get(path);
      if (there !== undefined && JSON.parse(there.get("text")) !== JSON.parse(file.get("text"))) {
        const message = `there is a file \`${path}\` already, with another text`;
        throw new TuckboxError("conflict", message, { details: { path } });
      }
    }
  }

  #checkCards(cards) {
    for (const card of cards) {
      const card_id = idOf(card, "card_id");
      const there = this.#tables.cards.get(card_id);
      if (there !== undefined && !sameValue(content(there), content(card))) {
        const message = `card \`${card_id}\` exists with other content; a card never changes, make a new one`;
        throw new TuckboxError("conflict", message, { details: { card_id } });
      }
    }
  }

  /** The boxes as they stand after the batch; refuses the batch before anything is touched. */
  #boxesAfter(writes, changes) {
    for (const { box_id, version } of writes.expects ?? []) {
      const found = this.#liveBox(box_id);
      if (found === undefined || versionOf(found) !== version) throw stale(box_id, version, found);
    }
    const touched = new Map();
    for (const change of changes) {
      const kind = JSON.parse(change.get("change"));
      const created = kind === "create" ? new Map(members(change.get("box"))) : undefined;
      const box_id = idOf(created ?? change, "box_id");
      const before = touched.get(box_id) ?? this.#liveBox(box_id);
      if (created !== undefined) {
        if (before !== undefined || this.#tables.boxes.has(box_id)) {
          throw new TuckboxError("conflict", `there is a box \`${box_id}\` already`, { details: { box_id } });
        }
        touched.set(box_id, created);
        continue;
      }
      const expected = change.has("version") ? versionOf(change) : undefined;
      if (before === undefined || (expected !== undefined && expected !== versionOf(before))) {
        throw stale(box_id, expected, before);
      }
      touched.set(box_id, changed(before, kind, change, writes.at));
    }
    return touched;
  }

  #liveBox(box_id) {
    const box = this.#tables.boxes.get(box_id);
    return box === undefined || box.get("deleted_at") !== "null" ? undefined : box;
  }
}

function changed(before, kind, change, at) {
  const after = new Map(before).set("version", String(versionOf(before) + 1));
  if (kind === "delete") return after.set("deleted_at", JSON.stringify(at));
  if (kind === "replace") return after.set("card_ids", change.get("card_ids"));
  const card_ids = [...JSON.parse(before.get("card_ids")), ...JSON.parse(change.get("card_ids"))];
  return after.set("card_ids", JSON.stringify(card_ids));
}

function stale(box_id, expected, found) {
  const now = found === undefined ? "is gone" : `is at version ${versionOf(found)}`;
  const message = `box \`${box_id}\` was read at version ${expected} and now ${now}`;
  const details = { box_id, expected, found: found === undefined ? null : versionOf(found) };
  return new TuckboxError("conflict", message, { details });
}

function load(store, exported) {
  const text = typeof exported === "string" ? new JsonText(exported).toString() : toText(exported, "bad_request");
  for (const projectText of items(new Map(members(text)).get("projects") ?? "[]")) {
    const tables = new Map(members(projectText));
    const project = store.project(JSON.parse(tables.get("project_id") ?? "null"));
    const rows = (kind) => items(tables.get(kind) ?? "[]").map((row) => new JsonText(row));
    for (const row of rows("profiles")) project.addProfile(row);
    for (const row of rows("boxes")) project.addBox(row);
    for (const row of rows("cards")) project.addCard(row);
    for (const row of rows("agents")) project.addAgent(row);
    for (const row of rows("files")) project.addFile(row);
    for (const receipt of JSON.parse(tables.get("operations") ?? "[]")) project.addOperation(receipt);
  }
}

/** A row as its columns: name to JSON text. */
function columns(row) {
  const text = toText(row, "bad_request");
  if (!text.trimStart().startsWith("{")) throw wrong("", "a row is an object");
  return new Map(members(text));
}

function rowText(row) {
  return `{${Array.from(row, ([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

function idOf(row, column) {
  const id = JSON.parse(row.get(column) ?? "null");
  if (typeof id !== "string") throw wrong(column, `the row has no \`${column}\``);
  return id;
}

function versionOf(row) {
  return JSON.parse(row.get("version") ?? "0");
}

/** Profiles are found by name in any case. */
function fold(kind, key) {
  return kind === "profiles" ? key.toLowerCase() : key;
}

/** What must be the same for two cards to be one: not when it was made, nor what became of it. */
function content(card) {
  const column = (name) => parseJson(card.get(name) ?? "null");
  const { created_at: _, ...metadata } = column("metadata") ?? {};
  return [metadata, ...["content", "tool_calls", "tool_call_id", "ttl_seconds"].map(column)];
}

function sameValue(a, b) {
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return a === b;
  const keys = Object.keys(a);
  if (Array.isArray(a) !== Array.isArray(b) || keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && sameValue(a[key], b[key]));
}

function wrong(path, message) {
  return new TuckboxError("bad_request", message, { path });
}
