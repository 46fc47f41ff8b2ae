//! A simulator of hosts that fail: the rules, a store in memory, and everything that can go wrong
//! between them, from a seed.
//!
//! A run has two phases. In the first anything may happen: a process ends between a commit and its
//! message; messages are lost, doubled, late and out of order; a commit is applied and its answer
//! lost; a decision is made on rows that change before it is committed; clocks differ; two watchdogs
//! act at once; a worker wakes up after its turn was taken away; rows are lost. In the second nothing
//! fails any more, and everything must come to rest in a bounded number of ticks. After every step
//! the laws (`check`) are checked. A second implementation (`model`), which is naive and knows nothing of
//! rows, is told the same history in the order of the commits, and must come to the same.
//!
//! ```
//! use tuckbox::run::sim::{Plan, run};
//!
//! let report = run(&Plan { seed: 7, steps: 40, ..Plan::default() });
//! assert!(report.failure.is_none(), "{report}");
//! ```

mod check;
mod compare;
mod dice;
mod failure;
mod model;
mod shrink;
mod view;
mod world;

pub use failure::Failure;
pub use shrink::shrunk;

use super::bugs::Bug;
use crate::Timestamp;
use crate::store::MemoryStore;
use std::collections::BTreeMap;
use std::fmt;
use world::World;

/// What to simulate.
///
/// Shown by the example of [`run`].
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where everything that is chance comes from.
    pub seed: u64,
    /// How many steps the first phase has.
    pub steps: usize,
    /// A bug to plant, to see that it is found.
    #[doc(hidden)]
    pub bug: Bug,
    /// Who looks at what happens.
    #[doc(hidden)]
    pub judges: Judges,
    /// False to tell no history: for runs of which there are many.
    pub history: bool,
    /// Steps to leave out, as a shrunk history does.
    #[doc(hidden)]
    pub without: Vec<bool>,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            seed: 0,
            steps: 200,
            bug: Bug::None,
            judges: Judges::All,
            history: true,
            without: Vec::new(),
        }
    }
}

/// Who looks at a run: to see what each of them finds without the other.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judges {
    /// The laws and the model.
    #[default]
    All,
    /// The laws alone.
    Laws,
    /// The model alone.
    Model,
}

/// What a run showed.
///
/// Shown by the example of [`run`].
#[derive(Clone, Debug)]
pub struct Report {
    /// Its seed.
    pub seed: u64,
    /// The law that did not hold, if any.
    pub failure: Option<Failure>,
    /// What happened, a line each; nothing where it was not asked for.
    pub history: Vec<String>,
    /// How many calls were made.
    pub calls: usize,
    /// How many turns were accepted.
    pub turns: usize,
    /// How many batches were made.
    pub batches: usize,
    /// How often a call of each operation read before it was decided, at most.
    pub most_reads: BTreeMap<&'static str, usize>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}", self.seed)?;
        for line in &self.history {
            writeln!(f, "  {line}")?;
        }
        match &self.failure {
            None => write!(f, "everything came to rest: {} calls", self.calls),
            Some(Failure { law, found, step: Some(step) }) => {
                write!(f, "after step {step}: {law}: {found}")
            }
            Some(Failure { law, found, step: None }) => write!(f, "at rest: {law}: {found}"),
        }
    }
}

/// Runs one simulation.
///
/// ```
/// use tuckbox::run::sim::{Plan, run};
///
/// let report = run(&Plan { seed: 7, steps: 30, ..Plan::default() });
/// assert!(report.failure.is_none() && report.calls > 0);
/// // the same seed is the same run
/// assert_eq!(run(&Plan { seed: 7, steps: 30, ..Plan::default() }).history, report.history);
/// ```
pub fn run(plan: &Plan) -> Report {
    watched(plan, &mut |_, _| {})
}

/// As [`run`], and shows the store and the time after every step.
#[doc(hidden)]
pub fn watched(plan: &Plan, look: &mut dyn FnMut(&MemoryStore, Timestamp)) -> Report {
    let mut world = World::new(plan);
    let failure = world.play(plan, look);
    let (turns, batches) = world.counts();
    Report {
        seed: plan.seed,
        failure,
        history: world.history,
        calls: world.calls,
        turns,
        batches,
        most_reads: world.most_reads,
    }
}
