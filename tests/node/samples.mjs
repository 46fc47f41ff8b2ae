// Calls of every operation in a valid order, on the project of `support.mjs`.
import { claudeSession } from "../support/logs.mjs";
import { packCall } from "./support.mjs";

const text = { __type__: "TextContent", text: "hello" };
const card = { type: "note", author_id: "me", content: text };
const message = { role: "user", content: "go", id: "m1" };
const talk = [
  { role: "user", content: "look it up" },
  { role: "assistant", content: "well", tool_calls: [{ id: "k", type: "function", function: { name: "search", arguments: "{}" } }] },
  { role: "tool", tool_call_id: "k", content: "three hits" },
];
const task = { target_strategy: "new", target_ref: "Writer", instruction: "write it down", context_box_id: "b1" };
const caller = { source_agent_id: "agent_a", tool_suffix: "demo" };

/** A custom recipe, which the project is opened with. */
export const review = {
  name: "ask_for_review",
  description: "somebody else looks at drafts",
  arguments: [
    { name: "what", type: "text", description: "the question" },
    { name: "drafts", type: "box_ids" },
    { name: "verdict", type: "result_fields", required: false },
  ],
  handover: {
    target_profile_config: { profile_name: "Writer" },
    context_packing_config: {
      pack_arguments: [{ arg_key: "what" }, { arg_key: "verdict", as_card_type: "task.result_fields" }],
      inherit_context: { include_boxes_from_args: ["drafts"], include_parent: true },
    },
  },
};
const reviewed = { what: "Is it true?", drafts: ["mine", "b1"], verdict: [{ name: "verdict", description: "yes or no" }, { name: "why" }] };
const profile = {
  name: "Writer",
  system_prompt_template: "You are {display_name}.",
  llm_config: { model: "m" },
  allowed_tools: ["search"],
};
const tools = ["search", "delete"].map((name) => ({ type: "function", function: { name } }));

/** A request in the report of an import. */
const asked = { request: 0, model: "m", at: "2026-11-18T10:00:00Z", origin: { file: "a.jsonl" }, recorded: { input: 7 }, estimated: 9 };
const imported = {
  name: "requests.jsonl",
  text: `${JSON.stringify({ model: "m", messages: [{ role: "system", content: "Be brief." }, ...talk], tools })}\nno JSON`,
};

const handoff = {
  handoff_type: "execute_to_init",
  timestamp: "2026-01-04T15:30:00",
  execution_output_dir: "leave/iteration_1",
  trigger_reason: "too many failures",
  iteration_summary: { total_iterations: 1, total_samples: 2, failed_samples: 1 },
  failure_samples_index: [
    {
      sample_id: "S1",
      trace_path: "execution_traces/S1_trace.json",
      evaluation_path: "evaluation_results/S1_eval.json",
      conversation_turns: 40,
      checkers_failed: ["balance"],
      priority: "high",
    },
  ],
  layer1_problems_report_path: "layer1_problems_report.json",
  modification_suggestions_summary: ["a", "b"],
};
const fix = { target: "Rules.md", section: "1", modification: "say when", rationale: "it is unclear" };
const report = {
  report_version: "1.0",
  generated_at: "2026-01-04T15:30:00",
  iteration: 1,
  total_samples: 2,
  failed_samples: 1,
  failure_rate: 0.5,
  layer1_problems: [
    {
      problem_id: "L1P_001",
      problem_type: "BusinessRule_Unclear",
      severity: "critical",
      title: "balance",
      description: "when the balance is deducted is not said",
      affected_samples: ["S1"],
      affected_count: 1,
      evidence_summary: "seen in one",
      typical_case_id: "S1",
      suggested_fix: fix,
    },
  ],
  modification_priority: [{ priority: 1, problem_id: "L1P_001", impact: "1 failed sample", estimated_improvement: "+50%" }],
};
const turns = Array.from({ length: 40 }, (_, at) => ({ role: "user", content: `turn ${at} `.repeat(20) }));
const files = [
  { path: "leave/iteration_1/layer1_problems_report.json", text: JSON.stringify(report) },
  { path: "leave/iteration_1/execution_traces/S1_trace.json", text: JSON.stringify({ conversation_history: turns }) },
  { path: "leave/iteration_1/evaluation_results/S1_eval.json", text: JSON.stringify({ checkers_failed: ["balance"] }) },
];
const record = { sample_id: "S1", sample: {}, trace: turns, evaluation: { passed: false }, attribution: { failure_type: "Layer1_Rule" } };

