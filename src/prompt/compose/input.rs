//! The input of the composer: explicit values, never a state object.

use super::check::wrong_key;
use super::layer::Layer;
use super::process::Process;
use crate::value::arguments::{Argument, arguments, read_tagged};
use crate::value::json::{Field, Json, Object};
use crate::value::message::{Message, Messages};
use crate::{Error, Path, Result};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::ops::{Deref, DerefMut};

/// The place of the query. A prompt has it exactly once.
///
/// Shown by the example of [`compose`](super::compose).
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Query {
    /// The query is in the call and becomes the last message of the prompt.
    Runtime(String),
    /// The query is a message of the checkpoint: the one with this id, or the last human message.
    InCheckpoint(Option<String>),
    /// No query, or the `human_message` of the call. A process that needs a query refuses a prompt
    /// without one.
    #[default]
    None,
}

impl Argument for Query {
    /// Reads `"text"`, `{"runtime": "text"}`, `{"in_checkpoint": true}`,
    /// `{"in_checkpoint": "message id"}` or `null`.
    fn read(field: &Field<'_>) -> Result<Self> {
        match field.json() {
            Json::String(text) => return Ok(Self::Runtime(text.clone())),
            Json::Null => return Ok(Self::None),
            Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {}
        }
        let fields = field.object().map_err(|_| {
            field.expected("a string, `{\"runtime\": text}` or `{\"in_checkpoint\": true}`")
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
                Err(field.error("no query; pass `runtime` with its text, or `in_checkpoint`"))
            }
        }
    }
}

shape! {
    /// The place of the query: the call or a message of the checkpoint, never both.
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

/// Returns the error for a query in two places, with both paths.
pub(crate) fn twice(first: &Path, second: &Path) -> Error {
    Error::bad_request(format!(
        "the query is given twice, at `{first}` and at `{second}`; give it in one place"
    ))
    .at(first.clone())
    .detail("places", vec![first.to_string(), second.to_string()])
}

/// The place of the query in a call. A string is [`Query::Runtime`].
///
/// Shown by the example of [`ComposeInput`].
pub type QueryInput = Query;

/// Blocks by key. Every key ends in `__context` if the blocks were read from a call.
///
/// Shown by the example of [`ComposeInput`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contexts(Object);

impl Contexts {
    /// Returns no blocks.
    pub const fn new() -> Self {
        Self(Object::new())
    }
}

impl Deref for Contexts {
    type Target = Object;

    fn deref(&self) -> &Object {
        &self.0
    }
}

impl DerefMut for Contexts {
    fn deref_mut(&mut self) -> &mut Object {
        &mut self.0
    }
}

impl Argument for Contexts {
    fn read(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        match fields.json().keys().find(|key| Layer::block(key).is_none()) {
            Some(key) => Err(wrong_key(key, fields.path().key(key))),
            None => Ok(Self(fields.json().clone())),
        }
    }
}

shape! {
    #[serde(untagged)]
    pub enum QueryInput {
        Text(String),
        Runtime {
            /// The text of the query.
            runtime: String,
        },
        InCheckpoint {
            /// `true` for the last human message of the checkpoint, or the id of a message.
            in_checkpoint: TrueOrId,
        },
    }

    /// Blocks by key. A value that is not a string is omitted, with a lint.
    pub type Contexts = BTreeMap<ContextKey, Json>;
}

arguments! {
    /// Composes a prompt from its layers.
    ///
    /// ```
    /// use tuckbox::json;
    /// use tuckbox::prompt::compose::{ComposeInput, Process, Query};
    ///
    /// let input = ComposeInput::from_json(&json!({
    ///     "process": "react",
    ///     "system_prompt": "You plan.",
    ///     "contexts": {"todo__context": "1. read"},
    ///     "query": "go",
    /// }))?;
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
        /// The blocks by key. Every key ends in `__context`.
        pub contexts: Contexts = Contexts::new(),
        /// The remembered conversation.
        pub checkpoint_messages: Messages = Vec::new(),
        /// An instruction of the framework in the role of the user, for this call only. It is marked
        /// `internal` and replaces a query.
        pub human_message: Option<String>,
        /// The query or its place. A process that continues on its own needs none.
        pub query: QueryInput = Query::default(),
    }
}

impl ComposeInput {
    /// Returns an input without blocks and without a remembered conversation.
    pub fn new(process: Process, system_prompt: impl Into<String>, query: Query) -> Self {
        Self {
            process,
            system_prompt: system_prompt.into(),
            contexts: Contexts::new(),
            checkpoint_messages: Vec::new(),
            human_message: None,
            query,
        }
    }

    /// Returns the input with one more block.
    #[must_use]
    pub fn with_context(mut self, key: impl Into<String>, text: impl Into<Json>) -> Self {
        self.contexts.insert(key.into(), text.into());
        self
    }

    /// Returns the input with these remembered messages.
    #[must_use]
    pub fn with_checkpoint(mut self, messages: Vec<Message>) -> Self {
        self.checkpoint_messages = messages;
        self
    }

    /// Reads the call of the operation. Settings of the project are refused with a hint.
    pub(crate) fn read_call(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        for (key, setting) in
            [("enable_share_context", "composer.enable_share_context"), ("composer", "composer")]
        {
            if let Some(given) = fields.present(key) {
                return Err(given
                    .error(format!("`{key}` is a setting of the project; set `{setting}` there")));
            }
        }
        read_tagged(field, "op")
    }
}
