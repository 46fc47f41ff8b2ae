//! Compaction: a summary in `compression__context` replaces the messages that it covers.

use super::effect::{Effect, Step};
use super::{IdStatus, Memory};
use crate::prompt::compose::Layer;
use crate::prompt::lint::PromptLint;
use crate::value::Map as IndexMap;
use crate::value::arguments::arguments;
use crate::value::json::trim;
use crate::value::sort::sort_by;
use crate::{Error, Lint, Path, Result};
use serde::Serialize;
use std::collections::BTreeSet;

arguments! {
    /// A summary that replaces messages.
    ///
    /// ```
    /// use tuckbox::Message;
    /// use tuckbox::prompt::memory::{Change, Compaction, IdStatus, Memory, reduce};
    ///
    /// let talk = vec![Message::user("hello").with_id("m1"), Message::assistant("hi").with_id("m2")];
    /// let memory = reduce(Memory::new(), &Change::Append(talk))?.memory;
    /// let first = Compaction::new("c1", ["m1"], "They greeted.");
    /// let memory = reduce(memory, &Change::Compact(first))?.memory;
    /// // the next summary includes this one
    /// let second = Compaction::new("c2", ["m2"], "They greeted and parted.").replacing("c1");
    /// assert_eq!(second.replaces.as_deref(), Some("c1"));
    /// let memory = reduce(memory, &Change::Compact(second))?.memory;
    /// assert_eq!(memory.id_status("m2"), IdStatus::CoveredBy("c2"));
    /// assert!(memory.compactions().any(|(id, kept)| id == "c2" && kept.covers.contains(&"m2".to_owned())));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Compaction {
        /// The id of the compaction. A repeated compaction has the same id.
        pub id: String,
        /// The ids of the messages that the summary covers.
        pub covers: Vec<String>,
        /// The compaction whose summary this one includes, or `compression__context` for a summary
        /// without a record. Memory has one summary at a time.
        pub replaces: Option<String>,
        /// The summary.
        pub summary: String,
    }
}

impl Compaction {
    /// The first compaction of a conversation.
    pub fn new<I: Into<String>>(
        id: impl Into<String>,
        covers: impl IntoIterator<Item = I>,
        summary: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            covers: covers.into_iter().map(Into::into).collect(),
            replaces: None,
            summary: summary.into(),
        }
    }

    /// This compaction, written from the summary of an earlier one.
    #[must_use]
    pub fn replacing(mut self, earlier: impl Into<String>) -> Self {
        self.replaces = Some(earlier.into());
        self
    }
}

/// What memory keeps of a compaction.
///
/// Shown by the example of [`Compaction`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Compacted {
    /// The messages it covers, in the order they had.
    pub covers: Vec<String>,
    /// The compaction whose summary it includes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
}

pub(super) fn apply(
    memory: &mut Memory,
    given: &Compaction,
    lints: &mut Vec<Lint>,
) -> Result<Vec<Step>> {
    let root = Path::root();
    if let Some(known) = memory.compactions.get(&given.id) {
        let sets = |ids: &[String]| ids.iter().cloned().collect::<BTreeSet<_>>();
        if sets(&known.covers) == sets(&given.covers) && known.replaces == given.replaces {
            let by = given.id.clone();
            let step = |id: &String| Step {
                id: id.clone(),
                effect: Effect::AlreadyCovered { by: by.clone() },
            };
            return Ok(known.covers.iter().map(step).collect());
        }
        return Err(Error::conflict(format!("another compaction has the id `{}`", given.id))
            .at(root.key("id")));
    }
    check_id(memory, given)?;
    check_summary(memory, given)?;
    let mut positions = check_covers(memory, given)?;
    sort_by(&mut positions, Ord::cmp);
    remark(memory, &positions, lints);

    let covers: Vec<String> = positions
        .iter()
        .filter_map(|&at| memory.messages.get_index(at))
        .map(|(id, _)| id.clone())
        .collect();
    let leaving: BTreeSet<&str> = covers.iter().map(String::as_str).collect();
    memory.messages.retain(|id, _| !leaving.contains(id.as_str()));
    memory.replaced.retain(|id| !leaving.contains(id.as_str()));
    let mut ledger = Vec::with_capacity(covers.len());
    for id in &covers {
        memory.covered.insert(id.clone(), given.id.clone());
        let effect = Effect::Left { by: given.id.clone() };
        ledger.push(Step { id: id.clone(), effect });
    }
    memory.summary = Some(given.summary.clone());
    let compacted = Compacted { covers, replaces: given.replaces.clone() };
    memory.compactions.insert(given.id.clone(), compacted);
    Ok(ledger)
}

