//! Watchdogs: what is due.

use super::batch;
use super::desk::{Desk, Run};
use super::message::object;
use super::rows::{Batch, Head, Inbox, Queue, Resumption, Task};
use super::settings::older;
use super::watch::Reap;
use crate::value::json::Object;

/// The rules of the watchdogs, by which [`due`] can be narrowed.
pub(crate) const RULES: [&str; 12] = [
    "requeue",
    "leases",
    "time_out",
    "ring",
    "reap_dispatched",
    "poke",
    "reap_active",
    "promote",
    "reconcile",
    "dispatch",
    "batches",
    "take_up",
];

/// Everything that is due at the time of the call, as calls to make, in the order to make them.
/// Looking is one read; every call decides for itself whether it still is due.
pub(crate) fn due(desk: &mut Desk<'_>, only: Option<&str>) -> Run<Vec<Object>> {
    let limit = usize::try_from(desk.settings.watchdog_limit).unwrap_or(200).min(desk.most_rows());
    let wants = |rule: &str| only.is_none_or(|only| only == rule);
    let ages = ["dispatched", "running", "suspended"];
    for status in ages {
        desk.want_list::<Head>("by_status", &[status], limit);
    }
    desk.want_list::<Head>("by_deadline", &["suspended"], limit);
    desk.want_list::<Inbox>("by_status", &["pending"], limit);
    desk.want_list::<Inbox>("by_status", &["queued"], limit);
    desk.want_list::<Inbox>("by_processed", &["processing"], limit);
    desk.want_list::<Resumption>("by_status", &["pending"], limit);
    desk.want_list::<Resumption>("by_lease", &["processing"], limit);
    desk.want_list::<Task>("by_status", &["pending"], limit);
    desk.want_list::<Task>("by_age", &["dispatched"], limit);
    desk.want_list::<Batch>("by_deadline", &["running"], limit);
    desk.want_list::<Queue>("by_status", &["active"], limit);
    let settings = desk.settings;
    let now = desk.now();
    let mut calls = Vec::new();

    if wants("requeue") {
        for row in desk.list::<Inbox>("by_processed", &["processing"], limit)? {
            let stale = row
                .processed_at
                .is_some_and(|at| older(at, now, settings.processing_timeout_seconds));
            if stale {
                calls.push(object! { "op" => "requeue_inbox", "inbox_id" => row.inbox_id });
            }
        }
    }
    if wants("leases") {
        let rows = desk.list::<Resumption>("by_lease", &["processing"], limit)?;
        let over = |row: &Resumption| row.lease_expires_at.is_some_and(|end| end <= now);
        if rows.iter().any(over) {
            calls.push(object! { "op" => "ledger_requeue_expired" });
        }
    }
    if wants("time_out") {
        for head in desk.list::<Head>("by_deadline", &["suspended"], limit)? {
            if head.resume_deadline.is_some_and(|deadline| deadline < now) {
                calls.push(object! { "op" => "time_out_tools", "agent_id" => head.agent_id });
            }
        }
    }
    let dispatched = desk.list::<Head>("by_status", &["dispatched"], limit)?;
    if wants("ring") {
        for head in &dispatched {
            if older(head.updated_at, now, settings.dispatched_retry_seconds) {
                calls.push(object! { "op" => "ring_again", "agent_id" => head.agent_id.as_str() });
            }
        }
    }
    let reap = |head: &Head, which: &str| {
        object! {
            "op" => "reap_turn", "agent_id" => head.agent_id.as_str(), "which" => which,
            "output_box_id" => head.output_box_id.clone(),
        }
    };
    if wants("reap_dispatched") {
        let due = dispatched.iter().filter(|head| Reap::Dispatched.is_due(desk, head));
        calls.extend(due.map(|head| reap(head, "dispatched")));
    }
    if wants("poke") && settings.pending_wakeup_seconds > 0 {
        for row in desk.list::<Inbox>("by_status", &["pending"], limit)? {
            if older(row.created_at, now, settings.pending_wakeup_seconds) {
                calls.push(object! { "op" => "poke_inbox", "inbox_id" => row.inbox_id });
            }
        }
    }
    if wants("reap_active") {
        let running = desk.list::<Head>("by_status", &["running"], limit)?;
        let due = running.iter().filter(|head| Reap::Active.is_due(desk, head));
        calls.extend(due.map(|head| reap(head, "active")));
        let suspended = desk.list::<Head>("by_status", &["suspended"], limit)?;
        let due = suspended.iter().filter(|head| Reap::Suspended.is_due(desk, head));
        calls.extend(due.map(|head| reap(head, "suspended")));
    }
    if wants("promote") {
        let mut active = std::collections::BTreeSet::new();
        for status in ["dispatched", "running", "suspended"] {
            let heads = desk.list::<Head>("by_status", &[status], limit)?;
            active.extend(heads.into_iter().map(|head| head.agent_id));
        }
        for queue in desk.list::<Queue>("by_status", &["active"], limit)? {
            if !active.contains(&queue.agent_id) {
                calls.push(object! { "op" => "reclaim_agent", "agent_id" => queue.agent_id });
            }
        }
        let mut seen = active;
        for row in desk.list::<Inbox>("by_status", &["queued"], limit)? {
            if seen.insert(row.agent_id.clone()) {
                calls.push(object! {
                    "op" => "wakeup", "target_agent_id" => row.agent_id,
                    "mode" => "dispatch_next", "reason" => "watchdog_promotion",
                });
            }
        }
    }
    if wants("reconcile") {
        for task in desk.list::<Task>("by_age", &["dispatched"], limit)? {
            let wait = match task.current_turn_epoch {
                Some(_) => settings.revert_after_seconds,
                None => settings.reconcile_after_seconds,
            };
            if now.as_millis() - task.updated_at.as_millis() >= wait * 1000 {
                calls.push(
                    object! { "op" => "reconcile_task", "batch_task_id" => task.batch_task_id },
                );
            }
        }
    }
    if wants("dispatch") {
        for task in desk.list::<Task>("by_status", &["pending"], limit)? {
            if batch::waits_to_be_handed_out(&task) && task.next_retry_at <= now {
                calls.push(
                    object! { "op" => "dispatch_task", "batch_task_id" => task.batch_task_id },
                );
            }
        }
    }
    if wants("batches") {
        for batch in desk.list::<Batch>("by_deadline", &["running"], limit)? {
            let late = batch.deadline_at.is_some_and(|deadline| deadline < now);
            if late || batch.open_count == Some(0) {
                calls.push(object! { "op" => "end_batch", "batch_id" => batch.batch_id });
            }
        }
    }
    if wants("take_up") {
        for head in desk.list::<Head>("by_status", &["suspended"], limit)? {
            if head.waiting_tool_count > 0 {
                calls.push(object! { "op" => "take_up_results", "agent_id" => head.agent_id });
            }
        }
    }
    Ok(calls)
}
