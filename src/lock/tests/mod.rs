//! Entries, lockfiles and verdicts. Each mutation of a context has the right change, cause and slot.

mod assertions;
mod changes;
mod file;
mod reports;
mod volatile;

use super::*;
use crate::rule::{Rule, Step};
use crate::{Env, Error, Json, Result, Snapshot, Timestamp, json};

fn run<R: Rule>(rule: &R) -> Result<R::Value> {
    let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    match rule.step(&Snapshot::new("p1".into()), &env)? {
        Step::Done(done) => Ok(done.value),
        Step::Need(_) => Err(Error::bad_request("the rule reads rows")),
    }
}

fn entry(name: &str, body: Json, volatile: Json) -> LockedContext {
    let call = json!({"name": name, "volatile": volatile,
        "request": {"provider": "anthropic", "body": body}});
    run(&LockEntry::from_json(&call).unwrap()).unwrap()
}

fn lock_of(entries: &[LockedContext]) -> String {
    let mut call = LockUpdate::from_json(&json!({"entries": []})).unwrap();
    call.entries = entries.to_vec();
    run(&call).unwrap().lock
}

fn check(lock: &str, entries: &[LockedContext], more: Json) -> LockVerdict {
    let mut call = json!({"lock": lock, "entries": [],
        "formats": ["text", "markdown", "junit", "annotations", "sarif"]});
    if let (Json::Object(call), Json::Object(more)) = (&mut call, more) {
        more.iter().for_each(|(key, value)| drop(call.insert(key.clone(), value.clone())));
    }
    let mut call = LockCheck::from_json(&call).unwrap();
    call.entries = entries.to_vec();
    run(&call).unwrap()
}

fn body() -> Json {
    json!({"model": "claude-opus-5-5", "max_tokens": 1000, "temperature": 0.5,
        "system": [
            {"type": "text", "text": "You write reports.", "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": "Today is 2026-11-17."}],
        "tools": [
            {"name": "search", "description": "Finds pages.", "input_schema": {"type": "object", "properties": {"q": {"type": "string"}}}},
            {"name": "read", "description": "Reads a page.", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "Write about tides."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "tides"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "Two a day."}]},
            {"role": "assistant", "content": "Tides come twice a day."},
            {"role": "user", "content": "Shorter."}]})
}

/// Returns the body with other text.
fn with(from: &str, to: &str) -> Json {
    let text = body().to_string();
    assert!(text.contains(from), "{from}");
    Json::parse(&text.replacen(from, to, 1)).unwrap()
}

/// Returns the body with a changed list of messages.
fn messages(change: impl FnOnce(&mut Vec<Json>)) -> Json {
    let mut body = body();
    if let Json::Object(object) = &mut body
        && let Some(Json::Array(list)) = object.get_mut("messages")
    {
        change(list);
    }
    body
}

/// Returns the changes from the sample to a body, as `kind slot cause`.
fn changes(after: Json) -> Vec<String> {
    let lock = lock_of(&[entry("a", body(), json!([]))]);
    changes_of(&check(&lock, &[entry("a", after, json!([]))], json!({})))
}

fn changes_of(verdict: &LockVerdict) -> Vec<String> {
    let all = verdict.entries.iter().flat_map(|entry| &entry.changes);
    let text = |change: &LockChange| {
        let kind = crate::value::json::to_json(&change.change).unwrap();
        format!("{} {} {}", kind.as_str().unwrap(), change.slot, change.cause)
    };
    all.map(text).collect()
}
