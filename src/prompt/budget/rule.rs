//! Budgets as a rule.

use super::{Budget, Fitted, Priorities, fit};
use crate::agents::Setup;
use crate::prompt::provider::{MakePayload, Prompt, draft};
use crate::prompt::tokens::{CounterInput, texts};
use crate::rule::{Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::env::Env;
use crate::value::json::{Field, Json};
use crate::{Error, Path, Result};

/// Fits a prompt into a budget.
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
    payload: MakePayload,
    budget: Budget,
    counter: CounterInput,
    pinned: Vec<u64>,
    brief: bool,
}

impl FitBudget {
    /// Reads a call: as that of a payload, with `limit?`, `priorities?`, `counter?` and `pinned?`,
    /// the positions of messages that never go; `brief?: true` leaves the prompt out of the answer,
    /// and `also?` names other limits of which only the figures are wanted.
    /// Without `limit` it is the window of the model, less what is kept for the answer.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        Self::from_json_with(json, &Setup::default())
    }

    /// As [`FitBudget::from_json`], with what a call inside it leaves open.
    ///
    /// # Errors
    /// As there.
    pub fn from_json_with(json: &Json, setup: &Setup) -> Result<Self> {
        let call = Field::root(json).object()?;
        let own = ["counter", "limit", "priorities", "pinned", "brief", "also"];
        call.only(&[&MakePayload::keys()[..], &own].concat())?;
        let counts = |key: &str| match call.optional(key) {
            None => Ok(Vec::new()),
            Some(list) => list.list()?.iter().map(Field::count).collect::<Result<_>>(),
        };
        let pinned = counts("pinned")?;
        let payload = MakePayload::from_fields(&call, setup)?;
        let limit = match call.optional("limit") {
            Some(limit) => limit.count()?,
            None => room(&payload)?,
        };
        Ok(Self {
            payload,
            budget: Budget {
                limit,
                priorities: Priorities::from_fields(&call)?,
                also: counts("also")?,
            },
            counter: CounterInput::from_fields(&call)?,
            pinned,
            brief: call.optional("brief").map_or(Ok(false), |field| field.boolean())?,
        })
    }
}

/// What the window of the model leaves beside the answer.
fn room(payload: &MakePayload) -> Result<u64> {
    let MakePayload { provider, options, .. } = payload;
    let model = options.known_model(*provider);
    let Some(window) = model.context_window else {
        let named = options.model.as_deref().map(|model| format!(" of `{model}`"));
        let message =
            format!("`limit` is missing, and the window{} is not known", named.unwrap_or_default());
        return Err(Error::bad_request(message).at(Path::root().key("limit")));
    };
    Ok(window.saturating_sub(options.max_output_tokens.or(model.output_limit).unwrap_or_default()))
}

impl Rule for FitBudget {
    type Value = Fitted;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Fitted>>> {
        let MakePayload { source, provider, options } = &self.payload;
        let (found, mut lints) = ready!(source.prompt(snapshot, env)?);
        let mut prompt = found.into_prompt();
        lints.extend(self.payload.unreported(&prompt.shown()));
        lints.extend(options.model_lint(*provider));
        for &position in &self.pinned {
            prompt.protect(usize::try_from(position).unwrap_or(usize::MAX));
        }
        // only a host's own figures need the texts they belong to
        let listed = match self.counter.is_given() {
            true => texts(&draft(prompt.shown(), *provider, options)?),
            false => Vec::new(),
        };
        let counter = self.counter.counter(*provider, || listed)?;
        let mut fitted = fit(&prompt, *provider, options, &self.budget, counter.as_ref())?;
        lints.extend(options.window_lint(*provider, fitted.account.needed()));
        if self.brief {
            fitted.prompt = Prompt::default();
            fitted.account.buckets.clear();
            fitted.account.messages.clear();
        }
        Ok(Step::Done(Outcome::answer(fitted, lints, snapshot, env)))
    }
}
