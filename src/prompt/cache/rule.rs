//! Explaining caches as a rule.

use super::answer::{CacheExplanation, RequestCache};
use super::body::{Api, parse};
use super::facts::fact;
use super::hash::Hash;
use super::money::{Money, table_price};
use super::policy::CacheRules;
use super::provider::CacheProvider;
use super::summary::CacheSummary;
use super::usage;
use super::walk::{Given, Walk};
use crate::rule::{Immediate, Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::value::json::{Field, Json, listed};
use crate::value::time::Timestamp;
use crate::{Error, Result};
use std::sync::Arc;

/// Explains why requests of a session read less from the provider's cache than they could.
///
/// Bodies are read together with the call and not copied. The time is linear in their bytes.
///
/// ```
/// use tuckbox::prompt::cache::{Cause, ExplainCache, Region};
/// # use tuckbox::rule::{Rule, Step};
/// # use tuckbox::{Env, Snapshot, Timestamp, json};
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let body = |system: String| json!({"model": "claude-opus-5-5", "max_tokens": 1000,
///     "system": [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
///     "messages": [{"role": "user", "content": "Hello"}]});
/// let rules = "Answer in one sentence. ".repeat(400);
/// let call = json!({"provider": "anthropic", "requests": [
///     {"body": body(format!("{rules}Today is 2026-11-17."))},
///     {"body": body(format!("{rules}Today is 2026-11-18."))}]});
/// let call = ExplainCache::from_json(&call)?;
/// let Step::Done(done) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
/// let second = &done.value.requests[1];
/// assert_eq!((second.cause, second.region), (Cause::SystemChanged, Region::System));
/// assert_eq!(second.at.volatile, Some("date"));
/// assert!(second.fix.as_ref().unwrap().contains("last user message"));
/// assert_eq!(done.value.summary.causes[0].cause, Cause::SystemChanged);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainCache(Immediate<CacheExplanation>);

arguments! {
    /// Explains why requests of a session read less from the provider's cache than they could.
    struct ExplainCacheArguments {
        /// The provider.
        pub provider: CacheProvider,
        /// The price of input, to state prices as money. By default it comes from the table of models.
        pub price: Option<InputPrice>,
        shared requests: RequestList,
    }

    /// The price of input tokens.
    ///
    /// Shown by the example of [`ExplainCache`].
    #[derive(Clone, Debug, PartialEq)]
    pub struct InputPrice {
        /// The price of 1,000,000 input tokens.
        pub input: f64,
        /// The currency, such as `USD`.
        pub currency: String,
    }
}

/// The requests, which are read in place.
struct RequestList;

shape! {
    pub struct RequestList {
        /// The requests of one session, oldest first.
        pub requests: Vec<CacheRequest>,
    }

    /// A request of a session.
    pub struct CacheRequest {
        /// The body, as it was sent.
        pub body: Object,
        /// The model, for bodies that do not name it.
        pub model: Maybe<String>,
        /// When the request started.
        pub at: Maybe<Json>,
        /// When the answer began.
        pub first_token_at: Maybe<Json>,
        /// The usage of the answer, as the provider or `read_response` reports it.
        pub usage: Maybe<Object>,
        /// The id of the answer.
        pub id: Maybe<String>,
        /// The organization, workspace or region: any value that is equal for equal ones.
        pub scope: Maybe<Json>,
        /// The surface, such as `direct` or `bedrock`.
        pub surface: Maybe<String>,
        /// The diagnostics of the answer, as the provider reports them.
        pub diagnostics: Maybe<Json>,
        /// What the log does not have: `tools`, `system`, `messages`, `settings`.
        pub lacks: Maybe<Vec<String>>,
    }

    fn explain_cache(arguments: ExplainCacheArguments) -> CacheExplanation;
}

requests_in_place!(RequestList);

const REQUEST_KEYS: [&str; 10] = [
    "body",
    "model",
    "at",
    "first_token_at",
    "usage",
    "id",
    "scope",
    "surface",
    "diagnostics",
    "lacks",
];
const REGIONS: [&str; 4] = ["tools", "system", "messages", "settings"];

impl ExplainCache {
    /// Reads a call from JSON.
    ///
    /// # Errors
    /// With the path of the value that is wrong, such as a body of another provider.
    pub fn from_json(json: &Json) -> Result<Self> {
        Self::with_models(json, &Json::Null)
    }

    /// As [`ExplainCache::from_json`], with the host's own table of models.
    pub(crate) fn with_models(json: &Json, models: &Json) -> Result<Self> {
        let ExplainCacheArguments { provider, price, requests: RequestList } =
            ExplainCacheArguments::from_json(json)?;
        let call = Field::root(json).object()?;
        let (name, api) = (provider.name(), provider.api());
        let list = call.required("requests")?.list()?;
        let given = list.iter().map(|field| given(api, field)).collect::<Result<Vec<_>>>()?;
        let has_price = |given: &Given<'_>| {
            let family = CacheRules::of(name, given.model).family;
            table_price(models, family, given.model, 0).is_some()
        };
        let money = match price {
            Some(InputPrice { input, currency }) => Money::Host { unit: input / 1e6, currency },
            // one currency for all requests
            None if given.iter().all(has_price) => Money::Table(models),
            None => Money::Multiples,
        };
        let mut walk = Walk::new(name, &money);
        let requests: Vec<_> = given.into_iter().map(|given| walk.next(given)).collect();
        Ok(Self(Immediate::new(explanation(provider, requests, walk.rules))))
    }
}

/// Adds the totals and the facts to explained requests.
pub(super) fn explanation(
    provider: CacheProvider,
    requests: Vec<RequestCache>,
    policy: CacheRules,
) -> CacheExplanation {
    let summary = CacheSummary::of(&requests);
    let mut facts = Vec::new();
    for request in &requests {
        let rules = request.also.iter().map(|also| also.rule).chain([request.rule]);
        for found in rules.filter_map(fact) {
            if !facts.contains(found) {
                facts.push(*found);
            }
        }
    }
    CacheExplanation { provider, requests, summary, policy, facts }
}

/// Reads one request.
fn given<'a>(api: Api, field: &Field<'a>) -> Result<Given<'a>> {
    let request = field.object()?;
    request.only(&REQUEST_KEYS)?;
    let parsed = parse(api, &request.required("body")?)?;
    let time = |key: &str| -> Result<Option<i64>> {
        let time = request.optional(key).map(|field| Timestamp::from_wire(&field)).transpose()?;
        Ok(time.map(Timestamp::as_millis))
    };
    let text = |key: &str| request.optional(key).map(|field| field.string()).transpose();
    let mut lacks = Vec::new();
    if let Some(field) = request.optional("lacks") {
        for entry in field.list()? {
            let name = entry.string()?;
            match REGIONS.iter().find(|known| **known == name) {
                Some(known) => lacks.push(*known),
                None => {
                    let message =
                        format!("unknown region `{name}`; expected one of {}", listed(&REGIONS));
                    return Err(entry.error(message));
                }
            }
        }
    }
    if parsed.lacks_tools && !lacks.contains(&"tools") {
        lacks.push("tools");
    }
    let (usage, contradiction) = match request.optional("usage") {
        None => (None, None),
        Some(field) => {
            field.object()?;
            match usage::read(field.json()) {
                Ok(usage) => (usage, None),
                Err(reason) => (None, Some(reason)),
            }
        }
    };
    let mut scope = Hash::new();
    for key in ["scope", "surface"] {
        scope.number(request.optional(key).map_or(0, |field| Hash::of(field.json())));
    }
    let (at, first_token_at) = (time("at")?, time("first_token_at")?);
    if let (Some(start), Some(first)) = (at, first_token_at)
        && first < start
    {
        let path = field.path().key("first_token_at");
        return Err(Error::bad_request("`first_token_at` is before `at`").at(path));
    }
    Ok(Given {
        model: text("model")?.or(parsed.model),
        parsed,
        at,
        first_token_at,
        usage,
        contradiction,
        scope: scope.finish(),
        diagnostics: request.optional("diagnostics").map(|field| field.json()),
        id: text("id")?,
        lacks,
    })
}

impl Rule for ExplainCache {
    type Value = Arc<CacheExplanation>;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Arc<CacheExplanation>>>> {
        self.0.step(snapshot, env)
    }
}
