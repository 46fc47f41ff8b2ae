//! And back in: a model's answer, whole or as events, becomes a neutral message and a card.
//!
//! **What a provider answered, read and sent again, is the same.** Calls come back under the names
//! and with the arguments of the tools as they were defined; thinking keeps its signatures; parts
//! that only the provider knows are kept as they stood.

mod answer;
mod anthropic;
mod bedrock;
mod chat;
mod gemini;
mod responses;
mod rule;
mod sdk;
#[cfg(test)]
mod tests;

pub use answer::Usage;
pub use rule::ReadResponse;

use super::loss::Losses;
use super::{Change, Loss, Provider, tools};
use crate::render::MESSAGE_PARTS;
use crate::value::json::{Field, Json, Object};
use crate::value::message::{Content, Message, Role};
use crate::{Error, Path, Result};
use answer::{Answer, Part, Reader};
use serde::Serialize;

/// Why a model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stop {
    /// It was done.
    End,
    /// It made calls.
    ToolCalls,
    /// The answer was as long as it may be.
    Length,
    /// It declined, or a filter did.
    Refusal,
    /// It wants to go on.
    Pause,
    /// Something else, or nobody said.
    Other,
}

/// A model's answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Response {
    /// Who answered.
    pub provider: Provider,
    /// The provider's id of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The model that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The answer as a neutral message.
    pub message: Message,
    /// The answer as a card: what `put_cards` takes.
    pub card: Json,
    /// Why the model stopped.
    pub stop: Stop,
    /// The provider's own word for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// False when a stream was cut before its end.
    pub complete: bool,
    /// What the answer cost.
    pub usage: Usage,
    /// What could not be kept.
    pub losses: Vec<Loss>,
}

/// Reads a provider's answer. `tools` are those of the prompt that was answered.
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
/// `bad_request` when it is an error of the provider, or no answer of it.
pub fn read_response(provider: Provider, body: &Json, tools: &[Object]) -> Result<Response> {
    let reader = reader(provider)?;
    let at = Path::root().key("response");
    read_whole(provider, reader, body, true, tools).map_err(|error| error.within(&at))
}

/// As [`read_response`], from the events of a stream in the order they came.
///
/// # Errors
/// As there, and when events come in an order that no stream has.
pub fn read_events(provider: Provider, events: &[Json], tools: &[Object]) -> Result<Response> {
    let reader = reader(provider)?;
    let at = Path::root().key("events");
    let list = Json::Array(events.to_vec());
    let fields = Field::root(&list).list()?;
    let joined = (reader.join)(&fields).map_err(|error| error.within(&at))?;
    read_whole(provider, reader, &joined.whole, joined.complete, tools)
        .map_err(|error| error.within(&at))
}

/// How the answers of a provider are read. This is no field of its `Spec`: whoever only makes
/// payloads does not load what reads answers.
fn reader(provider: Provider) -> Result<Reader> {
    Ok(match provider {
        Provider::Neutral => {
            return Err(Error::bad_request(format!("`{}` gives no answers", provider.as_str()))
                .at(Path::root().key("provider")));
        }
        Provider::OpenaiChat | Provider::Mistral | Provider::OpenaiCompatible => chat::READER,
        Provider::OpenaiResponses => responses::READER,
        Provider::Anthropic => anthropic::READER,
        Provider::Gemini => gemini::READER,
        Provider::Bedrock => bedrock::READER,
        Provider::AiSdk => sdk::READER,
    })
}

fn read_whole(
    provider: Provider,
    reader: Reader,
    body: &Json,
    complete: bool,
    tools: &[Object],
) -> Result<Response> {
    if let Some(error) = body.get("error").filter(|error| error.is_truthy()) {
        let said = error.get("message").and_then(Json::as_str).unwrap_or("it does not say why");
        return Err(Error::bad_request(format!("the provider answered with an error: {said}"))
            .at(Path::root().key("error")));
    }
    let mut answer = Answer::default();
    (reader.whole)(body, &mut answer).ok_or_else(|| {
        Error::bad_request(format!("this is no answer of `{}`", provider.as_str()))
    })?;
    let mut defining = Losses::of(provider.as_str());
    let names = tools::define(tools, provider, &mut defining).1;
    let mut losses = Losses::of(provider.as_str());
    for (change, reason) in &answer.lost {
        losses.message(*change, 0, reason.clone());
    }
    if !complete {
        let reason = "the stream ended before the answer did";
        losses.message(Change::EmptyDropped, 0, reason);
    }
    let restored = |name: &str, arguments: &Json| {
        let parsed = arguments.as_str().and_then(|text| Json::parse(text).ok());
        let given = parsed.unwrap_or_else(|| arguments.clone());
        let (name, back) = names.restored(name, given.clone());
        let text = match arguments.as_str() {
            // text that needs no change stays as the model wrote it
            Some(text) if back == given => text.to_owned(),
            Some(_) | None => back.to_string(),
        };
        (name, text)
    };
    let message = message(&answer.parts, &restored);
    let stop = stop(answer.stop_reason.as_deref(), !answer.parts.is_empty(), &message);
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
        losses: losses.finish(&[]),
    })
}

type Restored<'a> = dyn Fn(&str, &Json) -> (String, String) + 'a;

/// Calls stand in `tool_calls` where they come last, and in their places where they do not.
fn message(parts: &[Part], restored: &Restored<'_>) -> Message {
    let is_call = |part: &Part| matches!(part, Part::Call { .. });
    let first = parts.iter().position(is_call).unwrap_or(parts.len());
    let inline = parts.iter().skip(first).any(|part| !is_call(part));
    let mut content: Vec<Json> = Vec::new();
    let mut calls: Vec<Json> = Vec::new();
    for part in parts {
        let (id, name, arguments, beside) = match part {
            Part::Said(part) => {
                content.push(part.clone());
                continue;
            }
            Part::Call { id, name, arguments, beside } => (id, name, arguments, beside),
        };
        let (name, arguments) = restored(name, arguments);
        let mut call = Object::default();
        if inline {
            call.insert("type".into(), "tool_call".into());
            call.insert("id".into(), id.as_str().into());
            call.insert("name".into(), name.into());
            call.insert("arguments".into(), arguments.into());
        } else {
            call.insert("id".into(), id.as_str().into());
            call.insert("type".into(), "function".into());
            let function = [("name", Json::from(name)), ("arguments", Json::from(arguments))];
            call.insert("function".into(), Json::from(function));
        }
        if let Some((key, value)) = beside {
            call.insert((*key).to_owned(), value.clone());
        }
        if inline { content.push(Json::Object(call)) } else { calls.push(Json::Object(call)) }
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

/// The text of a part that is nothing but text.
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
        let said = part.get("text").and_then(Json::as_str);
        said.filter(|_| kind.is_none_or(|kind| kind == "text")).map(str::to_owned)
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
    // usage serialises to JSON whatever it holds
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
