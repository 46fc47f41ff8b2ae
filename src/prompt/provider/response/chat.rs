//! Answers of Chat Completions, and of servers that speak them.

use super::answer::{Answer, Joined, Reader, Texts, append, call, owned, reported, signed, tokens};
use super::{Delta, deltas};
use crate::Result;
use crate::prompt::provider::part::{Part, Proof, Reasoning};
use crate::value::json::{Field, Json, Object};

pub(in crate::prompt::provider) const READER: Reader = Reader { whole, join, deltas };

fn whole(body: &Json, answer: &mut Answer) -> Option<()> {
    let choice = body.get("choices")?.as_array()?.first()?;
    let message = choice.get("message")?;
    answer.id = owned(body, "id");
    answer.model = owned(body, "model");
    answer.stop_reason = owned(choice, "finish_reason");
    let usage = body.get("usage");
    answer.usage.input_tokens = tokens(usage, &["prompt_tokens"]);
    answer.usage.output_tokens = tokens(usage, &["completion_tokens"]);
    // DeepSeek reports hits next to the input
    answer.usage.cache_read_tokens = tokens(usage, &["prompt_tokens_details", "cached_tokens"])
        .or_else(|| tokens(usage, &["prompt_cache_hit_tokens"]));
    answer.usage.cache_write_tokens =
        tokens(usage, &["prompt_tokens_details", "cache_write_tokens"]);
    answer.cache_diagnostics = reported(body, "prompt_cache_diagnostics");
    answer.usage.reasoning_tokens =
        tokens(usage, &["completion_tokens_details", "reasoning_tokens"]);
    let thought = ["reasoning_content", "reasoning"].iter().find_map(|key| owned(message, key));
    if let Some(thought) = thought.filter(|thought| !thought.is_empty()) {
        let thought = Reasoning { text: thought.into(), proof: Proof::None };
        answer.part(Part::Reasoning(thought));
    }
    match message.get("content") {
        Some(Json::String(text)) => answer.text(text),
        Some(Json::Array(parts)) => {
            for part in parts {
                match part.get("type").and_then(Json::as_str) {
                    Some("text") => {
                        answer.text(part.get("text").and_then(Json::as_str).unwrap_or_default());
                    }
                    Some(_) | None => answer.verbatim(part),
                }
            }
        }
        Some(_) | None => {}
    }
    if let Some(refusal) = owned(message, "refusal") {
        answer.part(Part::Refusal(refusal.into()));
    }
    let calls = message.get("tool_calls").and_then(Json::as_array).unwrap_or_default();
    let legacy = message.get("function_call").filter(|call| call.is_truthy());
    for made in calls.iter().chain(legacy) {
        let function = made.get("function").unwrap_or(made);
        let name = owned(function, "name").unwrap_or_default();
        match (function.get("arguments"), name.is_empty()) {
            (Some(arguments), false) if is_whole(arguments, &answer.texts) => {
                let call = call(owned(made, "id"), name, arguments);
                answer.part(signed(call, signature(made)));
            }
            (Some(_) | None, _) => answer.broken_call(&name),
        }
    }
    Some(())
}

/// Text that is JSON, or nothing at all.
fn is_whole(arguments: &Json, texts: &Texts) -> bool {
    match arguments {
        Json::String(text) => text.trim().is_empty() || texts.is_json(text),
        Json::Object(_) => true,
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) => false,
    }
}

/// Google's signature where its models speak chat completions.
fn signature(call: &Json) -> Option<String> {
    owned(call.get("extra_content")?.get("google")?, "thought_signature")
}

