//! What an import finds: sessions of requests over a shared tree of messages.
//!
//! A log of a conversation holds every message once, and a request is a path through them; a log
//! of requests repeats the history in every request. Both become the same thing here: a tree of
//! messages in which each request names the last message it holds. Equal beginnings are one path.
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
//! let said = session.messages(request.tail);
//! assert_eq!((said[0].role, said[0].origin.file), (Role::User, 0));
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

/// Where something was read.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The position of the file in the list of files.
    pub file: usize,
    /// The line, from 1; nothing when the file is one value.
    pub line: Option<usize>,
    /// The place inside the value, as a JSON pointer; empty for the whole of it.
    pub pointer: String,
}

impl Origin {
    /// The place `step` below this one.
    #[must_use]
    pub fn at(&self, step: impl std::fmt::Display) -> Self {
        Self { pointer: format!("{}/{step}", self.pointer), ..self.clone() }
    }
}

/// Who speaks.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Instructions.
    System,
    /// A person, or whoever stands in for one.
    User,
    /// The model.
    Assistant,
    /// The result of a call.
    Tool,
}

impl Role {
    /// The role on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }

    /// The role that a word names, in the spellings of the formats.
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

/// Where the bytes of a picture or a file are.
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
        /// The MIME type, where the log says it.
        mime: Option<String>,
        /// The bytes.
        base64: String,
    },
    /// At an address, or under an id of the provider.
    Url {
        /// The MIME type, where the log says it.
        mime: Option<String>,
        /// The address.
        url: String,
    },
}

/// One part of a message.
///
/// Shown by the example of [`called`].
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Words.
    Text(String),
    /// What the model thought.
    Reasoning {
        /// The words; empty when only the sealed form is there.
        text: String,
        /// The signature or the encrypted content.
        sealed: Option<String>,
    },
    /// A call of a tool.
    Call {
        /// The id that links the call to its result.
        id: Option<String>,
        /// The tool.
        name: String,
        /// What it is called with: an object as a rule, or text that is no JSON.
        arguments: Json,
    },
    /// What a tool gave back.
    Result {
        /// The id of the call.
        id: Option<String>,
        /// Text, or JSON where the log holds JSON.
        content: Json,
        /// Whether the tool failed.
        is_error: bool,
    },
    /// A picture.
    Image(Media),
    /// Any other file.
    File(Media),
    /// A block that no reader knows, as it stood.
    Unknown(Json),
}

/// One message of a conversation.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub parts: Vec<Part>,
    /// Where it was read first.
    pub origin: Origin,
}

impl Message {
    /// A message of one part.
    pub fn one(role: Role, part: Part, origin: Origin) -> Self {
        Self { role, parts: vec![part], origin }
    }

    /// A message of one text.
    pub fn text(role: Role, text: impl Into<String>, origin: Origin) -> Self {
        Self::one(role, Part::Text(text.into()), origin)
    }

    /// True when both say the same, wherever they were read.
    pub fn same(&self, other: &Self) -> bool {
        self.role == other.role && self.parts == other.parts
    }

    /// A number that equal messages share.
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

/// A text that two parts share exactly when they are equal.
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

/// A tool that was offered to the model.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name; a tool inside a namespace is `namespace.name`.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// The JSON Schema of its arguments.
    pub schema: Option<Json>,
}

/// What of a request a log may not hold.
///
/// Shown by the example of [`Draft`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// The system prompt.
    System,
    /// Which tools were offered.
    Tools,
    /// What the offered tools do.
    ToolDescriptions,
    /// What the offered tools take.
    ToolSchemas,
    /// Messages, or texts in them.
    Messages,
    /// What the model thought.
    Reasoning,
    /// Pictures.
    Images,
    /// Files.
    Files,
    /// Calls of tools.
    ToolCalls,
    /// Results of tools.
    ToolResults,
    /// The order of the messages.
    Order,
    /// Settings of the request: temperature, limits, the choice of tools.
    Params,
}

impl What {
    /// Its name on the wire.
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

/// Something that cannot be known from the log, and why.
///
/// Shown by the example of [`Draft`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// What is missing.
    pub what: What,
    /// Why, in words for a person.
    pub why: &'static str,
}

/// What a request is for.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The conversation itself.
    Main,
    /// A sub-agent.
    Sub,
    /// The request that asks for a summary.
    Compaction,
    /// Titles and the like.
    Side,
}

impl Kind {
    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Sub => "sub",
            Self::Compaction => "compaction",
            Self::Side => "side",
        }
    }
}

/// Tokens as the log recorded them.
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
    /// Of the whole request, with what the cache gave.
    pub input: Option<u64>,
    /// Of the answer.
    pub output: Option<u64>,
    /// Read from the cache.
    pub cached: Option<u64>,
}

