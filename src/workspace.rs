//! A resident workspace: what was read stays, calls send little, results are fetched when looked
//! at.
//!
//! Crossing a language boundary with 100,000 ids costs more than merging them. So the snapshot
//! lives here, a [`Run`] is one call on it, and a host drives the run with the loop of
//! [`rule`](crate::rule). Cards never go stale; a box that changed elsewhere is caught by its
//! version at commit, and [`Workspace::refresh`] forgets everything that can change.

use crate::door::{AnyOutcome, Call};
use crate::env::Env;
use crate::id::ProjectId;
use crate::json::Json;
use crate::rule::{MAX_ROUNDS, Step, too_many_rounds};
use crate::store::{Answers, Reads, Receipt, Snapshot};
use crate::{Error, Result};

/// What was read so far in one project.
#[derive(Debug)]
pub struct Workspace {
    snapshot: Snapshot,
}

/// One call on its way from the question to the outcome.
pub struct Run {
    call: Call,
    env: Env,
    pending: Option<Reads>,
    rounds: usize,
    outcome: Option<AnyOutcome>,
}

impl Run {
    /// The outcome, once the run is done.
    ///
    /// # Errors
    /// `bad_request` before that.
    pub fn outcome(&self) -> Result<&AnyOutcome> {
        self.outcome.as_ref().ok_or_else(|| Error::bad_request("the call is not done yet"))
    }
}

impl Workspace {
    /// An empty workspace.
    pub fn new(project_id: ProjectId) -> Self {
        Self { snapshot: Snapshot::new(project_id) }
    }

    /// What is resident.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Reads a call and gets ready to drive it.
    ///
    /// # Errors
    /// `bad_request` when it is not a call.
    pub fn begin(&self, call: &Json, env: Env) -> Result<Run> {
        let call = Call::from_json(call)?;
        Ok(Run { call, env, pending: None, rounds: 0, outcome: None })
    }

    /// Drives a run: the reads it needs, or nothing once it is done.
    ///
    /// # Errors
    /// Whatever the rule says; `limit` when it keeps asking.
    pub fn step<'run>(&self, run: &'run mut Run) -> Result<Option<&'run Reads>> {
        if run.outcome.is_some() {
            return Ok(None);
        }
        match run.call.step(&self.snapshot, &run.env)? {
            Step::Done(outcome) => {
                run.pending = None;
                run.outcome = Some(outcome);
                Ok(None)
            }
            Step::Need(_) if run.rounds >= MAX_ROUNDS => Err(too_many_rounds()),
            Step::Need(reads) => {
                run.rounds += 1;
                Ok(Some(run.pending.insert(reads)))
            }
        }
    }

    /// Takes in a host's answers to the reads of a run.
    ///
    /// # Errors
    /// `store` when they are no answers to those reads; nothing was taken in.
    pub fn answer(&mut self, run: &mut Run, answers: &Json) -> Result<()> {
        let Some(reads) = run.pending.take() else {
            return Err(Error::store("answers came, but nothing was asked"));
        };
        let answers = Answers::from_json(answers, &reads)?;
        self.snapshot.absorb(&reads, answers)
    }

    /// Takes in that the writes of a run were committed.
    ///
    /// # Errors
    /// `store` when the receipt is none for them.
    pub fn committed(&mut self, run: &Run, receipt: &Json) -> Result<Receipt> {
        let writes = &run.outcome()?.writes;
        let receipt = Receipt::from_json(receipt, writes)?;
        self.snapshot.committed(writes, &receipt);
        Ok(receipt)
    }

    /// Forgets everything that can change, so that the next call reads it again.
    pub fn refresh(&mut self) {
        self.snapshot.forget_changeable();
    }

    /// Looks at the project as if the writes of a run were committed, in a workspace of its own.
    ///
    /// # Errors
    /// `bad_request` when the run is not done.
    pub fn after(&self, run: &Run) -> Result<Self> {
        let mut snapshot = self.snapshot.clone();
        snapshot.apply(&run.outcome()?.writes);
        Ok(Self { snapshot })
    }
}
