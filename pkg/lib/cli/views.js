// Results as lines of text. A view takes one result and computes nothing.
/** @import { Lint, Results } from "../../types/results.js" */
/** @import { Writes } from "../../types/store.js" */
/** @import { Palette } from "./paint.js" */

/** @typedef {{ paint: Palette, width: number }} Screen */

import { items, members } from "../raw.js";
import { line, shown, table } from "./paint.js";

/**
 * Returns a number of tokens; `~` marks an estimate.
 *
 * @param {{ tokens: number, exact: boolean }} count
 */
export function tokensText({ tokens, exact }) {
  return `${exact ? "" : "~"}${tokens} tokens`;
}

/**
 * Returns a price in dollars, or that it is not known.
 *
 * @param {number | null} cost
 */
export function priceText(cost) {
  return cost === null ? "cost unknown" : `$${cost >= 0.995 || cost === 0 ? cost.toFixed(2) : cost.toPrecision(2)}`;
}

/**
 * Shows the cards of a box, one line each.
 *
 * @param {Results["inspect"]} inspected
 * @param {Results["inspect_request"]} request
 * @param {Screen} screen
 */
export function boxView({ boxes, shown: at, rows, dropped, lints, content_hash }, request, { paint, width }) {
  const lines = [];
  for (const [index, box] of boxes.entries()) {
    const facts = [`${box.cards} cards`];
    if (index === at) {
      const { window, never_sent } = request;
      facts.push(tokensText(request), priceText(request.cost));
      if (window !== undefined) facts.push(`${window.over > 0 ? `${window.over} over` : `${window.free} free`} of ${window.size}`);
      if (never_sent > 0) facts.push(`${never_sent} never sent`);
    }
    if (box.swallowed > 0) facts.push(`${box.swallowed} repeated`);
    lines.push(`${paint.bold(`box ${line(box.box_id)}`)}  ${facts.join(", ")}`);
    if (index !== at) continue;
    const cells = rows.map((row) => [
      String(row.position),
      roleText(row.role),
      line(row.type ?? row.content_type ?? "?"),
      costText(request.cards[row.position]),
      row.cause === undefined ? line(row.card_id) : causeText(row),
      excerptText(row),
    ]);
    const columns = [
      { right: true, paint: paint.dim },
      { paint: paint.cyan },
      { paint: paint.magenta },
      { right: true },
      { paint: paint.blue },
      {},
    ];
    lines.push(...table(cells, columns, width - 2).map((text) => `  ${text}`));
  }
  if (content_hash !== undefined) lines.push(paint.dim(`content hash ${content_hash}`));
  return [...lines, ...droppedView(dropped, paint), ...lintsView(lints, paint)];
}

/**
 * Returns the cost of a card; a dash if the model does not receive it.
 *
 * @param {any} cost
 */
function costText(cost) {
  return cost === undefined || cost.became === "nothing" ? "-" : String(cost.tokens);
}

/** @param {unknown} role */
function roleText(role) {
  return role === null ? "-" : line(typeof role === "string" ? role : JSON.stringify(role));
}

/** @param {any} row */
function excerptText({ presence, excerpt }) {
  return presence === "new" || presence === "live" ? line(excerpt) : `(${presence})`;
}

/** @param {any} row */
function causeText({ cause, swallowed = [] }) {
  const more = swallowed.length > 0 ? ` (+${swallowed.length})` : "";
  switch (cause.kind) {
    case "argument":
      return `argument ${line(cause.arg_key)}${more}`;
    case "inherited":
      return `from ${line(cause.box_id)}[${cause.position}]${more}`;
    case "imported":
      return `from ${line(cause.file)}${cause.line === undefined ? "" : `:${cause.line}`}${cause.pointer === undefined ? "" : ` ${line(cause.pointer)}`}`;
    default:
      return `${cause.kind}${more}`;
  }
}

/** @param {readonly { path: string, reason: unknown }[]} dropped @param {Palette} paint */
export function droppedView(dropped, paint) {
  return dropped.map(({ path, reason }) => `${paint.yellow("dropped")} ${line(path)}: ${reason}`);
}

