//! The operations of memory: JSON in, an immediate answer out.
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

use super::{Change, Memory, Restored, Step, WritePolicy};
use crate::rule::Immediate;
use crate::rule::lint::Lint;
use crate::value::json::{Field, Fields, Json, Object, to_json};
use crate::value::message::Message;
use crate::{Error, Limits, Path, Result};
use serde::Serialize;

/// What `change_memory` answers.
///
/// Shown by the example of [`change_memory`].
#[derive(Clone, Debug, Serialize)]
pub struct Changed {
    /// Memory after all changes.
    pub state: Memory,
    /// What became of each message of the state that came in, where it did not simply stay.
    pub restored: Vec<Step>,
    /// What became of each message, change by change.
    pub ledger: Vec<Vec<Step>>,
}

/// `change_memory`: a `state` and the `changes` to apply to it, all or none.
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
    let fields = Field::root(call).object()?;
    fields.only(&["op", "state", "changes"])?;
    check_messages(&fields, limits)?;
    let Restored { mut memory, ledger: restored, mut lints } =
        super::restore(&fields.required("state")?)?;
    let mut ledger = Vec::new();
    let changes = fields.required("changes")?;
    let path = changes.path();
    let mut looked_at = 0;
    for (index, change) in changes.list()?.iter().enumerate() {
        let path = path.index(index);
        let change = Change::from_json(change)?;
        looked_at += change.looks_at(&memory);
        check_looked_at(looked_at, limits, &path)?;
        let reduced = super::reduce(memory, &change).map_err(|error| error.within(&path))?;
        memory = reduced.memory;
        ledger.push(reduced.ledger);
        lints.extend(reduced.lints.into_iter().map(|lint| within(&path, lint)));
    }
    Ok(Immediate::with_lints(Changed { state: memory, restored, ledger }, lints))
}

/// Refuses changes that look at everything again and again.
fn check_looked_at(found: usize, limits: &Limits, path: &Path) -> Result<()> {
    let most = limits.max_messages.saturating_mul(400);
    if found <= most {
        return Ok(());
    }
    let said = "the changes up to this one look at more than 400 times as many messages and results \
                as `max_messages` allows: send them in several calls";
    Err(Error::limit(said).at(path.clone()).detail("max_messages", limits.max_messages))
}

shape! {
    /// What `enter_query` answers.
    pub struct Entered {
        /// Memory with the query in it.
        pub state: Memory,
        /// Where the composer finds the query.
        pub query: crate::prompt::compose::Query,
        /// What became of each message of the state that came in, where it did not simply stay.
        pub restored: Vec<Step>,
        /// What became of the query.
        pub ledger: Vec<Step>,
    }

    /// What `write_back` answers.
    pub struct WrittenBack {
        /// What is kept.
        pub state: Object,
        /// The layers that were written.
        pub written: Vec<crate::prompt::compose::Layer>,
        pub left_out: Vec<super::NotWritten>,
        /// What became of each message of the state that came in, where it did not simply stay.
        pub restored: Vec<Step>,
    }

    fn enter_query() -> Entered;
    fn write_back() -> WrittenBack;
}

/// `enter_query`: a `state` and the message of a `query`; the answer's `query` is the composer's.
///
/// # Errors
/// As [`super::restore`] and [`super::enter`].
///
/// ```
/// use tuckbox::prompt::memory::operations::enter_query;
/// use tuckbox::{Limits, json};
///
/// let call = json!({"state": {"messages": []}, "query": {"id": "m1", "role": "user", "content": "why?"}});
/// let answer = enter_query(&call, &Limits::default())?;
/// assert_eq!(answer.value().get("query"), Some(&json!({"in_checkpoint": "m1"})));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn enter_query(call: &Json, limits: &Limits) -> Result<Immediate> {
    let fields = Field::root(call).object()?;
    fields.only(&["op", "state", "query"])?;
    check_messages(&fields, limits)?;
    let Restored { memory, ledger: restored, mut lints } =
        super::restore(&fields.required("state")?)?;
    let query = fields.required("query")?;
    let entered = super::enter(memory, Message::from_json(&query)?)
        .map_err(|error| error.within(&query.path()))?;
    let path = query.path();
    lints.extend(entered.lints.into_iter().map(|lint| within(&path, lint)));
    let value = Json::from([
        ("state", to_json(&entered.memory)?),
        ("query", to_json(&entered.query)?),
        ("restored", to_json(&restored)?),
        ("ledger", to_json(&entered.ledger)?),
    ]);
    Ok(Immediate::with_lints(value, lints))
}

/// `write_back`: what of a `state` and a call's `contexts` is kept, under a
/// [`policy`](WritePolicy).
///
/// # Errors
/// As [`super::restore`], [`WritePolicy::from_json`] and [`super::write_back`].
///
/// ```
/// use tuckbox::prompt::memory::operations::write_back;
/// use tuckbox::{Limits, json};
///
/// let call = json!({"state": {"messages": []}, "contexts": {"todo__context": "1. read", "framework__context": "f"},
///     "policy": {"reproducible": ["todo__context"]}});
/// let answer = write_back(&call, &Limits::default())?;
/// assert_eq!(answer.value().get("state"), Some(&json!({"messages": [], "todo__context": "1. read"})));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn write_back(call: &Json, limits: &Limits) -> Result<Immediate> {
    let fields = Field::root(call).object()?;
    fields.only(&["op", "state", "contexts", "policy"])?;
    check_messages(&fields, limits)?;
    let Restored { memory, ledger: restored, mut lints } =
        super::restore(&fields.required("state")?)?;
    let contexts = match fields.optional("contexts") {
        None => Object::default(),
        Some(contexts) => contexts.object()?.json().clone(),
    };
    let policy = match fields.optional("policy") {
        None => WritePolicy::new(),
        Some(policy) => WritePolicy::from_json(&policy)?,
    };
    let written = super::write_back(&memory, &contexts, &policy)?;
    lints.extend(written.lints);
    let value = Json::from([
        ("state", written.state),
        ("written", to_json(&written.written)?),
        ("left_out", to_json(&written.left_out)?),
        ("restored", to_json(&restored)?),
    ]);
    Ok(Immediate::with_lints(value, lints))
}

/// Refuses a call whose state and changes have too many messages together, at the list that is one
/// too many.
fn check_messages(call: &Fields<'_>, limits: &Limits) -> Result<()> {
    let changes = call.json().get("changes").and_then(Json::as_array).unwrap_or_default();
    let places = (0..).map(|index| call.path().key("changes").index(index));
    let state = call.json().get("state").map(|state| (state, call.path().key("state")));
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
