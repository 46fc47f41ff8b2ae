//! A prompt: neutral messages, where each came from, and the tools beside them.

use crate::agents::turn::{Request, Turn};
use crate::prompt::compose::{Composed, Layer, message_lints, repeated_id, twice};
use crate::prompt::lint::PromptLint;
use crate::render::{Became, Rendered};
use crate::value::CachedMessage;
use crate::value::json::{Field, Fields, Object};
use crate::value::message::Message;
use crate::{CardId, Error, Lint, Path, Result};
use serde::Serialize;
use std::borrow::Cow;

/// What a model is to see, before any provider's own shape.
///
/// ```
/// use tuckbox::Message;
/// use tuckbox::prompt::compose::{ComposeInput, Process, Query, compose};
/// use tuckbox::prompt::provider::Prompt;
///
/// let input = ComposeInput::new(Process::React, "You review.", Query::Runtime("go".into()));
/// let prompt = Prompt::from(compose(&input)?);
/// assert_eq!(prompt.messages, [Message::system("You review."), Message::user("go")]);
/// assert_eq!(prompt.origins[0].layer.as_deref(), Some("system_prompt"));
/// assert!(prompt.origins[1].is_query);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Prompt {
    /// The messages, in order.
    pub messages: Vec<Message>,
    /// Where each message came from, in the same order; shorter where nothing is known.
    pub origins: Vec<Origin>,
    /// Tool definitions, `{"type": "function", "function": {..}}` or a bare function.
    pub tools: Vec<Object>,
}

/// What a payload is made from, wherever it is kept.
pub(crate) struct Shown<'a> {
    pub messages: Vec<&'a Message>,
    pub origins: Cow<'a, [Origin]>,
    pub tools: &'a [Object],
}

/// Where a message came from, and what a budget may do to it.
///
/// Shown by the example of [`MakePayload`](super::MakePayload).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// The layer of a composed prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// The card of a rendered one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_id: Option<CardId>,
    /// True for the message that holds the query.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_query: bool,
    /// A budget never drops it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub protected: bool,
    /// A budget drops lower figures first; without one, [its layer](crate::prompt::budget) decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<u64>,
}

impl Prompt {
    /// Messages of which nothing else is known.
    pub fn new(messages: Vec<Message>) -> Self {
        Self { messages, origins: Vec::new(), tools: Vec::new() }
    }

    /// This prompt with tools.
    #[must_use]
    pub fn with_tools(mut self, tools: Vec<Object>) -> Self {
        self.tools = tools;
        self
    }

    /// Keeps the message at `position` out of every budget's reach; elsewhere nothing happens.
    pub fn protect(&mut self, position: usize) {
        if position >= self.messages.len() {
            return;
        }
        if self.origins.len() <= position {
            self.origins.resize(position + 1, Origin::default());
        }
        if let Some(origin) = self.origins.get_mut(position) {
            origin.protected = true;
        }
    }

    /// The prompt as a payload is made from it.
    pub(crate) fn shown(&self) -> Shown<'_> {
        Shown {
            messages: self.messages.iter().collect(),
            origins: Cow::Borrowed(&self.origins),
            tools: &self.tools,
        }
    }

    /// Where the message at `position` came from, as far as it is known.
    pub fn origin(&self, position: usize) -> Origin {
        self.origins.get(position).cloned().unwrap_or_default()
    }

    /// What should be known about the messages and is no change to them.
    pub(super) fn lints(&self) -> Vec<Lint> {
        let twice = repeated_id(&self.messages, &Path::root().key("messages"));
        twice
            .map(|(at, said)| Lint::new(PromptLint::DuplicateMessageId, at, said))
            .into_iter()
            .collect()
    }

    /// Reads `messages`, `origins?` and `tools?` of a call.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_fields(call: &Fields<'_>) -> Result<Self> {
        let messages = call.required("messages")?.list()?;
        let messages = messages.iter().map(Message::from_json).collect::<Result<Vec<_>>>()?;
        let origins = match call.optional("origins") {
            None => Vec::new(),
            Some(list) => list.list()?.iter().map(Origin::from_json).collect::<Result<_>>()?,
        };
        if origins.len() > messages.len() {
            return Err(Error::bad_request(format!(
                "{} origins for {} messages",
                origins.len(),
                messages.len()
            ))
            .at(Path::root().key("origins")));
        }
        let at = |index: usize| Path::root().key("origins").index(index).key("is_query");
        let mut queries = origins.iter().enumerate().filter(|(_, origin)| origin.is_query);
        if let (Some((first, _)), Some((second, _))) = (queries.next(), queries.next()) {
            return Err(twice(&at(first), &at(second)));
        }
        Ok(Self { messages, origins, tools: tools(call)? })
    }
}