/** @param {readonly Lint[]} lints @param {Palette} paint */
export function lintsView(lints, paint) {
  return lints.map(
    ({ code, path, message }) => `${paint.yellow(`lint ${code}`)}${path === "" ? "" : ` at ${line(path)}`}: ${line(message)}`,
  );
}

/**
 * Shows messages. `label` returns the origin of each.
 *
 * @param {readonly any[]} messages
 * @param {{ paint: Palette }} screen
 * @param {(index: number) => string} label
 */
export function messagesView(messages, { paint }, label) {
  return messages.flatMap((message, index) => {
    const from = label(index);
    const head = `${paint.bold(paint.cyan(roleText(message.role ?? null)))}${from === "" ? "" : `  ${paint.dim(line(from))}`}`;
    const body = contentText(message.content)
      .split("\n")
      .map((text) => `  ${text}`);
    const calls = (message.tool_calls ?? []).map(
      (/** @type {unknown} */ call) => `  ${paint.magenta("calls")} ${line(JSON.stringify(call))}`,
    );
    return [head, ...(body.length === 1 && body[0].trim() === "" ? [] : body), ...calls];
  });
}

/** @param {unknown} content */
function contentText(content) {
  if (content === undefined || content === null) return "";
  return shown(typeof content === "string" ? content : JSON.stringify(content, null, 2));
}

/**
 * Shows what the model of a turn sees.
 *
 * @param {any} turn
 * @param {Screen} screen
 */
export function turnView(turn, screen) {
  const { paint } = screen;
  const cards = /** @type {Map<number, string>} */ (new Map());
  for (const entry of turn.entries) if (entry.became === "message") cards.set(entry.position, entry.card_id);
  const lines = messagesView(turn.request.messages, screen, (index) => cards.get(index) ?? "");
  if (turn.view_id !== undefined) lines.unshift(`${paint.bold("view")} ${line(turn.view_id)}`);
  for (const tool of turn.request.tools ?? [])
    lines.push(`${paint.magenta("tool")} ${line(tool.function?.name ?? tool.name ?? JSON.stringify(tool))}`);
  for (const { card_id, side, position, reason } of turn.missing ?? [])
    lines.push(`${paint.yellow("missing")} ${line(card_id)} (${side}[${position}]): ${reason}`);
  for (const name of turn.tools_left_out ?? []) lines.push(`${paint.yellow("tool omitted")} ${line(name)}: the profile does not allow it`);
  return lines;
}

/**
 * Shows a composed prompt, with the layer of each message.
 *
 * @param {Results["compose"]} composed
 * @param {Screen} screen
 */
export function composedView({ messages, ledger }, screen) {
  const lines = messagesView(messages, screen, (index) => ledger.entries[index]?.layer ?? "");
  for (const { layer, rule } of ledger.left_out) lines.push(`${screen.paint.yellow("omitted")} ${line(layer)}: ${rule}`);
  return lines;
}

/**
 * Shows where two payloads first differ.
 *
 * @param {Results["diff_payloads"]} diff
 * @param {Screen} screen
 */
export function diffView(diff, { paint }) {
  const { same_messages, same_tokens, before_tokens, after_tokens, first_difference: first, cache } = diff;
  const lines = [
    `${paint.bold("same")} ${same_messages} messages, ${tokensText(same_tokens)}  (before ${before_tokens}, after ${after_tokens})`,
  ];
  if (first === null) lines.push(paint.green("no difference"));
  else
    lines.push(
      `${paint.bold("first difference")} ${first.why} after ${first.same_characters} characters: ${placeText(first.before)} -> ${placeText(first.after)}`,
    );
  lines.push(`${paint.bold("cache")} reuses ${cache.kept_tokens} tokens, ${cache.fresh_tokens} are new`);
  return lines;
}

/** @param {any} place */
function placeText(place) {
  if (place === null) return "nothing";
  const { message, position, card_id, layer, tool, role } = place;
  const where = card_id ?? layer ?? tool ?? (position === undefined ? "" : `position ${position}`);
  return line([message === undefined ? "" : `message ${message}`, role ?? "", where].filter((part) => part !== "").join(" "));
}

/**
 * Shows the conversion changes for a provider.
 *
 * @param {Results["payload"]["losses"]} losses
 * @param {{ paint: Palette }} screen
 */
