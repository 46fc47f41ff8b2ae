//! The composer makes messages from layers, with a ledger of every message.
//!
//! **The composer is a pure function of explicit values.** It reads no state, retrieves nothing,
//! has no templates and writes nothing back. [One table](ProcessRule) states what a process sees,
//! [another](lifecycle) what is written back. The order is fixed:
//!
//! 1. the system prompt
//! 2. `framework__context`, `experience__context`, `knowledge__context`, `todo__context` and
//!    `compression__context`
//! 3. every other `__context` block, by key
//! 4. the messages of the checkpoint
//! 5. the human message of the framework
//! 6. the query
//!
//! ```
//! use tuckbox::prompt::compose::{ComposeInput, Layer, Process, Query, compose};
//! use tuckbox::Message;
//!
//! let input = ComposeInput::new(Process::Sequential, "You review.", Query::Runtime("and now?".into()))
//!     .with_context("todo__context", " 1. read\n")
//!     .with_context("knowledge__context", "  ")
//!     .with_checkpoint(vec![Message::user("hello"), Message::assistant("hi")]);
//! let composed = compose(&input)?;
//!
//! let layers: Vec<_> = composed.ledger.entries.iter().map(|entry| entry.layer.key()).collect();
//! assert_eq!(layers, ["system_prompt", "todo__context", "checkpoint_messages", "checkpoint_messages", "query"]);
//! assert_eq!(composed.messages[1], Message::system("1. read"));
//! assert_eq!(composed.ledger.left_out[0].layer, Layer::Knowledge);
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod check;
mod input;
mod layer;
mod ledger;
pub mod operations;
mod process;

pub use crate::rule::{Composer, CompressionPlace};
pub(crate) use check::{block_lints, message_lints, open_query, repeated_id, wrong_key};
pub(crate) use input::twice;
pub use input::{ComposeInput, Contexts, Query, QueryInput};
pub use layer::{CONTEXT_SUFFIX, Layer, Lifecycle, Lifetime, lifecycle};
pub use ledger::{Entry, Ledger, LeftOut, Rule};
pub use process::{Process, ProcessRule};

use crate::prompt::lint::PromptLint;
use crate::value::json::{Json, trim};
use crate::value::message::Message;
use crate::{Lint, Path, Result};
use process::Admission;
use serde::Serialize;

/// A prompt and its ledger.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Composed {
    /// The messages, in order.
    pub messages: Vec<Message>,
    /// The origin of each message, and what was omitted.
    pub ledger: Ledger,
    /// Warnings about accepted values.
    pub lints: Vec<Lint>,
}

impl Composed {
    /// Returns the messages of a layer.
    pub fn of_layer(&self, layer: &Layer) -> impl Iterator<Item = &Message> {
        self.select(move |entry| entry.layer == *layer)
    }

    /// Returns the messages that agents share. The system prompt is never shared.
    ///
    /// ```
    /// use tuckbox::prompt::compose::{ComposeInput, Process, Query, compose};
    ///
    /// let input = ComposeInput::new(Process::React, "private", Query::Runtime("q".into()))
    ///     .with_context("framework__context", "common");
    /// let shared: Vec<_> = compose(&input)?.shared().cloned().collect();
    /// assert_eq!(shared, [tuckbox::Message::system("common")]);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    pub fn shared(&self) -> impl Iterator<Item = &Message> {
        self.select(|entry| entry.layer.is_shared())
    }

    fn select(&self, keep: impl Fn(&Entry) -> bool) -> impl Iterator<Item = &Message> {
        let pairs = self.ledger.entries.iter().zip(&self.messages);
        pairs.filter(move |(entry, _)| keep(entry)).map(|(_, message)| message)
    }
}

/// Composes with the default policy: the summary is before the checkpoint.
///
/// # Errors
/// As [`Composer::compose`].
///
/// ```
/// use tuckbox::Message;
/// use tuckbox::prompt::compose::{ComposeInput, Process, Query, Rule, compose};
///
/// let asked = Message::user("Is clause 9 fine?").with_id("m1");
/// let input = ComposeInput::new(Process::Sequential, "You review.", Query::InCheckpoint(Some("m1".into())))
///     .with_context("todo__context", " 1. read\n")
///     .with_context("knowledge__context", " ")
///     .with_checkpoint(vec![asked]);
/// let composed = compose(&input)?;
/// let ledger = &composed.ledger;
/// assert!(ledger.entries[1].trimmed && ledger.entries[2].is_query);
/// assert_eq!(ledger.left_out[0].rule, Rule::Blank);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn compose(input: &ComposeInput) -> Result<Composed> {
    Composer::default().compose(input)
}

