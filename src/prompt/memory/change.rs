//! Changes to memory as data, and the function that applies them.

use super::compaction::{self, Compaction};
use super::effect::{Effect, Step};
use super::results::{self, TaskResult};
use super::{IdStatus, Memory};
use crate::prompt::compose::Query;
use crate::prompt::lint::PromptLint;
use crate::render::RenderLint;
use crate::value::arguments::{Argument, arguments, read_tagged};
use crate::value::json::{Field, Json, Object, to_json, trim};
use crate::value::message::{Message, Messages, Role};
use crate::{Error, Lint, Path, Result};
use serde::Serialize;

/// A change to memory.
///
/// Shown by the example of [`reduce`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// Appends new messages, in order. Known messages are not appended again.
    Append(Vec<Message>),
    /// Replaces remembered messages by new versions with the same id, in their positions. The last
    /// version applies, so a caller that sends a version again must also send the later ones.
    Replace(Vec<Message>),
    /// Replaces messages by a summary.
    Compact(Compaction),
    /// Adds results of map-reduce workers, each under the `task_id` of its task.
    AddResults(Vec<Object>),
    /// Removes all results of map-reduce workers.
    ClearResults,
}

shape! {
    /// One change to memory. Applying it twice has the effect of applying it once.
    #[serde(tag = "op", rename_all = "snake_case")]
    pub enum Change {
        /// Appends new messages, in order.
        Append(MessageList),
        /// Replaces remembered messages, found by id.
        Replace(MessageList),
        /// Replaces messages by a summary.
        Compact(Compaction),
        /// Adds results of map-reduce workers, each under the `task_id` of its task.
        AddResults(ResultList),
        /// Removes all results of map-reduce workers.
        ClearResults,
    }
}

arguments! {
    /// Messages of a change.
    struct MessageList {
        /// The messages, each with an id.
        pub messages: Messages,
    }

    /// Results of map-reduce workers.
    struct ResultList {
        /// The results, each with the id of its task.
        pub results: Vec<TaskResult>,
    }

    struct NoMembers {}
}

impl Argument for Change {
    fn read(field: &Field<'_>) -> Result<Self> {
        let op = field.object()?.required("op")?;
        match op.string()? {
            "append" => {
                read_tagged(field, "op").map(|list: MessageList| Self::Append(list.messages))
            }
            "replace" => {
                read_tagged(field, "op").map(|list: MessageList| Self::Replace(list.messages))
            }
            "compact" => read_tagged(field, "op").map(Self::Compact),
            "add_results" => {
                let ResultList { results } = read_tagged(field, "op")?;
                Ok(Self::AddResults(results.into_iter().map(|result| result.0).collect()))
            }
            "clear_results" => read_tagged(field, "op").map(|_: NoMembers| Self::ClearResults),
            other => Err(op.error(format!(
                "unknown change `{other}`; expected one of `append`, `replace`, `compact`, \
                 `add_results`, `clear_results`"
            ))),
        }
    }
}

impl Change {
    /// Returns how many remembered messages the change visits. A result counts as several messages.
    pub(super) fn visits(&self, memory: &Memory) -> usize {
        match self {
            Self::Append(_) | Self::Replace(_) => 0,
            Self::Compact(_) => memory.messages.len(),
            Self::AddResults(_) | Self::ClearResults => 5 * results::count(memory),
        }
    }
}

/// Memory after a change, and the effects of the change.
///
/// Shown by the example of [`reduce`].
#[derive(Clone, Debug, Serialize)]
pub struct Reduced {
    /// Memory after the change.
    pub memory: Memory,
    /// The effect on each message, in order.
    pub ledger: Vec<Step>,
    /// Warnings about accepted values.
    pub lints: Vec<Lint>,
}

