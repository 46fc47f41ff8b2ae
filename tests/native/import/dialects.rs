//! The same conversation in the formats of many tools gives the same request.
//!
//! A user asks, the model calls a tool, the tool returns, the model answers. The tests look at the
//! second of the two requests.

use tuckbox::import::{SourceFile, import, neutral};
use tuckbox::value::json::Object;
use tuckbox::{Json, json};

const ASKED: &str = "How warm is it?";
const ARGUMENTS: &str = r#"{"city": "Lisbon"}"#;

/// Returns the last request of files in the neutral shape.
fn last(files: &[(&str, Vec<u8>)]) -> Json {
    let files: Vec<SourceFile<'_>> =
        files.iter().map(|(name, bytes)| SourceFile { name, bytes }).collect();
    neutral::shape(&import(&files), false)
}

fn lines(rows: &[Json]) -> Vec<u8> {
    rows.iter().map(|row| format!("{row}\n")).collect::<String>().into_bytes()
}

/// The second request, in every dialect.
fn messages() -> Json {
    json!([
        {"role": "user", "parts": [{"type": "text", "text": ASKED}]},
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "look_up", "arguments": {"city": "Lisbon"}}]},
        {"role": "tool", "parts": [{"type": "tool_result", "id": "c1", "content": "19"}]},
    ])
}

fn chat() -> Vec<Json> {
    let call = json!({"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": ARGUMENTS}});
    vec![
        json!({"role": "system", "content": "Be brief."}),
        json!({"role": "user", "content": ASKED}),
        json!({"role": "assistant", "content": null, "tool_calls": [call]}),
        json!({"role": "tool", "tool_call_id": "c1", "content": "19"}),
    ]
}

fn first(messages: &[Json], count: usize) -> Json {
    Json::Array(messages[..count].to_vec())
}

/// Returns a plain value as in OTLP.
fn any(value: &Json) -> Json {
    match value {
        Json::Array(items) => {
            json!({"arrayValue": {"values": (items.iter().map(any).collect::<Json>())}})
        }
        Json::Object(members) => {
            let entry = |(key, value): (&String, &Json)| json!({"key": (key.as_str()), "value": (any(value))});
            json!({"kvlistValue": {"values": (members.iter().map(entry).collect::<Json>())}})
        }
        Json::Number(number) => json!({"intValue": (number.to_string())}),
        Json::Bool(truth) => json!({"boolValue": (*truth)}),
        Json::String(text) => json!({"stringValue": (text.as_str())}),
        Json::Null => json!({}),
    }
}

fn attributes(of: &[(&str, Json)]) -> Json {
    of.iter().map(|(key, value)| json!({"key": (*key), "value": (any(value))})).collect()
}

fn spans(scope: &str, of: &[&[(&str, Json)]]) -> Vec<u8> {
    let spans = of.iter().enumerate().map(|(at, of)| {
        json!({"spanId": (format!("s{at}")), "name": "chat", "startTimeUnixNano": (format!("{}", 1_000_000 + at)),
            "attributes": (attributes(of))})
    });
    let spans: Json = spans.collect();
    lines(&[
        json!({"resourceSpans": [{"scopeSpans": [{"scope": {"name": scope}, "spans": spans}]}]}),
    ])
}

fn logs(of: &[(&str, &str, Json)]) -> Vec<u8> {
    let records = of.iter().enumerate().map(|(at, (span, name, body))| {
        json!({"spanId": (*span), "timeUnixNano": (format!("{}", 1_000_000 + at)), "body": (any(body)),
            "attributes": (attributes(&[("event.name", Json::from(*name))]))})
    });
    let records: Json = records.collect();
    lines(&[
        json!({"resourceLogs": [{"scopeLogs": [{"scope": {"name": "openai_v2"}, "logRecords": records}]}]}),
    ])
}

fn text(value: &Json) -> Json {
    Json::from(value.to_string())
}

