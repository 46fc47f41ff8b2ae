//! OpenInference: the request as JSON in one attribute, and a flattened copy of it.

use super::numbered::{nested, numbered_values};
use super::span::base;
use crate::import::body;
use crate::import::message::{message, messages};
use crate::import::model::{Draft, Message, Part, Role, Usage};
use crate::import::otlp::Record;
use crate::import::parts::{call as read_call, media, part, parts};
use crate::import::pick::{deep_text, list, opened, some, text};
use crate::import::tools::tools;
use crate::value::json::{Json, Object};

/// Reads the request as JSON in `input.value`, otherwise its flattened copy.
pub(super) fn open_inference(record: &Record) -> Option<Draft> {
    if record.text("openinference.span.kind")? != "LLM" {
        return None;
    }
    let mut draft = request(record);
    if draft.tools.as_ref().is_none_or(Vec::is_empty) {
        let schema =
            |tool: Object| tool.get("tool.json_schema").map(|schema| opened(schema).into_owned());
        let listed: Vec<Json> =
            numbered_values(record, "llm.tools.").into_values().filter_map(schema).collect();
        let params = record.get("llm.invocation_parameters").map(opened);
        let found = if listed.is_empty() {
            params.as_deref().and_then(|params| params.get("tools")).map(tools).unwrap_or_default()
        } else {
            tools(&Json::Array(listed))
        };
        draft.tools = Some(found);
    }
    answer(record, &mut draft);
    Some(draft)
}

/// Reads the request.
fn request(record: &Record) -> Draft {
    let origin = record.origin.at("input.value");
    let input = record.get("input.value").map(opened);
    match input.as_deref() {
        Some(value) if body::api(value).is_some() && value.get("lc").is_none() => {
            let mut found = body::draft(value, &origin);
            if body::api(value) != Some(body::GEMINI) && value.get("tools").is_none() {
                found.tools = None;
            }
            let known = base(record);
            Draft {
                at: known.at,
                usage: known.usage,
                model: known.model.or(found.model.take()),
                response_id: known.response_id,
                origin: record.origin.clone(),
                ..found
            }
        }
        Some(value) if !list(value, "messages").is_empty() => {
            let mut draft = base(record);
            let spoken = list(value, "messages");
            // LangChain batches prompts: a list of lists
            let spoken = spoken.first().and_then(Json::as_array).unwrap_or(spoken);
            draft.messages = messages(spoken, &origin.at("messages").at(0));
            draft
        }
        Some(_) | None => {
            let mut draft = base(record);
            draft.messages = flattened(record, "llm.input_messages");
            draft
        }
    }
}

/// Reads the answer: JSON in `output.value`, otherwise its flattened copy.
fn answer(record: &Record, draft: &mut Draft) {
    let all_parts = |messages: Vec<Message>| messages.into_iter().flat_map(|m| m.parts).collect();
    let output = record.get("output.value").map(opened);
    if let Some(value) = output.as_deref() {
        let made = list(value, "generations").first().and_then(Json::as_array);
        if let Some(made) = made.and_then(<[Json]>::first) {
            if let Some(answer) = made.get("message") {
                draft.output = all_parts(message(answer, &record.origin).into_iter().collect());
            }
        } else {
            let usage = draft.usage;
            body::answer(value, draft);
            if usage != Usage::default() {
                draft.usage = usage;
            }
        }
    }
    if draft.output.is_empty() {
        draft.output = all_parts(flattened(record, "llm.output_messages"));
    }
}

/// Reads the copy of the messages in numbered attributes.
fn flattened(record: &Record, prefix: &str) -> Vec<Message> {
    let mut out = Vec::new();
    for (at, entry) in numbered_values(record, &format!("{prefix}.")) {
        let entry = nested(&entry, "message.");
        let origin = record.origin.at(prefix).at(at);
        let role = text(&entry, "role").and_then(Role::read).unwrap_or(Role::User);
        let mut found: Vec<Part> = Vec::new();
        if let Some(content) = some(&entry, "content") {
            found.extend(parts(content));
        }
        for block in list(&entry, "contents") {
            let block = block.get("message_content").unwrap_or(block);
            if let Some(image) = deep_text(block, &["image", "image", "url"]) {
                found.extend(media(&Json::from([("type", "image"), ("url", image)])));
            } else if text(block, "type") != Some("tool_use") {
                found.extend(part(block));
            }
        }
        for call in list(&entry, "tool_calls") {
            found.extend(read_call(call.get("tool_call").unwrap_or(call)));
        }
        if role == Role::Tool {
            let id = text(&entry, "tool_call_id").map(str::to_owned);
            let content = entry.get("content").cloned().unwrap_or_default();
            out.push(Message::one(role, Part::Result { id, content, is_error: false }, origin));
        } else {
            out.push(Message { role, parts: found, origin });
        }
    }
    out
}
