//! What a model's answer asks for: tools that ran, tools that answer later, the next step, the end.

use super::deliverable::{self, failed_result};
use super::desk::{Desk, Run, card_text, present};
use super::follows::ROWS_OF_A_TURN;
use super::message::{Scope, object, stamp, state_event, step_event};
use super::rows::{Head, Resumption, StepCard, StepRow, Waiting};
use super::turn::{End, Thought, end_step, ended, think};
use super::words::{HeadStatus, LedgerStatus, StepStatus, WaitStatus};
use super::work::{Work, card_payload, resume_item, resume_payload};
use crate::value::card::AfterExecution;
use crate::value::json::Object;
use crate::value::str_map::StrMap;
use crate::{Error, Path};

/// A call that the model asked for, and what became of it.
pub(crate) struct Called {
    pub id: String,
    pub name: String,
    pub outcome: Outcome,
}

/// What became of a call.
pub(crate) enum Outcome {
    /// Its result comes later.
    Suspend,
    /// It answered with these cards, which are in the store.
    Cards(Vec<String>),
    /// It answered nothing.
    Nothing,
    /// It threw.
    Error(String),
    /// It delivered this card.
    Deliver(Option<String>),
}

/// What the model's answer asks for: run, wait, go on or end.
pub(crate) fn tools(
    desk: &mut Desk<'_>,
    work: &Work,
    calls: &[Called],
    thought: Option<&Thought>,
    longest_wait: i64,
) -> Run<Vec<Object>> {
    work.want_end(desk);
    let step_id = work.step_id.clone().unwrap_or_default();
    desk.want::<StepRow>(&[&work.agent_id, &step_id]);
    for call in calls {
        desk.want_list::<StepCard>("by_call", &[&call.id], 16);
    }
    if desk.get::<Head>(&[&work.agent_id])?.is_none() {
        let text = format!("agent `{}` has no turn and never had one", work.agent_id);
        return Err(Error::not_found(text).at(Path::root().key("agent_id")).into());
    }
    let Some(mut head) = work.head(desk)? else { return Ok(Vec::new()) };
    if head.status == HeadStatus::Idle {
        return Ok(Vec::new());
    }
    let scope = work.scope(&head);
    let mut new_cards = Vec::new();
    if let Some(thought) = thought {
        new_cards.extend(think(desk, work, &step_id, thought)?);
    }
    let deliver = calls.iter().any(|call| matches!(call.outcome, Outcome::Deliver(_)));
    let first = calls.first().map(|call| call.name.clone()).unwrap_or_default();
    if !(deliver && calls.len() == 1) {
        let metadata = object! { "activity" => "executing_tool", "current_tool" => first };
        state_event(desk, &scope, "running", metadata);
    }
    head.status = HeadStatus::Running;
    head.updated_at = desk.now();
    desk.put(&head, "tools", "turn and epoch match")?;

    let mut waiting: Vec<&Called> = Vec::new();
    let mut named = StrMap::new();
    let mut answered = Vec::new();
    for call in calls {
        let failed = |message: &str, status: Option<i64>| {
            let mut error = object! {
                "code" => "internal_error", "source" => "worker", "message" => message,
            };
            if let Some(status) = status {
                error.insert("http_status".into(), status.into());
            }
            error
        };
        let error = match &call.outcome {
            Outcome::Suspend => {
                if named.insert_new(call.id.as_str(), ()) {
                    waiting.push(call);
                }
                continue;
            }
            Outcome::Cards(cards) => {
                answered.extend(cards.iter().cloned());
                continue;
            }
            Outcome::Deliver(card) => {
                answered.extend(card.iter().cloned());
                continue;
            }
            Outcome::Nothing => {
                failed("tool returned no result cards and did not suspend or complete", None)
            }
            Outcome::Error(message) => failed(message, Some(500)),
        };
        let failed = deliverable::FailedResult {
            author_id: &work.agent_id,
            tool_call_id: &call.id,
            function_name: &call.name,
            status: "failed",
            after: AfterExecution::Suspend,
            error,
            metadata: work.card_metadata(Some(&step_id)),
        };
        answered.push(card_text(&failed_result(desk, failed)?.card_id));
    }
    if let Some(output) = present(work.output_box_id.as_deref())
        && !answered.is_empty()
        && desk.has_box(output)?
    {
        desk.append(output, &answered)?;
    }
    new_cards.extend(answered);

    if deliver {
        let end = End {
            rule: "complete",
            source: "agent_worker.react_step.ensure_terminal_deliverable",
            status: "success",
            error: None,
            code: None,
            raise: false,
            new_cards,
            stop: None,
        };
        ended(desk, work, &head, &step_id, end)?;
        return Ok(Vec::new());
    }
    if !waiting.is_empty() {
        return suspend(desk, work, head, &scope, &step_id, &waiting, &new_cards, longest_wait);
    }
    if work.step_count + 1 < desk.settings.max_steps {
        end_step(desk, work, &step_id, true, None)?;
        state_event(desk, &scope, "running", object! { "activity" => "thinking" });
        step_event(desk, &scope, &step_id, "completed", &new_cards);
        let output = work.output_box_id.as_deref();
        return Ok(vec![work.next(work.turn_epoch, work.step_count + 1, output)]);
    }
    let end = End {
        rule: "fail",
        source: "agent_worker.react_step.ensure_terminal_deliverable",
        status: "failed",
        error: Some("max_steps_reached".into()),
        code: None,
        raise: false,
        new_cards,
        stop: None,
    };
    ended(desk, work, &head, &step_id, end)?;
    Ok(Vec::new())
}