#[test]
fn numbered_attributes_of_openinference_are_read() {
    let of = |key: &str| format!("llm.input_messages.{key}");
    let mut both: Vec<(String, Json)> = vec![
        ("openinference.span.kind".into(), "LLM".into()),
        ("llm.model_name".into(), "m".into()),
        (of("0.message.role"), "system".into()),
        (of("0.message.content"), "Be brief.".into()),
        (of("1.message.role"), "user".into()),
        (of("1.message.content"), ASKED.into()),
        (of("2.message.role"), "assistant".into()),
        (of("2.message.tool_calls.0.tool_call.id"), "c1".into()),
        (of("2.message.tool_calls.0.tool_call.function.name"), "look_up".into()),
        (of("2.message.tool_calls.0.tool_call.function.arguments"), ARGUMENTS.into()),
        (of("3.message.role"), "tool".into()),
        (of("3.message.tool_call_id"), "c1".into()),
        (of("3.message.content"), "19".into()),
        ("llm.output_messages.0.message.role".into(), "assistant".into()),
        ("llm.output_messages.0.message.contents.0.message_content.type".into(), "text".into()),
        (
            "llm.output_messages.0.message.contents.0.message_content.text".into(),
            "19 degrees.".into(),
        ),
        ("llm.token_count.prompt".into(), 30_u64.into()),
    ];
    let schema = json!({"type": "function", "function": {"name": "look_up", "description": "Looks.", "parameters": {"type": "object"}}});
    both.push(("llm.tools.0.tool.json_schema".into(), text(&schema)));
    let named: Vec<(&str, Json)> =
        both.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
    let found = last(&[("spans.jsonl", spans("openinference.instrumentation.openai", &[&named]))]);
    assert_eq!(found.get("system").unwrap(), &json!(["Be brief."]));
    assert_eq!(found.get("messages").unwrap(), &messages());
    assert_eq!(found.get("output").unwrap(), &json!([{"type": "text", "text": "19 degrees."}]));
    let tool = found.get("tools").unwrap().as_array().unwrap()[0].clone();
    assert_eq!(
        tool,
        json!({"name": "look_up", "description": "Looks.", "schema": {"type": "object"}})
    );
}

#[test]
fn numbered_prompts_and_completions_of_traceloop_are_read() {
    let named = [
        ("llm.request.type", "chat".into()),
        ("gen_ai.request.model", "m".into()),
        ("gen_ai.prompt.0.role", "system".into()),
        ("gen_ai.prompt.0.content", "Be brief.".into()),
        ("gen_ai.prompt.1.role", "user".into()),
        ("gen_ai.prompt.1.content", ASKED.into()),
        ("gen_ai.prompt.2.role", "assistant".into()),
        ("gen_ai.prompt.2.tool_calls.0.id", "c1".into()),
        ("gen_ai.prompt.2.tool_calls.0.name", "look_up".into()),
        ("gen_ai.prompt.2.tool_calls.0.arguments", ARGUMENTS.into()),
        ("gen_ai.prompt.3.role", "tool".into()),
        ("gen_ai.prompt.3.content", "19".into()),
        ("gen_ai.prompt.3.tool_call_id", "c1".into()),
        ("llm.request.functions.0.name", "look_up".into()),
        ("llm.request.functions.0.description", "Looks.".into()),
        ("llm.request.functions.0.parameters", r#"{"type": "object"}"#.into()),
        ("gen_ai.completion.0.role", "assistant".into()),
        ("gen_ai.completion.0.content", "19 degrees.".into()),
    ];
    let found =
        last(&[("spans.jsonl", spans("opentelemetry.instrumentation.openai.v1", &[&named]))]);
    assert_eq!(found.get("system").unwrap(), &json!(["Be brief."]));
    assert_eq!(found.get("messages").unwrap(), &messages());
    assert_eq!(found.get("output").unwrap(), &json!([{"type": "text", "text": "19 degrees."}]));
}

#[test]
fn gen_ai_messages_in_json_text_are_read() {
    let said = json!([
        {"role": "user", "parts": [{"type": "text", "content": ASKED}]},
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "look_up", "arguments": {"city": "Lisbon"}}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "19"}]},
    ]);
    let named = [
        ("gen_ai.operation.name", "chat".into()),
        ("gen_ai.provider.name", "openai".into()),
        ("gen_ai.system_instructions", text(&json!([{"type": "text", "content": "Be brief."}]))),
        ("gen_ai.input.messages", text(&said)),
        (
            "gen_ai.output.messages",
            text(
                &json!([{"role": "assistant", "parts": [{"type": "text", "content": "19 degrees."}]}]),
            ),
        ),
        (
            "gen_ai.tool.definitions",
            text(
                &json!([{"type": "function", "name": "look_up", "description": "Looks.", "parameters": {"type": "object"}}]),
            ),
        ),
        ("gen_ai.usage.input_tokens", 30_u64.into()),
    ];
    let found = last(&[("spans.jsonl", spans("genai", &[&named]))]);
    assert_eq!(found.get("system").unwrap(), &json!(["Be brief."]));
    assert_eq!(found.get("messages").unwrap(), &messages());
    assert_eq!(found.get("output").unwrap(), &json!([{"type": "text", "text": "19 degrees."}]));
    // with LangChain, an unknown block is JSON text
    let block =
        json!({"type": "tool_use", "id": "c1", "name": "look_up", "input": {"city": "Lisbon"}});
    let said = json!([
        {"role": "user", "parts": [{"type": "text", "content": ASKED}]},
        {"role": "assistant", "parts": [{"type": "text", "content": (block.to_string())},
            {"type": "tool_call", "id": "c1", "name": "look_up", "arguments": {"city": "Lisbon"}}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "19"}]},
    ]);
    let named = [("gen_ai.operation.name", "chat".into()), ("gen_ai.input.messages", text(&said))];
    let found = last(&[("spans.jsonl", spans("instrumentation.langchain", &[&named]))]);
    assert_eq!(found.get("messages").unwrap(), &messages());
}

