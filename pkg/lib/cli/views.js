// Results as people read them. Every view takes one result object and computes nothing of its own.
import { items, members } from "../raw.js";
import { line, shown, table } from "./paint.js";

/** Tokens with their sign: `~` where they are estimated. */
export function tokensText({ tokens, exact }) {
  return `${exact ? "" : "~"}${tokens} tokens`;
}

/** What stands in a box, or would: one line a position. */
export function boxView({ boxes, shown: at, rows, dropped, lints, content_hash }, request, { paint, width }) {
  const lines = [];
  for (const [index, box] of boxes.entries()) {
    const facts = [`${box.cards} cards`];
    if (index === at) {
      const { window, never_sent } = request;
      facts.push(tokensText(request));
      if (window !== undefined) facts.push(`${window.over > 0 ? `${window.over} over` : `${window.free} free`} of ${window.size}`);
      if (never_sent > 0) facts.push(`${never_sent} never sent`);
    }
    if (box.swallowed > 0) facts.push(`${box.swallowed} repeated`);
    lines.push(`${paint.bold(`box ${line(box.box_id)}`)}  ${facts.join(", ")}`);
    if (index !== at) continue;
    const cells = rows.map((row) => [
      String(row.position), roleText(row.role), line(row.type ?? row.content_type ?? "?"), costText(request.cards[row.position]), row.cause === undefined ? line(row.card_id) : causeText(row), excerptText(row),
    ]);
    const columns = [{ right: true, paint: paint.dim }, { paint: paint.cyan }, { paint: paint.magenta }, { right: true }, { paint: paint.blue }, {}];
    lines.push(...table(cells, columns, width - 2).map((text) => `  ${text}`));
  }
  if (content_hash !== undefined) lines.push(paint.dim(`content hash ${content_hash}`));
  return [...lines, ...droppedView(dropped, paint), ...lintsView(lints, paint)];
}

/** What a card costs; a dash where the model never gets it. */
function costText(cost) {
  return cost === undefined || cost.became === "nothing" ? "-" : String(cost.tokens);
}

function roleText(role) {
  return role === null ? "-" : line(typeof role === "string" ? role : JSON.stringify(role));
}

function excerptText({ presence, excerpt }) {
  return presence === "new" || presence === "live" ? line(excerpt) : `(${presence})`;
}

function causeText({ cause, swallowed = [] }) {
  const more = swallowed.length > 0 ? ` (+${swallowed.length})` : "";
  switch (cause.kind) {
    case "argument":
      return `argument ${line(cause.arg_key)}${more}`;
    case "inherited":
      return `from ${line(cause.box_id)}[${cause.position}]${more}`;
    case "imported":
      return `read in ${line(cause.file)}${cause.line === undefined ? "" : `:${cause.line}`}${cause.pointer === undefined ? "" : ` ${line(cause.pointer)}`}`;
    default:
      return `${cause.kind}${more}`;
  }
}

export function droppedView(dropped, paint) {
  return dropped.map(({ path, reason }) => `${paint.yellow("dropped")} ${line(path)}: ${reason}`);
}

export function lintsView(lints, paint) {
  return lints.map(({ code, path, message }) => `${paint.yellow(`lint ${code}`)}${path === "" ? "" : ` at ${line(path)}`}: ${line(message)}`);
}

/** Messages as a model gets them; `label` says where each came from. */
export function messagesView(messages, { paint }, label = () => "") {
  return messages.flatMap((message, index) => {
    const from = label(index);
    const head = `${paint.bold(paint.cyan(roleText(message.role ?? null)))}${from === "" ? "" : `  ${paint.dim(line(from))}`}`;
    const body = contentText(message.content).split("\n").map((text) => `  ${text}`);
    const calls = (message.tool_calls ?? []).map((call) => `  ${paint.magenta("calls")} ${line(JSON.stringify(call))}`);
    return [head, ...(body.length === 1 && body[0].trim() === "" ? [] : body), ...calls];
  });
}

function contentText(content) {
  if (content === undefined || content === null) return "";
  return shown(typeof content === "string" ? content : JSON.stringify(content, null, 2));
}

/** What the model of a turn will see. */
export function turnView(turn, screen) {
  const { paint } = screen;
  const cards = new Map(turn.entries.flatMap((entry) => (entry.became === "message" ? [[entry.position, entry.card_id]] : [])));
  const lines = messagesView(turn.request.messages, screen, (index) => cards.get(index) ?? "");
  if (turn.view_id !== undefined) lines.unshift(`${paint.bold("view")} ${line(turn.view_id)}`);
  for (const tool of turn.request.tools ?? []) lines.push(`${paint.magenta("tool")} ${line(tool.function?.name ?? tool.name ?? JSON.stringify(tool))}`);
  for (const { card_id, side, position, reason } of turn.missing ?? []) lines.push(`${paint.yellow("missing")} ${line(card_id)} (${side}[${position}]): ${reason}`);
  for (const name of turn.tools_left_out ?? []) lines.push(`${paint.yellow("tool left out")} ${line(name)}: the profile does not allow it`);
  return lines;
}

