//! Single changes of the state of a turn, for hosts that drive turns themselves.

use super::finish::finish;
use super::reads::{ROWS_OF_A_TURN, want_finish};
use super::suspend::put_waiting;
use super::tools::{CalledTool, tool_calls};
use super::work::TurnWork;
use crate::run::queue::inbox::Updated;
use crate::run::queue::lease::raise_epoch;
use crate::run::rows::status::{HeadStatus, LedgerStatus, WaitStatus};
use crate::run::rows::{Head, Queue, Resumption, Waiting};
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::value::arguments::{Loose, OrNull, arguments};
use crate::value::json::Json;
use serde::Serialize;

arguments! {
    /// What a head must be for a change.
    ///
    /// The example of [`StateUpdate`] shows it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct HeadGuard {
        /// The agent.
        pub agent_id: String,
        /// The turn that the head must have.
        pub expect_agent_turn_id: Option<String>,
        /// The epoch that the head must have.
        pub expect_turn_epoch: Option<i64>,
        /// The status that the head must have.
        pub expect_status: Option<OrNull<HeadStatus>>,
        /// True to raise the epoch, so that a worker of the turn can no longer write.
        pub bump_epoch: bool = false,
    }

    /// Changes the status of an agent's head.
    ///
    /// ```
    /// use tuckbox::run::{HeadStatus, StateUpdate};
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let call = StateUpdate::from_json(&json!({"agent_id": "ann", "new_status": "running"}))?;
    /// assert_eq!(call.new_status, HeadStatus::Running);
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// let answer = rule::preview(&call, &mut snapshot, &env, &MemoryStore::new())?.value;
    /// assert!(!answer.updated, "the agent has no head");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct StateUpdate {
        /// The new status.
        pub new_status: HeadStatus,
        shared guard: HeadGuard,
        shared terms: RunTerms,
    }

    /// Sets an agent's head to idle.
    ///
    /// The example of [`StateUpdate`] shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct FinishIdle {
        /// The box with the output of the turn.
        pub last_output_box_id: Option<String>,
        shared guard: HeadGuard,
        shared terms: RunTerms,
    }

    /// Records the tool calls that a turn waits for.
    ///
    /// The example of [`TurnTools`](crate::run::TurnTools) shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ReplaceWaiting {
        /// The calls. They replace those that the turn waited for.
        pub tool_calls: Loose<Vec<CalledTool>> = Vec::new(),
        /// The content of the message. The operation ignores it.
        pub payload: Option<Json>,
        shared work: TurnWork,
        shared terms: RunTerms,
    }

    /// A result of a tool call.
    ///
    /// The example of [`StateUpdate`] shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct MarkResult {
        /// The tool call.
        pub tool_call_id: String,
        /// The card of the result.
        pub tool_result_card_id: Option<String>,
        /// The content of the message. The operation ignores it.
        pub payload: Option<Json>,
        shared work: TurnWork,
    }

    /// Records that a tool result arrived.
    ///
    /// The example of [`StateUpdate`] shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct MarkReceived {
        shared result: MarkResult,
        shared terms: RunTerms,
    }

    /// Records that a tool result was applied.
    ///
    /// The example of [`StateUpdate`] shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct MarkApplied {
        shared result: MarkResult,
        shared terms: RunTerms,
    }

    /// Claims the results of a turn that are due and returns their tool calls.
    ///
    /// The example of [`StateUpdate`] shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct LedgerClaim {
        /// The name of the claimant.
        pub lease_owner: String,
        /// How long the results are leased. The setting `resume_lease_seconds` by default.
        pub lease_seconds: Option<i64>,
        /// The maximum number of results.
        pub limit: usize = 20,
        /// The content of the message. The operation ignores it.
        pub payload: Option<Json>,
        shared work: TurnWork,
        shared terms: RunTerms,
    }

    /// Releases results whose lease expired.
    ///
    /// The example of [`StateUpdate`] shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct LedgerRequeueExpired {
        /// The name of the claimant. All by default.
        pub lease_owner: Option<String>,
        shared terms: RunTerms,
    }
}

/// The number of calls that a turn waits for.
///
/// The example of [`StateUpdate`] shows a similar call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Waits {
    /// The number of calls.
    pub waiting: usize,
}

/// The tool calls whose results were claimed.
///
/// The example of [`StateUpdate`] shows a similar call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimedResults {
    /// The ids of the calls.
    pub claimed: Vec<String>,
}

