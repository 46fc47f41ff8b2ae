// Every route: what it is called with, who may, and what it answers.
import { TuckboxError } from "../error.js";
import { ask } from "../host.js";
import { isBytes, knownText, toText } from "../json.js";
import { members } from "../raw.js";
import { fingerprint } from "./token.js";
import { checkAnswers, checkReceipt, only, readsOf, texts, tooMany, writesOf } from "./wire.js";

const PROJECT = "/projects/{project_id}";

/**
 * The routes. `action` is what the host is asked to allow; `run` gets the context of one request
 * and gives the text of the answer.
 */
export const ROUTES = [
  {
    method: "GET", path: `${PROJECT}/boxes/{box_id}`, action: "read", name: "getBox", summary: "One box", answer: "Box",
    run: ({ workspace, params }) => one(workspace, "boxes", params.box_id),
  },
  {
    method: "POST", path: `${PROJECT}/boxes/batch`, action: "read", name: "getBoxes", summary: "Boxes in the order asked, each once", body: "BoxIds", answer: "Boxes",
    run: ({ workspace, body, max_ids }) => many(workspace, "boxes", idsOf(body, "box_ids", max_ids)),
  },
  {
    method: "GET", path: `${PROJECT}/boxes/{box_id}/cards`, action: "read", name: "getBoxCards", summary: "The cards of a box, each once", answer: "Cards",
    run: async ({ workspace, params }) => listed(await previewed(workspace, "get_box_cards", { box_id: params.box_id }), "cards"),
  },
  {
    method: "POST", path: `${PROJECT}/cards/batch`, action: "read", name: "getCards", summary: "Cards in the order asked, each once", body: "CardIds", answer: "Cards",
    run: ({ workspace, body, max_ids }) => many(workspace, "cards", idsOf(body, "card_ids", max_ids)),
  },
  {
    method: "GET", path: `${PROJECT}/cards/{card_id}`, action: "read", name: "getCard", summary: "One card", answer: "Card",
    run: ({ workspace, params }) => one(workspace, "cards", params.card_id),
  },
  {
    method: "POST", path: `${PROJECT}/operations/{op}/preview`, action: "preview", name: "preview", summary: "What an operation would do; nothing is written",
    body: "Arguments", answer: "Preview", query: { entries: "`true` for the ledger's entries as well" },
    run: previewOperation,
  },
  {
    method: "POST", path: `${PROJECT}/operations/{op}/commit`, action: "commit", name: "commit", summary: "Does an operation, or exactly what a preview showed",
    body: "Arguments", answer: "Committed", query: { preview: "The token of a preview that was made with the same arguments" },
    run: commitOperation,
  },
  {
    method: "POST", path: `${PROJECT}/store/read`, action: "store_read", name: "storeRead", summary: "One batch of reads, for a store on the other side", body: "Reads", answer: "Answers",
    run: storeRead,
  },
  {
    method: "POST", path: `${PROJECT}/store/commit`, action: "store_commit", name: "storeCommit", summary: "One batch of writes, for a store on the other side", body: "Writes", answer: "Receipt",
    run: storeCommit,
  },
];

/** The text of an operation's value. */
async function previewed(workspace, op, args) {
  const preview = await (await workspace()).preview(op, args);
  return preview.valueText;
}

/** `{ boxes, missing_boxes: [{ id, reason }] }` as `{ boxes, missing_box_ids: [id] }`. */
function listed(text, kind) {
  const parts = new Map(members(text));
  const missing = JSON.parse(parts.get(`missing_${kind}`)).map(({ id }) => id);
  return `{"${kind}":${parts.get(kind)},"missing_${ID[kind]}s":${JSON.stringify(missing)}}`;
}

const ID = { boxes: "box_id", cards: "card_id" };
const GET = { boxes: ["get_boxes", "box_ids"], cards: ["get_cards", "card_ids"] };

async function many(workspace, kind, ids) {
  const [op, name] = GET[kind];
  return listed(await previewed(workspace, op, { [name]: ids }), kind);
}

async function one(workspace, kind, id) {
  const [op, name] = GET[kind];
  const parts = new Map(members(await previewed(workspace, op, { [name]: [id] })));
  const [missing] = JSON.parse(parts.get(`missing_${kind}`));
  if (missing === undefined) return parts.get(kind).trim().slice(1, -1);
  throw new TuckboxError("not_found", `there is no ${kind === "boxes" ? "box" : "card"} \`${id}\``, { path: ID[kind], details: missing });
}

