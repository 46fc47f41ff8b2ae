//! Reads a model's answer, whole or as events, into a message and a card.
//!
//! **An answer that is read and sent again is unchanged.** Calls have the names and arguments of the
//! tools as they were defined. Thinking keeps its signatures. Parts that only the provider has are kept
//! verbatim.

mod answer;
pub(super) mod anthropic;
pub(super) mod bedrock;
pub(super) mod chat;
mod deltas;
pub(super) mod gemini;
pub(super) mod mistral;
pub(super) mod responses;
mod rule;
pub(super) mod sdk;
#[cfg(test)]
mod tests;

pub use answer::Usage;
pub use deltas::{Delta, Deltas, ReadDeltas, read_deltas};
pub use rule::ReadResponse;

use super::loss::Losses;
use super::part::{Arguments, CallPart, Item, Part};
use super::tools::{self, Names};
use super::{Change, Loss, Provider};
use crate::render::MESSAGE_PARTS;
use crate::value::json::{Field, Json, Object};
use crate::value::message::{Content, Message, Role};
use crate::{Error, Path, Result};
pub(super) use answer::Reader;
use answer::{Answer, Piece, Texts};
use serde::Serialize;

/// The reason why a model stopped.
///
/// Shown by the example of [`read_events`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stop {
    /// The answer is complete.
    End,
    /// The model made calls.
    ToolCalls,
    /// The answer reached its maximum length.
    Length,
    /// The model or a filter refused.
    Refusal,
    /// The model paused, and continues with the next request.
    Pause,
    /// Another reason, or none.
    Other,
}

/// A model's answer.
///
/// Shown by the example of [`read_response`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Response {
    /// The provider.
    pub provider: Provider,
    /// The provider's id of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The model that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The answer as a message.
    pub message: Message,
    /// The answer as a card for `put_cards`.
    pub card: Json,
    /// The reason why the model stopped.
    pub stop: Stop,
    /// The provider's word for the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// False if the stream ended early.
    pub complete: bool,
    /// The tokens.
    pub usage: Usage,
    /// The provider's report about its cache, verbatim: `diagnostics` of `explain_cache`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_diagnostics: Option<Json>,
    /// The parts of the answer that were changed or dropped.
    pub losses: Vec<Loss>,
}

/// Reads a provider's answer. `tools` are those of the prompt.
///
/// ```
/// use tuckbox::Json;
/// use tuckbox::prompt::provider::{Provider, read_response};
///
/// let body = Json::parse(r#"{"role": "assistant", "content": [{"type": "text", "text": "Hello"}],
///     "stop_reason": "end_turn", "usage": {"input_tokens": 9, "output_tokens": 2}}"#)?;
/// let response = read_response(Provider::Anthropic, &body, &[])?;
/// assert_eq!(response.message.content.words().as_deref(), Some("Hello"));
/// assert_eq!(response.usage.output_tokens, Some(2));
/// # Ok::<(), tuckbox::Error>(())
/// ```
///
/// # Errors
/// `bad_request` if it is an error of the provider, or not an answer of this provider.
pub fn read_response(provider: Provider, body: &Json, tools: &[Object]) -> Result<Response> {
    read_body(provider, body, tools, Texts::default())
}

/// As [`read_response`], with a limit for JSON in strings.
fn read_body(provider: Provider, body: &Json, tools: &[Object], texts: Texts) -> Result<Response> {
    let reader = reader(provider)?;
    let at = Path::root().key("response");
    read_whole(provider, reader, body, true, tools, texts).map_err(|error| error.within(&at))
}

/// As [`read_response`], from the events of a stream in order.
///
/// # Errors
/// As [`read_response`], and for events in an order that no stream has.
///
/// ```
/// use tuckbox::json;
/// use tuckbox::prompt::provider::{Provider, Stop, read_events};
///
/// let events = [
///     json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hel"}}]}),
///     json!({"choices": [{"index": 0, "delta": {"content": "lo"}, "finish_reason": "stop"}]}),
/// ];
/// let response = read_events(Provider::OpenaiChat, &events, &[])?;
/// assert_eq!(response.message.content.words().as_deref(), Some("Hello"));
/// assert_eq!(response.stop, Stop::End);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn read_events(provider: Provider, events: &[Json], tools: &[Object]) -> Result<Response> {
    let call = Json::from([("events", Json::Array(events.to_vec()))]);
    let events = Field::root(&call).object()?.required("events")?.list()?;
    read_fields(provider, &events, tools, Texts::default())
}

