//! The operations of memory. They read nothing from a store.
//!
//! ```
//! use tuckbox::prompt::memory::operations::change_memory;
//! use tuckbox::{Limits, json};
//!
//! let call = json!({"state": {}, "changes": [{"op": "append", "messages": [{"id": "m1", "role": "user", "content": "why?"}]}]});
//! let answer = change_memory(&call, &Limits::default())?;
//! assert_eq!(answer.value().state.messages().count(), 1);
//! # Ok::<(), tuckbox::Error>(())
//! ```

use super::restore::State;
use super::{Change, Memory, NotWritten, Restored, Step, WritePolicy, Written};
use crate::prompt::compose::{Contexts, Layer, Query};
use crate::rule::Immediate;
use crate::rule::lint::Lint;
use crate::value::arguments::arguments;
use crate::value::json::{Json, Object};
use crate::value::message::Message;
use crate::{Error, Limits, Path, Result};
use serde::Serialize;

/// The answer of `change_memory`.
///
/// Shown by the example of [`change_memory`].
#[derive(Clone, Debug, Serialize)]
pub struct Changed {
    /// Memory after all changes.
    pub state: Memory,
    /// The effect on each message of the given state, unless it stayed unchanged.
    pub restored: Vec<Step>,
    /// The effects on messages, by change.
    pub ledger: Vec<Vec<Step>>,
}

arguments! {
    /// Applies changes to a memory state, all or none.
    struct ChangeMemory {
        /// The state.
        pub state: State,
        /// The changes, in order.
        pub changes: Vec<Change>,
    }

    /// Adds a query to a memory state, exactly once.
    struct EnterQuery {
        /// The state.
        pub state: State,
        /// The message of the query, with an id.
        pub query: MessageOrText,
    }

    /// Returns what a memory state persists.
    struct WriteBack {
        /// The state.
        pub state: State,
        /// The blocks of the call.
        pub contexts: Contexts = Contexts::new(),
        /// The blocks that a restore must return verbatim.
        pub policy: WritePolicy = WritePolicy::new(),
    }
}

type MessageOrText = Message;

shape! {
    pub type MessageOrText = OrText<Message>;

    fn change_memory(arguments: ChangeMemory);
    fn enter_query(arguments: EnterQuery);
    fn write_back(arguments: WriteBack);
}

/// Applies `changes` to a `state`, all or none.
///
/// # Errors
/// As [`super::restore`] and [`super::reduce`].
///
/// ```
/// use tuckbox::prompt::memory::operations::change_memory;
/// use tuckbox::{Limits, json};
///
/// let ask = json!({"op": "append", "messages": [{"id": "m1", "role": "user", "content": "why?"}]});
/// let answer = change_memory(&json!({"state": {}, "changes": [ask.clone(), ask]}), &Limits::default())?;
/// let ledger = &answer.value().ledger;
/// assert_eq!((ledger.len(), ledger[1][0].id.as_str()), (2, "m1"));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn change_memory(call: &Json, limits: &Limits) -> Result<Immediate<Changed>> {
    check_messages(call, limits)?;
    let ChangeMemory { state, changes } = ChangeMemory::from_json(call)?;
    let Restored { mut memory, ledger: restored, mut lints } = state;
    let mut ledger = Vec::new();
    let mut visited = 0;
    for (index, change) in changes.iter().enumerate() {
        let path = Path::root().key("changes").index(index);
        visited += change.visits(&memory);
        check_visited(visited, limits, &path)?;
        let reduced = super::reduce(memory, change).map_err(|error| error.within(&path))?;
        memory = reduced.memory;
        ledger.push(reduced.ledger);
        lints.extend(reduced.lints.into_iter().map(|lint| within(&path, lint)));
    }
    Ok(Immediate::with_lints(Changed { state: memory, restored, ledger }, lints))
}

/// Refuses changes that visit all messages too often.
fn check_visited(visited: usize, limits: &Limits, path: &Path) -> Result<()> {
    let max_visited = limits.max_messages.saturating_mul(400);
    if visited <= max_visited {
        return Ok(());
    }
    let message = "the changes up to this one visit more than 400 times `max_messages` messages and \
                   results; send them in several calls";
    Err(Error::limit(message).at(path.clone()).detail("max_messages", limits.max_messages))
}