function idsOf(text, name, max_ids) {
  const body = JSON.parse(text);
  only(body, [name], "");
  if (texts(body[name], name).length > max_ids) throw tooMany(max_ids);
  return [...new Set(body[name])];
}

async function previewOperation({ workspace, tokens, subject, op, body, env, url }) {
  const preview = await (await workspace()).preview(op, knownText(body), env);
  // made anew whenever it is asked for
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
  return toText(parts, "internal");
}

async function commitOperation({ workspace, tokens, subject, store, project_id, op, body, env, url, clock, preview_seconds, options }) {
  const token = url.searchParams.get("preview");
  const promised = token === null ? undefined : await tokens.read(token, subject, clock, preview_seconds);
  const project = await workspace();
  const again = promised && (() => applied(store, project_id, promised, options));
  let preview;
  try {
    preview = await project.preview(op, knownText(body), promised ? { now: promised.now, entropy: promised.entropy } : env);
  } catch (error) {
    const receipt = await again?.();
    if (receipt === undefined) throw error;
    return committed(undefined, receipt);
  }
  if (promised !== undefined && (await fingerprint(preview.writesText)) !== promised.hash) {
    const receipt = await again();
    if (receipt !== undefined) return committed(undefined, receipt);
    const message = "what the preview showed has changed meanwhile; make it again";
    throw new TuckboxError("conflict", message, { path: "preview" });
  }
  return committed(preview, await preview.commit());
}

function committed(preview, receipt) {
  const parts = preview && { value: knownText(preview.valueText), lints: preview.lints, content_hash: preview.contentHash };
  return toText({ value: null, lints: [], content_hash: null, ...parts, receipt }, "internal");
}

/** The receipt of an operation that was applied before, from stores that can be asked for it. */
async function applied(store, project_id, { operation_id }, options) {
  const answers = JSON.parse(textOf(await ask(store, "read", { project_id, operations: [operation_id] }, options)));
  const found = answers.operations?.find((operation) => operation.operation_id === operation_id);
  return found && { ...checkReceipt(found.receipt, { operation_id }), repeated: true };
}

/** What a store answers with: a value, JSON text, or its bytes. */
function textOf(answers) {
  if (isBytes(answers)) return new TextDecoder().decode(answers);
  return typeof answers === "string" ? answers : toText(answers, "store", ["answers"]);
}

async function storeRead({ store, project_id, body, max_ids, options }) {
  const reads = readsOf(body, project_id, max_ids);
  const text = textOf(await ask(store, "read", reads, options));
  checkAnswers(text, reads);
  return text;
}

async function storeCommit({ store, project_id, body, options, open }) {
  const { writes, text, cards } = writesOf(body, project_id);
  await checkCards(open, project_id, writes.cards ?? [], cards);
  return toText(checkReceipt(await ask(store, "commit", writes, { ...options, text }), writes), "store", ["receipt"]);
}

/** Cards as the core reads them: what it would refuse to read is refused before it is written. */
async function checkCards(open, project_id, rows, cards) {
  const rounds = [];
  // a card may stand there twice, but an answer names each once
  for (const [index, { card_id }] of rows.entries()) {
    const free = rounds.find((round) => !round.has(card_id)) ?? rounds[rounds.push(new Map()) - 1];
    free.set(card_id, index);
  }
  for (const round of rounds) {
    const indices = [...round.values()];
    const reader = { read: () => `{"cards":[${indices.map((index) => cards[index]).join(",")}]}`, commit: () => ({}) };
    const project = await open(reader, { project_id });
    try {
      const { value } = await project.preview("get_cards", { card_ids: [...round.keys()] });
      const [wrong] = value.missing_cards.filter(({ reason }) => reason === "unreadable");
      if (wrong !== undefined) {
        const inside = /cannot be read at `([^`]*)`/.exec(wrong.why)?.[1];
        throw new TuckboxError("invalid_content", wrong.why, { path: `cards[${round.get(wrong.id)}]${inside === undefined ? "" : `.${inside}`}` });
      }
    } finally {
      project.dispose();
    }
  }
}
