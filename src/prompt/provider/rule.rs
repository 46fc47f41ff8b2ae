//! Payloads as a rule: from messages that come with the call, from cards where they are, from a
//! whole turn, or from the composer.

use super::{Options, Payload, Prompt, Provider, Shown, draft, payload_of};
use crate::agents::Setup;
use crate::agents::turn::Turn;
use crate::prompt::compose::{ComposeInput, Composer};
use crate::render::{Render, Rendered};
use crate::rule::{Call, Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::env::Env;
use crate::value::json::{Field, Fields, Json};
use crate::{Error, Lint, Path, Result};
use std::borrow::Cow;

/// Where a prompt comes from.
///
/// Shown by the example of [`MakePayload`].
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// It comes with the call.
    Given(Prompt),
    /// It is rendered from cards.
    Cards(Render),
    /// It is what the model of a turn will see.
    Turn(Box<TurnCall>),
    /// It is what the composer makes.
    Composed(Box<(Composer, ComposeInput)>),
}

/// The call of a turn view, with or without a call that is not committed yet.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnCall {
    call: Json,
    setup: Setup,
}

impl TurnCall {
    /// Reads what `turn_view` reads.
    ///
    /// # Errors
    /// As there.
    pub fn from_json(call: &Json, setup: &Setup) -> Result<Self> {
        let read = Self { call: call.clone(), setup: setup.clone() };
        read.rule()?;
        Ok(read)
    }

    /// The call by its name: whoever makes prompts of messages does not load what turns are made
    /// with.
    fn rule(&self) -> Result<Call> {
        let mut named = Field::root(&self.call).object()?.json().clone();
        named.insert("op".into(), "turn_view".into());
        self.setup.read_call(&Json::Object(named))
    }
}

impl Source {
    /// The keys that [`Source::from_fields`] reads.
    pub(crate) const KEYS: [&str; 8] =
        ["messages", "origins", "tools", "box_id", "card_ids", "cards", "turn", "compose"];

    /// Reads `messages` with `origins?` and `tools?`, or `box_id`, `card_ids` or `cards`, or
    /// `turn`, the call of a turn view, or `compose`, that of the composer.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_fields(call: &Fields<'_>, setup: &Setup) -> Result<Self> {
        let cards = ["box_id", "card_ids", "cards"].iter().find_map(|key| call.optional(key));
        let whole = ["turn", "compose"].map(|key| call.optional(key));
        let given = [call.optional("messages"), cards].into_iter().chain(whole);
        if let Some(second) = given.flatten().nth(1) {
            return Err(Error::bad_request(
                "a prompt has one source: `messages`, cards, `turn` or `compose`",
            )
            .at(second.path()));
        }
        match whole {
            [Some(turn), _] => {
                let path = Path::root().key("turn");
                let turn =
                    TurnCall::from_json(turn.json(), setup).map_err(|error| error.within(&path))?;
                return Ok(Self::Turn(Box::new(turn)));
            }
            [None, Some(compose)] => return composed(&compose.object()?, setup),
            [None, None] => {}
        }
        match (call.optional("messages"), cards) {
            (Some(messages), None) => {
                setup.defaults.limits.check_messages(messages.list()?.len(), &messages.path())?;
                Ok(Self::Given(Prompt::from_fields(call)?))
            }
            (None, Some(_)) => {
                Ok(Self::Cards(Render::from_fields(call)?.with_limits(setup.defaults.limits)))
            }
            (Some(_), Some(cards)) => {
                Err(Error::bad_request("`messages` and cards cannot both be the prompt")
                    .at(cards.path()))
            }
            (None, None) => Err(Error::bad_request(
                "no prompt: give `messages`, `box_id`, `card_ids`, `cards`, `turn` or `compose`",
            )),
        }
    }

    /// The prompt, and what should be known about it; or what has to be read first.
    pub(crate) fn prompt(
        &self,
        snapshot: &Snapshot,
        env: &Env,
    ) -> Result<Step<(Found<'_>, Vec<Lint>)>> {
        match self {
            Self::Given(prompt) => {
                Ok(Step::Done((Found::Prompt(Cow::Borrowed(prompt)), prompt.lints())))
            }
            Self::Cards(render) => Ok(render.rendered(snapshot, env)?.map(|mut rendered| {
                let lints = std::mem::take(&mut rendered.lints);
                (Found::Cards(rendered), lints)
            })),
            Self::Turn(turn) => {
                let path = Path::root().key("turn");
                let seen = turn.rule()?.step(snapshot, env);
                let outcome = ready!(seen.map_err(|error| error.within(&path))?);
                let turn = outcome.value.into_any().downcast::<Turn>();
                let turn = turn.map_err(|_| Error::bad_request("this is no turn").at(path))?;
                Ok(Step::Done((Prompt::from(*turn).into(), outcome.lints)))
            }
            Self::Composed(composed) => {
                let (composer, input) = composed.as_ref();
                let path = Path::root().key("compose");
                let mut composed = composer.compose(input).map_err(|error| error.within(&path))?;
                let lints = std::mem::take(&mut composed.lints);
                Ok(Step::Done((Prompt::from(composed).into(), lints)))
            }
        }
    }
}

