//! What became of a message.

use serde::Serialize;

/// What became of one message or result.
///
/// Shown by the example of [`reduce`](super::reduce).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The message's id, or the task's.
    pub id: String,
    /// What became of it.
    #[serde(flatten)]
    pub effect: Effect,
}

/// What became of a message.
///
/// Shown by the example of [`reduce`](super::reduce).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effect {
    /// It is new and was appended.
    Appended {
        /// The position.
        position: usize,
    },
    /// It exists already.
    AlreadyThere {
        /// The position.
        position: usize,
    },
    /// It left before; a summary covers it.
    AlreadyCovered {
        /// The compaction.
        by: String,
    },
    /// It asks the open query once more in the same words.
    Repeat {
        /// The message that asked first.
        of: String,
    },
    /// It took the place of an earlier version.
    Replaced {
        /// The position.
        position: usize,
    },
    /// It left; a summary covers it from now on.
    Left {
        /// The compaction.
        by: String,
    },
    /// It was forgotten with all results.
    Cleared,
    /// Its kind is never remembered, so the copy in the checkpoint was dropped.
    NotRemembered,
}
