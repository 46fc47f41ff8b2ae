//! The parts of messages as entries of an answer.

use super::excerpt::{chunks, excerpt, short};
use crate::import::model::{Message, Part, Session};
use crate::import::sums::part_tokens;
use crate::prompt::provider::Provider;
use crate::value::json::Json;
use crate::value::str_map::StrMap;
use serde::Serialize;
use std::borrow::Cow;

/// A part of a message.
///
/// Shown by the example of [`ExplainRequest`](super::ExplainRequest).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MessageRow {
    /// The position of the message in the request, from 0.
    pub message: usize,
    /// The role.
    pub role: &'static str,
    /// The kind: `text`, `thinking`, `tool_call`, `tool_result`, `summary`, `image`, `file`, `other`.
    pub kind: &'static str,
    /// The tool of a call or a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// True for the result of a tool that failed.
    #[serde(skip_serializing_if = "is_false")]
    pub failed: bool,
    /// The tokens, estimated.
    pub tokens: u64,
    /// An excerpt, as the log has it.
    pub text: String,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// A part with its place, its kind and its cost.
#[derive(Clone, Debug)]
pub(super) struct PartOf<'a> {
    pub message: usize,
    pub source: &'a Message,
    pub part: &'a Part,
    pub kind: &'static str,
    pub tool: Option<String>,
    pub tokens: u64,
}

impl PartOf<'_> {
    /// Returns the entry of the part.
    pub fn row(&self) -> MessageRow {
        MessageRow { text: excerpt(&text(self.part)), ..self.bare() }
    }

    /// Returns entries with the whole text of the part.
    pub fn whole(&self) -> Vec<MessageRow> {
        let rows = chunks(&text(self.part)).into_iter();
        rows.map(|text| MessageRow { text, ..self.bare() }).collect()
    }

    fn bare(&self) -> MessageRow {
        MessageRow {
            message: self.message,
            role: self.source.role.as_str(),
            kind: self.kind,
            tool: self.tool.as_deref().map(short),
            failed: matches!(self.part, Part::Result { is_error: true, .. }),
            tokens: self.tokens,
            text: String::new(),
        }
    }
}

/// Returns all parts of the messages up to `tail`, in order.
pub(super) fn parts_of(session: &Session, tail: Option<usize>) -> Vec<PartOf<'_>> {
    let provider = session.requests.iter().find_map(|request| Provider::named(request.api?));
    let mut names: StrMap<&str> = StrMap::default();
    let mut parts = Vec::new();
    for (message, at) in session.path(tail).into_iter().enumerate() {
        let Some(source) = session.message(at) else { continue };
        let is_summary = session.covered(at).is_some();
        for part in &source.parts {
            let tool = match part {
                Part::Call { id, name, .. } => {
                    if let Some(id) = id {
                        names.insert(id.as_str(), name.as_str());
                    }
                    Some(name.clone())
                }
                Part::Result { id: Some(id), .. } => {
                    names.get(id.as_str()).map(|name| (*name).to_owned())
                }
                _ => None,
            };
            let kind = if is_summary { "summary" } else { kind(part) };
            let tokens = part_tokens(part, provider);
            parts.push(PartOf { message, source, part, kind, tool, tokens });
        }
    }
    parts
}

const fn kind(part: &Part) -> &'static str {
    match part {
        Part::Text(_) => "text",
        Part::Reasoning { .. } => "thinking",
        Part::Call { .. } => "tool_call",
        Part::Result { .. } => "tool_result",
        Part::Image(_) => "image",
        Part::File(_) => "file",
        Part::Unknown(_) => "other",
    }
}

fn text(part: &Part) -> Cow<'_, str> {
    match part {
        Part::Text(text) | Part::Reasoning { text, .. } => Cow::Borrowed(text),
        Part::Call { arguments: value, .. }
        | Part::Result { content: value, .. }
        | Part::Unknown(value) => match value {
            Json::String(text) => Cow::Borrowed(text),
            // with spaces, so that an excerpt can end between values
            other => Cow::Owned(other.spaced()),
        },
        Part::Image(_) | Part::File(_) => Cow::Borrowed(""),
    }
}
