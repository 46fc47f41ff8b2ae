//! Answers of OpenAI Responses.

use super::answer::{Answer, Joined, Reader, Texts, append, call, owned, reported, tokens};
use super::{Delta, deltas};
use crate::Result;
use crate::prompt::provider::Provider;
use crate::prompt::provider::part::{Citations, Item, Part};
use crate::value::json::{Field, Json, Object};

pub(in crate::prompt::provider) const READER: Reader = Reader { whole, join, deltas };

fn whole(body: &Json, answer: &mut Answer) -> Option<()> {
    let items = body.get("output")?.as_array()?;
    answer.id = owned(body, "id");
    answer.model = owned(body, "model");
    let reason = body.get("incomplete_details").and_then(|details| owned(details, "reason"));
    answer.stop_reason = reason.or_else(|| owned(body, "status"));
    let usage = body.get("usage");
    answer.usage.input_tokens = tokens(usage, &["input_tokens"]);
    answer.usage.output_tokens = tokens(usage, &["output_tokens"]);
    answer.usage.cache_read_tokens = tokens(usage, &["input_tokens_details", "cached_tokens"]);
    answer.usage.cache_write_tokens =
        tokens(usage, &["input_tokens_details", "cache_write_tokens"]);
    answer.cache_diagnostics = reported(body, "prompt_cache_diagnostics");
    answer.usage.reasoning_tokens = tokens(usage, &["output_tokens_details", "reasoning_tokens"]);
    for item in items {
        match item.get("type")?.as_str()? {
            "message" => {
                for part in item.get("content").and_then(Json::as_array).unwrap_or_default() {
                    content_part(part, answer);
                }
            }
            "function_call" => {
                let name = owned(item, "name").unwrap_or_default();
                let arguments = owned(item, "arguments").unwrap_or_default();
                if !arguments.trim().is_empty() && !answer.texts.is_json(&arguments) {
                    answer.broken_call(&name);
                    continue;
                }
                answer.part(call(owned(item, "call_id"), name, &Json::from(arguments)));
            }
            _ => answer.verbatim(item),
        }
    }
    Some(())
}

fn content_part(part: &Json, answer: &mut Answer) {
    let text = part.get("text").and_then(Json::as_str).unwrap_or_default();
    match part.get("type").and_then(Json::as_str) {
        Some("output_text") => {
            let Some(list) = part.get("annotations").filter(|notes| notes.is_truthy()) else {
                return answer.text(text);
            };
            let mut cited = Item::from(Part::Text(text.into()));
            let (of, list) = (Provider::OpenaiResponses, list.clone());
            cited.metadata_mut().citations = Some(Citations { of, list });
            answer.part(cited);
        }
        Some(_) | None => answer.verbatim(part),
    }
}

/// The whole answer comes with the last event; before it, items as far as they came.
fn join(events: &[Field<'_>], _: &Texts) -> Result<Joined> {
    let mut body = Object::default();
    let mut items: Vec<Object> = Vec::new();
    for event in events {
        let json = event.json();
        let kind = json.get("type").and_then(Json::as_str).unwrap_or_default();
        if !kind.starts_with("response.") && kind != "error" && kind != "keepalive" {
            return Err(event.error(format!("`{kind}` is not an event of `openai_responses`")));
        }
        if let Some(Json::Object(response)) = json.get("response") {
            body = response.clone();
        }
        match kind {
            "response.completed" | "response.incomplete" | "response.failed" => {
                return Ok(Joined { whole: Json::Object(body), complete: true });
            }
            "error" => {
                body.insert("error".into(), json.clone());
            }
            "response.output_item.added" | "response.output_item.done" => {
                let item = json.get("item").and_then(Json::as_object).cloned().unwrap_or_default();
                let at = index(json, items.len());
                if at > items.len() {
                    return Err(event.error("an item starts out of order"));
                }
                match items.get_mut(at) {
                    Some(known) => *known = item,
                    None => items.push(item),
                }
            }
            "response.output_text.delta" | "response.function_call_arguments.delta" => {
                let Some(item) = items.get_mut(index(json, usize::MAX)) else {
                    return Err(event.error("an item continues that did not start"));
                };
                let more = json.get("delta").and_then(Json::as_str).unwrap_or_default();
                if kind == "response.output_text.delta" {
                    add_text(item, more);
                } else {
                    append(item, "arguments", more);
                }
            }
            _ => {}
        }
    }
    body.insert("output".into(), items.into_iter().collect());
    Ok(Joined { whole: Json::Object(body), complete: false })
}

fn deltas(event: &Json, out: &mut Vec<Delta>) {
    let index = tokens(Some(event), &["output_index"]);
    let more = event.get("delta");
    match event.get("type").and_then(Json::as_str).unwrap_or_default() {
        "response.output_text.delta" => deltas::text(out, more),
        "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
            deltas::reasoning(out, more);
        }
        "response.refusal.delta" => {
            out.extend(deltas::filled(more).map(|refusal| Delta::Refusal { refusal }));
        }
        "response.output_item.added" => {
            let call = |item: &&Json| owned(item, "type").as_deref() == Some("function_call");
            let Some(item) = event.get("item").filter(call) else { return };
            let (id, name) = (owned(item, "call_id"), owned(item, "name"));
            let arguments = owned(item, "arguments").unwrap_or_default();
            out.push(Delta::ToolCall { index, id, name, arguments });
        }
        "response.function_call_arguments.delta" => {
            if let Some(arguments) = deltas::filled(more) {
                out.push(Delta::ToolCall { index, id: None, name: None, arguments });
            }
        }
        "response.completed" | "response.incomplete" => {
            let usage = event.get("response").and_then(|response| response.get("usage"));
            let usage = usage.cloned().unwrap_or_default();
            let body = Json::from([("output", Json::Array(Vec::new())), ("usage", usage)]);
            deltas::usage(out, &body, whole);
        }
        _ => {}
    }
}

fn index(event: &Json, default: usize) -> usize {
    let index = tokens(Some(event), &["output_index"]);
    index.map_or(default, |index| usize::try_from(index).unwrap_or(usize::MAX))
}

fn add_text(item: &mut Object, more: &str) {
    let entry = item.get_or_insert_with("content", || Json::Array(Vec::new()));
    let Json::Array(parts) = entry else { return };
    if let Some(Json::Object(last)) = parts.last_mut() {
        append(last, "text", more);
        return;
    }
    parts.push(Json::from([("type", "output_text"), ("text", more)]));
}
