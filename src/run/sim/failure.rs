//! What a run is judged by.

/// A law that did not hold.
///
/// Shown by the example of [`Bug`](crate::run::Bug).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which law.
    pub law: &'static str,
    /// What was found.
    pub found: String,
    /// The step after which it was found; nothing when the run did not come to rest.
    pub step: Option<usize>,
}

/// A law that did not hold, wherever it was found.
pub(super) fn failure(law: &'static str, found: String) -> Failure {
    Failure { law, found, step: None }
}
