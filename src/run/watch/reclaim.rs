//! Lost heads, abandoned messages, and results that no worker applied.

use super::timeouts::force_end;
use crate::run::queue::edge::request_depth;
use crate::run::queue::inbox::{ForWorkers, serves};
use crate::run::queue::lease::queue_row;
use crate::run::queue::promote::want_promotion;
use crate::run::rows::status::{HeadStatus, InboxStatus, LedgerStatus, TaskStatus, WaitStatus};
use crate::run::rows::{Edge, Head, Inbox, Resumption, StepCard, StepRow, Waiting};
use crate::run::settings::older;
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::turn::expiry::Expiry;
use crate::run::turn::reads::{ROWS_OF_A_TURN, start_of, want_lost_turn, want_turn};
use crate::run::turn::work::{
    CallToStart, QueuedWork, TurnWork, resume_from_card, resume_item, resume_payload,
};
use crate::run::values::{number_of, text_of};
use crate::value::arguments::arguments;
use crate::value::json::Object;
use crate::value::time::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;

arguments! {
    /// Rebuilds a lost head from the latest recorded state of its turn, which continues.
    ///
    /// The example of [`ListDue`](crate::run::ListDue) shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ReclaimAgent {
        /// The agent.
        pub agent_id: String,
        shared terms: RunTerms,
    }

    /// Releases a message that a worker claimed and did not finish.
    ///
    /// The example of [`ListDue`](crate::run::ListDue) shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct RequeueInbox {
        /// The message.
        pub inbox_id: String,
        shared terms: RunTerms,
    }

    /// Claims results that wait for a suspended turn.
    ///
    /// ```
    /// use tuckbox::run::{CallToStart, SuspendedTurn, TakeUpResults, TakenUp};
    /// # use tuckbox::store::{MemoryStore, Snapshot, table};
    /// # use tuckbox::{Env, Timestamp, json, rule};
    /// # let mut store = MemoryStore::new();
    /// # let head = json!({"agent_id": "ann", "status": "suspended", "active_agent_turn_id": "t1",
    /// #     "turn_epoch": 1, "updated_at": "2026-01-01T00:00:00Z"});
    /// # let call = json!({"agent_id": "ann", "agent_turn_id": "t1", "turn_epoch": 1, "step_id": "s1",
    /// #     "tool_call_id": "c1", "tool_name": "search", "updated_at": "2026-01-01T00:00:00Z"});
    /// # store.project("p1").add_row(&table::HEADS, head.as_object().unwrap().clone());
    /// # store.project("p1").add_row(&table::WAITING_TOOLS, call.as_object().unwrap().clone());
    /// // since yesterday, the turn of Ann waits for a call whose worker was lost
    /// let env = Env::new(Timestamp::parse("2026-01-02T00:00:00Z").unwrap(), [7; 32]);
    /// let call = TakeUpResults::from_json(&json!({"agent_id": "ann", "include_unstarted": true}))?;
    /// let taken = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
    /// let TakenUp { queued, turn } = taken.value;
    /// let Some(CallToStart { tool_call_id, tool_name, .. }) = &queued[0].start else { panic!() };
    /// assert_eq!((tool_call_id.as_str(), tool_name.as_str()), ("c1", "search"));
    /// let SuspendedTurn { headers, .. } = turn.unwrap();
    /// assert_eq!(headers.get("CG-Recursion-Depth").map(String::as_str), Some("0"));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct TakeUpResults {
        /// The agent.
        pub agent_id: String,
        /// The name of the claimant.
        pub owner: String = "agent-worker:1".into(),
        /// True to look also for the cards of calls whose result arrived and was not applied, as a
        /// worker does when it starts.
        pub include_received: bool = false,
        /// True to claim also calls that no worker started within `lease_seconds`.
        pub include_unstarted: bool = false,
        /// For how many milliseconds the caller has seen the head of the agent unchanged, if hosts do not
        /// share a clock. A call is not claimed as unstarted before `lease_seconds` of this time.
        pub unchanged_ms: Option<i64>,
        shared workers: ForWorkers,
        shared terms: RunTerms,
    }
}

perform! {
    ReclaimAgent -> bool { |call, tx| reclaim(tx, &call.agent_id) }
    RequeueInbox -> bool { |call, tx| requeue(tx, &call.inbox_id) }
    TakeUpResults -> TakenUp {
        |call, tx| {
            want_turn(tx, &call.agent_id);
            if !serves(tx, &call.agent_id, call.workers.worker_targets.as_deref())? {
                return Ok(TakenUp { queued: Vec::new(), turn: None });
            }
            take_up(tx, call)
        }
    }
}

/// Results of a suspended turn that a worker claimed.
///
/// The example of [`TakeUpResults`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TakenUp {
    /// The work, in order.
    pub queued: Vec<QueuedWork>,
    /// The turn of the work; absent without work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<SuspendedTurn>,
}

