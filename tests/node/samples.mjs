// Calls of every operation, in an order in which they can be made, on the project of `support.mjs`.
import { packCall } from "./support.mjs";

const text = { __type__: "TextContent", text: "hello" };
const card = { type: "note", author_id: "me", content: text };
const message = { role: "user", content: "go", id: "m1" };
const task = { target_strategy: "new", target_ref: "Writer", instruction: "write it down", context_box_id: "b1" };
const caller = { source_agent_id: "agent_a", tool_suffix: "demo" };

export const samples = {
  pack_context: [packCall(), packCall({ instruction: 7, input_box_ids: ["b1", null] }), { ...packCall(), check_liveness: true }],
  pack_context_with_instruction: [{ ...caller, profile_name: "writer", instruction: "go", inherit_box_ids: ["b1"] }],
  delegate_async: [{ ...caller, arguments: task }],
  launch_principal: [{ ...caller, arguments: { profile_name: "Writer", instruction: "go" } }],
  ask_expert: [{ ...caller, arguments: { expert_profile: "Writer", question: "why?" } }],
  fork_join: [{ ...caller, arguments: { tasks: [task, { ...task, instruction: "again" }] } }],
  fork_join_args: [{ arguments: { tasks: [task] } }],
  resolve_current_output_box_id: [{ agent_id: "agent_a" }],
  validate_box_ids_exist: [{ source_agent_id: "agent_a", box_ids: ["b1", "b1"] }],
  put_cards: [
    { cards: [{ ...card, card_id: "c1" }, { ...card, ttl_seconds: 60, metadata: { role: "user" } }] },
    {
      cards: [
        { ...card, content: { __type__: "JsonContent", data: { a: [1, null, true] } } },
        { ...card, content: { __type__: "FieldsSchemaContent", fields: [{ name: "sum" }] } },
        { ...card, content: { __type__: "ToolCallContent", tool_name: "t", arguments: {}, status: "called" } },
        { ...card, content: { __type__: "ToolResultContent", status: "success", after_execution: "suspend", result: 1 } },
        { ...card, content: { __type__: "ToolResultContent", status: "failed", after_execution: "terminate", error: { code: "x", message: "y" } } },
      ],
    },
  ],
  create_box: [{ card_ids: ["c1", "c2"], box_id: "mine", parent_ids: ["b1"] }],
  append_to_box: [{ box_id: "mine", card_ids: ["c3"] }, { box_id: "mine", card_ids: ["c4"], behind_anything: true }],
  replace_box: [{ box_id: "mine", card_ids: ["c1"] }],
  fork_box: [{ box_id: "b1", take: 2 }],
  concat_boxes: [{ box_ids: ["b1", "b2"] }],
  get_cards: [{ card_ids: ["c1", "c99"] }],
  get_boxes: [{ box_ids: ["b1", "b99"] }],
  get_box_cards: [{ box_id: "b1" }],
  inspect: [{ call: { op: "pack_context", ...packCall() }, window: 1000 }, { box_id: "mine" }],
  render: [{ box_id: "mine" }, { cards: [{ card_id: "x", content: text, metadata: { role: "user" } }] }, { card_ids: ["c1", "c99"] }],
  compose: [
    {
      process: "sequential",
      system_prompt: "You review.",
      contexts: { todo__context: "1. read", knowledge__context: " " },
      checkpoint_messages: [message],
      query: { in_checkpoint: "m1" },
    },
  ],
  collect_contexts: [{ state: { compression__context: "They met.", goal: "ship" }, retrieved: { todo__context: { template: "Goal: {goal}" } } }],
  allowed_contexts: [{ process: "mapreduce_worker" }],
  change_memory: [{ state: {}, changes: [{ op: "append", messages: [message] }] }],
  enter_query: [{ state: { messages: [] }, query: message }],
  write_back: [{ state: { messages: [message] }, contexts: { todo__context: "t", framework__context: "f" }, policy: { reproducible: ["todo__context"] } }],
  text_form: [{ value: [1, null] }],
  read_content: [{ content: text }],
  read_card: [{ card: { content: text } }],
  read_box: [{ box: { card_ids: ["a"], parent_ids: ["b"] } }],
  delete_cards: [{ card_ids: ["c1"] }],
  delete_box: [{ box_id: "mine" }],
};