#[test]
fn events_with_one_message_each_are_read() {
    let [system, asked, called, answered] = chat().try_into().unwrap();
    let without_role = |message: &Json| {
        let members = message.as_object().unwrap().iter();
        Json::Object(
            members
                .filter(|(key, _)| *key != "role")
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect::<Object>(),
        )
    };
    let result = json!({"content": "19", "id": "c1"});
    let said =
        |message: &Json| json!({"index": 0, "finish_reason": "stop", "message": (message.clone())});
    let _ = answered;
    let found = last(&[(
        "logs.jsonl",
        logs(&[
            ("a", "gen_ai.system.message", without_role(&system)),
            ("a", "gen_ai.user.message", without_role(&asked)),
            ("a", "gen_ai.choice", said(&called)),
            ("b", "gen_ai.system.message", without_role(&system)),
            ("b", "gen_ai.user.message", without_role(&asked)),
            ("b", "gen_ai.assistant.message", without_role(&called)),
            ("b", "gen_ai.tool.message", result),
            ("b", "gen_ai.choice", said(&json!({"role": "assistant", "content": "19 degrees."}))),
        ]),
    )]);
    assert_eq!(found.get("system").unwrap(), &json!(["Be brief."]));
    assert_eq!(found.get("messages").unwrap(), &messages());
    assert_eq!(found.get("output").unwrap(), &json!([{"type": "text", "text": "19 degrees."}]));
}