/** A composed prompt, with the layer of every message. */
export function composedView({ messages, ledger }, screen) {
  const lines = messagesView(messages, screen, (index) => ledger.entries[index]?.layer ?? "");
  for (const { layer, rule } of ledger.left_out) lines.push(`${screen.paint.yellow("left out")} ${line(layer)}: ${rule}`);
  return lines;
}

/** Where two payloads part. */
export function diffView(diff, { paint }) {
  const { same_messages, same_tokens, before_tokens, after_tokens, first_difference: first, cache } = diff;
  const lines = [`${paint.bold("same")} ${same_messages} messages, ${tokensText(same_tokens)}  (before ${before_tokens}, after ${after_tokens})`];
  if (first === null) lines.push(paint.green("the two are the same"));
  else lines.push(`${paint.bold("part")} ${first.why} after ${first.same_characters} characters: ${placeText(first.before)} -> ${placeText(first.after)}`);
  lines.push(`${paint.bold("cache")} keeps ${cache.kept_tokens} tokens, ${cache.fresh_tokens} are new`);
  return lines;
}

function placeText(place) {
  if (place === null) return "nothing";
  const { message, position, card_id, layer, tool, role } = place;
  const where = card_id ?? layer ?? tool ?? (position === undefined ? "" : `position ${position}`);
  return line([message === undefined ? "" : `message ${message}`, role ?? "", where].filter((part) => part !== "").join(" "));
}

/** What was changed on the way to a provider. */
export function lossesView(losses, { paint }) {
  return losses.map(({ code, action, lossy, position, tool, card_id, layer, reason }) => {
    const where = [position === undefined ? "" : `message ${position}`, tool === undefined ? "" : `tool ${tool}`, card_id ?? layer ?? ""].filter((part) => part !== "").join(" ");
    return `${(lossy ? paint.yellow : paint.dim)(`${action} ${code}`)}${where === "" ? "" : ` at ${line(where)}`}: ${line(reason)}`;
  });
}

/** What a person should look at in a package. */
export function findingsView(findings, { paint }) {
  return findings.map(({ weight, type, path, message }) => `${(weight === "error" ? paint.red : paint.yellow)(`${weight} ${type}`)}${path === "" ? "" : ` at ${line(path)}`}: ${line(message)}`);
}

/** What is read of a package, in order, and what is not. */
export function loadView({ budget, spent, depth, steps, pieces, left_out, missing = [], findings = [] }, screen) {
  const { paint, width } = screen;
  const rows = (steps ?? pieces).map(({ read, path, name, cut, tokens, whole_tokens }) => [
    read, String(tokens), cut.keep === "whole" ? "whole" : `${cut.keep} of ${whole_tokens}`, line(name ?? ""), line(path ?? "in the package"),
  ]);
  const columns = [{ paint: paint.cyan }, { right: true }, { paint: paint.magenta }, { paint: paint.blue }, {}];
  const lines = [`${paint.bold("budget")} ${spent} of ${budget} tokens, ${depth}`, ...table(rows, columns, width - 2).map((text) => `  ${text}`)];
  for (const { name, parts, tokens, because } of left_out) lines.push(`${paint.yellow("left out")} ${line(name ?? "the package")}: ${parts.join(", ")}, ${tokens} tokens, because of the ${because}`);
  for (const { path } of missing) lines.push(`${paint.yellow("missing")} ${line(path)}`);
  lines.push(...findingsView(findings, screen));
  for (const { read, path, name, text } of pieces ?? []) {
    lines.push("", paint.bold(line([read, name, path].filter((part) => part !== undefined).join(" "))), ...shown(text).split("\n").map((part) => `  ${part}`));
  }
  return lines;
}

/** JSON text with its lines broken: no number in it is read. */
export function jsonView(text) {
  return [shown(broken(text.trim(), ""))];
}

function broken(text, indent) {
  const inner = `${indent}  `;
  const [sign] = text;
  if (sign !== "{" && sign !== "[") return text;
  const parts = sign === "{" ? members(text).map(([key, value]) => `${JSON.stringify(key)}: ${broken(value, inner)}`) : items(text).map((item) => broken(item, inner));
  if (parts.length === 0) return sign === "{" ? "{}" : "[]";
  return `${sign}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${sign === "{" ? "}" : "]"}`;
}

/** What a commit writes, in words. */
export function writesText({ cards = [], delete_cards = [], boxes = [], agents = [], files = [], rows = [] }) {
  const parts = [[cards, "card"], [delete_cards, "deleted card"], [boxes, "box"], [agents, "agent"], [files, "file"], [rows.filter(({ table }) => table !== "audit"), "row"]];
  const words = parts.filter(([list]) => list.length > 0).map(([list, word]) => `${list.length} ${list.length === 1 ? word : word === "box" ? "boxes" : `${word}s`}`);
  return words.length === 0 ? "nothing" : words.join(", ");
}
