// The routes: their parameters, their actions and their answers.
/** @import { Action } from "../../types/http.js" */
/** @import { AbortSignalLike, Store } from "../../types/store.js" */
/** @import { OpenOptions, Preview, Workspace } from "../../types/workspace.js" */
/** @import { Environment } from "../workspace.js" */
/** @import { Promised, Subject, Tokens } from "./token.js" */
import { TuckboxError } from "../error.js";
import { ask } from "../host.js";
import { isBytes, knownText, toText } from "../json.js";
import { members } from "../raw.js";
import { auditRefusal } from "../refusal.js";
import { rowOf, rowText } from "../rows.js";
import { callText } from "../workspace.js";
import { INTERNAL } from "./responses.js";
import { fingerprint } from "./token.js";
import { checkAnswers, checkReceipt, only, readsOf, texts, tooMany, writesOf } from "./wire.js";

const PROJECT = "/projects/{project_id}";

/**
 * What a route needs of one request.
 *
 * @typedef {object} Context
 * @property {() => Promise<Workspace>} workspace
 * @property {(store: Store, options: OpenOptions) => Promise<Workspace>} open
 * @property {Tokens} tokens
 * @property {Subject} subject
 * @property {Store} store
 * @property {string} project_id
 * @property {any} op
 * @property {{ [name: string]: string }} params
 * @property {string} body
 * @property {URL} url
 * @property {Environment} env
 * @property {number} clock
 * @property {number} maxIds
 * @property {number} previewSeconds
 * @property {{ timeoutMs: number, signal: AbortSignalLike | undefined }} options
 */

/**
 * A route. The host allows or denies its `action`; `run` returns the text of the answer.
 *
 * @typedef {object} Route
 * @property {"GET" | "POST"} method
 * @property {string} path
 * @property {Action} action
 * @property {string} name
 * @property {string} summary
 * @property {string} [body]
 * @property {string} answer
 * @property {{ [name: string]: string }} [query]
 * @property {(context: Context) => Promise<string>} run
 */

/** @type {readonly Route[]} */
export const ROUTES = [
  {
    method: "GET",
    path: `${PROJECT}/boxes/{box_id}`,
    action: "read",
    name: "getBox",
    summary: "One box",
    answer: "Box",
    run: ({ workspace, params }) => one(workspace, "boxes", params.box_id),
  },
  {
    method: "POST",
    path: `${PROJECT}/boxes/batch`,
    action: "read",
    name: "getBoxes",
    summary: "Boxes in the requested order, each once",
    body: "BoxIds",
    answer: "Boxes",
    run: ({ workspace, body, maxIds }) => many(workspace, "boxes", idsOf(body, "box_ids", maxIds)),
  },
  {
    method: "GET",
    path: `${PROJECT}/boxes/{box_id}/cards`,
    action: "read",
    name: "getBoxCards",
    summary: "The cards of a box, each once",
    answer: "Cards",
    run: async ({ workspace, params }) => listed(await previewed(workspace, "get_box_cards", { box_id: params.box_id }), "cards"),
  },
  {
    method: "POST",
    path: `${PROJECT}/cards/batch`,
    action: "read",
    name: "getCards",
    summary: "Cards in the requested order, each once",
    body: "CardIds",
    answer: "Cards",
    run: ({ workspace, body, maxIds }) => many(workspace, "cards", idsOf(body, "card_ids", maxIds)),
  },
  {
    method: "GET",
    path: `${PROJECT}/cards/{card_id}`,
    action: "read",
    name: "getCard",
    summary: "One card",
    answer: "Card",
    run: ({ workspace, params }) => one(workspace, "cards", params.card_id),
  },
  {
    method: "POST",
    path: `${PROJECT}/operations/{op}/preview`,
    action: "preview",
    name: "preview",
    summary: "Previews an operation; nothing is written",
    body: "Arguments",
    answer: "Preview",
    query: { entries: "`true` to include the entries of the ledger" },
    run: previewOperation,
  },
  {
    method: "POST",
    path: `${PROJECT}/operations/{op}/commit`,
    action: "commit",
    name: "commit",
    summary: "Commits an operation, or exactly what a preview showed",
    body: "Arguments",
    answer: "Committed",
    query: { preview: "The token of a preview with the same arguments" },
    run: commitOperation,
  },
  {
    method: "POST",
    path: `${PROJECT}/store/read`,
    action: "store_read",
    name: "storeRead",
    summary: "One batch of reads, for a remote store",
    body: "Reads",
    answer: "Answers",
    run: storeRead,
  },
  {
    method: "POST",
    path: `${PROJECT}/store/commit`,
    action: "store_commit",
    name: "storeCommit",
    summary: "One batch of writes, for a remote store",
    body: "Writes",
    answer: "Receipt",
    run: storeCommit,
  },
];

