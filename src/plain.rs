//! Calls that bring all they need: nothing is read for them and they write nothing.
//!
//! The composer, the collector and memory are plain functions; here they stand behind the
//! [door](crate::door), one operation each.
//!
//! ```
//! use tuckbox::{Json, plain};
//!
//! let call = Json::parse(r#"{"op": "change_memory", "state": {}, "changes": [
//!     {"op": "append", "messages": [{"id": "m1", "role": "user", "content": "go"}]}]}"#)?;
//! assert_eq!(
//!     plain::change_memory(&call)?.value().to_string(),
//!     concat!(
//!         r#"{"state":{"messages":[{"role":"user","content":"go","id":"m1"}]},"#,
//!         r#""restored":[],"ledger":[[{"id":"m1","effect":"appended","position":0}]]}"#
//!     )
//! );
//! # Ok::<(), tuckbox::Error>(())
//! ```

use crate::collect::{CollectInput, collect};
use crate::compose::{ComposeInput, Composer, Process, lifecycle};
use crate::env::Env;
use crate::json::{Field, Fields, Json, Object, to_json};
use crate::ledger::Ledger;
use crate::memory::{self, Change, Restored, WritePolicy};
use crate::message::Message;
use crate::rule::{Outcome, Rule, Step};
use crate::store::{Snapshot, Writes};
use crate::{Lint, Path, Result};

/// An answer that was there as soon as the call was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Plain {
    value: Json,
    lints: Vec<Lint>,
}

impl Plain {
    /// An answer without lints.
    pub const fn new(value: Json) -> Self {
        Self { value, lints: Vec::new() }
    }

    /// The answer.
    pub fn value(&self) -> &Json {
        &self.value
    }

    /// What was noticed and not refused.
    pub fn lints(&self) -> &[Lint] {
        &self.lints
    }
}

impl Rule for Plain {
    type Value = Json;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Json>>> {
        let operation_id = env.minter().uuid().to_string();
        Ok(Step::Done(Outcome {
            value: self.value.clone(),
            writes: Writes::new(snapshot.project_id().clone(), operation_id, env.now),
            ledger: Ledger::default(),
            lints: self.lints.clone(),
        }))
    }
}

/// `compose`: a [`ComposeInput`], and `composer` for the [policy](Composer).
///
/// # Errors
/// As [`ComposeInput::from_json`] and [`Composer::compose`].
pub fn compose(call: &Json) -> Result<Plain> {
    let fields = Field::root(call).object()?;
    let composer = match fields.optional("composer") {
        None => Composer::default(),
        Some(policy) => Composer::from_json(&policy)?,
    };
    let input = ComposeInput::from_fields(&fields, &["op", "composer"])?;
    let mut composed = composer.compose(&input)?;
    let lints = std::mem::take(&mut composed.lints);
    let value = object([
        ("messages", to_json(&composed.messages)?),
        ("ledger", to_json(&composed.ledger)?),
    ]);
    Ok(Plain { value, lints })
}

/// `collect_contexts`: a [`CollectInput`].
///
/// # Errors
/// As [`CollectInput::from_json`] and [`collect`].
pub fn collect_contexts(call: &Json) -> Result<Plain> {
    let fields = Field::root(call).object()?;
    let mut collected = collect(&CollectInput::from_fields(&fields, &["op"])?)?;
    let lints = std::mem::take(&mut collected.lints);
    let value = object([
        ("contexts", Json::Object(collected.contexts)),
        ("entries", to_json(&collected.entries)?),
        ("left_out", to_json(&collected.left_out)?),
    ]);
    Ok(Plain { value, lints })
}

/// `allowed_contexts`: which named blocks a `process` sees, with `enable_share_context` or the
/// process's default.
///
/// # Errors
/// `bad_request` for an unknown process kind.
pub fn allowed_contexts(call: &Json) -> Result<Plain> {
    let fields = Field::root(call).object()?;
    fields.only(&["op", "process", "enable_share_context"])?;
    let rule = Process::from_json(&fields.required("process")?)?.rule();
    let share = match fields.optional("enable_share_context") {
        None => rule.share_by_default,
        Some(share) => share.boolean()?,
    };
    let value = object([("keys", to_json(&rule.allowed_contexts(share))?)]);
    Ok(Plain { value, lints: Vec::new() })
}

/// `prompt_tables`: what each kind of process sees, and how long each layer lives, as data.
///
/// # Errors
/// `bad_request` for a key too many.
pub fn prompt_tables(call: &Json) -> Result<Plain> {
    Field::root(call).object()?.only(&["op"])?;
    let processes = Process::ALL.map(Process::rule);
    let value = object([
        ("processes", to_json(&processes.as_slice())?),
        ("layers", to_json(&lifecycle())?),
    ]);
    Ok(Plain { value, lints: Vec::new() })
}

