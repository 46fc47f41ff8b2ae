//! The answer of a primitive.

use crate::run::transaction::{Run, Stop};
use crate::run::wire::trace::BadTrace;
use crate::value::json::Object;
use serde::Serialize;

/// The answer of a primitive.
///
/// The example of [`RunCall`](crate::run::RunCall) shows one as JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// `accepted`, `busy`, `rejected` or `error`.
    pub status: &'static str,
    /// The stable code of a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// What the call created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Object>,
}

impl Answer {
    pub(crate) fn accepted(payload: Option<Object>) -> Self {
        Self { status: "accepted", error_code: None, payload }
    }

    pub(crate) fn rejected(code: &str) -> Self {
        Self { status: "rejected", error_code: Some(code.to_owned()), payload: None }
    }

    pub(crate) fn violation() -> Self {
        Self::rejected("protocol_violation")
    }
}

/// Why a primitive ends early: it answers a refusal, or its rule stops.
pub(crate) enum Refusal {
    Answer(Answer),
    Stop(Stop),
}

impl From<Stop> for Refusal {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<BadTrace> for Refusal {
    fn from(BadTrace: BadTrace) -> Self {
        Self::Answer(Answer::violation())
    }
}

pub(crate) type Checked<T> = Result<T, Refusal>;

/// Ends a primitive with the refusal of this code.
pub(super) fn rejected<T>(code: &str) -> Checked<T> {
    Err(Refusal::Answer(Answer::rejected(code)))
}

/// Ends a primitive with `protocol_violation`.
pub(super) fn violation<T>() -> Checked<T> {
    Err(Refusal::Answer(Answer::violation()))
}

/// Turns a refusal into the answer.
pub(super) fn settled(checked: Checked<Answer>) -> Run<Answer> {
    match checked {
        Ok(answer) | Err(Refusal::Answer(answer)) => Ok(answer),
        Err(Refusal::Stop(stop)) => Err(stop),
    }
}