impl Composer {
    /// Composes a prompt.
    ///
    /// # Errors
    /// `bad_request` for:
    ///
    /// - a block key that does not end in `__context`
    /// - two messages with one id
    /// - a query on two paths, or in a checkpoint that the process does not see
    /// - a message of the query that is missing or not from a user
    /// - a missing query that the process needs
    pub fn compose(&self, input: &ComposeInput) -> Result<Composed> {
        let blocks = check::block_order(&input.contexts)?;
        check::unique_ids(&input.checkpoint_messages)?;
        let rule = input.process.rule();
        let query_at = check::query_place(input, &rule)?;

        let mut draft = Draft { lints: check::lints(input, &rule), ..Draft::default() };
        let prompt = place("system_prompt");
        draft.push(Layer::SystemPrompt, prompt, Message::system(input.system_prompt.as_str()));
        let late = self.compression == CompressionPlace::AfterCheckpoint;
        let share = rule.shares(self.enable_share_context);
        let (after, before): (Vec<_>, Vec<_>) =
            blocks.into_iter().partition(|block| late && *block == Layer::Compression);
        for layer in before {
            draft.block(input, &rule, share, layer);
        }
        draft.checkpoint(input, &rule, query_at);
        for layer in after {
            draft.block(input, &rule, share, layer);
        }
        if let Some(text) = &input.human_message {
            // an empty instruction counts as missing; white space does not, as recorded
            if text.is_empty() {
                draft.leave_out(Layer::HumanMessage, place("human_message"), Rule::Blank);
            } else {
                let message = Message::user(text.as_str()).with_extra("internal", true);
                draft.push(Layer::HumanMessage, place("human_message"), message);
                if let Some(entry) = draft.ledger.entries.last_mut() {
                    entry.is_query = input.query == Query::None && !trim(text).is_empty();
                }
            }
        }
        if let Query::Runtime(text) = &input.query {
            draft.push(Layer::Query, place("query"), Message::user(text.as_str()));
        }
        Ok(Composed { messages: draft.messages, ledger: draft.ledger, lints: draft.lints })
    }
}

#[derive(Default)]
struct Draft {
    messages: Vec<Message>,
    ledger: Ledger,
    lints: Vec<Lint>,
}

impl Draft {
    fn push(&mut self, layer: Layer, from: Path, message: Message) {
        let is_query = layer == Layer::Query;
        let position = self.messages.len();
        self.ledger.entries.push(Entry {
            position,
            layer,
            from,
            message_id: None,
            checkpoint_position: None,
            is_query,
            trimmed: false,
        });
        self.messages.push(message);
    }

    fn leave_out(&mut self, layer: Layer, from: Path, rule: Rule) {
        self.ledger.left_out.push(LeftOut { layer, from, message_id: None, rule });
    }

    fn block(&mut self, input: &ComposeInput, rule: &ProcessRule, share: bool, layer: Layer) {
        let Some(value) = input.contexts.get(layer.key()) else { return };
        let from = place("contexts").key(layer.key());
        match rule.admits(&layer, share) {
            Admission::Allowed => {}
            Admission::SharingOff => {
                let is_summary = layer == Layer::Compression;
                if is_summary && value.as_str().is_some_and(|text| !trim(text).is_empty()) {
                    let message = "sharing is off, so the model sees neither the summary nor the \
                                   messages that it covers";
                    self.lints.push(Lint::new(PromptLint::SummaryNotShared, from.clone(), message));
                }
                return self.leave_out(layer, from, Rule::SharingOff);
            }
            Admission::NotInProcess => return self.leave_out(layer, from, Rule::NotInProcess),
        }
        let Json::String(given) = value else {
            return self.leave_out(layer, from, Rule::NotText);
        };
        let text = trim(given);
        if text.is_empty() {
            return self.leave_out(layer, from, Rule::Blank);
        }
        self.push(layer, from, Message::system(text));
        if let Some(entry) = self.ledger.entries.last_mut() {
            entry.trimmed = text.len() < given.len();
        }
    }

    fn checkpoint(&mut self, input: &ComposeInput, rule: &ProcessRule, query_at: Option<usize>) {
        for (index, message) in input.checkpoint_messages.iter().enumerate() {
            let from = place("checkpoint_messages").index(index);
            let message_id = message.id.clone();
            if rule.checkpoint {
                self.push(Layer::Checkpoint, from, message.clone());
                if let Some(entry) = self.ledger.entries.last_mut() {
                    entry.message_id = message_id;
                    entry.checkpoint_position = Some(index);
                    entry.is_query = query_at == Some(index);
                }
            } else {
                self.leave_out(Layer::Checkpoint, from, Rule::NoCheckpointInProcess);
                if let Some(entry) = self.ledger.left_out.last_mut() {
                    entry.message_id = message_id;
                }
            }
        }
    }
}

fn place(key: &str) -> Path {
    Path::root().key(key)
}

#[cfg(test)]
mod tests;
