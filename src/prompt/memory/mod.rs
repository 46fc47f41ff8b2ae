//! The memory of a conversation, as a state and pure functions on it.
//!
//! **A change is data and idempotent.** Messages have ids. After a crash, a host restores its last
//! checkpoint and sends the changes again that possibly did not arrive. It gets the same conversation:
//! no message is repeated, lost or moved. A summary records which messages it covers; memory never accepts those
//! again. Nothing is inferred from a transcript.
//!
//! ```
//! use tuckbox::prompt::memory::{Change, Compaction, Memory, reduce};
//! use tuckbox::Message;
//!
//! let hello = Change::Append(vec![Message::user("hello").with_id("m1"), Message::assistant("hi").with_id("m2")]);
//! let memory = reduce(Memory::new(), &hello)?.memory;
//! let memory = reduce(memory, &hello)?.memory;
//! assert_eq!(memory.messages().count(), 2);
//!
//! let compact = Change::Compact(Compaction::new("c1", ["m1", "m2"], "They greeted."));
//! let memory = reduce(memory, &compact)?.memory;
//! assert_eq!(memory.summary(), Some("They greeted."));
//! let memory = reduce(memory, &hello)?.memory;
//! assert_eq!(memory.messages().count(), 0);
//! assert_eq!(memory.covered_by("m1"), Some("c1"));
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod change;
mod compaction;
mod effect;
pub mod operations;
mod restore;
mod results;
mod write_back;

pub use change::{Change, Entered, Reduced, enter, reduce};
pub use compaction::{Compacted, Compaction};
pub use effect::{Effect, Step};
pub use restore::{Restored, restore};
pub use write_back::{NotWritten, WritePolicy, WriteRule, Written, write_back};

use crate::prompt::compose::open_query;
use crate::value::json::{Object, trim};
use crate::value::message::Message;
use crate::value::{Map as IndexMap, Set as IndexSet};

/// The memory of a conversation. Every message has its own id, and each removed id has a record.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    messages: IndexMap<String, Message>,
    summary: Option<String>,
    compactions: IndexMap<String, Compacted>,
    /// The compaction that covers each id: the inverse of `compactions`.
    covered: IndexMap<String, String>,
    repeats: IndexMap<String, String>,
    replaced: IndexSet<String>,
    /// The other keys of the state.
    rest: Object,
}

/// The status of an id in memory.
///
/// Shown by the example of [`Compaction`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdStatus<'a> {
    /// A remembered message, at this position.
    Here(usize),
    /// A removed message. The summary of this compaction covers it.
    CoveredBy(&'a str),
    /// Another id for this message: the same question, sent again.
    RepeatOf(&'a str),
    /// A compaction.
    Compaction,
    /// Never seen.
    Unknown,
}

impl Memory {
    /// Remembers nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the remembered messages in order: the composer's `checkpoint_messages`.
    pub fn messages(&self) -> impl ExactSizeIterator<Item = &Message> {
        self.messages.values()
    }

    /// Returns the summary of removed messages: the composer's `compression__context`.
    pub fn summary(&self) -> Option<&str> {
        self.summary.as_deref()
    }

    /// Returns every compaction by id, oldest first. The last one made the summary.
    pub fn compactions(&self) -> impl ExactSizeIterator<Item = (&str, &Compacted)> {
        self.compactions.iter().map(|(id, compacted)| (id.as_str(), compacted))
    }

    /// Returns the compaction whose summary covers a removed message.
    pub fn covered_by(&self, id: &str) -> Option<&str> {
        self.covered.get(id).map(String::as_str)
    }

    /// Returns the ids under which an open query was sent again, each with the first message.
    pub fn repeats(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.repeats.iter().map(|(id, of)| (id.as_str(), of.as_str()))
    }

    /// Returns the status of an id.
    pub fn id_status(&self, id: &str) -> IdStatus<'_> {
        if let Some(position) = self.messages.get_index_of(id) {
            IdStatus::Here(position)
        } else if let Some(by) = self.covered.get(id) {
            IdStatus::CoveredBy(by)
        } else if let Some(of) = self.repeats.get(id) {
            IdStatus::RepeatOf(of)
        } else if self.compactions.contains_key(id) {
            IdStatus::Compaction
        } else {
            IdStatus::Unknown
        }
    }

    /// Returns the other keys of the state, unchanged.
    pub fn rest(&self) -> &Object {
        &self.rest
    }

    /// Returns the question without an answer: the last human message, unless a message of an assistant
    /// without calls follows it.
    ///
    /// ```
    /// use tuckbox::prompt::memory::{Change, Memory, reduce};
    /// use tuckbox::Message;
    ///
    /// let ask = Change::Append(vec![Message::user("why?").with_id("m1")]);
    /// let memory = reduce(Memory::new(), &ask)?.memory;
    /// assert_eq!(memory.open_query().and_then(|message| message.id.as_deref()), Some("m1"));
    /// let answer = Change::Append(vec![Message::assistant("because").with_id("m2")]);
    /// assert_eq!(reduce(memory, &answer)?.memory.open_query(), None);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    pub fn open_query(&self) -> Option<&Message> {
        open_query(self.messages.values())
    }

    /// Returns the open query, if `message` repeats it in the same words.
    fn repeated_by(&self, message: &Message) -> Option<&str> {
        if !message.role.is_human() {
            return None;
        }
        let open = self.open_query()?;
        let (asked, words) = (open.content.words()?, message.content.words()?);
        let same = trim(&asked) == trim(&words) && !trim(&words).is_empty();
        open.id.as_deref().filter(|_| same)
    }
}

#[cfg(test)]
mod tests;