/// The number of results that were released.
///
/// The example of [`StateUpdate`] shows a similar call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Requeued {
    /// The number of results.
    pub requeued: usize,
}

perform! {
    StateUpdate -> Updated {
        |call, tx| Ok(Updated { updated: update(tx, &call.guard, call.new_status)? })
    }
    FinishIdle -> Updated {
        |call, tx| {
            let updated = finish_idle(tx, &call.guard, call.last_output_box_id.as_deref())?;
            Ok(Updated { updated })
        }
    }
    ReplaceWaiting -> Waits {
        |call, tx| {
            let calls = tool_calls(tx, &call.tool_calls)?;
            let step_id = call.work.step_id.as_deref().unwrap_or_default();
            let why = ("replace_waiting", "asked for");
            put_waiting(tx, &call.work, step_id, calls.iter(), why)?;
            Ok(Waits { waiting: calls.len() })
        }
    }
    MarkReceived -> Updated {
        |call, tx| Ok(Updated { updated: mark(tx, &call.result, false)? })
    }
    MarkApplied -> Updated {
        |call, tx| Ok(Updated { updated: mark(tx, &call.result, true)? })
    }
    LedgerClaim -> ClaimedResults {
        |call, tx| {
            let limit = call.limit.min(tx.row_limit());
            let seconds = call.lease_seconds.unwrap_or(tx.settings.resume_lease_seconds);
            let claimed = claim_results(tx, &call.work, &call.lease_owner, seconds, limit)?;
            Ok(ClaimedResults { claimed })
        }
    }
    LedgerRequeueExpired -> Requeued {
        |call, tx| {
            let requeued = requeue_expired(tx, call.lease_owner.as_deref())?;
            Ok(Requeued { requeued })
        }
    }
}

impl HeadGuard {
    fn head(&self, tx: &mut Transaction<'_>) -> Run<Option<Head>> {
        let head = tx.get::<Head>(&[&self.agent_id])?;
        Ok(head.filter(|head| {
            self.expect_agent_turn_id
                .as_ref()
                .is_none_or(|turn| Some(turn) == head.active_agent_turn_id.as_ref())
                && self.expect_turn_epoch.is_none_or(|epoch| epoch == head.turn_epoch)
                && self.expect_status.is_none_or(|status| status == head.status)
        }))
    }
}

/// Changes the status of a head.
fn update(tx: &mut Transaction<'_>, guard: &HeadGuard, status: HeadStatus) -> Run<bool> {
    tx.want::<Queue>(&[&guard.agent_id]);
    let Some(mut head) = guard.head(tx)? else { return Ok(false) };
    head.status = status;
    head.updated_at = tx.now();
    if guard.bump_epoch {
        raise_epoch(tx, &mut head)?;
    }
    tx.put(&head, "state_update", "turn, epoch and status as expected")?;
    Ok(true)
}

/// Frees a head.
fn finish_idle(
    tx: &mut Transaction<'_>,
    guard: &HeadGuard,
    last_output: Option<&str>,
) -> Run<bool> {
    if let (Some(turn), Some(epoch)) = (&guard.expect_agent_turn_id, guard.expect_turn_epoch) {
        want_finish(tx, &guard.agent_id, turn, epoch, None);
    }
    let Some(head) = guard.head(tx)? else { return Ok(false) };
    // the call may not name the turn
    let turn = head.active_agent_turn_id.clone().unwrap_or_default();
    want_finish(tx, &guard.agent_id, &turn, head.turn_epoch, None);
    let reason = "turn, epoch and status as expected";
    finish(tx, &head, guard.bump_epoch, last_output, "finish_idle", reason)?;
    Ok(true)
}

/// Notes that the result of a call arrived, or was applied.
fn mark(tx: &mut Transaction<'_>, result: &MarkResult, applied: bool) -> Run<bool> {
    let work = &result.work;
    let epoch = work.turn_epoch.to_string();
    let key = [&work.agent_id, &work.agent_turn_id, &epoch, &result.tool_call_id];
    let key = key.map(String::as_str);
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
    row.tool_result_card_id = result.tool_result_card_id.clone().or(row.tool_result_card_id);
    row.updated_at = now;
    tx.put(&row, "mark", "not settled")?;
    Ok(true)
}

/// Leases the results of a turn that are due, for this many seconds.
fn claim_results(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
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
fn requeue_expired(tx: &mut Transaction<'_>, owner: Option<&str>) -> Run<usize> {
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
