//! A simulator of hosts that fail: the rules, a store in memory, and failures between them, all derived
//! from a seed.
//!
//! A run has two phases. In the first phase, hosts fail:
//! - A process ends after a commit, before it sends the messages.
//! - Messages are lost, doubled, late and out of order.
//! - A commit is applied, and its answer is lost.
//! - Rows change after a call read them and before it commits.
//! - Clocks differ, and two watchdogs act at the same time.
//! - A worker continues after it lost its turn.
//! - Rows are lost.
//!
//! In the second phase nothing fails, and all work must end within a bounded number of ticks.
//!
//! `ticks` runs a batch under watchdogs that look at other times. Its outcome must be the same.
//!
//! After every step, `check` verifies the invariants. `model` is a second, naive implementation without
//! rows. It receives the same commands in the order of the commits and must compute the same answers.

mod check;
mod compare;
mod dice;
mod failure;
mod model;
mod rows;
mod shrink;
pub mod ticks;
mod view;
mod world;

pub use failure::Failure;
pub use shrink::shrunk;
pub use ticks::check_ticks;

use std::collections::BTreeMap;
use std::fmt;
use tuckbox::Timestamp;
use tuckbox::store::MemoryStore;
use world::World;

/// Makes an object from pairs.
macro_rules! object {
    ($($key:literal => $value:expr),* $(,)?) => {{
        let mut object = tuckbox::value::json::Object::default();
        $(object.insert($key.to_owned(), tuckbox::Json::from($value));)*
        object
    }};
}
use object;

/// What to simulate.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The source of all randomness.
    pub seed: u64,
    /// The number of steps of the first phase.
    pub steps: usize,
    /// What checks the run.
    pub judges: Judges,
    /// False to record no history.
    pub history: bool,
    /// Steps to omit.
    pub without: Vec<bool>,
}

impl Default for Plan {
    fn default() -> Self {
        Self { seed: 0, steps: 200, judges: Judges::All, history: true, without: Vec::new() }
    }
}

/// What checks a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judges {
    /// The invariants and the model.
    #[default]
    All,
    /// The model alone.
    Model,
}

/// The outcome of a run.
#[derive(Clone, Debug)]
pub struct Report {
    /// The seed of the run.
    pub seed: u64,
    /// The first invariant that did not hold.
    pub failure: Option<Failure>,
    /// One line per event; empty if the plan records no history.
    pub history: Vec<String>,
    /// The number of calls.
    pub calls: usize,
    /// The number of accepted turns.
    pub turns: usize,
    /// The number of batches that ended.
    pub batches: usize,
    /// The largest number of reads that a call of each operation made before it was decided.
    pub most_reads: BTreeMap<&'static str, usize>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}", self.seed)?;
        for line in &self.history {
            writeln!(f, "  {line}")?;
        }
        match &self.failure {
            None => write!(f, "all work ended: {} calls", self.calls),
            Some(Failure { invariant, found, step: Some(step) }) => {
                write!(f, "after step {step}: {invariant}: {found}")
            }
            Some(Failure { invariant, found, step: None }) => {
                write!(f, "at rest: {invariant}: {found}")
            }
        }
    }
}

/// Runs one simulation.
pub fn run(plan: &Plan) -> Report {
    watched(plan, &mut |_, _| {})
}

/// Runs one simulation, and passes the store and the time to `look` after every step.
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