/// One request to a model.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// What it is for.
    pub kind: Kind,
    /// The system prompt, in its parts.
    pub system: Arc<Vec<String>>,
    /// The last message of the context; nothing when there is none.
    pub tail: Option<usize>,
    /// The tools; names only where the log has no more.
    pub tools: Arc<Vec<Tool>>,
    /// What cannot be known.
    pub unknown: Arc<Vec<Unknown>>,
    /// The answer, as the log has it.
    pub output: Vec<Part>,
    /// The model's name.
    pub model: Option<String>,
    /// The provider API, where the log shows it.
    pub api: Option<&'static str>,
    /// The agent that sent it, where the log names it.
    pub agent: Option<String>,
    /// When it was sent, in microseconds since the start of 1970.
    pub at: Option<i64>,
    /// Recorded tokens.
    pub usage: Usage,
    /// The body as it was sent, where the log holds it.
    pub body: Option<Arc<Json>>,
    /// How often the same request was repeated after a failure.
    pub retries: usize,
    /// Where it was read.
    pub origin: Origin,
    /// Its place among all requests of a log that holds every one of them.
    pub index: Option<usize>,
    /// The id of the recorded answer, for chains.
    pub response_id: Option<String>,
}

/// A request as a reader gives it: messages as a list, not yet part of a session.
///
/// ```
/// use tuckbox::import::model::{Draft, Message, Origin, Role, Session, What};
///
/// let mut draft = Draft { model: Some("gpt-5".into()), ..Draft::default() };
/// draft.messages.push(Message::text(Role::User, "Hi", Origin::default()));
/// draft.lacks(What::System, "this log holds no system prompts");
/// let mut session = Session::new("my_tool", "s1");
/// session.push(draft);
/// assert_eq!(session.requests[0].unknown[0].what, What::System);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// The system prompt, in its parts.
    pub system: Vec<String>,
    /// The messages in order.
    pub messages: Vec<Message>,
    /// The tools, or nothing where the log does not list them.
    pub tools: Option<Vec<Tool>>,
    /// What cannot be known.
    pub unknown: Vec<Unknown>,
    /// The answer.
    pub output: Vec<Part>,
    /// The model's name.
    pub model: Option<String>,
    /// The provider API.
    pub api: Option<&'static str>,
    /// The agent that sent it.
    pub agent: Option<String>,
    /// When it was sent, in microseconds since the start of 1970.
    pub at: Option<i64>,
    /// Recorded tokens.
    pub usage: Usage,
    /// The body as it was sent.
    pub body: Option<Arc<Json>>,
    /// Where it was read.
    pub origin: Origin,
    /// What it is for, where the log says so.
    pub kind: Option<Kind>,
    /// The id of the recorded answer.
    pub response_id: Option<String>,
    /// The position of the request in the same log that it goes on with: it holds only what is new.
    pub after: Option<usize>,
}

impl Draft {
    /// Says that something cannot be known, once.
    pub fn lacks(&mut self, what: What, why: &'static str) {
        if self.unknown.iter().all(|unknown| unknown.what != what) {
            self.unknown.push(Unknown { what, why });
        }
    }

    /// Moves system messages at the beginning into the system prompt.
    pub fn lead_system(&mut self) {
        let lead = self.messages.iter().take_while(|m| m.role == Role::System).count();
        for message in self.messages.drain(..lead) {
            for part in message.parts {
                if let Part::Text(text) = part {
                    self.system.push(text);
                }
            }
        }
    }

    /// True when some message or the answer holds a call or a result.
    pub fn uses_tools(&self) -> bool {
        let tool = |part: &Part| matches!(part, Part::Call { .. } | Part::Result { .. });
        self.messages.iter().flat_map(|m| &m.parts).any(tool) || self.output.iter().any(tool)
    }
}

/// Something in a file that did not become part of a session, or that should be known.
///
/// Shown by the example of [`import`](super::import()).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What it is about.
    pub code: ImportLint,
    /// Where.
    pub origin: Origin,
    /// One sentence.
    pub message: String,
}

/// What was found in one file.
///
/// Shown by the example of [`import`](super::import()).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFinding {
    /// The file's name.
    pub name: String,
    /// The format it was read as; nothing when it is none that is known.
    pub format: Option<&'static str>,
}

/// Everything that an import found.
///
/// Shown by the example of [`import`](super::import()).
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// One entry a file, in the order of their names.
    pub files: Vec<FileFinding>,
    /// The sessions, the one with the newest request last.
    pub sessions: Vec<Session>,
    /// What was left out, and what should be known.
    pub notes: Vec<Note>,
    pub(super) owners: Owners,
}

/// Which session had a line first, over all files.
#[derive(Clone, Debug, Default)]
pub(super) struct Owners {
    sessions: Vec<String>,
    lines: StrMap<usize>,
}

impl Owners {
    /// The session that owns a line: the one that had it before, or else this one.
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