/// Applies a change, all of it or nothing.
///
/// # Errors
/// - `bad_request`: a message without an id, a system or internal message, or a replacement of
///   another role. Also a compaction that covers nothing, a message twice, or the open query.
/// - `conflict`: an id that is taken by another message, a message that is covered already, a
///   summary that would be lost.
/// - `not_found`: a replacement or a cover of an unknown message.
///
/// ```
/// use tuckbox::prompt::memory::{Change, Effect, Memory, reduce};
/// use tuckbox::{Code, Message};
///
/// let ask = Change::Append(vec![Message::user("why?").with_id("m1")]);
/// let reduced = reduce(Memory::new(), &ask)?;
/// assert_eq!(reduced.ledger[0].effect, Effect::Appended { position: 0 });
/// let again = reduce(reduced.memory, &ask)?;
/// assert_eq!(again.ledger[0].effect, Effect::AlreadyThere { position: 0 });
/// let taken = Change::Append(vec![Message::user("who?").with_id("m1")]);
/// assert_eq!(reduce(again.memory, &taken).unwrap_err().code(), Code::Conflict);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn reduce(mut memory: Memory, change: &Change) -> Result<Reduced> {
    let mut lints = Vec::new();
    let ledger = match change {
        Change::Append(messages) => append(&mut memory, messages, &mut lints)?,
        Change::Replace(messages) => replace(&mut memory, messages, &mut lints)?,
        Change::Compact(given) => compaction::apply(&mut memory, given, &mut lints)?,
        Change::AddResults(given) => results::add(&mut memory, given)?,
        Change::ClearResults => results::clear(&mut memory)?,
    };
    Ok(Reduced { memory, ledger, lints })
}

/// Memory with the query, and the composer's `query`.
///
/// Shown by the example of [`enter`].
#[derive(Clone, Debug, Serialize)]
pub struct Entered {
    /// Memory with the query, which is appended unless memory has it.
    pub memory: Memory,
    /// The composer's `query`: always a message of the checkpoint.
    pub query: Query,
    /// The effect on the message of the query.
    pub ledger: Vec<Step>,
    /// Warnings about accepted values.
    pub lints: Vec<Lint>,
}

/// Adds a query to memory. A query that is sent again is appended once, and the composer finds it in
/// the checkpoint.
///
/// ```
/// use tuckbox::prompt::compose::Query;
/// use tuckbox::prompt::memory::{Memory, enter};
/// use tuckbox::Message;
///
/// let first = enter(Memory::new(), Message::user("why?").with_id("m1"))?;
/// // the client lost the answer and asks again under another id
/// let again = enter(first.memory, Message::user("why?").with_id("m7"))?;
/// assert_eq!(again.query, Query::InCheckpoint(Some("m1".to_owned())));
/// assert_eq!(again.memory.messages().count(), 1);
/// # Ok::<(), tuckbox::Error>(())
/// ```
///
/// # Errors
/// As [`reduce`]; `bad_request` if the message is not of a human, `conflict` if a summary already
/// covers the query.
pub fn enter(memory: Memory, query: Message) -> Result<Entered> {
    if !query.role.is_human() {
        return Err(
            Error::bad_request("a query must have the role `user`").at(Path::root().key("role"))
        );
    }
    let given = query.id.clone().unwrap_or_default();
    let appended = reduce(memory, &Change::Append(vec![query]));
    let Reduced { memory, ledger, lints } =
        appended.map_err(|error| strip(error, &Path::root().key("messages").index(0)))?;
    let id = match memory.id_status(&given) {
        IdStatus::RepeatOf(first) => first.to_owned(),
        IdStatus::Here(_) | IdStatus::CoveredBy(_) | IdStatus::Compaction | IdStatus::Unknown => {
            given
        }
    };
    if let Some(by) = memory.covered_by(&id) {
        return Err(Error::conflict(format!(
            "the query `{id}` was asked before and is covered by the summary of `{by}`"
        ))
        .at(Path::root().key("id")));
    }
    Ok(Entered { memory, query: Query::InCheckpoint(Some(id)), ledger, lints })
}

/// Returns the error with its path relative to the value at `outer`.
fn strip(error: Error, outer: &Path) -> Error {
    let steps = error.path().steps();
    match steps.strip_prefix(outer.steps()) {
        Some(tail) => {
            let path = Path::from_steps(tail.to_vec());
            error.at(path)
        }
        None => error,
    }
}

fn append(memory: &mut Memory, given: &[Message], lints: &mut Vec<Lint>) -> Result<Vec<Step>> {
    let mut ledger = Vec::with_capacity(given.len());
    for (index, message) in given.iter().enumerate() {
        let at = Path::root().key("messages").index(index);
        let id = fit(message, &at)?;
        let effect = append_one(memory, message, id, &at, lints)?;
        ledger.push(Step { id: id.to_owned(), effect });
    }
    Ok(ledger)
}