/// What all work on a suspended turn has in common.
///
/// The example of [`TakeUpResults`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SuspendedTurn {
    /// The channel of the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<String>,
    /// The box of its profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile_box_id: Option<String>,
    /// The box of its context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_box_id: Option<String>,
    /// The headers of the turn.
    pub headers: BTreeMap<String, String>,
    /// The trace of the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// The step that the turn belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_step_id: Option<String>,
}

impl SuspendedTurn {
    fn of(head: &Head) -> Self {
        let depth = head.active_recursion_depth.to_string();
        Self {
            channel_id: head.active_channel_id.clone(),
            profile_box_id: head.profile_box_id.clone(),
            context_box_id: head.context_box_id.clone(),
            headers: BTreeMap::from([("CG-Recursion-Depth".to_owned(), depth)]),
            trace_id: head.trace_id.clone(),
            parent_step_id: head.parent_step_id.clone(),
        }
    }
}

/// Rebuilds a lost head: the message, the steps and the open calls of its turn show its state. Its worker
/// continues at the same epoch. A turn without a message ends.
fn reclaim(tx: &mut Transaction<'_>, agent: &str) -> Run<bool> {
    want_lost_turn(tx, agent);
    want_promotion(tx, agent);
    if tx.get::<Head>(&[agent])?.is_some() {
        return Ok(false);
    }
    let queue = queue_row(tx, agent)?;
    let Some(turn) = queue.active_agent_turn_id.clone() else { return Ok(false) };
    let mut head = Head {
        agent_id: agent.to_owned(),
        status: HeadStatus::Running,
        active_agent_turn_id: Some(turn.clone()),
        active_channel_id: queue.channel_id.clone(),
        output_box_id: queue.output_box_id.clone(),
        turn_epoch: queue.last_epoch,
        updated_at: tx.now(),
        ..Head::default()
    };
    match start_of(tx, &turn)?.filter(|row| row.agent_id == agent) {
        Some(message) => {
            restore(tx, &mut head, &message)?;
            tx.put(&head, "reclaim", "no head, and a turn that is active")?;
        }
        None => {
            let at = tx.now();
            let lost = Expiry { at, status: TaskStatus::Failed, error: "state_lost" };
            force_end(tx, &head, lost)?;
        }
    }
    Ok(true)
}

/// Restores what the rows of a turn show of its head.
fn restore(tx: &mut Transaction<'_>, head: &mut Head, message: &Inbox) -> Run<()> {
    let payload = message.payload.as_object().cloned().unwrap_or_default();
    head.profile_box_id = text_of(&payload, "profile_box_id");
    head.context_box_id = text_of(&payload, "context_box_id");
    head.output_box_id = head.output_box_id.take().or_else(|| text_of(&payload, "output_box_id"));
    head.trace_id.clone_from(&message.trace_id);
    head.parent_step_id.clone_from(&message.parent_step_id);
    head.active_recursion_depth = message.recursion_depth;
    let turn = head.active_agent_turn_id.clone().unwrap_or_default();
    let agent = head.agent_id.clone();
    let steps = tx.list::<StepRow>("by_turn", &[&agent, &turn], 64)?;
    // the latest step with boxes: it can have made the output box anew
    if let Some(step) = steps.iter().rfind(|step| step.output_box_id.is_some()) {
        head.output_box_id.clone_from(&step.output_box_id);
        if step.context_box_id.is_some() {
            head.context_box_id.clone_from(&step.context_box_id);
        }
    }
    let epoch = head.turn_epoch.to_string();
    let waiting = tx.list::<Waiting>("by_turn", &[&agent, &turn, &epoch], ROWS_OF_A_TURN)?;
    let is_open =
        |row: &&Waiting| matches!(row.wait_status, WaitStatus::Waiting | WaitStatus::Received);
    let open = waiting.iter().filter(is_open).count();
    // Its last result gives a turn the next epoch, so calls of this epoch mean that it waits. The order
    // of steps does not show it: hosts have different clocks.
    let suspended = !waiting.is_empty();
    let before = number_of(&payload, "released_steps").unwrap_or(0);
    let not_started = i64::try_from(steps.len()).is_ok_and(|steps| steps == before);
    head.status = if not_started {
        HeadStatus::Dispatched
    } else if suspended {
        head.waiting_tool_count = i64::try_from(open).unwrap_or(i64::MAX);
        head.resume_deadline = Some(tx.now().plus_seconds(tx.settings.suspend_timeout_seconds));
        HeadStatus::Suspended
    } else {
        HeadStatus::Running
    };
    Ok(())
}

/// Returns the seconds after which a message that a worker claimed returns to its inbox; 0 means never.
/// The message of a turn waits as long as its turn.
pub(super) fn processing_limit(tx: &Transaction<'_>, row: &Inbox) -> i64 {
    let limit = tx.settings.processing_timeout_seconds;
    let starts = matches!(row.message_type.as_str(), "turn" | "ui_action");
    match tx.settings.lease_seconds {
        1.. if !starts && !tx.reference_behavior => limit.min(tx.settings.lease_seconds),
        _ => limit,
    }
}

