//! Rules: pure functions from a snapshot to an outcome or to the reads that they still need.
//!
//! **A rule performs no IO and uses no clock and no randomness.** Every host runs the same loop:
//!
//! 1. Call [`Rule::step`] with the snapshot and the environment.
//! 2. On [`Step::Need`], read those keys, [absorb](Snapshot::absorb) the answers, go to 1.
//! 3. On [`Step::Done`], inspect the [`Outcome`]: it is the preview.
//! 4. To commit, pass its writes to the store unchanged.
//!
//! [`preview`] runs this loop over a [`Store`]. Hosts with asynchronous stores write the loop
//! themselves.
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
mod authority;
pub mod box_turns;
mod call;
pub(crate) mod card_turns;
mod composer;
mod cursor;
mod defaults;
mod dependencies;
mod dialect;
pub mod hash;
mod immediate;
pub mod ledger;
pub mod lint;
pub mod merge;
pub mod refusal;

pub(crate) use authority::Warrant;
pub use authority::{AuthorityPolicy, GrantedBy, Grants};
pub use call::{AnyOutcome, Call, Value};
pub use composer::{Composer, CompressionPlace};
pub use cursor::Cursor;
pub use defaults::Defaults;
pub(crate) use dependencies::Dependencies;
pub use dialect::{Dialect, DialectName};
pub use immediate::Immediate;

use crate::store::{AsyncStore, Reads, Receipt, Snapshot, Store, Writes};
use crate::value::env::Env;
use crate::{Error, Result};
use hash::ContentHash;
use ledger::Ledger;
use lint::Lint;

/// The state of a rule after one call of [`Rule::step`].
///
/// ```
/// use tuckbox::rule::Step;
/// use tuckbox::store::{Kind, Reads};
///
/// let mut reads = Reads::new("p1".into());
/// reads.add(Kind::Boxes, "notes");
/// let step: Step<u32> = Step::Need(reads);
/// // `map` changes only the value of a finished step
/// assert!(matches!(step.map(|count| count + 1), Step::Need(_)));
/// assert!(matches!(Step::Done(1).map(|count| count + 1), Step::Done(2)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Step<T> {
    /// The rule needs the values of these keys to continue.
    Need(Reads),
    /// The rule is finished.
    Done(T),
}

impl<T> Step<T> {
    /// Returns the step with its answer changed by `change`.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Step<U> {
        match self {
            Self::Need(reads) => Step::Need(reads),
            Self::Done(answer) => Step::Done(change(answer)),
        }
    }

    /// Continues with `next` when the step is done.
    ///
    /// # Errors
    /// Returns the errors of `next`.
    pub fn and_then<U>(self, next: impl FnOnce(T) -> Result<Step<U>>) -> Result<Step<U>> {
        match self {
            Self::Need(reads) => Ok(Step::Need(reads)),
            Self::Done(answer) => next(answer),
        }
    }
}

/// Evaluates to the answer of a step. If the step needs reads, the enclosing function returns them.
macro_rules! ready {
    ($step:expr) => {
        match $step {
            $crate::rule::Step::Need(reads) => return Ok($crate::rule::Step::Need(reads)),
            $crate::rule::Step::Done(answer) => answer,
        }
    };
}

pub(crate) use ready;

/// A pure function from a snapshot to an outcome.
///
/// ```
/// use tuckbox::rule::{Cursor, Immediate, MAX_ROUNDS, Outcome, Rule, Step};
/// use tuckbox::store::{Presence, Snapshot};
/// use tuckbox::{Env, Timestamp};
///
/// /// Counts the cards of a box.
/// struct Size(&'static str);
///
/// impl Rule for Size {
///     type Value = usize;
///     fn step(&self, snapshot: &Snapshot, env: &Env) -> tuckbox::Result<Step<Outcome<usize>>> {
///         let mut cursor = Cursor::new(snapshot);
///         let Presence::Read(found) = cursor.card_box(self.0)? else { return Ok(cursor.need()) };
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
/// assert!(MAX_ROUNDS > 1, "the number of rounds is bounded");
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub trait Rule {
    /// The value of the outcome.
    type Value;

    /// Returns the outcome, or the reads that the rule still needs.
    ///
    /// # Errors
    /// When the call is invalid, or names something that does not exist. An error writes nothing.
    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Self::Value>>>;
}

