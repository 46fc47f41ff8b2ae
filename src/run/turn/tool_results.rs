//! The cards of a tool's result. A result that is too large for its card is stored on cards of its
//! own. The model sees an excerpt and the ids of these cards.

use crate::run::transaction::{Run, Transaction};
use crate::run::values::object;
use crate::value::arguments::arguments;
use crate::value::card::{Content, NewCard, ToolResult};
use crate::value::json::{Json, ParseLimits};
use crate::value::limits::Limits;
use crate::{CardId, Error, Result};
use std::borrow::Cow;

/// The maximum size of a result on its own card, in bytes of JSON. A card holds 1 MiB by default.
pub(crate) const MAX_RESULT_BYTES: usize = 256 << 10;
/// The maximum size of the results that one commit stores, in bytes of JSON.
pub(crate) const MAX_STORED_BYTES: usize = 32 << 20;
/// The length of an excerpt, in characters.
const EXCERPT_LENGTH: usize = 4_000;
/// The length of a part of a large result, in characters. A character has at most 6 bytes in JSON.
const PART_LENGTH: usize = MAX_RESULT_BYTES / 6;

arguments! {
    /// The result of a tool. Above 256 KiB of JSON it is stored as text on cards of the type
    /// `tool.file`, at most 32 MiB. The model then sees an excerpt of 4,000 characters and the ids
    /// of these cards.
    ///
    /// The example of [`AnswerToolCall`](crate::run::AnswerToolCall) shows it.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct ToolOutput {
        /// The result; `null` by default.
        pub result: Option<Json>,
        /// The result as JSON text, instead of `result`. It can have any number of values.
        pub result_text: Option<String>,
    }
}

/// The call that a result answers.
pub(crate) struct AnsweredCall<'a> {
    pub agent_turn_id: &'a str,
    pub step_id: &'a str,
    pub tool_call_id: &'a str,
    pub tool_name: &'a str,
}

/// Returns the id of the card with the result of a call.
pub(crate) fn result_id(tool_call_id: &str) -> String {
    format!("result_{tool_call_id}")
}

/// Makes the card of a result, and the cards of its text if it is too large. Only the first result
/// of a call counts: if its card exists, nothing is made.
pub(crate) fn put_result(
    tx: &mut Transaction<'_>,
    call: &AnsweredCall<'_>,
    answer: ToolResult,
    output: &ToolOutput,
) -> Run<()> {
    let card_id = result_id(call.tool_call_id);
    if tx.has_card(&card_id)? {
        return Ok(());
    }
    let author_id = format!("tool.{}", call.tool_name);
    let metadata = object! {
        "role" => "tool",
        "step_id" => call.step_id,
        "agent_turn_id" => call.agent_turn_id,
        "tool_call_id" => call.tool_call_id,
        "function_name" => call.tool_name,
    };
    let mut cards = Vec::new();
    let result = match output.shown()? {
        Shown::Whole(result) => result,
        Shown::Excerpt { text, bytes } => {
            let parts = parts_of(&text);
            for (at, part) in parts.iter().enumerate() {
                let mut metadata = metadata.clone();
                metadata.extend(object! { "part" => at, "parts" => parts.len() });
                let file = NewCard::new("tool.file", &*author_id, Content::text(*part));
                cards.push((tx.new_card_id(), NewCard { metadata, ..file }));
            }
            let card_ids: Vec<&CardId> = cards.iter().map(|(card_id, _)| card_id).collect();
            Json::Object(object! {
                "excerpt" => split(&text, EXCERPT_LENGTH).0,
                "is_excerpt" => true,
                "bytes" => bytes,
                "card_ids" => card_ids,
            })
        }
    };
    let content = Content::ToolResult(ToolResult { result, ..answer });
    let card = NewCard {
        metadata,
        tool_call_id: Some(call.tool_call_id.to_owned()),
        ..NewCard::new("tool.result", author_id, content)
    };
    cards.push((card_id.into(), card));
    tx.make_cards(cards)
}

/// A result as its card shows it.
enum Shown {
    Whole(Json),
    /// The text of a large result, and its size as JSON.
    Excerpt {
        text: String,
        bytes: usize,
    },
}

impl ToolOutput {
    /// Returns the JSON text of the result.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        match (&self.result_text, &self.result) {
            (Some(text), _) => Cow::Borrowed(text),
            (None, Some(result)) => Cow::Owned(result.to_string()),
            (None, None) => Cow::Borrowed("null"),
        }
    }

    fn shown(&self) -> Result<Shown> {
        let text = self.text();
        let bytes = text.len();
        if bytes > MAX_STORED_BYTES {
            let message = format!(
                "the result of the tool has {bytes} bytes; at most {MAX_STORED_BYTES} are stored"
            );
            return Err(Error::limit(message).under(self.key()));
        }
        if bytes > MAX_RESULT_BYTES {
            // a string is stored without its quotes and escapes, any other text verbatim
            let text = match text.starts_with('"').then(|| self.json(&text)).transpose()? {
                Some(Json::String(text)) => text,
                Some(_) | None => text.into_owned(),
            };
            return Ok(Shown::Excerpt { text, bytes });
        }
        self.json(&text).map(Shown::Whole)
    }

    /// Returns the result, which is read from `text` if the call has only its text.
    fn json(&self, text: &str) -> Result<Json> {
        if self.result_text.is_none() {
            return Ok(self.result.clone().unwrap_or_default());
        }
        // the card checks the depth again, with the limit of the project
        let limits = ParseLimits { max_depth: Limits::MAX_DEPTH, ..ParseLimits::default() };
        Json::parse_bytes(text.as_bytes(), &limits).map_err(|error| error.under(self.key()))
    }

    /// Returns the argument that has the result.
    pub(crate) const fn key(&self) -> &'static str {
        if self.result_text.is_some() { "result_text" } else { "result" }
    }
}

/// Splits a text after `length` characters.
fn split(text: &str, length: usize) -> (&str, &str) {
    let end = text.char_indices().nth(length).map_or(text.len(), |(at, _)| at);
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// Returns the parts of a large result, each short enough for a card.
fn parts_of(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (part, after) = split(rest, PART_LENGTH);
        parts.push(part);
        rest = after;
    }
    parts
}
