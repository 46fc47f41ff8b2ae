//! The operation that makes payloads: from messages of the call, from cards, from a turn, or from the
//! composer.

use super::prompt::GivenPrompt;
use super::{Options, Payload, Prompt, Provider, Shown, draft, payload_of};
use crate::agents::Setup;
use crate::agents::turn::Turn;
use crate::prompt::compose::{ComposeInput, Composer};
use crate::render::{Render, Rendered};
use crate::rule::{Call, Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::arguments::{Argument, Arguments, arguments};
use crate::value::env::Env;
use crate::value::json::{Field, Fields, Json, Object};
use crate::value::message::Message;
use crate::{Error, Lint, Path, Result};
use std::borrow::Cow;

/// The source of a prompt.
///
/// Shown by the example of [`MakePayload`].
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// The call has it.
    Given(Prompt),
    /// It is rendered from cards.
    Cards(Render),
    /// It is the request of a turn.
    Turn(Box<TurnCall>),
    /// The composer makes it.
    Composed(Box<(Composer, ComposeInput)>),
    /// Another source, and more tools than it has.
    WithTools(Box<Self>, Vec<Object>),
}

shape! {
    /// The source of a prompt: messages that come with the call, cards, a turn, or the composer.
    #[serde(untagged)]
    pub enum Source {
        Given(GivenPrompt),
        Cards(GivenCards),
        Turn(GivenTurn),
        Composed(GivenCompose),
    }
}

arguments! {
    /// Cards, and tools in addition to those of the cards.
    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct GivenCards {
        /// Tool definitions in addition to those of the cards.
        pub tools: Vec<Object> = Vec::new(),
        shared render: Render,
    }

    /// A turn, and tools in addition to those of the turn.
    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct GivenTurn {
        /// The arguments of `turn_view`.
        pub turn: Object,
        /// Tool definitions in addition to those of the turn.
        pub tools: Vec<Object> = Vec::new(),
    }

    /// A prompt of the composer, and tools.
    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct GivenCompose {
        /// The arguments of `compose`.
        pub compose: ComposeCall,
        /// Tool definitions.
        pub tools: Vec<Object> = Vec::new(),
    }
}

/// The arguments of `compose`. Settings of the project are refused with a hint.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ComposeCall(ComposeInput);

shape! {
    pub type ComposeCall = ComposeInput;
}

impl Argument for ComposeCall {
    fn read(field: &Field<'_>) -> Result<Self> {
        ComposeInput::read_call(field).map(Self)
    }
}

/// The call of a turn view, with or without a call that is not committed yet.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnCall {
    call: Object,
    setup: Setup,
}

impl TurnCall {
    /// Returns the call with the settings of a project.
    pub(crate) fn new(call: Object, setup: Setup) -> Self {
        Self { call, setup }
    }

    /// Returns the call by its name, so that prompts of messages do not load the code of turns.
    fn rule(&self) -> Result<Call> {
        let mut named = self.call.clone();
        named.insert("op".into(), "turn_view".into());
        self.setup.read_call(&Json::Object(named))
    }

    /// Returns the turn and its lints, or the missing reads.
    pub(crate) fn turn(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<(Turn, Vec<Lint>)>> {
        let path = Path::root().key("turn");
        let seen = self.rule().and_then(|rule| rule.step(snapshot, env));
        let outcome = ready!(seen.map_err(|error| error.within(&path))?);
        let turn = outcome.value.into_any().downcast::<Turn>();
        let turn = turn.map_err(|_| Error::bad_request("`turn` is not a turn").at(path))?;
        Ok(Step::Done((*turn, outcome.lints)))
    }
}

/// The keys of cards as a source.
const CARDS: [&str; 3] = ["box_id", "card_ids", "cards"];

impl Arguments for Source {
    fn has_key(key: &str) -> bool {
        GivenPrompt::has_key(key) || Render::has_key(key) || matches!(key, "turn" | "compose")
    }

    fn add_keys(keys: &mut Vec<&'static str>) {
        GivenPrompt::add_keys(keys);
        Render::add_keys(keys);
        keys.extend(["turn", "compose"]);
    }

