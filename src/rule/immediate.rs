//! An answer that needs no reads.

use super::{Lint, Outcome, Rule, Step};
use crate::Result;
use crate::store::Snapshot;
use crate::value::env::Env;
use crate::value::json::Json;

/// An answer that was there as soon as the call was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Immediate {
    value: Json,
    lints: Vec<Lint>,
}

impl Immediate {
    /// An answer without warnings.
    pub const fn new(value: Json) -> Self {
        Self { value, lints: Vec::new() }
    }

    /// An answer with its warnings.
    pub const fn with_lints(value: Json, lints: Vec<Lint>) -> Self {
        Self { value, lints }
    }

    /// The answer.
    pub fn value(&self) -> &Json {
        &self.value
    }

    /// What was noticed and not refused.
    pub fn lints(&self) -> &[Lint] {
        &self.lints
    }
}

impl Rule for Immediate {
    type Value = Json;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Json>>> {
        let lints = self.lints.clone();
        Ok(Step::Done(Outcome::answer(self.value.clone(), lints, snapshot, env)))
    }
}
