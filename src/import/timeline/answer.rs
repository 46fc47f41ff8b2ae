//! The answers about a timeline.

use crate::prompt::cache::{Cause, Compaction, RequestCache};
use crate::{Json, Timestamp};
use serde::Serialize;

/// The kind of a part of a request.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// The system prompt.
    System,
    /// The definitions of tools.
    Tools,
    /// Words of the user.
    User,
    /// A file, an image, or text that a program added to a message of the user.
    Attachment,
    /// Thinking of the model.
    Thinking,
    /// Words of the model.
    Assistant,
    /// A tool call.
    ToolCall,
    /// A tool result.
    ToolResult,
    /// A summary of earlier messages.
    Summary,
    /// An unknown block.
    Other,
}

impl PartKind {
    /// All kinds, in the order of `tokens_by_kind`.
    pub const ALL: [Self; 10] = [
        Self::System,
        Self::Tools,
        Self::User,
        Self::Attachment,
        Self::Thinking,
        Self::Assistant,
        Self::ToolCall,
        Self::ToolResult,
        Self::Summary,
        Self::Other,
    ];
}

/// A session of the files that has a timeline of its own.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimelineSession {
    /// The id in the log.
    pub id: String,
    /// The name of the format.
    pub source: String,
    /// The first words of the user.
    pub title: Option<String>,
    /// The session that it was forked from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The number of requests, those of sub-agents included.
    pub steps: usize,
    /// The time of the last request.
    pub at: Option<Timestamp>,
}

/// The timeline of a session: one step for each request.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimelineOverview {
    /// All sessions, the newest last.
    pub sessions: Vec<TimelineSession>,
    /// The index of the session that is shown.
    pub session: Option<usize>,
    /// The order of `tokens_by_kind`.
    pub kinds: Vec<PartKind>,
    /// The prompts of the user, in order.
    pub prompts: Vec<TimelinePrompt>,
    /// The agents. The first is the main one.
    pub agents: Vec<TimelineAgent>,
    /// The requests, in order.
    pub steps: Vec<TimelineStep>,
    /// The totals.
    pub totals: TimelineTotals,
    /// The names of the called tools, the most called first.
    pub tools: Vec<String>,
}

/// A prompt of the user.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TimelinePrompt {
    /// The first words.
    pub text: String,
    /// The first step that answers it.
    pub step: usize,
}

/// An agent of a timeline.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TimelineAgent {
    /// The name in the log.
    pub name: Option<String>,
    /// The number of agents around it.
    pub depth: usize,
    /// The task of a sub-agent: the first words that it receives.
    pub task: Option<String>,
    /// The number of steps.
    pub steps: usize,
}

/// One request.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimelineStep {
    /// The number, from 1.
    pub step: usize,
    /// The number of the request in the report of the import.
    pub request: usize,
    /// The box of the request in the project of the import.
    pub box_id: String,
    /// The purpose: `main`, `sub`, `compaction`, `side`.
    pub kind: &'static str,
    /// The index of the agent.
    pub agent: usize,
    /// The index of the prompt that it belongs to.
    pub prompt: Option<usize>,
    /// The time of sending.
    pub at: Option<Timestamp>,
    /// The provider API, if the log shows it.
    pub provider: Option<&'static str>,
    /// The model, if the log shows it.
    pub model: Option<String>,
    /// The context window of the model. `null` if it is not known.
    pub window: Option<u64>,
    /// What the model did.
    pub did: Vec<StepAction>,
    /// True if the provider did not answer, or a tool failed that the model called.
    pub failed: bool,
    /// Why the provider did not answer.
    pub error: Option<String>,
    /// True if the log has no answer.
    pub unanswered: bool,
    /// The number of retries after a failure.
    pub retries: usize,
    /// The number of messages.
    pub messages: usize,
    /// Recorded tokens.
    pub recorded: StepUsage,
    /// Tokens of what the log has, estimated.
    pub estimated: u64,
    /// The same by kind, in the order of `kinds`.
    pub tokens_by_kind: Vec<u64>,
    /// Tokens of new messages since the step before, estimated.
    pub added: u64,
    /// Tokens of messages that left since the step before, estimated.
    pub removed: u64,
    /// The cost in dollars, input and output. `null` without recorded tokens or prices.
    pub cost: Option<f64>,
    /// What the cache read. `null` for requests outside of the conversation.
    pub cache: Option<StepCache>,
    /// The number of messages that a compaction replaced before this step.
    pub compacted: Option<usize>,
}

