use super::*;
use crate::rule::{Rule, Step};
use crate::value::json::Json;
use crate::{Env, Snapshot, Timestamp, json};

/// Three requests: a tool call, and then a summary in place of the first messages.
fn log() -> String {
    let tools = json!([
        {"type": "function", "function": {"name": "read", "description": "Reads a file.", "parameters": {"type": "object"}}},
        {"type": "function", "function": {"name": "unused", "description": "Is never called.", "parameters": {"type": "object"}}},
    ]);
    let call = json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "k", "type": "function", "function": {"name": "read", "arguments": "{\"path\": \"a.rs\"}"}}]});
    let result =
        json!({"role": "tool", "tool_call_id": "k", "content": "fn main() {} ".repeat(200)});
    let say = |role: &str, text: &str| json!({"role": role, "content": text});
    let system = say("system", "Be brief.");
    let bodies = [
        json!([system.clone(), say("user", "Read a.rs")]),
        json!([system.clone(), say("user", "Read a.rs"), call, result]),
        json!([system, say("user", "Go on from here: a.rs is short.")]),
    ];
    let body = |messages: &Json| json!({"model": "gpt-5", "messages": messages.clone(), "tools": tools.clone()});
    bodies.iter().map(|messages| body(messages).to_string() + "\n").collect()
}

fn call(more: &[(&str, Json)]) -> Json {
    let Json::Object(mut call) = json!({"files": [{"name": "requests.jsonl", "text": log()}]})
    else {
        panic!("an object")
    };
    for (key, value) in more {
        call.insert((*key).to_owned(), value.clone());
    }
    Json::Object(call)
}

fn done<R: Rule>(rule: &R) -> R::Value {
    let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    let step = rule.step(&Snapshot::new("p1".into()), &env);
    let Ok(Step::Done(outcome)) = step else { panic!("not done") };
    outcome.value
}

fn explained(more: &[(&str, Json)]) -> std::sync::Arc<RequestExplanation> {
    done(&ExplainRequest::read(&call(more), &Limits::default()).unwrap())
}

#[test]
fn buckets_add_up_to_the_estimate() {
    let value = explained(&[("request", 1.into())]);
    let sum: u64 = value.buckets.iter().map(|bucket| bucket.tokens).sum();
    assert_eq!(sum, value.tokens.estimated);
    let kinds: Vec<_> =
        value.buckets.iter().map(|bucket| (bucket.kind, bucket.tool.as_deref())).collect();
    assert_eq!(kinds[0], ("tool_result", Some("read")));
    let lint = value.lints.iter().find(|lint| lint.code == "unused_tools").unwrap();
    assert!(lint.message.starts_with("1 of 2 tools are never called"), "{}", lint.message);
}

#[test]
fn pages_list_every_entry_once_within_the_size() {
    let whole = explained(&[("request", 1.into()), ("max_tokens", 100_000.into())]);
    assert_eq!(whole.next, None);
    let mut found = Vec::new();
    let mut from = Some(0);
    while let Some(at) = from {
        let page =
            explained(&[("request", 1.into()), ("max_tokens", 400.into()), ("from", at.into())]);
        let tokens = estimate_by_table(&to_json(&page).unwrap().to_string());
        assert!(tokens <= 400 || page.messages.len() == 1, "{tokens}");
        found.extend(page.messages.clone());
        from = page.next;
    }
    assert_eq!(found, whole.messages);
}

#[test]
fn a_message_has_its_whole_text() {
    let value =
        explained(&[("request", 1.into()), ("message", 2.into()), ("max_tokens", 100_000.into())]);
    let text: String = value.messages.iter().map(|row| row.text.as_str()).collect();
    assert_eq!(text, "fn main() {} ".repeat(200));
    assert_eq!(value.messages[0].tool.as_deref(), Some("read"));
}

#[test]
fn two_requests_differ_by_what_came_and_went() {
    let compared = |before: usize, after: usize| {
        let call = call(&[("before", before.into()), ("after", after.into())]);
        done(&CompareRequests::read(&call, &Limits::default()).unwrap())
    };
    let value = compared(0, 1);
    assert_eq!((value.same_messages, value.came, value.went), (1, 2, 0));
    let value = compared(1, 2);
    assert_eq!((value.same_messages, value.came, value.went), (0, 1, 3));
    assert_eq!(value.changes[0].change, "went");
    let value = compared(2, 2);
    assert_eq!((value.came, value.went, value.changes.len()), (0, 0, 0));
}

#[test]
fn unknown_sessions_and_requests_are_not_found() {
    let error = |more: &[(&str, Json)]| {
        ExplainRequest::read(&call(more), &Limits::default()).unwrap_err().to_string()
    };
    assert_eq!(
        error(&[("session", "x".into())]),
        "not_found at `session`: no session `x`; the files have 1"
    );
    assert_eq!(
        error(&[("request", 9.into())]),
        "not_found at `request`: no request `9`; the session has 3, numbered from 0"
    );
    assert!(error(&[("max_tokens", 1.into())]).starts_with("bad_request at `max_tokens`"));
    let empty = json!({"files": []});
    assert!(ExplainMisses::read(&empty, &Limits::default()).is_err());
}
