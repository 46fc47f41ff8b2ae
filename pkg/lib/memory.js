// A store in memory, for tests, previews and small tools; also the example of how to write one.
import { Batch } from "./batch.js";
import { TuckboxError } from "./error.js";
import { JsonText, toText } from "./json.js";
import { items, members } from "./raw.js";
import { KEYS, answersText, columns, directoryRow, fold, idOf, isInside, rowText } from "./rows.js";

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
    if (typeof project_id !== "string" || project_id === "") {
      throw new TuckboxError("bad_request", "a project has an id", { path: "project_id" });
    }
    if (!this.#projects.has(project_id)) this.#projects.set(project_id, new Project());
    return this.#projects.get(project_id);
  }

  /** Answers every key that is asked for, as a row or as missing. */
  async read(reads) {
    const project = this.#projects.get(reads.project_id) ?? new Project();
    // text: the core reads it once, and no number in a card passes through JavaScript
    return answersText(reads, (kind, key) => project.find(kind, key));
  }

  /** Applies the whole batch, or nothing. */
  async commit(writes, { text } = {}) {
    return this.project(writes.project_id).apply(new Batch(writes, text));
  }

  /** Everything in the store as JSON text; `memoryStore` takes it back. */
  export() {
    const projects = Array.from(this.#projects, ([id, project]) => project.export(id));
    return `{"projects":[${projects.join(",")}]}`;
  }
}

/** The tables of one project. Rows are JSON text, column by column. */
class Project {
  #tables = Object.fromEntries(Object.keys(KEYS).map((kind) => [kind, new Map()]));
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

  /** The text of a row, if there is one. */
  find(kind, key) {
    if (kind === "directories") {
      return directoryRow(key, [...this.#tables.files.keys()].filter((path) => isInside(key, path)));
    }
    const row = kind === "profiles_by_box" ? this.#profileOf(key) : this.#tables[kind].get(fold(kind, key));
    return row === undefined ? undefined : rowText(row);
  }

  apply(batch) {
    const before = this.#operations.get(batch.writes.operation_id);
    if (before !== undefined) return { ...before, repeated: true };
    const { puts, receipt } = batch.decide((kind, key) => this.#tables[kind].get(key));
    for (const [kind, key, row] of puts) this.#tables[kind].set(key, row);
    this.#operations.set(receipt.operation_id, receipt);
    return receipt;
  }

  export(project_id) {
    const table = (kind) => `"${kind}":[${Array.from(this.#tables[kind].values(), rowText).join(",")}]`;
    const tables = Object.keys(KEYS).map(table);
    const operations = JSON.stringify([...this.#operations.values()]);
    return `{"project_id":${JSON.stringify(project_id)},${tables.join(",")},"operations":${operations}}`;
  }

  /** Takes back what a receipt of an earlier life said. */
  addOperation(receipt) {
    this.#operations.set(receipt.operation_id, receipt);
    return this;
  }

  #profileOf(box_id) {
    const owns = (row) => JSON.parse(row.get("profile_box_id") ?? "null") === box_id;
    return [...this.#tables.profiles.values()].find(owns);
  }

  #add(kind, row) {
    this.#tables[kind].set(fold(kind, idOf(row, KEYS[kind])), row);
    return this;
  }
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