/** Entries of a lockfile. */
const HELLO = `entry "greeting"
  provider openai_chat "gpt-5"
  message text user 1 185f8db32271 "user message" "Hello"
  tokens 1 tools 0 system 0 messages 1
  prefix 1
  end 36f23a783dde
`;
const GOOD_DAY = `entry "greeting"
  provider openai_chat "gpt-5"
  message text user 2 368c062b4f03 "user message" "Good day"
  tokens 2 tools 0 system 0 messages 2
  prefix 2
  end b45925b42cd0
`;
const lockfile = (block) => `# tuckbox.lock v1. Written by \`tuckbox lock update\`. Do not edit.\n\n${block}\n# end\n`;

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
    {
      cards: [
        { ...card, card_id: "c1" },
        { ...card, ttl_seconds: 60, metadata: { role: "user" } },
      ],
    },
    {
      cards: [
        { ...card, content: { __type__: "JsonContent", data: { a: [1, null, true] } } },
        { ...card, content: { __type__: "FieldsSchemaContent", fields: [{ name: "sum" }] } },
        { ...card, content: { __type__: "ToolCallContent", tool_name: "t", arguments: {}, status: "called" } },
        { ...card, content: { __type__: "ToolResultContent", status: "success", after_execution: "suspend", result: 1 } },
        {
          ...card,
          content: { __type__: "ToolResultContent", status: "failed", after_execution: "terminate", error: { code: "x", message: "y" } },
        },
      ],
    },
    {
      cards: [
        { ...card, card_id: "profile", type: "sys.profile", content: { __type__: "JsonContent", data: profile } },
        {
          ...card,
          card_id: "contract",
          type: "task.result_fields",
          content: { __type__: "FieldsSchemaContent", fields: [{ name: "sum", description: "all of it" }] },
        },
      ],
    },
  ],
  create_box: [
    { card_ids: ["c1", "c2"], box_id: "mine", parent_ids: ["b1"] },
    { card_ids: ["profile"], box_id: "pb_writer" },
    { card_ids: ["contract", "c1", "c99"], box_id: "turn" },
  ],
  check_recipe: [
    { recipe: review },
    { recipe: { ...review, name: "quiet", handover: { target_profile_config: { profile_name: "Writer" } } } },
  ],
  run_recipe: [
    { ...caller, recipe: "ask_for_review", arguments: reviewed },
    { ...caller, recipe: { ...review, name: "once" }, arguments: { what: "And this?", drafts: [] }, dialect: "v1r4" },
  ],
  brief_handover: [
    { call: { op: "delegate_async", ...caller, arguments: task } },
    { call: { op: "pack_context", ...packCall() }, from: 1, max_tokens: 400 },
  ],
  preview_handover: [
    { call: { op: "delegate_async", ...caller, arguments: task }, tools, takes_files: false },
    { call: { op: "fork_join", ...caller, arguments: { tasks: [task, { ...task, instruction: "again" }] } }, task: 1 },
    { call: { op: "pack_context", ...packCall(), source_agent_id: "nobody" } },
    { call: { op: "run_recipe", ...caller, recipe: "ask_for_review", arguments: reviewed } },
    {
      call: {
        op: "ask_expert",
        ...caller,
        arguments: { expert_profile: "Writer", question: "why?", include_history: true },
        dialect: "v1r4",
      },
    },
  ],
  turn_view: [
    { agent_id: "agent_a" },
    {
      context_box_id: "turn",
      output_box_id: "b1",
      profile_box_id: "pb_writer",
      display_name: "Wendy",
      tools,
      system_append: "Be brief.",
      record: true,
    },
    { context_box_id: "mine", after: { op: "append_to_box", box_id: "mine", card_ids: ["c3"] } },
    { output_box_id: "b1", dialect: "v1r4_hotfix" },
  ],
  list_boxes: [{}, { limit: 2 }],
  list_turn_views: [{}, { agent_id: "agent_a", limit: 2 }, { agent_turn_id: "t1" }],
  turn_boxes: [
    { context_box_id: "mine", output_box_id: "b1" },
    { context_box_id: "b1", output_box_id: "mine", dialect: "v1r4_hotfix" },
  ],
  append_to_box: [
    { box_id: "mine", card_ids: ["c3"] },
    { box_id: "mine", card_ids: ["c4"], any_version: true, even_during_turn: true },
  ],
  replace_box: [{ box_id: "mine", card_ids: ["c1"] }],
  fork_box: [{ box_id: "b1", take: 2 }],
  concat_boxes: [{ box_ids: ["b1", "b2"] }],
  get_cards: [{ card_ids: ["c1", "c99"] }],
  get_boxes: [{ box_ids: ["b1", "b99"] }],
  get_box_cards: [{ box_id: "b1" }],
  inspect: [{ call: { op: "pack_context", ...packCall() }, to: 10 }, { box_id: "mine", find: "hello" }, { turn: { context_box_id: "b1" } }],
  inspect_request: [
    { call: { op: "pack_context", ...packCall() }, window: 1000, provider: "anthropic" },
    { call: { op: "delegate_async", ...caller, arguments: task }, max_output_tokens: 100 },
    { box_id: "mine", provider: "openai_chat" },
    { turn: { agent_id: "agent_a" }, provider: "gemini" },
  ],
  compare: [
    { left: { box_id: "b1" }, right: { box_id: "mine" } },
    { left: { call: { op: "pack_context", ...packCall() } }, right: { turn: { agent_id: "agent_a" } } },
  ],
  import: [
    { files: [imported, { name: "x.bin", base64: "AAE=" }] },
    { files: [imported], shape: "neutral", every: true },
    { files: [imported], shape: "neutral", request: 0 },
    { files: [imported], shape: "snapshot" },
  ],
  list_sessions: [
    { report: { files: [{ name: "a.jsonl", format: "json" }], sessions: [{ id: "s", source: "json", requests: [asked] }] }, find: "S" },
    { report: { files: [{ name: "a.jsonl", format: "json" }], sessions: [{ id: "s", source: "json", requests: [asked] }] }, session: "s" },
  ],
  explain_request: [{ files: [imported] }, { files: [imported], request: 0, message: 0, from: 0, max_tokens: 500 }],
  compare_requests: [{ files: [imported] }, { files: [imported], before: 0, after: 0 }],
  explain_misses: [{ files: [imported] }, { files: [imported], request: 0 }],
  explain_compactions: [{ files: [imported] }, { files: [imported], compaction: 0 }],
  timeline: [
    { files: [imported] },
    { files: claudeSession() },
    { files: claudeSession(), step: 11 },
    { files: [imported], step: 1 },
    { files: [imported], message: "m0" },
    { files: [imported], find: "hits" },
  ],
  search_cards: [
    { text: "hello", box_ids: ["mine", "b1", "b99"] },
    { text: "C1", box_ids: ["b1"], limit: 1 },
  ],
  find_cards: [{ card_id: "c1", box_ids: ["b1", "b99"] }],
  render: [{ box_id: "mine" }, { cards: [{ card_id: "x", content: text, metadata: { role: "user" } }] }, { card_ids: ["c1", "c99"] }],
  payload: [
    { provider: "anthropic", box_id: "mine", model: "some-model" },
    {
      provider: "gemini",
      model: "some-model",
      messages: talk,
      origins: [null, { card_id: "c1" }],
      tools: [{ name: "a.b/c" }, { type: "web_search" }, { name: "w", parameters: { type: "string" } }],
    },
    { provider: "neutral", messages: talk },
    { provider: "gemini", model: "m", messages: talk, form: "client" },
    { provider: "ai_sdk", model: "m", messages: talk, tools: [{ name: "a" }], form: "client" },
  ],
  turn_request: [
    { turn: { context_box_id: "mine", profile_box_id: "pb_writer" } },
    { turn: { context_box_id: "mine", output_box_id: "b1", tools }, provider: "anthropic" },
  ],
  read_response: [
    {
      provider: "openai_chat",
      response: { choices: [{ message: { content: "hi" }, finish_reason: "stop" }], usage: { prompt_tokens: 3 } },
    },
    {
      provider: "gemini",
      events: [{ candidates: [{ content: { parts: [{ functionCall: { name: "a", args: {} }, thoughtSignature: "s" }] } }] }],
    },
  ],
  read_deltas: [
    { provider: "openai_chat", events: [{ choices: [{ index: 0, delta: { content: "hi" } }] }] },
    {
      provider: "anthropic",
      tools: [{ name: "a.b" }],
      events: [
        { type: "content_block_start", index: 1, content_block: { type: "tool_use", id: "k1", name: "a_b", input: {} } },
        { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: "{}" } },
        { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "hm" } },
        { type: "message_delta", delta: {}, usage: { output_tokens: 3 } },
      ],
    },
    { provider: "openai_responses", events: [{ type: "response.refusal.delta", delta: "no" }] },
  ],
  restore_call: [{ provider: "anthropic", tools: [{ name: "a.b" }], name: "a_b", arguments: "{}" }],
  token_texts: [{ provider: "openai_chat", messages: talk }],
  count_tokens: [
    { provider: "openai_chat", messages: talk, origins: [{ layer: "query" }, { card_id: "c1" }], tools: [{ name: "a" }] },
    { provider: "openai_responses", messages: talk, counter: { counts: [1, 1, 1, 1, 1], exact: true } },
  ],
  budget: [
    {
      provider: "openai_chat",
      messages: talk,
      origins: [null, { layer: "checkpoint_messages" }],
      limit: 24,
      priorities: { team__context: 1 },
    },
    { provider: "neutral", turn: { context_box_id: "b1" }, limit: 5_000, pinned: [0], brief: true, also: [4_000, 0] },
    { provider: "neutral", compose: { process: "react", system_prompt: "You review.", query: { runtime: "go" } }, limit: 5_000 },
  ],
  diff_payloads: [
    { provider: "openai_chat", before: { messages: talk }, after: { messages: [...talk, message] }, cache: { least_tokens: 1 } },
    { provider: "anthropic", before: { messages: talk }, after: { box_id: "mine" } },
    { provider: "gemini", before: { messages: talk }, after: { messages: talk } },
  ],
  inspect_cache: [
    {
      provider: "anthropic",
      model: "claude-opus-5-5",
      cache: { strategy: "auto" },
      requests: [
        { box_id: "mine", at: "2026-11-18T10:00:00Z" },
        { box_id: "mine", at: "2026-11-18T10:07:00Z" },
      ],
    },
  ],
  explain_cache: [
    {
      provider: "anthropic",
      price: { input: 5, currency: "USD" },
      requests: ["2026-11-17", "2026-11-18"].map((day, at) => ({
        body: {
          model: "claude-opus-5-5",
          max_tokens: 1000,
          system: [{ type: "text", text: `Be brief. Today is ${day}.`, cache_control: { type: "ephemeral" } }],
          messages: [{ role: "user", content: "look it up" }],
        },
        at: `2026-11-18T10:0${at}:00Z`,
        usage: { input_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 900 },
      })),
    },
    {
      provider: "openai_chat",
      requests: [
        { body: { model: "gpt-5.6-sol", messages: talk } },
        { body: { model: "gpt-5.6-sol", messages: [...talk, message] }, at: 0, lacks: ["tools"] },
      ],
    },
    {
      provider: "gemini",
      requests: [{ model: "gemini-3.8-flash", body: { contents: [{ role: "user", parts: [{ text: "go" }] }] }, scope: "eu" }],
    },
  ],
  lock_entry: [
    { name: "greeting", request: { provider: "openai_chat", body: { model: "gpt-5", messages: [{ role: "user", content: "Hello" }] } } },
    {
      name: "box",
      context: { box_id: "b1", provider: "anthropic", model: "claude-opus-5-5" },
      from: "test:a.test.js",
      volatile: ["/messages/0", { slot: "/system/0", after: "Today is " }],
      redact: true,
      legal_for: ["gemini"],
    },
    {
      name: "converted",
      request: { provider: "openai_chat", body: { model: "gpt-5", messages: [{ role: "user", content: "Hello" }] } },
      legal_for: ["anthropic"],
    },
  ],
  lock_read: [{ lock: lockfile(HELLO) }],
  lock_update: [{ entries: [{ name: "greeting", block: HELLO }] }, { lock: lockfile(HELLO), entries: [], remove: ["greeting"] }],
  lock_check: [
    {
      lock: lockfile(HELLO),
      entries: [{ name: "greeting", block: GOOD_DAY, details: { texts: ["Good day"], unmatched: ["/system/date"] } }],
      again: [{ name: "greeting", block: HELLO }],
      errors: [{ name: "other", message: "it cannot be built" }],
      assertions: [{ max_tokens: 0, contains: [{ role: "user" }] }],
      formats: ["text"],
    },
    { lock: lockfile(HELLO), entries: [] },
  ],
  lock_diff: [{ before: HELLO, after: GOOD_DAY, formats: ["markdown"] }],
  lock_compare: [{ before: HELLO, after: GOOD_DAY, details: { texts: ["Good day"] } }],
  explain_compaction: [
    {
      provider: "openai_chat",
      requests: [
        { body: { messages: [message, { role: "assistant", content: "well" }, { role: "user", content: "and then?" }] } },
        {
          body: { messages: [message, { role: "assistant", content: "well" }, { role: "user", content: "Summarize." }] },
          kind: "compaction",
        },
        {
          body: {
            messages: [
              { role: "user", content: "Summary of the conversation so far: well." },
              { role: "user", content: "and then?" },
            ],
          },
          covered: [0, 2],
        },
      ],
    },
  ],
  compose: [
    {
      process: "sequential",
      system_prompt: "You review.",
      contexts: { todo__context: "1. read", knowledge__context: " " },
      checkpoint_messages: [message],
      query: { in_checkpoint: "m1" },
    },
  ],
  collect_contexts: [
    { state: { compression__context: "They met.", goal: "ship" }, retrieved: { todo__context: { template: "Goal: {goal}" } } },
  ],
  prompt_tables: [{}],
  allowed_contexts: [{ process: "mapreduce_worker" }],
  change_memory: [{ state: {}, changes: [{ op: "append", messages: [message] }] }],
  enter_query: [{ state: { messages: [] }, query: message }],
  write_back: [
    {
      state: { messages: [message] },
      contexts: { todo__context: "t", framework__context: "f" },
      policy: { reproducible: ["todo__context"] },
    },
  ],
  text_form: [{ value: [1, null] }],
  read_content: [{ content: text }],
  read_card: [{ card: { content: text } }],
  read_new_card: [{ card: { card_id: "c", project_id: "", type: "t", author_id: "a", content: { __type__: "TextContent", text: "x" } } }],
  read_box: [{ box: { card_ids: ["a"], parent_ids: ["b"] } }],
  read_handoff: [{ data: handoff }, { model: "ContextPackage", data: { handoff_type: "init_to_execute", timestamp: "t", more: 1 } }],
  check_handoff: [{ package: handoff, report }, { package: { ...handoff, version: "3.0" } }],
  build_handoff: [
    {
      execution_output_dir: "leave/iteration_2",
      timestamp: "2026-01-04T15:30:00",
      iteration: 2,
      trigger_reason: "too many failures",
      records: [record, { ...record, sample_id: "S2", evaluation: { passed: true } }],
    },
  ],
  store_handoff: [{ package: handoff, files, package_path: "leave/handoff.json" }],
  audit_handoff: [{ package: handoff }],
  plan_handoff: [
    { package: handoff, report },
    { package: handoff, report, budget: 900 },
    { package: handoff, depth: "report_summary" },
  ],
  load_handoff: [{ package: handoff }, { package: handoff, budget: 1500 }],
  make_handoff_cards: [
    { package: handoff, author_id: "me" },
    { package: handoff, author_id: "me", content: "loaded", budget: 2000 },
  ],
  register_profile: [
    { name: "Editor", profile_box_id: "b1", tags: ["text"], worker_target: "w", delegation_policy: { target_profiles: null } },
  ],
  update_profile: [{ name: "editor", tags: [] }],
  put_profile: [
    { name: "Reviewer", system_prompt: "You review.", config: { llm_config: { model: "m" } } },
    { name: "Reviewer", system_prompt: "Review briefly.", config: { llm_config: { model: "m" } } },
  ],
  register_agent: [
    { agent_id: "agent_e", profile_name: "Editor", display_name: "Ed", worker_target: "w" },
    { agent_id: "agent_f", profile_box_id: "pb_writer", metadata: {} },
  ],
  update_agent: [{ agent_id: "agent_f", display_name: "Fay" }],
  register_tool: [{ tool_name: "search", description: "Looks.", parameters: { type: "object" } }],
  update_tool: [{ tool_name: "search", after_execution: "suspend" }],
  list_profiles: [{}],
  list_agents: [{ limit: 5 }, { profile_box_id: "pb_writer" }],
  list_tools: [{}],
  audit_refusal: [
    {
      call: {
        op: "launch_principal",
        source_agent_id: "agent_a",
        arguments: { profile_name: "Lead", instruction: "Draft it." },
      },
    },
    { call: { op: "get_cards", card_ids: [] } },
  ],
  list_audit: [{}, { agent_id: "agent_a", limit: 2 }, { box_id: "none" }],
  move_pointers: [
    { agent_id: "agent_e", context_box_id: "b1", output_box_id: "b2", expected: { status: "idle", turn_epoch: 0 } },
    { agent_id: "agent_e", last_output_box_id: "b2", memory_context_box_id: null },
  ],
  append_output: [{ agent_id: "agent_e", card_ids: ["profile"] }],
  remove_tool: [{ tool_name: "search" }],
  remove_agent: [{ agent_id: "agent_f" }],
  remove_profile: [{ name: "Editor" }],
  delete_cards: [{ card_ids: ["c1"] }],
  erase_cards: [{ card_ids: ["c1"], source_agent_id: "dpo", reason: "request 17" }],
  delete_box: [{ box_id: "mine" }],
};
