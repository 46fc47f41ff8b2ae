//! Results that come in for a suspended turn.

use super::bugs::Bug;
use super::deliverable::{self, FailedResult, Fallback, failed_result, index_card, pretty};
use super::desk::{Desk, Run, card_text, present, text_of};
use super::follows::{ROWS_OF_A_TURN, want_call, want_output};
use super::l0::dispatch_next;
use super::message::{Scope, TaskEnd, object, stamp, state_event, step_event, task_event};
use super::rows::{Head, Resumption, StepCard, StepRow, Waiting, key_text};
use super::turn::{bump, finish, want_finish};
use super::words::{HeadStatus, LedgerStatus, StepStatus, WaitStatus};
use super::work::Work;
use crate::Timestamp;
use crate::value::card::{AfterExecution, Card, Content};
use crate::value::json::{Json, Object};

/// What becomes of a result that cannot be applied.
enum Verdict {
    /// It is tried again after so many milliseconds.
    Retry(i64, &'static str),
    /// It is put aside.
    Dropped(String),
    /// It was applied before.
    Applied,
    /// The turn fails.
    Fails { code: &'static str, message: String },
}

/// A result that can be applied.
struct Fit {
    card: Card,
    results: Vec<StepCard>,
}

/// Applies a result to the turn that waits for it. The answer is the work that follows.
pub(crate) fn resume(desk: &mut Desk<'_>, work: &Work, payload: &Object) -> Run<Vec<Object>> {
    let call_id = text_of(payload, "tool_call_id").unwrap_or_default();
    let card_id = text_of(payload, "tool_result_card_id");
    let hint = text_of(payload, "step_id");
    let (agent, turn) = (work.agent_id.as_str(), work.agent_turn_id.as_str());
    let epoch = work.turn_epoch.to_string();
    want_finish(desk, agent, turn, work.turn_epoch, work.output_box_id.as_deref());
    desk.want_card(card_id.as_deref());
    want_output(desk, agent);
    want_call(desk, &[agent, turn, &epoch, &call_id]);
    desk.want_list::<StepRow>("by_turn", &[agent, turn], 64);
    if let Some(card_id) = &card_id {
        desk.want::<Resumption>(&[agent, turn, &epoch, &call_id, card_id]);
    }
    if let Some(hint) = &hint {
        desk.want_list::<StepCard>("by_step", &[hint], 64);
    }
    let head = desk.get::<Head>(&[agent])?;
    // epochs start at 1: what names none was never waited for
    if work.turn_epoch <= 0 {
        return Ok(Vec::new());
    }
    if let Some(card_id) = &card_id {
        note(desk, work, payload, &call_id, card_id)?;
    }
    let fit = match weigh(
        desk,
        work,
        head.as_ref(),
        payload,
        &call_id,
        card_id.as_deref(),
        hint.as_deref(),
    )? {
        Ok(fit) => fit,
        Err(verdict) => {
            settle(desk, work, head.as_ref(), &call_id, card_id.as_deref(), verdict)?;
            return Ok(Vec::new());
        }
    };
    let Some(head) = head else { return Ok(Vec::new()) };
    apply(desk, work, head, payload, &call_id, fit)
}

/// Writes down that a result came in.
fn note(
    desk: &mut Desk<'_>,
    work: &Work,
    payload: &Object,
    call_id: &str,
    card_id: &str,
) -> Run<()> {
    let now = desk.now();
    let row = Resumption {
        agent_id: work.agent_id.clone(),
        agent_turn_id: work.agent_turn_id.clone(),
        turn_epoch: work.turn_epoch,
        tool_call_id: call_id.to_owned(),
        tool_result_card_id: card_id.to_owned(),
        next_retry_at: now,
        payload: payload.clone(),
        created_at: now,
        updated_at: now,
        ..Resumption::default()
    };
    if ledger(desk, work, call_id, card_id)?.is_none() {
        desk.put(&row, "resume", "a result that was not seen before")?;
    }
    Ok(())
}

fn ledger(
    desk: &mut Desk<'_>,
    work: &Work,
    call_id: &str,
    card_id: &str,
) -> Run<Option<Resumption>> {
    let epoch = work.turn_epoch.to_string();
    desk.get::<Resumption>(&[&work.agent_id, &work.agent_turn_id, &epoch, call_id, card_id])
}

/// Changes what is known of a result, unless it was settled before.
fn mark(
    desk: &mut Desk<'_>,
    work: &Work,
    call_id: &str,
    card_id: &str,
    change: impl FnOnce(&mut Resumption, Timestamp),
) -> Run<()> {
    let Some(mut row) = ledger(desk, work, call_id, card_id)? else { return Ok(()) };
    let before = row.status;
    let now = desk.now();
    row.updated_at = now;
    row.lease_owner = None;
    row.lease_expires_at = None;
    change(&mut row, now);
    // what was applied stays so; what was dropped can only be dropped again
    let settled = match before {
        LedgerStatus::Pending | LedgerStatus::Processing => false,
        LedgerStatus::Applied => true,
        LedgerStatus::Dropped => row.status != LedgerStatus::Dropped,
    };
    if settled {
        return Ok(());
    }
    desk.put(&row, "resume", "a result that was not settled")
}

/// The guards, in order.
#[allow(clippy::too_many_arguments)]
fn weigh(
    desk: &mut Desk<'_>,
    work: &Work,
    head: Option<&Head>,
    payload: &Object,
    call_id: &str,
    card_id: Option<&str>,
    hint: Option<&str>,
) -> Run<Result<Fit, Verdict>> {
    let fails = |code: &'static str, message: &str| {
        Ok(Err(Verdict::Fails { code, message: message.to_owned() }))
    };
    let Some(head) = head else { return Ok(Err(Verdict::Retry(2000, "state_not_found"))) };
    if !work.holds(head) {
        return Ok(Err(Verdict::Dropped("turn_guard_mismatch".into())));
    }
    match head.status {
        HeadStatus::Running if desk.settings.bug == Bug::EarlyResultFailsTurn => {
            return fails("resume_retry_exhausted", "the result came before the turn waited");
        }
        HeadStatus::Running => {
            return Ok(Err(Verdict::Retry(1000, "turn_running_not_suspended")));
        }
        HeadStatus::Idle | HeadStatus::Dispatched => {
            let status = head.status.as_str();
            return Ok(Err(Verdict::Dropped(format!("invalid_state:{status}"))));
        }
        HeadStatus::Suspended => {}
    }
    if payload.contains_key("result") {
        return fails("invalid_resume_payload", "a result is named by its card");
    }
    let Some(card_id) = card_id else {
        return fails("missing_tool_result_card", "missing tool_result_card_id");
    };
    let after = payload.get("after_execution").unwrap_or(&Json::Null);
    if !matches!(after.as_str(), Some("suspend" | "terminate")) {
        let shown = if after.is_null() { "None".to_owned() } else { key_text(after) };
        return fails("invalid_after_execution", &format!("invalid after_execution={shown}"));
    }
    let mut card = desk.card(card_id)?;
    if card.is_none()
        && let Some(hint) = hint
    {
        let known = desk.list::<StepCard>("by_step", &[hint], 64)?;
        let fitting = |known: &&StepCard| {
            known.card_type == "tool.result" && known.tool_call_id.as_deref() == Some(call_id)
        };
        if let Some(known) = known.iter().find(fitting) {
            card = desk.card(&known.card_id)?;
        }
    }
    let Some(card) = card else {
        return Ok(Err(Verdict::Retry(1500, "tool_result_card_not_found")));
    };
    if card.card_type() != Some("tool.result") {
        return fails("invalid_tool_result_card", "the card is no tool.result");
    }
    let of_call = card
        .tool_call_id
        .clone()
        .or_else(|| card.metadata.get("tool_call_id").and_then(Json::as_str).map(str::to_owned));
    if of_call.as_deref() != Some(call_id) {
        return fails("tool_call_id_mismatch", "tool_call_id mismatch");
    }
    let step_id = card.metadata.get("step_id").and_then(Json::as_str);
    let Some(step_id) = present(step_id).map(str::to_owned) else {
        return fails("missing_step_id", "tool.result missing step_id");
    };
    let known = desk.list::<StepCard>("by_step", &[&step_id], 64)?;
    want_ending(desk, work, head, &known, call_id);
    let Some(thought) = known.iter().rfind(|card| card.card_type == "agent.thought") else {
        return fails("missing_agent_thought", "agent.thought not found for turn");
    };
    if thought.calls != Some(true) {
        return fails("missing_tool_calls", "no tool_calls found in thought");
    }
    let epoch = work.turn_epoch.to_string();
    let key = [work.agent_id.as_str(), work.agent_turn_id.as_str(), &epoch, call_id];
    let Some(waiting) = desk.get::<Waiting>(&key)? else {
        return Ok(Err(Verdict::Dropped("tool_call_not_waiting".into())));
    };
    match waiting.wait_status {
        WaitStatus::Waiting | WaitStatus::Received => {}
        WaitStatus::Applied | WaitStatus::Expired | WaitStatus::Dropped => {
            return Ok(Err(Verdict::Applied));
        }
    }
    let mut results: Vec<StepCard> =
        known.into_iter().filter(|card| card.card_type == "tool.result").collect();
    // of several results of one call the oldest counts
    let oldest = results.iter().find(|known| known.tool_call_id.as_deref() == Some(call_id));
    let card = match oldest {
        Some(oldest) if oldest.card_id != card.card_id.as_str() => {
            let oldest = oldest.card_id.clone();
            desk.card(&oldest)?.unwrap_or(card)
        }
        Some(_) => card,
        None => {
            index_card(desk, &card)?;
            let added = desk.get::<StepCard>(&[card.card_id.as_str()])?;
            results.extend(added);
            card
        }
    };
    Ok(Ok(Fit { card, results }))
}

/// Asks for the cards that the end of the turn looks at, where one of these results may end it.
fn want_ending(desk: &mut Desk<'_>, work: &Work, head: &Head, known: &[StepCard], call_id: &str) {
    let results = known.iter().filter(|card| card.card_type == "tool.result");
    let epoch = work.turn_epoch.to_string();
    let mut ends = false;
    for card in results {
        let ending = card.after_execution.as_deref() == Some("terminate");
        let of_call = card.tool_call_id.as_deref() == Some(call_id);
        if ending || of_call {
            desk.want_card(Some(&card.card_id));
        }
        if of_call {
            let of = [work.agent_id.as_str(), &work.agent_turn_id, &epoch, call_id, &card.card_id];
            desk.want::<Resumption>(&of);
        }
        ends |= ending;
    }
    let output = present(work.output_box_id.as_deref()).or(head.output_box_id.as_deref());
    if ends {
        desk.want_cards_of(output);
    }
}

/// Writes down what became of a result that could not be applied.
fn settle(
    desk: &mut Desk<'_>,
    work: &Work,
    head: Option<&Head>,
    call_id: &str,
    card_id: Option<&str>,
    verdict: Verdict,
) -> Run<()> {
    let card_id = card_id.unwrap_or_default();
    match verdict {
        Verdict::Retry(millis, why) => mark(desk, work, call_id, card_id, |row, now| {
            row.status = LedgerStatus::Pending;
            row.attempt_count += 1;
            row.next_retry_at = Timestamp::from_millis(now.as_millis() + millis);
            row.last_error = Some(why.to_owned());
        }),
        Verdict::Dropped(why) => mark(desk, work, call_id, card_id, |row, _| {
            row.status = LedgerStatus::Dropped;
            row.last_error = Some(why);
        }),
        Verdict::Applied => mark(desk, work, call_id, card_id, |row, _| {
            row.status = LedgerStatus::Applied;
        }),
        Verdict::Fails { code, message } => match head {
            Some(head) => failed(desk, work, head, call_id, code, &message),
            None => Ok(()),
        },
    }
}

fn step_row(desk: &Desk<'_>, work: &Work, scope: &Scope, step_id: &str) -> StepRow {
    StepRow {
        agent_id: work.agent_id.clone(),
        step_id: step_id.to_owned(),
        agent_turn_id: work.agent_turn_id.clone(),
        channel_id: Some(scope.channel_id.clone()),
        parent_step_id: work.parent_step_id.clone(),
        trace_id: work.trace_id.clone(),
        status: StepStatus::Suspended,
        profile_box_id: work.profile_box_id.clone(),
        context_box_id: work.context_box_id.clone(),
        output_box_id: work.output_box_id.clone(),
        started_at: desk.now(),
        ..StepRow::default()
    }
}

/// A result that ends its turn by being wrong.
fn failed(
    desk: &mut Desk<'_>,
    work: &Work,
    head: &Head,
    call_id: &str,
    code: &str,
    message: &str,
) -> Run<()> {
    let scope = work.scope(head);
    let step_id = desk.mint("step_res_");
    step_event(desk, &scope, &step_id, "started", &[]);
    let mut new_cards = Vec::new();
    let failed = FailedResult {
        author_id: &work.agent_id,
        tool_call_id: call_id,
        function_name: "resume_handler",
        status: "failed",
        after: AfterExecution::Terminate,
        error: object! { "code" => code, "source" => "worker", "message" => message },
        metadata: work.card_metadata(Some(&step_id)),
    };
    let card = card_text(&failed_result(desk, failed)?.card_id);
    if let Some(output) = present(work.output_box_id.as_deref())
        && desk.has_box(output)?
    {
        desk.append(output, std::slice::from_ref(&card))?;
        new_cards.push(card.clone());
    }
    finish(desk, head, false, work.output_box_id.as_deref(), "resume", "a result that is wrong")?;
    let mut step = step_row(desk, work, &scope, &step_id);
    step.status = StepStatus::Failed;
    step.error = Some(message.to_owned());
    step.ended_at = Some(desk.now());
    desk.put(&step, "resume", "a result that is wrong")?;
    state_event(desk, &scope, "idle", object! { "error" => message });
    step_event(desk, &scope, &step_id, "failed", &new_cards);
    let end = TaskEnd {
        status: "failed".into(),
        tool_result_card_id: Some(card),
        error: Some(message.to_owned()),
        ..TaskEnd::default()
    };
    task_event(desk, &scope, &end, None);
    dispatch_next(desk, &work.agent_id, "agent_idle")
}

fn apply(
    desk: &mut Desk<'_>,
    work: &Work,
    mut head: Head,
    payload: &Object,
    call_id: &str,
    fit: Fit,
) -> Run<Vec<Object>> {
    let now = desk.now();
    let Fit { card, results } = fit;
    let card_id = card_text(&card.card_id);
    let step_id = desk.mint("step_res_");
    let named_step = step_row(desk, work, &work.scope(&head), &step_id);
    // a box that is gone is made again: a result is never lost for want of a place
    let mut work = work.clone();
    let named = present(work.output_box_id.as_deref()).or(head.output_box_id.as_deref());
    let output = match named.map(str::to_owned) {
        Some(named) if desk.has_box(&named)? => named,
        Some(_) | None => desk.new_box(),
    };
    work.output_box_id = Some(output.clone());
    let there = desk.box_cards(&output)?.unwrap_or_default();
    let mut new_cards = Vec::new();
    if !there.contains(&card_id) {
        desk.append(&output, std::slice::from_ref(&card_id))?;
        new_cards.push(card_id.clone());
    }
    let scope = work.scope(&head);
    step_event(desk, &scope, &step_id, "started", &[]);

    let epoch = work.turn_epoch.to_string();
    let of = [work.agent_id.as_str(), work.agent_turn_id.as_str(), &epoch];
    let mut open = Vec::new();
    for mut row in desk.list::<Waiting>("by_turn", &of, ROWS_OF_A_TURN)? {
        if row.tool_call_id == call_id {
            row.wait_status = WaitStatus::Applied;
            row.tool_result_card_id = Some(card_id.clone());
            row.applied_at = Some(now);
            row.updated_at = now;
            desk.put(&row, "resume", "waiting")?;
        } else if matches!(row.wait_status, WaitStatus::Waiting | WaitStatus::Received) {
            open.push(row.tool_call_id);
        }
    }
    mark(desk, &work, call_id, &card_id, |row, _| row.status = LedgerStatus::Applied)?;
    head.output_box_id = Some(output.clone());
    head.updated_at = now;
    let mut step = named_step;

    if !open.is_empty() {
        open.sort_unstable();
        let deadline = now.plus_seconds(desk.settings.suspend_timeout_seconds);
        head.waiting_tool_count = i64::try_from(open.len()).unwrap_or(i64::MAX);
        head.resume_deadline = Some(deadline);
        desk.put(&head, "resume", "status = suspended, calls still open")?;
        desk.put(&step, "resume", "status = suspended, calls still open")?;
        let metadata = object! {
            "activity" => "awaiting_tool_result",
            "waiting_tool_count" => open.len(),
            "waiting_tool_call_ids" => open,
            "resume_deadline" => stamp(deadline),
        };
        state_event(desk, &scope, "suspended", metadata);
        step_event(desk, &scope, &step_id, "completed", &new_cards);
        return Ok(Vec::new());
    }
    let ending = |card: &&StepCard| card.after_execution.as_deref() == Some("terminate");
    let mut ends: Vec<StepCard> = results.iter().rev().filter(ending).cloned().collect();
    if ends.is_empty() {
        head.status = HeadStatus::Running;
        head.waiting_tool_count = 0;
        head.resume_deadline = None;
        if desk.settings.bug != Bug::ResumeKeepsEpoch {
            bump(desk, &mut head)?;
        }
        desk.put(&head, "resume", "status = suspended, the last call answered")?;
        desk.put(&step, "resume", "status = suspended, the last call answered")?;
        step_event(desk, &scope, &step_id, "completed", &new_cards);
        let scope = Scope { turn_epoch: head.turn_epoch, ..scope };
        state_event(desk, &scope, "running", object! { "activity" => "thinking" });
        let of = [work.agent_id.as_str(), work.agent_turn_id.as_str()];
        let steps = desk.list::<StepRow>("by_turn", &of, 64)?;
        let counted = |step: &&StepRow| {
            step.step_id.starts_with("step_")
                && !step.step_id.starts_with("step_res_")
                && !step.step_id.starts_with("step_reap_")
        };
        let count = i64::try_from(steps.iter().filter(counted).count()).unwrap_or(0);
        return Ok(vec![work.next(head.turn_epoch, count, Some(&output))]);
    }
    let failure = ends.iter().position(|card| card.status.as_deref() != Some("success"));
    let chosen = ends.swap_remove(failure.unwrap_or(0));
    terminate(desk, &work, &head, payload, &card, &chosen, &mut step, new_cards, call_id)?;
    Ok(Vec::new())
}

/// A tool's result that ends the turn.
#[allow(clippy::too_many_arguments)]
fn terminate(
    desk: &mut Desk<'_>,
    work: &Work,
    head: &Head,
    payload: &Object,
    card: &Card,
    chosen: &StepCard,
    step: &mut StepRow,
    mut new_cards: Vec<String>,
    call_id: &str,
) -> Run<()> {
    let scope = work.scope(head);
    let status = chosen.status.clone().unwrap_or_else(|| "failed".into());
    let well = status == "success";
    let ended_by = desk.card(&chosen.card_id)?.unwrap_or_else(|| card.clone());
    let error = match &ended_by.content {
        Content::ToolResult(result) if !well => result
            .error
            .as_ref()
            .and_then(|error| text_of(error, "message"))
            .or_else(|| Some(format!("tool_terminated:{status}"))),
        _ => None,
    };
    let told = text_of(payload, "status").unwrap_or_default();
    let told = match told.as_str() {
        "success" | "failed" | "canceled" | "timeout" | "partial" => told,
        _ => "failed".to_owned(),
    };
    let output = work.output_box_id.clone().unwrap_or_default();
    let ids = desk.box_cards(&output)?.unwrap_or_default();
    let cards = desk.cards(&ids)?;
    let mut delivered = deliverable::deliverable(&cards);
    if delivered.is_none() {
        let thought = match &card.content {
            Content::ToolResult(result) => match &result.result {
                Json::String(text) => text.clone(),
                Json::Null => String::new(),
                other => pretty(other),
            },
            other => other.text_view(),
        };
        let mut metadata = work.card_metadata(Some(&step.step_id));
        metadata.insert("terminated_by_tool".into(), true.into());
        let fallback = Fallback {
            source: "agent_worker.resume_effects.ensure_terminated_deliverable",
            author_id: &work.agent_id,
            headline: "Result (turn terminated by tool).",
            reason: &format!("tool_terminated:{told}"),
            terminal_status: &status,
            partial: !well,
            thought,
            tool_results: 1,
            diagnostics: object! {
                "task_status" => status.as_str(),
                "tool_call_id" => call_id,
                "resume_status" => told.as_str(),
            },
            metadata,
        };
        let made = card_text(&deliverable::fallback(desk, fallback)?.card_id);
        desk.append(&output, std::slice::from_ref(&made))?;
        new_cards.push(made.clone());
        delivered = Some(made);
    }
    finish(desk, head, false, Some(&output), "resume", "a result that ends the turn")?;
    step.status = if well { StepStatus::Completed } else { StepStatus::Failed };
    step.error.clone_from(&error);
    step.ended_at = Some(desk.now());
    desk.put(step, "resume", "a result that ends the turn")?;
    let metadata = match &error {
        Some(error) if !well => object! { "error" => error.as_str() },
        Some(_) | None => Object::default(),
    };
    state_event(desk, &scope, "idle", metadata);
    step_event(desk, &scope, &step.step_id, if well { "completed" } else { "failed" }, &new_cards);
    let end = TaskEnd {
        status,
        deliverable_card_id: delivered,
        tool_result_card_id: Some(chosen.card_id.clone()),
        error,
        ..TaskEnd::default()
    };
    task_event(desk, &scope, &end, None);
    dispatch_next(desk, &work.agent_id, "agent_idle")
}