/**
 * Returns the text of the value of an operation.
 *
 * @param {Context["workspace"]} workspace
 * @param {"get_boxes" | "get_cards" | "get_box_cards"} op
 * @param {any} args
 */
async function previewed(workspace, op, args) {
  const preview = await (await workspace()).preview(op, args);
  return preview.valueText;
}

/**
 * Returns `{ boxes, missing_boxes: [{ id, reason }] }` as `{ boxes, missing_box_ids: [id] }`.
 *
 * @param {string} text
 * @param {"boxes" | "cards"} kind
 */
function listed(text, kind) {
  const parts = new Map(members(text));
  const missing = JSON.parse(parts.get(`missing_${kind}`) ?? "[]").map((/** @type {{ id: string }} */ { id }) => id);
  return `{"${kind}":${parts.get(kind)},"missing_${ID[kind]}s":${JSON.stringify(missing)}}`;
}

const ID = { boxes: "box_id", cards: "card_id" };
const GET = /** @type {const} */ ({ boxes: ["get_boxes", "box_ids"], cards: ["get_cards", "card_ids"] });

/** @param {Context["workspace"]} workspace @param {"boxes" | "cards"} kind @param {readonly string[]} ids */
async function many(workspace, kind, ids) {
  const [op, name] = GET[kind];
  return listed(await previewed(workspace, op, { [name]: ids }), kind);
}

/** @param {Context["workspace"]} workspace @param {"boxes" | "cards"} kind @param {string} id */
async function one(workspace, kind, id) {
  const [op, name] = GET[kind];
  const parts = new Map(members(await previewed(workspace, op, { [name]: [id] })));
  const [missing] = JSON.parse(parts.get(`missing_${kind}`) ?? "[]");
  if (missing === undefined) return (parts.get(kind) ?? "").trim().slice(1, -1);
  throw new TuckboxError("not_found", `${kind === "boxes" ? "box" : "card"} \`${id}\` does not exist`, {
    path: ID[kind],
    details: missing,
  });
}

/** @param {string} text @param {string} name @param {number} maxIds @returns {string[]} */
function idsOf(text, name, maxIds) {
  const body = JSON.parse(text);
  only(body, [name], "");
  if (texts(body[name], name).length > maxIds) throw tooMany(maxIds);
  return [...new Set(body[name])];
}

/** @param {Context} context */
async function previewOperation({ workspace, tokens, subject, op, body, env, url }) {
  const preview = await (await workspace()).preview(op, knownText(body), env);
  // read once: each access creates the text again
  const { writesText } = preview;
  const { boxes, dropped } = preview.ledger;
  const wanted = url.searchParams.get("entries") === "true";
  const accounts = boxes.map((account) => {
    const { box_id, length, swallowed } = account;
    return wanted ? { box_id, length, swallowed, entries: account.entries() } : { box_id, length, swallowed };
  });
  const token = await tokens.write({ ...env, hash: await fingerprint(writesText), operation_id: preview.operationId }, subject);
  const parts = {
    value: knownText(preview.valueText),
    writes: knownText(writesText),
    lints: preview.lints,
    ledger: { boxes: accounts, dropped },
    content_hash: preview.contentHash,
    preview: token,
  };
  return toText(parts, INTERNAL);
}

/** @param {Context} context */
async function commitOperation({ workspace, tokens, subject, store, project_id, op, body, env, url, clock, previewSeconds, options }) {
  const token = url.searchParams.get("preview");
  const promised = token === null ? undefined : await tokens.read(token, subject, clock, previewSeconds);
  const project = await workspace();
  const again = async () => (promised === undefined ? undefined : applied(store, project_id, promised, options));
  /** @type {Preview<any>} */
  let preview;
  try {
    preview = await project.preview(op, knownText(body), promised ? { now: promised.now, entropy: promised.entropy } : env);
  } catch (error) {
    const receipt = await again();
    if (receipt !== undefined) return committed(undefined, receipt);
    await auditRefusal(project, () => knownText(callText({ op, args: knownText(body) })), error);
    throw error;
  }
  if (promised !== undefined && (await fingerprint(preview.writesText)) !== promised.hash) {
    const receipt = await again();
    if (receipt !== undefined) return committed(undefined, receipt);
    const message = "the result of the preview changed; preview again";
    throw new TuckboxError("conflict", message, { path: "preview" });
  }
  return committed(preview, await preview.commit());
}