#[allow(clippy::too_many_arguments)]
fn suspend(
    desk: &mut Desk<'_>,
    work: &Work,
    mut head: Head,
    scope: &Scope,
    step_id: &str,
    calls: &[&Called],
    new_cards: &[String],
    longest_wait: i64,
) -> Run<Vec<Object>> {
    let now = desk.now();
    let wait = desk.settings.suspend_timeout_seconds.max(longest_wait);
    let deadline = now.plus_seconds(wait);
    let epoch = work.turn_epoch.to_string();
    let of = [work.agent_id.as_str(), work.agent_turn_id.as_str(), &epoch];
    let named: StrMap<()> = calls.iter().map(|call| (call.id.as_str(), ())).collect();
    for row in desk.list::<Waiting>("by_turn", &of, ROWS_OF_A_TURN)? {
        if !named.contains_key(row.tool_call_id.as_str()) {
            desk.delete(&row, "suspend", "replaced")?;
        }
    }
    for call in calls {
        let row = Waiting {
            agent_id: work.agent_id.clone(),
            agent_turn_id: work.agent_turn_id.clone(),
            turn_epoch: work.turn_epoch,
            step_id: step_id.to_owned(),
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            wait_status: WaitStatus::Waiting,
            created_at: now,
            updated_at: now,
            seq: desk.rank(),
            ..Waiting::default()
        };
        desk.put(&row, "suspend", "status = running")?;
    }
    head.status = HeadStatus::Suspended;
    head.waiting_tool_count = i64::try_from(calls.len()).unwrap_or(i64::MAX);
    head.resume_deadline = Some(deadline);
    desk.put(&head, "suspend", "status = running")?;
    if let Some(mut step) = desk.peek::<StepRow>(&[&work.agent_id, step_id])? {
        step.status = StepStatus::Suspended;
        desk.put(&step, "suspend", "the step that waits")?;
    }
    let ids: Vec<String> = calls.iter().map(|call| call.id.clone()).collect();
    let metadata = object! {
        "activity" => "awaiting_tool_result",
        "waiting_tool_count" => ids.len(),
        "waiting_tool_call_ids" => ids.clone(),
        "resume_deadline" => stamp(deadline),
    };
    state_event(desk, scope, "suspended", metadata);
    step_event(desk, scope, step_id, "completed", new_cards);
    early_results(desk, work, step_id, &ids)
}

/// Results that came before the turn waited for them.
fn early_results(
    desk: &mut Desk<'_>,
    work: &Work,
    step_id: &str,
    ids: &[String],
) -> Run<Vec<Object>> {
    let now = desk.now();
    let epoch = work.turn_epoch.to_string();
    let of = [work.agent_id.as_str(), work.agent_turn_id.as_str(), &epoch];
    let mut items = Vec::new();
    let named: StrMap<()> = ids.iter().map(|id| (id.as_str(), ())).collect();
    for mut row in desk.list::<Resumption>("by_turn", &of, ROWS_OF_A_TURN)? {
        if row.status != LedgerStatus::Pending || !named.contains_key(row.tool_call_id.as_str()) {
            continue;
        }
        row.status = LedgerStatus::Processing;
        row.lease_owner = Some(format!(
            "react-suspend:{}:{}:{}:{}:{step_id}",
            desk.project(),
            work.agent_id,
            work.agent_turn_id,
            work.turn_epoch
        ));
        row.lease_expires_at = Some(now.plus_seconds(desk.settings.suspend_timeout_seconds));
        row.updated_at = now;
        desk.put(&row, "suspend", "a result that came early")?;
        items.push(resume_item(work, resume_payload(&row.payload)));
    }
    if items.is_empty() {
        for id in ids {
            let cards = desk.list::<StepCard>("by_call", &[id], 16)?;
            let Some(card) = cards.iter().find(|card| card.card_type == "tool.result") else {
                continue;
            };
            items.push(resume_item(work, card_payload(card, id)));
        }
    }
    Ok(items)
}
