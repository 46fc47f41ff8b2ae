//! The answer of `explain_cache`.

use super::body::Region;
use super::facts::Fact;
use super::policy::CacheRules;
use super::provider::CacheProvider;
use super::summary::CacheSummary;
use serde::Serialize;

/// Why a request reads less from the cache than it could.
///
/// Shown by the example of [`ExplainCache`](super::ExplainCache).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Cause {
    /// The first request: nothing can be cached yet.
    First,
    /// The request, or the one before, marks nothing, so nothing is cached.
    NoBreakpoint,
    /// The request has more marks than the provider accepts. It is refused.
    TooManyBreakpoints,
    /// A mark with a longer lifetime follows a shorter one. The request is refused.
    TtlOrder,
    /// The organization, workspace, region or surface is another one.
    ScopeChanged,
    /// The model is another one.
    ModelChanged,
    /// The service tier is another one.
    ServiceTierChanged,
    /// `prompt_cache_key` is another one.
    PromptCacheKeyChanged,
    /// The prefix is shorter than the minimum of the model.
    BelowMinimum,
    /// A tool definition or the order of tools changed.
    ToolsChanged,
    /// The effort of reasoning changed, and all is lost.
    ReasoningEffortChanged,
    /// The text format changed.
    TextFormatChanged,
    /// The verbosity changed.
    VerbosityChanged,
    /// `parallel_tool_calls` changed.
    ParallelToolCallsChanged,
    /// `context_management` changed.
    ContextManagementChanged,
    /// The system prompt, or a parameter that the provider writes into it, changed.
    SystemChanged,
    /// The tool choice changed, and the messages are lost.
    ToolChoiceChanged,
    /// Thinking or effort changed, and the messages are lost.
    EffortChanged,
    /// Images were added or removed.
    ImagesChanged,
    /// Earlier thinking left the prefix.
    ThinkingStripped,
    /// A summary replaces messages.
    ContextCompacted,
    /// A message was edited, inserted, removed or moved.
    MessagesChanged,
    /// The entry is further back than a read looks.
    LookbackExceeded,
    /// The lifetime of the entry passed.
    Expired,
    /// The request started before the entry could be read.
    NotYetWritten,
    /// The request extends an earlier one. A hit is expected.
    Appended,
    /// The request extends an earlier one, and the usage reports a miss.
    UnexplainedMiss,
    /// The log or the documentation does not allow an answer.
    Unknown,
}

/// The explanation of the requests of a session.
///
/// Shown by the example of [`ExplainCache`](super::ExplainCache).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CacheExplanation {
    /// The provider.
    pub provider: CacheProvider,
    /// One entry for each request.
    pub requests: Vec<RequestCache>,
    /// The totals of the session.
    pub summary: CacheSummary,
    /// The rules of the last request's model.
    pub policy: CacheRules,
    /// The documented facts that the explanations refer to.
    pub facts: Vec<Fact>,
}

/// The explanation of one request.
///
/// Shown by the example of [`ExplainCache`](super::ExplainCache).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RequestCache {
    /// The cause: the first one in the order of the provider.
    pub cause: Cause,
    /// Further causes, in the order of the provider.
    pub also: Vec<AlsoCause>,
    /// The region of the cause.
    pub region: Region,
    /// The position of the cause.
    pub at: CachePlace,
    /// True if a documented rule or the usage decides it.
    pub sure: bool,
    /// Why the cause is unknown or not sure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The request that it is compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared_with: Option<usize>,
    /// The tokens that the rules predict.
    pub expected: ExpectedTokens,
    /// The tokens that the usage reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<RecordedTokens>,
    /// Tokens that were in the cache and are not read.
    pub lost_tokens: u64,
    /// The lifetime of the entry.
    pub ttl: CacheTtl,
    /// The price.
    pub price: CachePrice,
    /// How to keep the prefix. Missing if no fix is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// The id of the fact that decides it.
    pub rule: &'static str,
}