/// The tool definitions of a call.
pub(crate) fn tools(call: &Fields<'_>) -> Result<Vec<Object>> {
    match call.optional("tools") {
        None => Ok(Vec::new()),
        Some(list) => list.list()?.iter().map(|tool| Ok(tool.object()?.json().clone())).collect(),
    }
}

impl Origin {
    /// The origin of a rendered card.
    pub fn card(card_id: CardId) -> Self {
        Self { card_id: Some(card_id), ..Self::default() }
    }

    /// The origin of a composed layer.
    pub fn layer(layer: impl Into<String>) -> Self {
        Self { layer: Some(layer.into()), ..Self::default() }
    }

    /// Reads an origin; `null` is one of which nothing is known. An entry of the composer's ledger
    /// is one too.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        if field.json().is_null() {
            return Ok(Self::default());
        }
        let fields = field.object()?;
        let own = ["layer", "card_id", "is_query", "protected", "priority"];
        let entry = ["position", "from", "message_id", "checkpoint_position", "trimmed"];
        fields.only(&[own, entry].concat())?;
        let flag = |key: &str| -> Result<bool> {
            Ok(fields.optional(key).map(|field| field.boolean()).transpose()?.unwrap_or_default())
        };
        let text = |key: &str| fields.optional(key).map(|field| field.string()).transpose();
        Ok(Self {
            layer: text("layer")?.map(str::to_owned),
            card_id: text("card_id")?.map(CardId::from),
            is_query: flag("is_query")?,
            protected: flag("protected")?,
            priority: fields.optional("priority").map(|field| field.count()).transpose()?,
        })
    }
}

impl From<Composed> for Prompt {
    fn from(composed: Composed) -> Self {
        let origin = |entry: &crate::prompt::compose::Entry| Origin {
            layer: Some(entry.layer.key().to_owned()),
            is_query: entry.is_query,
            ..Origin::default()
        };
        let origins = composed.ledger.entries.iter().map(origin).collect();
        Self { messages: composed.messages, origins, tools: Vec::new() }
    }
}

impl From<Turn> for Prompt {
    fn from(turn: Turn) -> Self {
        let Request { messages, tools } = turn.request;
        let mut origins = vec![Origin::default(); messages.len()];
        for entry in &turn.entries {
            if let Became::Message { position } = entry.became
                && let Some(origin) = origins.get_mut(position)
            {
                *origin = Origin::card(entry.card_id.clone());
            }
        }
        // the prompt of the profile is the one message that no card stands behind
        for origin in origins.iter_mut().filter(|origin| origin.card_id.is_none()) {
            origin.layer = Some(Layer::SystemPrompt.key().to_owned());
        }
        let messages = messages.into_iter().map(CachedMessage::into_message).collect();
        Self { messages, origins, tools }
    }
}

impl<'a> Shown<'a> {
    /// What a provider's payload would report as changes: nothing changes in the neutral form, and
    /// it is no less broken.
    pub(super) fn unreported(&self) -> Vec<Lint> {
        let mut lints = Vec::new();
        message_lints(&self.messages, &Path::root().key("messages"), &mut lints);
        // a prompt is more than a remembered conversation
        let of_checkpoints = [PromptLint::SystemInCheckpoint, PromptLint::InternalInCheckpoint];
        lints.retain(|lint| !of_checkpoints.iter().any(|code| lint.code == *code));
        lints
    }

    /// Cards as they were rendered: their messages stay where they are.
    pub(super) fn cards(rendered: &'a Rendered) -> Self {
        let messages = rendered.messages.iter().map(|message| &**message).collect();
        Self { messages, origins: Cow::Owned(origins(rendered)), tools: &rendered.tools }
    }
}

fn origins(rendered: &Rendered) -> Vec<Origin> {
    rendered.message_card_ids().cloned().map(Origin::card).collect()
}

impl From<Rendered> for Prompt {
    fn from(rendered: Rendered) -> Self {
        let origins = origins(&rendered);
        let messages = rendered.messages.into_iter().map(CachedMessage::into_message).collect();
        Self { messages, origins, tools: rendered.tools }
    }
}
