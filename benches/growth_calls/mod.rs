//! Calls of growing size, and the project of their rows.

use tuckbox::store::{Agent, MemoryStore, Profile, table};
use tuckbox::value::json::{Field, Object};
use tuckbox::{Card, Json, Result};

/// A measured call: the part that grows, the operation, the smallest size, and the arguments.
pub struct MeasuredCall {
    pub what: &'static str,
    pub op: &'static str,
    pub least: usize,
    pub arguments: fn(usize) -> String,
}

const fn call(op: &'static str, least: usize, arguments: fn(usize) -> String) -> MeasuredCall {
    MeasuredCall { what: "", op, least, arguments }
}

const fn about(
    what: &'static str,
    op: &'static str,
    least: usize,
    arguments: fn(usize) -> String,
) -> MeasuredCall {
    MeasuredCall { what, op, least, arguments }
}

/// The calls with work in proportion to their size. Each must succeed.
pub const CALLS: &[MeasuredCall] = &[
    call("put_cards", 250, |n| format!(r#""cards": [{}]"#, list(n, card))),
    call("create_box", 1_000, |n| format!(r#""card_ids": [{}]"#, ids("c", n))),
    call("append_to_box", 1_000, |n| format!(r#""box_id": "b0", "card_ids": [{}]"#, ids("x", n))),
    call("replace_box", 1_000, |n| format!(r#""box_id": "b0", "card_ids": [{}]"#, ids("x", n))),
    call("fork_box", 1_000, |_| r#""box_id": "long""#.to_owned()),
    call("concat_boxes", 500, |n| format!(r#""box_ids": [{}]"#, ids("b", n))),
    call("delete_cards", 500, |n| format!(r#""card_ids": [{}]"#, ids("c", n))),
    call("get_cards", 500, |n| format!(r#""card_ids": [{}]"#, ids("c", n))),
    call("get_boxes", 500, |n| format!(r#""box_ids": [{}]"#, ids("b", n))),
    call("get_box_cards", 500, |_| r#""box_id": "long""#.to_owned()),
    about("boxes", "pack_context", 500, |n| pack(&ids("b", n))),
    about("a long box", "pack_context", 1_000, |_| pack(r#""long""#)),
    call("pack_context_with_instruction", 500, |n| {
        format!(
            r#""source_agent_id": "lead", "profile_name": "Writer", "instruction": "do", "inherit_box_ids": [{}]"#,
            ids("b", n)
        )
    }),
    call("delegate_async", 10_000, |n| {
        format!(
            r#""source_agent_id": "lead", "arguments": {{"target_strategy": "new", "target_ref": "Writer", "instruction": "{}"}}"#,
            words(n)
        )
    }),
    call("launch_principal", 10_000, |n| {
        format!(
            r#""source_agent_id": "lead", "arguments": {{"profile_name": "Writer", "instruction": "{}"}}"#,
            words(n)
        )
    }),
    call("ask_expert", 10_000, |n| {
        format!(
            r#""source_agent_id": "lead", "arguments": {{"expert_profile": "Writer", "question": "{}"}}"#,
            words(n)
        )
    }),
    about("one card, many times", "render", 1_000, |n| {
        format!(r#""card_ids": [{}]"#, list(n, |_| r#""c0""#.to_owned()))
    }),
    about("tags", "provision_identity", 1_000, |n| {
        format!(
            r#""target_agent_id": "lead", "action": "update", "profile_box_id": "pb", "worker_target": "w", "tags": [{}]"#,
            ids("t", n)
        )
    }),
    about("calls of a turn", "replace_waiting", 500, |n| {
        let calls = list(n, |at| format!(r#"{{"tool_call_id": "c{at}", "tool_name": "f"}}"#));
        format!(
            r#""agent_id": "lead", "agent_turn_id": "t1", "turn_epoch": 1, "wait_items": [{calls}]"#
        )
    }),
    call("fork_join", 250, fork_join),
    call("fork_join_args", 500, |n| format!(r#""arguments": {}"#, tasks(n))),
    call("hand_out", 100, |n| {
        format!(
            r#""call": {{"op": "fork_join", {}}}, "parent_agent_turn_id": "t1", "parent_turn_epoch": 1, "parent_tool_call_id": "k1", "headers": {{"CG-Recursion-Depth": "0"}}"#,
            fork_join(n)
        )
    }),
    call("preview_handover", 500, |n| {
        format!(
            r#""call": {{"op": "pack_context_with_instruction", "source_agent_id": "lead", "profile_name": "Writer", "instruction": "do", "inherit_box_ids": [{}]}}"#,
            ids("b", n)
        )
    }),
    call("validate_box_ids_exist", 500, |n| {
        let boxes = ids("b", n);
        format!(
            r#""source_agent_id": "lead", "box_ids": [{boxes}], "authorized_box_ids": [{boxes}]"#
        )
    }),
    call("turn_view", 500, |_| {
        r#""context_box_id": "long", "profile_box_id": "pb_writer""#.to_owned()
    }),
    call("turn_boxes", 1_000, |_| {
        r#""context_box_id": "long", "output_box_id": "long""#.to_owned()
    }),
    call("register_agent", 1_000, |n| {
        format!(r#""agent_id": "new", "profile_name": "Writer", "tags": [{}]"#, ids("t", n))
    }),
    call("register_tool", 500, |n| {
        format!(r#""tool_name": "new", "parameters": {{"properties": {{{}}}}}"#, members(n))
    }),
    call("render", 500, |_| r#""box_id": "long""#.to_owned()),
    about("anthropic", "payload", 500, |n| prompt("anthropic", n)),
    about("bedrock", "payload", 500, |n| prompt("bedrock", n)),
    about("gemini", "payload", 500, |n| prompt("gemini", n)),
    about("openai_chat", "payload", 500, |n| prompt("openai_chat", n)),
    about("openai_responses", "payload", 500, |n| prompt("openai_responses", n)),
    about("tools", "payload", 200, |n| {
        let tools = list(n, |at| {
            format!(
                r#"{{"type": "function", "function": {{"name": "tool_{at}", "parameters": {{"type": "object", "properties": {{"a": {{"type": "string"}}}}}}}}}}"#
            )
        });
        format!(
            r#""provider": "anthropic", "model": "m", "messages": [{}], "tools": [{tools}]"#,
            message(0)
        )
    }),
    about("calls with one id", "payload", 500, |n| paired("anthropic", n, "same", "same")),
    about("calls with one id, by turns", "payload", 500, |n| {
        let turns = list(n, |_| format!("{},{}", calls(1, "same"), result("same")));
        format!(r#""provider": "openai_chat", "model": "m", "messages": [{},{turns}]"#, message(0))
    }),
    about("calls without ids", "payload", 500, |n| paired("anthropic", n, "", "")),
    about("results of other calls", "payload", 500, |n| paired("openai_chat", n, "a", "b")),
    about("names that change", "payload", 500, |n| {
        let turns = list(n, |at| {
            let name: String =
                at.to_string().bytes().map(|digit| char::from(digit | 0x80)).collect();
            format!("{},{}", calls(1, "c").replace("\"f\"", &format!("\"{name}\"")), result("c"))
        });
        format!(r#""provider": "bedrock", "model": "m", "messages": [{},{turns}]"#, message(0))
    }),
    about("properties", "payload", 500, |n| {
        let names = list(n, |at| format!(r#""p {at}""#));
        let parts = list(n, |at| format!(r#""p {at}": {{"type": "string"}}"#));
        format!(
            r#""provider": "anthropic", "model": "m", "messages": [{}], "tools": [{{"name": "t", "strict": true,
            "parameters": {{"type": "object", "required": [{names}], "properties": {{{parts}}}}}}}]"#,
            message(0)
        )
    }),
    about("properties that are required", "payload", 500, |n| {
        let names = ids("p", n);
        let parts = list(n, |at| format!(r#""p{at}": {{"type": "string"}}"#));
        format!(
            r#""provider": "openai_chat", "model": "m", "messages": [{}], "tools": [{{"name": "t", "strict": true,
            "parameters": {{"type": "object", "required": [{names}], "properties": {{{parts}}}}}}}]"#,
            message(0)
        )
    }),
    call("restore_call", 500, |n| {
        let parts = list(n, |at| format!(r#""p {at}": {{"type": "string"}}"#));
        let given = list(n, |at| format!(r#""p_{at}": 1"#));
        format!(
            r#""provider": "anthropic", "name": "t", "arguments": {{{given}}},
            "tools": [{{"name": "t", "parameters": {{"type": "object", "properties": {{{parts}}}}}}}]"#
        )
    }),
    call("check_recipe", 500, |n| {
        let arguments = list(n, |at| format!(r#"{{"name": "a{at}", "type": "text"}}"#));
        let rules = list(n, |at| format!(r#"{{"arg_key": "a{at}"}}"#));
        format!(
            r#""recipe": {{"name": "r", "arguments": [{arguments}], "handover": {{"target_profile_config": {{"profile_name": "Writer"}},
            "context_packing_config": {{"pack_arguments": [{rules}]}}}}}}"#
        )
    }),
    about("results", "change_memory", 1_000, |n| {
        format!(
            r#""state": {{}}, "changes": [{{"op": "add_results", "results": [{}]}}]"#,
            list(n, |at| format!(r#"{{"task_id": "t{at}"}}"#))
        )
    }),
    about("passwords", "preview_handover", 2_000, |n| {
        format!(
            r#""call": {{"op": "pack_context_with_instruction", "source_agent_id": "lead", "profile_name": "Writer", "instruction": "{}"}}"#,
            "password=".repeat(n)
        )
    }),
    about("parents", "read_box", 1_000, |n| {
        format!(r#""box": {{"box_id": "b", "card_ids": [], "parent_ids": [{}]}}"#, ids("p", n))
    }),
    call("read_response", 500, |n| {
        let events = list(n, |at| {
            format!(r#"{{"candidates": [{{"content": {{"parts": [{{"text": "x{at}"}}]}}}}]}}"#)
        });
        format!(r#""provider": "gemini", "events": [{events}]"#)
    }),
    call("token_texts", 500, |n| prompt("anthropic", n)),
    call("count_tokens", 500, |n| prompt("anthropic", n)),
    call("budget", 500, |n| format!(r#"{}, "limit": 2000"#, prompt("anthropic", n))),
    call("diff_payloads", 500, |n| {
        let (before, after) = (list(n, message), list(n, |at| message(at + 1)));
        format!(
            r#""provider": "anthropic", "before": {{"messages": [{before}]}}, "after": {{"messages": [{after}]}}"#
        )
    }),
    call("compose", 500, |n| {
        format!(
            r#""process": "react", "system_prompt": "x", "query": {{"runtime": "go"}}, "checkpoint_messages": [{}]"#,
            list(n, |at| format!(r#"{{"id": "m{at}", "role": "user", "content": "x {at}"}}"#))
        )
    }),
    call("collect_contexts", 20_000, |n| {
        format!(
            r#""state": {{"goal": "ship"}}, "retrieved": {{"todo__context": {{"template": "{}"}}}}"#,
            "{goal} ".repeat(n)
        )
    }),
    call("change_memory", 200, |n| {
        format!(
            r#""state": {{}}, "changes": [{}]"#,
            list(n, |at| format!(
                r#"{{"op": "append", "messages": [{{"id": "m{at}", "role": "user", "content": "x"}}]}}"#
            ))
        )
    }),
    call("check_handoff", 200, |n| format!(r#""package": {}"#, package(n))),
    call("read_handoff", 200, |n| format!(r#""data": {}"#, package(n))),
    call("plan_handoff", 200, |n| format!(r#""package": {}"#, package(n))),
    call("audit_handoff", 200, |n| format!(r#""package": {}"#, package(n))),
    call("enqueue", 1_000, |n| {
        format!(
            r#""target_agent_id": "lead", "message_type": "note", "payload": {{{}}}, "headers": {{"CG-Recursion-Depth": "0"}}"#,
            members(n)
        )
    }),
    call("create_batch", 100, |n| {
        let tasks = list(n, |at| {
            format!(
                r#"{{"agent_id": "agent{at}", "profile_box_id": "pb_writer", "context_box_id": "b0"}}"#
            )
        });
        format!(
            r#""source_agent_id": "lead", "parent_agent_turn_id": "t1", "parent_turn_epoch": 1, "parent_tool_call_id": "k1", "task_specs": [{tasks}]"#
        )
    }),
    about("requests", "import", 4_000, |n| {
        let lines = list(n, |at| {
            format!(
                r#"{{\"model\": \"m\", \"messages\": [{{\"role\": \"user\", \"content\": \"x {at}\"}}]}}"#
            )
        });
        format!(
            r#""files": [{{"name": "log.jsonl", "text": "{}"}}]"#,
            lines.replace("},{", "}\\n{")
        )
    }),
    about("a chain of responses", "import", 2_000, |n| {
        let lines = list(n, |at| {
            format!(
                r#"{{\"request\": {{\"model\": \"m\", \"previous_response_id\": \"r{at}\", \"input\": \"x {at}\"}}, \"response\": {{\"id\": \"r{}\", \"output\": []}}}}"#,
                at + 1
            )
        });
        format!(
            r#""shape": "neutral", "files": [{{"name": "log.jsonl", "text": "{}"}}]"#,
            lines.replace("},{", "}\\n{")
        )
    }),
    about("spans of a trace", "import", 1_000, |n| {
        let spans = list(n, |at| {
            format!(
                r#"{{"spanId": "s{at}", "parentSpanId": "s{}", "name": "chat", "attributes": [
                    {{"key": "gen_ai.operation.name", "value": {{"stringValue": "chat"}}}},
                    {{"key": "gen_ai.response.id", "value": {{"stringValue": "resp_{at}"}}}},
                    {{"key": "gen_ai.input.messages", "value": {{"stringValue":
                        "[{{\"role\": \"tool\", \"parts\": [{{\"type\": \"tool_call_response\", \"id\": \"c\", \"result\": \"x\"}}]}}]"}}}},
                    {{"key": "gen_ai.output.messages", "value": {{"stringValue":
                        "[{{\"role\": \"assistant\", \"parts\": [{{\"type\": \"tool_call\", \"id\": \"c\", \"name\": \"f\", \"arguments\": {{}}}}]}}]"}}}}]}}"#,
                at + 1
            )
        });
        file(&format!(r#"{{"resourceSpans": [{{"scopeSpans": [{{"spans": [{spans}]}}]}}]}}"#))
    }),
    about("steps of an agent", "import", 1_000, |n| {
        let step = |at: usize, kind: &str| {
            format!(
                r#"{{"object": "trace.span", "id": "{kind}{at}", "parent_id": "a", "started_at": "2026-01-01T00:00:00Z",
                    "span_data": {{"type": "{kind}", "name": "f{at}", "input": "{{}}", "output": "x"}}}}"#
            )
        };
        let steps = list(n, |at| format!("{},{}", step(at, "function"), step(at, "response")));
        file(&steps.replace("\n", "").replace("}},{", "}}\n{"))
    }),
    about("a conversation", "import", 200, |n| {
        let messages = list(n, message).replace('"', "\\\"");
        format!(
            r#""files": [{{"name": "body.json", "text": "{{\"model\": \"m\", \"messages\": [{messages}]}}"}}]"#
        )
    }),
    call("inspect", 500, |_| r#""box_id": "long""#.to_owned()),
    call("inspect_request", 500, |_| r#""box_id": "long""#.to_owned()),
    call("compare", 500, |_| {
        r#""left": {"box_id": "long"}, "right": {"box_id": "backwards"}"#.to_owned()
    }),
    call("search_cards", 500, |n| format!(r#""text": "t", "box_ids": [{}]"#, ids("b", n))),
    call("find_cards", 500, |n| format!(r#""card_id": "shared", "box_ids": [{}]"#, ids("b", n))),
    about("doubles", "text_form", 1_000, |n| {
        format!(r#""value": [{}]"#, list(n, |at| format!("0.{at}1234567890123456789")))
    }),
    about("keys", "text_form", 1_000, |n| format!(r#""value": {{{}}}"#, members(n))),
    call("read_content", 1_000, |n| {
        format!(r#""content": {{"__type__": "JsonContent", "data": {{{}}}}}"#, members(n))
    }),
    call("read_box", 1_000, |n| {
        format!(r#""box": {{"box_id": "b", "card_ids": [{}]}}"#, ids("c", n))
    }),
];

/// Returns all arguments that operations take, each of size `n`. For operations without large
/// inputs this measures reading and refusing such a call.
pub fn everything(n: usize) -> String {
    format!(
        r#""box_id": "long", "box_ids": [{boxes}], "card_ids": [{cards}], "agent_id": "lead", "source_agent_id": "lead", "target_agent_id": "lead",
        "agent_turn_id": "t1", "turn_epoch": 1, "profile_box_id": "pb_writer", "context_box_id": "long", "output_box_id": "long", "name": "{words}",
        "arguments": {{{members}}}, "payload": {{{members}}}, "headers": {{{headers}}}, "metadata": {{{members}}}, "tool_calls": [{boxes}],
        "message_ids": [{boxes}], "correlation_ids": [{boxes}], "inbox_ids": [{boxes}], "state": {{{members}}}, "card": {{"content": {{{members}}}}}"#,
        boxes = ids("b", n),
        cards = ids("c", n),
        words = words(n),
        members = members(n),
        headers = list(n, |at| format!(r#""h{at}": "x""#)),
    )
}

/// Returns a project with `n` boxes of two cards, and a box of `n` cards.
pub fn project(n: usize) -> Result<MemoryStore> {
    let mut store = MemoryStore::new();
    let mut lead = Profile::new("Lead", "pb_lead");
    lead.delegation_policy = Json::Object(Object::default());
    let tables = store.project("p1");
    tables
        .add_profile(lead)
        .add_profile(Profile::new("Writer", "pb_writer"))
        .add_agent(Agent::new("lead", "pb_lead"))
        .add_card(stored(
            r#"{"card_id": "sys", "type": "sys.profile", "content": {"__type__": "JsonContent", "data": {"name": "Writer", "system_prompt_template": "You write."}}}"#,
        )?)
        .add_card(stored(&card_text("shared"))?)
        .add_box("pb_lead", ["sys"])
        .add_box("pb_writer", ["sys"]);
    let cards: Vec<String> = (0..n).map(|at| format!("c{at}")).collect();
    for id in &cards {
        tables
            .add_agent(Agent::new(id.replacen('c', "agent", 1), "pb_writer"))
            .add_card(stored(&card_text(id))?)
            .add_box(id.replacen('c', "b", 1), [id.as_str(), "shared"]);
    }
    tables
        .add_box("long", cards.iter().map(String::as_str))
        .add_box("backwards", cards.iter().rev().map(String::as_str));
    let head = r#"{"agent_id": "lead", "status": "running", "active_agent_turn_id": "t1", "turn_epoch": 1}"#;
    if let Json::Object(head) = Json::parse(head)? {
        tables.add_row(&table::HEADS, head);
    }
    Ok(store)
}

fn stored(text: &str) -> Result<Card> {
    Card::from_row(&Field::root(&Json::parse(text)?))
}

fn card_text(id: &str) -> String {
    format!(
        r#"{{"card_id": "{id}", "type": "note", "author_id": "a", "metadata": {{"role": "user"}}, "content": {{"__type__": "TextContent", "text": "t {id}"}}}}"#
    )
}

fn card(at: usize) -> String {
    card_text(&format!("n{at}"))
}

fn message(at: usize) -> String {
    let role = if at.is_multiple_of(2) { "user" } else { "assistant" };
    format!(r#"{{"role": "{role}", "content": "x {at}"}}"#)
}

fn prompt(provider: &str, n: usize) -> String {
    format!(r#""provider": "{provider}", "model": "m", "messages": [{}]"#, list(n, message))
}

/// Returns a message with calls under one id.
fn calls(n: usize, id: &str) -> String {
    let calls = list(n, |_| {
        format!(
            r#"{{"id": "{id}", "type": "function", "function": {{"name": "f", "arguments": "{{}}"}}}}"#
        )
    });
    format!(r#"{{"role": "assistant", "content": "", "tool_calls": [{calls}]}}"#)
}

fn result(id: &str) -> String {
    format!(r#"{{"role": "tool", "tool_call_id": "{id}", "content": "x"}}"#)
}

/// Returns one message with calls, and as many results.
fn paired(provider: &str, n: usize, call: &str, answer: &str) -> String {
    let results = list(n, |_| result(answer));
    format!(
        r#""provider": "{provider}", "model": "m", "messages": [{},{},{results}]"#,
        message(0),
        calls(n, call)
    )
}

fn pack(boxes: &str) -> String {
    format!(
        r#""tool_suffix": "t", "source_agent_id": "lead", "arguments": {{"profile_name": "writer", "boxes": [{boxes}]}},
        "handover": {{"context_packing_config": {{"inherit_context": {{"include_boxes_from_args": ["boxes"]}}}}}}"#
    )
}

fn fork_join(n: usize) -> String {
    format!(
        r#""source_agent_id": "lead", "recursion_depth": 0, "max_tasks": 1000000, "arguments": {}"#,
        tasks(n)
    )
}

fn tasks(n: usize) -> String {
    let tasks = list(n, |at| {
        format!(
            r#"{{"target_strategy": "new", "target_ref": "Writer", "instruction": "part {at}", "context_box_id": "b{at}"}}"#
        )
    });
    format!(r#"{{"tasks": [{tasks}]}}"#)
}

fn package(n: usize) -> String {
    let samples = list(n, |at| {
        format!(
            r#"{{"sample_id": "s{at}", "sample_path": "samples/s{at}.json", "trace_path": "traces/s{at}.json", "priority": "high", "failure_type": "f"}}"#
        )
    });
    format!(
        r#"{{"handoff_type": "execute_to_init", "version": "2.0", "timestamp": "2026-01-04T10:30:00Z", "execution_output_dir": "out", "trigger_reason": "r",
        "iteration_summary": {{}}, "failure_samples_index": [{samples}], "layer1_problems_report_path": "report.json", "modification_suggestions_summary": ["a"]}}"#
    )
}

/// Returns the arguments of an import of one file.
fn file(text: &str) -> String {
    format!(r#""shape": "neutral", "files": [{{"name": "log", "text": {}}}]"#, Json::from(text))
}

fn list(size: usize, item: impl Fn(usize) -> String) -> String {
    (0..size).map(item).collect::<Vec<_>>().join(",")
}

fn ids(prefix: &str, size: usize) -> String {
    list(size, |at| format!(r#""{prefix}{at}""#))
}

fn members(size: usize) -> String {
    list(size, |at| format!(r#""k{at}": {at}"#))
}

fn words(size: usize) -> String {
    "word ".repeat(size)
}
