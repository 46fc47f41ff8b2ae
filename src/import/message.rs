//! Reads messages of any origin: provider bodies, three spellings of LangChain, Responses items, AI
//! SDK model and UI messages, Gemini contents.

use super::model::{Calls, Message, Origin, Part, Role};
use super::parts::{self, part, parts, taken_parts};
use super::pick::{deep_text, first_text, list, some, text};
use crate::value::json::Json;

/// Returns the messages of a list, each with its origin.
pub fn messages(items: &[Json], origin: &Origin) -> Vec<Message> {
    let each = items.iter().enumerate();
    each.flat_map(|(at, item)| message(item, &origin.at(at))).collect()
}

/// Returns true if a value can be read as a message.
pub fn is_message(value: &Json) -> bool {
    if value.as_object().is_none() {
        return false;
    }
    if is_item(value) || class_role(value).is_some() || is_kinded(value) {
        return true;
    }
    let wrapped = value.get("data").is_some_and(|data| data.get("content").is_some());
    let spoken =
        ["content", "parts", "tool_calls", "text"].iter().any(|key| value.get(key).is_some());
    (spoken || wrapped) && role(value).is_some() || other_words(value).is_some()
}

/// Returns true for a message of an unknown tool: it has a role and text.
fn other_words(value: &Json) -> Option<&Json> {
    first_text(value, &["role", "speaker", "from", "author", "who"]).and_then(Role::read)?;
    let words = ["value", "utterance", "message", "body", "words"];
    words.iter().filter_map(|key| value.get(key)).find(|words| words.as_str().is_some())
}

fn is_item(value: &Json) -> bool {
    match text(value, "type") {
        Some("function_call" | "custom_tool_call") => text(value, "call_id").is_some(),
        Some("function_call_output" | "custom_tool_call_output") => {
            text(value, "call_id").is_some()
        }
        Some("reasoning") => value.get("summary").is_some(),
        Some(_) | None => false,
    }
}

fn role(value: &Json) -> Option<Role> {
    match value.get("role") {
        Some(Json::String(word)) => Role::read(word),
        Some(_) => None,
        None => deep_text(value, &["author", "role"])
            .or_else(|| first_text(value, &["speaker", "from", "author", "who"]))
            .or_else(|| first_text(value, &["type", "kind", "source", "sender"]))
            .and_then(Role::read),
    }
}

/// Returns true for a message whose parts have their own roles, as in Pydantic AI.
fn is_kinded(value: &Json) -> bool {
    matches!(text(value, "kind"), Some("request" | "response"))
        && list(value, "parts").iter().any(|part| text(part, "part_kind").is_some())
}

/// Returns the messages of such parts, in order.
fn kinded(value: &Json, origin: &Origin) -> Vec<Message> {
    let mut out: Vec<Message> = Vec::new();
    if let Some(words) = text(value, "instructions") {
        out.push(Message::text(Role::System, words, origin.at("instructions")));
    }
    for (at, block) in list(value, "parts").iter().enumerate() {
        let kind = text(block, "part_kind").unwrap_or("");
        let content = block.get("content").unwrap_or(&Json::Null);
        let (role, found) = match kind {
            "system-prompt" => (Role::System, parts(content)),
            "user-prompt" => (Role::User, parts(content)),
            "tool-return" | "retry-prompt" => (Role::Tool, part_as(block, "tool-return")),
            "thinking" => (Role::Assistant, part_as(block, "thinking")),
            _ => (Role::Assistant, part(block)),
        };
        let origin = origin.at("parts").at(at);
        match out.last_mut() {
            Some(last) if last.role == role => last.parts.extend(found),
            Some(_) | None => out.push(Message { role, parts: found, origin }),
        }
    }
    out.retain(|message| !message.parts.is_empty());
    out
}

/// Reads a part as one of another kind.
fn part_as(block: &Json, kind: &str) -> Vec<Part> {
    let mut fields = block.as_object().cloned().unwrap_or_default();
    fields.insert("type".into(), kind.into());
    part(&Json::Object(fields))
}

/// Returns the role of a LangChain message with its class.
fn class_role(value: &Json) -> Option<Role> {
    value.get("lc")?;
    let class = list(value, "id").last()?.as_str()?;
    ["Human", "AI", "System", "Tool", "Function", "Chat"]
        .iter()
        .find(|name| class.starts_with(*name))
        .and_then(|name| {
            Role::read(match *name {
                "Human" | "Chat" => "user",
                "AI" => "assistant",
                "System" => "system",
                _ => "tool",
            })
        })
}

