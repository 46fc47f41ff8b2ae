//! The tool calls of a model's answer: tools that ran, tools that answer later, or the end.

use super::complete::{ModelThought, think};
use super::deliverable::{FailedResult, deliver_fields, failed_result};
use super::finish::{End, StepEnd, end_step, end_turn};
use super::suspend::suspend;
use super::work::{Queued, QueuedWork, TurnWork};
use crate::run::rows::status::HeadStatus;
use crate::run::rows::{Head, StepCard, StepRow};
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Stop, Transaction};
use crate::run::values::{card_text, object, present};
use crate::run::wire::events::{state_event, step_event};
use crate::value::Map as IndexMap;
use crate::value::arguments::{Argument, Loose, arguments, read_word};
use crate::value::card::AfterExecution;
use crate::value::json::{Field, Json, Object};
use crate::value::limits::within;
use crate::value::str_map::StrMap;
use crate::{Error, Path, Result};
use serde::Serialize;

/// The outcome of a tool call.
///
/// The example of [`TurnTools`] shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    /// The result arrives later.
    Suspend,
    /// The tool returned the cards.
    Result,
    /// The tool failed.
    Error,
    /// The tool delivered the first card, which ends the turn.
    Deliver,
}

impl Argument for CallOutcome {
    fn read(field: &Field<'_>) -> Result<Self> {
        let words = [
            ("suspend", Self::Suspend),
            ("result", Self::Result),
            ("error", Self::Error),
            ("deliver", Self::Deliver),
        ];
        read_word(field, &words)
    }
}

arguments! {
    /// A tool call of the model, and what became of it.
    ///
    /// The example of [`TurnTools`] shows it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CalledTool {
        /// The id of the call.
        pub id: String,
        /// The name of the tool.
        pub name: String = String::new(),
        /// The outcome of the call.
        pub outcome: CallOutcome = CallOutcome::Suspend,
        /// The cards of the result, which are in the store.
        pub card_ids: Vec<String> = Vec::new(),
        /// The error of a tool that failed.
        pub error: String = "tool failed".into(),
        /// The arguments of a call that delivers, as JSON text. The operation makes the deliverable: each
        /// argument is a field. If they cannot be on a card, the call fails and the turn continues.
        pub delivered_text: Option<String>,
        /// The deadline of the batch that the call waits for, in seconds; 0 for a batch without one. The
        /// turn waits 60 seconds longer, and 960 seconds for a batch without a deadline. A wait by the name
        /// of the tool comes first.
        pub batch_seconds: Option<f64>,
    }

    /// Records the tool calls of the model: the turn runs, waits, continues or ends.
    ///
    /// ```
    /// use tuckbox::run::{CallOutcome, TurnTools};
    /// use tuckbox::{Code, Env, Timestamp, json, rule};
    /// use tuckbox::store::{MemoryStore, Snapshot};
    ///
    /// let call = TurnTools::from_json(&json!({"agent_id": "ann", "agent_turn_id": "t1", "turn_epoch": 1,
    ///     "tool_calls": [{"id": "c1", "name": "search"}]}))?;
    /// assert_eq!(call.tool_calls[0].outcome, CallOutcome::Suspend);
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// let error = rule::preview(&call, &mut snapshot, &env, &MemoryStore::new()).unwrap_err();
    /// assert_eq!(error.code(), Code::NotFound);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct TurnTools {
        /// The calls, in order.
        pub tool_calls: Loose<Vec<CalledTool>> = Vec::new(),
        /// The answer of the model.
        pub thought: Option<ModelThought>,
        /// How long the turn waits for a tool, in seconds, by the name of the tool.
        pub tool_suspend_timeouts: IndexMap<String, f64> = IndexMap::default(),
        /// The content of the message. The operation ignores it.
        pub payload: Option<Json>,
        shared work: TurnWork,
        shared terms: RunTerms,
    }
}

perform! {
    TurnTools -> Queued { |call, tx| call.run(tx) }
}

impl TurnTools {
    fn run(&self, tx: &mut Transaction<'_>) -> Run<Queued> {
        let calls = tool_calls(tx, &self.tool_calls)?;
        let seconds = |call: &CalledTool| {
            let given = self.tool_suspend_timeouts.get(&call.name).copied();
            #[allow(clippy::cast_possible_truncation)]
            given.or_else(|| call.batch_wait()).map_or(0, |seconds| seconds.ceil() as i64)
        };
        let longest = self.tool_calls.iter().map(seconds).max().unwrap_or(0);
        let thought = self.thought.as_ref();
        let queued = self.work.perform(tx, |tx, work| tools(tx, work, &calls, thought, longest))?;
        Ok(Queued { queued })
    }
}

