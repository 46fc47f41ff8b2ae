//! Payloads as a rule: from messages that come with the call, or from cards where they are.

use super::{Options, Payload, Prompt, Provider, payload};
use crate::env::Env;
use crate::json::{Field, Fields, Json};
use crate::render::Render;
use crate::rule::{Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::{Error, Lint, Result};

/// Where a prompt comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// It comes with the call.
    Given(Prompt),
    /// It is rendered from cards.
    Cards(Render),
}

impl Source {
    /// The keys that [`Source::from_fields`] reads.
    pub(crate) const KEYS: [&str; 6] =
        ["messages", "origins", "tools", "box_id", "card_ids", "cards"];

    /// Reads `messages` with `origins?` and `tools?`, or `box_id`, `card_ids` or `cards`.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_fields(call: &Fields<'_>) -> Result<Self> {
        let cards = ["box_id", "card_ids", "cards"].iter().find_map(|key| call.optional(key));
        match (call.optional("messages"), cards) {
            (Some(_), None) => Ok(Self::Given(Prompt::from_fields(call)?)),
            (None, Some(_)) => Ok(Self::Cards(Render::from_fields(call)?)),
            (Some(_), Some(cards)) => {
                Err(Error::bad_request("`messages` and cards cannot both be the prompt")
                    .at(cards.path().clone()))
            }
            (None, None) => Err(Error::bad_request(
                "no prompt: give `messages`, `box_id`, `card_ids` or `cards`",
            )),
        }
    }

    /// The prompt, and what should be known about it; or what has to be read first.
    pub(crate) fn prompt(
        &self,
        snapshot: &Snapshot,
        env: &Env,
    ) -> Result<Step<(Prompt, Vec<Lint>)>> {
        match self {
            Self::Given(prompt) => Ok(Step::Done((prompt.clone(), prompt.lints()))),
            Self::Cards(render) => Ok(match render.step(snapshot, env)? {
                Step::Need(reads) => Step::Need(reads),
                Step::Done(outcome) => Step::Done((Prompt::from(outcome.value), outcome.lints)),
            }),
        }
    }
}

/// Makes a payload.
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
    pub fn from_fields(call: &Fields<'_>) -> Result<Self> {
        Ok(Self {
            source: Source::from_fields(call)?,
            provider: Provider::from_json(&call.required("provider")?)?,
            options: Options::from_fields(call)?,
        })
    }

    /// Reads a call; unknown keys are refused.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&Self::keys())?;
        Self::from_fields(&call)
    }

    /// What only a lint says: the neutral form reports no changes.
    pub(crate) fn unreported(&self, prompt: &Prompt) -> Vec<Lint> {
        if self.provider == Provider::Neutral { prompt.unreported() } else { Vec::new() }
    }

    /// The payload, and what should be known about its cards; or what has to be read first.
    pub(crate) fn make(
        &self,
        snapshot: &Snapshot,
        env: &Env,
    ) -> Result<Step<(Payload, Vec<Lint>)>> {
        Ok(match self.source.prompt(snapshot, env)? {
            Step::Need(reads) => Step::Need(reads),
            Step::Done((prompt, mut lints)) => {
                lints.extend(self.unreported(&prompt));
                Step::Done((payload(&prompt, self.provider, &self.options)?, lints))
            }
        })
    }
}

impl Rule for MakePayload {
    type Value = Payload;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Payload>>> {
        Ok(match self.make(snapshot, env)? {
            Step::Need(reads) => Step::Need(reads),
            Step::Done((value, lints)) => Step::Done(Outcome::answer(value, lints, snapshot, env)),
        })
    }
}
