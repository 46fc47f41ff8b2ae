//! Answers of the AI SDK: the `content` of a result, or the parts of a stream.

use super::answer::{Answer, Joined, Reader, Texts, append, call, owned, tokens};
use super::{Delta, deltas};
use crate::Result;
use crate::value::json::{Field, Json, Object};

pub(in crate::prompt::provider) const READER: Reader = Reader { whole, join, deltas };

fn whole(body: &Json, answer: &mut Answer) -> Option<()> {
    let parts = body.get("content")?.as_array()?;
    // models of the SDK report an object, the SDK itself a string
    let reason = body.get("finishReason");
    answer.stop_reason = reason
        .and_then(|reason| reason.get("unified").or(Some(reason)))
        .and_then(Json::as_str)
        .map(str::to_owned);
    let usage = body.get("usage");
    // the further names are those before version 7, and those of models
    let count = |paths: &[&[&str]]| paths.iter().find_map(|path| tokens(usage, path));
    answer.usage.input_tokens = count(&[&["inputTokens"], &["inputTokens", "total"]]);
    answer.usage.output_tokens = count(&[&["outputTokens"], &["outputTokens", "total"]]);
    answer.usage.cache_read_tokens = count(&[
        &["inputTokenDetails", "cacheReadTokens"],
        &["cachedInputTokens"],
        &["inputTokens", "cacheRead"],
    ]);
    answer.usage.cache_write_tokens =
        count(&[&["inputTokenDetails", "cacheWriteTokens"], &["inputTokens", "cacheWrite"]]);
    answer.usage.reasoning_tokens = count(&[
        &["outputTokenDetails", "reasoningTokens"],
        &["reasoningTokens"],
        &["outputTokens", "reasoning"],
    ]);
    for part in parts {
        match part.get("type")?.as_str()? {
            "text" if options(part).is_none() => {
                answer.text(part.get("text")?.as_str()?);
            }
            "tool-call" => {
                let name = owned(part, "toolName")?;
                let mut call = call(owned(part, "toolCallId"), name, part.get("input")?);
                if let Some(kept) = options(part) {
                    call.metadata_mut().options = Some(kept.clone());
                }
                answer.part(call);
            }
            _ => answer.verbatim(part),
        }
    }
    Some(())
}

/// Returns the provider options of a part. Answers and messages have them under different names.
fn options(part: &Json) -> Option<&Json> {
    part.get("providerMetadata").or_else(|| part.get("providerOptions"))
}

/// Joins the parts of a stream by their ids. Of several steps, the last one is the answer. Whole
/// parts stay unchanged: a host passes them if its own client has joined the stream.
fn join(events: &[Field<'_>], _: &Texts) -> Result<Joined> {
    let mut body = Object::default();
    let mut parts: Vec<(Option<String>, Json)> = Vec::new();
    let (mut is_stream, mut complete) = (false, false);
    for event in events {
        let json = event.json();
        let kind = json.get("type").and_then(Json::as_str).unwrap_or_default();
        let (name, step) = kind.rsplit_once('-').unwrap_or((kind, ""));
        match (name, step) {
            ("text" | "reasoning", "start" | "delta" | "end") => {
                is_stream = true;
                add_part(&mut parts, name, json);
            }
            ("start", "step") => {
                (is_stream, complete) = (true, false);
                parts.clear();
            }
            ("finish", "" | "step") => {
                (is_stream, complete) = (true, true);
                for key in ["finishReason", "usage"] {
                    if let Some(value) = json.get(key) {
                        body.insert(key.to_owned(), value.clone());
                    }
                }
            }
            ("error", "") => {
                let error = json.get("error").cloned().unwrap_or_else(|| true.into());
                body.insert("error".into(), error);
            }
            ("tool-input", _)
            | ("start" | "abort" | "raw", "")
            | ("stream", "start")
            | ("response", "metadata") => is_stream = true,
            _ => parts.push((None, json.clone())),
        }
    }
    let content = parts.into_iter().map(|(_, part)| part).collect::<Vec<Json>>();
    body.insert("content".into(), Json::Array(content));
    Ok(Joined { whole: Json::Object(body), complete: complete || !is_stream })
}

/// Adds a piece to the part with its id.
fn add_part(parts: &mut Vec<(Option<String>, Json)>, kind: &str, event: &Json) {
    let id = owned(event, "id");
    let known = |(own, part): &&mut (Option<String>, Json)| {
        *own == id && part.get("type").and_then(Json::as_str) == Some(kind)
    };
    if parts.iter_mut().rev().find(known).is_none() {
        parts.push((id.clone(), Json::from([("type", kind), ("text", "")])));
    }
    let Some((_, Json::Object(part))) = parts.iter_mut().rev().find(known) else { return };
    append(part, "text", piece(event).and_then(Json::as_str).unwrap_or_default());
    if let Some(kept) = event.get("providerMetadata").filter(|kept| !kept.is_null()) {
        part.insert("providerMetadata".into(), kept.clone());
    }
}

/// Returns the text of a piece. Streams of models have it under another key than those of the SDK.
fn piece(event: &Json) -> Option<&Json> {
    event.get("text").or_else(|| event.get("delta"))
}

fn deltas(event: &Json, out: &mut Vec<Delta>) {
    match event.get("type").and_then(Json::as_str).unwrap_or_default() {
        "text-delta" => deltas::text(out, piece(event)),
        "reasoning-delta" => deltas::reasoning(out, piece(event)),
        // the SDK repeats the streamed input in the call
        "tool-call" => {
            let arguments = match event.get("input") {
                Some(Json::String(text)) => text.clone(),
                Some(value) => value.to_string(),
                None => "{}".to_owned(),
            };
            let (id, name) = (owned(event, "toolCallId"), owned(event, "toolName"));
            out.push(Delta::ToolCall { index: None, id, name, arguments });
        }
        "finish-step" | "finish" => {
            if let Some(usage) = event.get("usage") {
                let content = Json::Array(Vec::new());
                let body = Json::from([("content", content), ("usage", usage.clone())]);
                deltas::usage(out, &body, whole);
            }
        }
        _ => {}
    }
}
