//! A worker that cannot go on gives its turn back, and another one goes on with it.

use super::bugs::Bug;
use super::desk::{Desk, Run, present};
use super::follows::ROWS_OF_A_TURN;
use super::l0;
use super::message::{object, state_event, wakeup};
use super::rows::{Head, Inbox, Queue, Resumption, Roster, StepRow, Waiting};
use super::turn::{bump, end_step};
use super::words::{HeadStatus, InboxStatus};
use super::work::Work;
use crate::value::json::{Json, Object};

/// Makes a turn that runs, or was claimed and not started, wait for a worker again: at the next
/// epoch, with its message pending, at the step that was given up. What it has put out stays.
pub(crate) fn give_back(desk: &mut Desk<'_>, work: &Work) -> Run<Object> {
    let (agent, turn) = (work.agent_id.as_str(), work.agent_turn_id.as_str());
    let epoch = work.turn_epoch.to_string();
    let step_id = work.step_id.clone().unwrap_or_default();
    desk.want::<Queue>(&[agent]);
    desk.want::<Roster>(&[agent]);
    desk.want::<StepRow>(&[agent, &step_id]);
    desk.want_list::<Inbox>("of_turn", &[turn], 4);
    desk.want_list::<Waiting>("by_turn", &[agent, turn, &epoch], ROWS_OF_A_TURN);
    desk.want_list::<Resumption>("by_turn", &[agent, turn, &epoch], ROWS_OF_A_TURN);
    let refused = || object! { "given_back" => false };
    let head = desk.get::<Head>(&[agent])?;
    let Some(mut head) = head.filter(|head| work.holds(head)) else { return Ok(refused()) };
    let guard = match head.status {
        HeadStatus::Running => "turn and epoch match, status = running",
        HeadStatus::Dispatched => "turn and epoch match, status = dispatched",
        HeadStatus::Idle | HeadStatus::Suspended => return Ok(refused()),
    };
    let rows = desk.list::<Inbox>("of_turn", &[turn], 4)?;
    let message = rows.into_iter().find(|row| row.message_type == "turn" && row.agent_id == agent);
    let Some(mut message) = message else { return Ok(refused()) };
    for row in desk.list::<Waiting>("by_turn", &[agent, turn, &epoch], ROWS_OF_A_TURN)? {
        desk.delete(&row, "give_back", "a call of a step that was given up")?;
    }
    for row in desk.list::<Resumption>("by_turn", &[agent, turn, &epoch], ROWS_OF_A_TURN)? {
        desk.delete(&row, "give_back", "a result for a step that was given up")?;
    }
    let now = desk.now();
    head.status = HeadStatus::Dispatched;
    head.rung_at = None;
    head.updated_at = now;
    if desk.settings.bug != Bug::GiveBackKeepsEpoch {
        bump(desk, &mut head)?;
    }
    desk.put(&head, "give_back", guard)?;

    let mut payload = message.payload.as_object().cloned().unwrap_or_default();
    payload.insert("turn_epoch".into(), head.turn_epoch.into());
    payload.insert("step_count".into(), work.step_count.into());
    if let Some(output) = present(head.output_box_id.as_deref()) {
        payload.insert("output_box_id".into(), output.into());
    }
    message.payload = Json::Object(payload);
    message.status = InboxStatus::Pending;
    message.processed_at = None;
    message.archived_at = None;
    desk.put(&message, "give_back", "the message of a turn that is given back")?;
    end_step(desk, work, &step_id, false, Some("given_back"))?;

    let given = Work { turn_epoch: head.turn_epoch, ..work.clone() };
    let scope = given.scope(&head);
    state_event(desk, &scope, "dispatched", object! { "activity" => "given_back" });
    let extra = object! { "inbox_id" => message.inbox_id.as_str(), "reason" => "given_back" };
    let headers = l0::trace_headers(message.traceparent.as_deref(), message.tracestate.as_deref());
    wakeup(desk, agent, &scope.channel_id, extra, Some(headers))?;
    Ok(object! { "given_back" => true, "turn_epoch" => head.turn_epoch })
}
