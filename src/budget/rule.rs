//! Budgets as a rule.

use super::{Budget, Fitted, Priorities, fit};
use crate::Result;
use crate::env::Env;
use crate::json::{Field, Json};
use crate::provider::{MakePayload, payload};
use crate::rule::{Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::tokens::{CounterInput, texts};

/// Fits a prompt into a budget.
#[derive(Clone, Debug, PartialEq)]
pub struct FitBudget {
    payload: MakePayload,
    budget: Budget,
    counter: CounterInput,
}

impl FitBudget {
    /// Reads a call: as that of a payload, with `limit`, `priorities?` and `counter?`.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&[&MakePayload::keys()[..], &["counter", "limit", "priorities"]].concat())?;
        Ok(Self {
            payload: MakePayload::from_fields(&call)?,
            budget: Budget {
                limit: call.required("limit")?.count()?,
                priorities: Priorities::from_fields(&call)?,
            },
            counter: CounterInput::from_fields(&call)?,
        })
    }
}

impl Rule for FitBudget {
    type Value = Fitted;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Fitted>>> {
        let MakePayload { source, provider, options } = &self.payload;
        Ok(match source.prompt(snapshot, env)? {
            Step::Need(reads) => Step::Need(reads),
            Step::Done((prompt, mut lints)) => {
                lints.extend(self.payload.unreported(&prompt));
                let whole = payload(&prompt, *provider, options)?;
                let counter = self.counter.counter(|| texts(&whole))?;
                let fitted = fit(&prompt, *provider, options, &self.budget, counter.as_ref())?;
                Step::Done(Outcome::answer(fitted, lints, snapshot, env))
            }
        })
    }
}
