//! The parts of a message's content, in the neutral form and in the forms that providers and
//! frameworks write.

mod files;
mod own;
mod thoughts;

use super::Provider;
use super::loss::{Change, Losses};
use super::turn::{Answer, Arguments, Block, Body, CacheMark, Call};
use crate::value::json::Json;

/// Where a part stands, for the report.
pub(super) struct Context<'a> {
    /// The position of the message.
    pub at: usize,
    /// Where changes are noted.
    pub losses: &'a mut Losses,
}

impl Context<'_> {
    /// Takes note of keys that are read nowhere.
    pub fn keys(&mut self, of: &Json, known: &[&str], what: &str) {
        self.losses.keys(self.at, of, known, what);
    }
}

/// Keys that any part may have.
const BESIDE: [&str; 7] = [
    "type",
    "cache",
    "cache_control",
    "thoughtSignature",
    "thought_signature",
    "index",
    "prompt_cache_breakpoint",
];

/// Where the AI SDK keeps what only one provider has.
const OPTIONS: [&str; 2] = ["providerOptions", "providerMetadata"];

/// The options that are read: a cache mark and signatures.
fn read_options<'a>(of: &'a Json, provider: &str, key: &str) -> Option<&'a Json> {
    OPTIONS.iter().find_map(|options| of.get(options)?.get(provider)?.get(key))
}

/// Keeps the options of a part for the AI SDK; elsewhere takes note of those that are read nowhere.
pub(super) fn options(of: &Json, block: &mut Block, context: &mut Context<'_>) {
    if context.losses.provider() == Provider::AiSdk.as_str() {
        let kept = OPTIONS.iter().find_map(|key| of.get(key)).filter(|kept| kept.is_truthy());
        if let Some(kept) = kept {
            block.more_mut().options = Some(kept.clone());
        }
        return;
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
}

/// Reads one part.
pub(super) fn read(part: &Json, context: &mut Context<'_>) -> Block {
    let (body, citations) = body(part, context);
    let mut block = Block::new(Some(context.at), body);
    options(part, &mut block, context);
    if let Some(mark) = cache_mark(part) {
        block.more_mut().cache = Some(mark);
    }
    let signature = ["thoughtSignature", "thought_signature"].iter().find_map(|key| part.get(key));
    let signature = signature
        .or_else(|| read_options(part, "google", "thoughtSignature"))
        .and_then(Json::as_str);
    if let Some(signature) = signature {
        block.more_mut().signature = Some(signature.to_owned());
    }
    if citations.is_some() {
        block.more_mut().citations = citations;
    }
    block
}

/// `cache: true | "5m" | "1h"`, or Anthropic's `cache_control`.
pub(super) fn cache_mark(of: &Json) -> Option<CacheMark> {
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

type Cited = Option<(Provider, Json)>;

fn body(part: &Json, context: &mut Context<'_>) -> (Body, Cited) {
    if let Some(text) = part.as_str() {
        return (Body::Text(text.into()), None);
    }
    let kind = part.get("type").and_then(Json::as_str);
    let words = part.get("text").and_then(Json::as_str);
    if let Some(own) = own::read(part, kind) {
        return (own, None);
    }
    if let Some(thought) = thoughts::read(part, kind) {
        return (thought, None);
    }
    match (kind, words) {
        (Some("text" | "input_text" | "output_text"), Some(words)) => {
            return text(part, words, context);
        }
        // Gemini's parts have no type
        (None, Some(words)) => return text(part, words, context),
        (Some("refusal"), words) => {
            if let Some(words) = part.get("refusal").and_then(Json::as_str).or(words) {
                let known = [&BESIDE[..], &["refusal", "text"], &OPTIONS].concat();
                context.keys(part, &known, "a refusal");
                return (Body::Refusal(words.into()), None);
            }
        }
        (Some(_) | None, _) => {}
    }
    if let Some(call) = call(part, kind, context) {
        return (Body::Call(call), None);
    }
    if let Some(answer) = answer(part, kind, context) {
        return (Body::Answer(answer), None);
    }
    if let Some(file) = files::read(part, kind, context) {
        return (file, None);
    }
    let kind = part.get("type").map_or_else(|| "no type".to_owned(), Json::text_form);
    context.losses.message(
        Change::UnknownPart,
        context.at,
        format!("a part of type `{kind}` is not known and stands as its JSON text"),
    );
    (Body::Text(part.spaced().into()), None)
}

fn text(part: &Json, words: &str, context: &mut Context<'_>) -> (Body, Cited) {
    let known = [&BESIDE[..], &["text", "citations", "annotations"], &OPTIONS].concat();
    context.keys(part, &known, "a part");
    let cited = |key: &str, of| {
        part.get(key).filter(|value| value.is_truthy()).map(|value| (of, value.clone()))
    };
    let citations = cited("citations", Provider::Anthropic)
        .or_else(|| cited("annotations", Provider::OpenaiResponses));
    (Body::Text(words.into()), citations)
}

/// The first of these keys that holds text.
fn first<'a>(of: &'a Json, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| of.get(key).and_then(Json::as_str))
}

fn call(part: &Json, kind: Option<&str>, context: &mut Context<'_>) -> Option<Call> {
    let inner = match kind {
        Some("tool_call" | "tool_use" | "tool-call" | "function_call") => part,
        Some(_) => return None,
        None => part.get("functionCall").or_else(|| part.get("toolUse"))?,
    };
    let name = first(inner, &["name", "toolName"]).filter(|name| !name.is_empty())?;
    let ids = ["call_id", "id", "toolCallId", "toolUseId"];
    let id = first(inner, &ids).unwrap_or_default().to_owned();
    let values = ["arguments", "input", "args"];
    let given = values.iter().find_map(|key| inner.get(key));
    let arguments = arguments(name, given, true, context);
    let known: Vec<&str> =
        BESIDE.iter().chain(&ids).chain(&values).copied().chain(KNOWN_OF_CALLS).collect();
    context.keys(inner, &known, "a call");
    Some(Call { id, name: name.to_owned(), arguments })
}

