//! Every capability of this module as a [`Rule`], so that one door serves them all.

use super::audit::{Audit, Audited};
use super::build::{Built, Iteration};
use super::check::{Checked, Checking};
use super::load::{Load, Loaded};
use super::persist::{Persist, Persisted};
use super::plan::{Plan, Planning};
use super::validate::{ReadPackage, Reading};
use crate::Result;
use crate::prompt::tokens::Estimate;
use crate::rule::ledger::Ledger;
use crate::rule::lint::Lint;
use crate::rule::{Outcome, Rule, Step, ready};
use crate::store::{Snapshot, Writes};
use crate::value::env::Env;

/// What counts tokens for the rules here.
pub(super) const COUNTER: Estimate = Estimate;

/// An answer that changes nothing.
fn answer<V>(value: V, lints: Vec<Lint>, snapshot: &Snapshot, env: &Env) -> Step<Outcome<V>> {
    Step::Done(Outcome::answer(value, lints, snapshot, env))
}

impl Rule for Reading {
    type Value = ReadPackage;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<ReadPackage>>> {
        Ok(answer(self.read()?, Vec::new(), snapshot, env))
    }
}

impl Rule for Checking {
    type Value = Checked;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Checked>>> {
        let checked = self.check(&COUNTER);
        let lints = checked.findings.to_lints();
        Ok(answer(checked, lints, snapshot, env))
    }
}

impl Rule for Iteration {
    type Value = Built;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Built>>> {
        let built = self.build()?;
        let lints = built.findings.to_lints();
        Ok(answer(built, lints, snapshot, env))
    }
}

impl Rule for Planning {
    type Value = Plan;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Plan>>> {
        let plan = self.plan(&COUNTER)?;
        let lints = plan.findings.to_lints();
        Ok(answer(plan, lints, snapshot, env))
    }
}

impl Rule for Load {
    type Value = Loaded;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Loaded>>> {
        let loaded = ready!(self.load(snapshot, &COUNTER)?);
        let lints = loaded.findings.to_lints();
        Ok(answer(loaded, lints, snapshot, env))
    }
}

impl Rule for Audit {
    type Value = Audited;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Audited>>> {
        let audited = ready!(self.audit(snapshot)?);
        let lints = audited.findings.to_lints();
        Ok(answer(audited, lints, snapshot, env))
    }
}

impl Rule for Persist {
    type Value = Persisted;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Persisted>>> {
        let (persisted, files) = ready!(self.persist(snapshot)?);
        let operation_id = match &self.operation_id {
            Some(operation_id) => operation_id.clone(),
            None => env.minter().operation_id(),
        };
        let mut writes = Writes::new(snapshot.project_id().clone(), operation_id, env.now);
        writes.files = files;
        let lints = persisted.findings.to_lints();
        Ok(Step::Done(Outcome { value: persisted, writes, ledger: Ledger::default(), lints }))
    }
}
