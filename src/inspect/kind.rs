//! What a card is, in one word that a picture can colour.

use crate::value::card::{Card, Content};
use serde::Serialize;

/// The kind of a card: its standard type, or what its content makes of it.
///
/// ```
/// use tuckbox::inspect::CardKind;
///
/// assert_eq!(CardKind::of_type("task.instruction"), Some(CardKind::Instruction));
/// assert_eq!(CardKind::of_type("my.own"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CardKind {
    /// What the receiver is told to do.
    Instruction,
    /// What a result must hold.
    Contract,
    /// What a model thought.
    Thought,
    /// A call of a tool.
    ToolCall,
    /// What a tool answered.
    ToolResult,
    /// What an agent delivered.
    Deliverable,
    /// Profiles, prompts and tool definitions.
    System,
    /// A pointer to another agent.
    Pointer,
    /// A file, whatever its type is called.
    File,
    /// Anything else.
    Other,
    /// A card that is not there.
    Missing,
}

impl CardKind {
    /// The kind of a standard card type.
    pub fn of_type(card_type: &str) -> Option<Self> {
        match card_type {
            "task.instruction" => Some(Self::Instruction),
            "task.result_fields" => Some(Self::Contract),
            "task.deliverable" => Some(Self::Deliverable),
            "agent.thought" => Some(Self::Thought),
            "tool.call" => Some(Self::ToolCall),
            "tool.result" => Some(Self::ToolResult),
            "sys.profile" | "sys.rendered_prompt" | "sys.tools" => Some(Self::System),
            "meta.parent_pointer" => Some(Self::Pointer),
            _ => None,
        }
    }

    /// The kind of a card: by its type, else by its content.
    pub fn of(card: &Card) -> Self {
        card.card_type().and_then(Self::of_type).unwrap_or(match &card.content {
            Content::Fields(_) => Self::Contract,
            Content::File(_) | Content::Files(_) => Self::File,
            Content::Tools(_) => Self::System,
            Content::ToolCall(_) => Self::ToolCall,
            Content::ToolResult(_) => Self::ToolResult,
            Content::Text(_) | Content::Json(_) => Self::Other,
        })
    }
}
