//! A prompt: neutral messages, the origin of each, and tools.

use crate::agents::turn::{Request, Turn};
use crate::prompt::compose::{Composed, Layer, message_lints, repeated_id, twice};
use crate::prompt::lint::PromptLint;
use crate::render::{Became, Rendered};
use crate::value::CachedMessage;
use crate::value::arguments::{Argument, arguments};
use crate::value::json::{Field, Json, Object};
use crate::value::message::{Message, Messages};
use crate::{CardId, Error, Lint, Path, Result};
use serde::Serialize;
use std::borrow::Cow;

/// The messages and tools for a model, in the neutral form.
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
    /// The origin of each message, in the same order. The list can be shorter.
    pub origins: Vec<Origin>,
    /// Tool definitions, `{"type": "function", "function": {..}}` or a bare function.
    pub tools: Vec<Object>,
}

/// The input of a payload.
pub(crate) struct Shown<'a> {
    pub messages: Vec<&'a Message>,
    pub origins: Cow<'a, [Origin]>,
    pub tools: &'a [Object],
}

/// The origin of a message, and what a budget can do to it.
///
/// Shown by the example of [`MakePayload`](super::MakePayload).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// The layer of a composed prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// The card of a rendered prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_id: Option<CardId>,
    /// True for the message that has the query.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_query: bool,
    /// A budget never drops it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub protected: bool,
    /// A budget drops lower numbers first. [Its layer](crate::prompt::budget) decides by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<u64>,
}

impl Prompt {
    /// Creates a prompt of messages without origins.
    pub fn new(messages: Vec<Message>) -> Self {
        Self { messages, origins: Vec::new(), tools: Vec::new() }
    }

    /// Returns this prompt with tools.
    #[must_use]
    pub fn with_tools(mut self, tools: Vec<Object>) -> Self {
        self.tools = tools;
        self
    }

    /// Excludes the message at `position` from budgets. Another position has no effect.
    pub(crate) fn protect(&mut self, position: usize) {
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

    /// Returns the prompt as input of a payload.
    pub(crate) fn shown(&self) -> Shown<'_> {
        Shown {
            messages: self.messages.iter().collect(),
            origins: Cow::Borrowed(&self.origins),
            tools: &self.tools,
        }
    }

    /// Returns the origin of the message at `position`, if it is known.
    pub fn origin(&self, position: usize) -> Origin {
        self.origins.get(position).cloned().unwrap_or_default()
    }

    /// Returns the lints of the messages.
    pub(super) fn lints(&self) -> Vec<Lint> {
        let twice = repeated_id(&self.messages, &Path::root().key("messages"));
        twice
            .map(|(at, message)| Lint::new(PromptLint::DuplicateMessageId, at, message))
            .into_iter()
            .collect()
    }

    /// Checks that there are at most as many origins as messages, and at most one query.
    pub(super) fn check(&self) -> Result<()> {
        let (origins, messages) = (self.origins.len(), self.messages.len());
        let path = || Path::root().key("origins");
        if origins > messages {
            return Err(Error::bad_request(format!(
                "found {origins} origins for {messages} messages; expected at most one for each"
            ))
            .at(path()));
        }
        let at = |index: usize| path().index(index).key("is_query");
        let mut queries = self.origins.iter().enumerate().filter(|(_, origin)| origin.is_query);
        if let (Some((first, _)), Some((second, _))) = (queries.next(), queries.next()) {
            return Err(twice(&at(first), &at(second)));
        }
        Ok(())
    }
}

/// The origins of messages.
type Origins = Vec<Origin>;

shape! {
    pub type Origins = Vec<Option<OriginInput>>;
}

arguments! {
    /// A prompt that comes with the call.
    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct GivenPrompt {
        /// The messages, in order.
        pub messages: Messages,
        /// The origin of each message, in the same order. The list can be shorter.
        pub origins: Origins = Vec::new(),
        /// Tool definitions: `{"type": "function", "function": {..}}`, or bare functions.
        pub tools: Vec<Object> = Vec::new(),
    }

    /// The origin of a message, and what a budget can do to it. An entry of the composer's ledger is
    /// one too.
    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct OriginInput {
        /// The layer of a composed prompt.
        pub layer: Option<String>,
        /// The card of a rendered prompt.
        pub card_id: Option<String>,
        /// True for the message that has the query.
        pub is_query: bool = false,
        /// True for a message that a budget never drops.
        pub protected: bool = false,
        /// A budget drops lower numbers first.
        pub priority: Option<u64>,
        /// The position in a ledger. Ignored.
        pub position: Option<Json>,
        /// The source in a ledger. Ignored.
        pub from: Option<Json>,
        /// The message in a ledger. Ignored.
        pub message_id: Option<Json>,
        /// The position in the checkpoint in a ledger. Ignored.
        pub checkpoint_position: Option<Json>,
        /// Whether white space was removed, in a ledger. Ignored.
        pub trimmed: Option<Json>,
    }
}

impl Argument for Prompt {
    fn read(field: &Field<'_>) -> Result<Self> {
        GivenPrompt::read(field).map(Self::from)
    }
}

impl From<GivenPrompt> for Prompt {
    fn from(given: GivenPrompt) -> Self {
        Self { messages: given.messages, origins: given.origins, tools: given.tools }
    }
}

impl Argument for Origin {
    /// Reads an origin; `null` is an unknown one.
    fn read(field: &Field<'_>) -> Result<Self> {
        let Some(OriginInput { layer, card_id, is_query, protected, priority, .. }) =
            Option::read(field)?
        else {
            return Ok(Self::default());
        };
        let card_id = card_id.map(CardId::from);
        Ok(Self { layer, card_id, is_query, protected, priority })
    }
}

impl Origin {
    /// Returns the origin of a rendered card.
    pub fn card(card_id: CardId) -> Self {
        Self { card_id: Some(card_id), ..Self::default() }
    }

    /// Returns the origin of a composed layer.
    pub fn layer(layer: impl Into<String>) -> Self {
        Self { layer: Some(layer.into()), ..Self::default() }
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
        // only the prompt of the profile is not from a card
        for origin in origins.iter_mut().filter(|origin| origin.card_id.is_none()) {
            origin.layer = Some(Layer::SystemPrompt.key().to_owned());
        }
        let messages = messages.into_iter().map(CachedMessage::into_message).collect();
        Self { messages, origins, tools }
    }
}

impl<'a> Shown<'a> {
    /// Returns the lints for what the payload of another provider would report as changes. The
    /// neutral form changes nothing.
    pub(super) fn unreported(&self) -> Vec<Lint> {
        let mut lints = Vec::new();
        message_lints(&self.messages, &Path::root().key("messages"), &mut lints);
        // a prompt is more than a remembered conversation
        let of_checkpoints = [PromptLint::SystemInCheckpoint, PromptLint::InternalInCheckpoint];
        lints.retain(|lint| !of_checkpoints.iter().any(|code| lint.code == *code));
        lints
    }

    /// Rendered cards. Their messages are not copied.
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
