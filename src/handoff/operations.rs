//! The operations of this module as [`Rule`]s.

use super::audit::{AuditHandoff, HandoffAudit};
use super::build::{BuiltHandoff, Iteration};
use super::check::{CheckHandoff, HandoffCheck};
use super::load::{LoadHandoff, LoadedHandoff};
use super::persist::{StoreHandoff, StoredHandoff};
use super::plan::{Plan, PlanHandoff};
use super::validate::{ReadHandoff, ReadPackage};
use crate::Result;
use crate::prompt::tokens::Estimate;
use crate::rule::ledger::Ledger;
use crate::rule::lint::Lint;
use crate::rule::{Outcome, Rule, Step, ready};
use crate::store::{Snapshot, Writes};
use crate::value::env::Env;

/// The token counter of these rules.
pub(super) const COUNTER: Estimate = Estimate;

/// Returns an answer that changes nothing.
fn answer<V>(value: V, lints: Vec<Lint>, snapshot: &Snapshot, env: &Env) -> Step<Outcome<V>> {
    Step::Done(Outcome::answer(value, lints, snapshot, env))
}

impl Rule for ReadHandoff {
    type Value = ReadPackage;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<ReadPackage>>> {
        Ok(answer(self.read()?, Vec::new(), snapshot, env))
    }
}

impl Rule for CheckHandoff {
    type Value = HandoffCheck;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<HandoffCheck>>> {
        let checked = self.check(&COUNTER);
        let lints = checked.findings.to_lints();
        Ok(answer(checked, lints, snapshot, env))
    }
}

impl Rule for Iteration {
    type Value = BuiltHandoff;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<BuiltHandoff>>> {
        let built = self.build()?;
        let lints = built.findings.to_lints();
        Ok(answer(built, lints, snapshot, env))
    }
}

impl Rule for PlanHandoff {
    type Value = Plan;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Plan>>> {
        let plan = self.plan(&COUNTER)?;
        let lints = plan.findings.to_lints();
        Ok(answer(plan, lints, snapshot, env))
    }
}

impl Rule for LoadHandoff {
    type Value = LoadedHandoff;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<LoadedHandoff>>> {
        let loaded = ready!(self.load(snapshot, &COUNTER)?);
        let lints = loaded.findings.to_lints();
        Ok(answer(loaded, lints, snapshot, env))
    }
}

impl Rule for AuditHandoff {
    type Value = HandoffAudit;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<HandoffAudit>>> {
        let audited = ready!(self.audit(snapshot)?);
        let lints = audited.findings.to_lints();
        Ok(answer(audited, lints, snapshot, env))
    }
}

impl Rule for StoreHandoff {
    type Value = StoredHandoff;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<StoredHandoff>>> {
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
