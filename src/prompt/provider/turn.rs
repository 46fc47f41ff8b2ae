//! The common ground of all providers: turns of blocks, each block with the message it came from.

use super::part::{CallPart, Item, Part, ResultPart};

/// Who speaks, once every role is one that some provider knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaker {
    System,
    Developer,
    User,
    Assistant,
    Tool,
}

impl Speaker {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }

    pub(crate) const fn is_system(self) -> bool {
        match self {
            Self::System | Self::Developer => true,
            Self::User | Self::Assistant | Self::Tool => false,
        }
    }
}

/// One message on its way to a provider. A tool's turn holds exactly one answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Turn {
    /// The neutral message it began as; nothing for a turn that the legaliser added.
    pub at: Option<usize>,
    pub speaker: Speaker,
    pub name: Option<String>,
    pub blocks: Vec<Block>,
}

/// One piece of a turn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block {
    /// The neutral message it came from; nothing for what the legaliser added.
    pub at: Option<usize>,
    pub item: Item,
}

impl Block {
    pub(crate) fn new(at: Option<usize>, part: Part) -> Self {
        Self { at, item: part.into() }
    }
}

impl Turn {
    pub(crate) fn added(speaker: Speaker, text: &str) -> Self {
        let blocks = vec![Block::new(None, Part::Text(text.into()))];
        Self { at: None, speaker, name: None, blocks }
    }

    pub(crate) fn calls(&self) -> impl Iterator<Item = &CallPart> {
        self.blocks.iter().filter_map(|block| block.item.part.as_call())
    }

    pub(crate) fn answer(&self) -> Option<&ResultPart> {
        self.blocks.iter().find_map(|block| block.item.part.as_result())
    }

    pub(crate) fn answer_mut(&mut self) -> Option<&mut ResultPart> {
        self.blocks.iter_mut().find_map(|block| block.item.part.as_result_mut())
    }
}
