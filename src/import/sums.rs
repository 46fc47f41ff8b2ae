//! Sums over the messages of a session. A request is a path through the messages, and requests
//! share most of it.

use super::model::{Message, Part, Request, Session, Tool};
use super::project::held;
use crate::prompt::provider::Provider;
use crate::prompt::provider::turn::Speaker;
use crate::prompt::tokens::{Held, estimate_by_table};
use crate::value::json::{Json, Object};
use std::sync::Arc;

/// The sums up to a message, including it.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    tokens: u64,
    messages: usize,
    summary: Option<usize>,
    media: bool,
    /// The side of the last message.
    last: Option<Speaker>,
    parent: Option<usize>,
}

/// The sums of a session.
#[derive(Debug)]
pub struct Sums {
    ways: Vec<Way>,
    /// The counter of framing tokens. `None` if the log does not show the provider.
    provider: Option<Provider>,
    /// The system prompt and tools of the last request.
    around: Option<Around>,
}

#[derive(Debug)]
struct Around {
    system: Arc<Vec<String>>,
    tools: Arc<Vec<Tool>>,
    tokens: u64,
}

impl Sums {
    /// Computes the sums of every message of a session once.
    pub fn of(session: &Session) -> Self {
        let provider = session.requests.iter().find_map(|request| Provider::named(request.api?));
        let sums = Self::with(session, |message, last| {
            let texts = message.parts.iter().map(|part| part_tokens(part, provider)).sum::<u64>();
            texts + provider.map_or(0, |provider| marks(provider, message, last))
        });
        Self { provider, ..sums }
    }

    /// The same without tokens.
    pub fn of_ways(session: &Session) -> Self {
        Self::with(session, |_, _| 0)
    }

    fn with(session: &Session, tokens: impl Fn(&Message, &mut Option<Speaker>) -> u64) -> Self {
        let mut ways: Vec<Way> = Vec::new();
        for (at, (message, parent)) in session.all().enumerate() {
            let before = parent.and_then(|at| ways.get(at)).copied().unwrap_or_default();
            let mut last = before.last;
            ways.push(Way {
                tokens: before.tokens + tokens(message, &mut last),
                messages: before.messages + 1,
                media: before.media || message.parts.iter().any(is_media),
                summary: session.covered(at).map_or(before.summary, |_| Some(at)),
                last,
                parent,
            });
        }
        Self { ways, provider: None, around: None }
    }

    fn way(&self, tail: Option<usize>) -> Way {
        tail.and_then(|at| self.ways.get(at)).copied().unwrap_or_default()
    }

    /// Returns the number of messages up to `tail`.
    pub fn messages(&self, tail: Option<usize>) -> usize {
        self.way(tail).messages
    }

    /// Returns the last summary up to `tail`.
    pub fn summary(&self, tail: Option<usize>) -> Option<usize> {
        self.way(tail).summary
    }

    /// Returns true if a message up to `tail` has an image or a file, whose tokens are unknown.
    pub fn has_media(&self, tail: Option<usize>) -> bool {
        self.way(tail).media
    }

    /// Returns the length of the common prefix of two paths.
    pub fn shared(&self, a: Option<usize>, b: Option<usize>) -> usize {
        let (mut a, mut b) = (a, b);
        while a != b {
            // the longer path steps back
            if self.way(a).messages >= self.way(b).messages {
                a = self.way(a).parent;
            } else {
                b = self.way(b).parent;
            }
        }
        self.way(a).messages
    }

    /// Estimates the tokens of what the log has of a request.
    pub fn estimated(&mut self, request: &Request) -> u64 {
        let around = match &self.around {
            Some(Around { system, tools, tokens })
                if Arc::ptr_eq(system, &request.system) && Arc::ptr_eq(tools, &request.tools) =>
            {
                *tokens
            }
            Some(_) | None => {
                let tokens = around(request, self.provider);
                let (system, tools) = (Arc::clone(&request.system), Arc::clone(&request.tools));
                self.around = Some(Around { system, tools, tokens });
                tokens
            }
        };
        around + self.way(request.tail).tokens
    }
}

const fn is_media(part: &Part) -> bool {
    matches!(part, Part::Image(_) | Part::File(_))
}

/// Returns the framing of a message and its parts, after the previous side.
fn marks(provider: Provider, message: &Message, last: &mut Option<Speaker>) -> u64 {
    held(message).into_iter().map(|held| provider.marks_after(last, held)).sum()
}

/// Returns the tokens of the system prompt and the tools, with the framing of both and of the
/// request.
fn around(request: &Request, provider: Option<Provider>) -> u64 {
    let framed = |words: &String| {
        let marks = provider.map_or(0, |provider| provider.marks(Held::text(Speaker::System)));
        estimate_by_table(words) + marks
    };
    let system: u64 = request.system.iter().map(framed).sum();
    let tools = request.tools.iter().filter(|tool| is_defined(tool));
    let whole =
        provider.map_or(0, |provider| provider.marks_of_request(tools.clone().count() as u64));
    let tools: u64 = tools.map(tool_tokens).sum();
    system + tools + whole
}

/// Returns true if the log has more of a tool than its name.
fn is_defined(tool: &Tool) -> bool {
    tool.schema.is_some() || tool.description.is_some()
}

/// Estimates the tokens of a tool definition. They are unknown if the log has only the name.
pub(super) fn tool_tokens(tool: &Tool) -> u64 {
    if is_defined(tool) { estimate_by_table(&definition(tool)) } else { 0 }
}

/// Returns a tool as JSON text, about as a provider shows it to a model.
pub(super) fn definition(tool: &Tool) -> String {
    let mut out = Object::default();
    out.insert("name".into(), tool.name.as_str().into());
    if let Some(description) = &tool.description {
        out.insert("description".into(), description.as_str().into());
    }
    if let Some(schema) = &tool.schema {
        out.insert("parameters".into(), schema.clone());
    }
    Json::Object(out).to_string()
}

/// Estimates the tokens of a part.
pub(super) fn part_tokens(part: &Part, provider: Option<Provider>) -> u64 {
    match part {
        // no provider accepts the reasoning of a log
        Part::Reasoning { .. } if provider.is_some() => 0,
        Part::Text(text) | Part::Reasoning { text, .. } => estimate_by_table(text),
        Part::Call { name, arguments, .. } => {
            estimate_by_table(name) + estimate_by_table(&arguments.to_string())
        }
        Part::Result { content: Json::String(text), .. } => estimate_by_table(text),
        // as its card is shown
        Part::Result { content: value @ (Json::Array(_) | Json::Object(_)), .. }
        | Part::Unknown(value @ (Json::Array(_) | Json::Object(_))) => {
            estimate_by_table(&value.spaced())
        }
        Part::Result { content: value, .. } | Part::Unknown(value) => {
            estimate_by_table(&value.to_string())
        }
        // the tokens of an image are unknown
        Part::Image(_) | Part::File(_) => 0,
    }
}
