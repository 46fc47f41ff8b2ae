//! A rule is a plain function from what is known to an answer, or to what it still needs to know.
//!
//! **No rule reads, writes, asks for the time or rolls dice.** The loop around it is always the
//! same, in every host and every language:
//!
//! 1. call [`Rule::step`] with the snapshot and the environment;
//! 2. on [`Step::Need`], read those keys, [absorb](Snapshot::absorb) the answers, go to 1;
//! 3. on [`Step::Done`], look at the [`Outcome`]: that is the preview;
//! 4. to make it real, hand its writes to the store, unchanged.
//!
//! [`preview`] is that loop over a [`Store`]; hosts with asynchronous stores write it themselves.
//!
//! ```
//! use tuckbox::rule::{Rule, Step};
//! use tuckbox::store::{MemoryStore, Profile, Snapshot, Store};
//! use tuckbox::{Env, Json, PackContext};
//!
//! let mut store = MemoryStore::new();
//! store.project("p1").add_profile(Profile::new("Writer", "pb_writer")).add_box("b1", ["c1", "c2"]);
//!
//! let rule = PackContext::from_json(&Json::parse(r#"{
//!     "tool_suffix": "demo", "source_agent_id": "agent_a",
//!     "arguments": {"profile_name": "writer", "instruction": "go on", "input_box_ids": ["b1"]},
//!     "handover": {"context_packing_config": {
//!         "pack_arguments": [{"arg_key": "instruction"}],
//!         "inherit_context": {"include_boxes_from_args": ["input_box_ids"]}}}
//! }"#)?)?;
//!
//! let env = Env { now: tuckbox::Timestamp::from_millis(1_767_522_600_000), entropy: [7; 32] };
//! let mut snapshot = Snapshot::new("p1".into());
//! let outcome = loop {
//!     match rule.step(&snapshot, &env)? {
//!         Step::Need(reads) => snapshot.absorb(&reads, store.read(&reads)?)?,
//!         Step::Done(outcome) => break outcome,
//!     }
//! };
//! assert_eq!(outcome.value.attached_card_ids.iter().skip(1).collect::<Vec<_>>(), ["c1", "c2"]);
//! store.commit(&outcome.writes)?;
//! # Ok::<(), tuckbox::Error>(())
//! ```

pub mod audit;
pub mod box_turns;
mod call;
mod composer;
mod cursor;
mod defaults;
mod dialect;
pub mod hash;
mod immediate;
pub mod ledger;
pub mod lint;
pub mod merge;
mod relied;

pub use call::{AnyOutcome, Call, Value};
pub use composer::{Composer, CompressionPlace};
pub use cursor::Cursor;
pub use defaults::Defaults;
pub use dialect::{Dialect, DialectName};
pub use immediate::Immediate;
pub(crate) use relied::Relied;

use crate::store::{Reads, Snapshot, Store, Writes};
use crate::value::env::Env;
use crate::{Error, Result};
use hash::ContentHash;
use ledger::Ledger;
use lint::Lint;

/// Where a rule stands.
///
/// ```
/// use tuckbox::rule::Step;
/// use tuckbox::store::{Kind, Reads};
///
/// let mut reads = Reads::new("p1".into());
/// reads.add(Kind::Boxes, "notes");
/// let step: Step<u32> = Step::Need(reads);
/// // what is done with a value waits until there is one
/// assert!(matches!(step.map(|count| count + 1), Step::Need(_)));
/// assert!(matches!(Step::Done(1).map(|count| count + 1), Step::Done(2)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Step<T> {
    /// It cannot go on before these keys are read.
    Need(Reads),
    /// It is done.
    Done(T),
}

impl<T> Step<T> {
    /// The same step with another answer.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Step<U> {
        match self {
            Self::Need(reads) => Step::Need(reads),
            Self::Done(answer) => Step::Done(change(answer)),
        }
    }

    /// Goes on with the answer, once it is there.
    ///
    /// # Errors
    /// Whatever `next` says.
    pub fn and_then<U>(self, next: impl FnOnce(T) -> Result<Step<U>>) -> Result<Step<U>> {
        match self {
            Self::Need(reads) => Ok(Step::Need(reads)),
            Self::Done(answer) => next(answer),
        }
    }
}

/// The answer of a step; while it needs reads, the function around it returns those.
macro_rules! ready {
    ($step:expr) => {
        match $step {
            $crate::rule::Step::Need(reads) => return Ok($crate::rule::Step::Need(reads)),
            $crate::rule::Step::Done(answer) => answer,
        }
    };
}

pub(crate) use ready;

