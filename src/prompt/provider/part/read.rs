//! Reads the parts of a message's content, in the neutral form and in the forms that providers and
//! frameworks write.

use super::{Arguments, CacheMark, CallPart, Citations, Item, Part, ResultPart};
use super::{files, own, thoughts};
use crate::prompt::provider::Provider;
use crate::prompt::provider::loss::{Change, Losses};
use crate::value::json::Json;
use crate::value::tool_blocks::{self, CallBlock, ResultBlock};

/// The position of a part, for the report.
pub(in crate::prompt::provider) struct Context<'a> {
    /// The position of the message.
    pub at: usize,
    /// Where changes are noted.
    pub losses: &'a mut Losses,
}

impl Context<'_> {
    /// Records keys that no reader uses.
    pub fn keys(&mut self, of: &Json, known: &[&str], what: &str) {
        self.losses.keys(self.at, of, known, what);
    }
}

/// Keys that any part may have.
pub(super) const PART_KEYS: [&str; 7] = [
    "type",
    "cache",
    "cache_control",
    "thoughtSignature",
    "thought_signature",
    "index",
    "prompt_cache_breakpoint",
];

/// Where the AI SDK keeps what only one provider has.
pub(super) const OPTIONS: [&str; 2] = ["providerOptions", "providerMetadata"];

/// The options that are read: a cache mark and signatures.
pub(super) fn read_options<'a>(of: &'a Json, provider: &str, key: &str) -> Option<&'a Json> {
    OPTIONS.iter().find_map(|options| of.get(options)?.get(provider)?.get(key))
}

/// Keeps the options of a part for the AI SDK. For other providers, records the options that no
/// reader uses.
pub(in crate::prompt::provider) fn options(of: &Json, context: &mut Context<'_>) -> Option<Json> {
    let kept = OPTIONS.iter().find_map(|key| of.get(key))?;
    let kept = Some(kept).filter(|kept| kept.is_truthy());
    let read_whole = [Provider::AiSdk, Provider::Neutral].map(Provider::as_str);
    if read_whole.contains(&context.losses.provider()) {
        return kept.cloned();
    }
    let read = [
        ("anthropic", "cacheControl"),
        ("anthropic", "signature"),
        ("anthropic", "redactedData"),
        ("google", "thoughtSignature"),
    ];
    let consumed = read.iter().any(|(provider, key)| read_options(of, provider, key).is_some());
    for key in OPTIONS {
        if !consumed && of.get(key).is_some_and(Json::is_truthy) {
            let provider = context.losses.provider();
            let reason = format!("`{provider}` does not take the key `{key}` of a part");
            context.losses.message(Change::KeyDropped, context.at, reason);
        }
    }
    None
}

/// Reads one part.
pub(in crate::prompt::provider) fn read(part: &Json, context: &mut Context<'_>) -> Item {
    let (read, citations) = read_part(part, context);
    let mut item = Item::from(read);
    if let Some(kept) = options(part, context) {
        item.metadata_mut().options = Some(kept);
    }
    if let Some(mark) = cache_mark(part) {
        item.metadata_mut().cache = Some(mark);
    }
    let signature = ["thoughtSignature", "thought_signature"].iter().find_map(|key| part.get(key));
    let signature = signature
        .or_else(|| read_options(part, "google", "thoughtSignature"))
        .and_then(Json::as_str);
    if let Some(signature) = signature {
        item.metadata_mut().signature = Some(signature.to_owned());
    }
    if citations.is_some() {
        item.metadata_mut().citations = citations;
    }
    item
}

/// `cache: true | "5m" | "1h"`, or Anthropic's `cache_control`.
pub(in crate::prompt::provider) fn cache_mark(of: &Json) -> Option<CacheMark> {
    let hour = |ttl: Option<&str>| match ttl {
        Some("1h") => CacheMark::Hour,
        Some(_) | None => CacheMark::Default,
    };
    if let Some(control) = of.get("cache_control").filter(|control| control.is_truthy()) {
        return Some(hour(control.get("ttl").and_then(Json::as_str)));
    }
    if let Some(control) = read_options(of, "anthropic", "cacheControl") {
        return Some(hour(control.get("ttl").and_then(Json::as_str)));
    }
    if of.get("prompt_cache_breakpoint").is_some_and(Json::is_truthy) {
        return Some(CacheMark::Default);
    }
    of.get("cache").filter(|cache| cache.is_truthy()).map(|cache| hour(cache.as_str()))
}

