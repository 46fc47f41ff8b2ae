//! An answer while it is read, and what every reader does with its parts.

use super::super::Change;
use crate::Result;
use crate::value::json::{Field, Json, Object};
use serde::Serialize;

/// How a provider's answers are read.
#[derive(Clone, Copy)]
pub(crate) struct Reader {
    /// Reads a whole answer; nothing where it is not one of this provider.
    pub whole: fn(&Json, &mut Answer) -> Option<()>,
    /// Puts events together to a whole answer.
    pub join: fn(&[Field<'_>]) -> Result<Joined>,
}

/// Events put together.
pub(crate) struct Joined {
    pub whole: Json,
    /// False when the stream was cut.
    pub complete: bool,
}

/// An answer while it is read.
#[derive(Default)]
pub(crate) struct Answer {
    pub id: Option<String>,
    pub model: Option<String>,
    pub parts: Vec<Part>,
    pub stop_reason: Option<String>,
    pub usage: Usage,
    /// What could not be read, in words.
    pub lost: Vec<(Change, String)>,
}

/// A part of an answer.
pub(crate) enum Part {
    /// As the content of a neutral message holds it.
    Said(Json),
    /// A call: its id, the name that the payload gave the tool, the arguments, and what has to go
    /// back with it: a key and its value.
    Call { id: String, name: String, arguments: Json, beside: Option<(&'static str, Json)> },
}

impl Answer {
    /// Text, unless there is none.
    pub fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.parts.push(Part::Said(Json::from([("type", "text"), ("text", text)])));
        }
    }

    /// A part as it stood.
    pub fn part(&mut self, part: &Json) {
        self.parts.push(Part::Said(part.clone()));
    }

    /// Takes note of a call that cannot be read.
    pub fn broken_call(&mut self, name: &str) {
        let reason = format!("the call of `{name}` was cut and cannot be made");
        self.lost.push((Change::MalformedCall, reason));
    }
}

/// Gemini's signature of a call, as the neutral form has it.
pub(super) fn signed(signature: Option<String>) -> Option<(&'static str, Json)> {
    Some(("thoughtSignature", Json::from(signature?)))
}

/// What an answer cost, as far as the provider says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Tokens of the request, those from the cache among them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens of the answer, thinking among them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Tokens that came from the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read_tokens: Option<u64>,
    /// Tokens that went into the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write_tokens: Option<u64>,
    /// Tokens that the model thought.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
}

/// A number of tokens under one of these keys.
pub(super) fn tokens(usage: Option<&Json>, path: &[&str]) -> Option<u64> {
    let mut at = usage?;
    for key in path {
        at = at.get(key)?;
    }
    at.as_number()?.as_u64()
}

/// Text under a key.
pub(super) fn owned(of: &Json, key: &str) -> Option<String> {
    of.get(key).and_then(Json::as_str).map(str::to_owned)
}

/// Adds text to the text under a key.
pub(super) fn append(to: &mut Object, key: &str, more: &str) {
    match to.get_mut(key) {
        Some(Json::String(text)) => text.push_str(more),
        Some(_) | None => drop(to.insert(key.to_owned(), more.into())),
    }
}
