//! Answers of Gemini's `generateContent` and `streamGenerateContent`.

use super::answer::{Answer, Joined, Reader, Texts, call, owned, signed, tokens};
use super::{Delta, deltas};
use crate::Result;
use crate::value::json::{Field, Json, Object};

pub(in crate::prompt::provider) const READER: Reader = Reader { whole, join, deltas };

fn whole(body: &Json, answer: &mut Answer) -> Option<()> {
    answer.id = owned(body, "responseId");
    answer.model = owned(body, "modelVersion");
    let usage = body.get("usageMetadata");
    answer.usage.input_tokens = tokens(usage, &["promptTokenCount"]);
    let thought = tokens(usage, &["thoughtsTokenCount"]);
    let answered = tokens(usage, &["candidatesTokenCount"]);
    answer.usage.output_tokens = answered.map(|tokens| tokens + thought.unwrap_or(0));
    answer.usage.cache_read_tokens = tokens(usage, &["cachedContentTokenCount"]);
    answer.usage.reasoning_tokens = thought;
    let Some(candidate) = body.get("candidates").and_then(|list| list.as_array()?.first()) else {
        // a prompt that was blocked has no candidates
        let blocked = owned(body.get("promptFeedback")?, "blockReason")?;
        answer.stop_reason = Some(blocked);
        return Some(());
    };
    answer.stop_reason = owned(candidate, "finishReason");
    let parts = candidate.get("content").and_then(|content| content.get("parts")?.as_array());
    for part in parts.unwrap_or_default() {
        let signature = owned(part, "thoughtSignature");
        if let Some(made) = part.get("functionCall") {
            let arguments = made.get("args").cloned();
            let arguments = arguments.unwrap_or_else(|| Json::Object(Object::default()));
            let call = call(owned(made, "id"), owned(made, "name")?, &arguments);
            answer.part(signed(call, signature));
            continue;
        }
        match part.get("text").and_then(Json::as_str) {
            Some(text) if signature.is_none() && part.get("thought").is_none() => answer.text(text),
            Some(_) | None => answer.verbatim(part),
        }
    }
    Some(())
}

/// Merges chunks that are complete answers; consecutive text becomes one part.
fn join(events: &[Field<'_>], _: &Texts) -> Result<Joined> {
    let mut body = Object::default();
    let mut parts: Vec<Json> = Vec::new();
    let mut finish = None;
    for event in events {
        let json = event.json();
        let known = ["candidates", "promptFeedback", "usageMetadata", "error"];
        if !known.iter().any(|key| json.get(key).is_some()) {
            return Err(event.error("expected a chunk of `gemini`"));
        }
        for key in ["responseId", "modelVersion", "usageMetadata", "promptFeedback", "error"] {
            if let Some(value) = json.get(key) {
                body.insert(key.to_owned(), value.clone());
            }
        }
        let candidate = json.get("candidates").and_then(|list| list.as_array()?.first());
        let Some(candidate) = candidate else { continue };
        finish = owned(candidate, "finishReason").or(finish);
        let more = candidate.get("content").and_then(|content| content.get("parts")?.as_array());
        for part in more.unwrap_or_default() {
            push(&mut parts, part);
        }
    }
    let complete = finish.is_some() || body.contains_key("promptFeedback");
    if !parts.is_empty() || finish.is_some() {
        let content = Json::from([("parts", Json::Array(parts))]);
        let candidate = Json::from([("content", content), ("finishReason", finish.into())]);
        body.insert("candidates".into(), Json::Array(vec![candidate]));
    }
    Ok(Joined { whole: Json::Object(body), complete })
}

fn deltas(event: &Json, out: &mut Vec<Delta>) {
    let candidate = event.get("candidates").and_then(|list| list.as_array()?.first());
    let parts = candidate.and_then(|of| of.get("content")?.get("parts")?.as_array());
    for part in parts.unwrap_or_default() {
        if let Some(made) = part.get("functionCall") {
            let arguments = made.get("args").map_or_else(|| "{}".to_owned(), Json::to_string);
            let (id, name) = (owned(made, "id"), owned(made, "name"));
            out.push(Delta::ToolCall { index: None, id, name, arguments });
        } else if part.get("thought").is_some_and(Json::is_truthy) {
            deltas::reasoning(out, part.get("text"));
        } else {
            deltas::text(out, part.get("text"));
        }
    }
    if let Some(usage) = event.get("usageMetadata") {
        let candidates = Json::Array(vec![Json::Object(Object::default())]);
        let body = Json::from([("candidates", candidates), ("usageMetadata", usage.clone())]);
        deltas::usage(out, &body, whole);
    }
}

fn push(parts: &mut Vec<Json>, part: &Json) {
    let plain = |part: &Object| part.contains_key("text") && !part.contains_key("thoughtSignature");
    if let Some(Json::Object(last)) = parts.last_mut()
        && plain(last)
        && part.as_object().is_some_and(plain)
        && last.get("thought") == part.get("thought")
    {
        let more = part.get("text").and_then(Json::as_str).unwrap_or_default();
        super::answer::append(last, "text", more);
        return;
    }
    parts.push(part.clone());
}