/// The prompt of a call, as it was found.
pub(crate) enum Found<'a> {
    /// A prompt that comes with the call, or was made.
    Prompt(Cow<'a, Prompt>),
    /// Cards whose messages others show, too.
    Cards(Rendered),
}

impl From<Prompt> for Found<'_> {
    fn from(prompt: Prompt) -> Self {
        Self::Prompt(Cow::Owned(prompt))
    }
}

impl Found<'_> {
    fn shown(&self) -> Shown<'_> {
        match self {
            Self::Prompt(prompt) => prompt.shown(),
            Self::Cards(rendered) => Shown::cards(rendered),
        }
    }

    /// The prompt by itself.
    pub(crate) fn into_prompt(self) -> Prompt {
        match self {
            Self::Prompt(prompt) => prompt.into_owned(),
            Self::Cards(rendered) => rendered.into(),
        }
    }
}

fn composed(call: &Fields<'_>, setup: &Setup) -> Result<Source> {
    let input = ComposeInput::from_call(call, &setup.defaults.limits)?;
    Ok(Source::Composed(Box::new((setup.defaults.composer, input))))
}

/// Makes a payload.
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
    /// Where the prompt comes from.
    pub source: Source,
    /// Whose payload.
    pub provider: Provider,
    /// What a host says beside it.
    pub options: Options,
}

impl MakePayload {
    /// The keys that [`MakePayload::from_fields`] reads.
    pub(crate) fn keys() -> Vec<&'static str> {
        [&["op", "provider"][..], &Source::KEYS, &Options::KEYS].concat()
    }

    /// Reads `provider`, the prompt and the options of a call.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_fields(call: &Fields<'_>, setup: &Setup) -> Result<Self> {
        Ok(Self {
            source: Source::from_fields(call, setup)?,
            provider: Provider::from_json(&call.required("provider")?)?,
            options: Options::from_fields(call)?,
        })
    }

    /// Reads a call; unknown keys are refused.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        Self::from_json_with(json, &Setup::default())
    }

    /// As [`MakePayload::from_json`], with what a call inside it leaves open.
    ///
    /// # Errors
    /// As there.
    pub fn from_json_with(json: &Json, setup: &Setup) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&Self::keys())?;
        Self::from_fields(&call, setup)
    }

    /// What only a lint says: the neutral form reports no changes.
    pub(crate) fn unreported(&self, prompt: &Shown<'_>) -> Vec<Lint> {
        if self.provider == Provider::Neutral { prompt.unreported() } else { Vec::new() }
    }

    /// The payload, and what should be known about its cards; or what has to be read first.
    pub(crate) fn make(
        &self,
        snapshot: &Snapshot,
        env: &Env,
    ) -> Result<Step<(Payload, Vec<Lint>)>> {
        let (found, mut lints) = ready!(self.source.prompt(snapshot, env)?);
        let prompt = found.shown();
        lints.extend(self.unreported(&prompt));
        let made = draft(prompt, self.provider, &self.options)?;
        lints.extend(self.options.lint_of(made.model(), self.provider));
        Ok(Step::Done((made, lints)))
    }
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
