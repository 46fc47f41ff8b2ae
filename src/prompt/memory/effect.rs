//! The effect of a change on a message.

use serde::Serialize;

/// The effect on a message or a result.
///
/// Shown by the example of [`reduce`](super::reduce).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The id of the message or of the task.
    pub id: String,
    /// The effect.
    #[serde(flatten)]
    pub effect: Effect,
}

/// The effect on a message.
///
/// Shown by the example of [`reduce`](super::reduce).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effect {
    /// The message is new and was appended.
    Appended {
        /// The position.
        position: usize,
    },
    /// Memory already has the message.
    AlreadyThere {
        /// The position.
        position: usize,
    },
    /// A summary already covers the message.
    AlreadyCovered {
        /// The compaction.
        by: String,
    },
    /// The message repeats the open query in the same words.
    Repeat {
        /// The first message with the query.
        of: String,
    },
    /// The message replaced an earlier version.
    Replaced {
        /// The position.
        position: usize,
    },
    /// The message was removed; a summary covers it.
    Left {
        /// The compaction.
        by: String,
    },
    /// The result was removed, with all others.
    Cleared,
    /// Memory has no messages of this kind, so the copy in the checkpoint was dropped.
    NotRemembered,
}
