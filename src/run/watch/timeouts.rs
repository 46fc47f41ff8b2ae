//! Turns without progress, and tool calls without a result.

use crate::Result;
use crate::run::queue::edge::ensure_tool_call;
use crate::run::queue::promote::{dispatch_next, want_promotion};
use crate::run::queue::report::report_with;
use crate::run::queue::send::SendMessage;
use crate::run::rows::status::{HeadStatus, StepStatus, TaskStatus, WaitStatus};
use crate::run::rows::{Edge, Head, Inbox, Roster, StepRow, Tool, Waiting};
use crate::run::settings::older;
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::turn::deliverable;
use crate::run::turn::deliverable::{FailedResult, Fallback, failed_result};
use crate::run::turn::expiry::{DISPATCH_TIMEOUT, Expiry, NO_PROGRESS, expiry, note_due, progress};
use crate::run::turn::finish::finish;
use crate::run::turn::reads::{ROWS_OF_A_TURN, want_finish, want_turn, want_whole_turn};
use crate::run::turn::release::message_of;
use crate::run::values::{card_text, object, present};
use crate::run::wire::events::{Scope, TaskEnd, state_event, task_event};
use crate::run::wire::trace;
use crate::value::arguments::{Argument, OrNull, arguments, read_word};
use crate::value::card::AfterExecution;
use crate::value::json::{Field, Json, Object};
use serde::Serialize;

/// Which turns a reaper ends.
///
/// The example of [`ReapTurn`] shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reap {
    /// Dispatched, and not started.
    Dispatched,
    /// Running, without progress.
    Active,
    /// Suspended, without a result.
    Suspended,
}

impl Argument for Reap {
    fn read(field: &Field<'_>) -> Result<Self> {
        let words = [
            ("dispatched", Self::Dispatched),
            ("active", Self::Active),
            ("suspended", Self::Suspended),
        ];
        read_word(field, &words)
    }
}

arguments! {
    /// Ends a turn that made no progress within its time limit.
    ///
    /// ```
    /// use tuckbox::run::{Reap, ReapTurn};
    /// # use tuckbox::store::{MemoryStore, Snapshot, table};
    /// # use tuckbox::{Env, Timestamp, json, rule};
    /// # let mut store = MemoryStore::new();
    /// # let head = json!({"agent_id": "ann", "status": "suspended", "active_agent_turn_id": "t1",
    /// #     "turn_epoch": 1, "updated_at": "2026-01-01T00:00:00Z"});
    /// # store.project("p1").add_row(&table::HEADS, head.as_object().unwrap().clone());
    /// // a day ago, the turn of Ann was suspended
    /// let env = Env::new(Timestamp::parse("2026-01-02T00:00:00Z").unwrap(), [7; 32]);
    /// let mut call = ReapTurn::from_json(&json!({"agent_id": "ann", "which": "suspended"}))?;
    /// assert_eq!(call.which, Reap::Suspended);
    /// assert!(rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value);
    /// call.which = Reap::Active;
    /// assert!(!rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ReapTurn {
        /// The agent.
        pub agent_id: String,
        /// Which turn ends.
        pub which: Reap,
        /// The box with the output of the turn.
        pub output_box_id: Option<OrNull<String>>,
        shared terms: RunTerms,
    }

    /// Reports a timeout for every tool call that is past its deadline.
    ///
    /// The example of [`ListDue`](crate::run::ListDue) shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct TimeOutTools {
        /// The agent.
        pub agent_id: String,
        shared terms: RunTerms,
    }
}

perform! {
    ReapTurn -> bool {
        |call, tx| reap(tx, &call.agent_id, call.which, call.output_box_id.as_deref())
    }
    TimeOutTools -> bool { |call, tx| time_out(tx, &call.agent_id) }
}

impl Reap {
    pub(super) const fn status(self) -> HeadStatus {
        match self {
            Self::Dispatched => HeadStatus::Dispatched,
            Self::Active => HeadStatus::Running,
            Self::Suspended => HeadStatus::Suspended,
        }
    }

    pub(crate) fn is_due(self, tx: &Transaction<'_>, head: &Head) -> bool {
        let settings = tx.settings;
        let limit = match self {
            Self::Dispatched => settings.dispatched_timeout_seconds,
            Self::Active | Self::Suspended => settings.active_timeout_seconds,
        };
        head.status == self.status() && limit > 0 && older(progress(head), tx.now(), limit)
    }
}

