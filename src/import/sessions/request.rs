//! One request: where its tokens go, what the log lacks, why the cache missed, and its messages.

use super::excerpt::short;
use super::rows::{MessageRow, PartOf, parts_of};
use super::{Found, SessionQuestion};
use crate::import::model::{Part, Request, Usage};
use crate::import::sums::{Sums, tool_tokens};
use crate::prompt::tokens::estimate_by_table;
use crate::rule::{Immediate, Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::Map;
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::value::json::Json;
use crate::{Limits, Result, Timestamp};
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The maximum number of buckets; smaller ones are added up.
const MAX_BUCKETS: usize = 12;

/// The maximum number of unused tools that are named.
const MAX_NAMES: usize = 10;

arguments! {
    /// Explains a request of a log: where its tokens go, why the cache missed, what the log lacks.
    #[derive(Clone, Debug)]
    struct ExplainRequestArguments {
        /// The number of the request in the session, from 0. By default the last one.
        pub request: Option<usize>,
        /// Only this message of the request, with its whole text.
        pub message: Option<usize>,
        shared question: SessionQuestion,
    }
}

/// Explains a request of a log: where its tokens go, why the cache missed, what the log lacks.
///
/// ```
/// use tuckbox::import::sessions::ExplainRequest;
/// # use tuckbox::rule::{Rule, Step};
/// # use tuckbox::{Env, Limits, Snapshot, Timestamp, json};
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let log = json!({"model": "gpt-5",
///     "tools": [{"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}],
///     "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]});
/// let call = json!({"files": [{"name": "request.json", "text": log.to_string()}]});
/// let call = ExplainRequest::read(&call, &Limits::default())?;
/// let Step::Done(done) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
/// assert!(done.value.buckets.iter().any(|bucket| bucket.kind == "system"));
/// assert_eq!(done.value.messages[0].text, "Hi");
/// assert!(done.value.tokens.estimated > 0 && done.value.tokens.input.is_none(), "not recorded");
/// let unused = done.value.lints.iter().find(|note| note.code == "unused_tools").unwrap();
/// assert!(unused.message.contains("search"));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExplainRequest(Immediate<RequestExplanation>);

shape! {
    fn explain_request(arguments: ExplainRequestArguments) -> RequestExplanation;
}

/// The explanation of a request.
///
/// Shown by the example of [`ExplainRequest`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RequestExplanation {
    /// The session.
    pub session: String,
    /// The number of the request, from 0.
    pub request: usize,
    /// The number of requests of the session.
    pub requests: usize,
    /// The purpose: `main`, `sub`, `compaction` or `side`.
    pub kind: &'static str,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The time of sending.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The tokens.
    pub tokens: RequestTokens,
    /// Where the tokens go, the largest bucket first.
    pub buckets: Vec<RequestBucket>,
    /// Why less was read from the cache than possible. Missing for requests next to the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The tokens that were in the cache and were not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost_tokens: Option<u64>,
    /// What the log lacks, and tools that the request sends and the model never calls.
    pub lints: Vec<RequestNote>,
    /// The parts of its messages, the last one first.
    pub messages: Vec<MessageRow>,
    /// The `from` of the next page. Missing on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<usize>,
}

/// The tokens of a request.
///
/// Shown by the example of [`ExplainRequest`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RequestTokens {
    /// The recorded input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// The recorded part of it that was read from the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// The recorded output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// The estimate of what the log has.
    pub estimated: u64,
}

impl RequestTokens {
    pub(super) fn of(usage: Usage, estimated: u64) -> Self {
        let Usage { input, output, cached, .. } = usage;
        Self { input, cached, output, estimated }
    }
}

/// Tokens of one kind.
///
/// Shown by the example of [`ExplainRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RequestBucket {
    /// The kind: `system`, `tools`, `framing`, `rest`, or the kind of a part.
    pub kind: &'static str,
    /// The tool of calls and results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The number of parts, or of definitions.
    pub count: usize,
    /// The tokens, estimated.
    pub tokens: u64,
}

/// A note on a request.
///
/// Shown by the example of [`ExplainRequest`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RequestNote {
    /// The code: `not_in_log` or `unused_tools`.
    pub code: &'static str,
    /// A sentence.
    pub message: String,
}