/// Returns a message to its inbox if a worker claimed it and did not finish.
fn requeue(tx: &mut Transaction<'_>, inbox_id: &str) -> Run<bool> {
    let Some(mut row) = tx.get::<Inbox>(&[inbox_id])? else { return Ok(false) };
    let limit = processing_limit(tx, &row);
    let stale = row.processed_at.is_some_and(|at| older(at, tx.now(), limit));
    if row.status != InboxStatus::Processing || !stale || limit <= 0 {
        return Ok(false);
    }
    row.status = InboxStatus::Pending;
    row.processed_at = None;
    row.archived_at = None;
    tx.put(&row, "requeue", "processed for too long")?;
    Ok(true)
}

/// Returns the work for results of a suspended turn: those that are due for a retry, or cards without a
/// report.
fn take_up(tx: &mut Transaction<'_>, call: &TakeUpResults) -> Run<TakenUp> {
    let agent = call.agent_id.as_str();
    want_turn(tx, agent);
    let head = tx.get::<Head>(&[agent])?;
    let Some(head) = head.filter(|head| head.status == HeadStatus::Suspended) else {
        return Ok(TakenUp { queued: Vec::new(), turn: None });
    };
    let turn = head.active_agent_turn_id.clone().unwrap_or_default();
    let epoch = head.turn_epoch.to_string();
    let of = [agent, turn.as_str(), &epoch];
    let waiting = tx.list::<Waiting>("by_turn", &of, ROWS_OF_A_TURN)?;
    let is_open = |row: &&Waiting| match row.wait_status {
        WaitStatus::Waiting => true,
        WaitStatus::Received => call.include_received,
        WaitStatus::Applied | WaitStatus::Expired | WaitStatus::Dropped => false,
    };
    let open: Vec<&Waiting> = waiting.iter().filter(is_open).collect();
    let lease_seconds = tx.settings.lease_seconds;
    // the worker that suspended the turn starts its calls first
    let is_left = call.unchanged_ms.is_none_or(|ms| ms > lease_seconds.saturating_mul(1000));
    let is_late = |row: &&Waiting| {
        call.include_unstarted && is_left && is_unstarted(row, tx.now(), lease_seconds)
    };
    let late: Vec<Waiting> = open.iter().copied().filter(is_late).cloned().collect();
    for row in &open {
        tx.want_list::<StepCard>("by_call", &[&row.tool_call_id], 16);
    }
    for row in &late {
        tx.want_list::<Edge>("by_correlation", &[&row.tool_call_id, "request"], 1);
    }
    let work = work_of(&head);
    let mut items = Vec::new();
    let now = tx.now();
    for mut row in tx.list::<Resumption>("by_turn", &of, ROWS_OF_A_TURN)? {
        if row.status != LedgerStatus::Pending || row.next_retry_at > now {
            continue;
        }
        row.status = LedgerStatus::Processing;
        row.lease_owner = Some(call.owner.clone());
        row.lease_expires_at = Some(now.plus_seconds(tx.settings.resume_lease_seconds));
        row.updated_at = now;
        tx.put(&row, "take_up", "due to be tried again")?;
        items.push(resume_item(&work, resume_payload(&row, None)));
    }
    if items.is_empty() {
        for row in open {
            items.extend(resume_from_card(tx, &work, &row.tool_call_id, &row.step_id, &[])?);
        }
    }
    if items.is_empty() {
        for row in late {
            items.extend(claim_start(tx, &work, row)?);
        }
    }
    let turn = (!items.is_empty()).then(|| SuspendedTurn::of(&head));
    Ok(TakenUp { queued: items, turn })
}

/// Returns true for a call that a worker had the time to start.
fn is_unstarted(row: &Waiting, now: Timestamp, lease_seconds: i64) -> bool {
    let is_waiting = row.wait_status == WaitStatus::Waiting;
    is_waiting && lease_seconds > 0 && older(row.updated_at, now, lease_seconds)
}

/// Claims a call that no worker started. The start of a call writes its edge.
fn claim_start(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    mut row: Waiting,
) -> Run<Option<QueuedWork>> {
    if request_depth(tx, &row.tool_call_id)?.is_some() {
        return Ok(None);
    }
    row.updated_at = tx.now();
    tx.put(&row, "take_up", "no worker started the call")?;
    let start = CallToStart {
        tool_call_id: row.tool_call_id,
        tool_name: row.tool_name,
        step_id: row.step_id,
    };
    let item = work.next(work.turn_epoch, 0, work.output_box_id.as_deref());
    Ok(Some(QueuedWork { start: Some(start), ..item }))
}

/// Returns the work on the turn of a head.
fn work_of(head: &Head) -> TurnWork {
    let mut headers = Object::default();
    if let Some(trace_id) = &head.trace_id {
        headers.insert("trace_id".into(), trace_id.as_str().into());
    }
    TurnWork { headers: headers.into(), ..TurnWork::of(head) }
}
