// Checks the messages of a remote store. A store trusts the core, and these messages do not come from one.
/** @import { Reads, Writes } from "../../types/store.js" */
import { TuckboxError } from "../error.js";
import { parseJson } from "../json.js";
import { wrong } from "../options.js";
import { items, members } from "../raw.js";
import { KINDS } from "../rows.js";

/** The maximum limit of a list: the core reads all rows of a box, a turn or a batch, which are rarely many. */
const MAX_LIST = 1_000_000;
/** The number of lists of one request with the same rows. The core reads a few of them, with different limits. */
const MAX_SAME_ROWS = 4;
/** The number of kinds of reads that follow from rows in one request. Each is a part of a statement; the core has a few. */
const MAX_FOLLOW_KINDS = 32;

/**
 * Reads a batch of reads. A list counts as one id, and so does a read that follows from rows.
 *
 * @param {string} text
 * @param {string} project_id
 * @param {number} maxIds
 * @returns {Reads}
 */
export function readsOf(text, project_id, maxIds) {
  const body = object(parseJson(text), "");
  only(body, ["project_id", ...KINDS, "rows", "lists", "follow", "operations"], "");
  ownProject(body.project_id, project_id, "project_id");
  let count = 0;
  const selections = new Map();
  for (const kind of KINDS) {
    if (body[kind] === undefined) continue;
    count += texts(body[kind], kind).length;
    if (new Set(body[kind]).size < body[kind].length) throw wrong(kind, "a key appears twice");
  }
  list(body.rows, "rows", (row, path) => {
    only(row, ["table", "key"], path);
    count += texts(row.key, `${path}.key`).length > 0 ? 1 : 0;
  });
  /** @param {any} list @param {string} path */
  const rows = ({ limit }, path) => {
    if (!Number.isSafeInteger(limit) || limit < 0) throw wrong(`${path}.limit`, "expected a number of rows");
    if (limit > MAX_LIST) throw new TuckboxError("limit", `a list has at most ${MAX_LIST} rows`, { path: `${path}.limit` });
    count += 1;
  };
  list(body.lists, "lists", (row, path) => {
    only(row, ["table", "index", "of", "limit", "skip_locked"], path);
    const selected = JSON.stringify([row.table, row.index, texts(row.of, `${path}.of`)]);
    const times = (selections.get(selected) ?? 0) + 1;
    if (times > MAX_SAME_ROWS) throw new TuckboxError("limit", `more than ${MAX_SAME_ROWS} lists have the same rows`, { path });
    selections.set(selected, times);
    if (row.skip_locked !== undefined && typeof row.skip_locked !== "boolean")
      throw wrong(`${path}.skip_locked`, "expected `true` or `false`");
    rows(row, path);
  });
  /** @param {any} source */
  const sourceName = ({ table, key, index, of, limit = 1 }) => JSON.stringify([table, key, index, of, limit]);
  const sources = new Set([...(body.rows ?? []), ...(body.lists ?? [])].map(sourceName));
  const kinds = new Set();
  list(body.follow, "follow", (row, path) => {
    only(row, ["from", "to"], path);
    if (!sources.has(sourceName(object(row.from, `${path}.from`)))) throw wrong(`${path}.from`, "expected a row or a list of these reads");
    // each target counts; a source without one must not be free
    if (row.to?.length === 0) count += 1;
    kinds.add(JSON.stringify([row.from.table, row.from.index, row.to]));
    if (kinds.size > MAX_FOLLOW_KINDS)
      throw new TuckboxError("limit", `more than ${MAX_FOLLOW_KINDS} kinds of reads follow from rows`, { path });
    list(row.to ?? null, `${path}.to`, (named, place) => {
      only(
        named,
        named.box !== undefined ? ["box"] : named.key !== undefined ? ["table", "key"] : ["table", "index", "of", "limit"],
        place,
      );
      if (named.box === undefined && named.key === undefined) rows(named, place);
      else count += 1;
      const parts = named.key ?? named.of ?? [named.box];
      texts(Array.isArray(parts) ? parts.map((/** @type {any} */ part) => part?.column ?? part) : parts, place);
      texts(
        parts.map((/** @type {any} */ part) => part?.inside ?? ""),
        place,
      );
    });
  });
  count += texts(body.operations ?? [], "operations").length;
  if (count > maxIds) throw tooMany(maxIds);
  return { ...body, project_id };
}