/// A further cause.
///
/// Shown by the example of [`ExplainCache`](super::ExplainCache).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AlsoCause {
    /// The cause.
    pub cause: Cause,
    /// The region of the cause.
    pub region: Region,
    /// The position of the cause.
    pub at: CachePlace,
    /// The tokens that this cause alone loses.
    pub lost_tokens: u64,
    /// The id of the fact that decides it.
    pub rule: &'static str,
}

/// The position of a cause. Members that do not apply are missing.
///
/// Shown by the example of [`ExplainCache`](super::ExplainCache).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CachePlace {
    /// The name of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The position of the tool, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_index: Option<usize>,
    /// The message, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<usize>,
    /// The block of the message or of the system prompt, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<usize>,
    /// The kind of change: `added`, `removed`, `reordered`, `edited`, `inserted`, `text`, `schema`,
    /// `key_order`, `mark_moved`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<&'static str>,
    /// The path inside of the tool or block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The parameter of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter: Option<&'static str>,
    /// The number of equal characters before the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub character: Option<usize>,
    /// The words that differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<ChangedWords>,
    /// The kind of value that changes with each request: `date`, `time`, `uuid`, `id`, `counter`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volatile: Option<&'static str>,
    /// Positions, marks, tokens or seconds that were found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<u64>,
    /// The limit that they are compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// Words that differ, with an excerpt of both.
///
/// Shown by the example of [`ExplainCache`](super::ExplainCache).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedWords {
    /// The words of the earlier request.
    pub before: String,
    /// The words of this request.
    pub after: String,
}

/// Tokens that the rules predict. Their sum is the input.
///
/// Shown by the example of [`ExplainCache`](super::ExplainCache).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ExpectedTokens {
    /// Tokens read from the cache.
    pub read: u64,
    /// Tokens written to the cache.
    pub write: u64,
    /// Those of `write` that live 1 hour. Missing if no mark asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_1h: Option<u64>,
    /// Other tokens of the input.
    pub fresh: u64,
    /// True if all are based on the usage of requests, not on an estimate.
    pub exact: bool,
}

/// Tokens that the usage reports. Their sum is the input.
///
/// ```
/// use tuckbox::prompt::cache::RecordedTokens;
///
/// let recorded = RecordedTokens { read: 900, write: 100, write_1h: None, fresh: 24 };
/// assert_eq!(recorded.total(), 1024);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RecordedTokens {
    /// Tokens read from the cache.
    pub read: u64,
    /// Tokens written to the cache.
    pub write: u64,
    /// Those of `write` that live 1 hour. Missing if the usage has no such number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_1h: Option<u64>,
    /// Other tokens of the input.
    pub fresh: u64,
}

impl RecordedTokens {
    /// Returns all tokens of the input.
    pub fn total(&self) -> u64 {
        self.read + self.write + self.fresh
    }
}

/// The lifetime of an entry.
///
/// Shown by the example of [`ExplainCache`](super::ExplainCache).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CacheTtl {
    /// The lifetime in seconds. `null` if it is not documented.
    pub seconds: Option<u64>,
    /// The seconds that were left when the request started; 0 for an expired entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_seconds: Option<u64>,
    /// The seconds since the last use of the entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_seconds: Option<u64>,
    /// The start of the lifetime.
    pub from: &'static str,
}

/// The price of a request: multiples of the input price and sums of them.
///
/// Shown by the example of [`ExplainCache`](super::ExplainCache).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CachePrice {
    /// The price of a token of input, in the currency.
    pub input: f64,
    /// The price of a read token, as a multiple of the input price. `null` if it is unknown.
    pub read: Option<f64>,
    /// The price of a written token, likewise.
    pub write: Option<f64>,
    /// The price of any other token of the input, likewise.
    pub fresh: f64,
    /// The price of the expected tokens.
    pub expected: Option<f64>,
    /// The price of the recorded tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<f64>,
    /// The price of what was lost.
    pub lost: Option<f64>,
    /// The currency of the host, `USD` for prices of the table of models, or `input_tokens`: the price
    /// of one token of input.
    pub currency: String,
    /// The date on which the multiples were checked.
    pub checked: &'static str,
}
