// A store in memory, for tests, previews and small tools; also an example of a store.
/** @import { AgentRow, ProfileRow } from "../types/cards.js" */
/** @import { JsonInput } from "../types/json.js" */
/** @import { MemoryStore as Declared, Reads, StoredBox, StoredCard, StoredFile, Writes } from "../types/store.js" */
/** @import { Columns, Select, Shelves } from "./rows.js" */
import { deciding, selecting } from "./decide.js";
import { TuckboxError } from "./error.js";
import { JsonText, toText } from "./json.js";
import { items, members } from "./raw.js";
import { answersText, columns, columnsOf, idOf, KEYS, keyOf, placed, rowOf, rowText, SHELVES, withFollowed } from "./rows.js";

/**
 * Returns a store in memory: an empty one, or a copy of an exported one.
 *
 * @param {string | JsonInput} [exported]
 * @returns {Declared}
 */
export function memoryStore(exported) {
  const store = new MemoryStore();
  if (exported !== undefined) load(store, exported);
  return store;
}

class MemoryStore {
  #projects = /** @type {Map<string, Project>} */ (new Map());

  /**
   * Returns the tables of a project, to fill them by hand.
   *
   * @param {string} project_id
   */
  project(project_id) {
    if (typeof project_id !== "string" || project_id === "") {
      throw new TuckboxError("bad_request", "the id of a project must be a string that is not empty", { path: "project_id" });
    }
    const project = this.#projects.get(project_id) ?? new Project();
    this.#projects.set(project_id, project);
    return project;
  }

  /**
   * Answers every requested key, as a row or as missing.
   *
   * @param {Reads} reads
   */
  async read(reads) {
    const select = await selecting(reads);
    const project = this.#projects.get(reads.project_id) ?? new Project();
    // text, so that no number of a card becomes a JavaScript number
    return project.answers(reads, select);
  }

  /**
   * Applies the whole batch, or nothing.
   *
   * @param {Writes} writes
   * @param {{ text?: string }} [more]
   */
  async commit(writes, { text } = {}) {
    const batch = await deciding(writes, text);
    return this.project(writes.project_id).apply(batch, writes.operation_id);
  }

  /**
   * Registers profiles. A profile replaces one with the same name; case is ignored.
   *
   * @param {string} project_id
   * @param {readonly ProfileRow[]} rows
   */
  async addProfiles(project_id, rows) {
    for (const row of rows) this.project(project_id).addProfile(row);
  }

  /** Returns the ids of the projects. */
  projects() {
    return [...this.#projects.keys()];
  }

  /** Returns everything in the store as JSON text for `memoryStore`. */
  export() {
    const projects = Array.from(this.#projects, ([id, project]) => project.export(id));
    return `{"projects":[${projects.join(",")}]}`;
  }
}

/**
 * Tables that an export writes as lists of plain rows.
 *
 * @type {{ [name: string]: string }}
 */
const LISTED = { profiles: "project_profiles", agents: "project_agents" };

/** The members of a project in an export. */
const MEMBERS = ["project_id", ...Object.keys(LISTED), ...Object.keys(KEYS), "rows", "operations"];

/** The tables of one project. Rows are JSON text, column by column. */
class Project {
  #shelves = /** @type {{ [shelf: string]: Map<string, string> }} */ (Object.fromEntries(SHELVES.map((name) => [name, new Map()])));
  #operations = /** @type {Map<string, string>} */ (new Map());
  /** What an export of other software has, verbatim: members of the project, and rows of other tables. */
  #others = { members: /** @type {[name: string, text: string][]} */ ([]), rows: /** @type {string[]} */ ([]) };
  /** The number of rows added by hand: each has its own version. */
  #hands = 0;

  /**
   * Registers a profile: `{ name, profile_box_id, .. }`.
   *
   * @param {ProfileRow | JsonInput} row
   */
  addProfile(row) {
    return this.addRow("project_profiles", row);
  }

  /**
   * Adds an agent: `{ agent_id, profile_box_id, .. }`.
   *
   * @param {AgentRow | JsonInput} row
   */
  addAgent(row) {
    return this.addRow("project_agents", row);
  }

  /**
   * Adds a row of a declared table, verbatim.
   *
   * @param {string} table
   * @param {JsonInput | object} row
   * @param {string} [version]
   */
  addRow(table, row, version) {
    return this.#addRow(table, columns(row), version);
  }

  /** @param {string} table @param {Columns} row @param {string} [version] */
  #addRow(table, row, version = `by hand ${(this.#hands += 1)}`) {
    const { shelf, key, text } = placed(table, row, version);
    this.#shelves[shelf].set(key, text);
    return this;
  }

  /**
   * Adds a box: `{ box_id, card_ids, .. }`. Its version is 1 by default.
   *
   * @param {StoredBox | JsonInput} row
   */
  addBox(row) {
    return this.#addBox(columns(row));
  }

  /** @param {Columns} box */
  #addBox(box) {
    for (const [name, text] of [
      ["card_ids", "[]"],
      ["parent_ids", "[]"],
      ["version", "1"],
      ["deleted_at", "null"],
    ]) {
      if (!box.has(name)) box.set(name, text);
    }
    return this.#add("boxes", box);
  }

