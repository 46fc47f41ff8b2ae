//! The texts of a payload in the order in which a model reads them, each with its owner.

use crate::provider::Payload;
use crate::provider::turn::{Body, MediaKind};
use std::borrow::Cow;

/// One text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Leaf<'a> {
    pub owner: Owner,
    /// The turn it stands in; nothing for a tool.
    pub turn: Option<usize>,
    pub kind: LeafKind,
    pub text: Cow<'a, str>,
}

/// Who brought a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A tool definition.
    Tool(usize),
    /// A neutral message.
    Message(usize),
    /// The legaliser.
    Added,
}

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeafKind {
    /// A whole tool definition as JSON.
    Tool,
    /// A speaker's name.
    Name,
    /// Words.
    Text,
    /// The name of a called tool.
    Call,
    /// What it is called with.
    Arguments,
    /// What a tool answered.
    Answer,
    /// The reasoning of an assistant.
    Reasoning,
    /// A file; the text stands for it and is not counted.
    Media(MediaKind),
}

/// Every text of a payload: tools first, then the turns.
pub(crate) fn leaves(payload: &Payload) -> Vec<Leaf<'_>> {
    let mut leaves = Vec::new();
    for (index, tool) in payload.tools().iter().enumerate() {
        let text = Cow::Owned(payload.written_tool(tool).to_string());
        leaves.push(Leaf { owner: Owner::Tool(index), turn: None, kind: LeafKind::Tool, text });
    }
    for (index, turn) in payload.turns().iter().enumerate() {
        let mut push = |at: Option<usize>, kind, text| {
            let owner = at.map_or(Owner::Added, Owner::Message);
            leaves.push(Leaf { owner, turn: Some(index), kind, text });
        };
        if let Some(name) = &turn.name {
            push(turn.at, LeafKind::Name, Cow::Borrowed(name.as_str()));
        }
        for block in &turn.blocks {
            match &block.body {
                Body::Call(call) => {
                    push(block.at, LeafKind::Call, Cow::Borrowed(call.name.as_str()));
                    push(block.at, LeafKind::Arguments, Cow::Owned(call.arguments.text()));
                }
                Body::Answer(answer) => {
                    for body in &answer.blocks {
                        if let Some((kind, text)) = plain(body, LeafKind::Answer) {
                            push(block.at, kind, text);
                        }
                    }
                }
                Body::Text(_) | Body::Media(_) | Body::Reasoning(_) => {
                    if let Some((kind, text)) = plain(&block.body, LeafKind::Text) {
                        push(block.at, kind, text);
                    }
                }
            }
        }
    }
    leaves
}

fn plain(body: &Body, kind: LeafKind) -> Option<(LeafKind, Cow<'_, str>)> {
    match body {
        Body::Text(text) => Some((kind, Cow::Borrowed(text))),
        Body::Reasoning(text) => Some((LeafKind::Reasoning, Cow::Borrowed(text))),
        Body::Media(media) => Some((LeafKind::Media(media.kind()), Cow::Owned(media.line()))),
        Body::Call(_) | Body::Answer(_) => None,
    }
}
