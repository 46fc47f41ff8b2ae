//! The request of a turn, as its profile sets it.
//!
//! ```
//! use tuckbox::prompt::request::TurnRequest;
//! use tuckbox::rule::{Rule, Step};
//! use tuckbox::{Env, Snapshot, Timestamp, json};
//!
//! let call = TurnRequest::from_json(&json!({"turn": {"agent_id": "writer"}}))?;
//! let env = Env::new(Timestamp::from_millis(0), [7; 32]);
//! // the agent, its profile and its boxes are read first
//! assert!(matches!(call.step(&Snapshot::new("p1".into()), &env)?, Step::Need(_)));
//! # Ok::<(), tuckbox::Error>(())
//! ```

use super::budget::{Budget, Dropped, Priorities, fit};
use super::provider::{Options, Payload, Prompt, Provider, TurnCall, payload};
use super::tokens::Estimate;
use crate::agents::Setup;
use crate::agents::turn::Turn;
use crate::rule::{Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::arguments::{Argument, Arguments, arguments};
use crate::value::env::Env;
use crate::value::json::{Field, Json, Object};
use crate::{Path, Result};
use serde::Serialize;

arguments! {
    /// Builds the request that the worker of a turn sends. The `llm_config` of the profile sets the
    /// provider, the model and the options.
    ///
    /// `llm_config` can have `provider`, `model`, `max_input_tokens` and every option of `payload` except
    /// `form`. A request with `max_input_tokens` is fitted into that budget. Other keys are ignored.
    ///
    /// ```
    /// use tuckbox::prompt::request::TurnRequest;
    /// # use tuckbox::store::{MemoryStore, Snapshot};
    /// # use tuckbox::value::json::Field;
    /// # use tuckbox::{Card, Env, Timestamp, json, rule};
    /// # let card = |wire| Card::from_row(&Field::root(&wire)).unwrap();
    /// # let mut store = MemoryStore::new();
    /// # store.project("p1").add_box("pb_writer", ["prof"]).add_box("ctx", ["n1"])
    /// #     .add_card(card(json!({"card_id": "prof", "metadata": {"type": "sys.profile"}, "content": {"__type__": "JsonContent", "data": {
    /// #         "name": "Writer", "system_prompt_template": "You write.", "llm_config": {"provider": "anthropic", "model": "claude-opus-4-8", "max_output_tokens": 500}}}})))
    /// #     .add_card(card(json!({"card_id": "n1", "metadata": {"role": "user"}, "content": {"__type__": "TextContent", "text": "Begin."}})));
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = TurnRequest::from_json(&json!({"turn": {"context_box_id": "ctx", "profile_box_id": "pb_writer"}}))?;
    /// let sent = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert_eq!(sent.payload.body().get("max_tokens"), Some(&500.into()), "the profile sets it");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct TurnRequest {
        /// The arguments of `turn_view`.
        pub turn: Object,
        /// The provider. By default that of the profile, or else `openai_chat`.
        pub provider: Option<Provider>,
        setting setup: Setup,
    }
}

/// The request of a turn.
///
/// Shown by the example of [`TurnRequest`].
#[derive(Debug, Serialize)]
pub struct SentTurn {
    /// The turn.
    pub turn: Turn,
    /// The body of the request, and the changes of its conversion.
    pub payload: Payload,
    /// The messages that do not fit into `max_input_tokens`, in the order of the drops.
    pub dropped: Vec<Dropped>,
}

/// The option that the host of a worker does not get: the body is that of the HTTP request.
const FORM: &str = "form";
/// The model of a profile that names none.
const MODEL: &str = "default";

impl TurnRequest {
    /// Applies the settings of a project.
    #[must_use]
    pub fn with_setup(self, setup: &Setup) -> Self {
        Self { setup: setup.clone(), ..self }
    }

    /// Returns what the configuration of a profile sets.
    fn configured(&self, config: &Json) -> Result<Configured> {
        let config = Field::root(config).object()?;
        let mut named = Object::new();
        named.insert("model".into(), MODEL.into());
        for (key, value) in config.json() {
            if Options::has_key(key) && key != FORM && !value.is_null() {
                named.insert(key.clone(), value.clone());
            }
        }
        let own = config.optional("provider").map(|name| Provider::read(&name)).transpose()?;
        let provider = self.provider.or(own).unwrap_or(Provider::OpenaiChat);
        let limit = config.optional("max_input_tokens").map(|limit| limit.count()).transpose()?;
        let options =
            Options::from_json(&Json::Object(named))?.with_setup(provider, &self.setup)?;
        Ok(Configured { provider, options, limit })
    }
}

/// What the configuration of a profile sets.
struct Configured {
    provider: Provider,
    options: Options,
    /// The maximum number of tokens of the request.
    limit: Option<u64>,
}

impl Rule for TurnRequest {
    type Value = SentTurn;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<SentTurn>>> {
        let call = TurnCall::new(self.turn.clone(), self.setup.clone());
        let (turn, mut lints) = ready!(call.turn(snapshot, env)?);
        let none = Json::Object(Object::new());
        let own = turn.profile.as_ref().map(|profile| &profile.llm_config);
        let config = own.filter(|config| !config.is_null()).unwrap_or(&none);
        let path = Path::root().key("llm_config");
        let configured = self.configured(config).map_err(|error| error.within(&path))?;
        let Configured { provider, options, limit } = configured;
        let mut prompt = Prompt::from(turn.clone());
        let mut dropped = Vec::new();
        if let Some(limit) = limit {
            let budget = Budget { limit, priorities: Priorities::default(), also: Vec::new() };
            let fitted = fit(&prompt, provider, &options, &budget, &Estimate)?;
            (prompt, dropped) = (fitted.prompt, fitted.dropped);
        }
        let payload = payload(&prompt, provider, &options)?;
        lints.extend(options.model_lint(provider));
        Ok(Step::Done(Outcome::answer(SentTurn { turn, payload, dropped }, lints, snapshot, env)))
    }
}