/// What a step did.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepAction {
    /// The tool. `null` for words.
    pub tool: Option<String>,
    /// The file name, the command or the pattern; the first words of an answer.
    pub target: Option<String>,
    /// The number of such calls.
    pub count: usize,
    /// True if one of them failed.
    pub failed: bool,
}

/// Recorded tokens.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StepUsage {
    /// The whole input.
    pub input: Option<u64>,
    /// The answer.
    pub output: Option<u64>,
    /// Input that was read from the cache.
    pub cached: Option<u64>,
    /// Input that was written to the cache.
    pub written: Option<u64>,
}

/// What the cache read for a step.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepCache {
    /// The cause.
    pub cause: Cause,
    /// True if a documented rule or the usage decides it.
    pub sure: bool,
    /// The share of the input that was read, from 0 to 1. `null` without recorded tokens.
    pub share: Option<f64>,
    /// Tokens that were in the cache and were not read, as the usage or a documented rule shows.
    pub lost_tokens: u64,
    /// Their price in dollars.
    pub lost_cost: Option<f64>,
    /// True if the cache was lost.
    pub is_break: bool,
}

/// The totals of a timeline.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TimelineTotals {
    /// Steps.
    pub steps: usize,
    /// Input of all steps: recorded, or estimated where it is not.
    pub input: u64,
    /// True if all of the input is recorded.
    pub recorded: bool,
    /// Recorded output of all steps.
    pub output: u64,
    /// Input that was read from the cache.
    pub cached: u64,
    /// The share of recorded input that was read from the cache.
    pub share: Option<f64>,
    /// The cost in dollars. `null` if no step has one.
    pub cost: Option<f64>,
    /// True if all steps have a cost.
    pub all_costs: bool,
    /// What the session would have saved without cache breaks, in dollars.
    pub lost_cost: Option<f64>,
    /// Tokens that cache breaks lost.
    pub lost_tokens: u64,
    /// Seconds from the first request to the last.
    pub seconds: Option<u64>,
    /// Steps with a cache break.
    pub breaks: usize,
    /// Steps after a compaction.
    pub compactions: usize,
    /// Steps with a failed tool.
    pub failed: usize,
    /// The step with the highest cost; without costs the one with the most input.
    pub most_expensive: Option<usize>,
}

/// Everything about one step.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepDetail {
    /// The number of the step.
    pub step: usize,
    /// The step that it is compared with.
    pub before: Option<usize>,
    /// What changed since the step before.
    pub changes: Vec<StepChange>,
    /// The messages of the request. Empty for a brief question.
    pub messages: Vec<MessageRow>,
    /// The number of messages.
    pub message_count: usize,
    /// The answer.
    pub answer: Option<MessageRow>,
    /// Tokens by kind, tool and file, the largest first.
    pub groups: Vec<TokenGroup>,
    /// Files, the largest first.
    pub files: Vec<FileTokens>,
    /// The tools.
    pub tools: StepTools,
    /// Parameters of the request, if the log has them.
    pub parameters: Vec<StepParameter>,
    /// The maximum number of tokens of the answer. `null` if the log does not have it.
    pub output_limit: Option<u64>,
    /// The explanation of the cache.
    pub cache: Option<RequestCache>,
    /// The step that the cache explanation compares with.
    pub cache_step: Option<usize>,
    /// The account of the compaction before this step.
    pub compaction: Option<StepCompaction>,
    /// What the log does not have, and why.
    pub unknown: Vec<StepUnknown>,
    /// Recorded tokens that the log does not explain.
    pub residual: Option<u64>,
    /// The place of the request in the log.
    pub origin: TimelineOrigin,
    /// The body as it was sent. `null` if the log does not have it.
    pub body: Option<Json>,
}

/// A change since the step before.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepChange {
    /// The change: `added`, `removed`, `kept` (by a compaction), `changed`.
    pub change: &'static str,
    /// The subject: `message`, `system`, `tool`, `parameter`, `model`.
    pub subject: &'static str,
    /// The name of the tool or the parameter.
    pub name: Option<String>,
    /// The message.
    pub message: Option<MessageRow>,
    /// The value before.
    pub before: Option<String>,
    /// The value after.
    pub after: Option<String>,
}

/// A message of a request.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MessageRow {
    /// The id: `m` and a number, or `a` or `s` and the number of a step.
    pub id: String,
    /// The role.
    pub role: &'static str,
    /// Tokens, estimated.
    pub tokens: u64,
    /// The parts.
    pub parts: Vec<MessagePart>,
}