/// Returns the tool calls of an argument, within the limit of the project.
fn tool_calls(tx: &Transaction<'_>, given: &[CalledTool]) -> Result<Vec<ToolCall>> {
    let path = Path::root().key("tool_calls");
    within(given.len(), tx.row_limit(), "max_tasks", "the turn makes {} calls", &path)?;
    Ok(given.iter().map(CalledTool::tool_call).collect())
}

/// How long a turn waits for a batch without a deadline, in seconds.
const BATCH_SECONDS: f64 = 900.0;
/// How much longer a turn waits than its batch, in seconds: the result of the batch must arrive first.
const MARGIN_SECONDS: f64 = 60.0;

impl CalledTool {
    /// Returns how long the turn waits for the batch of the call, in seconds.
    fn batch_wait(&self) -> Option<f64> {
        let deadline = |seconds| if seconds > 0.0 { seconds } else { BATCH_SECONDS };
        self.batch_seconds.map(|seconds| deadline(seconds) + MARGIN_SECONDS)
    }

    fn tool_call(&self) -> ToolCall {
        let outcome = match self.outcome {
            CallOutcome::Suspend => ToolOutcome::Suspend,
            CallOutcome::Result if self.card_ids.is_empty() => ToolOutcome::Nothing,
            CallOutcome::Result => ToolOutcome::Cards(self.card_ids.clone()),
            CallOutcome::Error => ToolOutcome::Error(self.error.clone()),
            CallOutcome::Deliver => match &self.delivered_text {
                Some(text) => ToolOutcome::DeliverFields(text.clone()),
                None => ToolOutcome::Deliver(self.card_ids.first().cloned()),
            },
        };
        ToolCall { id: self.id.clone(), name: self.name.clone(), outcome }
    }
}

/// A tool call of the model, and its outcome.
pub(crate) struct ToolCall {
    pub id: String,
    pub name: String,
    pub outcome: ToolOutcome,
}

/// The outcome of a tool call.
pub(crate) enum ToolOutcome {
    /// The result arrives later.
    Suspend,
    /// The tool returned these cards, which the store holds.
    Cards(Vec<String>),
    /// The tool returned nothing.
    Nothing,
    /// The tool failed.
    Error(String),
    /// The tool delivered this card.
    Deliver(Option<String>),
    /// The tool delivered its arguments, which have no card yet.
    DeliverFields(String),
}

/// Handles the tool calls of an answer: the turn waits, continues or ends. Returns the work that follows.
pub(crate) fn tools(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    calls: &[ToolCall],
    thought: Option<&ModelThought>,
    longest_wait: i64,
) -> Run<Vec<QueuedWork>> {
    let step_id = work.step_id.clone().unwrap_or_default();
    want(tx, work, &step_id, calls);
    if tx.get::<Head>(&[&work.agent_id])?.is_none() {
        let text = format!("agent `{}` has no head: it never had a turn", work.agent_id);
        return Err(Error::not_found(text).at(Path::root().key("agent_id")).into());
    }
    let Some(mut head) = work.head(tx)? else { return Ok(Vec::new()) };
    if head.status == HeadStatus::Idle {
        return Ok(Vec::new());
    }
    let scope = work.scope(&head);
    let mut new_cards = Vec::new();
    if let Some(thought) = thought {
        new_cards.extend(think(tx, work, &step_id, thought)?);
    }
    if let Some(submit) = calls.iter().find(|call| call.name == SUBMIT)
        && calls.len() > 1
    {
        new_cards.push(refuse_submit(tx, work, &step_id, submit)?);
        return next_step(tx, work, &head, &step_id, new_cards, false);
    }
    let first = calls.iter().find(|call| call.name != SUBMIT);
    if let Some(first) = first {
        let metadata = object! {
            "activity" => "executing_tool",
            "current_tool" => present(Some(&first.name)).unwrap_or("unknown"),
        };
        state_event(tx, &scope, "running", metadata);
        head.status = HeadStatus::Running;
        head.updated_at = tx.now();
        tx.put(&head, "tools", "turn and epoch match")?;
    }

    let Outcomes { waiting, answered, delivery } = outcomes(tx, work, &step_id, calls)?;
    if let Some(output) = present(work.output_box_id.as_deref())
        && !answered.is_empty()
        && tx.has_box(output)?
    {
        tx.append(output, &answered)?;
    }
    new_cards.extend(answered);
    if let Some(delivered) = delivery {
        let end = End { delivered, ..End::success(new_cards) };
        end_turn(tx, work, &head, &step_id, end)?;
        return Ok(Vec::new());
    }
    if !waiting.is_empty() {
        return suspend(tx, work, head, &step_id, &waiting, &new_cards, longest_wait);
    }
    next_step(tx, work, &head, &step_id, new_cards, first.is_some())
}

/// The tool that ends a turn with its result. It must be the only call of an answer.
const SUBMIT: &str = "submit_result";

