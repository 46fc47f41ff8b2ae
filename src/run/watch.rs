//! Watchdogs: what is done about what is due, one agent at a time.

use super::bugs::Bug;
use super::deliverable::{self, FailedResult, Fallback, failed_result, headline};
use super::desk::{Desk, Run, card_text, present, text_of};
use super::follows::{ROWS_OF_A_TURN, want_lost_turn, want_turn};
use super::l0::{self, Send};
use super::message::{Scope, TaskEnd, object, state_event, task_event, wakeup};
use super::rows::{Edge, Head, Inbox, Resumption, StepCard, StepRow, Tool, Waiting};
use super::settings::older;
use super::trace;
use super::turn::{finish, want_finish};
use super::words::{HeadStatus, InboxStatus, LedgerStatus, StepStatus, WaitStatus};
use super::work::{Work, card_payload, resume_item, resume_payload};
use crate::value::card::AfterExecution;
use crate::value::json::{Json, Object};

fn head_of(desk: &mut Desk<'_>, agent: &str, status: HeadStatus) -> Run<Option<Head>> {
    let head = desk.get::<Head>(&[agent])?;
    Ok(head.filter(|head| head.status == status))
}

fn channel_of(head: &Head) -> String {
    present(head.active_channel_id.as_deref()).unwrap_or("public").to_owned()
}

/// Rings again for a turn that was dispatched and not started. Nothing else changes: the turn
/// grows older all the same.
pub(crate) fn ring(desk: &mut Desk<'_>, agent: &str) -> Run<bool> {
    let Some(mut head) = head_of(desk, agent, HeadStatus::Dispatched)? else { return Ok(false) };
    let (now, after) = (desk.now(), desk.settings.dispatched_retry_seconds);
    let since = head.rung_at.unwrap_or(head.updated_at).max(head.updated_at);
    let turn = present(head.active_agent_turn_id.as_deref()).map(str::to_owned);
    let Some(turn) = turn.filter(|_| present(head.active_channel_id.as_deref()).is_some()) else {
        return Ok(false);
    };
    if !older(since, now, after) {
        return Ok(false);
    }
    let headers =
        trace::watchdog_headers(desk, head.trace_id.as_deref(), head.active_recursion_depth);
    let channel = channel_of(&head);
    let extra = object! { "agent_turn_id" => turn.as_str() };
    wakeup(desk, agent, &channel, extra, Some(headers))?;
    head.rung_at = Some(now);
    match desk.settings.bug {
        Bug::RetransmitResetsClock => head.updated_at = now,
        Bug::RetransmitWritesRow => {
            let row = Inbox {
                inbox_id: desk.mint("inbox_"),
                agent_id: agent.to_owned(),
                message_type: "turn".into(),
                status: InboxStatus::Queued,
                payload: Json::Object(object! {
                    "agent_turn_id" => turn.as_str(), "channel_id" => channel,
                    "profile_box_id" => head.profile_box_id.clone(), "agent_id" => agent,
                    "context_box_id" => head.context_box_id.clone(),
                    "output_box_id" => head.output_box_id.clone(),
                }),
                created_at: now,
                seq: desk.rank(),
                agent_turn_id: Some(turn),
                ..Inbox::default()
            };
            desk.put(&row, "ring", "a bug")?;
        }
        _ => {}
    }
    desk.put(&head, "ring", "status = dispatched, not started")?;
    Ok(true)
}

/// Which turns a reaper ends, and how.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Reap {
    /// Dispatched, and nobody started.
    Dispatched,
    /// Running, and nothing happens.
    Active,
    /// Suspended without a deadline.
    Suspended,
}

impl Reap {
    const fn status(self) -> HeadStatus {
        match self {
            Self::Dispatched => HeadStatus::Dispatched,
            Self::Active => HeadStatus::Running,
            Self::Suspended => HeadStatus::Suspended,
        }
    }

