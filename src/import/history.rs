//! Requests out of a history: a log that keeps every message once and no request at all.
//!
//! Each answer of the model was the end of a request, and the request held everything before it.

use super::model::{Draft, Message, Part, Role, Session, Usage};

/// One message of a history, with what the log says about the answer it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The message.
    pub message: Message,
    /// What tells one answer from the next where two follow each other.
    pub answer: Option<String>,
    /// When it was written.
    pub at: Option<i64>,
    /// The tokens of the request whose answer it is.
    pub usage: Usage,
    /// The model that answered.
    pub model: Option<String>,
}

impl Entry {
    /// A message of which nothing more is known.
    pub fn new(message: Message) -> Self {
        Self { message, answer: None, at: None, usage: Usage::default(), model: None }
    }
}

/// A history that is being read: where it stands, and the request that is being answered.
#[derive(Debug, Default)]
pub struct History {
    /// The last message so far.
    pub tail: Option<usize>,
    open: Option<Draft>,
    answer: Option<String>,
    start: Option<usize>,
    waiting: bool,
    moment: Option<i64>,
}

impl History {
    /// Adds a message, and a request where it begins an answer. `base` is what is known about
    /// every request of the history.
    pub fn add(&mut self, session: &mut Session, entry: Entry, base: &Draft) {
        self.moment = entry.at.or(self.moment);
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

    /// The answer that was being read is whole.
    pub fn close(&mut self, session: &mut Session) {
        if let Some(draft) = self.open.take() {
            session.push_at(self.start, draft);
        }
    }

    /// What is read next does not follow what was read so far: a compaction.
    pub fn restart(&mut self, session: &mut Session) {
        self.close(session);
        self.tail = None;
        self.waiting = false;
    }

    /// Says that the last message stands for everything up to `covered`.
    pub fn cover(&self, session: &mut Session, covered: Option<usize>) {
        if let Some(at) = self.tail {
            session.cover(at, covered);
        }
    }

    /// The history is over. Where it ends with something that nobody answered, that is the last
    /// request.
    pub fn end(mut self, session: &mut Session, base: &Draft) {
        self.close(session);
        if self.waiting {
            session.push_at(self.tail, Draft { at: self.moment, ..base.clone() });
        }
    }
}

/// The whole of a history at once.
pub fn read(session: &mut Session, entries: Vec<Entry>, base: &Draft) {
    let mut history = History::default();
    for entry in entries {
        history.add(session, entry, base);
    }
    history.end(session, base);
}

/// The same for plain messages. Leading system messages are the system prompt.
pub fn read_messages(session: &mut Session, messages: Vec<Message>, mut base: Draft) {
    base.messages = messages;
    base.lead_system();
    let messages = std::mem::take(&mut base.messages);
    if base.tools.is_none() {
        base.tools = Some(super::model::called(&messages));
    }
    read(session, messages.into_iter().map(Entry::new).collect(), &base);
}

/// True when some part of these messages is a call or a result.
pub fn uses_tools(messages: &[Message]) -> bool {
    messages
        .iter()
        .flat_map(|message| &message.parts)
        .any(|part| matches!(part, Part::Call { .. } | Part::Result { .. }))
}
