//! Answers of Bedrock's `Converse` and `ConverseStream`.

use super::answer::{Answer, Joined, Reader, Texts, append, call, owned, tokens};
use super::{Delta, deltas};
use crate::Result;
use crate::value::json::{Field, Json, Object};

pub(in crate::prompt::provider) const READER: Reader = Reader { whole, join, deltas };

fn whole(body: &Json, answer: &mut Answer) -> Option<()> {
    let blocks = body.get("output")?.get("message")?.get("content")?.as_array()?;
    answer.stop_reason = owned(body, "stopReason");
    let usage = body.get("usage");
    let count = |key: &str| tokens(usage, &[key]);
    let (cached, written) = (count("cacheReadInputTokens"), count("cacheWriteInputTokens"));
    // as at Anthropic, cached tokens are not part of `inputTokens`
    answer.usage.input_tokens =
        count("inputTokens").map(|fresh| fresh + cached.unwrap_or(0) + written.unwrap_or(0));
    answer.usage.output_tokens = tokens(usage, &["outputTokens"]);
    answer.usage.cache_read_tokens = cached;
    answer.usage.cache_write_tokens = written;
    let details = usage.and_then(|usage| usage.get("cacheDetails")?.as_array()).unwrap_or_default();
    let of = |ttl: &str| {
        let own = details.iter().find(|entry| owned(entry, "ttl").as_deref() == Some(ttl));
        tokens(own, &["inputTokens"])
    };
    answer.usage.cache_write_5m_tokens = of("5m");
    answer.usage.cache_write_1h_tokens = of("1h");
    for block in blocks {
        if let Some(made) = block.get("toolUse") {
            let name = owned(made, "name").unwrap_or_default();
            match made.get("input").filter(|input| input.as_object().is_some()) {
                Some(input) => answer.part(call(owned(made, "toolUseId"), name, input)),
                None => answer.broken_call(&name),
            }
        } else if let Some(text) = block.get("text").and_then(Json::as_str) {
            answer.text(text);
        } else {
            answer.verbatim(block);
        }
    }
    Some(())
}

fn join(events: &[Field<'_>], texts: &Texts) -> Result<Joined> {
    let mut body = Object::default();
    let mut blocks: Vec<Object> = Vec::new();
    let mut complete = false;
    for event in events {
        let json = event.json();
        let Some((kind, value)) = json.as_object().and_then(|object| object.first()) else {
            return Err(event.expected("an event"));
        };
        let at = tokens(Some(value), &["contentBlockIndex"]);
        let at = at.map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        match kind.as_str() {
            "messageStart" | "contentBlockStop" => {}
            "contentBlockStart" => {
                let start = value.get("start").and_then(Json::as_object);
                if at != Some(blocks.len()) {
                    return Err(event.error("a block starts out of order"));
                }
                blocks.push(start.cloned().unwrap_or_default());
            }
            "contentBlockDelta" => {
                // text has no start event
                if at == Some(blocks.len()) {
                    blocks.push(Object::default());
                }
                let block = at.and_then(|at| blocks.get_mut(at));
                let Some(block) = block else {
                    return Err(event.error("a block continues that did not start"));
                };
                if let Some(delta) = value.get("delta") {
                    extend(block, delta);
                }
            }
            "messageStop" => {
                complete = true;
                body.insert("stopReason".into(), owned(value, "stopReason").into());
            }
            "metadata" => {
                body.insert("usage".into(), value.get("usage").cloned().unwrap_or_default());
            }
            other => return Err(event.error(format!("`{other}` is not an event of `bedrock`"))),
        }
    }
    for block in &mut blocks {
        if let Some(Json::Object(call)) = block.get_mut("toolUse") {
            let text = call.get("input").and_then(Json::as_str).unwrap_or("{}");
            let input = texts.open(text).unwrap_or(Json::Null);
            call.insert("input".into(), input);
        }
    }
    let content: Json = blocks.into_iter().collect();
    let message = Json::from([("message", Json::from([("content", content)]))]);
    body.insert("output".into(), message);
    Ok(Joined { whole: Json::Object(body), complete })
}

fn deltas(event: &Json, out: &mut Vec<Delta>) {
    let Some((kind, value)) = event.as_object().and_then(|object| object.first()) else { return };
    let index = tokens(Some(value), &["contentBlockIndex"]);
    match kind.as_str() {
        "contentBlockStart" => {
            let Some(made) = value.get("start").and_then(|start| start.get("toolUse")) else {
                return;
            };
            let (id, name) = (owned(made, "toolUseId"), owned(made, "name"));
            out.push(Delta::ToolCall { index, id, name, arguments: String::new() });
        }
        "contentBlockDelta" => {
            let Some(delta) = value.get("delta") else { return };
            deltas::text(out, delta.get("text"));
            deltas::reasoning(out, delta.get("reasoningContent").and_then(|of| of.get("text")));
            let input = delta.get("toolUse").and_then(|made| made.get("input"));
            if let Some(arguments) = deltas::filled(input) {
                out.push(Delta::ToolCall { index, id: None, name: None, arguments });
            }
        }
        "metadata" => {
            let message = Json::from([("content", Json::Array(Vec::new()))]);
            let usage = value.get("usage").cloned().unwrap_or_default();
            let output = Json::from([("message", message)]);
            deltas::usage(out, &Json::from([("output", output), ("usage", usage)]), whole);
        }
        _ => {}
    }
}

fn extend(block: &mut Object, delta: &Json) {
    let text = |of: Option<&Json>, key: &str| of.and_then(|of| owned(of, key)).unwrap_or_default();
    if let Some(more) = delta.get("text").and_then(Json::as_str) {
        append(block, "text", more);
    }
    if delta.get("toolUse").is_some() {
        let entry = block.get_or_insert_with("toolUse", || Json::Object(Object::new()));
        if let Json::Object(call) = entry {
            append(call, "input", &text(delta.get("toolUse"), "input"));
        }
    }
    let Some(thought) = delta.get("reasoningContent") else { return };
    let entry = block.get_or_insert_with("reasoningContent", || Json::Object(Object::new()));
    let Json::Object(outer) = entry else { return };
    if let Some(data) = thought.get("redactedContent") {
        outer.insert("redactedContent".into(), data.clone());
        return;
    }
    let inner = outer.get_or_insert_with("reasoningText", || Json::Object(Object::new()));
    if let Json::Object(inner) = inner {
        for key in ["text", "signature"] {
            let more = text(Some(thought), key);
            if !more.is_empty() {
                append(inner, key, &more);
            }
        }
    }
}