fn read_part(part: &Json, context: &mut Context<'_>) -> (Part, Option<Citations>) {
    if let Some(text) = part.as_str() {
        return (Part::Text(text.into()), None);
    }
    let kind = part.get("type").and_then(Json::as_str);
    let words = part.get("text").and_then(Json::as_str);
    if let Some(own) = own::read(part, kind) {
        return (Part::Own(Box::new(own)), None);
    }
    if let Some(thought) = thoughts::read(part, kind) {
        return (Part::Reasoning(thought), None);
    }
    match (kind, words) {
        (Some("text" | "input_text" | "output_text"), Some(words)) => {
            return text(part, words, context);
        }
        // Gemini's parts have no type
        (None, Some(words)) => return text(part, words, context),
        (Some("refusal"), words) => {
            if let Some(words) = part.get("refusal").and_then(Json::as_str).or(words) {
                let known = [&PART_KEYS[..], &["refusal", "text"], &OPTIONS].concat();
                context.keys(part, &known, "a refusal");
                return (Part::Refusal(words.into()), None);
            }
        }
        (Some(_) | None, _) => {}
    }
    if let Some(call) = call(part, kind, context) {
        return (Part::ToolCall(call), None);
    }
    if let Some(answer) = answer(part, kind, context) {
        return (Part::ToolResult(answer), None);
    }
    if let Some(file) = files::read(part, kind, context) {
        return (file.into(), None);
    }
    let kind = part.get("type").map_or_else(|| "no type".to_owned(), Json::text_form);
    context.losses.message(
        Change::UnknownPart,
        context.at,
        format!("a part of type `{kind}` is unknown and becomes JSON text"),
    );
    (Part::Text(part.spaced().into()), None)
}

fn text(part: &Json, words: &str, context: &mut Context<'_>) -> (Part, Option<Citations>) {
    let known = [&PART_KEYS[..], &["text", "citations", "annotations"], &OPTIONS].concat();
    context.keys(part, &known, "a part");
    let cited = |key: &str, of| {
        let list = part.get(key).filter(|value| value.is_truthy())?.clone();
        Some(Citations { of, list })
    };
    let citations = cited("citations", Provider::Anthropic)
        .or_else(|| cited("annotations", Provider::OpenaiResponses));
    (Part::Text(words.into()), citations)
}

/// The first of these keys that holds text.
pub(super) fn first<'a>(of: &'a Json, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| of.get(key).and_then(Json::as_str))
}

fn call(part: &Json, kind: Option<&str>, context: &mut Context<'_>) -> Option<CallPart> {
    let block = match kind {
        Some(kind) if tool_blocks::is_call(kind) => part,
        Some(_) => return None,
        None => tool_blocks::call_inside(part)?,
    };
    let CallBlock { inner, id, name, arguments: given } = tool_blocks::read_call(block)?;
    let arguments = arguments(&name, given, true, context);
    let known = [
        &PART_KEYS[..],
        &tool_blocks::IDS,
        &tool_blocks::NAMES,
        &tool_blocks::ARGUMENTS,
        &["namespace", "status"],
        &OPTIONS,
    ];
    context.keys(inner, &known.concat(), "a call");
    Some(CallPart { id: id.unwrap_or_default().to_owned(), name: name.into_owned(), arguments })
}

/// Reads what a tool is called with. A value is what most providers write; where text is the
/// common form, it is noted that the value becomes text.
pub(in crate::prompt::provider) fn arguments(
    name: &str,
    given: Option<&Json>,
    is_value_common: bool,
    context: &mut Context<'_>,
) -> Arguments {
    let mut note = |reason: String| {
        context.losses.message(Change::ArgumentsRewritten, context.at, reason);
    };
    match given {
        Some(Json::String(text)) => Arguments::Text(text.as_str().into()),
        None | Some(Json::Null) => {
            note(format!("the call of `{name}` has no arguments; they become an empty object"));
            Arguments::Text("{}".into())
        }
        Some(value) => {
            if !is_value_common {
                note(format!("the arguments of `{name}` are sent as JSON text"));
            }
            Arguments::Text(value.to_string().into())
        }
    }
}

