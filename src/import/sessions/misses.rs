//! The cache misses of a session, the most expensive first.

use super::SessionQuestion;
use super::excerpt::excerpt;
use super::request::word;
use crate::import::explain;
use crate::prompt::cache::{CauseTotal, RequestCache};
use crate::rule::{Immediate, Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::value::json::Json;
use crate::{Limits, Result};
use serde::Serialize;
use std::sync::Arc;

arguments! {
    /// Explains the requests of a session that lost tokens of the cache, the most expensive first.
    #[derive(Clone, Debug)]
    struct ExplainMissesArguments {
        /// Only this request, by its number in the session.
        pub request: Option<usize>,
        shared question: SessionQuestion,
    }
}

/// Explains the requests of a session that lost tokens of the cache, the most expensive first.
///
/// ```
/// use tuckbox::import::sessions::ExplainMisses;
/// # use tuckbox::rule::{Rule, Step};
/// # use tuckbox::{Env, Limits, Snapshot, Timestamp, json};
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let log = r#"{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}"#;
/// let call = json!({"files": [{"name": "request.json", "text": log}], "request": 0});
/// let call = ExplainMisses::read(&call, &Limits::default())?;
/// let Step::Done(done) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
/// assert_eq!(done.value.misses[0].cause, "first");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExplainMisses(Immediate<CachePage>);

shape! {
    fn explain_misses(arguments: ExplainMissesArguments) -> CachePage;
}

/// The cache of a session.
///
/// Shown by the example of [`ExplainMisses`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CachePage {
    /// The session.
    pub session: String,
    /// The number of requests of the conversation.
    pub requests: usize,
    /// The share of the input that was read from the cache, from 0 to 1.
    pub hit_rate: f64,
    /// True if all numbers are from usage, false if some are predictions.
    pub recorded: bool,
    /// Tokens that were in the cache and were not read.
    pub lost_tokens: u64,
    /// The price of those tokens in `currency`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost_price: Option<f64>,
    /// The currency; `input_tokens` is the price of one token of input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// The causes, the most expensive first.
    pub causes: Vec<CauseTotal>,
    /// The requests that lost tokens, the most expensive first; or the request of the call.
    pub misses: Vec<CacheMiss>,
    /// The `from` of the next page. Missing on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<usize>,
}

/// A request that lost tokens.
///
/// Shown by the example of [`ExplainMisses`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CacheMiss {
    /// The number of the request in the session.
    pub request: usize,
    /// The cause.
    pub cause: String,
    /// The region of the cause.
    pub region: String,
    /// True if a documented rule or the usage decides it.
    pub sure: bool,
    /// The tokens that were lost.
    pub lost_tokens: u64,
    /// The tokens that were read: recorded, otherwise expected.
    pub read_tokens: u64,
    /// The message of the cause, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<usize>,
    /// The tool of the cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The words of the earlier request that differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The words of this request that differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// How to keep the prefix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// Why the cause is unknown or not sure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The maximum number of causes of an answer.
const MAX_CAUSES: usize = 6;

impl ExplainMisses {
    /// Reads a call from JSON, and its files.
    ///
    /// # Errors
    /// `not_found` for another session or request, `limit` for files that are too large.
    pub fn read(json: &Json, limits: &Limits) -> Result<Self> {
        let ExplainMissesArguments { request, question } = ExplainMissesArguments::from_json(json)?;
        let found = question.find(limits)?;
        let only = request.map(|number| found.request(Some(number), "request")).transpose()?;
        let (numbers, explanation) = explain::session_cache(&found.session)?;
        let summary = &explanation.summary;
        let mut value = CachePage {
            session: found.name.clone(),
            requests: summary.requests,
            hit_rate: summary.hit_rate,
            recorded: summary.recorded,
            lost_tokens: summary.lost_tokens,
            lost_price: summary.lost_price,
            currency: explanation.requests.first().map(|first| first.price.currency.clone()),
            causes: summary.causes.iter().take(MAX_CAUSES).cloned().collect(),
            ..CachePage::default()
        };
        let mut misses: Vec<(usize, &RequestCache)> =
            numbers.iter().copied().zip(&explanation.requests).collect();
        match only {
            Some((only, _)) => misses.retain(|(number, _)| *number == only),
            None => {
                misses.retain(|(_, miss)| miss.lost_tokens > 0);
                misses.sort_by_key(|(_, miss)| std::cmp::Reverse(miss.lost_tokens));
            }
        }
        let misses = misses.into_iter().map(miss).collect::<Result<Vec<_>>>()?;
        (value.misses, value.next) = found.page(&value, misses)?;
        Ok(Self(Immediate::new(value)))
    }
}

fn miss((request, cache): (usize, &RequestCache)) -> Result<CacheMiss> {
    let words = cache.at.words.as_ref();
    Ok(CacheMiss {
        request,
        cause: word(&cache.cause)?,
        region: word(&cache.region)?,
        sure: cache.sure,
        lost_tokens: cache.lost_tokens,
        read_tokens: cache.recorded.map_or(cache.expected.read, |recorded| recorded.read),
        message: cache.at.message,
        tool: cache.at.tool.as_deref().map(excerpt),
        before: words.map(|words| excerpt(&words.before)),
        after: words.map(|words| excerpt(&words.after)),
        fix: cache.fix.as_deref().map(excerpt),
        reason: cache.reason.as_deref().map(excerpt),
    })
}

impl Rule for ExplainMisses {
    type Value = Arc<CachePage>;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Arc<CachePage>>>> {
        self.0.step(snapshot, env)
    }
}
