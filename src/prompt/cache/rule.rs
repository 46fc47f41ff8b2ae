//! Explaining caches as a rule.

use super::answer::{CacheExplanation, RequestCache};
use super::body::{Api, Parsed};
use super::facts::fact;
use super::given::Given;
use super::hash::Hash;
use super::money::Money;
use super::parse::parse;
use super::policy::{CacheRules, Surface};
use super::provider::CacheProvider;
use super::raw::RawSession;
use super::session::{Shared, compose};
use super::summary::CacheSummary;
use super::usage;
use super::walk::Walk;
use crate::rule::{Immediate, Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::value::json::{Field, Json, ParseLimits, listed};
use crate::value::time::Timestamp;
use crate::{Error, Result};
use std::sync::Arc;

/// Explains why requests of a session read less from the provider's cache than they could.
///
/// Bodies are read together with the call and not copied. The time is linear in their bytes.
///
/// ```
/// use tuckbox::prompt::cache::{CacheProvider, Cause, ExplainCache, Region};
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
/// let words = second.at.words.as_ref().unwrap();
/// assert!(words.before.contains("2026-11-17") && words.after.contains("2026-11-18"));
/// assert_eq!(second.at.volatile, Some("date"));
/// assert_eq!((second.expected.read, second.ttl.seconds), (0, Some(300)));
/// assert_eq!((second.price.write, second.price.currency.as_str()), (Some(1.25), "USD"));
/// assert!(second.fix.as_ref().unwrap().contains("last user message"));
/// assert_eq!(done.value.summary.causes[0].cause, Cause::SystemChanged);
/// assert_eq!(done.value.provider, CacheProvider::Anthropic);
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
    pub(crate) fn with_models<'a>(json: &'a Json, models: &Json) -> Result<Self> {
        let ExplainCacheArguments { provider, price, requests: RequestList } =
            ExplainCacheArguments::from_json(json)?;
        let call = Field::root(json).object()?;
        let (name, api) = (provider.name(), provider.api());
        let list = call.required("requests")?.list()?;
        let read = |field: &Field<'a>| {
            let request = field.object()?;
            request.only(&REQUEST_KEYS)?;
            given(field, parse(api, &request.required("body")?)?)
        };
        let given = list.iter().map(read).collect::<Result<Vec<_>>>()?;
        let money = match price {
            Some(price) => price.into(),
            None => Money::of(models, name, given.iter().map(|given| (given.model, given.surface))),
        };
        let mut walk = Walk::new(name, &money, models);
        let requests: Vec<_> = given.into_iter().map(|given| walk.next(given)).collect();
        Ok(Self(Immediate::new(explanation(provider, requests, walk.rules))))
    }

    /// Reads the text of a call. Text that requests repeat is parsed once. Returns nothing for a text
    /// with an unusual form or an error; [`ExplainCache::with_models`] then reads its JSON.
    pub(crate) fn from_text(text: &[u8], limits: &ParseLimits, models: &Json) -> Option<Self> {
        let session = RawSession::read(text, limits)?;
        let ExplainCacheArguments { provider, price, requests: RequestList } =
            ExplainCacheArguments::from_json(&session.call).ok()?;
        let (name, api) = (provider.name(), provider.api());
        let parsed = |body| parse(api, &Field::root(body)).ok();
        let heads = session.heads.iter().map(parsed).collect::<Option<Vec<_>>>()?;
        // a point at the start of a message marks the message before it
        if api == Api::Bedrock && session.messages.iter().any(starts_with_point) {
            return None;
        }
        let messages = session.messages.iter().map(|body| parsed(body).map(Shared::of));
        let messages = messages.collect::<Option<Vec<_>>>()?;
        let model_of = session.requests.iter().map(|request| {
            let own = |key: &str| request.rest.get(key).and_then(Json::as_str);
            let head = heads.get(request.head);
            let model = own("model").or_else(|| head?.model);
            (model, Surface::of(own("surface"), head.and_then(|head| head.version), model))
        });
        let money = match price {
            Some(price) => price.into(),
            None => Money::of(models, name, model_of),
        };
        let mut walk = Walk::new(name, &money, models);
        let explained = session.requests.iter().map(|request| {
            let list = session.messages_of(request).filter_map(|at| messages.get(at));
            let parsed = compose(api, heads.get(request.head)?, list);
            Some(walk.next(given(&Field::root(&request.rest), parsed).ok()?))
        });
        let explained = explained.collect::<Option<Vec<_>>>()?;
        Some(Self(Immediate::new(explanation(provider, explained, walk.rules))))
    }
}

/// Returns true for a body whose only message starts with a cache point.
fn starts_with_point(body: &Json) -> bool {
    let first = |json: &'_ Json| json.as_array().and_then(|list| list.first()).cloned();
    let message = body.get("messages").and_then(first);
    let block = message.as_ref().and_then(|message| message.get("content")).and_then(first);
    block.is_some_and(|block| block.get("cachePoint").is_some())
}

impl From<InputPrice> for Money<'_> {
    fn from(price: InputPrice) -> Self {
        Self::Host { unit: price.input / 1e6, currency: price.currency }
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

/// Reads one request, whose body is parsed already.
fn given<'a>(field: &Field<'a>, parsed: Parsed<'a>) -> Result<Given<'a>> {
    let request = field.object()?;
    request.only(&REQUEST_KEYS)?;
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
    let scope = ["scope", "surface"].map(|key| request.optional(key));
    let scope = scope.map(|field| field.map(|field| Hash::of(field.json())));
    let (at, first_token_at) = (time("at")?, time("first_token_at")?);
    if let (Some(start), Some(first)) = (at, first_token_at)
        && first < start
    {
        let path = field.path().key("first_token_at");
        return Err(Error::bad_request("`first_token_at` is before `at`").at(path));
    }
    let model = text("model")?.or(parsed.model);
    Ok(Given {
        surface: Surface::of(text("surface")?, parsed.version, model),
        model,
        parsed,
        at,
        first_token_at,
        usage,
        contradiction,
        scope,
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
