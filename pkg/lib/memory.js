// A store in memory, for tests, previews and small tools; also the example of how to write one.
import { deciding, selecting } from "./decide.js";
import { TuckboxError } from "./error.js";
import { JsonText, toText } from "./json.js";
import { items, members } from "./raw.js";
import { KEYS, SHELVES, answersText, columns, columnsOf, idOf, keyOf, placed, rowOf, rowText, withFollowed } from "./rows.js";

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
    const select = await selecting(reads);
    const project = this.#projects.get(reads.project_id) ?? new Project();
    // text: the core reads it once, and no number in a card passes through JavaScript
    return project.answers(reads, select);
  }

  /** Applies the whole batch, or nothing. */
  async commit(writes, { text } = {}) {
    const batch = await deciding(writes, text);
    return this.project(writes.project_id).apply(batch, writes.operation_id);
  }

  /** Registers profiles; one with the same name in any case is replaced. */
  async addProfiles(project_id, rows) {
    for (const row of rows) this.project(project_id).addProfile(row);
  }

  /** Everything in the store as JSON text; `memoryStore` takes it back. */
  export() {
    const projects = Array.from(this.#projects, ([id, project]) => project.export(id));
    return `{"projects":[${projects.join(",")}]}`;
  }
}

/** Tables that an export writes as lists of plain rows. */
const LISTED = { profiles: "project_profiles", agents: "project_agents" };

/** The tables of one project. Rows are JSON text, column by column. */
class Project {
  #shelves = Object.fromEntries(SHELVES.map((name) => [name, new Map()]));
  #operations = new Map();
  /** How often a row was put by hand: each time is another version. */
  #hands = 0;

  /** Registers a profile: `{ name, profile_box_id, .. }`. */
  addProfile(row) {
    return this.addRow("project_profiles", row);
  }

  /** Puts an agent: `{ agent_id, profile_box_id, .. }`. */
  addAgent(row) {
    return this.addRow("project_agents", row);
  }

  /** Puts a row of a declared table as it stands. */
  addRow(table, row, version) {
    return this.#addRow(table, columns(row), version);
  }

  #addRow(table, row, version = `by hand ${(this.#hands += 1)}`) {
    const { shelf, key, text } = placed(table, row, version);
    this.#shelves[shelf].set(key, text);
    return this;
  }

  /** Puts a box: `{ box_id, card_ids, .. }`, at version 1 unless it says otherwise. */
  addBox(row) {
    return this.#addBox(columns(row));
  }

  #addBox(box) {
    for (const [name, text] of [["card_ids", "[]"], ["parent_ids", "[]"], ["version", "1"], ["deleted_at", "null"]]) {
      if (!box.has(name)) box.set(name, text);
    }
    return this.#add("boxes", box);
  }

  /** Puts a card as it stands: `{ card_id, content, metadata, .. }`. */
  addCard(row) {
    return this.#add("cards", columns(row));
  }

  /** Puts a file: `{ path, text }`. */
  addFile(row) {
    return this.#add("files", columns(row));
  }

  answers(reads, select) {
    const rows = { ...this.#rows, select };
    return answersText(withFollowed(reads, rows), rows);
  }

  apply(batch, operation_id) {
    const { receipt, changes, operation } = batch.decide(this.#rows, this.#operations.get(operation_id));
    for (const { shelf, key, text } of changes) {
      if (text === undefined) this.#shelves[shelf].delete(key);
      else this.#shelves[shelf].set(key, text);
    }
    if (operation !== undefined) this.#operations.set(operation_id, operation);
    return receipt;
  }

  export(project_id) {
    const list = (name, texts) => `"${name}":[${Array.from(texts).join(",")}]`;
    const kinds = Object.keys(KEYS).map((kind) => list(kind, this.#shelves[kind].values()));
    const listed = Object.entries(LISTED).map(([name, table]) => list(name, Array.from(this.#shelves[table].values(), withVersion)));
    const others = SHELVES.filter((name) => !Object.hasOwn(KEYS, name) && !Object.values(LISTED).includes(name) && this.#shelves[name].size > 0);
    const rows = others.flatMap((name) => Array.from(this.#shelves[name].values(), (text) => `{"table":${JSON.stringify(name)},${text.slice(1)}`));
    const operations = Array.from(this.#operations, ([id, text]) => `{"operation_id":${JSON.stringify(id)},${text.slice(1)}`);
    return `{"project_id":${JSON.stringify(project_id)},${[...listed, ...kinds, list("rows", rows), list("operations", operations)].join(",")}}`;
  }

  /** Takes back what an export wrote: the text of every table, of which somebody has made sure that it is JSON. */
  load(tables) {
    const each = (name, take) => {
      for (const text of items(tables.get(name) ?? "[]")) take(rowOf(text));
    };
    for (const [name, table] of Object.entries(LISTED)) {
      each(name, (row) => {
        const version = row.get("version");
        row.delete("version");
        this.#addRow(table, row, version === undefined ? undefined : String(JSON.parse(version)));
      });
    }
    each("boxes", (row) => this.#addBox(row));
    // of these there are most, and nothing but their key is looked at: they stay as they are written
    for (const kind of ["cards", "files"]) {
      for (const text of items(tables.get(kind) ?? "[]")) this.#shelves[kind].set(keyOf(text, KEYS[kind]), text);
    }
    each("rows", (row) => this.#addRow(idOf(row, "table"), rowOf(row.get("row") ?? "{}"), idOf(row, "version")));
    each("operations", (row) => {
      const operation_id = idOf(row, "operation_id");
      row.delete("operation_id");
      this.#operations.set(operation_id, rowText(row));
    });
  }

  get #rows() {
    return {
      find: (shelf, key) => (shelf === "operations" ? this.#operations : this.#shelves[shelf]).get(key),
      all: (shelf) => this.#shelves[shelf].values(),
      paths: () => this.#shelves.files.keys(),
    };
  }

  #add(kind, row) {
    this.#shelves[kind].set(idOf(row, KEYS[kind]), rowText(row));
    return this;
  }
}

/** The columns of a row of a table, and its version among them. */
function withVersion(text) {
  return rowText(columnsOf(text).set("version", new Map(members(text)).get("version")));
}

function load(store, exported) {
  const text = typeof exported === "string" ? new JsonText(exported).toString() : toText(exported, "bad_request");
  for (const project of items(new Map(members(text)).get("projects") ?? "[]")) {
    const tables = new Map(members(project));
    store.project(JSON.parse(tables.get("project_id") ?? "null")).load(tables);
  }
}