    pub(crate) fn is_due(self, desk: &Desk<'_>, head: &Head) -> bool {
        let settings = desk.settings;
        let limit = match self {
            Self::Dispatched => settings.dispatched_timeout_seconds,
            Self::Active | Self::Suspended => settings.active_timeout_seconds,
        };
        // a deadline that has passed for as long has helped nobody
        let since = head.resume_deadline.filter(|_| self == Self::Suspended);
        let since = since.map_or(head.updated_at, |deadline| deadline.max(head.updated_at));
        head.status == self.status() && limit > 0 && older(since, desk.now(), limit)
    }
}

/// Ends a turn that has stood still for too long.
pub(crate) fn reap(
    desk: &mut Desk<'_>,
    agent: &str,
    which: Reap,
    output: Option<&str>,
) -> Run<bool> {
    desk.want_box(output);
    want_turn(desk, agent);
    l0::want_promotion(desk, agent);
    let Some(head) = desk.get::<Head>(&[agent])? else { return Ok(false) };
    if !which.is_due(desk, &head) {
        return Ok(false);
    }
    if which == Reap::Suspended && desk.settings.bug == Bug::SuspendedForever {
        return Ok(false);
    }
    let (error, status) = match which {
        Reap::Dispatched => ("dispatch_timeout", "timeout"),
        Reap::Active | Reap::Suspended => ("timeout_reaped_by_watchdog", "failed"),
    };
    end_turn(desk, &head, error, status)?;
    Ok(true)
}

/// Ends the turn of a head for a watchdog: deliverable, free head, events, the next turn.
fn end_turn(desk: &mut Desk<'_>, head: &Head, error: &str, status: &str) -> Run<()> {
    let agent = head.agent_id.as_str();
    let turn = head.active_agent_turn_id.clone().unwrap_or_default();
    let output = present(head.output_box_id.as_deref()).map(str::to_owned);
    want_finish(desk, agent, &turn, head.turn_epoch, output.as_deref());
    let tail: String = turn.chars().rev().take(8).collect::<Vec<_>>().into_iter().rev().collect();
    let mut step_id = format!("step_reap_{tail}");
    desk.want::<StepRow>(&[agent, &step_id]);
    let mut delivered = None;
    if let Some(output) = &output
        && let Some(ids) = desk.box_cards(output)?
    {
        let cards = desk.cards(&ids)?;
        delivered = deliverable::deliverable(&cards);
        if delivered.is_none() {
            let (thought, tool_results) = deliverable::summary(&cards);
            let fallback = Fallback {
                source: "pmo.l0_guard.watchdog",
                author_id: agent,
                headline: headline(true),
                reason: error,
                terminal_status: "failed",
                partial: true,
                thought,
                tool_results,
                diagnostics: Object::default(),
                metadata: object! { "agent_turn_id" => turn.as_str(), "stop_reason" => error },
            };
            let card = card_text(&deliverable::fallback(desk, fallback)?.card_id);
            desk.append(output, std::slice::from_ref(&card))?;
            delivered = Some(card);
        }
    }
    let raise = desk.settings.bug != Bug::ReapKeepsEpoch;
    finish(desk, head, raise, output.as_deref(), "reap", "too old")?;
    if desk.get::<StepRow>(&[agent, &step_id])?.is_some() {
        step_id = format!("{step_id}_{}", head.turn_epoch);
    }
    let step = StepRow {
        agent_id: agent.to_owned(),
        step_id,
        agent_turn_id: turn.clone(),
        status: StepStatus::Failed,
        output_box_id: output.clone(),
        error: Some(error.to_owned()),
        started_at: desk.now(),
        ended_at: Some(desk.now()),
        ..StepRow::default()
    };
    desk.put(&step, "reap", "too old")?;
    let (trace_id, depth) = (head.trace_id.as_deref(), head.active_recursion_depth);
    let mut scope = Scope {
        agent_id: agent.to_owned(),
        agent_turn_id: turn,
        turn_epoch: head.turn_epoch,
        channel_id: channel_of(head),
        output_box_id: output,
        headers: trace::watchdog_headers(desk, trace_id, depth),
    };
    state_event(desk, &scope, "idle", object! { "error" => error });
    scope.headers = trace::watchdog_headers(desk, trace_id, depth);
    let end = TaskEnd {
        status: status.to_owned(),
        deliverable_card_id: delivered,
        error: Some(error.to_owned()),
        ..TaskEnd::default()
    };
    task_event(desk, &scope, &end, None);
    l0::dispatch_next(desk, agent, "watchdog_forced_idle")
}