  /**
   * Adds a card, verbatim: `{ card_id, content, metadata, .. }`.
   *
   * @param {StoredCard | JsonInput} row
   */
  addCard(row) {
    return this.#add("cards", columns(row));
  }

  /**
   * Adds a file: `{ path, text }`.
   *
   * @param {StoredFile | JsonInput} row
   */
  addFile(row) {
    return this.#add("files", columns(row));
  }

  /** @param {Reads} reads @param {Select | undefined} select */
  answers(reads, select) {
    const rows = { ...this.#rows, select };
    return answersText(withFollowed(reads, rows), rows);
  }

  /** @param {Awaited<ReturnType<typeof deciding>>} batch @param {string} operation_id */
  apply(batch, operation_id) {
    const { receipt, changes, operation } = batch.decide(this.#rows, this.#operations.get(operation_id));
    for (const { shelf, key, text } of changes) {
      if (text === undefined) this.#shelves[shelf].delete(key);
      else this.#shelves[shelf].set(key, text);
    }
    if (operation !== undefined) this.#operations.set(operation_id, operation);
    return receipt;
  }

  /** @param {string} project_id */
  export(project_id) {
    /** @param {string} name @param {Iterable<string>} texts */
    const list = (name, texts) => `"${name}":[${Array.from(texts).join(",")}]`;
    const kinds = Object.keys(KEYS).map((kind) => list(kind, this.#shelves[kind].values()));
    const listed = Object.entries(LISTED).map(([name, table]) => list(name, Array.from(this.#shelves[table].values(), withVersion)));
    const others = SHELVES.filter(
      (name) => !Object.hasOwn(KEYS, name) && !Object.values(LISTED).includes(name) && this.#shelves[name].size > 0,
    );
    const rows = others.flatMap((name) =>
      Array.from(this.#shelves[name].values(), (text) => `{"table":${JSON.stringify(name)},${text.slice(1)}`),
    );
    rows.push(...this.#others.rows);
    const members = this.#others.members.map(([name, text]) => `${JSON.stringify(name)}:${text}`);
    const operations = Array.from(this.#operations, ([id, text]) => `{"operation_id":${JSON.stringify(id)},${text.slice(1)}`);
    return `{"project_id":${JSON.stringify(project_id)},${[...listed, ...kinds, list("rows", rows), list("operations", operations), ...members].join(",")}}`;
  }

  /**
   * Loads the text of every table of an export, which must be valid JSON.
   *
   * @param {Columns} tables
   */
  load(tables) {
    this.#others.members = Array.from(tables).filter(([name]) => !MEMBERS.includes(name));
    /** @param {string} name @param {(row: Columns) => void} take */
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
    // most rows are cards and files: they stay text, and only their key is read
    for (const kind of ["cards", "files"]) {
      for (const text of items(tables.get(kind) ?? "[]")) this.#shelves[kind].set(keyOf(text, KEYS[kind]), text);
    }
    for (const text of items(tables.get("rows") ?? "[]")) {
      const row = rowOf(text);
      const table = idOf(row, "table");
      if (SHELVES.includes(table)) this.#addRow(table, rowOf(row.get("row") ?? "{}"), idOf(row, "version"));
      else this.#others.rows.push(text);
    }
    each("operations", (row) => {
      const operation_id = idOf(row, "operation_id");
      row.delete("operation_id");
      this.#operations.set(operation_id, rowText(row));
    });
  }

  /** @returns {Shelves} */
  get #rows() {
    return {
      find: (shelf, key) => (shelf === "operations" ? this.#operations : this.#shelves[shelf]).get(key),
      all: (shelf) => this.#shelves[shelf].values(),
      paths: () => this.#shelves.files.keys(),
    };
  }

  /** @param {string} kind @param {Columns} row */
  #add(kind, row) {
    this.#shelves[kind].set(idOf(row, KEYS[kind]), rowText(row));
    return this;
  }
}

/**
 * Returns the columns of a row of a table and its version.
 *
 * @param {string} text
 */
function withVersion(text) {
  return rowText(columnsOf(text).set("version", new Map(members(text)).get("version") ?? "null"));
}

/** @param {MemoryStore} store @param {unknown} exported */
function load(store, exported) {
  const text = typeof exported === "string" ? new JsonText(exported).toString() : toText(exported, "bad_request");
  const parts = new Map(members(text));
  checkFormat(parts.get("format") ?? String(FORMAT));
  for (const project of items(parts.get("projects") ?? "[]")) {
    const tables = new Map(members(project));
    store.project(JSON.parse(tables.get("project_id") ?? "null")).load(tables);
  }
}

/** The format of exports and project files. One without `format` has format 1. */
const FORMAT = 1;

/** @param {string} format */
function checkFormat(format) {
  if (!/^[1-9]\d*$/.test(format)) {
    throw new TuckboxError("bad_request", `\`format\` must be a whole number, found \`${format.slice(0, 80)}\``);
  }
  if (Number(format) > FORMAT) {
    const message = `it has format ${format}, made by a newer version of this package; expected format ${FORMAT}: use a newer version`;
    throw new TuckboxError("bad_request", message);
  }
}
