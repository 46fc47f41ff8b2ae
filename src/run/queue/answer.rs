//! The answer of a primitive.

use crate::run::transaction::{Run, Stop};
use crate::run::wire::trace::BadTrace;
use serde::Serialize;

/// The answer of a primitive.
///
/// The example of [`Enqueue`](crate::run::Enqueue) shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer<Made> {
    /// The call is accepted.
    Accepted {
        /// `accepted`.
        status: Accepted,
        /// What the call made.
        payload: Made,
    },
    /// The call is refused, and writes nothing.
    Refused(Refused),
}

/// The status of a call that is accepted.
///
/// The example of [`Enqueue`](crate::run::Enqueue) shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Accepted {
    /// The only status.
    #[default]
    Accepted,
}

/// The answer of a primitive that writes nothing.
///
/// The example of [`Enqueue`](crate::run::Enqueue) shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refused {
    /// `busy`, `rejected` or `error`.
    pub status: &'static str,
    /// The stable code of the refusal.
    pub error_code: &'static str,
}

shape! {
    /// The answer of a primitive that writes nothing.
    pub struct Refused {
        pub status: Word<"busy", "rejected", "error">,
        pub error_code: RunRefusal,
    }

    /// Why a primitive refuses.
    pub type RunRefusal = Word<
        "protocol_violation",
        "recursion_depth_exceeded",
        "agent_busy",
        "unknown_agent",
        "invalid_box_id",
        "missing_required_fields",
        "conflict",
    >;
}

impl<Made> Answer<Made> {
    pub(crate) const fn accepted(payload: Made) -> Self {
        Self::Accepted { status: Accepted::Accepted, payload }
    }

    pub(super) const fn violation() -> Self {
        Self::Refused(Refused::VIOLATION)
    }

    /// Returns what the call made, unless it is refused.
    pub fn payload(self) -> Option<Made> {
        match self {
            Self::Accepted { payload, .. } => Some(payload),
            Self::Refused(_) => None,
        }
    }
}

impl Refused {
    const VIOLATION: Self = Self::rejected("protocol_violation");
    /// The agent has a turn.
    pub(super) const BUSY: Self = Self { status: "busy", error_code: "agent_busy" };

    const fn rejected(error_code: &'static str) -> Self {
        Self { status: "rejected", error_code }
    }
}

/// Why a primitive ends early: it answers a refusal, or its rule stops.
pub(crate) enum Refusal {
    Answer(Refused),
    Stop(Stop),
}

impl From<Stop> for Refusal {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<BadTrace> for Refusal {
    fn from(BadTrace: BadTrace) -> Self {
        Self::Answer(Refused::VIOLATION)
    }
}

pub(crate) type Checked<T> = Result<T, Refusal>;

/// Ends a primitive with the refusal of this code.
pub(super) fn rejected<T>(code: &'static str) -> Checked<T> {
    Err(Refusal::Answer(Refused::rejected(code)))
}

/// Ends a primitive with `protocol_violation`.
pub(crate) fn violation<T>() -> Checked<T> {
    Err(Refusal::Answer(Refused::VIOLATION))
}

/// Turns a refusal into the answer.
pub(crate) fn settled<Made>(checked: Checked<Made>) -> Run<Answer<Made>> {
    match checked {
        Ok(made) => Ok(Answer::accepted(made)),
        Err(Refusal::Answer(refused)) => Ok(Answer::Refused(refused)),
        Err(Refusal::Stop(stop)) => Err(stop),
    }
}