/// The result of a rule before it is committed: the answer, the writes, and the reason for each
/// card.
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
/// // the hash covers the writes, not the value
/// assert_eq!(outcome.content_hash()?, outcome.map(|made| made.box_id).content_hash()?);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome<V> {
    /// The answer to the call.
    pub value: V,
    /// The batch that a commit sends unchanged.
    pub writes: Writes,
    /// The reason for each card and its position.
    pub ledger: Ledger,
    /// The lints of the call.
    pub lints: Vec<Lint>,
}

impl<V> Outcome<V> {
    /// Returns the hash of the created cards and boxes. It is the same before and after the commit.
    pub fn content_hash(&self) -> Result<ContentHash> {
        ContentHash::of_writes(&self.writes)
    }

    /// Returns an outcome that writes nothing.
    pub(crate) fn answer(value: V, lints: Vec<Lint>, snapshot: &Snapshot, env: &Env) -> Self {
        let operation_id = env.minter().operation_id();
        let writes = Writes::new(snapshot.project_id().clone(), operation_id, env.now);
        Self { value, writes, ledger: Ledger::default(), lints }
    }

    /// Returns the outcome with its value changed by `change`.
    pub fn map<W>(self, change: impl FnOnce(V) -> W) -> Outcome<W> {
        let Self { value, writes, ledger, lints } = self;
        Outcome { value: change(value), writes, ledger, lints }
    }
}

/// The maximum number of read rounds of a rule.
///
/// Shown by the example of [`Rule`].
pub const MAX_ROUNDS: usize = 8;

/// Runs a rule over a store until it is done. It writes nothing.
///
/// # Errors
/// Returns the errors of the rule and of the store; `limit` when a rule is not done after
/// [`MAX_ROUNDS`].
///
/// ```
/// use tuckbox::cards::ForkBox;
/// use tuckbox::store::{MemoryStore, Snapshot, Store};
/// use tuckbox::{Env, Timestamp, rule};
///
/// let mut store = MemoryStore::new();
/// store.project("p1").add_box("notes", ["n1", "n2", "n3"]);
/// let call = ForkBox { box_id: "notes".into(), take: Some(2), source_agent_id: None, operation_id: None };
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

/// Runs a rule over an asynchronous store until it is done. It writes nothing.
///
/// The future can be dropped at any await. The snapshot then has the rows that were read.
///
/// # Errors
/// Those of [`preview`].
///
/// ```
/// use std::pin::pin;
/// use std::sync::Mutex;
/// use std::task::{Context, Poll, Waker};
/// use tuckbox::cards::CreateBox;
/// use tuckbox::store::{Answers, AsyncStore, MemoryStore, Reads, Receipt, Snapshot, Store, Writes};
/// use tuckbox::{Env, Timestamp, json, rule};
///
/// struct Shared(Mutex<MemoryStore>);
///
/// impl AsyncStore for Shared {
///     async fn read(&self, reads: &Reads) -> tuckbox::Result<Answers> {
///         self.0.lock().unwrap().read(reads)
///     }
///     async fn commit(&self, writes: &Writes) -> tuckbox::Result<Receipt> {
///         self.0.lock().unwrap().commit(writes)
///     }
/// }
///
/// let store = Shared(Mutex::new(MemoryStore::new()));
/// let mut work = pin!(async {
///     let call = CreateBox::from_json(&json!({"box_id": "notes", "card_ids": ["n1"]}))?;
///     let env = Env::new(Timestamp::from_millis(0), [7; 32]);
///     let mut snapshot = Snapshot::new("demo".into());
///     let preview = rule::preview_async(&call, &mut snapshot, &env, &store).await?;
///     rule::commit_async(&preview, &mut snapshot, &store).await
/// });
/// // this store never waits, so one poll finishes the work
/// let Poll::Ready(receipt) = work.as_mut().poll(&mut Context::from_waker(Waker::noop())) else { panic!() };
/// assert_eq!(receipt?.boxes[0].version, 1);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub async fn preview_async<R: Rule>(
    rule: &R,
    snapshot: &mut Snapshot,
    env: &Env,
    store: &impl AsyncStore,
) -> Result<Outcome<R::Value>> {
    for _ in 0..=MAX_ROUNDS {
        match rule.step(snapshot, env)? {
            Step::Done(outcome) => return Ok(outcome),
            Step::Need(reads) => snapshot.absorb(&reads, store.read(&reads).await?)?,
        }
    }
    Err(too_many_rounds())
}