/// Continues the turn with its next step, or fails it at the maximum number of steps.
fn next_step(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    head: &Head,
    step_id: &str,
    new_cards: Vec<String>,
    ran: bool,
) -> Run<Vec<QueuedWork>> {
    let max_steps = tx.settings.max_steps;
    if work.step_count + 1 >= max_steps {
        let error = match tx.reference_behavior {
            true => "max_steps_reached".to_owned(),
            false => format!("max_steps_reached (max_steps={max_steps})"),
        };
        end_turn(tx, work, head, step_id, End::failure(&error, None, new_cards))?;
        return Ok(Vec::new());
    }
    let scope = work.scope(head);
    end_step(tx, work, step_id, StepEnd::Next)?;
    if ran {
        state_event(tx, &scope, "running", object! { "activity" => "thinking" });
    }
    step_event(tx, &scope, step_id, "completed", &new_cards);
    let output = work.output_box_id.as_deref();
    Ok(vec![work.next(work.turn_epoch, work.step_count + 1, output)])
}

/// Writes the error of a `submit_result` that is not the only call. No tool of the answer runs.
fn refuse_submit(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    step_id: &str,
    call: &ToolCall,
) -> Run<String> {
    let message = "submit_result must be called alone (this turn may only include submit_result).";
    let error = object! { "code" => "internal_error", "source" => "worker", "message" => message };
    let card = fail_call(tx, work, step_id, call, error)?;
    if let Some(output) = present(work.output_box_id.as_deref())
        && tx.has_box(output)?
    {
        tx.append(output, std::slice::from_ref(&card))?;
    }
    Ok(card)
}

/// Writes the error of a call, and returns its card.
fn fail_call(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    step_id: &str,
    call: &ToolCall,
    error: Object,
) -> Run<String> {
    let failed = FailedResult {
        author_id: &work.agent_id,
        tool_call_id: &call.id,
        function_name: &call.name,
        status: "failed",
        after: AfterExecution::Suspend,
        error,
        metadata: work.card_metadata(Some(step_id)),
    };
    Ok(card_text(&failed_result(tx, failed)?.card_id))
}

/// Requests everything that the calls read.
fn want(tx: &mut Transaction<'_>, work: &TurnWork, step_id: &str, calls: &[ToolCall]) {
    work.want_end(tx);
    tx.want::<StepRow>(&[&work.agent_id, step_id]);
    for call in calls {
        tx.want_list::<StepCard>("by_call", &[&call.id], 16);
    }
}

/// What became of the calls of an answer.
struct Outcomes<'c> {
    /// The calls to wait for.
    waiting: Vec<&'c ToolCall>,
    /// The cards of the others.
    answered: Vec<String>,
    /// The card that the first call to deliver delivered, if it has one.
    delivery: Option<Option<String>>,
}

/// Returns the outcomes of calls. A call that failed gets a card.
fn outcomes<'c>(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    step_id: &str,
    calls: &'c [ToolCall],
) -> Run<Outcomes<'c>> {
    let mut waiting = Vec::new();
    let mut ids = StrMap::new();
    let mut answered = Vec::new();
    let mut delivery = None;
    for call in calls {
        let mut error = object! { "code" => "internal_error", "source" => "worker" };
        match &call.outcome {
            ToolOutcome::Suspend => {
                if ids.insert_new(call.id.as_str(), ()) {
                    waiting.push(call);
                }
                continue;
            }
            ToolOutcome::Cards(cards) => {
                answered.extend(cards.iter().cloned());
                continue;
            }
            ToolOutcome::Deliver(card) => {
                answered.extend(card.iter().cloned());
                delivery.get_or_insert(card.clone());
                continue;
            }
            ToolOutcome::DeliverFields(text) => {
                let metadata = object! {
                    "step_id" => step_id,
                    "agent_turn_id" => work.agent_turn_id.as_str(),
                };
                match deliver_fields(tx, &work.agent_id, metadata, text) {
                    Ok(card) => {
                        delivery.get_or_insert(Some(card.clone()));
                        answered.push(card);
                        continue;
                    }
                    Err(Stop::Failed(reason)) => add_reason(&mut error, reason.message()),
                    Err(stop) => return Err(stop),
                }
            }
            ToolOutcome::Nothing => {
                let message = "tool returned no result cards and did not suspend or complete";
                error.insert("message".into(), message.into());
            }
            ToolOutcome::Error(message) => add_reason(&mut error, message),
        }
        answered.push(fail_call(tx, work, step_id, call, error)?);
    }
    Ok(Outcomes { waiting, answered, delivery })
}

/// Adds the reason to the error of a tool that failed.
fn add_reason(error: &mut Object, message: &str) {
    error.insert("message".into(), message.into());
    error.insert("http_status".into(), 500_i64.into());
}