/// `change_memory`: a `state` and the `changes` to apply to it, all or none.
///
/// # Errors
/// As [`memory::restore`] and [`memory::reduce`].
pub fn change_memory(call: &Json) -> Result<Plain> {
    let fields = Field::root(call).object()?;
    fields.only(&["op", "state", "changes"])?;
    let Restored { mut memory, ledger: restored, mut lints } =
        memory::restore(&fields.required("state")?)?;
    let mut ledger = Vec::new();
    let changes = fields.required("changes")?;
    let path = changes.path();
    for (index, change) in changes.list()?.iter().enumerate() {
        let path = path.index(index);
        let reduced = memory::reduce(memory, &Change::from_json(change)?)
            .map_err(|error| error.within(&path))?;
        memory = reduced.memory;
        ledger.push(reduced.ledger);
        lints.extend(reduced.lints.into_iter().map(|lint| within(&path, lint)));
    }
    let value = object([
        ("state", to_json(&memory)?),
        ("restored", to_json(&restored)?),
        ("ledger", to_json(&ledger)?),
    ]);
    Ok(Plain { value, lints })
}

/// `enter_query`: a `state` and the message of a `query`; the answer's `query` is the composer's.
///
/// # Errors
/// As [`memory::restore`] and [`memory::enter`].
pub fn enter_query(call: &Json) -> Result<Plain> {
    let fields = Field::root(call).object()?;
    fields.only(&["op", "state", "query"])?;
    let Restored { memory, ledger: restored, mut lints } =
        memory::restore(&fields.required("state")?)?;
    let query = fields.required("query")?;
    let entered = memory::enter(memory, Message::from_json(&query)?)
        .map_err(|error| error.within(&query.path()))?;
    let path = query.path();
    lints.extend(entered.lints.into_iter().map(|lint| within(&path, lint)));
    let value = object([
        ("state", to_json(&entered.memory)?),
        ("query", to_json(&entered.query)?),
        ("restored", to_json(&restored)?),
        ("ledger", to_json(&entered.ledger)?),
    ]);
    Ok(Plain { value, lints })
}

/// `write_back`: what of a `state` and a call's `contexts` is kept, under a
/// [`policy`](WritePolicy).
///
/// # Errors
/// As [`memory::restore`], [`WritePolicy::from_json`] and [`memory::write_back`].
pub fn write_back(call: &Json) -> Result<Plain> {
    let fields = Field::root(call).object()?;
    fields.only(&["op", "state", "contexts", "policy"])?;
    let Restored { memory, ledger: restored, mut lints } =
        memory::restore(&fields.required("state")?)?;
    let contexts = optional_object(&fields, "contexts")?;
    let policy = match fields.optional("policy") {
        None => WritePolicy::new(),
        Some(policy) => WritePolicy::from_json(&policy)?,
    };
    let written = memory::write_back(&memory, &contexts, &policy)?;
    lints.extend(written.lints);
    let value = object([
        ("state", written.state),
        ("written", to_json(&written.written)?),
        ("left_out", to_json(&written.left_out)?),
        ("restored", to_json(&restored)?),
    ]);
    Ok(Plain { value, lints })
}

fn object<const N: usize>(entries: [(&str, Json); N]) -> Json {
    Json::from(entries)
}

fn optional_object(fields: &Fields<'_>, key: &str) -> Result<Object> {
    fields.optional(key).map_or(Ok(Object::default()), |field| Ok(field.object()?.json().clone()))
}

