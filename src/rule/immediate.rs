//! Answers that need no reads.

use super::{Lint, Outcome, Rule, Step};
use crate::Result;
use crate::store::Snapshot;
use crate::value::env::Env;
use crate::value::json::Json;
use std::sync::Arc;

/// A rule that has its answer when the call is read.
///
/// ```
/// use tuckbox::rule::Immediate;
///
/// let answer = Immediate::new("True");
/// assert_eq!(*answer.value(), "True");
/// assert!(answer.lints().is_empty());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Immediate<V = Json> {
    value: Arc<V>,
    lints: Vec<Lint>,
}

impl<V> Immediate<V> {
    /// Creates an answer without lints.
    pub fn new(value: V) -> Self {
        Self::with_lints(value, Vec::new())
    }

    /// Creates an answer with lints.
    pub(crate) fn with_lints(value: V, lints: Vec<Lint>) -> Self {
        Self { value: Arc::new(value), lints }
    }

    /// Returns the answer.
    pub fn value(&self) -> &V {
        &self.value
    }

    /// Returns the answer.
    pub(crate) fn into_value(self) -> Arc<V> {
        self.value
    }

    /// Returns the lints.
    pub fn lints(&self) -> &[Lint] {
        &self.lints
    }
}

impl<V> Rule for Immediate<V> {
    /// Shared, because answers can be large and every step returns the same one.
    type Value = Arc<V>;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Arc<V>>>> {
        let lints = self.lints.clone();
        Ok(Step::Done(Outcome::answer(Arc::clone(&self.value), lints, snapshot, env)))
    }
}
