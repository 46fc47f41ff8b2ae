// The shape of the calls that the form edits and the editor completes. The core validates calls; this module rejects
// nothing.
import type { Json, JsonObject } from "../engine/protocol.ts";
import type { Step } from "../text/paths.ts";
import { OPS } from "./operations.ts";

export type Schema =
  | { kind: "line" | "text" | "flag" | "number" | "json" | "argument" }
  | { kind: "profile" | "agent" | "box" | "card_type" }
  | { kind: "choice"; values: readonly string[] }
  | { kind: "list"; of: Schema }
  | { kind: "object"; fields: readonly FieldShape[]; open?: Schema };

export interface FieldShape {
  name: string;
  of: Schema;
  required?: boolean;
}

const line: Schema = { kind: "line" };
const text: Schema = { kind: "text" };
const flag: Schema = { kind: "flag" };
const number: Schema = { kind: "number" };
const json: Schema = { kind: "json" };
const profile: Schema = { kind: "profile" };
const agent: Schema = { kind: "agent" };
const box: Schema = { kind: "box" };

const field = (name: string, of: Schema, required = false): FieldShape => ({ name, of, required });
const object = (...fields: FieldShape[]): Schema => ({ kind: "object", fields });
const list = (of: Schema): Schema => ({ kind: "list", of });

export const CARD_TYPES = [
  "task.instruction",
  "task.result_fields",
  "task.deliverable",
  "agent.thought",
  "tool.call",
  "tool.result",
  "sys.profile",
  "sys.rendered_prompt",
  "sys.tools",
  "meta.parent_pointer",
] as const;

const caller = [field("source_agent_id", agent, true), field("tool_suffix", line)];
const recipeFields = [field("recursion_depth", number), field("check_liveness", flag), field("operation_id", line)];

const task = object(
  field("target_strategy", { kind: "choice", values: ["new", "reuse", "clone"] }, true),
  field("target_ref", profile, true),
  field("instruction", text, true),
  field("context_box_id", box),
);

const packing = object(
  field(
    "pack_arguments",
    list(object(field("arg_key", { kind: "argument" }, true), field("as_card_type", { kind: "card_type" }), field("card_metadata", json))),
  ),
  field("inherit_context", object(field("include_boxes_from_args", list({ kind: "argument" })), field("include_parent", flag))),
);

const free: Schema = {
  kind: "object",
  fields: [field("profile_name", profile), field("instruction", text)],
  open: json,
};

/** The shape of every call that can be built, by `op`. */
export const CALLS: Readonly<Record<(typeof OPS)[number], Schema>> = {
  pack_context: object(
    field("source_agent_id", agent, true),
    field("tool_suffix", line, true),
    field("arguments", free, true),
    field(
      "handover",
      object(
        field("target_profile_config", object(field("profile_name", profile))),
        field("context_packing_config", packing),
        field("authorized_inherit_box_ids", list(box)),
      ),
      true,
    ),
    field("check_liveness", flag),
    field("operation_id", line),
  ),
  pack_context_with_instruction: object(
    ...caller,
    field("profile_name", profile, true),
    field("instruction", text, true),
    field("inherit_box_ids", list(box)),
    ...recipeFields,
  ),
  delegate_async: object(...caller, field("arguments", task, true), ...recipeFields),
  fork_join: object(
    ...caller,
    field("arguments", object(field("tasks", list(task), true), field("fail_fast", flag), field("deadline_seconds", number)), true),
    field("max_tasks", number),
    ...recipeFields,
  ),
  launch_principal: object(
    ...caller,
    field("arguments", object(field("profile_name", profile, true), field("instruction", text, true)), true),
    ...recipeFields,
  ),
  ask_expert: object(
    ...caller,
    field("arguments", object(field("expert_profile", profile, true), field("question", text, true), field("include_history", flag)), true),
    ...recipeFields,
  ),
};

const callOf = (op: unknown): Schema | undefined => OPS.filter((known) => known === op).map((known) => CALLS[known])[0];

/** Returns the shape of a whole call, selected by its `op`. */
export function shapeOf(call: Json | undefined): Extract<Schema, { kind: "object" }> {
  const op = typeof call === "object" && call !== null && !Array.isArray(call) ? call.op : undefined;
  const known = callOf(op);
  const fields = known?.kind === "object" ? known.fields : [];
  return { kind: "object", fields: [field("op", { kind: "choice", values: OPS }, true), ...fields] };
}

/** Returns the shape of the value at a path inside a call; `null` if it is unknown. */
export function shapeAt(call: Json | undefined, path: readonly Step[]): Schema | null {
  let here: Schema | null = shapeOf(call);
  for (const step of path) {
    if (here?.kind === "list") here = here.of;
    else if (here?.kind === "object") {
      const shape: Extract<Schema, { kind: "object" }> = here;
      here = shape.fields.find(({ name }) => name === step)?.of ?? shape.open ?? null;
    } else return null;
  }
  return here;
}

/** Returns a new call with empty arguments. */
export function blankCall(op: string, agent_id: string, profile_name: string): JsonObject {
  const base = { op, source_agent_id: agent_id, tool_suffix: `internal.${op}` };
  switch (op) {
    case "pack_context":
      return {
        ...base,
        check_liveness: true,
        arguments: { profile_name, instruction: "", box_ids: [] },
        handover: {
          context_packing_config: {
            pack_arguments: [{ arg_key: "instruction", as_card_type: "task.instruction" }],
            inherit_context: { include_boxes_from_args: ["box_ids"], include_parent: true },
          },
          authorized_inherit_box_ids: [],
        },
      };
    case "pack_context_with_instruction":
      return { ...base, profile_name, instruction: "", inherit_box_ids: [] };
    case "fork_join":
      return { ...base, recursion_depth: 0, arguments: { tasks: [blankTask(profile_name)], fail_fast: false } };
    case "launch_principal":
      return { ...base, recursion_depth: 0, arguments: { profile_name, instruction: "" } };
    case "ask_expert":
      return {
        ...base,
        recursion_depth: 0,
        arguments: { expert_profile: profile_name, question: "", include_history: false },
      };
    default:
      return { ...base, recursion_depth: 0, arguments: blankTask(profile_name) };
  }
}

function blankTask(profile_name: string): JsonObject {
  return { target_strategy: "new", target_ref: profile_name, instruction: "" };
}

/** Returns the initial value of a new list item. */
export function blankValue(of: Schema): Json {
  switch (of.kind) {
    case "list":
      return [];
    case "flag":
      return false;
    case "number":
      return 0;
    case "json":
      return {};
    case "choice":
      return of.values[0] ?? "";
    case "object":
      return Object.fromEntries(of.fields.filter((one) => one.required).map((one) => [one.name, blankValue(one.of)]));
    default:
      return "";
  }
}