/// Rebuilds a head that was lost, at an epoch above every one that its agent ever had. The turn that
/// it held ends; whoever still works on it can no longer write.
pub(crate) fn reclaim(desk: &mut Desk<'_>, agent: &str) -> Run<bool> {
    want_lost_turn(desk, agent);
    l0::want_promotion(desk, agent);
    if desk.get::<Head>(&[agent])?.is_some() {
        return Ok(false);
    }
    let queue = l0::queue(desk, agent)?;
    let Some(turn) = queue.active_agent_turn_id.clone() else { return Ok(false) };
    let head = Head {
        agent_id: agent.to_owned(),
        status: HeadStatus::Running,
        active_agent_turn_id: Some(turn),
        active_channel_id: queue.channel_id.clone(),
        output_box_id: queue.output_box_id.clone(),
        turn_epoch: queue.last_epoch,
        ..Head::default()
    };
    end_turn(desk, &head, "state_lost", "failed")?;
    Ok(true)
}

/// Rings for a message that nobody took.
pub(crate) fn poke(desk: &mut Desk<'_>, inbox_id: &str) -> Run<bool> {
    let Some(row) = desk.get::<Inbox>(&[inbox_id])? else { return Ok(false) };
    desk.want::<Head>(&[&row.agent_id]);
    desk.want::<super::rows::Roster>(&[&row.agent_id]);
    poke_row(desk, row)
}

fn poke_row(desk: &mut Desk<'_>, mut row: Inbox) -> Run<bool> {
    let (now, after) = (desk.now(), desk.settings.pending_wakeup_seconds);
    if after == 0 || row.status != InboxStatus::Pending || !older(row.created_at, now, after) {
        return Ok(false);
    }
    let payload = row.payload.as_object().cloned().unwrap_or_default();
    let own = text_of(&payload, "channel_id").filter(|_| row.message_type == "turn");
    let channel = match own {
        Some(channel) => Some(channel),
        None => desk.peek::<Head>(&[&row.agent_id])?.and_then(|head| head.active_channel_id),
    };
    let Some(channel) = channel.filter(|channel| !channel.is_empty()) else {
        if older(row.created_at, now, desk.settings.pending_skip_seconds) {
            let mut payload = payload;
            payload.insert("watchdog_error".into(), "missing_channel".into());
            payload.insert("watchdog_at".into(), super::message::stamp(now).into());
            row.payload = Json::Object(payload);
            row.status = InboxStatus::Skipped;
            row.archived_at = Some(now);
            desk.put(&row, "poke", "no channel for too long")?;
        }
        return Ok(true);
    };
    let given = row.traceparent.clone().map(|traceparent| object! { "traceparent" => traceparent });
    let kept = given.and_then(|headers| trace::ensure(desk, &headers, None).ok());
    let mut headers = match kept {
        Some(kept) => object! {
            "traceparent" => kept.traceparent,
            "CG-Recursion-Depth" => row.recursion_depth.to_string(),
        },
        None => trace::watchdog_headers(desk, row.trace_id.as_deref(), row.recursion_depth),
    };
    if let Some(tracestate) = &row.tracestate {
        headers.insert("tracestate".into(), tracestate.as_str().into());
    }
    let mut extra = Object::default();
    if let Some(turn) = text_of(&payload, "agent_turn_id") {
        extra.insert("agent_turn_id".into(), turn.into());
    }
    wakeup(desk, &row.agent_id, &channel, extra, Some(headers))?;
    Ok(true)
}

