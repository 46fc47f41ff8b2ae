//! The common form of all providers: turns of blocks, each with the message that it is from.

use super::part::{CallPart, Item, Part, ResultPart};

/// The speaker of a turn.
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

/// A message during conversion. The turn of a tool has exactly one result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Turn {
    /// The neutral message; `None` for an added turn.
    pub at: Option<usize>,
    pub speaker: Speaker,
    pub name: Option<String>,
    pub blocks: Vec<Block>,
}

/// A block of a turn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block {
    /// The neutral message; `None` for an added block.
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