fn within(outer: &Path, mut lint: Lint) -> Lint {
    lint.path = outer.join(&lint.path);
    lint
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::door::Call;
    use crate::settings::Defaults;

    /// A call through the door: its answer as text, and its lints.
    fn answer(call: &str) -> Result<(String, Vec<String>)> {
        let call = Call::from_json(&Json::parse(call)?, &Defaults::default())?;
        let env = Env::new(crate::Timestamp::from_millis(0), [7; 32]);
        match call.step(&Snapshot::new("p1".into()), &env)? {
            Step::Need(_) => Err(crate::Error::bad_request("a plain call needs nothing")),
            Step::Done(outcome) => {
                assert!(outcome.writes.is_empty());
                let lints = outcome.lints.iter().map(Lint::to_string).collect();
                Ok((outcome.value.to_json()?.to_string(), lints))
            }
        }
    }

    fn refused(call: &str) -> String {
        answer(call).unwrap_err().to_string()
    }

    #[test]
    fn a_question_goes_in_is_composed_and_written_back() {
        let (entered, lints) = answer(
            r#"{"op": "enter_query", "state": {"messages": [], "compression__context": "before"},
                "query": {"id": "m1", "role": "user", "content": "go"}}"#,
        )
        .unwrap();
        assert_eq!(
            entered,
            concat!(
                r#"{"state":{"messages":[{"role":"user","content":"go","id":"m1"}],"compression__context":"before"},"#,
                r#""query":{"in_checkpoint":"m1"},"restored":[],"ledger":[{"id":"m1","effect":"appended","position":0}]}"#
            )
        );
        assert_eq!(
            lints,
            [
                "summary_without_record at `state.compression__context`: nothing says which messages the summary covers"
            ]
        );
        let (collected, _) =
            answer(r#"{"op": "collect_contexts", "state": {"compression__context": "before"}}"#)
                .unwrap();
        assert!(collected.starts_with(r#"{"contexts":{"compression__context":"before"}"#));
        let (composed, lints) = answer(
            r#"{"op": "compose", "process": "react", "system_prompt": "s", "query": {"in_checkpoint": "m1"},
                "contexts": {"compression__context": "before", "todo__context": 1},
                "composer": {"compression": "behind_checkpoint"},
                "checkpoint_messages": [{"role": "user", "content": "go", "id": "m1"}]}"#,
        )
        .unwrap();
        assert!(composed.starts_with(concat!(
            r#"{"messages":[{"role":"system","content":"s"},{"role":"user","content":"go","id":"m1"},"#,
            r#"{"role":"system","content":"before"}],"ledger":{"entries":[{"position":0,"#
        )));
        assert_eq!(lints.len(), 1);
        let (written, _) = answer(
            r#"{"op": "write_back", "state": {"messages": [], "goal": "g"}, "contexts": {"todo__context": "t"},
                "policy": {"reproducible": ["todo__context"]}}"#,
        )
        .unwrap();
        assert_eq!(
            written,
            r#"{"state":{"messages":[],"goal":"g","todo__context":"t"},"written":["todo__context"],"left_out":[],"restored":[]}"#
        );
        let (allowed, _) =
            answer(r#"{"op": "allowed_contexts", "process": "mapreduce_worker"}"#).unwrap();
        assert_eq!(allowed, r#"{"keys":["framework__context","knowledge__context"]}"#);
        let (tables, _) = answer(r#"{"op": "prompt_tables"}"#).unwrap();
        assert!(tables.starts_with(r#"{"processes":[{"process":"sequential","checkpoint":true,"#));
        let lasting = r#"{"layer":"compression__context","lifetime":"persistent","shared":true}"#;
        assert!(tables.contains(lasting));
    }

    #[test]
    fn places_are_those_of_the_call() {
        for (call, error) in [
            (
                r#"{"op": "compose", "process": "react", "system_prompt": "s", "query": "q", "composer": {"compression": "first"}}"#,
                "bad_request at `composer.compression`: unknown place `first`; known are `before_checkpoint`, `behind_checkpoint`",
            ),
            (
                r#"{"op": "compose", "process": "react", "system_prompt": "s", "query": "q", "contexts": {"memory": "x"}}"#,
                "bad_request at `contexts.memory`: the key `memory` does not end in `__context`",
            ),
            (
                r#"{"op": "change_memory", "state": {}, "changes": [{"op": "append", "messages": [{"role": "user"}]}]}"#,
                "bad_request at `changes[0].messages[0].id`: a remembered message needs an id",
            ),
            (
                r#"{"op": "change_memory", "state": {"messages": [{"role": "user"}]}, "changes": []}"#,
                "bad_request at `state.messages[0].id`: a remembered message needs an id",
            ),
            (
                r#"{"op": "enter_query", "state": {}, "query": {"role": "tool", "id": "m1"}}"#,
                "bad_request at `query.role`: a query is a human's message",
            ),
            (
                r#"{"op": "write_back", "state": {}, "policy": {"reproducible": ["x"]}}"#,
                "bad_request at `policy.reproducible[0]`: the key `x` does not end in `__context`",
            ),
        ] {
            assert_eq!(refused(call), error);
        }
        let (_, lints) = answer(
            r#"{"op": "change_memory", "state": {}, "changes": [{"op": "append", "messages": [
                {"role": "ai", "id": "m1", "content": "x"}]}]}"#,
        )
        .unwrap();
        assert_eq!(lints, ["unknown_role at `changes[0].messages[0].role`: unknown role `ai`"]);
    }
}