/// Appends one message that was found [fit](fit), unless it is known.
pub(super) fn append_one(
    memory: &mut Memory,
    message: &Message,
    id: &str,
    at: &Path,
    lints: &mut Vec<Lint>,
) -> Result<Effect> {
    match memory.id_status(id) {
        IdStatus::Here(position) => {
            let kept = memory.messages.get(id).is_some_and(|known| same(known, message));
            if kept || memory.replaced.contains(id) {
                return Ok(Effect::AlreadyThere { position });
            }
            Err(Error::conflict(format!(
                "another message has the id `{id}`; to change a remembered message, replace it"
            ))
            .at(at.key("id")))
        }
        IdStatus::CoveredBy(by) => Ok(Effect::AlreadyCovered { by: by.to_owned() }),
        IdStatus::RepeatOf(of) => Ok(Effect::Repeat { of: of.to_owned() }),
        IdStatus::Compaction => {
            Err(Error::conflict(format!("the id `{id}` belongs to a compaction")).at(at.key("id")))
        }
        IdStatus::Unknown => {
            remark_on_role(message, at, lints);
            if let Some(of) = memory.repeated_by(message).map(str::to_owned) {
                let text = format!("`{id}` repeats the open query `{of}`");
                lints.push(Lint::new(PromptLint::RepeatedQuery, at.clone(), text));
                memory.repeats.insert(id.to_owned(), of.clone());
                return Ok(Effect::Repeat { of });
            }
            let position = memory.messages.len();
            memory.messages.insert(id.to_owned(), message.clone());
            Ok(Effect::Appended { position })
        }
    }
}

fn replace(memory: &mut Memory, given: &[Message], lints: &mut Vec<Lint>) -> Result<Vec<Step>> {
    let mut ledger = Vec::with_capacity(given.len());
    for (index, message) in given.iter().enumerate() {
        let at = Path::root().key("messages").index(index);
        let id = fit(message, &at)?;
        let missing = |why: String| Err(Error::not_found(why).at(at.key("id")));
        let effect = match memory.id_status(id) {
            IdStatus::Here(position) => {
                if let Some(known) = memory.messages.get_mut(id) {
                    if known.role != message.role {
                        let role = known.role.to_json().text_form();
                        let text = format!("the message `{id}` has the role `{role}` and keeps it");
                        return Err(Error::bad_request(text).at(at.key("role")));
                    }
                    *known = message.clone();
                }
                memory.replaced.insert(id.to_owned());
                Effect::Replaced { position }
            }
            IdStatus::CoveredBy(by) => {
                let text =
                    format!("`{id}` left memory before this version arrived; `{by}` covers it");
                lints.push(Lint::new(PromptLint::ReplacedTooLate, at.clone(), text));
                Effect::AlreadyCovered { by: by.to_owned() }
            }
            IdStatus::RepeatOf(of) => {
                return missing(format!("`{id}` only repeats `{of}`; replace that"));
            }
            IdStatus::Compaction => return missing(format!("`{id}` is a compaction")),
            IdStatus::Unknown => return missing(format!("no message `{id}` to replace")),
        };
        ledger.push(Step { id: id.to_owned(), effect });
    }
    Ok(ledger)
}

/// Returns the id of a message that memory can have.
fn fit<'a>(message: &'a Message, at: &Path) -> Result<&'a str> {
    if let Some((key, why)) = never_remembered(message) {
        return Err(Error::bad_request(why).at(at.key(key)));
    }
    match message.id.as_deref() {
        Some(id) if !trim(id).is_empty() => Ok(id),
        Some(_) | None => {
            Err(Error::bad_request("a remembered message must have an id").at(at.key("id")))
        }
    }
}

/// Returns the key that excludes a message from memory, and the reason.
pub(super) fn never_remembered(message: &Message) -> Option<(&'static str, &'static str)> {
    match message.role {
        Role::System | Role::Developer => Some((
            "role",
            "a system message is never remembered; a summary goes into `compression__context`",
        )),
        Role::User | Role::Assistant | Role::Tool | Role::Other(_) => {
            let internal = message.extra.get("internal").is_some_and(Json::is_truthy);
            internal.then_some(("internal", "an internal message is for one call only"))
        }
    }
}

pub(super) fn remark_on_role(message: &Message, at: &Path, lints: &mut Vec<Lint>) {
    if let Role::Other(role) = &message.role {
        let text = format!("unknown role `{}`", role.text_form());
        lints.push(Lint::new(RenderLint::UnknownRole, at.key("role"), text));
    }
}

/// Returns true if both are the same JSON value. A store can reorder keys and write `1.0` as `1`.
fn same(a: &Message, b: &Message) -> bool {
    a == b
        || match (to_json(a), to_json(b)) {
            (Ok(a), Ok(b)) => a.same_value(&b),
            (Ok(_) | Err(_), _) => false,
        }
}
