//! An answer that needs no reads.

use super::{Lint, Outcome, Rule, Step};
use crate::Result;
use crate::store::Snapshot;
use crate::value::env::Env;
use crate::value::json::Json;
use std::sync::Arc;

/// An answer that was there as soon as the call was read.
///
/// ```
/// use tuckbox::cards::validate;
/// use tuckbox::json;
///
/// // what needs no store is answered when the call is read
/// let answer = validate::text_form(&json!({"value": true}))?;
/// assert_eq!(answer.value().get("text"), Some(&json!("True")));
/// assert!(answer.lints().is_empty());
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Immediate<V = Json> {
    value: Arc<V>,
    lints: Vec<Lint>,
}

impl<V> Immediate<V> {
    /// An answer without warnings.
    pub fn new(value: V) -> Self {
        Self::with_lints(value, Vec::new())
    }

    /// An answer with its warnings.
    pub fn with_lints(value: V, lints: Vec<Lint>) -> Self {
        Self { value: Arc::new(value), lints }
    }

    /// The answer.
    pub fn value(&self) -> &V {
        &self.value
    }

    /// What was noticed and not refused.
    pub fn lints(&self) -> &[Lint] {
        &self.lints
    }
}

impl<V> Rule for Immediate<V> {
    /// Answers can be large, and every step gives the same one.
    type Value = Arc<V>;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Arc<V>>>> {
        let lints = self.lints.clone();
        Ok(Step::Done(Outcome::answer(Arc::clone(&self.value), lints, snapshot, env)))
    }
}