/// Ends a turn without progress.
fn reap(tx: &mut Transaction<'_>, agent: &str, which: Reap, output: Option<&str>) -> Run<bool> {
    tx.want_box(output);
    want_whole_turn(tx, agent);
    want_promotion(tx, agent);
    let Some(head) = tx.get::<Head>(&[agent])? else { return Ok(false) };
    if !which.is_due(tx, &head) {
        return Ok(false);
    }
    let (error, status) = match which {
        Reap::Dispatched => (DISPATCH_TIMEOUT, TaskStatus::Timeout),
        Reap::Active | Reap::Suspended => (NO_PROGRESS, TaskStatus::Failed),
    };
    let turn = head.active_agent_turn_id.clone().unwrap_or_default();
    let message = message_of(tx, agent, &turn)?;
    let end = expiry(tx, &head, message.as_ref());
    let at = end.map_or(tx.now(), |end| end.at.min(tx.now()));
    force_end(tx, &head, Expiry { at, status, error })?;
    Ok(true)
}

/// Ends the turn of a head: writes its deliverable, frees the head, sends the events and promotes the
/// next turn.
pub(super) fn force_end(tx: &mut Transaction<'_>, head: &Head, end: Expiry) -> Run<()> {
    let (error, status) = (end.error, end.status.as_str());
    let agent = head.agent_id.as_str();
    let turn = head.active_agent_turn_id.clone().unwrap_or_default();
    let output = present(head.output_box_id.as_deref()).map(str::to_owned);
    want_finish(tx, agent, &turn, head.turn_epoch, output.as_deref());
    let step_id = reap_step_id(&turn);
    tx.want::<StepRow>(&[agent, &step_id]);
    let delivered = match &output {
        Some(output) => deliver(tx, agent, &turn, output, error)?,
        None => None,
    };
    finish(tx, head, true, output.as_deref(), "reap", "too old")?;
    put_step(tx, head, &turn, step_id, end)?;
    let (trace_id, depth) = (head.trace_id.as_deref(), head.active_recursion_depth);
    let mut scope = Scope {
        agent_id: agent.to_owned(),
        agent_turn_id: turn,
        turn_epoch: head.turn_epoch,
        channel_id: channel_of(head),
        output_box_id: output,
        headers: trace::watchdog_headers(tx, trace_id, depth),
    };
    state_event(tx, &scope, "idle", object! { "error" => error });
    scope.headers = trace::watchdog_headers(tx, trace_id, depth);
    let end = TaskEnd {
        status: status.to_owned(),
        deliverable_card_id: delivered,
        error: Some(error.to_owned()),
        ..TaskEnd::default()
    };
    task_event(tx, &scope, &end, None);
    dispatch_next(tx, agent, "watchdog_forced_idle")
}

fn channel_of(head: &Head) -> String {
    present(head.active_channel_id.as_deref()).unwrap_or("public").to_owned()
}

fn reap_step_id(turn: &str) -> String {
    let tail: String = turn.chars().rev().take(8).collect::<Vec<_>>().into_iter().rev().collect();
    format!("step_reap_{tail}")
}

/// Returns the deliverable of the turn, and makes one if the turn has none.
fn deliver(
    tx: &mut Transaction<'_>,
    agent: &str,
    turn: &str,
    output: &str,
    error: &str,
) -> Run<Option<String>> {
    let Some(ids) = tx.box_cards(output)? else { return Ok(None) };
    let cards = tx.cards(&ids)?;
    if let Some(card) = deliverable::deliverable(&cards) {
        return Ok(Some(card));
    }
    let (thought, tool_results) = deliverable::summary(&cards);
    let fallback = Fallback {
        source: "pmo.l0_guard.watchdog",
        author_id: agent,
        headline: deliverable::headline(true),
        reason: error,
        terminal_status: "failed",
        partial: true,
        thought,
        tool_results,
        diagnostics: Object::default(),
        metadata: object! { "agent_turn_id" => turn, "stop_reason" => error },
    };
    deliverable::append_fallback(tx, output, fallback).map(Some)
}

/// Writes the step that records the end of a turn.
fn put_step(
    tx: &mut Transaction<'_>,
    head: &Head,
    turn: &str,
    step_id: String,
    end: Expiry,
) -> Run<()> {
    let agent = head.agent_id.as_str();
    let step_id = match tx.get::<StepRow>(&[agent, &step_id])? {
        Some(_) => format!("{step_id}_{}", head.turn_epoch),
        None => step_id,
    };
    let mut step = StepRow {
        agent_id: agent.to_owned(),
        step_id,
        agent_turn_id: turn.to_owned(),
        status: StepStatus::Failed,
        output_box_id: present(head.output_box_id.as_deref()).map(str::to_owned),
        error: Some(end.error.to_owned()),
        started_at: tx.now(),
        ended_at: Some(tx.now()),
        outcome: Some(end.status.as_str().to_owned()),
        ..StepRow::default()
    };
    if !tx.reference_behavior {
        note_due(&mut step, end.at);
    }
    tx.put(&step, "reap", "too old")
}