fn check_id(memory: &Memory, given: &Compaction) -> Result<()> {
    let at = Path::root().key("id");
    if trim(&given.id).is_empty() {
        return Err(Error::bad_request("a compaction must have an id").at(at));
    }
    let taken = memory.id_status(&given.id) != IdStatus::Unknown;
    if taken || given.id == Layer::Compression.key() {
        return Err(Error::conflict(format!("the id `{}` is taken", given.id)).at(at));
    }
    Ok(())
}

/// A blank summary would lose what it covers; one that was not written from the present summary
/// would lose what that covers.
fn check_summary(memory: &Memory, given: &Compaction) -> Result<()> {
    let root = Path::root();
    if trim(&given.summary).is_empty() {
        return Err(Error::bad_request("the summary must not be blank").at(root.key("summary")));
    }
    if given.replaces.as_ref() == Some(&given.id) {
        return Err(
            Error::bad_request(format!("`{}` covers itself", given.id)).at(root.key("replaces"))
        );
    }
    let present = memory.live_summary();
    match (&given.replaces, present) {
        (None, None) => Ok(()),
        (Some(named), Some(present)) if named == present => Ok(()),
        (Some(named), Some(present)) => Err(Error::conflict(format!(
            "`{named}` is not the current summary; expected `{present}`"
        ))
        .at(root.key("replaces"))),
        (Some(named), None) => {
            Err(Error::not_found(format!("the summary `{named}` does not exist"))
                .at(root.key("replaces")))
        }
        (None, Some(present)) => Err(Error::conflict(format!(
            "the current summary `{present}` would be lost; write the new one from it and name it \
             in `replaces`"
        ))
        .at(root.key("replaces"))),
    }
}

fn check_covers(memory: &Memory, given: &Compaction) -> Result<Vec<usize>> {
    let covers = Path::root().key("covers");
    if given.covers.is_empty() {
        return Err(Error::bad_request("a compaction must cover at least one message").at(covers));
    }
    let open = memory.open_query().and_then(|message| message.id.as_deref());
    let mut seen: IndexMap<&str, usize> = IndexMap::default();
    let mut positions = Vec::with_capacity(given.covers.len());
    for (index, id) in given.covers.iter().enumerate() {
        let at = covers.index(index);
        if let Some(first) = seen.insert(id, index) {
            let text = format!("`{id}` is covered twice, at `covers[{first}]` and at `{at}`");
            return Err(Error::bad_request(text).at(at));
        }
        if *id == given.id {
            return Err(Error::bad_request(format!("`{id}` covers itself")).at(at));
        }
        if open == Some(id.as_str()) {
            let text = format!("`{id}` is the open query; it stays until it is answered");
            return Err(Error::bad_request(text).at(at));
        }
        match memory.id_status(id) {
            IdStatus::Here(position) => positions.push(position),
            IdStatus::CoveredBy(by) => {
                return Err(Error::conflict(format!("`{by}` covers `{id}` already")).at(at));
            }
            IdStatus::RepeatOf(of) => {
                let text = format!("`{id}` only repeats `{of}`; cover that");
                return Err(Error::bad_request(text).at(at));
            }
            IdStatus::Compaction => {
                let text = format!("`{id}` is a compaction; name it in `replaces`");
                return Err(Error::bad_request(text).at(at));
            }
            IdStatus::Unknown => {
                return Err(Error::not_found(format!("no message `{id}` to cover")).at(at));
            }
        }
    }
    Ok(positions)
}

/// Adds lints about covers that leave a gap or separate a call from its result.
fn remark(memory: &Memory, positions: &[usize], lints: &mut Vec<Lint>) {
    let covers = Path::root().key("covers");
    if positions.iter().enumerate().any(|(nth, &at)| nth != at) {
        let text = "the covered messages are not the oldest; the summary comes before all others";
        lints.push(Lint::new(PromptLint::CoversWithGap, covers.clone(), text));
    }
    let leaves = |at: usize| positions.binary_search(&at).is_ok();
    let mut callers: IndexMap<&str, bool> = IndexMap::default();
    for (at, message) in memory.messages.values().enumerate() {
        callers.extend(message.calls().filter_map(|call| Some((call.id?, leaves(at)))));
        let Some(call) = message.tool_call_id.as_deref() else { continue };
        if callers.get(call).is_some_and(|&leaving| leaving != leaves(at)) {
            let text = format!("the summary covers only one of call `{call}` and its result");
            lints.push(Lint::new(PromptLint::CallWithoutResult, covers.clone(), text));
        }
    }
}

impl Memory {
    /// The name of the present summary: the last compaction, or `compression__context` for one
    /// that came without an account.
    pub(crate) fn live_summary(&self) -> Option<&str> {
        self.summary.as_ref()?;
        Some(self.compactions.keys().next_back().map_or(Layer::Compression.key(), String::as_str))
    }
}