/// Sends the writes of a preview unchanged to an asynchronous store, and applies them to the
/// snapshot. It does not call the store when there is nothing to write.
///
/// # Errors
/// Those of [`AsyncStore::commit`]. The snapshot then has its old rows: preview again with a new one.
///
/// ```
/// # use std::pin::pin;
/// # use std::sync::Mutex;
/// # use std::task::{Context, Poll, Waker};
/// use tuckbox::cards::CreateBox;
/// # use tuckbox::store::{Answers, AsyncStore, MemoryStore, Reads, Receipt, Snapshot, Store, Writes};
/// use tuckbox::{Env, Timestamp, json, rule};
/// #
/// # struct Shared(Mutex<MemoryStore>);
/// #
/// # impl AsyncStore for Shared {
/// #     async fn read(&self, reads: &Reads) -> tuckbox::Result<Answers> {
/// #         self.0.lock().unwrap().read(reads)
/// #     }
/// #     async fn commit(&self, writes: &Writes) -> tuckbox::Result<Receipt> {
/// #         self.0.lock().unwrap().commit(writes)
/// #     }
/// # }
/// #
/// # let store = Shared(Mutex::new(MemoryStore::new()));
/// # let mut snapshot = Snapshot::new("demo".into());
/// # let mut work = pin!(async {
///
/// let call = CreateBox::from_json(&json!({"box_id": "notes", "card_ids": ["n1"]}))?;
/// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let preview = rule::preview_async(&call, &mut snapshot, &env, &store).await?;
/// let receipt = rule::commit_async(&preview, &mut snapshot, &store).await?;
/// assert_eq!((receipt.repeated, receipt.boxes[0].version), (false, 1));
/// // the same batch applies once
/// assert!(rule::commit_async(&preview, &mut snapshot, &store).await?.repeated);
/// # Ok::<(), tuckbox::Error>(())
/// # });
/// # let Poll::Ready(done) = work.as_mut().poll(&mut Context::from_waker(Waker::noop())) else { panic!() };
/// # done.unwrap();
/// ```
pub async fn commit_async<V: Sync>(
    preview: &Outcome<V>,
    snapshot: &mut Snapshot,
    store: &impl AsyncStore,
) -> Result<Receipt> {
    let writes = &preview.writes;
    if writes.is_empty() {
        let operation_id = writes.operation_id.clone();
        return Ok(Receipt { operation_id, repeated: false, boxes: Vec::new() });
    }
    let receipt = store.commit(writes).await?;
    snapshot.committed(writes, &receipt);
    Ok(receipt)
}

/// Returns the error for a rule that is not done after [`MAX_ROUNDS`].
///
/// ```
/// let error = tuckbox::rule::too_many_rounds();
/// assert_eq!(error.code(), tuckbox::Code::Limit);
/// ```
pub fn too_many_rounds() -> Error {
    Error::limit(format!("the call needs more than {MAX_ROUNDS} rounds of reads"))
}
