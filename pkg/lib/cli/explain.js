// `tuckbox cache` and `tuckbox compaction`: explanations of logs, or of requests in a file.
/** @import { Args } from "./calls.js" */
/** @import { Session } from "./session.js" */
/** @import { Command } from "./usage.js" */
import { needed, text } from "./calls.js";
import { importArgs } from "./import.js";
import { line, table } from "./paint.js";

const PROVIDER = { value: "NAME", help: "PATH is a JSON file with `requests`, for this provider" };

const ABOUT =
  "PATH is a log that `tuckbox import` reads: a file or a folder. With `--provider`, it is a JSON file with\n`requests`, the arguments of the operation. Nothing is written.";

/**
 * Explains one file of requests, or the sessions of logs.
 *
 * @param {Session} session
 * @param {readonly string[]} paths
 * @param {string | undefined} provider
 * @param {{ op: string, shape: string, key: string }} names
 */
async function explained(session, paths, provider, { op, shape, key }) {
  if (provider === undefined) {
    const args = /** @type {Args} */ (await importArgs(session, paths));
    const preview = await session.preview("import", args.set("shape", text(shape)));
    return { preview, sessions: /** @type {any} */ (preview.value).sessions };
  }
  const args = await session.object(needed(paths[0], "PATH"), "the requests");
  const preview = await session.preview(op, args.set("provider", text(provider)));
  const { requests = [] } = JSON.parse(`{"requests":${args.get("requests") ?? "[]"}}`);
  const numbers = Array.from(requests, (_, index) => index);
  return { preview, sessions: [{ id: paths[0], source: provider, numbers, [key]: preview.value }] };
}

/** @type {Command} */
export const CACHE = {
  summary: "Explain why requests of a session were not read from the provider's cache",
  usage: "PATH.. [--provider NAME]",
  about: ABOUT,
  options: { provider: PROVIDER },
  examples: ["tuckbox cache ~/.claude/projects/my-project", "tuckbox cache requests.json --provider anthropic --json"],
  async run(session, paths, { provider }) {
    needed(paths[0], "PATH");
    const { preview, sessions } = await explained(session, paths, provider, { op: "explain_cache", shape: "cache", key: "explanation" });
    return { preview, view: () => sessions.flatMap((/** @type {any} */ found) => cacheView(found, session)) };
  },
};

/** @type {Command} */
export const COMPACTION = {
  summary: "Account for the messages of every compaction of a session",
  usage: "PATH.. [--provider NAME]",
  about: ABOUT,
  options: { provider: PROVIDER },
  examples: ["tuckbox compaction session.jsonl", "tuckbox compaction requests.json --provider openai_chat"],
  async run(session, paths, { provider }) {
    needed(paths[0], "PATH");
    const names = { op: "explain_compaction", shape: "compaction", key: "account" };
    const { preview, sessions } = await explained(session, paths, provider, names);
    return { preview, view: () => sessions.flatMap((/** @type {any} */ found) => compactionView(found, session)) };
  },
};

/** @param {number | undefined} sum */
const amount = (sum) => (sum === undefined ? "?" : sum.toPrecision(3));

/** @param {number} rate */
const percent = (rate) => `${Math.round(rate * 1000) / 10} %`;

/**
 * Shows the requests of a session that lost tokens, and the totals.
 *
 * @param {any} found
 * @param {Session} session
 */
function cacheView({ id, source, numbers, explanation: { requests, summary } }, { paint, width }) {
  const rows = [];
  for (const [index, { cause, region, sure, expected, recorded, lost_tokens, fix, reason }] of requests.entries()) {
    const read = recorded?.read ?? `~${expected.read}`;
    rows.push([
      String(numbers[index]),
      cause,
      region,
      sure ? "" : "not sure",
      String(read),
      String(lost_tokens),
      line(fix ?? reason ?? ""),
    ]);
  }
  // without prices the unit is a token, which the line already has
  const isMoney = summary.lost_price !== undefined && requests.length > 0 && requests[0].price.currency !== "input_tokens";
  const money = isMoney ? ` (${amount(summary.lost_price)} of ${amount(summary.price)} ${line(requests[0].price.currency)})` : "";
  const lines = [
    `${paint.bold(line(id))} ${line(source)}: ${requests.length} requests, ${percent(summary.hit_rate)} of the input read from the cache, ${summary.lost_tokens} tokens lost${money}`,
  ];
  lines.push(
    ...table(rows, [{ right: true }, { paint: paint.bold }, {}, { paint: paint.dim }, { right: true }, { right: true }, {}], width),
  );
  return lines;
}

/**
 * Shows the compactions of a session.
 *
 * @param {any} found
 * @param {Session} session
 */
function compactionView({ id, source, numbers, account: { compactions, findings } }, { paint }) {
  const lines = [`${paint.bold(line(id))} ${line(source)}: ${compactions.length} compactions`];
  for (const { before, after, totals } of compactions) {
    const { messages, kept, covered, dropped, unknown } = totals;
    lines.push(
      `request ${numbers[before]} -> ${numbers[after]}: ${messages} messages, ${kept} kept, ${covered} covered, ${dropped} dropped, ${unknown} unknown`,
    );
  }
  for (const { loss, compaction, message, tokens } of findings)
    lines.push(`${paint.yellow(loss)} message ${message} of compaction ${compaction}, about ${tokens} tokens`);
  return lines;
}