/// Reads a value: usually one message, or several if it has calls and their results.
pub fn message(value: &Json, origin: &Origin) -> Vec<Message> {
    if let Some(role) = class_role(value)
        && let Some(fields) = some(value, "kwargs")
    {
        return spoken(role, fields, origin);
    }
    if let (Some(kind), Some(data)) = (text(value, "type"), some(value, "data"))
        && value.get("role").is_none()
        && let Some(role) = Role::read(kind)
    {
        return spoken(role, data, origin);
    }
    if is_item(value) {
        return item(value, origin);
    }
    if is_kinded(value) {
        return kinded(value, origin);
    }
    match role(value) {
        Some(role) if has_steps(value) => steps(role, list(value, "parts"), origin),
        Some(role) => spoken(role, value, origin),
        None if value.get("parts").is_some() => spoken(Role::User, value, origin),
        None => vec![Message::one(Role::Assistant, Part::Unknown(value.clone()), origin.clone())],
    }
}

/// As [`message`], taking ownership: long strings are moved, not copied.
pub fn taken_message(mut value: Json, origin: &Origin) -> Vec<Message> {
    let is_plain = class_role(&value).is_none()
        && value.get("role").is_some()
        && !is_item(&value)
        && !is_kinded(&value)
        && !has_steps(&value);
    if let Some(role) = role(&value).filter(|role| is_plain && *role != Role::Tool)
        && let Some(content) = value.get_mut("content").filter(|content| !content.is_null())
    {
        let content = taken_parts(std::mem::take(content));
        return around(role, &value, content, origin);
    }
    message(&value, origin)
}

/// Reads an item of the Responses API that is not a message.
fn item(value: &Json, origin: &Origin) -> Vec<Message> {
    let role = match text(value, "type") {
        Some("function_call_output" | "custom_tool_call_output") => Role::Tool,
        Some(_) | None => Role::Assistant,
    };
    let parts = part(value);
    if parts.is_empty() {
        Vec::new()
    } else {
        vec![Message { role, parts, origin: origin.clone() }]
    }
}

/// Reads a message with a role and a content.
fn spoken(role: Role, value: &Json, origin: &Origin) -> Vec<Message> {
    let content = some(value, "content").or_else(|| some(value, "parts"));
    let content = content.or_else(|| some(value, "text")).or_else(|| other_words(value));
    let content = content.unwrap_or(&Json::Null);
    if role == Role::Tool && !holds_results(content) {
        return vec![Message { role, parts: tool_answer(value, content), origin: origin.clone() }];
    }
    around(role, value, parts(content), origin)
}

/// Reads a message, including the keys next to its content.
fn around(role: Role, value: &Json, content: Vec<Part>, origin: &Origin) -> Vec<Message> {
    let mut found = Vec::new();
    let thoughts = list(value, "thinking_blocks");
    if thoughts.is_empty() {
        let words = first_text(value, &["reasoning_content", "reasoning"]);
        if let Some(words) = words.filter(|words| !words.is_empty()) {
            found.push(Part::Reasoning { text: words.to_owned(), sealed: None });
        }
    } else {
        found.extend(thoughts.iter().flat_map(part));
    }
    found.extend(content);
    let mut calls = Calls::of(&found);
    for call in list(value, "tool_calls") {
        let Some(call) = parts::call(call) else {
            found.push(Part::Unknown(call.clone()));
            continue;
        };
        if calls.is_new(&call) {
            found.push(call);
        }
    }
    if let Some(call) = some(value, "function_call").and_then(parts::call) {
        found.push(call);
    }
    split(role, found, origin)
}

fn holds_results(content: &Json) -> bool {
    let Some(items) = content.as_array() else { return false };
    items.iter().any(|item| matches!(part(item).first(), Some(Part::Result { .. })))
}

/// Returns the parts of a message that is the result of one tool.
fn tool_answer(value: &Json, content: &Json) -> Vec<Part> {
    let id = first_text(value, &["tool_call_id", "toolCallId", "tool_use_id", "call_id", "id"]);
    let failed = text(value, "status") == Some("error")
        || value.get("isError").and_then(Json::as_bool) == Some(true);
    let (content, media) = parts::result_content(content);
    let mut out = vec![Part::Result { id: id.map(str::to_owned), content, is_error: failed }];
    out.extend(media);
    out
}