/**
 * Reads a batch of writes, and the texts of its cards.
 *
 * @param {string} text
 * @param {string} project_id
 * @returns {{ writes: Writes, text: string, cards: string[] }}
 */
export function writesOf(text, project_id) {
  const writes = object(parseJson(text), "");
  if (/(?:^|[^\\])(?:\\\\)*\\u0000/.test(text)) {
    throw new TuckboxError("invalid_content", "the batch contains U+0000, which stores cannot keep");
  }
  only(
    writes,
    ["project_id", "operation_id", "at", "expects", "cards", "delete_cards", "erase_cards", "boxes", "agents", "files", "rows"],
    "",
  );
  ownProject(writes.project_id, project_id, "project_id");
  id(writes.operation_id, "operation_id");
  time(writes.at, "at");
  list(writes.expects, "expects", (row, path) => {
    only(row, ["table", "key", "version"], path);
    id(row.table, `${path}.table`);
    texts(row.key, `${path}.key`);
    if (row.version === undefined || !(row.version === null || typeof row.version === "string")) version(row.version, `${path}.version`);
  });
  list(writes.cards, "cards", (row, path) => {
    id(row.card_id, `${path}.card_id`);
    ownProject(row.tenant_id ?? undefined, project_id, `${path}.tenant_id`);
  });
  texts(writes.delete_cards ?? [], "delete_cards");
  texts(writes.erase_cards ?? [], "erase_cards");
  list(writes.boxes, "boxes", change);
  list(writes.agents, "agents", (row, path) => agent(row, path, project_id));
  list(writes.rows, "rows", (row, path) => {
    only(row, ["table", "key", "version", "row"], path);
    id(row.table, `${path}.table`);
    texts(row.key, `${path}.key`);
    if (typeof (row.version ?? "") !== "string") throw wrong(`${path}.version`, "expected a version");
    if (row.row === undefined) throw wrong(`${path}.row`, "expected a row, or null");
    if (row.row !== null) ownProject(object(row.row, `${path}.row`).project_id ?? undefined, project_id, `${path}.row.project_id`);
  });
  list(writes.files, "files", (row, path) => {
    id(row.path, `${path}.path`);
    if (typeof row.text !== "string") throw wrong(`${path}.text`, "expected text");
  });
  // the project of the URL replaces that of the body
  const parts = members(text).filter(([name]) => name !== "project_id");
  parts.push(["project_id", JSON.stringify(project_id)]);
  const whole = `{${parts.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
  return { writes: { ...writes, project_id }, text: whole, cards: items(new Map(parts).get("cards") ?? "[]") };
}

/**
 * Rejects answers with a row of another project.
 *
 * @param {string} text
 * @param {Reads} reads
 */
export function checkAnswers(text, reads) {
  const answers = parsedAnswers(text);
  const listed = (answers.lists ?? []).flatMap((/** @type {any} */ { rows }) => rows ?? []);
  const rowsOf = [...(answers.rows ?? []), ...listed].map(({ row }) => row);
  for (const [kind, rows] of Object.entries({ ...Object.fromEntries(KINDS.map((name) => [name, answers[name] ?? []])), rows: rowsOf })) {
    for (const row of rows) {
      if ([row.tenant_id, row.project_id].some((found) => (found ?? reads.project_id) !== reads.project_id)) {
        throw new TuckboxError("store", "the store answered with a row of another project", { path: `answers.${kind}` });
      }
    }
  }
}

/**
 * Returns the receipt of a store, which must be that of these writes.
 *
 * @param {any} receipt
 * @param {{ operation_id: string }} writes
 */
export function checkReceipt(receipt, { operation_id }) {
  const { repeated, boxes } = receipt ?? {};
  if (receipt?.operation_id !== operation_id || typeof repeated !== "boolean" || !Array.isArray(boxes)) {
    throw new TuckboxError("store", "the store must answer a commit with its receipt", { path: "receipt" });
  }
  return {
    operation_id,
    repeated,
    boxes: boxes.map((/** @type {{ box_id: string, version: number }} */ { box_id, version }) => ({ box_id, version })),
  };
}

/** @param {string} text */
function parsedAnswers(text) {
  try {
    return object(JSON.parse(text), "answers");
  } catch (cause) {
    throw new TuckboxError("store", "the store must answer with a JSON object", { path: "answers", cause });
  }
}

/** @param {any} row @param {string} path */
function change(row, path) {
  switch (row.change) {
    case "create": {
      const box = object(row.box, `${path}.box`);
      id(box.box_id, `${path}.box.box_id`);
      texts(box.card_ids ?? [], `${path}.box.card_ids`);
      texts(box.parent_ids ?? [], `${path}.box.parent_ids`);
      version(box.version ?? 1, `${path}.box.version`);
      if ((box.deleted_at ?? null) !== null) throw wrong(`${path}.box.deleted_at`, "a new box must not be deleted");
      return;
    }
    case "append":
    case "replace":
      texts(row.card_ids, `${path}.card_ids`);
      break;
    case "delete":
      break;
    default:
      throw wrong(`${path}.change`, "expected `create`, `append`, `replace` or `delete`");
  }
  id(row.box_id, `${path}.box_id`);
  if (row.change !== "append" || row.version !== undefined) version(row.version, `${path}.version`);
}

/** @param {any} row @param {string} path @param {string} project_id */
function agent(row, path, project_id) {
  id(row.agent_id, `${path}.agent_id`);
  ownProject(row.tenant_id ?? undefined, project_id, `${path}.tenant_id`);
  if (typeof (row.in_roster ?? true) !== "boolean") throw wrong(`${path}.in_roster`, "expected true or false");
  texts(row.tags ?? [], `${path}.tags`);
  optionalTexts(row, ["profile_box_id", "display_name", "worker_target"], path);
  for (const name of ["state", "pointers"]) {
    const part = object(row[name] ?? {}, `${path}.${name}`);
    optionalTexts(part, Object.keys(part), `${path}.${name}`);
  }
}

/** @param {any} row @param {readonly string[]} names @param {string} path */
function optionalTexts(row, names, path) {
  for (const name of names) if (typeof (row[name] ?? "") !== "string") throw wrong(`${path}.${name}`, "expected text");
}

/** @param {number} maxIds */
export function tooMany(maxIds) {
  return new TuckboxError("limit", `more than ${maxIds} ids in one request`, { details: { max_ids: maxIds } });
}

/**
 * Returns a list of strings.
 *
 * @param {unknown} value
 * @param {string} path
 * @returns {string[]}
 */
export function texts(value, path) {
  if (!Array.isArray(value)) throw wrong(path, "expected a list");
  const at = value.findIndex((item) => typeof item !== "string");
  if (at >= 0) throw wrong(`${path}[${at}]`, "expected text");
  return value;
}

/** @param {object} value @param {readonly string[]} known @param {string} path */
export function only(value, known, path) {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) throw wrong(path === "" ? unknown : `${path}.${unknown}`, `unknown key \`${unknown}\``);
}

/** @param {any} value @param {string} path @returns {any} */
function object(value, path) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(path, "expected an object");
  return value;
}

/** @param {unknown} value @param {string} path @param {(row: any, path: string) => void} check */
function list(value, path, check) {
  if (value === undefined) return;
  if (!Array.isArray(value)) throw wrong(path, "expected a list");
  for (const [index, row] of value.entries()) check(object(row, `${path}[${index}]`), `${path}[${index}]`);
}

/** @param {unknown} value @param {string} path */
function id(value, path) {
  if (typeof value !== "string" || value === "") throw wrong(path, "expected an id");
}

/** @param {unknown} value @param {string} path */
function version(value, path) {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) throw wrong(path, "expected a version, counted from 0");
}

/** @param {unknown} value @param {string} path */
function time(value, path) {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value) || Number.isNaN(Date.parse(value))) {
    throw wrong(path, "expected a time such as `2026-01-04T10:30:00.000Z`");
  }
}

/** @param {unknown} found @param {string} project_id @param {string} path */
function ownProject(found, project_id, path) {
  if (found !== undefined && found !== project_id) throw wrong(path, "must be the project of the URL");
}
