//! Attributes with positions in their names: Traceloop before 0.50, and the copies of
//! OpenInference.

use super::span::base;
use crate::import::message::split;
use crate::import::model::{Calls, Draft, Message, Origin, Part, Role, UnknownSubject};
use crate::import::otlp::Record;
use crate::import::parts::{call as read_call, opened_parts, result_content};
use crate::import::pick::{list, text};
use crate::import::tools::tools;
use crate::value::json::{Json, Object};
use std::collections::BTreeMap;

/// Traceloop before 0.50: every field is an attribute with its position in its name.
pub(super) fn numbered(record: &Record) -> Option<Draft> {
    let prompts = numbered_values(record, "gen_ai.prompt.");
    let answers = numbered_values(record, "gen_ai.completion.");
    if prompts.is_empty() && answers.is_empty() {
        return None;
    }
    let mut draft = base(record);
    let mut next = 0;
    for (at, entry) in &prompts {
        if *at != next {
            let why = "the trace skips a message, as it does for turns with pictures";
            draft.lacks(UnknownSubject::Messages, why);
            draft.lacks(UnknownSubject::Images, why);
        }
        next = at + 1;
        draft.messages.extend(numbered_message(entry, &record.origin.at("gen_ai.prompt").at(at)));
    }
    let open_end = draft.messages.last().is_none_or(|last| {
        last.role == Role::System
            || last.role == Role::Assistant
                && !last.parts.iter().any(|part| matches!(part, Part::Call { .. }))
    });
    if open_end {
        let why = "the trace has no user turn before the answer, as it loses turns with pictures";
        draft.lacks(UnknownSubject::Messages, why);
        draft.lacks(UnknownSubject::Images, why);
    }
    for entry in answers.values() {
        let answer = numbered_message(entry, &record.origin);
        draft.output.extend(answer.into_iter().flat_map(|m| m.parts));
    }
    let functions: Vec<Json> = numbered_values(record, "llm.request.functions.")
        .into_values()
        .map(|entry| nested(&entry, ""))
        .collect();
    draft.tools = Some(tools(&Json::Array(functions)));
    Some(draft)
}

fn numbered_message(entry: &Object, origin: &Origin) -> Vec<Message> {
    let entry = nested(entry, "");
    let role = text(&entry, "role").unwrap_or("user");
    let content = entry.get("content").unwrap_or(&Json::Null);
    if role == "thinking" {
        let words = content.as_str().unwrap_or("").to_owned();
        return vec![Message::one(
            Role::Assistant,
            Part::Reasoning { text: words, sealed: None },
            origin.clone(),
        )];
    }
    let role = Role::read(role).unwrap_or(Role::User);
    if role == Role::Tool {
        let id = text(&entry, "tool_call_id").map(str::to_owned);
        let (content, _) = result_content(content);
        return vec![Message::one(
            role,
            Part::Result { id, content, is_error: false },
            origin.clone(),
        )];
    }
    let mut found = opened_parts(content);
    let mut calls = Calls::of(&found);
    for call in list(&entry, "tool_calls") {
        let Some(call) = read_call(call) else { continue };
        if calls.is_new(&call) {
            found.push(call);
        }
    }
    split(role, found, origin)
}

/// Returns the attributes below `prefix` by the number that follows, in numeric order.
pub(super) fn numbered_values(record: &Record, prefix: &str) -> BTreeMap<usize, Object> {
    let mut out: BTreeMap<usize, Object> = BTreeMap::new();
    for (key, value) in &record.attributes {
        let Some((number, rest)) = key.strip_prefix(prefix).and_then(|rest| rest.split_once('.'))
        else {
            continue;
        };
        let Ok(number) = number.parse::<usize>() else { continue };
        out.entry(number).or_default().insert(rest.to_owned(), value.clone());
    }
    out
}

/// Returns attributes with dots in their names as nested objects and lists.
pub(super) fn nested(entry: &Object, strip: &str) -> Json {
    let mut root = Json::Object(Object::default());
    for (key, value) in entry {
        let key = key.strip_prefix(strip).unwrap_or(key);
        put(&mut root, key, value.clone());
    }
    lists(root)
}

fn put(target: &mut Json, key: &str, value: Json) {
    let Json::Object(object) = target else { return };
    match key.split_once('.') {
        None => {
            object.insert(key.to_owned(), value);
        }
        Some((first, rest)) => {
            let inner = object.get_or_insert_with(first, || Json::Object(Object::new()));
            put(inner, rest, value);
        }
    }
}

/// Converts objects whose keys are all numbers to lists, in numeric order.
fn lists(value: Json) -> Json {
    let Json::Object(object) = value else { return value };
    let numbers = object.keys().all(|key| key.parse::<usize>().is_ok());
    if numbers && !object.is_empty() {
        let sorted: BTreeMap<usize, Json> = object
            .into_iter()
            .filter_map(|(key, item)| Some((key.parse().ok()?, lists(item))))
            .collect();
        return Json::Array(sorted.into_values().collect());
    }
    Json::Object(object.into_iter().map(|(key, item)| (key, lists(item))).collect())
}
