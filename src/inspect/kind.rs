//! The kind of a card, for display.

use crate::value::card::{Card, Content};
use crate::value::json::{Json, trim};
use serde::Serialize;

/// The kind of a card: by its standard type, otherwise by its content.
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
    /// An instruction to the receiver.
    Instruction,
    /// The fields that a result must have.
    Contract,
    /// The reasoning of a model.
    Thought,
    /// A tool call.
    ToolCall,
    /// A tool result.
    ToolResult,
    /// A deliverable of an agent.
    Deliverable,
    /// A profile, a prompt or tool definitions.
    System,
    /// A reference to another agent.
    Pointer,
    /// A file of any type.
    File,
    /// Imported text of a user.
    User,
    /// Imported text of a model.
    Assistant,
    /// Any other card.
    Other,
    /// A card that does not exist.
    Missing,
}

impl CardKind {
    /// Returns the kind of a standard card type.
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

    /// Returns the kind of a card: by its type, otherwise by its content. Imported text has the kind
    /// of its part of the message.
    pub fn of(card: &Card) -> Self {
        let card_type = card.card_type().unwrap_or_default();
        if let Some(kind) = Self::of_type(card_type) {
            return kind;
        }
        match &card.content {
            Content::Fields(_) => Self::Contract,
            Content::File(_) | Content::Files(_) => Self::File,
            Content::Tools(_) => Self::System,
            Content::ToolCall(_) => Self::ToolCall,
            Content::ToolResult(_) => Self::ToolResult,
            Content::Text(_) | Content::Json(_) => match card_type {
                "import.result" => Self::ToolResult,
                "import.system" => Self::System,
                "import.media" => Self::File,
                "import.message" => Self::of_message(card),
                _ => Self::Other,
            },
        }
    }

    /// Returns the kind of the card of an imported message.
    fn of_message(card: &Card) -> Self {
        if card.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty()) {
            return Self::ToolCall;
        }
        let has_text = !trim(&card.content.shown_text()).is_empty();
        match card.metadata.get("role").and_then(Json::as_str) {
            Some("system") => Self::System,
            Some("user") => Self::User,
            Some("assistant") if has_text => Self::Assistant,
            Some("assistant") => Self::Thought,
            Some("tool") => Self::ToolResult,
            Some(_) | None => Self::Other,
        }
    }
}
