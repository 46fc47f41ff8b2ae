//! The gen_ai conventions as attributes: lists of messages, as JSON text or as structures.

use super::span::{base, id_of_call};
use crate::import::body;
use crate::import::message::messages;
use crate::import::model::{Draft, Part, UnknownSubject};
use crate::import::otlp::Record;
use crate::import::parts::part as read_part;
use crate::import::pick::{list, open, opened, text};
use crate::import::tools::tools;
use crate::value::json::Json;
use crate::value::str_map::StrMap;

/// The gen_ai conventions: lists of messages, as JSON text or as structures.
pub(super) fn gen_ai(record: &Record) -> Option<Draft> {
    let operation = record.text("gen_ai.operation.name").unwrap_or("chat");
    if !matches!(operation, "chat" | "generate_content" | "text_completion" | "responses") {
        return None;
    }
    // the second names are those of events before version 1.28
    let first = |keys: [&str; 2]| keys.into_iter().find_map(|key| record.get(key)).map(opened);
    let input = first(["gen_ai.input.messages", "gen_ai.prompt"]);
    let output = first(["gen_ai.output.messages", "gen_ai.completion"]);
    if input.is_none() && output.is_none() {
        return None;
    }
    let mut draft = base(record);
    if let Some(system) = record.get("gen_ai.system_instructions") {
        draft.system.extend(body::texts(&opened(system)));
    }
    read_input(input.as_deref(), record, &mut draft);
    if let Some(items) = output.as_deref().and_then(Json::as_array) {
        draft.output = messages(items, &record.origin).into_iter().flat_map(|m| m.parts).collect();
    }
    draft.tools = record.get("gen_ai.tool.definitions").map(|defined| tools(&opened(defined)));
    if record.scope.ends_with(".langchain") {
        for message in &mut draft.messages {
            blocks_in_text(&mut message.parts);
        }
        blocks_in_text(&mut draft.output);
    }
    let chat = record.text("gen_ai.provider.name") == Some("openai")
        && record.text("openai.api.type") != Some("responses");
    if chat {
        for message in &mut draft.messages {
            text_first(&mut message.parts);
        }
        text_first(&mut draft.output);
    }
    Some(draft)
}

/// Adds the messages of the input. Records what the trace lost.
fn read_input(input: Option<&Json>, record: &Record, draft: &mut Draft) {
    let Some(items) = input.and_then(Json::as_array) else {
        if draft.system.is_empty() {
            draft.lacks(UnknownSubject::System, "the trace lost the input of this request");
        }
        draft.lacks(UnknownSubject::Messages, "the trace lost the input of this request");
        draft.lacks(
            UnknownSubject::Images,
            "the trace lost the input of this request, as it does for turns with pictures",
        );
        return;
    };
    draft.messages = messages(items, &record.origin.at("gen_ai.input.messages"));
    let is_empty = |item: &Json| {
        matches!(text(item, "role"), Some("user" | "system"))
            && item.get("parts").is_some()
            && list(item, "parts").is_empty()
    };
    if items.iter().any(is_empty) {
        let reason = "the trace lost the content of a user turn with several parts";
        draft.lacks(UnknownSubject::Messages, reason);
        draft.lacks(UnknownSubject::Images, reason);
    }
}

/// Replaces text parts that are the JSON of a block. LangChain writes blocks that it does not know as
/// text.
fn blocks_in_text(parts: &mut Vec<Part>) {
    let mut out: Vec<Part> = Vec::with_capacity(parts.len());
    let mut calls: StrMap<()> = StrMap::new();
    for part in parts.drain(..) {
        let block = match &part {
            Part::Text(text) => open(text).filter(text_of_type),
            _ => None,
        };
        let read = match block {
            Some(block) => read_part(&block),
            None => vec![part],
        };
        for part in read {
            if id_of_call(&part).is_none_or(|id| calls.insert_new(id, ())) {
                out.push(part);
            }
        }
    }
    *parts = out;
}

fn text_of_type(block: &Json) -> bool {
    matches!(
        text(block, "type"),
        Some(
            "thinking"
                | "redacted_thinking"
                | "reasoning"
                | "tool_use"
                | "function_call"
                | "image"
                | "image_url"
        )
    )
}

/// Moves text before calls, because a chat message has them in this order.
fn text_first(parts: &mut [Part]) {
    parts.sort_by_key(|part| matches!(part, Part::Call { .. }));
}
