//! Requests from a history: a log that has every message once and no requests.
//!
//! Each answer of the model ends a request, and the request has all messages before it.

use super::model::{Draft, Message, Part, Role, Session, Usage};

/// A message of a history, with facts about the answer that it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The message.
    pub message: Message,
    /// A key that separates two answers in a row.
    pub answer: Option<String>,
    /// The time of the message.
    pub at: Option<i64>,
    /// The tokens of the request that it answers.
    pub usage: Usage,
    /// The model that answered.
    pub model: Option<String>,
}

impl Entry {
    /// Returns a message without further facts.
    pub fn new(message: Message) -> Self {
        Self { message, answer: None, at: None, usage: Usage::default(), model: None }
    }
}

/// A history that is being read: its position, and the open request.
#[derive(Debug, Default)]
pub struct History {
    /// The last message so far.
    pub tail: Option<usize>,
    open: Option<Draft>,
    answer: Option<String>,
    start: Option<usize>,
    waiting: bool,
    time: Option<i64>,
}

impl History {
    /// Adds a message. The first message of an answer adds a request. `base` has the facts that all
    /// requests share.
    pub fn add(&mut self, session: &mut Session, entry: Entry, base: &Draft) {
        self.time = entry.at.or(self.time);
        if entry.message.role == Role::Assistant {
            let same = self.open.is_some()
                && (entry.answer.is_none() || self.answer.is_none() || entry.answer == self.answer);
            if !same {
                self.close(session);
                self.start = self.tail;
                self.answer.clone_from(&entry.answer);
                self.open = Some(Draft {
                    output: Vec::new(),
                    at: entry.at,
                    origin: entry.message.origin.clone(),
                    ..base.clone()
                });
            }
            if let Some(open) = &mut self.open {
                open.output.extend(entry.message.parts.iter().cloned());
                open.model = entry.model.or_else(|| open.model.take());
                if entry.usage != Usage::default() {
                    open.usage = entry.usage;
                }
            }
            self.waiting = false;
        } else {
            self.close(session);
            self.waiting = true;
        }
        self.tail = Some(session.node(self.tail, entry.message));
    }

    /// Ends the answer that is being read.
    pub fn close(&mut self, session: &mut Session) {
        if let Some(draft) = self.open.take() {
            session.push_at(self.start, draft);
        }
    }

    /// Starts a new branch after a compaction: the next message does not follow the earlier ones.
    pub fn restart(&mut self, session: &mut Session) {
        self.close(session);
        self.tail = None;
        self.waiting = false;
    }

    /// Records that the last message summarizes everything up to `covered`.
    pub fn cover(&self, session: &mut Session, covered: Option<usize>) {
        if let Some(at) = self.tail {
            session.cover(at, covered);
        }
    }

    /// Ends the history. A last message without an answer becomes the last request.
    pub fn end(mut self, session: &mut Session, base: &Draft) {
        self.close(session);
        if self.waiting {
            session.push_at(self.tail, Draft { at: self.time, ..base.clone() });
        }
    }
}

/// Reads a whole history at once.
pub fn read(session: &mut Session, entries: Vec<Entry>, base: &Draft) {
    let mut history = History::default();
    for entry in entries {
        history.add(session, entry, base);
    }
    history.end(session, base);
}

/// As [`read`](Self::read), for plain messages. System messages at the start are the system prompt.
/// `facts` returns an entry for a message.
pub fn read_messages(
    session: &mut Session,
    messages: Vec<Message>,
    mut base: Draft,
    facts: impl Fn(Message) -> Entry,
) {
    base.messages = messages;
    base.lead_system();
    let messages = std::mem::take(&mut base.messages);
    if base.tools.is_none() {
        base.tools = Some(super::model::called(&messages));
    }
    read(session, messages.into_iter().map(facts).collect(), &base);
}

/// Returns true if a part of these messages is a call or a result.
pub fn uses_tools(messages: &[Message]) -> bool {
    messages
        .iter()
        .flat_map(|message| &message.parts)
        .any(|part| matches!(part, Part::Call { .. } | Part::Result { .. }))
}
