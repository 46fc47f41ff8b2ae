//! Lookup of calls and messages that occurred before.

use super::{Draft, Message, Part, Session, Tool};
use crate::value::str_map::{Map, StrMap};
use std::sync::Arc;

/// Returns the tools that these messages call, each once, in order.
///
/// ```
/// use tuckbox::import::model::{Message, Origin, Part, Role, called};
/// use tuckbox::json;
///
/// let call = |name: &str| Part::Call { id: None, name: name.into(), arguments: json!({}) };
/// let message = |name| Message::one(Role::Assistant, call(name), Origin::default());
/// let tools = called(&[message("search"), message("read"), message("search")]);
/// assert_eq!(tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["search", "read"]);
/// ```
pub fn called<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Vec<Tool> {
    let mut called = Called::default();
    for part in messages.into_iter().flat_map(|message| &message.parts) {
        called.part(part);
    }
    called.tools
}

/// The tools that were called so far, each once, in order.
///
/// ```
/// use tuckbox::import::model::{Called, Draft, Part, Session};
/// use tuckbox::json;
///
/// // a log that lists no tools: those that were called were offered
/// let mut called = Called::default();
/// called.part(&Part::Call { id: None, name: "search".into(), arguments: json!({}) });
/// let mut session = Session::new("my_tool", "s1");
/// session.push(Draft::default());
/// session.offer(called);
/// assert_eq!(session.requests[0].tools[0].name, "search");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Called {
    tools: Vec<Tool>,
    names: StrMap<()>,
}

/// The maximum number of tools. Every request lists them.
const MAX_TOOLS: usize = 1_000;

impl Called {
    /// Adds a part.
    pub fn part(&mut self, part: &Part) {
        if let Part::Call { name, .. } = part
            && self.adds(part)
        {
            self.names.insert(name.as_str(), ());
            self.tools.push(Tool { name: name.clone(), description: None, schema: None });
        }
    }

    /// Returns true for a call of a new tool.
    fn adds(&self, part: &Part) -> bool {
        let Part::Call { name, .. } = part else { return false };
        self.tools.len() < MAX_TOOLS && !self.names.contains_key(name)
    }

    /// Returns the tools so far.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }
}

/// The calls of a message, by id, or by content if a call has no id.
#[derive(Debug, Default)]
pub struct Calls(StrMap<()>);

impl Calls {
    /// Collects the calls of parts.
    pub fn of(parts: &[Part]) -> Self {
        let mut calls = Self::default();
        for part in parts {
            calls.is_new(part);
        }
        calls
    }

    /// Returns true for a new call, and for any part that is not a call.
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

/// A set of messages.
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

    /// Returns true if the set has a message with the same content.
    pub fn hold(&self, message: &Message) -> bool {
        self.0.get(&message.key()).is_some_and(|same| same.iter().any(|there| there.same(message)))
    }
}

/// The tools that are called up to messages of a session, if its log lists none.
#[derive(Debug, Default)]
pub struct CalledUpTo(Map<usize, Arc<Known>>);

#[derive(Clone, Debug, Default)]
struct Known {
    called: Called,
    /// The same, as requests share them.
    tools: Arc<Vec<Tool>>,
}

impl CalledUpTo {
    /// Adds a request with the messages up to `tail`. If the log lists no tools, they are the ones
    /// that are called.
    pub fn push(&mut self, session: &mut Session, tail: Option<usize>, draft: Draft) {
        let tools = draft.tools.is_none().then(|| self.tools(session, tail));
        session.push_at(tail, draft);
        if let (Some(tools), Some(request)) = (tools, session.requests.last_mut()) {
            request.tools = tools;
        }
    }

    /// Returns the tools that are called up to `tail`. Only new messages are visited.
    fn tools(&mut self, session: &Session, tail: Option<usize>) -> Arc<Vec<Tool>> {
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