#[test]
fn generations_runs_and_sessions_of_the_agents_sdk_are_read() {
    let span = |at: usize, data: Json| json!({"object": "trace.span", "id": (format!("s{at}")), "parent_id": "agent", "started_at": (format!("2026-01-01T00:00:0{at}Z")), "span_data": data});
    let agent = json!({"object": "trace.span", "id": "agent", "started_at": "2026-01-01T00:00:00Z",
        "span_data": {"type": "agent", "name": "Clerk", "tools": ["look_up"], "handoffs": ["Chief"]}});
    let chat = chat();
    let trace = lines(&[
        json!({"object": "trace", "id": "t"}),
        agent.clone(),
        span(
            1,
            json!({"type": "generation", "model": "m", "input": (first(&chat, 2)), "output": [(chat[2].clone())], "usage": {"input_tokens": 9}}),
        ),
        span(2, json!({"type": "function", "name": "look_up", "input": ARGUMENTS, "output": "19"})),
        span(
            3,
            json!({"type": "generation", "model": "m", "input": (first(&chat, 4)), "output": [{"role": "assistant", "content": "19 degrees."}]}),
        ),
    ]);
    let found = last(&[("trace.jsonl", trace)]);
    assert_eq!(found.get("messages").unwrap(), &messages());
    assert_eq!(found.get("system").unwrap(), &json!(["Be brief."]));

    // the Responses API leaves only ids and tool runs in the log
    let trace = lines(&[
        agent,
        span(1, json!({"type": "response", "response_id": "r1"})),
        span(2, json!({"type": "function", "name": "look_up", "input": ARGUMENTS, "output": "19"})),
        span(3, json!({"type": "response", "response_id": "r2"})),
    ]);
    let found = last(&[("trace.jsonl", trace)]);
    let without_ids = messages().to_string().replace(r#""id":"c1""#, r#""id":null"#);
    let ran = Json::Array(Json::parse(&without_ids).unwrap().as_array().unwrap()[1..].to_vec());
    assert_eq!(found.get("messages").unwrap(), &ran);
    assert!(found.get("unknown").unwrap().to_string().contains("messages"));

    let call = json!({"type": "function_call", "call_id": "c1", "name": "look_up", "arguments": ARGUMENTS});
    let result = json!({"type": "function_call_output", "call_id": "c1", "output": "19"});
    let answer = json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "19 degrees."}]});
    let state = json!({
        "$schemaVersion": "1.21", "current_agent": {"name": "Clerk"}, "original_input": ASKED,
        "generated_items": [
            {"type": "tool_call_item", "raw_item": (call.clone()), "tool_name": "look_up", "description": "Looks."},
            {"type": "tool_call_output_item", "raw_item": (result.clone())},
            {"type": "message_output_item", "raw_item": (answer.clone())}],
        "model_responses": [{"usage": {"input_tokens": 9}}, {"usage": {"input_tokens": 30}}]});
    let found = last(&[("run-state.json", lines(&[state]))]);
    assert_eq!(found.get("messages").unwrap(), &messages());
    assert_eq!(found.get("tools").unwrap(), &json!([{"name": "look_up", "description": "Looks."}]));

    // a SQLite database with long texts, several pages and deleted rows
    let session = include_bytes!("../../imports/agents-session.sqlite").to_vec();
    let found = last(&[("session.sqlite", session)]);
    let all = found.get("messages").unwrap().as_array().unwrap();
    assert_eq!(all[..3], messages().as_array().unwrap()[..]);
    let said = |at: usize| {
        all[at].get("parts").unwrap().as_array().unwrap()[0].get("text").unwrap().as_str().unwrap()
    };
    assert_eq!((all.len(), said(3)), (65, "19 degrees."));
    assert_eq!((said(4).len(), said(64)), (5_000, "60"));
}

#[test]
fn litellm_rows_are_sorted() {
    let chat = chat();
    let row = |at: u64, count: usize, answer: Json| {
        json!({"litellm_call_id": (format!("l{at}")), "call_type": "completion", "status": "success", "startTime": (1_767_000_000 + at), "model": "m",
            "custom_llm_provider": "openai", "messages": (first(&chat, count)),
            "model_parameters": {"temperature": 0, "tools": [{"type": "function", "function": {"name": "look_up", "description": "Looks.", "parameters": {"type": "object"}}}]},
            "response": {"id": (format!("r{at}")), "choices": [{"message": answer}]}, "prompt_tokens": 30, "completion_tokens": 4})
    };
    let log = lines(&[
        row(2, 4, json!({"role": "assistant", "content": "19 degrees."})),
        row(1, 2, chat[2].clone()),
    ]);
    let found = last(&[("log.jsonl", log)]);
    assert_eq!(found.get("messages").unwrap(), &messages());
    assert_eq!(found.get("output").unwrap(), &json!([{"type": "text", "text": "19 degrees."}]));
}

#[test]
fn steps_of_the_ai_sdk_developer_tools_are_read() {
    let prompt = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": ASKED}]},
        {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "look_up", "input": {"city": "Lisbon"}}]},
        {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "toolName": "look_up", "output": {"type": "text", "value": "19"}}]},
    ]);
    let input = json!({"prompt": prompt, "tools": [{"type": "function", "name": "look_up", "description": "Looks.", "inputSchema": {"type": "object"}}]});
    let output = json!({"content": [{"type": "text", "text": "19 degrees."}]});
    let kept = json!({
        "runs": [{"id": "r", "started_at": "2026-01-01T00:00:00Z"}],
        "steps": [{"id": "s", "run_id": "r", "step_number": 1, "type": "generate", "model_id": "m", "provider": "openai.chat",
            "started_at": "2026-01-01T00:00:01Z", "input": (input.to_string()), "output": (output.to_string()),
            "usage": (json!({"inputTokens": {"total": 30}, "outputTokens": {"total": 4}}).to_string())}]});
    let found = last(&[("generations.json", lines(&[kept]))]);
    assert_eq!(found.get("system").unwrap(), &json!(["Be brief."]));
    assert_eq!(found.get("messages").unwrap(), &messages());
    assert_eq!(found.get("output").unwrap(), &json!([{"type": "text", "text": "19 degrees."}]));
}
