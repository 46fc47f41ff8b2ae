//! Answers of Anthropic Messages.

use super::answer::{Answer, Joined, Reader, Texts, append, call, owned, reported, tokens};
use super::{Delta, deltas};
use crate::Result;
use crate::value::json::{Field, Json, Object};

pub(in crate::prompt::provider) const READER: Reader = Reader { whole, join, deltas };

fn whole(body: &Json, answer: &mut Answer) -> Option<()> {
    let blocks = body.get("content")?.as_array()?;
    answer.id = owned(body, "id");
    answer.model = owned(body, "model");
    answer.stop_reason = owned(body, "stop_reason");
    let usage = body.get("usage");
    let count = |key: &str| tokens(usage, &[key]);
    let cached = count("cache_read_input_tokens");
    let written = count("cache_creation_input_tokens");
    let fresh = count("input_tokens");
    answer.usage.input_tokens =
        fresh.map(|fresh| fresh + cached.unwrap_or(0) + written.unwrap_or(0));
    answer.usage.output_tokens = count("output_tokens");
    answer.usage.cache_read_tokens = cached;
    answer.usage.cache_write_tokens = written;
    let split = |key: &str| tokens(usage, &["cache_creation", key]);
    answer.usage.cache_write_5m_tokens = split("ephemeral_5m_input_tokens");
    answer.usage.cache_write_1h_tokens = split("ephemeral_1h_input_tokens");
    answer.cache_diagnostics = reported(body, "diagnostics");
    answer.usage.reasoning_tokens = tokens(usage, &["output_tokens_details", "thinking_tokens"]);
    for block in blocks {
        let kind = block.get("type")?.as_str()?;
        let name = block.get("name").and_then(Json::as_str).unwrap_or_default();
        match kind {
            "text" => {
                let cited = block.get("citations").is_some_and(Json::is_truthy);
                let text = block.get("text")?.as_str()?;
                if cited { answer.verbatim(block) } else { answer.text(text) }
            }
            "tool_use" if block.get("input").is_some_and(|input| input.as_object().is_some()) => {
                answer.part(call(owned(block, "id"), name.to_owned(), block.get("input")?));
            }
            "tool_use" => answer.broken_call(name),
            _ => answer.verbatim(block),
        }
    }
    Some(())
}

/// Blocks are opened, filled and closed by their index.
fn join(events: &[Field<'_>], texts: &Texts) -> Result<Joined> {
    let mut message = Object::default();
    let mut blocks: Vec<(Object, String)> = Vec::new();
    let mut complete = false;
    for event in events {
        let json = event.json();
        match json.get("type").and_then(Json::as_str).unwrap_or_default() {
            "message_start" => {
                message =
                    json.get("message").and_then(Json::as_object).cloned().unwrap_or_default();
            }
            "content_block_start" => {
                let at = index(event)?;
                if at != blocks.len() {
                    return Err(event.error("a block starts out of order"));
                }
                let block = json.get("content_block").and_then(Json::as_object);
                blocks.push((block.cloned().unwrap_or_default(), String::new()));
            }
            "content_block_delta" => {
                let at = index(event)?;
                let Some((block, input)) = blocks.get_mut(at) else {
                    return Err(event.error("a block continues that did not start"));
                };
                if let Some(delta) = json.get("delta") {
                    extend(block, input, delta);
                }
            }
            "message_delta" => {
                let delta = json.get("delta").and_then(Json::as_object);
                message.extend(delta.into_iter().flatten().map(|(k, v)| (k.clone(), v.clone())));
                if let (Some(Json::Object(usage)), Some(more)) =
                    (message.get_mut("usage"), json.get("usage").and_then(Json::as_object))
                {
                    usage.extend(more.iter().map(|(key, value)| (key.clone(), value.clone())));
                }
            }
            "message_stop" => complete = true,
            "error" => {
                message.insert("error".into(), json.get("error").cloned().unwrap_or_default());
            }
            "content_block_stop" | "ping" => {}
            other => return Err(event.error(format!("`{other}` is not an event of `anthropic`"))),
        }
    }
    let content = blocks.into_iter().map(|(mut block, input)| {
        if !input.is_empty() {
            // truncated arguments are not a value; the caller sees the block
            let value = texts.open(&input).unwrap_or(Json::Null);
            block.insert("input".into(), value);
        }
        Json::Object(block)
    });
    message.insert("content".into(), content.collect());
    Ok(Joined { whole: Json::Object(message), complete })
}

fn deltas(event: &Json, out: &mut Vec<Delta>) {
    let index = tokens(Some(event), &["index"]);
    let kind = |of: &Json| owned(of, "type").unwrap_or_default();
    let usage = |out: &mut Vec<Delta>, of: Option<&Json>| {
        if let Some(usage) = of.and_then(|of| of.get("usage")) {
            let body = Json::from([("content", Json::Array(Vec::new())), ("usage", usage.clone())]);
            deltas::usage(out, &body, whole);
        }
    };
    match kind(event).as_str() {
        "content_block_start" => {
            let Some(block) = event.get("content_block") else { return };
            match kind(block).as_str() {
                "text" => deltas::text(out, block.get("text")),
                "tool_use" => {
                    let (id, name) = (owned(block, "id"), owned(block, "name"));
                    out.push(Delta::ToolCall { index, id, name, arguments: String::new() });
                }
                _ => {}
            }
        }
        "content_block_delta" => {
            let Some(delta) = event.get("delta") else { return };
            match kind(delta).as_str() {
                "text_delta" => deltas::text(out, delta.get("text")),
                "thinking_delta" => deltas::reasoning(out, delta.get("thinking")),
                "input_json_delta" => {
                    if let Some(arguments) = deltas::filled(delta.get("partial_json")) {
                        out.push(Delta::ToolCall { index, id: None, name: None, arguments });
                    }
                }
                _ => {}
            }
        }
        "message_start" => usage(out, event.get("message")),
        "message_delta" => usage(out, Some(event)),
        _ => {}
    }
}

fn index(event: &Field<'_>) -> Result<usize> {
    let index = event.object()?.required("index")?.count()?;
    Ok(usize::try_from(index).unwrap_or(usize::MAX))
}

fn extend(block: &mut Object, input: &mut String, delta: &Json) {
    let text = |key: &str| delta.get(key).and_then(Json::as_str).unwrap_or_default();
    match text("type") {
        "text_delta" => append(block, "text", text("text")),
        "thinking_delta" => append(block, "thinking", text("thinking")),
        "signature_delta" => append(block, "signature", text("signature")),
        "input_json_delta" => input.push_str(text("partial_json")),
        "citations_delta" => {
            let citation = delta.get("citation").cloned().unwrap_or_default();
            match block.get_mut("citations") {
                Some(Json::Array(list)) => list.push(citation),
                Some(_) | None => {
                    block.insert("citations".into(), Json::Array(vec![citation]));
                }
            }
        }
        _ => {}
    }
}
