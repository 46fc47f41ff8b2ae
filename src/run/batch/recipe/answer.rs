//! The answer of `hand_out`.

use crate::agents::recipe::{Forked, Handed};
use crate::run::queue::dispatch::Dispatched;
use serde::Serialize;

/// The contexts of a recipe.
///
/// The example of [`HandOut`](crate::run::HandOut) shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Handover {
    /// One context.
    One(Handed),
    /// The contexts of a batch.
    Many(Forked),
}

/// The answer of `hand_out`.
///
/// ```
/// use tuckbox::run::{HandOutAnswer, HandOutResult};
/// use tuckbox::value::json::to_text;
///
/// // the answer to a `fork_join` that is repeated
/// let result = HandOutResult::Batch { status: "accepted", batch_id: "b1".into(), task_count: 2 };
/// let answer = HandOutAnswer { handed: None, result, defer_resume: true };
/// assert!(to_text(&answer)?.starts_with(r#"{"handed":null,"result":{"status":"accepted","#));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HandOutAnswer {
    /// The contexts that the recipe packed. `None` for a `fork_join` that is repeated.
    pub handed: Option<Handover>,
    /// The turn or the batch.
    pub result: HandOutResult,
    /// True if the calling turn waits for the result.
    pub defer_resume: bool,
}

/// The turn or the batch that `hand_out` starts.
///
/// The example of [`HandOutAnswer`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum HandOutResult {
    /// A turn, or its refusal.
    Turn(Dispatched),
    /// A batch.
    Batch {
        /// `accepted`.
        status: &'static str,
        /// The batch.
        batch_id: String,
        /// The number of its tasks.
        task_count: i64,
    },
}

shape! {
    /// The result for the requested turn. A refusal writes nothing.
    #[serde(untagged)]
    pub enum Reached {
        Accepted {
            status: Word<"accepted">,
            agent_id: String,
            agent_turn_id: String,
            /// Absent while the turn waits for another turn.
            turn_epoch: Maybe<i64>,
            context_box_id: String,
            output_box_id: String,
            trace_id: String,
        },
        Refused {
            status: Word<"busy", "rejected", "error">,
            error_code: crate::run::queue::dispatch::DispatchRefusal,
            agent_id: String,
            trace_id: Maybe<String>,
        },
    }

    /// The contexts that a recipe packed, the turn or the batch, and whether the calling turn waits. A
    /// `fork_join` that is repeated packs nothing.
    #[serde(untagged)]
    pub enum HandOutAnswer {
        One {
            handed: crate::agents::recipe::Handed,
            result: Reached,
            defer_resume: Word<false>,
        },
        Many {
            handed: Option<crate::agents::recipe::Forked>,
            result: BatchStarted,
            defer_resume: Word<true>,
        },
    }

    pub struct BatchStarted {
        pub status: Word<"accepted">,
        pub batch_id: String,
        pub task_count: i64,
    }
}

impl HandOutAnswer {
    /// Returns true if the call is accepted and not a repetition.
    pub(super) fn writes(&self) -> bool {
        let status = match &self.result {
            HandOutResult::Turn(dispatched) => dispatched.status.as_str(),
            HandOutResult::Batch { status, .. } => status,
        };
        self.handed.is_some() && status == "accepted"
    }
}