/// Reports a timeout for every open call of a turn whose deadline passed.
fn time_out(tx: &mut Transaction<'_>, agent: &str) -> Run<bool> {
    want_turn(tx, agent);
    tx.want::<Roster>(&[agent]);
    let head = tx.get::<Head>(&[agent])?;
    let Some(mut head) = head.filter(|head| head.status == HeadStatus::Suspended) else {
        return Ok(false);
    };
    if head.resume_deadline.is_none_or(|deadline| deadline >= tx.now()) {
        return Ok(false);
    }
    let turn = head.active_agent_turn_id.clone().unwrap_or_default();
    let epoch = head.turn_epoch.to_string();
    let rows = tx.list::<Waiting>("by_turn", &[agent, turn.as_str(), &epoch], ROWS_OF_A_TURN)?;
    let open: Vec<Waiting> =
        rows.into_iter().filter(|row| row.wait_status == WaitStatus::Waiting).collect();
    if open.is_empty() && head.waiting_tool_count > 0 {
        return Ok(false);
    }
    for row in &open {
        let call = row.tool_call_id.as_str();
        tx.want_list::<Edge>("by_correlation", &[call, "request"], 1);
        for (primitive, phase) in [("tool_call", "request"), ("report", "response")] {
            tx.want_list::<Edge>("by_primitive", &[call, primitive, phase], 1);
        }
        tx.want_list::<Inbox>("by_correlation", &["timeout", call], 1);
        tx.want::<Tool>(&[&row.tool_name]);
    }
    for row in &open {
        report_timeout(tx, &head, row)?;
    }
    head.resume_deadline = None;
    head.updated_at = tx.now();
    tx.put(&head, "time_out", "suspended past its deadline")?;
    Ok(true)
}

fn report_timeout(tx: &mut Transaction<'_>, head: &Head, row: &Waiting) -> Run<()> {
    let tool = tx.peek::<Tool>(&[&row.tool_name])?;
    let after = match tool.and_then(|tool| tool.after_execution).as_deref() {
        Some("terminate") => AfterExecution::Terminate,
        Some(_) | None => AfterExecution::Suspend,
    };
    let card = timeout_card(tx, head, row, after)?;
    let call = row.tool_call_id.as_str();
    let channel = channel_of(head);
    // the waiting row proves that the call was made
    let depth = ensure_tool_call(
        tx,
        Edge {
            channel_id: Some(channel.clone()),
            source_agent_id: Some(head.agent_id.clone()),
            source_agent_turn_id: head.active_agent_turn_id.clone(),
            correlation_id: call.to_owned(),
            recursion_depth: Some(head.active_recursion_depth),
            trace_id: head.trace_id.clone(),
            ..Edge::default()
        },
    )?;
    let headers = trace::watchdog_headers(tx, head.trace_id.as_deref(), depth);
    let send = SendMessage {
        channel_id: channel,
        target_agent_id: head.agent_id.clone(),
        message_type: "timeout".into(),
        payload: Json::Object(object! {
            "tool_call_id" => call,
            "agent_turn_id" => row.agent_turn_id.as_str(),
            "turn_epoch" => row.turn_epoch,
            "after_execution" => after.as_str(),
            "status" => "timeout",
            "tool_result_card_id" => card,
            "agent_id" => head.agent_id.as_str(),
            "step_id" => row.step_id.as_str(),
        }),
        correlation_id: Some(call.to_owned()),
        headers: headers.into(),
        source_agent_id: Some("worker.watchdog".into()),
        parent_step_id: Some(row.step_id.clone()),
        wakeup: true,
        ..SendMessage::default()
    };
    let extra = object! { "agent_turn_id" => row.agent_turn_id.as_str() };
    report_with(tx, &send, extra)?;
    Ok(())
}

fn timeout_card(
    tx: &mut Transaction<'_>,
    head: &Head,
    row: &Waiting,
    after: AfterExecution,
) -> Run<String> {
    let mut metadata = object! {
        "agent_turn_id" => row.agent_turn_id.as_str(), "step_id" => row.step_id.as_str(),
    };
    if let Some(trace_id) = &head.trace_id {
        metadata.insert("trace_id".into(), trace_id.as_str().into());
    }
    let failed = FailedResult {
        author_id: "worker.watchdog",
        tool_call_id: &row.tool_call_id,
        function_name: &row.tool_name,
        status: "timeout",
        after,
        error: object! {
            "code" => "tool_timeout",
            "message" => "tool timeout (resume_deadline exceeded)",
            "source" => "watchdog",
        },
        metadata,
    };
    Ok(card_text(&failed_result(tx, failed)?.card_id))
}
