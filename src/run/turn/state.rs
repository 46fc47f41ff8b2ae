//! Single changes of the state of a turn, for hosts that drive turns themselves.

use super::finish::finish;
use super::reads::{ROWS_OF_A_TURN, want_finish};
use super::suspend::{WaitedCall, put_waiting};
use super::work::TurnWork;
use crate::run::queue::inbox::Updated;
use crate::run::queue::lease::raise_epoch;
use crate::run::rows::status::{HeadStatus, LedgerStatus, WaitStatus};
use crate::run::rows::{Head, Queue, Resumption, Waiting};
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::present;
use crate::value::arguments::{Loose, Nullable, OrNull, arguments};
use crate::value::json::Json;
use crate::value::limits::within;
use crate::value::str_map::StrMap;
use crate::{Error, Path, Timestamp};
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
    /// assert_eq!(call.new_status, Some(HeadStatus::Running));
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// let answer = rule::preview(&call, &mut snapshot, &env, &MemoryStore::new())?.value;
    /// assert!(!answer.updated, "the agent has no head");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct StateUpdate {
        /// The new status. The present one by default.
        pub new_status: Option<HeadStatus>,
        shared columns: HeadColumns,
        shared guard: HeadGuard,
        shared terms: RunTerms,
    }

    /// The columns of a head to write. A missing one stays; `null` clears a column, except a box.
    ///
    /// The example of [`StateUpdate`] shows a similar call.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct HeadColumns {
        /// The turn.
        pub active_agent_turn_id: Nullable<String>,
        /// The channel of the turn.
        pub active_channel_id: Nullable<String>,
        /// The depth of the turn below the first one.
        pub active_recursion_depth: Nullable<i64>,
        /// The step that the turn belongs to.
        pub parent_step_id: Nullable<String>,
        /// The trace of the turn.
        pub trace_id: Nullable<String>,
        /// The correlation that the turn expects.
        pub expecting_correlation_id: Nullable<String>,
        /// The number of calls that the turn waits for.
        pub waiting_tool_count: Nullable<i64>,
        /// When the turn stops waiting.
        pub resume_deadline: Nullable<String>,
        /// The box of the profile.
        pub profile_box_id: Option<OrNull<String>>,
        /// The box of the context.
        pub context_box_id: Option<OrNull<String>>,
        /// The box for the output.
        pub output_box_id: Option<OrNull<String>>,
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

    /// A tool call to wait for.
    ///
    /// The example of [`StateUpdate`] shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct WaitItem {
        /// The id of the call. A call without an id is skipped.
        pub tool_call_id: Option<OrNull<String>>,
        /// The name of the tool. `unknown` by default.
        pub tool_name: Option<OrNull<String>>,
        /// The step that made the call. That of the work by default.
        pub step_id: Option<OrNull<String>>,
    }

    /// Records the tool calls that a turn waits for.
    ///
    /// ```
    /// use tuckbox::run::{ReplaceWaiting, Waits};
    /// # use tuckbox::store::{MemoryStore, Snapshot, table};
    /// # use tuckbox::{Env, Timestamp, json, rule};
    /// # let mut store = MemoryStore::new();
    /// # let head = json!({"agent_id": "ann", "status": "running", "active_agent_turn_id": "t1", "turn_epoch": 1});
    /// # store.project("p1").add_row(&table::HEADS, head.as_object().unwrap().clone());
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = ReplaceWaiting::from_json(&json!({"agent_id": "ann", "agent_turn_id": "t1", "turn_epoch": 1,
    ///     "wait_items": [{"tool_call_id": "c1"}, {"tool_name": "a call without an id is skipped"}]}))?;
    /// let done = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
    /// assert_eq!(done.value, Waits { waiting: 1 });
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ReplaceWaiting {
        /// The calls. They replace those that the turn waited for.
        pub wait_items: Loose<Vec<WaitItem>> = Vec::new(),
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
        /// The name of the tool. The present one by default.
        pub tool_name: Option<OrNull<String>>,
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
    /// ```
    /// use tuckbox::run::{ClaimedResults, LedgerClaim, LedgerRequeueExpired, Requeued};
    /// # use tuckbox::store::{MemoryStore, Snapshot, Store, table};
    /// # use tuckbox::{Env, Timestamp, json, rule};
    /// # let mut store = MemoryStore::new();
    /// # let row = json!({"agent_id": "ann", "agent_turn_id": "t1", "turn_epoch": 1, "tool_call_id": "c1",
    /// #     "tool_result_card_id": "r1", "status": "pending", "payload": {}});
    /// # store.project("p1").add_row(&table::RESUME_LEDGER, row.as_object().unwrap().clone());
    /// // the result of the call `c1` is due
    /// let call = LedgerClaim::from_json(&json!({"agent_id": "ann", "agent_turn_id": "t1", "turn_epoch": 1,
    ///     "lease_owner": "worker_1", "lease_seconds": 30}))?;
    /// let now = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
    /// let done = rule::preview(&call, &mut Snapshot::new("p1".into()), &Env::new(now, [7; 32]), &store)?;
    /// assert_eq!(done.value, ClaimedResults { claimed: vec!["c1".into()] });
    /// store.commit(&done.writes)?;
    ///
    /// // the worker does not finish within its lease
    /// let call = LedgerRequeueExpired::from_json(&json!({}))?;
    /// let env = Env::new(now.plus_seconds(31), [8; 32]);
    /// let done = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
    /// assert_eq!(done.value, Requeued { requeued: 1 });
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
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
    /// The example of [`LedgerClaim`] shows it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct LedgerRequeueExpired {
        /// The name of the claimant. All by default.
        pub lease_owner: Option<String>,
        shared terms: RunTerms,
    }
}

/// The number of calls that a turn waits for.
///
/// The example of [`ReplaceWaiting`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Waits {
    /// The number of calls.
    pub waiting: usize,
}

/// The tool calls whose results were claimed.
///
/// The example of [`LedgerClaim`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimedResults {
    /// The ids of the calls.
    pub claimed: Vec<String>,
}