fn answer(part: &Json, kind: Option<&str>, context: &mut Context<'_>) -> Option<ResultPart> {
    let block = match kind {
        Some(kind) if tool_blocks::is_result(kind) => part,
        Some(_) => return None,
        None => tool_blocks::result_inside(part)?,
    };
    let ResultBlock { id, content, is_error } = tool_blocks::read_result(block);
    let mut parts = answered(content.unwrap_or(&Json::Null), context);
    for part in block.get("parts").and_then(Json::as_array).unwrap_or_default() {
        parts.push(flat(read(part, context).part, context));
    }
    let known = [
        &PART_KEYS[..],
        &tool_blocks::IDS,
        &tool_blocks::NAMES,
        &tool_blocks::CONTENTS,
        &["is_error", "isError", "status", "parts"],
        &OPTIONS,
    ];
    context.keys(block, &known.concat(), "a result");
    Some(ResultPart {
        call_id: id.unwrap_or_default().to_owned(),
        tool_name: first(block, &tool_blocks::NAMES).unwrap_or_default().to_owned(),
        parts,
        failed: is_error,
    })
}

/// Returns the content of a result as text and files.
fn answered(value: &Json, context: &mut Context<'_>) -> Vec<Part> {
    match value {
        Json::Null => Vec::new(),
        Json::String(text) => vec![Part::Text(text.as_str().into())],
        Json::Array(parts) if parts.iter().all(is_part) => {
            parts.iter().map(|part| flat(read(part, context).part, context)).collect()
        }
        Json::Object(_) => {
            let kind = value.get("type").and_then(Json::as_str);
            match (kind, value.get("value")) {
                (Some("text" | "json" | "error-text" | "error-json"), Some(inner)) => {
                    answered_plain(inner)
                }
                (Some("content"), Some(inner)) => answered(inner, context),
                (Some(_) | None, _) => answered_object(value),
            }
        }
        Json::Bool(_) | Json::Number(_) | Json::Array(_) => answered_plain(value),
    }
}

fn is_part(part: &Json) -> bool {
    part.get("type").and_then(Json::as_str).is_some() || part.get("text").is_some()
}

/// Gemini's `{"output": ..}` and `{"error": ..}`; any other object is itself.
fn answered_object(value: &Json) -> Vec<Part> {
    let alone =
        value.as_object().filter(|object| object.len() == 1).and_then(|object| object.first());
    match alone.map(|(key, inner)| (key.as_str(), inner)) {
        Some(("output" | "error", inner)) => answered_plain(inner),
        Some(_) | None => answered_plain(value),
    }
}

fn answered_plain(value: &Json) -> Vec<Part> {
    match value {
        Json::String(text) => vec![Part::Text(text.as_str().into())],
        other => vec![Part::Text(other.spaced().into())],
    }
}

/// Returns what a result can have: text and files. Other parts become text.
pub(in crate::prompt::provider) fn flat(part: Part, context: &mut Context<'_>) -> Part {
    let text = match part {
        Part::Text(_) | Part::Media(_) | Part::Own(_) => return part,
        Part::Refusal(text) => text.as_str().to_owned(),
        Part::Reasoning(thought) => thought.text.as_str().to_owned(),
        Part::ToolCall(call) => format!("[call of {}] {}", call.name, call.arguments.text()),
        Part::ToolResult(answer) => {
            let words = |part: &Part| match part {
                Part::Text(text) => Some(text.as_str().to_owned()),
                Part::Media(media) => Some(media.line()),
                Part::ToolCall(_)
                | Part::ToolResult(_)
                | Part::Reasoning(_)
                | Part::Refusal(_)
                | Part::Own(_) => None,
            };
            answer.parts.iter().filter_map(words).collect::<Vec<_>>().join("\n")
        }
    };
    let reason = "a result can have only text and files; another part becomes text";
    context.losses.message(Change::UnknownPart, context.at, reason);
    Part::Text(text.into())
}