/// Pieces of one message, and of calls by their index.
fn join(events: &[Field<'_>], _: &Texts) -> Result<Joined> {
    let mut body = Object::default();
    let mut message = Object::default();
    let mut calls: Vec<Object> = Vec::new();
    let mut finish = None;
    for event in events {
        let json = event.json();
        if json.get("choices").is_none() && json.get("error").is_none() {
            return Err(event.error("expected a chunk of chat completions"));
        }
        for key in ["id", "model", "usage", "error"] {
            if let Some(value) = json.get(key).filter(|value| !value.is_null()) {
                body.insert(key.to_owned(), value.clone());
            }
        }
        let choices = json.get("choices").and_then(Json::as_array).unwrap_or_default();
        let first = |choice: &&Json| tokens(Some(choice), &["index"]).unwrap_or(0) == 0;
        let Some(choice) = choices.iter().find(first) else { continue };
        finish = owned(choice, "finish_reason").or(finish);
        let Some(delta) = choice.get("delta") else { continue };
        for key in ["refusal", "reasoning_content", "reasoning"] {
            if let Some(more) = delta.get(key).and_then(Json::as_str) {
                append(&mut message, key, more);
            }
        }
        if let Some(content) = delta.get("content") {
            add_content(&mut message, content);
        }
        for piece in delta.get("tool_calls").and_then(Json::as_array).unwrap_or_default() {
            let at = tokens(Some(piece), &["index"]).unwrap_or(calls.len() as u64);
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            if at > calls.len() {
                return Err(event.error("a call continues that did not start"));
            }
            if at == calls.len() {
                calls.push(Object::default());
            }
            if let Some(call) = calls.get_mut(at) {
                extend(call, piece);
            }
        }
    }
    if !calls.is_empty() {
        message.insert("tool_calls".into(), calls.into_iter().collect());
    }
    let complete = finish.is_some();
    let choice = [("message", Json::Object(message)), ("finish_reason", finish.into())];
    body.insert("choices".into(), Json::Array(vec![Json::from(choice)]));
    Ok(Joined { whole: Json::Object(body), complete })
}

/// Adds content: text, or a list of parts. Consecutive text is one part, and so is thinking.
fn add_content(message: &mut Object, content: &Json) {
    match (content, message.get_mut("content")) {
        (Json::String(more), Some(Json::Array(parts))) => {
            add_chunk(parts, &Json::from([("type", "text"), ("text", more.as_str())]));
        }
        (Json::String(more), _) => append(message, "content", more),
        (Json::Array(more), Some(Json::Array(parts))) => {
            more.iter().for_each(|chunk| add_chunk(parts, chunk));
        }
        (Json::Array(more), before) => {
            let mut parts = Vec::new();
            if let Some(Json::String(text)) = before.filter(|text| text.is_truthy()) {
                parts.push(Json::from([("type", "text"), ("text", text.as_str())]));
            }
            more.iter().for_each(|chunk| add_chunk(&mut parts, chunk));
            message.insert("content".into(), Json::Array(parts));
        }
        (Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_), _) => {}
    }
}

fn add_chunk(parts: &mut Vec<Json>, chunk: &Json) {
    if let Some(Json::Object(last)) = parts.last_mut()
        && last.get("type") == chunk.get("type")
    {
        if let (Some(Json::Array(thoughts)), Some(Json::Array(more))) =
            (last.get_mut("thinking"), chunk.get("thinking"))
        {
            more.iter().for_each(|thought| add_chunk(thoughts, thought));
            return;
        }
        if owned(chunk, "type").as_deref() == Some("text") {
            let more = chunk.get("text").and_then(Json::as_str).unwrap_or_default();
            return append(last, "text", more);
        }
    }
    parts.push(chunk.clone());
}

fn deltas(event: &Json, out: &mut Vec<Delta>) {
    let choices = event.get("choices").and_then(Json::as_array).unwrap_or_default();
    let first = |choice: &&Json| tokens(Some(choice), &["index"]).unwrap_or(0) == 0;
    if let Some(delta) = choices.iter().find(first).and_then(|choice| choice.get("delta")) {
        deltas::reasoning(out, delta.get("reasoning_content").or_else(|| delta.get("reasoning")));
        match delta.get("content") {
            Some(Json::Array(parts)) => parts.iter().for_each(|part| chunk(part, out)),
            content => deltas::text(out, content),
        }
        let refusal = deltas::filled(delta.get("refusal"));
        out.extend(refusal.map(|refusal| Delta::Refusal { refusal }));
        for piece in delta.get("tool_calls").and_then(Json::as_array).unwrap_or_default() {
            let function = piece.get("function");
            let arguments = match function.and_then(|function| function.get("arguments")) {
                Some(Json::String(text)) => text.clone(),
                Some(Json::Null) | None => String::new(),
                Some(value) => value.to_string(),
            };
            out.push(Delta::ToolCall {
                index: tokens(Some(piece), &["index"]),
                id: deltas::filled(piece.get("id")),
                name: deltas::filled(function.and_then(|function| function.get("name"))),
                arguments,
            });
        }
    }
    if let Some(usage) = event.get("usage").filter(|usage| usage.is_truthy()) {
        let message = Json::from([("message", Json::Object(Object::default()))]);
        let body = [("choices", Json::Array(vec![message])), ("usage", usage.clone())];
        deltas::usage(out, &Json::from(body), whole);
    }
}

/// Reads a part of Mistral's content.
fn chunk(part: &Json, out: &mut Vec<Delta>) {
    match part.get("thinking").and_then(Json::as_array) {
        Some(thoughts) => {
            thoughts.iter().for_each(|thought| deltas::reasoning(out, thought.get("text")));
        }
        None => deltas::text(out, part.get("text")),
    }
}

fn extend(call: &mut Object, piece: &Json) {
    for key in ["id", "type", "extra_content"] {
        if let Some(value) = piece.get(key).filter(|value| value.is_truthy()) {
            call.insert(key.to_owned(), value.clone());
        }
    }
    let entry = call.get_or_insert_with("function", || Json::Object(Object::new()));
    let (Json::Object(function), Some(more)) = (entry, piece.get("function")) else { return };
    for key in ["name", "arguments"] {
        append(function, key, more.get(key).and_then(Json::as_str).unwrap_or_default());
    }
}