/// The answer of `enter_query`.
///
/// Shown by the example of [`enter_query`].
#[derive(Clone, Debug, Serialize)]
pub struct Entered {
    /// Memory with the query.
    pub state: Memory,
    /// The composer's `query`.
    pub query: Query,
    /// The effect on each message of the given state, unless it stayed unchanged.
    pub restored: Vec<Step>,
    /// The effect on the message of the query.
    pub ledger: Vec<Step>,
}

/// Adds the message of a `query` to a `state`. The `query` of the answer is for the composer.
///
/// # Errors
/// As [`super::restore`] and [`super::enter`].
///
/// ```
/// use tuckbox::prompt::compose::Query;
/// use tuckbox::prompt::memory::operations::enter_query;
/// use tuckbox::{Limits, json};
///
/// let call = json!({"state": {"messages": []}, "query": {"id": "m1", "role": "user", "content": "why?"}});
/// let answer = enter_query(&call, &Limits::default())?;
/// assert_eq!(answer.value().query, Query::InCheckpoint(Some("m1".to_owned())));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn enter_query(call: &Json, limits: &Limits) -> Result<Immediate<Entered>> {
    check_messages(call, limits)?;
    let EnterQuery { state, query } = EnterQuery::from_json(call)?;
    let Restored { memory, ledger: restored, mut lints } = state;
    let path = Path::root().key("query");
    let entered = super::enter(memory, query).map_err(|error| error.within(&path))?;
    lints.extend(entered.lints.into_iter().map(|lint| within(&path, lint)));
    let super::Entered { memory: state, query, ledger, .. } = entered;
    Ok(Immediate::with_lints(Entered { state, query, restored, ledger }, lints))
}

/// The answer of `write_back`.
///
/// Shown by the example of [`write_back`].
#[derive(Clone, Debug, Serialize)]
pub struct WrittenBack {
    /// The state to store.
    pub state: Object,
    /// The layers that were written.
    pub written: Vec<Layer>,
    /// The blocks that were not written, with the reason.
    pub left_out: Vec<NotWritten>,
    /// The effect on each message of the given state, unless it stayed unchanged.
    pub restored: Vec<Step>,
}

/// Returns the parts of a `state` and of a call's `contexts` that a [`policy`](WritePolicy) stores.
///
/// # Errors
/// As [`super::restore`], [`WritePolicy::reproducible`] and [`super::write_back`].
///
/// ```
/// use tuckbox::prompt::memory::operations::write_back;
/// use tuckbox::{Json, Limits, json};
///
/// let call = json!({"state": {"messages": []}, "contexts": {"todo__context": "1. read", "framework__context": "f"},
///     "policy": {"reproducible": ["todo__context"]}});
/// let answer = write_back(&call, &Limits::default())?;
/// let state = Json::Object(answer.value().state.clone());
/// assert_eq!(state, json!({"messages": [], "todo__context": "1. read"}));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn write_back(call: &Json, limits: &Limits) -> Result<Immediate<WrittenBack>> {
    check_messages(call, limits)?;
    let WriteBack { state, contexts, policy } = WriteBack::from_json(call)?;
    let Restored { memory, ledger: restored, mut lints } = state;
    let Written { state, written, left_out, lints: more } =
        super::write_back(&memory, &contexts, &policy)?;
    lints.extend(more);
    Ok(Immediate::with_lints(WrittenBack { state, written, left_out, restored }, lints))
}

/// Refuses a call whose state and changes have too many messages together, at the list that exceeds
/// the limit.
fn check_messages(call: &Json, limits: &Limits) -> Result<()> {
    let root = Path::root();
    let changes = call.get("changes").and_then(Json::as_array).unwrap_or_default();
    let places = (0..).map(|index| root.key("changes").index(index));
    let state = call.get("state").map(|state| (state, root.key("state")));
    let mut messages = 0;
    for (of, path) in state.into_iter().chain(changes.iter().zip(places)) {
        messages += of.get("messages").and_then(Json::as_array).map_or(0, <[Json]>::len);
        limits.check_messages(messages, &path.key("messages"))?;
    }
    Ok(())
}

fn within(outer: &Path, mut lint: Lint) -> Lint {
    lint.path = outer.join(&lint.path);
    lint
}
