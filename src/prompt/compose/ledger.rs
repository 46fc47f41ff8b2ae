//! The ledger of a prompt: the origin of each message, what was omitted, and why.

use super::layer::Layer;
use crate::Path;
use serde::Serialize;

/// The origin of each message of a prompt, and the values that did not become one.
///
/// Shown by the example of [`compose`](super::compose()).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Ledger {
    /// The origin of each message, in order.
    pub entries: Vec<Entry>,
    /// The values that did not become a message, in the order of reading.
    pub left_out: Vec<LeftOut>,
}

/// The origin of a message.
///
/// Shown by the example of [`compose`](super::compose()).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// The position in the prompt.
    pub position: usize,
    /// The layer.
    pub layer: Layer,
    /// The path of its value in the input.
    pub from: Path,
    /// The id, if it is a remembered message with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// The position in the checkpoint, if it is a remembered message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint_position: Option<usize>,
    /// True for the message with the query.
    pub is_query: bool,
    /// True if white space around the text was removed.
    pub trimmed: bool,
}

/// A value that did not become a message.
///
/// Shown by the example of [`compose`](super::compose()).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeftOut {
    /// The layer.
    pub layer: Layer,
    /// The path of its value in the input.
    pub from: Path,
    /// The id, if it is a remembered message with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// The rule that excluded it.
    pub rule: Rule,
}

/// The reason why a value did not become a message.
///
/// Shown by the example of [`compose`](super::compose()).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Rule {
    /// The text is empty or only white space.
    Blank,
    /// The value is not a string.
    NotText,
    /// `enable_share_context` is off, and the process sees this block only while sharing.
    SharingOff,
    /// Processes of this kind never see the block.
    NotInProcess,
    /// Processes of this kind see no remembered conversation.
    NoCheckpointInProcess,
    /// The state has a block that belongs to one call, such as `framework__context`.
    RuntimeOnly,
    /// Retrieved material, or the live structure of the state, replaced the block of the state.
    Overridden,
}
