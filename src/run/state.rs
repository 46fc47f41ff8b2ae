//! Small steps of the state of a turn, for hosts that drive turns themselves.

use super::desk::{Desk, Run};
use super::follows::ROWS_OF_A_TURN;
use super::message::object;
use super::rows::{Head, Resumption, Waiting};
use super::tools::Called;
use super::turn::{bump, finish, want_finish};
use super::words::{HeadStatus, LedgerStatus, WaitStatus};
use super::work::Work;
use crate::value::json::Json;
use crate::value::str_map::StrMap;

/// What a head must be, so that it is changed.
pub(crate) struct Expect {
    pub agent_id: String,
    pub agent_turn_id: Option<String>,
    pub turn_epoch: Option<i64>,
    pub status: Option<HeadStatus>,
}

impl Expect {
    fn head(&self, desk: &mut Desk<'_>) -> Run<Option<Head>> {
        let head = desk.get::<Head>(&[&self.agent_id])?;
        Ok(head.filter(|head| {
            self.agent_turn_id
                .as_ref()
                .is_none_or(|turn| Some(turn) == head.active_agent_turn_id.as_ref())
                && self.turn_epoch.is_none_or(|epoch| epoch == head.turn_epoch)
                && self.status.is_none_or(|status| status == head.status)
        }))
    }
}

/// Changes the status of a head.
pub(crate) fn update(
    desk: &mut Desk<'_>,
    expect: &Expect,
    status: HeadStatus,
    raise: bool,
) -> Run<bool> {
    desk.want::<super::rows::Queue>(&[&expect.agent_id]);
    let Some(mut head) = expect.head(desk)? else { return Ok(false) };
    head.status = status;
    head.updated_at = desk.now();
    if raise {
        bump(desk, &mut head)?;
    }
    desk.put(&head, "state_update", "turn, epoch and status as expected")?;
    Ok(true)
}

/// Frees a head.
pub(crate) fn finish_idle(
    desk: &mut Desk<'_>,
    expect: &Expect,
    raise: bool,
    last_output: Option<&str>,
) -> Run<bool> {
    if let (Some(turn), Some(epoch)) = (&expect.agent_turn_id, expect.turn_epoch) {
        want_finish(desk, &expect.agent_id, turn, epoch, None);
    }
    let Some(head) = expect.head(desk)? else { return Ok(false) };
    // of a turn that the call did not name
    let turn = head.active_agent_turn_id.clone().unwrap_or_default();
    want_finish(desk, &expect.agent_id, &turn, head.turn_epoch, None);
    finish(desk, &head, raise, last_output, "finish_idle", "turn, epoch and status as expected")?;
    Ok(true)
}

/// Writes down which calls a turn waits for, in place of those that it waited for.
pub(crate) fn replace_waiting(desk: &mut Desk<'_>, work: &Work, calls: &[Called]) -> Run<Json> {
    let epoch = work.turn_epoch.to_string();
    let of = [work.agent_id.as_str(), work.agent_turn_id.as_str(), &epoch];
    let named: StrMap<()> = calls.iter().map(|call| (call.id.as_str(), ())).collect();
    for row in desk.list::<Waiting>("by_turn", &of, ROWS_OF_A_TURN)? {
        if !named.contains_key(row.tool_call_id.as_str()) {
            desk.delete(&row, "replace_waiting", "replaced")?;
        }
    }
    let now = desk.now();
    for call in calls {
        let row = Waiting {
            agent_id: work.agent_id.clone(),
            agent_turn_id: work.agent_turn_id.clone(),
            turn_epoch: work.turn_epoch,
            step_id: work.step_id.clone().unwrap_or_default(),
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            created_at: now,
            updated_at: now,
            seq: desk.rank(),
            ..Waiting::default()
        };
        desk.put(&row, "replace_waiting", "asked for")?;
    }
    Ok(Json::Object(object! { "waiting" => calls.len() }))
}

/// Notes that a result came in for a call, or was applied.
pub(crate) fn mark(
    desk: &mut Desk<'_>,
    work: &Work,
    call: &str,
    card: Option<&str>,
    applied: bool,
) -> Run<bool> {
    let epoch = work.turn_epoch.to_string();
    let key = [work.agent_id.as_str(), work.agent_turn_id.as_str(), &epoch, call];
    let Some(mut row) = desk.get::<Waiting>(&key)? else { return Ok(false) };
    let now = desk.now();
    let ready = match row.wait_status {
        WaitStatus::Waiting => true,
        WaitStatus::Received => applied,
        WaitStatus::Applied | WaitStatus::Expired | WaitStatus::Dropped => false,
    };
    if !ready {
        return Ok(false);
    }
    if applied {
        row.wait_status = WaitStatus::Applied;
        row.applied_at = Some(now);
    } else {
        row.wait_status = WaitStatus::Received;
        row.received_at = Some(now);
    }
    row.tool_result_card_id = card.map(str::to_owned).or(row.tool_result_card_id);
    row.updated_at = now;
    desk.put(&row, "mark", "not settled")?;
    Ok(true)
}

/// Takes results of a turn that are due, for so many seconds.
pub(crate) fn claim_results(
    desk: &mut Desk<'_>,
    work: &Work,
    owner: &str,
    seconds: i64,
    limit: usize,
) -> Run<Vec<String>> {
    let epoch = work.turn_epoch.to_string();
    let of = [work.agent_id.as_str(), work.agent_turn_id.as_str(), &epoch];
    let now = desk.now();
    let mut due: Vec<Resumption> = desk
        .list::<Resumption>("by_turn", &of, ROWS_OF_A_TURN)?
        .into_iter()
        .filter(|row| row.status == LedgerStatus::Pending && row.next_retry_at <= now)
        .collect();
    due.sort_by_key(|row| (row.next_retry_at, row.created_at));
    due.truncate(limit);
    let mut claimed = Vec::new();
    for mut row in due {
        row.status = LedgerStatus::Processing;
        row.lease_owner = Some(owner.to_owned());
        row.lease_expires_at = Some(now.plus_seconds(seconds));
        row.updated_at = now;
        desk.put(&row, "claim_results", "due")?;
        claimed.push(row.tool_call_id);
    }
    Ok(claimed)
}

/// Gives results back whose lease is over, those of one owner or of all.
pub(crate) fn requeue_expired(desk: &mut Desk<'_>, owner: Option<&str>) -> Run<usize> {
    let limit = usize::try_from(desk.settings.watchdog_limit).unwrap_or(200).min(desk.most_rows());
    let now = desk.now();
    let mut count = 0;
    for mut row in desk.list::<Resumption>("by_lease", &["processing"], limit)? {
        let mine = owner.is_none_or(|owner| row.lease_owner.as_deref() == Some(owner));
        if mine && row.lease_expires_at.is_some_and(|end| end <= now) {
            row.status = LedgerStatus::Pending;
            row.lease_owner = None;
            row.lease_expires_at = None;
            row.updated_at = now;
            desk.put(&row, "requeue_expired", "lease over")?;
            count += 1;
        }
    }
    Ok(count)
}
