//! Counting as rules.

use super::{Account, Counted, Counter, Estimate, Scaled, account, calibration, texts};
use crate::Result;
use crate::agents::Setup;
use crate::prompt::provider::{MakePayload, Payload, Provider};
use crate::rule::{Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::env::Env;
use crate::value::json::{Field, Fields, Json};
use serde::Serialize;

/// Which counter a call names: none is the estimate, otherwise the figures of one that ran
/// elsewhere.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CounterInput(Option<Given>);

#[derive(Clone, Debug, PartialEq)]
enum Given {
    /// Counts of texts. What one of OpenAI's encodings counts exactly is a guess for others.
    Counts { counts: Vec<u64>, exact: bool, is_openai: bool },
    /// The estimate, scaled by what a provider once counted.
    Scale(Scaled),
}

impl CounterInput {
    /// Reads `counter?: {"counts": [..], "exact"?: bool, "encoding"?: text}`,
    /// `{"scale": {"counted", "estimated"}}`, or `{"calibration": [..], "model"?}` with the rows of
    /// an import's report: the one of the model, which the call names else, scales the estimate.
    pub(crate) fn from_fields(call: &Fields<'_>) -> Result<Self> {
        let Some(counter) = call.optional("counter") else { return Ok(Self(None)) };
        let counter = counter.object()?;
        if let Some(scale) = counter.optional("scale") {
            counter.only(&["scale"])?;
            let scale = scale.object()?;
            scale.only(&["counted", "estimated"])?;
            let count = |key: &str| scale.required(key)?.count();
            let scaled = Scaled { counted: count("counted")?, estimated: count("estimated")? };
            return Ok(Self(Some(Given::Scale(scaled))));
        }
        if let Some(rows) = counter.optional("calibration") {
            counter.only(&["calibration", "model"])?;
            let model = counter.optional("model").or_else(|| call.optional("model"));
            let model = model.map(|model| model.string()).transpose()?;
            return Ok(Self(calibration::scaled_for(&rows, model)?.map(Given::Scale)));
        }
        counter.only(&["counts", "exact", "encoding"])?;
        let counts = counter.required("counts")?.list()?;
        let counts = counts.iter().map(Field::count).collect::<Result<_>>()?;
        let exact = counter.optional("exact").map(|field| field.boolean()).transpose()?;
        let encoding = counter.optional("encoding").map(|field| field.string()).transpose()?;
        Ok(Self(Some(Given::Counts {
            counts,
            exact: exact.unwrap_or_default(),
            is_openai: encoding.is_some_and(|name| OPENAI.contains(&name)),
        })))
    }

    /// True when the host counted.
    pub(crate) const fn is_given(&self) -> bool {
        matches!(self.0, Some(Given::Counts { .. }))
    }

    /// The counter for texts that the host has seen in this order. Its figures are exact only for
    /// a provider whose models count with its encoding.
    pub(crate) fn counter(
        &self,
        provider: Provider,
        texts: impl FnOnce() -> Vec<String>,
    ) -> Result<Box<dyn Counter>> {
        Ok(match &self.0 {
            None => Box::new(Estimate),
            Some(Given::Counts { counts, exact, is_openai }) => {
                let exact = *exact && (!is_openai || provider.spec().family == "openai");
                Box::new(Counted::new(texts(), counts, exact)?)
            }
            Some(Given::Scale(scaled)) => Box::new(*scaled),
        })
    }
}

/// The encodings of OpenAI's models.
const OPENAI: [&str; 2] = ["o200k_base", "cl100k_base"];

/// Lists the texts of a payload that a host's own counter has to count.
///
/// ```
/// use tuckbox::prompt::tokens::TokenTexts;
/// use tuckbox::value::json::to_text;
/// # use tuckbox::rule::{Rule, Step};
/// # use tuckbox::{Env, Snapshot, Timestamp, json};
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let call = TokenTexts::from_json(&json!({"provider": "openai_chat", "messages": [{"role": "user", "content": "Hello"}]}))?;
/// let Step::Done(texts) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
/// assert!(to_text(&texts.value)?.contains("Hello"));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TokenTexts {
    payload: MakePayload,
}

/// The texts to count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Texts {
    /// Each once, in order.
    pub texts: Vec<String>,
}

impl TokenTexts {
    /// Reads a call: as that of a payload.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        Self::from_json_with(json, &Setup::default())
    }

    /// As [`TokenTexts::from_json`], with what a call inside it leaves open.
    ///
    /// # Errors
    /// As there.
    pub fn from_json_with(json: &Json, setup: &Setup) -> Result<Self> {
        Ok(Self { payload: MakePayload::from_json_with(json, setup)? })
    }
}

impl Rule for TokenTexts {
    type Value = Texts;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Texts>>> {
        let (payload, lints) = ready!(self.payload.make(snapshot, env)?);
        let value = Texts { texts: texts(&payload) };
        Ok(Step::Done(Outcome::answer(value, lints, snapshot, env)))
    }
}

/// Counts the tokens of a payload.
///
/// ```
/// use tuckbox::prompt::tokens::CountTokens;
/// # use tuckbox::rule::{Rule, Step};
/// # use tuckbox::{Env, Snapshot, Timestamp, json};
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let call = CountTokens::from_json(&json!({"provider": "openai_chat", "messages": [{"role": "user", "content": "Hello"}]}))?;
/// let Step::Done(counted) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
/// assert!(counted.value.tokens > 0 && !counted.value.exact);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CountTokens {
    payload: MakePayload,
    counter: CounterInput,
}

impl CountTokens {
    /// Reads a call: as that of a payload, with `counter?: {"counts": [..], "exact"?,
    /// "encoding"?}`, the counts of the texts that `token_texts` lists, in their order. Counts of
    /// an encoding of OpenAI's are exact for OpenAI only.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        Self::from_json_with(json, &Setup::default())
    }

    /// As [`CountTokens::from_json`], with what a call inside it leaves open.
    ///
    /// # Errors
    /// As there.
    pub fn from_json_with(json: &Json, setup: &Setup) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&[&MakePayload::keys()[..], &["counter"]].concat())?;
        let payload = MakePayload::from_fields(&call, setup)?;
        Ok(Self { payload, counter: CounterInput::from_fields(&call)? })
    }

    fn count(&self, payload: &Payload) -> Result<Account> {
        let counter = self.counter.counter(payload.provider(), || texts(payload))?;
        Ok(account(payload, counter.as_ref()))
    }
}

impl Rule for CountTokens {
    type Value = Account;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Account>>> {
        let (payload, mut lints) = ready!(self.payload.make(snapshot, env)?);
        let account = self.count(&payload)?;
        lints.extend(self.payload.options.window_lint(payload.provider(), account.needed()));
        Ok(Step::Done(Outcome::answer(account, lints, snapshot, env)))
    }
}
