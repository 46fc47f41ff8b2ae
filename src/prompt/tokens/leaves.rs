//! The strings of a payload in the order in which a model reads them, each with its owner.

use super::{Counter, TokenCount};
use crate::prompt::provider::part::{Arguments, MediaKind, Part};
use crate::prompt::provider::turn::Turn;
use crate::prompt::provider::{Payload, Provider};
use crate::value::message::SharedText;
use std::borrow::Cow;
use std::ops::Deref;

/// One text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Leaf<'a> {
    pub owner: Owner,
    /// The turn that has it. `None` for a tool.
    pub turn: Option<usize>,
    pub kind: LeafKind,
    pub text: LeafText<'a>,
}

/// The text itself.
#[derive(Clone, Debug)]
pub(crate) enum LeafText<'a> {
    /// The string of a message.
    Shared(&'a SharedText),
    /// A string that is made for the count, or too short to be kept.
    Other(Cow<'a, str>),
}

impl Deref for LeafText<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Shared(words) => words,
            Self::Other(text) => text,
        }
    }
}

impl PartialEq for LeafText<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Leaf<'_> {
    /// Returns the number of its tokens.
    pub fn token_count(&self, provider: Provider, counter: &dyn Counter) -> TokenCount {
        let known = match (self.kind, &self.text) {
            (LeafKind::Media(kind), _) => Some(provider.media(kind)),
            (_, LeafText::Shared(words)) => counter.recall(words),
            (_, LeafText::Other(_)) => None,
        };
        known.unwrap_or_else(|| counter.token_count(&self.text))
    }
}

/// The owner of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A tool definition.
    Tool(usize),
    /// A neutral message.
    Message(usize),
    /// The legaliser.
    Added,
}

/// The kind of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeafKind {
    /// A whole tool definition as JSON.
    Tool,
    /// A speaker's name.
    Name,
    /// SharedText.
    Text,
    /// The name of a called tool.
    Call,
    /// The arguments of a call.
    Arguments,
    /// The result of a tool.
    Answer,
    /// The reasoning of an assistant.
    Reasoning,
    /// A part that only one provider has, as JSON.
    Own,
    /// A file; its text is a placeholder and is not counted.
    Media(MediaKind),
}

/// Returns the strings of a payload: tools first, then the turns.
pub(crate) fn leaves(payload: &Payload) -> Vec<Leaf<'_>> {
    let mut leaves = Vec::new();
    for (index, tool) in payload.tools().iter().enumerate() {
        let text = LeafText::Other(Cow::Owned(payload.written_tool(tool).to_string()));
        leaves.push(Leaf { owner: Owner::Tool(index), turn: None, kind: LeafKind::Tool, text });
    }
    turn_leaves(payload.turns(), &mut |leaf| leaves.push(leaf));
    leaves
}

/// Returns the strings of turns in order.
pub(crate) fn turn_leaves<'a>(turns: &'a [Turn], each: &mut dyn FnMut(Leaf<'a>)) {
    for (index, turn) in turns.iter().enumerate() {
        let mut push = |at: Option<usize>, kind, text| {
            let owner = at.map_or(Owner::Added, Owner::Message);
            each(Leaf { owner, turn: Some(index), kind, text });
        };
        if let Some(name) = &turn.name {
            push(turn.at, LeafKind::Name, LeafText::Other(Cow::Borrowed(name)));
        }
        for block in &turn.blocks {
            match &block.item.part {
                Part::ToolCall(call) => {
                    let arguments = match &call.arguments {
                        Arguments::Text(text) => LeafText::Shared(text),
                        Arguments::Value(value) => LeafText::Other(Cow::Owned(value.to_string())),
                    };
                    push(block.at, LeafKind::Call, LeafText::Other(Cow::Borrowed(&call.name)));
                    push(block.at, LeafKind::Arguments, arguments);
                }
                Part::ToolResult(answer) => {
                    for part in &answer.parts {
                        if let Some((kind, text)) = plain(part, LeafKind::Answer) {
                            push(block.at, kind, text);
                        }
                    }
                }
                Part::Text(_)
                | Part::Media(_)
                | Part::Reasoning(_)
                | Part::Refusal(_)
                | Part::Own(_) => {
                    if let Some((kind, text)) = plain(&block.item.part, LeafKind::Text) {
                        push(block.at, kind, text);
                    }
                }
            }
        }
    }
}

fn plain(part: &Part, kind: LeafKind) -> Option<(LeafKind, LeafText<'_>)> {
    match part {
        Part::Text(text) | Part::Refusal(text) => Some((kind, LeafText::Shared(text))),
        Part::Reasoning(thought) => Some((LeafKind::Reasoning, LeafText::Shared(&thought.text))),
        Part::Own(own) => {
            let text = LeafText::Other(Cow::Owned(own.value.to_string()));
            Some((LeafKind::Own, text))
        }
        Part::Media(media) => {
            let line = LeafText::Other(Cow::Owned(media.line()));
            Some((LeafKind::Media(media.kind()), line))
        }
        Part::ToolCall(_) | Part::ToolResult(_) => None,
    }
}