/// Gives a message back that somebody took and never finished.
pub(crate) fn requeue(desk: &mut Desk<'_>, inbox_id: &str) -> Run<bool> {
    let Some(mut row) = desk.get::<Inbox>(&[inbox_id])? else { return Ok(false) };
    let limit = desk.settings.processing_timeout_seconds;
    let stale = row.processed_at.is_some_and(|at| older(at, desk.now(), limit));
    if row.status != InboxStatus::Processing || !stale {
        return Ok(false);
    }
    row.status = InboxStatus::Pending;
    row.processed_at = None;
    row.archived_at = None;
    desk.put(&row, "requeue", "worked on for too long")?;
    Ok(true)
}

/// Reports a timeout for every call that a turn has waited for past its deadline.
pub(crate) fn time_out(desk: &mut Desk<'_>, agent: &str) -> Run<bool> {
    want_turn(desk, agent);
    desk.want::<super::rows::Roster>(&[agent]);
    let Some(mut head) = head_of(desk, agent, HeadStatus::Suspended)? else { return Ok(false) };
    if head.resume_deadline.is_none_or(|deadline| deadline >= desk.now()) {
        return Ok(false);
    }
    let turn = head.active_agent_turn_id.clone().unwrap_or_default();
    let epoch = head.turn_epoch.to_string();
    let of = [agent, turn.as_str(), &epoch];
    let rows = desk.list::<Waiting>("by_turn", &of, ROWS_OF_A_TURN)?;
    let open: Vec<Waiting> =
        rows.into_iter().filter(|row| row.wait_status == WaitStatus::Waiting).collect();
    if open.is_empty() && head.waiting_tool_count > 0 {
        return Ok(false);
    }
    for row in &open {
        let call = row.tool_call_id.as_str();
        desk.want_list::<Edge>("by_correlation", &[call, "request"], 1);
        for (primitive, phase) in [("tool_call", "request"), ("report", "response")] {
            desk.want_list::<Edge>("by_primitive", &[call, primitive, phase], 1);
        }
        desk.want_list::<Inbox>("by_correlation", &["timeout", call], 1);
        desk.want::<Tool>(&[&row.tool_name]);
    }
    let silent = desk.settings.bug == Bug::TimeoutClearsDeadline;
    for row in open.iter().filter(|_| !silent) {
        report_timeout(desk, &head, row)?;
    }
    head.resume_deadline = None;
    head.updated_at = desk.now();
    desk.put(&head, "time_out", "suspended past its deadline")?;
    Ok(true)
}