/// Moves results inside a message of another role into a message of role `tool` before it.
pub fn split(role: Role, found: Vec<Part>, origin: &Origin) -> Vec<Message> {
    if role == Role::Tool {
        return vec![Message { role, parts: found, origin: origin.clone() }];
    }
    let mut results: Vec<Part> = Vec::new();
    let mut rest: Vec<Part> = Vec::new();
    for part in found {
        match part {
            Part::Result { .. } => results.push(part),
            Part::Text(_)
            | Part::Reasoning { .. }
            | Part::Call { .. }
            | Part::Image(_)
            | Part::File(_)
            | Part::Unknown(_) => rest.push(part),
        }
    }
    let mut out = Vec::new();
    if !results.is_empty() {
        out.push(Message { role: Role::Tool, parts: results, origin: origin.clone() });
    }
    if !rest.is_empty() {
        out.push(Message { role, parts: rest, origin: origin.clone() });
    }
    out
}

/// Returns true for a message whose parts are whole steps: AI SDK UI messages and opencode.
fn has_steps(value: &Json) -> bool {
    list(value, "parts").iter().any(|part| {
        let kind = text(part, "type").unwrap_or("");
        kind == "step-start" || is_tool_part(part)
    })
}

/// Returns true for a part that is a call and its result.
pub fn is_tool_part(part: &Json) -> bool {
    let kind = text(part, "type").unwrap_or("");
    let tool = kind.starts_with("tool-") || kind == "dynamic-tool" || kind == "tool";
    tool && some(part, "state").is_some() && !matches!(kind, "tool-call" | "tool-result")
}

/// Splits a message of several steps into the messages that were sent.
fn steps(role: Role, items: &[Json], origin: &Origin) -> Vec<Message> {
    let mut out: Vec<Message> = Vec::new();
    let mut own_parts: Vec<Part> = Vec::new();
    let mut results: Vec<Part> = Vec::new();
    let mut close = |own_parts: &mut Vec<Part>, results: &mut Vec<Part>, at: usize| {
        let here = origin.at("parts").at(at);
        if !own_parts.is_empty() {
            out.push(Message { role, parts: std::mem::take(own_parts), origin: here.clone() });
        }
        if !results.is_empty() {
            let parts = std::mem::take(results);
            out.push(Message { role: Role::Tool, parts, origin: here });
        }
    };
    for (at, item) in items.iter().enumerate() {
        let kind = text(item, "type").unwrap_or("");
        if kind == "step-start" {
            close(&mut own_parts, &mut results, at);
        } else if is_tool_part(item) {
            let (call, result) = tool_part(item);
            own_parts.extend(call);
            results.extend(result);
        } else if !matches!(
            kind,
            "step-finish" | "source-url" | "source-document" | "snapshot" | "patch" | "agent"
        ) && !kind.starts_with("data-")
        {
            if !results.is_empty() {
                close(&mut own_parts, &mut results, at);
            }
            own_parts.extend(part(item));
        }
    }
    close(&mut own_parts, &mut results, items.len());
    out
}

/// Returns the call and the result of a part that has both.
pub fn tool_part(part: &Json) -> (Option<Part>, Vec<Part>) {
    let kind = text(part, "type").unwrap_or("");
    let name = first_text(part, &["toolName", "tool"]).or_else(|| kind.strip_prefix("tool-"));
    let id = first_text(part, &["toolCallId", "callID", "callId", "id"]).map(str::to_owned);
    // opencode has everything in `state`, the AI SDK next to it
    let state = some(part, "state").filter(|state| state.as_object().is_some()).unwrap_or(part);
    let call = name.map(|name| Part::Call {
        id: id.clone(),
        name: name.to_owned(),
        arguments: super::pick::arguments(some(state, "input").or_else(|| some(state, "rawInput"))),
    });
    let result = match (some(state, "output"), first_text(state, &["errorText", "error"])) {
        (Some(output), _) => {
            let (content, media) = parts::result_content(output);
            let mut out = vec![Part::Result { id, content, is_error: false }];
            out.extend(media);
            out.extend(list(state, "attachments").iter().filter_map(parts::media));
            out
        }
        (None, Some(error)) => {
            vec![Part::Result { id, content: Json::from(error), is_error: true }]
        }
        (None, None) => Vec::new(),
    };
    (call, result)
}
