//! The tree of messages that the requests of a session share.

use super::{Called, Draft, Kind, Message, Request, UnknownSubject, Usage, called};
use crate::value::json::Json;
use crate::value::str_map::Map;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq)]
struct Node {
    message: Message,
    parent: Option<usize>,
    covers: Option<usize>,
    /// The previous node with the same parent and the same hash.
    twin: Option<usize>,
}

/// A conversation of a log.
///
/// Shown by the [example of its module](super).
#[derive(Clone, Debug)]
pub struct Session {
    /// The name of the format.
    pub source: &'static str,
    /// The id in the log, or the name of the file.
    pub id: String,
    /// The session that it was started from: a fork, or a sub-agent.
    pub parent: Option<String>,
    /// The agent of a session of a sub-agent.
    pub agent: Option<String>,
    /// The number of earlier sessions with the same source and id.
    pub copy: usize,
    /// The requests in the order of sending.
    pub requests: Vec<Request>,
    /// The host's own table of models. Its facts replace those of the shared table.
    pub(in crate::import) own_models: Arc<Json>,
    nodes: Vec<Node>,
    children: Map<(Option<usize>, u64), usize>,
}

impl Session {
    /// Returns a session without requests.
    pub fn new(source: &'static str, id: impl Into<String>) -> Self {
        Self {
            source,
            id: id.into(),
            parent: None,
            agent: None,
            copy: 0,
            requests: Vec::new(),
            own_models: Arc::default(),
            nodes: Vec::new(),
            children: Map::default(),
        }
    }

    /// Returns the message after `parent`: an equal one if it exists, otherwise a new one.
    pub fn node(&mut self, parent: Option<usize>, message: Message) -> usize {
        let key = (parent, message.key());
        let twin = self.children.get(&key).copied();
        let mut next = twin;
        while let Some((at, node)) = next.and_then(|at| Some((at, self.nodes.get(at)?))) {
            if node.message.same(&message) {
                return at;
            }
            next = node.twin;
        }
        let at = self.nodes.len();
        self.nodes.push(Node { message, parent, covers: None, twin });
        self.children.insert(key, at);
        at
    }

    /// Records that the message `at` summarizes everything up to `covered`.
    pub fn cover(&mut self, at: usize, covered: Option<usize>) {
        if let Some(node) = self.nodes.get_mut(at) {
            node.covers = covered;
        }
    }

    /// Returns the last message that the message `at` covers, if it is a summary.
    pub fn covered(&self, at: usize) -> Option<usize> {
        self.nodes.get(at).and_then(|node| node.covers)
    }

    /// Returns the positions of the summaries.
    pub fn summaries(&self) -> Vec<usize> {
        let nodes = self.nodes.iter().enumerate();
        nodes.filter(|(_, node)| node.covers.is_some()).map(|(at, _)| at).collect()
    }

    /// Returns the positions of the messages up to `tail`, in order.
    pub fn path(&self, tail: Option<usize>) -> Vec<usize> {
        let mut path = Vec::new();
        let mut next = tail;
        while let Some(at) = next {
            path.push(at);
            next = self.nodes.get(at).and_then(|node| node.parent);
        }
        path.reverse();
        path
    }

    /// Returns the position of the previous message.
    pub fn parent(&self, at: usize) -> Option<usize> {
        self.nodes.get(at).and_then(|node| node.parent)
    }

    /// Returns the message at a position.
    pub fn message(&self, at: usize) -> Option<&Message> {
        self.nodes.get(at).map(|node| &node.message)
    }

    /// Returns the messages up to `tail`, in order.
    pub fn messages(&self, tail: Option<usize>) -> Vec<&Message> {
        self.path(tail).into_iter().filter_map(|at| self.message(at)).collect()
    }

    /// Returns the last `count` messages up to `tail`, in order.
    pub(crate) fn last_messages(&self, tail: Option<usize>, count: usize) -> Vec<Message> {
        let mut out = Vec::new();
        let mut next = tail;
        while let Some(node) = next.and_then(|at| self.nodes.get(at))
            && out.len() < count
        {
            out.push(node.message.clone());
            next = node.parent;
        }
        out.reverse();
        out
    }

    /// Returns the messages of all requests, each with the position of the previous one, which is
    /// lower.
    pub fn all(&self) -> impl Iterator<Item = (&Message, Option<usize>)> {
        self.nodes.iter().map(|node| (&node.message, node.parent))
    }

    /// Sets the tools of all requests.
    pub fn offer(&mut self, called: Called) {
        let tools = Arc::new(called.tools().to_vec());
        for request in &mut self.requests {
            request.tools = Arc::clone(&tools);
        }
    }

    /// Adds a request with all its messages. If the log lists no tools, they are the ones that are
    /// called.
    pub fn push(&mut self, mut draft: Draft) {
        let tools = draft.tools.take().unwrap_or_else(|| called(&draft.messages));
        draft.tools = Some(tools);
        let mut tail = None;
        for message in std::mem::take(&mut draft.messages) {
            tail = Some(self.node(tail, message));
        }
        self.push_at(tail, draft);
    }

    /// Adds a request with the messages up to `tail`; those of the draft are ignored.
    pub(crate) fn push_at(&mut self, tail: Option<usize>, mut draft: Draft) {
        if draft.body.is_none() {
            draft
                .lacks(UnknownSubject::Params, "the log does not have all settings of the request");
        }
        let tools = draft.tools.unwrap_or_default();
        let last = self.requests.last();
        let system = shared(draft.system, last.map(|last| &last.system));
        let tools = shared(tools, last.map(|last| &last.tools));
        let unknown = shared(draft.unknown, last.map(|last| &last.unknown));
        let request = Request {
            kind: draft.kind.unwrap_or(Kind::Main),
            system,
            tail,
            tools,
            unknown,
            output: draft.output,
            model: draft.model,
            api: draft.api,
            agent: draft.agent,
            at: draft.at,
            // some writers have zeros where the provider reported nothing
            usage: if draft.usage.input == Some(0) { Usage::default() } else { draft.usage },
            body: draft.body,
            retries: 0,
            error: draft.error,
            origin: draft.origin,
            index: None,
            response_id: draft.response_id,
        };
        self.requests.push(request);
    }
}

fn shared<T: PartialEq>(new: Vec<T>, last: Option<&Arc<Vec<T>>>) -> Arc<Vec<T>> {
    match last {
        Some(last) if **last == new => Arc::clone(last),
        Some(_) | None => Arc::new(new),
    }
}