fn report_timeout(desk: &mut Desk<'_>, head: &Head, row: &Waiting) -> Run<()> {
    let tool = desk.peek::<Tool>(&[&row.tool_name])?;
    let after = match tool.and_then(|tool| tool.after_execution).as_deref() {
        Some("terminate") => AfterExecution::Terminate,
        Some(_) | None => AfterExecution::Suspend,
    };
    let call = row.tool_call_id.as_str();
    let mut metadata = object! {
        "agent_turn_id" => row.agent_turn_id.as_str(), "step_id" => row.step_id.as_str(),
    };
    if let Some(trace_id) = &head.trace_id {
        metadata.insert("trace_id".into(), trace_id.as_str().into());
    }
    let failed = FailedResult {
        author_id: "worker.watchdog",
        tool_call_id: call,
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
    let card = card_text(&failed_result(desk, failed)?.card_id);
    let channel = channel_of(head);
    let known = l0::request_depth(desk, call)?;
    if known.is_none() {
        // the waiting row is proof enough that the call was made
        let edge = Edge {
            edge_id: desk.mint("edge_"),
            channel_id: Some(channel.clone()),
            primitive: "tool_call".into(),
            edge_phase: "request".into(),
            source_agent_id: Some(head.agent_id.clone()),
            source_agent_turn_id: head.active_agent_turn_id.clone(),
            correlation_id: call.to_owned(),
            recursion_depth: Some(head.active_recursion_depth),
            trace_id: head.trace_id.clone(),
            created_at: desk.now(),
            seq: desk.rank(),
            ..Edge::default()
        };
        l0::put_edge(desk, &edge)?;
    }
    let depth = known.flatten().unwrap_or(head.active_recursion_depth);
    let headers = trace::watchdog_headers(desk, head.trace_id.as_deref(), depth);
    let send = Send {
        project_id: desk.project(),
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
        headers,
        source_agent_id: Some("worker.watchdog".into()),
        parent_step_id: Some(row.step_id.clone()),
        wakeup: true,
        ..Send::default()
    };
    l0::report(desk, &send)?;
    Ok(())
}

/// Takes up results that wait for a suspended turn: those that are due to be tried again, else
/// cards that nobody reported.
pub(crate) fn take_up(desk: &mut Desk<'_>, agent: &str, owner: &str) -> Run<Vec<Object>> {
    want_turn(desk, agent);
    let Some(head) = head_of(desk, agent, HeadStatus::Suspended)? else { return Ok(Vec::new()) };
    let turn = head.active_agent_turn_id.clone().unwrap_or_default();
    let epoch = head.turn_epoch.to_string();
    let of = [agent, turn.as_str(), &epoch];
    let waiting = desk.list::<Waiting>("by_turn", &of, ROWS_OF_A_TURN)?;
    let open: Vec<&Waiting> = waiting
        .iter()
        .filter(|row| matches!(row.wait_status, WaitStatus::Waiting | WaitStatus::Received))
        .collect();
    if open.is_empty() {
        return Ok(Vec::new());
    }
    for row in &open {
        desk.want_list::<StepCard>("by_call", &[&row.tool_call_id], 16);
    }
    let work = work_of(&head);
    let mut items = Vec::new();
    let now = desk.now();
    let mut leased = false;
    for mut row in desk.list::<Resumption>("by_turn", &of, ROWS_OF_A_TURN)? {
        match row.status {
            LedgerStatus::Pending if row.next_retry_at <= now => {}
            LedgerStatus::Processing => {
                leased = true;
                continue;
            }
            LedgerStatus::Pending | LedgerStatus::Applied | LedgerStatus::Dropped => continue,
        }
        row.status = LedgerStatus::Processing;
        row.lease_owner = Some(owner.to_owned());
        row.lease_expires_at = Some(now.plus_seconds(desk.settings.resume_lease_seconds));
        row.updated_at = now;
        desk.put(&row, "take_up", "due to be tried again")?;
        items.push(resume_item(&work, resume_payload(&row.payload)));
    }
    if items.is_empty() && !leased {
        for row in open {
            let cards = desk.list::<StepCard>("by_call", &[&row.tool_call_id], 16)?;
            let fits = |card: &&StepCard| card.card_type == "tool.result";
            if let Some(card) = cards.iter().find(fits) {
                items.push(resume_item(&work, card_payload(card, &row.tool_call_id)));
            }
        }
    }
    Ok(items)
}

/// The work on the turn of a head.
pub(crate) fn work_of(head: &Head) -> Work {
    let mut headers = Object::default();
    if let Some(trace_id) = &head.trace_id {
        headers.insert("trace_id".into(), trace_id.as_str().into());
    }
    Work {
        agent_id: head.agent_id.clone(),
        agent_turn_id: head.active_agent_turn_id.clone().unwrap_or_default(),
        turn_epoch: head.turn_epoch,
        channel_id: head.active_channel_id.clone(),
        profile_box_id: head.profile_box_id.clone(),
        context_box_id: head.context_box_id.clone(),
        output_box_id: head.output_box_id.clone(),
        trace_id: head.trace_id.clone(),
        parent_step_id: head.parent_step_id.clone(),
        headers,
        ..Work::default()
    }
}