impl ExplainRequest {
    /// Reads a call from JSON, and its files.
    ///
    /// # Errors
    /// `not_found` for another session or request, `limit` for files that are too large.
    pub fn read(json: &Json, limits: &Limits) -> Result<Self> {
        let ExplainRequestArguments { request: number, message, question } =
            ExplainRequestArguments::from_json(json)?;
        let found = question.find(limits)?;
        let (number, request) = found.request(number, "request")?;
        let parts = parts_of(&found.session, request.tail);
        let estimated = Sums::of(&found.session).estimated(request);
        let cache = found.cache_of(number)?;
        let mut value = RequestExplanation {
            session: found.name.clone(),
            request: number,
            requests: found.session.requests.len(),
            kind: request.kind.as_str(),
            model: request.model.as_deref().map(short),
            at: request.at.map(time),
            tokens: RequestTokens::of(request.usage, estimated),
            buckets: buckets(request, &parts, estimated),
            cause: cache.as_ref().map(|cache| word(&cache.cause)).transpose()?,
            lost_tokens: cache.map(|cache| cache.lost_tokens),
            lints: notes(&found, request, &parts),
            ..RequestExplanation::default()
        };
        let rows: Box<dyn Iterator<Item = MessageRow>> = match message {
            Some(at) => Box::new(
                parts.iter().filter(move |part| part.message == at).flat_map(PartOf::whole),
            ),
            None => Box::new(parts.iter().rev().map(PartOf::row)),
        };
        (value.messages, value.next) = found.page(&value, rows)?;
        Ok(Self(Immediate::new(value)))
    }
}

/// Returns a time in microseconds as text.
pub(super) fn time(micros: i64) -> String {
    Timestamp::from_millis(micros.div_euclid(1000)).to_string()
}

/// Returns the word of an enumeration.
pub(super) fn word(value: &impl Serialize) -> Result<String> {
    Ok(crate::value::json::to_json(value)?.as_str().unwrap_or_default().to_owned())
}

fn buckets(request: &Request, parts: &[PartOf<'_>], estimated: u64) -> Vec<RequestBucket> {
    let bucket = |kind, count, tokens| RequestBucket { kind, tool: None, count, tokens };
    let system = request.system.iter().map(|text| estimate_by_table(text)).sum();
    let tools = request.tools.iter().map(tool_tokens).sum();
    let mut all = vec![
        bucket("system", request.system.len(), system),
        bucket("tools", request.tools.len(), tools),
    ];
    let mut by_kind: Map<(&'static str, Option<String>), (usize, u64)> = Map::default();
    for part in parts {
        let sum = by_kind.entry((part.kind, part.tool.as_deref().map(short))).or_default();
        *sum = (sum.0 + 1, sum.1 + part.tokens);
    }
    all.extend(by_kind.into_iter().map(|((kind, tool), (count, tokens))| RequestBucket {
        kind,
        tool,
        count,
        tokens,
    }));
    let known: u64 = all.iter().map(|bucket| bucket.tokens).sum();
    all.push(bucket("framing", 1, estimated.saturating_sub(known)));
    all.retain(|bucket| bucket.tokens > 0);
    all.sort_by_key(|bucket| std::cmp::Reverse(bucket.tokens));
    if all.len() > MAX_BUCKETS {
        let rest = all.split_off(MAX_BUCKETS - 1);
        let sum = |of: fn(&RequestBucket) -> u64| rest.iter().map(of).sum::<u64>();
        let count = rest.iter().map(|bucket| bucket.count).sum();
        all.push(bucket("rest", count, sum(|bucket| bucket.tokens)));
    }
    all
}

fn notes(found: &Found, request: &Request, parts: &[PartOf<'_>]) -> Vec<RequestNote> {
    let lacks = request.unknown.iter().map(|unknown| RequestNote {
        code: "not_in_log",
        message: format!("{}: {}", unknown.what.as_str(), unknown.why),
    });
    let mut notes: Vec<RequestNote> = lacks.collect();
    let name = |part: &Part| match part {
        Part::Call { name, .. } => Some(name.clone()),
        _ => None,
    };
    let answers = found.session.requests.iter().flat_map(|request| &request.output);
    let called: BTreeSet<String> =
        parts.iter().map(|part| part.part).chain(answers).filter_map(name).collect();
    let unused: Vec<_> = request.tools.iter().filter(|tool| !called.contains(&tool.name)).collect();
    if !unused.is_empty() {
        let names = unused.iter().take(MAX_NAMES).map(|tool| short(&tool.name));
        let names = names.collect::<Vec<_>>().join(", ");
        let more = unused.len().saturating_sub(MAX_NAMES);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let (count, all) = (unused.len(), request.tools.len());
        let tokens: u64 = unused.into_iter().map(tool_tokens).sum();
        let message = format!(
            "{count} of {all} tools are never called, about {tokens} tokens: {names}{more}"
        );
        notes.push(RequestNote { code: "unused_tools", message });
    }
    notes
}

impl Rule for ExplainRequest {
    type Value = Arc<RequestExplanation>;

    fn step(
        &self,
        snapshot: &Snapshot,
        env: &Env,
    ) -> Result<Step<Outcome<Arc<RequestExplanation>>>> {
        self.0.step(snapshot, env)
    }
}
