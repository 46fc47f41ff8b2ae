//! What the composer is given: explicit values, never a state object.

use super::process::Process;
use crate::Limits;
use crate::value::json::{Field, Fields, Json, Object};
use crate::value::message::Message;
use crate::{Error, Path, Result};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// Where the query is. A prompt holds it exactly once.
///
/// Shown by the example of [`compose`](super::compose).
#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    /// The query comes with this call and is the last message of the prompt.
    Runtime(String),
    /// The query was appended to memory and is one of the checkpoint's messages: the one with
    /// this id, or the last human message.
    InCheckpoint(Option<String>),
    /// There is none, or the `human_message` of the call is it. A process that needs a query refuses
    /// a prompt without one.
    None,
}

impl Query {
    /// Reads `"text"`, `{"runtime": "text"}`, `{"in_checkpoint": true}`,
    /// `{"in_checkpoint": "message id"}` or `null`.
    ///
    /// # Errors
    /// When it says neither, or both.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        match field.json() {
            Json::String(text) => return Ok(Self::Runtime(text.clone())),
            Json::Null => return Ok(Self::None),
            Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {}
        }
        let fields = field.object().map_err(|_| {
            field.expected("text, `{\"runtime\": text}` or `{\"in_checkpoint\": true}`")
        })?;
        fields.only(&["runtime", "in_checkpoint"])?;
        match (fields.present("runtime"), fields.present("in_checkpoint")) {
            (Some(runtime), None) => Ok(Self::Runtime(runtime.string()?.to_owned())),
            (None, Some(place)) => match place.json() {
                Json::Bool(true) => Ok(Self::InCheckpoint(None)),
                Json::String(id) => Ok(Self::InCheckpoint(Some(id.clone()))),
                Json::Null
                | Json::Bool(false)
                | Json::Number(_)
                | Json::Array(_)
                | Json::Object(_) => Err(place.expected("true or a message id")),
            },
            (Some(runtime), Some(place)) => Err(twice(&runtime.path(), &place.path())),
            (None, None) => {
                Err(field
                    .error("say where the query is: `runtime` with its text, or `in_checkpoint`"))
            }
        }
    }
}

shape! {
    /// Where the query is: with this call, or one of the checkpoint's messages. Never both.
    #[serde(untagged)]
    pub enum Query {
        Runtime { runtime: String },
        InCheckpoint { in_checkpoint: TrueOrId },
    }

    #[serde(untagged)]
    pub enum TrueOrId {
        Newest(Word<true>),
        Of(String),
    }
}

impl Serialize for Query {
    /// `{"runtime": "text"}`, `{"in_checkpoint": true}`, `{"in_checkpoint": "message id"}`, `null`.
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        if *self == Self::None {
            return serializer.serialize_unit();
        }
        let mut map = serializer.serialize_map(Some(1))?;
        match self {
            Self::None => {}
            Self::Runtime(text) => map.serialize_entry("runtime", text)?,
            Self::InCheckpoint(None) => map.serialize_entry("in_checkpoint", &true)?,
            Self::InCheckpoint(Some(id)) => map.serialize_entry("in_checkpoint", id)?,
        }
        map.end()
    }
}

/// The error for a query on two paths; it names both places.
pub(crate) fn twice(first: &Path, second: &Path) -> Error {
    Error::bad_request(format!(
        "the query is given twice, at `{first}` and at `{second}`; give it in one place"
    ))
    .at(first.clone())
    .detail("places", vec![first.to_string(), second.to_string()])
}

/// Everything a prompt is made of.
///
/// ```
/// use tuckbox::prompt::compose::{ComposeInput, Process, Query};
/// use tuckbox::value::json::{Field, Json};
///
/// let json = Json::parse(r#"{
///     "process": "react",
///     "system_prompt": "You plan.",
///     "contexts": {"todo__context": "1. read"},
///     "query": {"runtime": "go"}
/// }"#)?;
/// let input = ComposeInput::from_json(&Field::root(&json))?;
/// assert_eq!(
///     input,
///     ComposeInput::new(Process::React, "You plan.", Query::Runtime("go".to_owned()))
///         .with_context("todo__context", "1. read")
/// );
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ComposeInput {
    /// The kind of process that runs the agent.
    pub process: Process,
    /// The agent's private system prompt.
    pub system_prompt: String,
    /// The blocks by key; every key ends in `__context`.
    pub contexts: Object,
    /// The remembered conversation.
    pub checkpoint_messages: Vec<Message>,
    /// An instruction the framework speaks as a human, for this call only; marked `internal`. It
    /// takes the place of a query.
    pub human_message: Option<String>,
    /// Where the query is.
    pub query: Query,
}

const KEYS: [&str; 6] =
    ["process", "system_prompt", "contexts", "checkpoint_messages", "human_message", "query"];

impl ComposeInput {
    /// An input without blocks and without a remembered conversation.
    pub fn new(process: Process, system_prompt: impl Into<String>, query: Query) -> Self {
        Self {
            process,
            system_prompt: system_prompt.into(),
            contexts: Object::default(),
            checkpoint_messages: Vec::new(),
            human_message: None,
            query,
        }
    }

    /// This input with one more block.
    #[must_use]
    pub fn with_context(mut self, key: impl Into<String>, text: impl Into<Json>) -> Self {
        self.contexts.insert(key.into(), text.into());
        self
    }

    /// This input with these remembered messages.
    #[must_use]
    pub fn with_checkpoint(mut self, messages: Vec<Message>) -> Self {
        self.checkpoint_messages = messages;
        self
    }

    /// Reads an input. Unknown keys are refused, so that no state object slips in.
    ///
    /// # Errors
    /// `bad_request` at the place of the first value that is missing or mistyped.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        Self::from_fields(&field.object()?, &[])
    }

    /// Reads an input out of a call.
    pub(crate) fn from_call(call: &Fields<'_>, limits: &Limits) -> Result<Self> {
        if let Some(messages) = call.optional("checkpoint_messages") {
            limits.check_messages(messages.list()?.len(), &messages.path())?;
        }
        Self::from_fields(call, &["op"])
    }

    /// Reads an input out of an object that has the keys `also` beside it.
    fn from_fields(fields: &Fields<'_>, also: &[&str]) -> Result<Self> {
        for (key, setting) in
            [("enable_share_context", "composer.enable_share_context"), ("composer", "composer")]
        {
            if let Some(given) = fields.present(key) {
                return Err(given.error(format!(
                    "`{key}` is decided once for a project: set `{setting}` in its settings"
                )));
            }
        }
        fields.only(&[&KEYS, also].concat())?;
        let contexts = match fields.optional("contexts") {
            None => Object::default(),
            Some(contexts) => contexts.object()?.json().clone(),
        };
        let checkpoint_messages = match fields.optional("checkpoint_messages") {
            None => Vec::new(),
            Some(messages) => {
                messages.list()?.iter().map(Message::from_json).collect::<Result<_>>()?
            }
        };
        Ok(Self {
            process: Process::from_json(&fields.required("process")?)?,
            system_prompt: fields.required("system_prompt")?.string()?.to_owned(),
            contexts,
            checkpoint_messages,
            human_message: fields
                .optional("human_message")
                .map(|text| Ok(text.string()?.to_owned()))
                .transpose()?,
            query: fields
                .present("query")
                .map_or(Ok(Query::None), |query| Query::from_json(&query))?,
        })
    }
}
