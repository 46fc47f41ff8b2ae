//! The findings of an import: sessions of requests over a shared tree of messages.
//!
//! A log of a conversation has every message once; a log of requests repeats the history in every
//! request. Both become a tree of messages in which each request names its last message. Requests
//! with a common prefix share it.
//!
//! ```
//! use tuckbox::import::model::{Kind, Role};
//! use tuckbox::import::{SourceFile, import};
//!
//! let log = br#"{"model": "gpt-5", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
//!     "tools": [{"type": "function", "function": {"name": "search"}}]}"#;
//! let found = import(&[SourceFile { name: "request.json", bytes: log }]);
//! let session = &found.sessions[0];
//! let request = &session.requests[0];
//! assert_eq!((request.kind, request.model.as_deref()), (Kind::Main, Some("gpt-5")));
//! assert_eq!((request.system[0].as_str(), request.tools[0].name.as_str()), ("Be brief.", "search"));
//! let sent = session.messages(request.tail);
//! assert_eq!((sent[0].role, sent[0].origin.file), (Role::User, 0));
//! ```

mod seen;
mod session;

pub use seen::{Called, called};
pub(super) use seen::{CalledUpTo, Calls, SameMessages};
pub use session::Session;

use crate::import::lint::ImportLint;
use crate::value::json::{Hashing, Json};
use crate::value::str_map::StrMap;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

/// The place that a value was read from.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The index of the file in the list of files.
    pub file: usize,
    /// The line, from 1. `None` if the file is one value.
    pub line: Option<usize>,
    /// A JSON pointer; empty for the whole value.
    pub pointer: String,
}

impl Origin {
    /// Returns the origin of the member `step`.
    #[must_use]
    pub fn at(&self, step: impl std::fmt::Display) -> Self {
        Self { pointer: format!("{}/{step}", self.pointer), ..self.clone() }
    }
}

/// The role of a message.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Instructions.
    System,
    /// A person, or a program in place of one.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

impl Role {
    /// Returns the role on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }

    /// Returns the role of a word, in the spellings of the formats.
    pub fn read(word: &str) -> Option<Self> {
        match word {
            "system" | "developer" | "System" | "SYSTEM" => Some(Self::System),
            "user" | "human" | "User" | "USER" | "Human" => Some(Self::User),
            "assistant" | "ai" | "model" | "gemini" | "gpt" | "bot" | "Assistant" | "ASSISTANT"
            | "AI" | "AIMessageChunk" => Some(Self::Assistant),
            "tool" | "function" | "toolResult" | "tool_result" | "Tool" | "TOOL" => {
                Some(Self::Tool)
            }
            _ => None,
        }
    }
}

/// The location of the bytes of an image or a file.
///
/// ```
/// use tuckbox::import::model::{Media, Part};
/// use tuckbox::import::neutral;
///
/// let picture = Part::Image(Media::Url { mime: Some("image/png".into()), url: "https://example.org/a.png".into() });
/// assert!(neutral::part(&picture).to_string().contains("https://example.org/a.png"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Media {
    /// In the log, as base64.
    Data {
        /// The MIME type, if the log has it.
        mime: Option<String>,
        /// The bytes.
        base64: String,
    },
    /// At a URL, or under an id of the provider.
    Url {
        /// The MIME type, if the log has it.
        mime: Option<String>,
        /// The URL or the id.
        url: String,
    },
}

/// A part of a message.
///
/// Shown by the example of [`called`].
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Text.
    Text(String),
    /// Reasoning of the model.
    Reasoning {
        /// The text; empty if there is only the encrypted form.
        text: String,
        /// The signature or the encrypted content.
        sealed: Option<String>,
    },
    /// A tool call.
    Call {
        /// The id that links the call to its result.
        id: Option<String>,
        /// The tool.
        name: String,
        /// The arguments: usually an object, or text that is not JSON.
        arguments: Json,
    },
    /// A tool result.
    Result {
        /// The id of the call.
        id: Option<String>,
        /// Text, or JSON if the log has JSON.
        content: Json,
        /// True if the tool failed.
        is_error: bool,
    },
    /// An image.
    Image(Media),
    /// Any other file.
    File(Media),
    /// An unknown block, verbatim.
    Unknown(Json),
}

/// A message of a conversation.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The role.
    pub role: Role,
    /// The parts, in order.
    pub parts: Vec<Part>,
    /// The place where it was read first.
    pub origin: Origin,
}

impl Message {
    /// Returns a message of one part.
    pub fn one(role: Role, part: Part, origin: Origin) -> Self {
        Self { role, parts: vec![part], origin }
    }

    /// Returns a message of one text.
    pub fn text(role: Role, text: impl Into<String>, origin: Origin) -> Self {
        Self::one(role, Part::Text(text.into()), origin)
    }

    /// Returns true if both have the same content, regardless of their origin.
    pub fn same(&self, other: &Self) -> bool {
        self.role == other.role && self.parts == other.parts
    }

    /// Returns a hash that equal messages share.
    fn key(&self) -> u64 {
        let mut hash = Hashing::default().build_hasher();
        (self.role as u8).hash(&mut hash);
        for part in &self.parts {
            part_hash(part, &mut hash);
        }
        hash.finish()
    }
}

