//! Single changes of the state of a turn, for hosts that drive turns themselves.

use super::finish::finish;
use super::reads::{ROWS_OF_A_TURN, want_finish};
use super::suspend::put_waiting;
use super::tools::ToolCall;
use super::work::Work;
use crate::run::queue::lease::raise_epoch;
use crate::run::rows::status::{HeadStatus, LedgerStatus, WaitStatus};
use crate::run::rows::{Head, Queue, Resumption, Waiting};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::object;
use crate::value::json::Json;

/// What a head must be for a change.
pub(crate) struct HeadGuard {
    pub agent_id: String,
    pub agent_turn_id: Option<String>,
    pub turn_epoch: Option<i64>,
    pub status: Option<HeadStatus>,
}

impl HeadGuard {
    fn head(&self, tx: &mut Transaction<'_>) -> Run<Option<Head>> {
        let head = tx.get::<Head>(&[&self.agent_id])?;
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
    tx: &mut Transaction<'_>,
    guard: &HeadGuard,
    status: HeadStatus,
    raise: bool,
) -> Run<bool> {
    tx.want::<Queue>(&[&guard.agent_id]);
    let Some(mut head) = guard.head(tx)? else { return Ok(false) };
    head.status = status;
    head.updated_at = tx.now();
    if raise {
        raise_epoch(tx, &mut head)?;
    }
    tx.put(&head, "state_update", "turn, epoch and status as expected")?;
    Ok(true)
}

/// Frees a head.
pub(crate) fn finish_idle(
    tx: &mut Transaction<'_>,
    guard: &HeadGuard,
    raise: bool,
    last_output: Option<&str>,
) -> Run<bool> {
    if let (Some(turn), Some(epoch)) = (&guard.agent_turn_id, guard.turn_epoch) {
        want_finish(tx, &guard.agent_id, turn, epoch, None);
    }
    let Some(head) = guard.head(tx)? else { return Ok(false) };
    // the call may not name the turn
    let turn = head.active_agent_turn_id.clone().unwrap_or_default();
    want_finish(tx, &guard.agent_id, &turn, head.turn_epoch, None);
    finish(tx, &head, raise, last_output, "finish_idle", "turn, epoch and status as expected")?;
    Ok(true)
}

/// Writes the calls that a turn waits for, in place of those that it waited for before.
pub(crate) fn replace_waiting(
    tx: &mut Transaction<'_>,
    work: &Work,
    calls: &[ToolCall],
) -> Run<Json> {
    let step_id = work.step_id.as_deref().unwrap_or_default();
    put_waiting(tx, work, step_id, calls.iter(), ("replace_waiting", "asked for"))?;
    Ok(Json::Object(object! { "waiting" => calls.len() }))
}

/// Notes that the result of a call arrived, or was applied.
pub(crate) fn mark(
    tx: &mut Transaction<'_>,
    work: &Work,
    call: &str,
    card: Option<&str>,
    applied: bool,
) -> Run<bool> {
    let epoch = work.turn_epoch.to_string();
    let key = [work.agent_id.as_str(), work.agent_turn_id.as_str(), &epoch, call];
    let Some(mut row) = tx.get::<Waiting>(&key)? else { return Ok(false) };
    let now = tx.now();
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
    tx.put(&row, "mark", "not settled")?;
    Ok(true)
}

/// Leases the results of a turn that are due, for this many seconds.
pub(crate) fn claim_results(
    tx: &mut Transaction<'_>,
    work: &Work,
    owner: &str,
    seconds: i64,
    limit: usize,
) -> Run<Vec<String>> {
    let epoch = work.turn_epoch.to_string();
    let of = [work.agent_id.as_str(), work.agent_turn_id.as_str(), &epoch];
    let now = tx.now();
    let mut due: Vec<Resumption> = tx
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
        tx.put(&row, "claim_results", "due")?;
        claimed.push(row.tool_call_id);
    }
    Ok(claimed)
}

/// Releases results whose lease expired, of one owner or of all.
pub(crate) fn requeue_expired(tx: &mut Transaction<'_>, owner: Option<&str>) -> Run<usize> {
    let limit = usize::try_from(tx.settings.watchdog_limit).unwrap_or(200).min(tx.row_limit());
    let now = tx.now();
    let mut count = 0;
    for mut row in tx.list::<Resumption>("by_lease", &["processing"], limit)? {
        let owned = owner.is_none_or(|owner| row.lease_owner.as_deref() == Some(owner));
        if owned && row.lease_expires_at.is_some_and(|end| end <= now) {
            row.status = LedgerStatus::Pending;
            row.lease_owner = None;
            row.lease_expires_at = None;
            row.updated_at = now;
            tx.put(&row, "requeue_expired", "lease over")?;
            count += 1;
        }
    }
    Ok(count)
}
