//! An answer while it is read, and functions that all readers use.

use super::super::Change;
use super::super::part::{Arguments, CallPart, Item, Part};
use super::Delta;
use crate::Result;
use crate::value::json::{Field, Json, Object, is_too_many, parse_without};
use serde::Serialize;
use std::cell::Cell;
use std::rc::Rc;

/// The functions that read a provider's answers.
#[derive(Clone, Copy)]
pub(crate) struct Reader {
    /// Reads a whole answer. Returns nothing if it is not one of this provider.
    pub whole: fn(&Json, &mut Answer) -> Option<()>,
    /// Joins events to a whole answer.
    pub join: fn(&[Field<'_>], &Texts) -> Result<Joined>,
    /// Adds the content of an event to the answer.
    pub deltas: fn(&Json, &mut Vec<Delta>),
}

/// A limit for JSON in strings of an answer: the number of values that are left, shared by all copies.
#[derive(Clone)]
pub(crate) struct Texts {
    left: Rc<Cell<usize>>,
    /// A string had more.
    is_over: Rc<Cell<bool>>,
}

impl Default for Texts {
    /// Any number.
    fn default() -> Self {
        Self::of(usize::MAX)
    }
}

impl Texts {
    /// So many values.
    pub fn of(values: usize) -> Self {
        Self { left: Rc::new(Cell::new(values)), is_over: Rc::default() }
    }

    /// True if a string had too many values.
    pub fn is_over(&self) -> bool {
        self.is_over.get()
    }

    /// Parses a string, if it is JSON.
    pub fn open(&self, text: &str) -> Option<Json> {
        let (value, left) = self.read(text);
        self.left.set(left);
        value
    }

    /// Returns true for a string that is JSON. Its values are not counted.
    pub fn is_json(&self, text: &str) -> bool {
        self.read(text).0.is_some()
    }

    fn read(&self, text: &str) -> (Option<Json>, usize) {
        let mut left = self.left.get();
        let value = parse_without(text, &[], &mut String::new(), &mut left);
        if value.as_ref().is_err_and(is_too_many) {
            self.is_over.set(true);
        }
        (value.ok(), left)
    }
}

/// Joined events.
pub(crate) struct Joined {
    pub whole: Json,
    /// False if the stream ended early.
    pub complete: bool,
}

/// An answer while it is read.
#[derive(Default)]
pub(crate) struct Answer {
    pub id: Option<String>,
    pub model: Option<String>,
    pub pieces: Vec<Piece>,
    pub stop_reason: Option<String>,
    pub usage: Usage,
    /// The report of the provider about its cache.
    pub cache_diagnostics: Option<Json>,
    pub texts: Texts,
    /// The changes, each with its reason.
    pub lost: Vec<(Change, String)>,
}

/// A piece of an answer.
pub(crate) enum Piece {
    /// A part that every provider has, with its metadata. A call has the name of the tool in the
    /// payload.
    Part(Item),
    /// A part in the form of the provider, which is sent back verbatim.
    Verbatim(Json),
}

impl Answer {
    /// Adds text that is not empty.
    pub fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.part(Part::Text(text.into()));
        }
    }

    /// A part.
    pub fn part(&mut self, part: impl Into<Item>) {
        self.pieces.push(Piece::Part(part.into()));
    }

    /// Adds a part in the form of the provider.
    pub fn verbatim(&mut self, part: &Json) {
        self.pieces.push(Piece::Verbatim(part.clone()));
    }

    /// Records a call that cannot be read.
    pub fn broken_call(&mut self, name: &str) {
        let reason = format!("the call of `{name}` is truncated and cannot be run");
        self.lost.push((Change::MalformedCall, reason));
    }
}

/// Returns a call with the arguments of the provider.
pub(super) fn call(id: Option<String>, name: String, arguments: &Json) -> Item {
    let arguments = match arguments {
        Json::String(text) => Arguments::Text(text.as_str().into()),
        value => Arguments::Value(value.clone()),
    };
    Item::from(Part::ToolCall(CallPart { id: id.unwrap_or_default(), name, arguments }))
}

/// Returns a call with the signature of Gemini.
pub(super) fn signed(mut call: Item, signature: Option<String>) -> Item {
    if signature.is_some() {
        call.metadata_mut().signature = signature;
    }
    call
}

/// The usage of an answer, as far as the provider reports it.
///
/// Shown by the example of [`read_response`](super::read_response).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Tokens of the request, including those from the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens of the answer, including thinking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Tokens that were read from the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read_tokens: Option<u64>,
    /// Tokens that were written to the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write_tokens: Option<u64>,
    /// Tokens that were written for 5 minutes, if the provider reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write_5m_tokens: Option<u64>,
    /// Tokens that were written for 1 hour, if the provider reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write_1h_tokens: Option<u64>,
    /// Tokens of thinking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
}

/// Returns the number of tokens under one of the keys.
pub(super) fn tokens(usage: Option<&Json>, path: &[&str]) -> Option<u64> {
    let mut at = usage?;
    for key in path {
        at = at.get(key)?;
    }
    at.as_number()?.as_u64()
}

/// Returns the value under a key of a body, unless it is `null`.
pub(super) fn reported(body: &Json, key: &str) -> Option<Json> {
    body.get(key).filter(|value| !value.is_null()).cloned()
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