    fn from_fields(call: &Fields<'_>) -> Result<Self> {
        let cards = CARDS.iter().find_map(|key| call.optional(key));
        let given =
            [call.optional("messages"), cards, call.optional("turn"), call.optional("compose")];
        if let Some(second) = given.iter().flatten().nth(1) {
            return Err(second
                .error("a prompt must have one source: `messages`, cards, `turn` or `compose`"));
        }
        let (source, tools) = match given {
            [Some(_), ..] => return Ok(Self::Given(GivenPrompt::from_fields(call)?.into())),
            [_, Some(_), ..] => {
                let GivenCards { render, tools } = GivenCards::from_fields(call)?;
                (Self::Cards(render), tools)
            }
            [_, _, Some(_), _] => {
                let GivenTurn { turn: call, tools } = GivenTurn::from_fields(call)?;
                (Self::Turn(Box::new(TurnCall::new(call, Setup::default()))), tools)
            }
            [_, _, _, Some(_)] => {
                let GivenCompose { compose: ComposeCall(input), tools } =
                    GivenCompose::from_fields(call)?;
                (Self::Composed(Box::new((Composer::default(), input))), tools)
            }
            [None, None, None, None] => {
                return Err(Error::bad_request(
                    "no prompt; pass `messages`, `box_id`, `card_ids`, `cards`, `turn` or `compose`",
                )
                .at(call.path().key("messages")));
            }
        };
        if let Some(origins) = call.optional("origins") {
            return Err(origins.error("`origins` must come with `messages`"));
        }
        Ok(if tools.is_empty() { source } else { Self::WithTools(Box::new(source), tools) })
    }
}

impl Source {
    /// Applies the settings of a project: limits, the composer's policy, and what a turn needs.
    ///
    /// # Errors
    /// `limit` for too many messages.
    pub fn with_setup(self, setup: &Setup) -> Result<Self> {
        let limits = &setup.defaults.limits;
        let check = |messages: &[Message], path: Path| limits.check_messages(messages.len(), &path);
        match self {
            Self::Given(prompt) => {
                check(&prompt.messages, Path::root().key("messages"))?;
                Ok(Self::Given(prompt))
            }
            Self::Cards(render) => Ok(Self::Cards(render.with_limits(*limits))),
            Self::Turn(turn) => Ok(Self::Turn(Box::new(TurnCall::new(turn.call, setup.clone())))),
            Self::Composed(composed) => {
                let (_, input) = *composed;
                let path = Path::root().key("compose").key("checkpoint_messages");
                check(&input.checkpoint_messages, path)?;
                Ok(Self::Composed(Box::new((setup.defaults.composer, input))))
            }
            Self::WithTools(source, tools) => {
                Ok(Self::WithTools(Box::new(source.with_setup(setup)?), tools))
            }
        }
    }

    /// Returns the prompt and its lints, or the missing reads.
    pub(crate) fn prompt(
        &self,
        snapshot: &Snapshot,
        env: &Env,
    ) -> Result<Step<(Found<'_>, Vec<Lint>)>> {
        match self {
            Self::Given(prompt) => {
                prompt.check()?;
                Ok(Step::Done((Found::Prompt(Cow::Borrowed(prompt)), prompt.lints())))
            }
            Self::Cards(render) => Ok(render.rendered(snapshot, env)?.map(|mut rendered| {
                let lints = std::mem::take(&mut rendered.lints);
                (Found::Cards(rendered), lints)
            })),
            Self::Turn(turn) => {
                let (turn, lints) = ready!(turn.turn(snapshot, env)?);
                Ok(Step::Done((Prompt::from(turn).into(), lints)))
            }
            Self::Composed(composed) => {
                let (composer, input) = composed.as_ref();
                let path = Path::root().key("compose");
                let mut composed = composer.compose(input).map_err(|error| error.within(&path))?;
                let lints = std::mem::take(&mut composed.lints);
                Ok(Step::Done((Prompt::from(composed).into(), lints)))
            }
            Self::WithTools(source, tools) => {
                let (found, lints) = ready!(source.prompt(snapshot, env)?);
                Ok(Step::Done((found.with_tools(tools), lints)))
            }
        }
    }
}

/// The prompt of a call.
pub(crate) enum Found<'a> {
    /// A prompt of the call, of a turn or of the composer.
    Prompt(Cow<'a, Prompt>),
    /// Rendered cards, whose messages are shared.
    Cards(Rendered),
}

impl From<Prompt> for Found<'_> {
    fn from(prompt: Prompt) -> Self {
        Self::Prompt(Cow::Owned(prompt))
    }
}