/// A part of a message.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MessagePart {
    /// The kind.
    pub kind: PartKind,
    /// The tool of a call or a result.
    pub tool: Option<String>,
    /// The file, the command or the pattern of a call.
    pub target: Option<String>,
    /// Tokens, estimated.
    pub tokens: u64,
    /// The content as text: the first characters in a list, all of it in a message.
    pub text: String,
    /// True if the text is longer.
    pub cut: bool,
    /// True for a tool result with an error.
    pub failed: bool,
    /// True if the log has only the encrypted form.
    pub sealed: bool,
}

/// Tokens of parts with one kind, tool and file.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TokenGroup {
    /// The kind.
    pub kind: PartKind,
    /// The tool.
    pub tool: Option<String>,
    /// The file.
    pub file: Option<String>,
    /// Tokens, estimated.
    pub tokens: u64,
    /// The number of parts.
    pub parts: usize,
}

/// Tokens of a file in a request.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileTokens {
    /// The path.
    pub file: String,
    /// The number of results that have it.
    pub times: usize,
    /// Tokens, estimated.
    pub tokens: u64,
}

/// The tools of a request.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepTools {
    /// False if the log does not list the tools; they are then those that are called.
    pub known: bool,
    /// The tools, the largest first.
    pub list: Vec<StepTool>,
    /// The number of tools that the session never calls.
    pub unused: usize,
    /// Tokens of their definitions, in this request.
    pub unused_tokens: u64,
    /// Tokens of their definitions, in all requests of the session.
    pub unused_tokens_in_all: u64,
}

/// A tool of a request.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepTool {
    /// The name.
    pub name: String,
    /// The description.
    pub description: Option<String>,
    /// Tokens of the definition, estimated. `null` if the log has only its name.
    pub tokens: Option<u64>,
    /// The number of calls in the session.
    pub calls: usize,
    /// The number of failed calls.
    pub failed: usize,
    /// Tokens of its results in this request, estimated.
    pub result_tokens: u64,
}

/// A parameter of a request.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepParameter {
    /// The name.
    pub name: String,
    /// The value as JSON text.
    pub value: String,
}

/// What a compaction replaced.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepCompaction {
    /// The summaries.
    pub summaries: Vec<MessageRow>,
    /// Messages that left, in order.
    pub replaced: Vec<MessageRow>,
    /// The account of each message of the step before.
    pub account: Compaction,
}

/// Something that the log does not have.
///
/// ```
/// use tuckbox::import::timeline::{Timeline, TimelineAnswer, TimelineQuestion};
/// use tuckbox::import::{SourceFile, import};
///
/// let log = br#"[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]"#;
/// let mut timeline = Timeline::new(import(&[SourceFile { name: "chat.json", bytes: log }]));
/// let question = TimelineQuestion { step: Some(1), ..TimelineQuestion::default() };
/// let TimelineAnswer::Step(step) = timeline.ask(&question)? else { panic!() };
/// assert!(step.unknown.iter().any(|unknown| unknown.what == "system" && !unknown.why.is_empty()));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepUnknown {
    /// The missing part.
    pub what: &'static str,
    /// The reason, as a sentence.
    pub why: &'static str,
}

/// A place in a log.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TimelineOrigin {
    /// The file.
    pub file: String,
    /// The line, from 1. `null` if the file is one value.
    pub line: Option<usize>,
    /// A JSON pointer; empty for the whole value.
    pub pointer: String,
}

/// Everything about one message.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MessageDetail {
    /// The message with its whole content.
    pub message: MessageRow,
    /// The place in the log.
    pub origin: TimelineOrigin,
    /// The first step that sends it. `null` for an answer that no later step sends.
    pub first_step: Option<usize>,
    /// The last step that sends it.
    pub last_step: Option<usize>,
    /// The step that no longer sends it.
    pub dropped_step: Option<usize>,
    /// The number of steps that send it.
    pub times: usize,
    /// Tokens of all these steps, estimated.
    pub resent_tokens: u64,
    /// The reason: `system`, `prompt`, `attachment`, `answer`, `result`, `summary`.
    pub reason: &'static str,
    /// The step that made it.
    pub made_by: Option<usize>,
}

/// A match of a search.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimelineHit {
    /// The message.
    pub message: String,
    /// The first step that sends it, or that it answers.
    pub step: usize,
    /// The kind of the part.
    pub kind: PartKind,
    /// The tool of a call or a result.
    pub tool: Option<String>,
    /// The file, the command or the pattern of a call.
    pub target: Option<String>,
    /// The text before the match.
    pub before: String,
    /// The match.
    pub found: String,
    /// The text after the match.
    pub after: String,
}

/// The matches of a search.
///
/// Shown by the example of [`Timeline`](super::Timeline).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimelineHits {
    /// The matches, in order.
    pub hits: Vec<TimelineHit>,
    /// The number of parts that match.
    pub count: usize,
}