export function lossesView(losses, { paint }) {
  return losses.map((loss) => {
    const { code, action, lossy, position, tool, card_id, layer, reason } = /** @type {any} */ (loss);
    const where = [position === undefined ? "" : `message ${position}`, tool === undefined ? "" : `tool ${tool}`, card_id ?? layer ?? ""]
      .filter((part) => part !== "")
      .join(" ");
    return `${(lossy ? paint.yellow : paint.dim)(`${action} ${code}`)}${where === "" ? "" : ` at ${line(where)}`}: ${line(reason)}`;
  });
}

/**
 * Shows the findings of a package.
 *
 * @param {readonly any[]} findings
 * @param {{ paint: Palette }} screen
 */
export function findingsView(findings, { paint }) {
  return findings.map(
    ({ weight, type, path, message }) =>
      `${(weight === "error" ? paint.red : paint.yellow)(`${weight} ${type}`)}${path === "" ? "" : ` at ${line(path)}`}: ${line(message)}`,
  );
}

/**
 * Shows what is read of a package, in order, and what is omitted.
 *
 * @param {any} plan
 * @param {Screen} screen
 */
export function loadView({ budget, spent, depth, steps, pieces, left_out, missing = [], findings = [] }, screen) {
  const { paint, width } = screen;
  const rows = (steps ?? pieces).map((/** @type {any} */ { read, path, name, cut, tokens, whole_tokens }) => [
    read,
    String(tokens),
    cut.keep === "whole" ? "whole" : `${cut.keep} of ${whole_tokens}`,
    line(name ?? ""),
    line(path ?? "in the package"),
  ]);
  const columns = [{ paint: paint.cyan }, { right: true }, { paint: paint.magenta }, { paint: paint.blue }, {}];
  const lines = [
    `${paint.bold("budget")} ${spent} of ${budget} tokens, ${depth}`,
    ...table(rows, columns, width - 2).map((text) => `  ${text}`),
  ];
  for (const { name, parts, tokens, because } of left_out)
    lines.push(
      `${paint.yellow("omitted")} ${line(name ?? "the package")}: ${parts.join(", ")}, ${tokens} tokens, because of the ${because}`,
    );
  for (const { path } of missing) lines.push(`${paint.yellow("missing")} ${line(path)}`);
  lines.push(...findingsView(findings, screen));
  for (const { read, path, name, text } of pieces ?? []) {
    lines.push(
      "",
      paint.bold(line([read, name, path].filter((part) => part !== undefined).join(" "))),
      ...shown(text)
        .split("\n")
        .map((part) => `  ${part}`),
    );
  }
  return lines;
}

/**
 * Indents JSON text, with exact numbers.
 *
 * @param {string} text
 */
export function jsonView(text) {
  return [shown(broken(text.trim(), ""))];
}

/** @param {string} text @param {string} indent @returns {string} */
function broken(text, indent) {
  const inner = `${indent}  `;
  const [first] = text;
  if (first !== "{" && first !== "[") return text;
  const parts =
    first === "{"
      ? members(text).map(([key, value]) => `${JSON.stringify(key)}: ${broken(value, inner)}`)
      : items(text).map((item) => broken(item, inner));
  if (parts.length === 0) return first === "{" ? "{}" : "[]";
  return `${first}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${first === "{" ? "}" : "]"}`;
}

/**
 * Returns a summary of what a commit writes.
 *
 * @param {Writes} writes
 */
export function writesText({ cards = [], delete_cards = [], erase_cards = [], boxes = [], agents = [], files = [], rows = [] }) {
  /** @type {[list: readonly unknown[], word: string][]} */
  const parts = [
    [cards, "card"],
    [delete_cards, "deleted card"],
    [erase_cards, "erased card"],
    [boxes, "box"],
    [agents, "agent"],
    [files, "file"],
    [rows.filter(({ table }) => table !== "audit"), "row"],
  ];
  const words = parts
    .filter(([list]) => list.length > 0)
    .map(([list, word]) => `${list.length} ${list.length === 1 ? word : word === "box" ? "boxes" : `${word}s`}`);
  return words.length === 0 ? "nothing" : words.join(", ");
}
