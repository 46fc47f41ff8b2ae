//! What was come across before, told without going through all of it.

use super::{Called, Message, Part, Session, Tool};
use crate::value::str_map::{Map, StrMap};
use std::sync::Arc;

/// The calls of a message, told by their ids, or by all of them where there is none.
#[derive(Debug, Default)]
pub struct Calls(StrMap<()>);

impl Calls {
    /// The calls among some parts.
    pub fn of(parts: &[Part]) -> Self {
        let mut calls = Self::default();
        for part in parts {
            calls.is_new(part);
        }
        calls
    }

    /// True for a call that was not there yet, and for whatever is no call.
    pub fn is_new(&mut self, part: &Part) -> bool {
        let Part::Call { id, name, arguments } = part else { return true };
        let key = match id {
            Some(id) => ["id ", id].concat(),
            None => {
                let arguments = arguments.canonical();
                format!(
                    "call {name} {}",
                    arguments.map_or_else(|_| String::new(), |it| it.to_string())
                )
            }
        };
        self.0.insert_new(key, ())
    }
}

/// Messages to look others up in.
#[derive(Debug, Default)]
pub struct SameMessages(Map<u64, Vec<Message>>);

impl SameMessages {
    pub fn of<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Self {
        let mut same = Self::default();
        for message in messages {
            same.0.entry(message.key()).or_default().push(message.clone());
        }
        same
    }

    /// True when a message that says the same is among them.
    pub fn hold(&self, message: &Message) -> bool {
        self.0.get(&message.key()).is_some_and(|same| same.iter().any(|there| there.same(message)))
    }
}

/// The tools that are called up to some messages of a session, where its log lists none.
#[derive(Debug, Default)]
pub struct CalledUpTo(Map<usize, Arc<Known>>);

#[derive(Clone, Debug, Default)]
struct Known {
    called: Called,
    /// The same, as requests share them.
    tools: Arc<Vec<Tool>>,
}

impl CalledUpTo {
    /// The tools that are called up to `tail`. Only what was not asked for before is gone through.
    pub fn tools(&mut self, session: &Session, tail: Option<usize>) -> Arc<Vec<Tool>> {
        let mut new = Vec::new();
        let mut next = tail;
        while let Some(at) = next.filter(|at| !self.0.contains_key(at)) {
            new.push(at);
            next = session.parent(at);
        }
        let mut known = next.and_then(|at| self.0.get(&at).cloned()).unwrap_or_default();
        let messages = new.iter().rev().filter_map(|at| session.message(*at));
        for part in messages.flat_map(|message| &message.parts) {
            if known.called.adds(part) {
                Arc::make_mut(&mut known).called.part(part);
            }
        }
        if known.called.tools().len() > known.tools.len() {
            let tools = Arc::new(known.called.tools().to_vec());
            Arc::make_mut(&mut known).tools = tools;
        }
        let tools = Arc::clone(&known.tools);
        if let Some(tail) = tail {
            self.0.insert(tail, known);
        }
        tools
    }
}