/// A pure function from what is known to an outcome.
///
/// ```
/// use tuckbox::rule::{Cursor, Immediate, MAX_ROUNDS, Outcome, Rule, Step};
/// use tuckbox::store::Snapshot;
/// use tuckbox::{Env, Timestamp};
///
/// /// How many cards a box has.
/// struct Size(&'static str);
///
/// impl Rule for Size {
///     type Value = usize;
///     fn step(&self, snapshot: &Snapshot, env: &Env) -> tuckbox::Result<Step<Outcome<usize>>> {
///         let mut cursor = Cursor::new(snapshot);
///         let Some(found) = cursor.card_box(self.0)? else { return Ok(cursor.need()) };
///         let size = found.map_or(0, |found| found.card_ids.len());
///         Ok(Immediate::new(size).step(snapshot, env)?.map(|outcome| outcome.map(|size| *size)))
///     }
/// }
///
/// # let mut store = tuckbox::store::MemoryStore::new();
/// # store.project("p1").add_box("notes", ["n1", "n2"]);
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let size = tuckbox::rule::preview(&Size("notes"), &mut Snapshot::new("p1".into()), &env, &store)?;
/// assert_eq!(size.value, 2);
/// assert!(MAX_ROUNDS > 1, "a rule that keeps asking is stopped");
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub trait Rule {
    /// What the rule is asked for.
    type Value;

    /// The next step.
    ///
    /// # Errors
    /// When the call is wrong, or what it names is not there. Nothing was written.
    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Self::Value>>>;
}

/// A commit that has not happened yet: the answer, the writes that make it real, and why it is so.
///
/// ```
/// use tuckbox::cards::CreateBox;
/// use tuckbox::rule::{Outcome, Rule, Step};
/// use tuckbox::store::Snapshot;
/// use tuckbox::{CardBox, Env, Timestamp, json};
///
/// let call = CreateBox::from_json(&json!({"card_ids": ["n1"]}))?;
/// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let Step::Done(outcome) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
/// let outcome: Outcome<CardBox> = outcome;
/// assert_eq!((outcome.writes.boxes.len(), outcome.lints.len()), (1, 0));
/// // the hash is of what a commit makes, whatever becomes of the value
/// assert_eq!(outcome.content_hash()?, outcome.map(|made| made.box_id).content_hash()?);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome<V> {
    /// What was asked for.
    pub value: V,
    /// What a commit sends, unchanged.
    pub writes: Writes,
    /// Why every card is where it is.
    pub ledger: Ledger,
    /// The warnings.
    pub lints: Vec<Lint>,
}

impl<V> Outcome<V> {
    /// The hash of the cards and boxes this makes: the same now and when they are read back.
    pub fn content_hash(&self) -> Result<ContentHash> {
        ContentHash::of_writes(&self.writes)
    }

    /// The outcome of a question: a value, and nothing to write.
    pub(crate) fn answer(value: V, lints: Vec<Lint>, snapshot: &Snapshot, env: &Env) -> Self {
        let operation_id = env.minter().operation_id();
        let writes = Writes::new(snapshot.project_id().clone(), operation_id, env.now);
        Self { value, writes, ledger: Ledger::default(), lints }
    }

    /// The same outcome with another value.
    pub fn map<W>(self, change: impl FnOnce(V) -> W) -> Outcome<W> {
        let Self { value, writes, ledger, lints } = self;
        Outcome { value: change(value), writes, ledger, lints }
    }
}

/// The most rounds of reads any rule may take.
///
/// Shown by the example of [`Rule`].
pub const MAX_ROUNDS: usize = 8;

/// Runs a rule over a store until it is done. Nothing is written.
///
/// # Errors
/// Whatever the rule or the store says; `limit` when a rule is not done after [`MAX_ROUNDS`].
///
/// ```
/// use tuckbox::cards::ForkBox;
/// use tuckbox::store::{MemoryStore, Snapshot, Store};
/// use tuckbox::{Env, Timestamp, rule};
///
/// let mut store = MemoryStore::new();
/// store.project("p1").add_box("notes", ["n1", "n2", "n3"]);
/// let call = ForkBox { box_id: "notes".into(), take: Some(2), operation_id: None };
/// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let preview = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
/// assert_eq!(preview.value.card_ids.len(), 2);
/// assert_eq!(store.tables("p1").unwrap().boxes().count(), 1, "nothing is written yet");
/// store.commit(&preview.writes)?;
/// assert_eq!(store.tables("p1").unwrap().boxes().count(), 2);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn preview<R: Rule>(
    rule: &R,
    snapshot: &mut Snapshot,
    env: &Env,
    store: &impl Store,
) -> Result<Outcome<R::Value>> {
    for _ in 0..=MAX_ROUNDS {
        match rule.step(snapshot, env)? {
            Step::Done(outcome) => return Ok(outcome),
            Step::Need(reads) => snapshot.absorb(&reads, store.read(&reads)?)?,
        }
    }
    Err(too_many_rounds())
}

/// The error for a rule that keeps asking.
///
/// ```
/// let error = tuckbox::rule::too_many_rounds();
/// assert_eq!(error.code(), tuckbox::Code::Limit);
/// ```
pub fn too_many_rounds() -> Error {
    Error::limit(format!("the call was not answered after {MAX_ROUNDS} rounds of reads"))
}