impl Found<'_> {
    /// Adds tools. A definition that the prompt already has is not repeated.
    fn with_tools(mut self, more: &[Object]) -> Self {
        let tools = match &mut self {
            Self::Prompt(prompt) => &mut prompt.to_mut().tools,
            Self::Cards(rendered) => &mut rendered.tools,
        };
        for tool in more {
            if !tools.contains(tool) {
                tools.push(tool.clone());
            }
        }
        self
    }

    fn shown(&self) -> Shown<'_> {
        match self {
            Self::Prompt(prompt) => prompt.shown(),
            Self::Cards(rendered) => Shown::cards(rendered),
        }
    }

    /// Returns the prompt.
    pub(crate) fn into_prompt(self) -> Prompt {
        match self {
            Self::Prompt(prompt) => prompt.into_owned(),
            Self::Cards(rendered) => rendered.into(),
        }
    }
}

arguments! {
    /// Builds the request body for a provider and reports every conversion change.
    ///
    /// ```
    /// use tuckbox::prompt::provider::{MakePayload, Options, Provider, Source};
    /// use tuckbox::render::{self, Render};
    /// # use tuckbox::store::{MemoryStore, Snapshot};
    /// # use tuckbox::{Card, Content, Env, Limits, NewCard, Timestamp, rule};
    /// # let now = Timestamp::from_millis(0);
    /// # let card = Card::make(NewCard::new("note", "a", Content::text("Hello")), &"p1".into(), "n1".into(), now, &Limits::default())?;
    /// # let mut store = MemoryStore::new();
    /// # store.project("p1").add_box("talk", ["n1"]).add_card(card);
    /// # let env = Env::new(now, [7; 32]);
    /// let call = MakePayload {
    ///     source: Source::Cards(Render::new(render::Source::Box("talk".into()))),
    ///     provider: Provider::OpenaiChat,
    ///     options: Options::model("some-model"),
    /// };
    /// let made = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert_eq!(made.origin(0).card_id.unwrap(), "n1");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct MakePayload {
        /// The provider that the request is for.
        pub provider: Provider,
        shared source: Source,
        shared options: Options,
    }
}

impl MakePayload {
    /// Applies the settings of a project.
    ///
    /// # Errors
    /// `limit` for too many messages.
    pub fn with_setup(self, setup: &Setup) -> Result<Self> {
        let options = self.options.with_setup(self.provider, setup)?;
        Ok(Self { source: self.source.with_setup(setup)?, options, ..self })
    }

    /// Returns what only a lint reports: the neutral form reports no changes.
    pub(crate) fn unreported(&self, prompt: &Shown<'_>) -> Vec<Lint> {
        unreported(self.provider, prompt)
    }

    /// Returns the payload and the lints of its source, or the missing reads.
    pub(crate) fn make(
        &self,
        snapshot: &Snapshot,
        env: &Env,
    ) -> Result<Step<(Payload, Vec<Lint>)>> {
        make(&self.source, self.provider, &self.options, snapshot, env)
    }
}

fn unreported(provider: Provider, prompt: &Shown<'_>) -> Vec<Lint> {
    if provider == Provider::Neutral { prompt.unreported() } else { Vec::new() }
}

/// Does the same as [`MakePayload::make`].
pub(crate) fn make(
    source: &Source,
    provider: Provider,
    options: &Options,
    snapshot: &Snapshot,
    env: &Env,
) -> Result<Step<(Payload, Vec<Lint>)>> {
    let (found, mut lints) = ready!(source.prompt(snapshot, env)?);
    let prompt = found.shown();
    lints.extend(unreported(provider, &prompt));
    let made = draft(prompt, provider, options)?;
    lints.extend(options.lint_of(made.model(), provider));
    Ok(Step::Done((made, lints)))
}

impl Rule for MakePayload {
    type Value = Payload;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Payload>>> {
        let (found, mut lints) = ready!(self.source.prompt(snapshot, env)?);
        let prompt = found.shown();
        lints.extend(self.unreported(&prompt));
        let value = match super::sent::body(self, snapshot) {
            Some(body) => draft(prompt, self.provider, &self.options)?.with_sent_body(body),
            None => payload_of(prompt, self.provider, &self.options)?,
        };
        lints.extend(self.options.lint_of(value.model(), self.provider));
        Ok(Step::Done(Outcome::answer(value, lints, snapshot, env)))
    }
}
