// The definitions of the tools. Their schemas come from the declarations of the operations, shortened: definitions are
// part of every request of a client.
import schema from "../../generated/schema.js";

const { $defs: types, operations } = /** @type {{ $defs: any, operations: { [op: string]: any } }} */ (schema);

/** The maximum number of words of an enumeration in a definition. */
const MAX_WORDS = 6;

/** A tool: its operation, and the arguments that a client passes. */
const TOOLS = {
  sessions: { op: "list_sessions", takes: ["find", "max_tokens"], about: "Find recorded sessions, newest first." },
  explain: {
    op: "explain_request",
    takes: ["session", "request", "message", "max_tokens"],
    about: "Explain a request: where its tokens go, why its cache missed, lints, messages.",
  },
  diff: {
    op: "compare_requests",
    takes: ["session", "before", "after", "max_tokens"],
    about: "What changed between two requests, and what the cache lost.",
  },
  cache: { op: "explain_misses", takes: ["session", "request", "max_tokens"], about: "Why a session missed its prompt cache, with fixes." },
  compaction: {
    op: "explain_compactions",
    takes: ["session", "compaction", "max_tokens"],
    about: "What compactions removed from the context.",
  },
  preview: {
    op: "brief_handover",
    call: "pack_context_with_instruction",
    takes: ["profile_name", "instruction", "inherit_box_ids", "source_agent_id", "max_tokens"],
    about: "Preview a handover: what the receiver will see and will not see.",
  },
};

/** @typedef {keyof typeof TOOLS} ToolName */

/** @param {string} name @returns {name is ToolName} */
export const isTool = (name) => Object.hasOwn(TOOLS, name);

/** @param {ToolName} name @returns {{ op: string, call?: string, takes: string[], about: string }} */
export const toolOf = (name) => TOOLS[name];

/**
 * Returns the definitions of all tools.
 *
 * @param {{ commits: boolean }} options `commits` allows to commit a preview.
 */
export function definitions({ commits }) {
  return Object.entries(TOOLS).map(([name, tool]) => {
    const { op, takes, about } = tool;
    const call = "call" in tool ? tool.call : undefined;
    const writes = commits && name === "preview";
    const known = { ...propertiesOf(op), ...(call === undefined ? {} : propertiesOf(call)) };
    const properties = Object.fromEntries(takes.map((key) => [key, input(known[key])]));
    return {
      name,
      description: writes ? `${about} Pass \`commit\` of an answer to write it.` : about,
      inputSchema: {
        type: "object",
        properties: { ...properties, more: { type: "string" }, ...(writes ? { commit: { type: "string" } } : {}) },
      },
      outputSchema: output(operations[op].result, writes),
      annotations: { readOnlyHint: !writes, ...(writes ? { destructiveHint: false } : {}), openWorldHint: false },
    };
  });
}

/** @param {string} op */
function propertiesOf(op) {
  return resolved(operations[op].arguments).properties;
}

/** @param {any} type */
function resolved(type) {
  const { $ref: name } = type;
  if (name === undefined) return type;
  const { $ref, ...rest } = type;
  return { ...types[name.slice("#/$defs/".length)], ...rest };
}

/**
 * Returns a type without its details: `null` counts as missing, and the core checks bounds.
 *
 * @param {any} type
 */
function bare(type) {
  const whole = resolved(type);
  const choices = (whole.anyOf ?? []).filter((/** @type {any} */ choice) => choice.type !== "null");
  if (choices.length === 1) return bare({ ...choices[0], ...(whole.description === undefined ? {} : { description: whole.description }) });
  const { type: kind, enum: words, items, description } = whole;
  return {
    ...(kind === undefined && words === undefined ? {} : { type: kind ?? "string" }),
    ...(words !== undefined && words.length <= MAX_WORDS ? { enum: words } : {}),
    ...(items === undefined ? {} : { items }),
    ...(description === undefined ? {} : { description }),
  };
}

/**
 * Returns an argument. The core accepts more than a string where the type is open.
 *
 * @param {any} type
 */
function input(type) {
  const { type: kind = "string", items, enum: words, description } = bare(type);
  return {
    type: kind,
    ...(words === undefined ? {} : { enum: words }),
    ...(items === undefined ? {} : { items: { type: bare(items).type ?? "string" } }),
    // the first sentence
    ...(description === undefined ? {} : { description: description.split(". ")[0].replace(/\.$/, "") }),
  };
}

/** @param {any} result @param {boolean} writes */
function output(result, writes) {
  const { properties, required } = resolved(result);
  const shown = Object.fromEntries(
    Object.entries(properties)
      .filter(([key]) => key !== "next")
      .map(([key, type]) => [key, { type: bare(type).type ?? "object" }]),
  );
  // a commit has another answer
  const more = { more: { type: "string" }, ...(writes ? { commit: { type: "string" }, receipt: { type: "object" } } : {}) };
  return { type: "object", properties: { ...shown, ...more }, ...(writes ? {} : { required }) };
}
