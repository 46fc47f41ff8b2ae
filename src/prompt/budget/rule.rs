//! Budgets as a rule.

use super::{Budget, Fitted, Priorities, fit};
use crate::agents::Setup;
use crate::prompt::provider::{MakePayload, Prompt, draft};
use crate::prompt::tokens::{CounterInput, texts};
use crate::rule::{Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::{Error, Path, Result};

arguments! {
    /// Fits a request into a budget and lists what is dropped. The system prompt and the query are
    /// never dropped.
    ///
    /// ```
    /// use tuckbox::prompt::budget::FitBudget;
    /// # use tuckbox::rule::{Rule, Step};
    /// # use tuckbox::{Env, Snapshot, Timestamp, json};
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = FitBudget::from_json(&json!({"provider": "openai_chat", "limit": 100,
    ///     "messages": [{"role": "user", "content": "Hello"}]}))?;
    /// let Step::Done(fitted) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
    /// assert_eq!(fitted.value.kept, [0]);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct FitBudget {
        /// The maximum number of tokens. The window of the model without the answer by default.
        pub limit: Option<u64>,
        /// The priorities of layers. Lower numbers are dropped first.
        pub priorities: Priorities = Priorities::default(),
        /// The positions of messages that are never dropped.
        pub pinned: Vec<u64> = Vec::new(),
        /// Omits the prompt and the costs of its messages from the answer.
        pub brief: bool = false,
        /// Other limits for which only the numbers are computed. The number of limits times that
        /// of messages is at most 40,000.
        pub also: Vec<u64> = Vec::new(),
        /// The counter. Without one the counts are estimates.
        pub counter: Option<CounterInput>,
        shared payload: MakePayload,
    }
}

impl FitBudget {
    /// Applies the settings of a project.
    ///
    /// # Errors
    /// As [`MakePayload::with_setup`].
    pub fn with_setup(self, setup: &Setup) -> Result<Self> {
        Ok(Self { payload: self.payload.with_setup(setup)?, ..self })
    }

    fn budget(&self) -> Result<Budget> {
        Ok(Budget {
            limit: self.limit.map_or_else(|| room(&self.payload), Ok)?,
            priorities: self.priorities.clone(),
            also: self.also.clone(),
        })
    }
}

/// Returns the window of the model without the answer.
fn room(payload: &MakePayload) -> Result<u64> {
    let MakePayload { provider, options, .. } = payload;
    let model = options.known_model(*provider);
    let Some(window) = model.context_window else {
        let named = options.model.as_deref().map(|model| format!(" of `{model}`"));
        let message =
            format!("`limit` is missing, and the window{} is unknown", named.unwrap_or_default());
        return Err(Error::bad_request(message).at(Path::root().key("limit")));
    };
    Ok(window.saturating_sub(options.max_output_tokens.or(model.output_limit).unwrap_or_default()))
}

impl Rule for FitBudget {
    type Value = Fitted;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Fitted>>> {
        let MakePayload { source, provider, options } = &self.payload;
        let budget = self.budget()?;
        let (found, mut lints) = ready!(source.prompt(snapshot, env)?);
        let mut prompt = found.into_prompt();
        lints.extend(self.payload.unreported(&prompt.shown()));
        lints.extend(options.model_lint(*provider));
        for &position in &self.pinned {
            prompt.protect(usize::try_from(position).unwrap_or(usize::MAX));
        }
        // only counts of the host need the strings that they belong to
        let listed = match self.counter.as_ref().is_some_and(CounterInput::is_counted) {
            true => texts(&draft(prompt.shown(), *provider, options)?),
            false => Vec::new(),
        };
        let (counter, model) = (self.counter.as_ref(), options.model.as_deref());
        let counter = CounterInput::counter(counter, *provider, model, || listed)?;
        let mut fitted = fit(&prompt, *provider, options, &budget, counter.as_ref())?;
        lints.extend(options.window_lint(*provider, fitted.account.needed()));
        if self.brief {
            fitted.prompt = Prompt::default();
            fitted.account.buckets.clear();
            fitted.account.messages.clear();
        }
        Ok(Step::Done(Outcome::answer(fitted, lints, snapshot, env)))
    }
}
