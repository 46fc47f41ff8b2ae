//! Counting as rules.

use super::calibration::{self, CalibrationRow};
use super::{Account, Counted, Counter, Estimate, Scaled, account, texts};
use crate::Result;
use crate::agents::Setup;
use crate::prompt::provider::{MakePayload, Payload, Provider};
use crate::rule::{Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::arguments::{Argument, arguments};
use crate::value::env::Env;
use crate::value::json::Field;
use serde::Serialize;

/// The counts of a counter that ran in the host, or a scale for the estimate.
///
/// Shown by the example of [`CountTokens`].
#[derive(Clone, Debug, PartialEq)]
pub enum CounterInput {
    /// Counts of strings. A count of an encoding of OpenAI is a guess for other providers.
    Counts(HostCounts),
    /// The estimate, scaled by what a provider counted.
    Scale(Scaled),
    /// The estimate, scaled by the calibration of an import.
    Calibration {
        /// The rows of the import's report.
        rows: Vec<CalibrationRow>,
        /// The model. That of the call by default.
        model: Option<String>,
    },
}

shape! {
    /// The counts of a counter that ran in the host, or a scale for the estimate.
    #[serde(untagged)]
    pub enum CounterInput {
        Counts(HostCounts),
        Scale(Scale),
        Calibration(CalibrationInput),
    }
}

arguments! {
    /// The counts of the strings that `token_texts` lists.
    ///
    /// Shown by the example of [`CountTokens`].
    #[derive(Clone, Debug, PartialEq)]
    pub struct HostCounts {
        /// The counts, in the order of the strings.
        pub counts: Vec<u64>,
        /// True for counts of the model's own encoding.
        pub exact: bool = false,
        /// The name of the encoding. Counts of `o200k_base` and `cl100k_base` are exact for OpenAI
        /// only.
        pub encoding: Option<String>,
    }

    /// A scale for estimates.
    #[derive(Clone, Debug, PartialEq)]
    struct Scale {
        /// What a provider counted for a request, and the estimate for the same request.
        pub scale: Scaled,
    }

    /// The calibration of an import.
    #[derive(Clone, Debug, PartialEq)]
    struct CalibrationInput {
        /// The rows of an import's report. The row of the model scales the estimate; without one
        /// the estimate does not change.
        pub calibration: Vec<CalibrationRow>,
        /// The model. That of the call by default.
        pub model: Option<String>,
    }
}

impl Argument for CounterInput {
    fn read(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        if fields.optional("scale").is_some() {
            Scale::read(field).map(|given| Self::Scale(given.scale))
        } else if fields.optional("calibration").is_some() {
            let CalibrationInput { calibration: rows, model } = CalibrationInput::read(field)?;
            Ok(Self::Calibration { rows, model })
        } else {
            HostCounts::read(field).map(Self::Counts)
        }
    }
}

impl CounterInput {
    /// Returns true for counts of the host.
    pub(crate) const fn is_counted(&self) -> bool {
        matches!(self, Self::Counts(_))
    }

    /// Returns the counter for strings that the host counted in this order. Its counts are exact
    /// only for a provider whose models use its encoding. `model` is that of the call.
    pub(crate) fn counter(
        given: Option<&Self>,
        provider: Provider,
        model: Option<&str>,
        texts: impl FnOnce() -> Vec<String>,
    ) -> Result<Box<dyn Counter>> {
        Ok(match given {
            None => Box::new(Estimate),
            Some(Self::Counts(HostCounts { counts, exact, encoding })) => {
                let is_openai = encoding.as_deref().is_some_and(|name| OPENAI.contains(&name));
                let exact = *exact && (!is_openai || provider.spec().family == "openai");
                Box::new(Counted::new(texts(), counts, exact)?)
            }
            Some(Self::Scale(scaled)) => Box::new(*scaled),
            Some(Self::Calibration { rows, model: own }) => {
                match calibration::scaled_for(rows, own.as_deref().or(model)) {
                    Some(scaled) => Box::new(scaled),
                    None => Box::new(Estimate),
                }
            }
        })
    }
}

/// The encodings of OpenAI's models.
const OPENAI: [&str; 2] = ["o200k_base", "cl100k_base"];

arguments! {
    /// Lists the strings of a request that the host's own counter has to count.
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
        shared payload: MakePayload,
    }
}

/// The strings to count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Texts {
    /// The strings, each once, in order.
    pub texts: Vec<String>,
}

impl TokenTexts {
    /// Applies the settings of a project.
    ///
    /// # Errors
    /// As [`MakePayload::with_setup`].
    pub fn with_setup(self, setup: &Setup) -> Result<Self> {
        Ok(Self { payload: self.payload.with_setup(setup)? })
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

arguments! {
    /// Counts the tokens of a request, each in exactly one bucket.
    ///
    /// ```
    /// use tuckbox::prompt::tokens::{CountTokens, CounterInput, HostCounts};
    /// # use tuckbox::rule::{Rule, Step};
    /// # use tuckbox::{Env, Snapshot, Timestamp, json};
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = CountTokens::from_json(&json!({"provider": "openai_chat", "messages": [{"role": "user", "content": "Hello"}]}))?;
    /// let Step::Done(counted) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
    /// assert!(counted.value.tokens > 0 && !counted.value.exact);
    ///
    /// let counts = HostCounts { counts: vec![1], exact: true, encoding: None };
    /// let call = CountTokens { counter: Some(CounterInput::Counts(counts)), ..call };
    /// let Step::Done(counted) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
    /// assert!(counted.value.buckets.iter().any(|bucket| bucket.exact));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct CountTokens {
        /// The counter. Without one the counts are estimates.
        pub counter: Option<CounterInput>,
        shared payload: MakePayload,
    }
}

impl CountTokens {
    /// Applies the settings of a project.
    ///
    /// # Errors
    /// As [`MakePayload::with_setup`].
    pub fn with_setup(self, setup: &Setup) -> Result<Self> {
        Ok(Self { payload: self.payload.with_setup(setup)?, ..self })
    }

    fn count(&self, payload: &Payload) -> Result<Account> {
        let model = self.payload.options.model.as_deref();
        let counter = self.counter.as_ref();
        let counter = CounterInput::counter(counter, payload.provider(), model, || texts(payload))?;
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