/// Returns the events of a stream as the body of a whole answer. `None` if they are not events of the
/// provider.
pub(crate) fn joined(provider: Provider, events: &[Json]) -> Option<Json> {
    let call = Json::from([("events", Json::Array(events.to_vec()))]);
    let events = Field::root(&call).object().ok()?.required("events").ok()?.list().ok()?;
    let joined = (reader(provider).ok()?.join)(&events, &Texts::default()).ok()?;
    Some(joined.whole)
}

/// As [`read_events`], for events in a call.
fn read_fields(
    provider: Provider,
    events: &[Field<'_>],
    tools: &[Object],
    texts: Texts,
) -> Result<Response> {
    let reader = reader(provider)?;
    let joined = (reader.join)(events, &texts)?;
    read_whole(provider, reader, &joined.whole, joined.complete, tools, texts)
        .map_err(|error| error.within(&Path::root().key("events")))
}

macro_rules! readers {
    ($($(#[$doc:meta])* $name:ident in $file:ident;)*) => {
        /// Returns the reader for answers of a provider. It is not a field of `Spec`, so that making
        /// payloads does not load the readers.
        fn reader(provider: Provider) -> Result<Reader> {
            let reader = match provider { $(Provider::$name => super::$file::READER,)* };
            reader.ok_or_else(|| {
                Error::bad_request(format!("`{}` has no answers", provider.as_str()))
                    .at(Path::root().key("provider"))
            })
        }
    };
}

super::name::providers! { readers }

fn read_whole(
    provider: Provider,
    reader: Reader,
    body: &Json,
    complete: bool,
    tools: &[Object],
    texts: Texts,
) -> Result<Response> {
    if let Some(error) = body.get("error").filter(|error| error.is_truthy()) {
        let message = error.get("message").and_then(Json::as_str).unwrap_or("no reason given");
        return Err(Error::bad_request(format!("the provider returned an error: {message}"))
            .at(Path::root().key("error")));
    }
    let mut answer = Answer { texts, ..Answer::default() };
    (reader.whole)(body, &mut answer).ok_or_else(|| {
        Error::bad_request(format!("expected an answer of `{}`", provider.as_str()))
    })?;
    let mut defining = Losses::of(provider.as_str());
    let names = tools::define(tools, provider, &mut defining).1;
    let mut losses = Losses::of(provider.as_str());
    for (change, reason) in &answer.lost {
        losses.message(*change, 0, reason.clone());
    }
    if !complete {
        let reason = "the stream ended before the answer was complete";
        losses.message(Change::EmptyDropped, 0, reason);
    }
    let message = message(&answer.pieces, &|call| restored(call, &names, &answer.texts));
    if answer.texts.is_over() {
        return Err(Error::limit(
            "the JSON in strings of the answer has more values than `max_values` allows",
        ));
    }
    let stop = stop(answer.stop_reason.as_deref(), !answer.pieces.is_empty(), &message);
    let card = card(&message, &answer);
    Ok(Response {
        provider,
        id: answer.id,
        model: answer.model,
        message,
        card,
        stop,
        stop_reason: answer.stop_reason,
        complete,
        usage: answer.usage,
        cache_diagnostics: answer.cache_diagnostics,
        losses: losses.finish(&[]),
    })
}

/// Returns a call with the names and the form of arguments that the tool was defined with.
fn restored(call: &CallPart, names: &Names, texts: &Texts) -> CallPart {
    let (given, written) = match &call.arguments {
        Arguments::Text(text) => {
            let text = text.as_str();
            (texts.open(text).unwrap_or_else(|| text.into()), Some(text))
        }
        Arguments::Value(value) => (value.clone(), None),
    };
    let (name, back) = names.restored(&call.name, given.clone());
    let arguments = match written {
        // text that needs no change stays as the model wrote it
        Some(text) if back == given => text.to_owned(),
        Some(_) | None => back.to_string(),
    };
    CallPart { id: call.id.clone(), name, arguments: Arguments::Text(arguments.into()) }
}

type Restored<'a> = dyn Fn(&CallPart) -> CallPart + 'a;

/// Returns the call of a piece, if it is one.
fn call_of(piece: &Piece) -> Option<(&CallPart, &Item)> {
    let Piece::Part(item) = piece else { return None };
    Some((item.part.as_call()?, item))
}

/// Calls are in `tool_calls` if they come last, and in the content otherwise.
fn message(pieces: &[Piece], restored: &Restored<'_>) -> Message {
    let is_call = |piece: &Piece| call_of(piece).is_some();
    let first = pieces.iter().position(is_call).unwrap_or(pieces.len());
    let inline = pieces.iter().skip(first).any(|piece| !is_call(piece));
    let mut content: Vec<Json> = Vec::new();
    let mut calls: Vec<Json> = Vec::new();
    for piece in pieces {
        match (piece, call_of(piece)) {
            (_, Some((call, item))) => {
                let part = Part::ToolCall(restored(call));
                let call = Item { part, metadata: item.metadata.clone() }.to_json();
                if inline { content.push(call) } else { calls.push(listed(call)) }
            }
            (Piece::Part(item), None) => content.push(item.to_json()),
            (Piece::Verbatim(part), None) => content.push(part.clone()),
        }
    }
    let content = match content.as_slice() {
        [] => Content::Null,
        [only] => match plain(only) {
            Some(text) => Content::from(text),
            None => Content::Parts(content),
        },
        _ => Content::Parts(content),
    };
    let tool_calls = Some(calls).filter(|calls| !calls.is_empty());
    Message { tool_calls, ..Message::new(Role::Assistant, content) }
}

/// Returns a call as `tool_calls` has it: name and arguments are under `function`.
fn listed(call: Json) -> Json {
    let Json::Object(mut call) = call else { return call };
    let mut function = Object::default();
    for key in ["name", "arguments"] {
        function.extend(call.remove(key).map(|value| (key.to_owned(), value)));
    }
    let mut out = Object::default();
    out.extend(call.remove("id").map(|id| ("id".to_owned(), id)));
    out.insert("type".into(), "function".into());
    out.insert("function".into(), Json::Object(function));
    call.remove("type");
    out.extend(call);
    Json::Object(out)
}

/// Returns the text of a part that has only text.
fn plain(part: &Json) -> Option<&str> {
    let object = part.as_object().filter(|object| object.len() == 2)?;
    let kind = object.get("type").and_then(Json::as_str);
    object.get("text").filter(|_| kind == Some("text"))?.as_str()
}

fn stop(reason: Option<&str>, answered: bool, message: &Message) -> Stop {
    match reason.unwrap_or_default().to_ascii_lowercase().as_str() {
        "tool_use" | "tool_calls" | "function_call" | "tool-calls" => Stop::ToolCalls,
        "max_tokens" | "length" | "max_output_tokens" | "model_context_window_exceeded" => {
            Stop::Length
        }
        "refusal"
        | "content_filter"
        | "content-filter"
        | "safety"
        | "recitation"
        | "prohibited_content"
        | "guardrail_intervened"
        | "content_filtered" => Stop::Refusal,
        "pause_turn" => Stop::Pause,
        "end_turn" | "stop" | "stop_sequence" | "completed" => match &message.tool_calls {
            Some(_) => Stop::ToolCalls,
            None if answered => Stop::End,
            None => Stop::Other,
        },
        _ => Stop::Other,
    }
}

/// A card that renders to the message again: its text, its calls, and the parts where there are
/// more than text.
fn card(message: &Message, answer: &Answer) -> Json {
    let text = |part: &Json| {
        let kind = part.get("type").and_then(Json::as_str);
        let text = part.get("text").and_then(Json::as_str);
        text.filter(|_| kind.is_none_or(|kind| kind == "text")).map(str::to_owned)
    };
    let mut metadata = Object::default();
    metadata.insert("role".into(), "assistant".into());
    let words = match &message.content {
        Content::Absent | Content::Null => String::new(),
        Content::Text(text) => text.as_str().to_owned(),
        Content::Parts(parts) => {
            metadata.insert(MESSAGE_PARTS.into(), Json::Array(parts.clone()));
            parts.iter().filter_map(text).collect()
        }
    };
    if let Some(model) = &answer.model {
        metadata.insert("model".into(), model.as_str().into());
    }
    // usage always serializes to JSON
    let usage = crate::value::json::to_json(&answer.usage).unwrap_or_default();
    if usage.is_truthy() {
        metadata.insert("usage".into(), usage);
    }
    let content = Json::from([("__type__", "TextContent"), ("text", words.as_str())]);
    let mut card = Object::default();
    card.insert("content".into(), content);
    card.insert("metadata".into(), Json::Object(metadata));
    if let Some(calls) = &message.tool_calls {
        card.insert("tool_calls".into(), Json::Array(calls.clone()));
    }
    Json::Object(card)
}