/// Keys of a call that say nothing to a model.
const KNOWN_OF_CALLS: [&str; 5] =
    ["name", "toolName", "status", "providerOptions", "providerMetadata"];

/// Reads what a tool is called with. A value is what most providers write; where text is the
/// common form, it is noted that the value becomes text.
pub(super) fn arguments(
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
            note(format!("`{name}` is called with nothing: an empty object"));
            Arguments::Text("{}".into())
        }
        Some(value) => {
            if !is_value_common {
                note(format!("the arguments of `{name}` are a value and go as JSON text"));
            }
            Arguments::Text(value.to_string().into())
        }
    }
}

fn answer(part: &Json, kind: Option<&str>, context: &mut Context<'_>) -> Option<Answer> {
    let inner = match kind {
        Some("tool_result" | "tool-result" | "function_call_output") => part,
        Some(_) => return None,
        None => part.get("functionResponse").or_else(|| part.get("toolResult"))?,
    };
    let ids = ["tool_use_id", "tool_call_id", "call_id", "toolCallId", "toolUseId", "id"];
    let values = ["content", "output", "result", "response", "text"];
    let mut failed = is_failed(inner);
    let value = values.iter().find_map(|key| inner.get(key)).unwrap_or(&Json::Null);
    let mut blocks = answered(value, &mut failed, context);
    for part in inner.get("parts").and_then(Json::as_array).unwrap_or_default() {
        blocks.push(flat(read(part, context).body, context));
    }
    let known: Vec<&str> =
        BESIDE.iter().chain(&ids).chain(&values).copied().chain(KNOWN_OF_RESULTS).collect();
    context.keys(inner, &known, "a result");
    Some(Answer {
        call_id: first(inner, &ids).unwrap_or_default().to_owned(),
        tool_name: first(inner, &["name", "toolName"]).unwrap_or_default().to_owned(),
        blocks,
        failed,
    })
}

const KNOWN_OF_RESULTS: [&str; 8] = [
    "name",
    "toolName",
    "is_error",
    "isError",
    "status",
    "parts",
    "providerOptions",
    "providerMetadata",
];

/// True when a result or a message says that its call failed.
pub(super) fn is_failed(of: &Json) -> bool {
    let flag = ["is_error", "isError"].iter().any(|key| of.get(key) == Some(&Json::Bool(true)));
    let status = of.get("status").and_then(Json::as_str);
    flag || matches!(status, Some("error" | "failed" | "failure"))
}

/// What a tool answered, as blocks of text and media.
pub(super) fn answered(value: &Json, failed: &mut bool, context: &mut Context<'_>) -> Vec<Body> {
    match value {
        Json::Null => Vec::new(),
        Json::String(text) => vec![Body::Text(text.as_str().into())],
        Json::Array(parts) if parts.iter().all(is_part) => {
            parts.iter().map(|part| flat(read(part, context).body, context)).collect()
        }
        Json::Object(_) => {
            let kind = value.get("type").and_then(Json::as_str);
            let inner = value.get("value");
            match (kind, inner) {
                (Some("text" | "json"), Some(inner)) => answered_plain(inner),
                (Some("error-text" | "error-json"), Some(inner)) => {
                    *failed = true;
                    answered_plain(inner)
                }
                (Some("content"), Some(inner)) => answered(inner, failed, context),
                (Some(_) | None, _) => answered_object(value, failed),
            }
        }
        Json::Bool(_) | Json::Number(_) | Json::Array(_) => answered_plain(value),
    }
}

fn is_part(part: &Json) -> bool {
    part.get("type").and_then(Json::as_str).is_some() || part.get("text").is_some()
}

/// Gemini's `{"output": ..}` and `{"error": ..}`; any other object is itself.
fn answered_object(value: &Json, failed: &mut bool) -> Vec<Body> {
    let alone =
        value.as_object().filter(|object| object.len() == 1).and_then(|object| object.first());
    match alone.map(|(key, inner)| (key.as_str(), inner)) {
        Some(("output", inner)) => answered_plain(inner),
        Some(("error", inner)) => {
            *failed = true;
            answered_plain(inner)
        }
        Some(_) | None => answered_plain(value),
    }
}

fn answered_plain(value: &Json) -> Vec<Body> {
    match value {
        Json::String(text) => vec![Body::Text(text.as_str().into())],
        other => vec![Body::Text(other.spaced().into())],
    }
}

/// What may stand in a result: text and files. Anything else becomes its text.
pub(super) fn flat(body: Body, context: &mut Context<'_>) -> Body {
    let text = match body {
        Body::Text(_) | Body::Media(_) | Body::Own(_) => return body,
        Body::Refusal(text) => text.as_str().to_owned(),
        Body::Reasoning(thought) => thought.text.as_str().to_owned(),
        Body::Call(call) => format!("[call of {}] {}", call.name, call.arguments.text()),
        Body::Answer(answer) => {
            let words = |body: &Body| match body {
                Body::Text(text) => Some(text.as_str().to_owned()),
                Body::Media(media) => Some(media.line()),
                Body::Call(_)
                | Body::Answer(_)
                | Body::Reasoning(_)
                | Body::Refusal(_)
                | Body::Own(_) => None,
            };
            answer.blocks.iter().filter_map(words).collect::<Vec<_>>().join("\n")
        }
    };
    let reason = "a result holds text and files only; a part of it stands as text";
    context.losses.message(Change::UnknownPart, context.at, reason);
    Body::Text(text.into())
}
