//! The ledger of a prompt: the origin of each message, what was omitted, and why.

use super::layer::Layer;
use crate::Path;
use serde::Serialize;

/// Where every message of a prompt came from, and what did not become one.
///
/// Shown by the example of [`compose`](super::compose()).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Ledger {
    /// One entry a message, in the order of the messages.
    pub entries: Vec<Entry>,
    /// What was given and did not become a message, in the order in which it was met.
    pub left_out: Vec<LeftOut>,
}

/// Where one message came from.
///
/// Shown by the example of [`compose`](super::compose()).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// The message's place in the prompt.
    pub position: usize,
    /// The layer it belongs to.
    pub layer: Layer,
    /// The place of its value in the input.
    pub from: Path,
    /// The id it carries, if it is a remembered message with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// Its place in the checkpoint, if it is a remembered message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint_position: Option<usize>,
    /// True for the one message that holds the query.
    pub is_query: bool,
    /// True when white space around the text was taken off.
    pub trimmed: bool,
}

/// Something that was given and did not become a message.
///
/// Shown by the example of [`compose`](super::compose()).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeftOut {
    /// The layer it belongs to.
    pub layer: Layer,
    /// The place of its value in the input.
    pub from: Path,
    /// The id it carries, if it is a remembered message with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// The rule that kept it out.
    pub rule: Rule,
}

/// Why something did not become a message.
///
/// Shown by the example of [`compose`](super::compose()).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Rule {
    /// The text is empty or nothing but white space.
    Blank,
    /// The value is not text.
    NotText,
    /// `enable_share_context` is off, and the process sees this block only while sharing.
    SharingOff,
    /// The kind of process never sees this block.
    NotInProcess,
    /// The kind of process sees no remembered conversation.
    NoCheckpointInProcess,
    /// The state has a block that belongs to one call, such as `framework__context`.
    RuntimeOnly,
    /// Retrieved material, or the live structure of the state, replaced the block of the state.
    Overridden,
}