/// The number of results that were released.
///
/// The example of [`LedgerClaim`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Requeued {
    /// The number of results.
    pub requeued: usize,
}

perform! {
    StateUpdate -> Updated {
        |call, tx| Ok(Updated { updated: call.run(tx)? })
    }
    FinishIdle -> Updated {
        |call, tx| {
            let updated = finish_idle(tx, &call.guard, call.last_output_box_id.as_deref())?;
            Ok(Updated { updated })
        }
    }
    ReplaceWaiting -> Waits {
        |call, tx| {
            let path = Path::root().key("wait_items");
            let (items, max) = (&call.wait_items, tx.row_limit());
            within(items.len(), max, "max_tasks", "the turn waits for {} calls", &path)?;
            let calls = waits(&call.work, items);
            let why = ("replace_waiting", "asked for");
            put_waiting(tx, &call.work, &calls, why)?;
            Ok(Waits { waiting: calls.len() })
        }
    }
    MarkReceived -> Updated {
        |call, tx| {
            let name = call.tool_name.as_deref();
            Ok(Updated { updated: mark_received(tx, &call.result, name)? })
        }
    }
    MarkApplied -> Updated {
        |call, tx| Ok(Updated { updated: mark_applied(tx, &call.result)? })
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

impl StateUpdate {
    /// Writes the given columns of a head.
    fn run(&self, tx: &mut Transaction<'_>) -> Run<bool> {
        tx.want::<Queue>(&[&self.guard.agent_id]);
        let Some(mut head) = self.guard.head(tx)? else { return Ok(false) };
        head.status = self.new_status.unwrap_or(head.status);
        self.columns.write(&mut head)?;
        head.updated_at = tx.now();
        if self.guard.bump_epoch {
            raise_epoch(tx, &mut head)?;
        }
        tx.put(&head, "state_update", "turn, epoch and status as expected")?;
        Ok(true)
    }
}

impl HeadColumns {
    fn write(&self, head: &mut Head) -> Run<()> {
        for (to, given) in [
            (&mut head.active_agent_turn_id, &self.active_agent_turn_id),
            (&mut head.active_channel_id, &self.active_channel_id),
            (&mut head.parent_step_id, &self.parent_step_id),
            (&mut head.trace_id, &self.trace_id),
            (&mut head.expecting_correlation_id, &self.expecting_correlation_id),
        ] {
            if !given.is_missing() {
                *to = given.value().cloned();
            }
        }
        for (to, given) in [
            (&mut head.active_recursion_depth, &self.active_recursion_depth),
            (&mut head.waiting_tool_count, &self.waiting_tool_count),
        ] {
            if !given.is_missing() {
                *to = given.value().copied().unwrap_or_default();
            }
        }
        for (to, given) in [
            (&mut head.profile_box_id, &self.profile_box_id),
            (&mut head.context_box_id, &self.context_box_id),
            (&mut head.output_box_id, &self.output_box_id),
        ] {
            if given.is_some() {
                to.clone_from(given);
            }
        }
        match &self.resume_deadline {
            Nullable::Missing => {}
            Nullable::Null => head.resume_deadline = None,
            Nullable::Value(text) => {
                let wrong = || {
                    let text = format!("`resume_deadline` must be a timestamp, found `{text}`");
                    Error::bad_request(text).at(Path::root().key("resume_deadline"))
                };
                head.resume_deadline = Some(Timestamp::parse(text).ok_or_else(wrong)?);
            }
        }
        Ok(())
    }
}

/// Returns the calls to wait for. Ids are trimmed; calls without an id are skipped, and the last of equal
/// ids counts.
fn waits(work: &TurnWork, items: &[WaitItem]) -> Vec<WaitedCall> {
    let mut calls: Vec<WaitedCall> = Vec::new();
    let mut places: StrMap<usize> = StrMap::new();
    for item in items {
        let trimmed =
            |text: &Option<String>| present(text.as_deref().map(str::trim)).map(str::to_owned);
        let Some(id) = trimmed(&item.tool_call_id) else { continue };
        let step_id = trimmed(&item.step_id).or_else(|| work.step_id.clone()).unwrap_or_default();
        let name = trimmed(&item.tool_name).unwrap_or_else(|| "unknown".into());
        let call = WaitedCall { id, name, step_id };
        match places.get(call.id.as_str()).and_then(|at| calls.get_mut(*at)) {
            Some(known) => *known = call,
            None => {
                places.insert_new(call.id.as_str(), calls.len());
                calls.push(call);
            }
        }
    }
    calls
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

impl MarkResult {
    fn waiting(&self, tx: &mut Transaction<'_>) -> Run<Option<Waiting>> {
        let work = &self.work;
        let epoch = work.turn_epoch.to_string();
        let key = [&work.agent_id, &work.agent_turn_id, &epoch, &self.tool_call_id];
        tx.get::<Waiting>(&key.map(String::as_str))
    }
}

/// Notes that the result of a call arrived. The first arrival stays.
fn mark_received(tx: &mut Transaction<'_>, result: &MarkResult, name: Option<&str>) -> Run<bool> {
    let Some(mut row) = result.waiting(tx)? else { return Ok(false) };
    if !matches!(row.wait_status, WaitStatus::Waiting | WaitStatus::Received) {
        return Ok(false);
    }
    let now = tx.now();
    row.wait_status = WaitStatus::Received;
    row.received_at = row.received_at.or(Some(now));
    row.tool_result_card_id = result.tool_result_card_id.clone().or(row.tool_result_card_id);
    row.step_id = result.work.step_id.clone().unwrap_or(row.step_id);
    row.tool_name = name.map_or(row.tool_name, str::to_owned);
    row.updated_at = now;
    tx.put(&row, "mark", "waiting or received")?;
    Ok(true)
}

/// Notes that the result of a call was applied.
fn mark_applied(tx: &mut Transaction<'_>, result: &MarkResult) -> Run<bool> {
    let Some(mut row) = result.waiting(tx)? else { return Ok(false) };
    if matches!(row.wait_status, WaitStatus::Expired | WaitStatus::Dropped) {
        return Ok(false);
    }
    let now = tx.now();
    row.wait_status = WaitStatus::Applied;
    row.applied_at = Some(now);
    row.tool_result_card_id = result.tool_result_card_id.clone().or(row.tool_result_card_id);
    row.updated_at = now;
    tx.put(&row, "mark", "waiting, received or applied")?;
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
        if owned && row.lease_expires_at.is_some_and(|end| end < now) {
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