fn part_hash(part: &Part, hash: &mut impl Hasher) {
    match part {
        Part::Text(text) => (0_u8, text).hash(hash),
        Part::Reasoning { text, sealed } => (1_u8, text, sealed).hash(hash),
        Part::Call { id, name, arguments } => {
            (2_u8, id, name).hash(hash);
            json_hash(arguments, hash);
        }
        Part::Result { id, content, is_error } => {
            (3_u8, id, is_error).hash(hash);
            json_hash(content, hash);
        }
        Part::Image(media) => (4_u8, media_key(media)).hash(hash),
        Part::File(media) => (5_u8, media_key(media)).hash(hash),
        Part::Unknown(value) => {
            6_u8.hash(hash);
            json_hash(value, hash);
        }
    }
}

fn json_hash(value: &Json, hash: &mut impl Hasher) {
    match value {
        Json::String(text) => text.hash(hash),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
            value.to_string().hash(hash);
        }
    }
}

/// Returns a string that two parts share exactly if they are equal.
pub(crate) fn part_key(part: &Part) -> String {
    match part {
        Part::Text(text) => format!("t:{text}"),
        Part::Reasoning { text, sealed } => {
            format!("r:{text}\u{1}{}", sealed.as_deref().unwrap_or(""))
        }
        Part::Call { id, name, arguments } => {
            format!("c:{}\u{1}{name}\u{1}{arguments}", id.as_deref().unwrap_or(""))
        }
        Part::Result { id, content, is_error } => {
            format!("o:{}\u{1}{is_error}\u{1}{content}", id.as_deref().unwrap_or(""))
        }
        Part::Image(media) => format!("i:{}", media_key(media)),
        Part::File(media) => format!("f:{}", media_key(media)),
        Part::Unknown(value) => format!("u:{value}"),
    }
}

fn media_key(media: &Media) -> String {
    match media {
        Media::Data { mime, base64 } => format!("{}\u{1}{base64}", mime.as_deref().unwrap_or("")),
        Media::Url { mime, url } => format!("{}\u{2}{url}", mime.as_deref().unwrap_or("")),
    }
}

/// A tool that the model was offered.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The name; a tool inside a namespace is `namespace.name`.
    pub name: String,
    /// The description.
    pub description: Option<String>,
    /// The JSON Schema of its arguments.
    pub schema: Option<Json>,
}

/// A part of a request that a log may not have.
///
/// Shown by the example of [`Draft`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnknownSubject {
    /// The system prompt.
    System,
    /// The names of the offered tools.
    Tools,
    /// The descriptions of the offered tools.
    ToolDescriptions,
    /// The argument schemas of the offered tools.
    ToolSchemas,
    /// Messages, or their texts.
    Messages,
    /// Reasoning of the model.
    Reasoning,
    /// Images.
    Images,
    /// Files.
    Files,
    /// Tool calls.
    ToolCalls,
    /// Tool results.
    ToolResults,
    /// The order of the messages.
    Order,
    /// Settings of the request: temperature, limits, tool choice.
    Params,
}

impl UnknownSubject {
    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Tools => "tools",
            Self::ToolDescriptions => "tool_descriptions",
            Self::ToolSchemas => "tool_schemas",
            Self::Messages => "messages",
            Self::Reasoning => "reasoning",
            Self::Images => "images",
            Self::Files => "files",
            Self::ToolCalls => "tool_calls",
            Self::ToolResults => "tool_results",
            Self::Order => "order",
            Self::Params => "params",
        }
    }
}

/// Something that the log does not have, and why.
///
/// Shown by the example of [`Draft`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The missing part.
    pub what: UnknownSubject,
    /// The reason, as a sentence.
    pub why: &'static str,
}

/// The purpose of a request.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The conversation itself.
    Main,
    /// A sub-agent.
    Sub,
    /// A request for a summary.
    Compaction,
    /// Titles and similar requests.
    Side,
}

impl Kind {
    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Sub => "sub",
            Self::Compaction => "compaction",
            Self::Side => "side",
        }
    }
}

/// The tokens that the log recorded.
///
/// ```
/// use tuckbox::import::{SourceFile, import};
/// use tuckbox::import::model::Usage;
///
/// let found = import(&[SourceFile { name: "r.json", bytes: br#"{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}"# }]);
/// assert_eq!(found.sessions[0].requests[0].usage, Usage::default(), "a request alone does not say what it cost");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The whole request, including cached tokens.
    pub input: Option<u64>,
    /// The answer.
    pub output: Option<u64>,
    /// Tokens read from the cache.
    pub cached: Option<u64>,
    /// Tokens written to the cache.
    pub written: Option<u64>,
}