/** @param {Preview<any> | undefined} preview @param {object} receipt */
function committed(preview, receipt) {
  const parts = preview && { value: knownText(preview.valueText), lints: preview.lints, content_hash: preview.contentHash };
  return toText({ value: null, lints: [], content_hash: null, ...parts, receipt }, INTERNAL);
}

/**
 * Returns the receipt of an operation that was applied before, if the store can read it.
 *
 * @param {Store} store
 * @param {string} project_id
 * @param {Promised} promised
 * @param {Context["options"]} options
 */
async function applied(store, project_id, { operation_id }, options) {
  const answers = JSON.parse(textOf(await ask(store, "read", { project_id, operations: [operation_id] }, options)));
  const found = answers.operations?.find((/** @type {{ operation_id: string }} */ operation) => operation.operation_id === operation_id);
  return found && { ...checkReceipt(found.receipt, { operation_id }), repeated: true };
}

/**
 * Returns the answer of a store as text. A store answers with a value, JSON text or bytes.
 *
 * @param {unknown} answers
 */
function textOf(answers) {
  if (isBytes(answers)) return new TextDecoder().decode(answers);
  return typeof answers === "string" ? answers : toText(answers, "store", ["answers"]);
}

/** @param {Context} context */
async function storeRead({ store, project_id, body, maxIds, options }) {
  const reads = readsOf(body, project_id, maxIds);
  const text = textOf(await ask(store, "read", reads, options));
  checkAnswers(text, reads);
  return text;
}

/** @param {Context} context */
async function storeCommit({ store, project_id, body, options, open }) {
  const { writes, text, cards } = writesOf(body, project_id);
  await checkCards(open, project_id, writes.cards ?? [], cards);
  return toText(checkReceipt(await ask(store, "commit", writes, { ...options, text }), writes), "store", ["receipt"]);
}

/**
 * Rejects cards that the core cannot read, before they are written.
 *
 * @param {Context["open"]} open
 * @param {string} project_id
 * @param {readonly { card_id: string }[]} rows
 * @param {readonly string[]} cards
 */
async function checkCards(open, project_id, rows, cards) {
  if (rows.length === 0) return;
  /** The index and the text of each card to read, by its id. An answer has each id once. */
  const asked = /** @type {Map<string, { index: number, text: string }>} */ (new Map());
  const seen = new Set();
  for (const [index, { card_id }] of rows.entries()) {
    const text = cards[index];
    // a batch can have the same card many times
    if (seen.has(text)) continue;
    seen.add(text);
    const id = asked.has(card_id) ? `${card_id} ${globalThis.crypto.randomUUID()}` : card_id;
    asked.set(id, { index, text: id === card_id ? text : rowText(rowOf(text).set("card_id", JSON.stringify(id))) });
  }
  const texts = Array.from(asked.values(), ({ text }) => text);
  /** @type {Store} */
  const reader = { read: () => `{"cards":[${texts.join(",")}]}`, commit: () => /** @type {any} */ ({}) };
  const project = await open(reader, { projectId: project_id });
  try {
    const { value } = await project.preview("get_cards", { card_ids: [...asked.keys()] });
    const [wrong] = value.missing_cards.filter(({ reason }) => reason === "unreadable");
    if (wrong !== undefined) {
      const { why = "" } = /** @type {{ why?: string }} */ (wrong);
      const { index } = /** @type {{ index: number }} */ (asked.get(wrong.id));
      const inside = /cannot be read at `([^`]*)`/.exec(why)?.[1];
      throw new TuckboxError("invalid_content", why.replaceAll(wrong.id, rows[index].card_id), {
        path: `cards[${index}]${inside === undefined ? "" : `.${inside}`}`,
      });
    }
  } finally {
    project.dispose();
  }
}
