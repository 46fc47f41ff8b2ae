//! A broken invariant.

/// An invariant that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The invariant.
    pub invariant: &'static str,
    /// What the check found.
    pub found: String,
    /// The step after which the check found it; `None` in the second phase.
    pub step: Option<usize>,
}

/// Makes a failure; the caller adds the step.
pub(super) fn failure(invariant: &'static str, found: String) -> Failure {
    Failure { invariant, found, step: None }
}