/// A request to a model.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The purpose.
    pub kind: Kind,
    /// The system prompt, in its parts.
    pub system: Arc<Vec<String>>,
    /// The last message of the context. `None` without messages.
    pub tail: Option<usize>,
    /// The tools. They have only names if the log does not have more.
    pub tools: Arc<Vec<Tool>>,
    /// What is unknown.
    pub unknown: Arc<Vec<Unknown>>,
    /// The answer, as far as the log has it.
    pub output: Vec<Part>,
    /// The name of the model.
    pub model: Option<String>,
    /// The provider API, if the log shows it.
    pub api: Option<&'static str>,
    /// The agent that sent it, if the log names it.
    pub agent: Option<String>,
    /// The time of sending, in microseconds since 1970.
    pub at: Option<i64>,
    /// Recorded tokens.
    pub usage: Usage,
    /// The body as it was sent, if the log has it.
    pub body: Option<Arc<Json>>,
    /// The number of retries after a failure.
    pub retries: usize,
    /// Why the provider did not answer, if the log has it.
    pub error: Option<String>,
    /// The origin.
    pub origin: Origin,
    /// Its index in a log that has every request.
    pub index: Option<usize>,
    /// The id of the recorded answer, for chains.
    pub response_id: Option<String>,
}

/// A request as a reader makes it: its messages are a list and not yet part of a session.
///
/// ```
/// use tuckbox::import::model::{Draft, Message, Origin, Role, Session, UnknownSubject};
///
/// let mut draft = Draft { model: Some("gpt-5".into()), ..Draft::default() };
/// draft.messages.push(Message::text(Role::User, "Hi", Origin::default()));
/// draft.lacks(UnknownSubject::System, "this log holds no system prompts");
/// let mut session = Session::new("my_tool", "s1");
/// session.push(draft);
/// assert_eq!(session.requests[0].unknown[0].what, UnknownSubject::System);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// The system prompt, in its parts.
    pub system: Vec<String>,
    /// The messages in order.
    pub messages: Vec<Message>,
    /// The tools. `None` if the log does not list them.
    pub tools: Option<Vec<Tool>>,
    /// What is unknown.
    pub unknown: Vec<Unknown>,
    /// The answer.
    pub output: Vec<Part>,
    /// The name of the model.
    pub model: Option<String>,
    /// The provider API.
    pub api: Option<&'static str>,
    /// The agent that sent it.
    pub agent: Option<String>,
    /// The time of sending, in microseconds since 1970.
    pub at: Option<i64>,
    /// Recorded tokens.
    pub usage: Usage,
    /// The body as it was sent.
    pub body: Option<Arc<Json>>,
    /// The origin.
    pub origin: Origin,
    /// The purpose, if the log states it.
    pub kind: Option<Kind>,
    /// The id of the recorded answer.
    pub response_id: Option<String>,
    /// Why the provider did not answer.
    pub error: Option<String>,
    /// The index of the request in the same log that it continues. It has only new messages.
    pub after: Option<usize>,
}

impl Draft {
    /// Records that something is unknown, once.
    pub fn lacks(&mut self, what: UnknownSubject, why: &'static str) {
        if self.unknown.iter().all(|unknown| unknown.what != what) {
            self.unknown.push(Unknown { what, why });
        }
    }

    /// Moves system messages at the start into the system prompt.
    pub(crate) fn lead_system(&mut self) {
        let lead = self.messages.iter().take_while(|m| m.role == Role::System).count();
        for message in self.messages.drain(..lead) {
            for part in message.parts {
                if let Part::Text(text) = part {
                    self.system.push(text);
                }
            }
        }
    }

    /// Returns true if a message or the answer has a call or a result.
    pub(crate) fn uses_tools(&self) -> bool {
        let tool = |part: &Part| matches!(part, Part::Call { .. } | Part::Result { .. });
        self.messages.iter().flat_map(|m| &m.parts).any(tool) || self.output.iter().any(tool)
    }
}

/// A note about something in a file that did not become part of a session, or that a user should
/// know.
///
/// Shown by the example of [`import`](super::import()).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The code.
    pub code: ImportLint,
    /// The origin.
    pub origin: Origin,
    /// A sentence.
    pub message: String,
}

/// A file and its format.
///
/// Shown by the example of [`import`](super::import()).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFinding {
    /// The name of the file.
    pub name: String,
    /// The format. `None` if it is unknown.
    pub format: Option<&'static str>,
}

/// Everything that an import found.
///
/// Shown by the example of [`import`](super::import()).
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// One entry for each file, in order.
    pub files: Vec<FileFinding>,
    /// The sessions, the one with the newest request last.
    pub sessions: Vec<Session>,
    /// The notes.
    pub notes: Vec<Note>,
    pub(super) owners: Owners,
}

/// The first session of each line, over all files.
#[derive(Clone, Debug, Default)]
pub(super) struct Owners {
    sessions: Vec<String>,
    lines: StrMap<usize>,
}

impl Owners {
    /// Returns the session that owns a line: an earlier one, otherwise this one.
    pub fn of(&mut self, line: &str, session: &str) -> &str {
        let known = self.lines.get(line).copied();
        let at = known.unwrap_or_else(|| {
            if self.sessions.last().is_none_or(|last| last != session) {
                self.sessions.push(session.to_owned());
            }
            let at = self.sessions.len().saturating_sub(1);
            self.lines.insert(line, at);
            at
        });
        self.sessions.get(at).map_or("", String::as_str)
    }
}
