// The bodies of requests and responses, as JSON Schema.

const text = { type: "string" };
const texts = { type: "array", items: text };
const optionalText = { type: ["string", "null"] };
const whole = { type: "integer", minimum: 0 };
const anything = {};
const object = { type: "object" };
/** @param {string} name */
const ref = (name) => ({ $ref: `#/components/schemas/${name}` });
/** @param {object} items */
const list = (items) => ({ type: "array", items });

/** @param {{ [name: string]: object }} properties @param {{ required?: string[], more?: boolean }} [options] */
function shape(properties, { required = Object.keys(properties), more = false } = {}) {
  return { type: "object", properties, required, additionalProperties: more };
}

const reads = Object.fromEntries(
  ["profiles", "profiles_by_box", "boxes", "cards", "agents", "files", "directories"].map((kind) => [kind, texts]),
);
const rows = {
  profiles: "Profile",
  profiles_by_box: "Profile",
  boxes: "Box",
  cards: "Card",
  agents: "Agent",
  files: "File",
  directories: "Directory",
};
const answers = Object.entries(rows).flatMap(([kind, name]) => [
  [kind, list(ref(name))],
  [`missing_${kind}`, texts],
]);

export const SCHEMAS = {
  Box: shape({ box_id: text, card_ids: texts, parent_ids: texts, version: whole, deleted_at: optionalText }, { more: true }),
  Card: shape(
    {
      card_id: text,
      content: object,
      metadata: { type: ["object", "null"] },
      tool_calls: { type: ["array", "null"] },
      tool_call_id: optionalText,
      ttl_seconds: { type: ["integer", "null"] },
      tenant_id: optionalText,
      expires_at: optionalText,
      deleted_at: optionalText,
    },
    { required: ["card_id", "content"], more: true },
  ),
  Profile: shape(
    { name: text, profile_box_id: optionalText, tags: texts, worker_target: optionalText, delegation_policy: anything },
    { required: ["name"], more: true },
  ),
  Agent: shape(
    {
      agent_id: text,
      in_roster: { type: "boolean" },
      profile_box_id: optionalText,
      display_name: optionalText,
      tags: texts,
      worker_target: optionalText,
      state: { type: ["object", "null"] },
      pointers: { type: ["object", "null"] },
    },
    { required: ["agent_id"], more: true },
  ),
  File: shape({ path: text, text }, { more: true }),
  Directory: shape({ directory: text, paths: texts }),
  BoxIds: shape({ box_ids: texts }),
  CardIds: shape({ card_ids: texts }),
  Boxes: shape({ boxes: list(ref("Box")), missing_box_ids: texts }),
  Cards: shape({ cards: list(ref("Card")), missing_card_ids: texts }),
  Arguments: { type: "object", description: "The arguments of the operation" },
  Lint: shape({ code: text, path: text, message: text }, { more: true }),
  Preview: shape({
    value: anything,
    writes: ref("Writes"),
    lints: list(ref("Lint")),
    ledger: shape({ boxes: list(object), dropped: list(object) }),
    content_hash: text,
    preview: text,
  }),
  Committed: shape({ value: anything, lints: list(ref("Lint")), content_hash: optionalText, receipt: ref("Receipt") }),
  Reads: shape(
    { project_id: text, ...reads, rows: list(ref("RowKey")), lists: list(ref("List")), follow: list(ref("Follow")), operations: texts },
    { required: [] },
  ),
  Answers: shape(
    {
      ...Object.fromEntries(answers),
      rows: list(object),
      missing_rows: list(ref("RowKey")),
      lists: list(object),
      operations: list(object),
      missing_operations: texts,
      failed: list(object),
    },
    { required: [] },
  ),
  RowKey: shape({ table: text, key: texts }),
  List: shape(
    { table: text, index: text, of: texts, limit: whole, skip_locked: { type: "boolean" } },
    { required: ["table", "index", "of", "limit"] },
  ),
  Follow: shape({ from: { oneOf: [ref("RowKey"), ref("List")] }, to: list(object) }),
  Writes: shape(
    {
      project_id: text,
      operation_id: text,
      at: text,
      expects: list(ref("Expectation")),
      cards: list(ref("Card")),
      delete_cards: texts,
      erase_cards: texts,
      boxes: list(ref("BoxChange")),
      agents: list(ref("Agent")),
      files: list(ref("File")),
      rows: list(ref("RowChange")),
    },
    { required: ["operation_id", "at"] },
  ),
  BoxVersion: shape({ box_id: text, version: whole }),
  Expectation: shape({ table: text, key: texts, version: anything }),
  RowChange: shape({ table: text, key: texts, version: anything, row: anything }, { required: ["table", "key", "row"] }),
  BoxChange: shape(
    {
      change: { type: "string", enum: ["create", "append", "replace", "delete"] },
      box: ref("Box"),
      box_id: text,
      card_ids: texts,
      version: whole,
    },
    { required: ["change"] },
  ),
  Receipt: shape({ operation_id: text, repeated: { type: "boolean" }, boxes: list(ref("BoxVersion")) }),
  Error: shape({ error: shape({ code: text, path: text, message: text, details: object }) }),
};
