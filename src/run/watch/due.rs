//! What is due, as calls to make.

use super::reclaim::processing_limit;
use super::recover::lost_at;
use super::timeouts::Reap;
use crate::Result;
use crate::run::batch::dispatch::can_dispatch;
use crate::run::rows::{Batch, Head, Inbox, Queue, Resumption, Task, UnreadableRow};
use crate::run::settings::older;
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::object;
use crate::value::arguments::{Argument, arguments, read_word};
use crate::value::json::{Field, Object};
use serde::Serialize;
use std::collections::BTreeSet;

type Rule = fn(&mut Transaction<'_>, usize) -> Run<Vec<Object>>;

/// The rules of the watchdogs, in the order of their calls.
const RULES: [(&str, Rule); 13] = [
    // a lost turn returns with its message, before the message alone would
    ("recover", recover),
    ("requeue", requeue),
    ("leases", leases),
    ("time_out", time_out),
    ("ring", ring),
    ("reap_dispatched", reap_dispatched),
    ("poke", poke),
    ("reap_active", reap_active),
    ("promote", promote),
    ("reconcile", reconcile),
    ("dispatch", dispatch),
    ("batches", batches),
    ("take_up", take_up),
];

/// The name of a rule of the watchdogs.
///
/// The example of [`ListDue`] shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueRule(&'static str);

impl Argument for DueRule {
    fn read(field: &Field<'_>) -> Result<Self> {
        read_word(field, &RULES.map(|(name, _)| (name, Self(name))))
    }
}

/// A call that is due: `op` and its arguments.
type DueCall = Object;

shape! {
    /// The name of a rule of the watchdogs.
    pub type DueRule = Word<
        "recover",
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
    >;

    /// A call that is due: `op` and its arguments.
    #[serde(untagged)]
    pub enum DueCall {
        Message { op: Word<"requeue_inbox", "poke_inbox">, inbox_id: String },
        Leases { op: Word<"ledger_requeue_expired"> },
        Agent {
            op: Word<
                "time_out_tools",
                "ring_again",
                "recover_turn",
                "reclaim_agent",
                "take_up_results",
            >,
            agent_id: String,
        },
        Reap {
            op: Word<"reap_turn">,
            agent_id: String,
            which: crate::run::watch::timeouts::Reap,
            output_box_id: Option<String>,
        },
        Promote {
            op: Word<"wakeup">,
            target_agent_id: String,
            mode: Word<"dispatch_next">,
            reason: String,
        },
        Task { op: Word<"reconcile_task", "dispatch_task">, batch_task_id: String },
        Batch { op: Word<"end_batch">, batch_id: String },
    }
}

arguments! {
    /// Lists the calls that are due now, in order, or what one rule finds.
    ///
    /// ```
    /// use tuckbox::run::{DueRule, ListDue};
    /// use tuckbox::store::{MemoryStore, Snapshot, table};
    /// use tuckbox::value::arguments::Argument;
    /// use tuckbox::value::json::Field;
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let call = ListDue::from_json(&json!({"rule": "ring"}))?;
    /// assert_eq!(call.rule, Some(DueRule::read(&Field::root(&json!("ring")))?));
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut store = MemoryStore::new();
    /// let due = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert!(due.calls.is_empty());
    ///
    /// // a row that another program wrote
    /// let head = json!({"agent_id": "ann", "status": "suspended", "turn_epoch": "third"});
    /// store.project("p1").add_row(&table::HEADS, head.as_object().unwrap().clone());
    /// let call = ListDue { rule: None, ..call };
    /// let due = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// let unreadable = &due.unreadable[0];
    /// assert_eq!((unreadable.table.as_str(), unreadable.key[0].as_str()), ("heads", "ann"));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ListDue {
        /// The only rule to ask. All by default.
        pub rule: Option<DueRule>,
        shared terms: RunTerms,
    }
}

/// The calls that are due.
///
/// The example of [`ListDue`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Due {
    /// The calls, in the order to make them.
    pub calls: Vec<DueCall>,
    /// Rows that cannot be read, and so are not considered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<UnreadableRow>,
}

perform! {
    ListDue -> Due {
        |call, tx| {
            let calls = due(tx, call.rule.map(|DueRule(name)| name))?;
            Ok(Due { calls, unreadable: std::mem::take(&mut tx.unreadable).into_iter().collect() })
        }
    }
}

/// Returns the calls that are due, in the order to make them; `only` names one rule. Each call checks
/// again whether it is due. Everything is read in one round.
fn due(tx: &mut Transaction<'_>, only: Option<&str>) -> Run<Vec<Object>> {
    let limit = usize::try_from(tx.settings.watchdog_limit).unwrap_or(200).min(tx.row_limit());
    for status in ["dispatched", "running", "suspended"] {
        tx.want_list::<Head>("by_status", &[status], limit);
    }
    tx.want_list::<Head>("by_deadline", &["suspended"], limit);
    tx.want_list::<Inbox>("by_status", &["pending"], limit);
    tx.want_list::<Inbox>("by_status", &["queued"], limit);
    tx.want_list::<Inbox>("by_processed", &["processing"], limit);
    tx.want_list::<Resumption>("by_status", &["pending"], limit);
    tx.want_list::<Resumption>("by_lease", &["processing"], limit);
    tx.want_list::<Task>("by_status", &["pending"], limit);
    tx.want_list::<Task>("by_age", &["dispatched"], limit);
    tx.want_list::<Batch>("by_deadline", &["running"], limit);
    tx.want_list::<Queue>("by_status", &["active"], limit);
    let mut calls = Vec::new();
    for (name, rule) in RULES {
        if only.is_none_or(|only| only == name) {
            calls.extend(rule(tx, limit)?);
        }
    }
    Ok(calls)
}

fn requeue(tx: &mut Transaction<'_>, limit: usize) -> Run<Vec<Object>> {
    let now = tx.now();
    let rows = tx.list_readable::<Inbox>("by_processed", &["processing"], limit)?.into_iter();
    let stale = rows.filter(|row| {
        let timeout = processing_limit(tx, row);
        timeout > 0 && row.processed_at.is_some_and(|at| older(at, now, timeout))
    });
    Ok(stale.map(|row| object! { "op" => "requeue_inbox", "inbox_id" => row.inbox_id }).collect())
}

fn leases(tx: &mut Transaction<'_>, limit: usize) -> Run<Vec<Object>> {
    let now = tx.now();
    let rows = tx.list_readable::<Resumption>("by_lease", &["processing"], limit)?;
    let expired = rows.iter().any(|row| row.lease_expires_at.is_some_and(|end| end < now));
    Ok(expired.then(|| object! { "op" => "ledger_requeue_expired" }).into_iter().collect())
}

fn time_out(tx: &mut Transaction<'_>, limit: usize) -> Run<Vec<Object>> {
    let now = tx.now();
    let heads = tx.list_readable::<Head>("by_deadline", &["suspended"], limit)?.into_iter();
    let late = heads.filter(|head| head.resume_deadline.is_some_and(|deadline| deadline < now));
    Ok(late.map(|head| object! { "op" => "time_out_tools", "agent_id" => head.agent_id }).collect())
}

fn ring(tx: &mut Transaction<'_>, limit: usize) -> Run<Vec<Object>> {
    let (now, after) = (tx.now(), tx.settings.dispatched_retry_seconds);
    let heads = tx.list_readable::<Head>("by_status", &["dispatched"], limit)?.into_iter();
    let old = heads.filter(|head| older(head.updated_at, now, after));
    Ok(old.map(|head| object! { "op" => "ring_again", "agent_id" => head.agent_id }).collect())
}

/// Turns that no worker renews: those that run, and those that a worker claimed and did not start.
fn recover(tx: &mut Transaction<'_>, limit: usize) -> Run<Vec<Object>> {
    let claimed = tx.list_readable::<Inbox>("by_processed", &["processing"], limit)?;
    let mut heads = tx.list_readable::<Head>("by_status", &["running"], limit)?;
    heads.extend(tx.list_readable::<Head>("by_status", &["dispatched"], limit)?);
    let lost = heads.into_iter().filter(|head| {
        let starts = |row: &&Inbox| row.message_type == "turn" && row.agent_id == head.agent_id;
        lost_at(tx, head, claimed.iter().find(starts)).is_some()
    });
    Ok(lost.map(|head| object! { "op" => "recover_turn", "agent_id" => head.agent_id }).collect())
}

fn reap(tx: &mut Transaction<'_>, limit: usize, which: Reap, name: &str) -> Run<Vec<Object>> {
    let heads = tx.list_readable::<Head>("by_status", &[which.status().as_str()], limit)?;
    let due = heads.into_iter().filter(|head| which.is_due(tx, head));
    let call = |head: Head| {
        object! {
            "op" => "reap_turn", "agent_id" => head.agent_id, "which" => name,
            "output_box_id" => head.output_box_id,
        }
    };
    Ok(due.map(call).collect())
}

fn reap_dispatched(tx: &mut Transaction<'_>, limit: usize) -> Run<Vec<Object>> {
    reap(tx, limit, Reap::Dispatched, "dispatched")
}

fn reap_active(tx: &mut Transaction<'_>, limit: usize) -> Run<Vec<Object>> {
    let mut calls = reap(tx, limit, Reap::Active, "active")?;
    calls.extend(reap(tx, limit, Reap::Suspended, "suspended")?);
    Ok(calls)
}

fn poke(tx: &mut Transaction<'_>, limit: usize) -> Run<Vec<Object>> {
    let (now, after) = (tx.now(), tx.settings.pending_wakeup_seconds);
    if after <= 0 {
        return Ok(Vec::new());
    }
    let rows = tx.list_readable::<Inbox>("by_status", &["pending"], limit)?.into_iter();
    let old = rows.filter(|row| older(row.created_at, now, after));
    Ok(old.map(|row| object! { "op" => "poke_inbox", "inbox_id" => row.inbox_id }).collect())
}

/// Agents that lost their head, and idle agents with a queue.
fn promote(tx: &mut Transaction<'_>, limit: usize) -> Run<Vec<Object>> {
    let mut active = BTreeSet::new();
    for status in ["dispatched", "running", "suspended"] {
        let heads = tx.list_readable::<Head>("by_status", &[status], limit)?;
        active.extend(heads.into_iter().map(|head| head.agent_id));
    }
    // an agent whose head cannot be read did not lose it
    active.extend(tx.unreadable.iter().flat_map(|row| row.key.iter().cloned()));
    let mut calls = Vec::new();
    for queue in tx.list_readable::<Queue>("by_status", &["active"], limit)? {
        if !active.contains(&queue.agent_id) {
            calls.push(object! { "op" => "reclaim_agent", "agent_id" => queue.agent_id });
        }
    }
    for row in tx.list_readable::<Inbox>("by_status", &["queued"], limit)? {
        if active.insert(row.agent_id.clone()) {
            calls.push(object! {
                "op" => "wakeup", "target_agent_id" => row.agent_id,
                "mode" => "dispatch_next", "reason" => "watchdog_promotion",
            });
        }
    }
    Ok(calls)
}

fn reconcile(tx: &mut Transaction<'_>, limit: usize) -> Run<Vec<Object>> {
    let (now, settings) = (tx.now(), tx.settings);
    let old = |task: &Task| {
        let wait = match task.current_turn_epoch {
            Some(_) => settings.revert_after_seconds,
            None => settings.reconcile_after_seconds,
        };
        now.as_millis() - task.updated_at.as_millis() >= wait * 1000
    };
    let tasks = tx.list_readable::<Task>("by_age", &["dispatched"], limit)?.into_iter();
    let call =
        |task: Task| object! { "op" => "reconcile_task", "batch_task_id" => task.batch_task_id };
    Ok(tasks.filter(old).map(call).collect())
}

fn dispatch(tx: &mut Transaction<'_>, limit: usize) -> Run<Vec<Object>> {
    let now = tx.now();
    let tasks = tx.list_readable::<Task>("by_status", &["pending"], limit)?.into_iter();
    let due = tasks.filter(|task| can_dispatch(task) && task.next_retry_at <= now);
    let call =
        |task: Task| object! { "op" => "dispatch_task", "batch_task_id" => task.batch_task_id };
    Ok(due.map(call).collect())
}

fn batches(tx: &mut Transaction<'_>, limit: usize) -> Run<Vec<Object>> {
    let now = tx.now();
    let over = |batch: &Batch| {
        let late = batch.deadline_at.is_some_and(|deadline| deadline < now);
        late || batch.open_count == Some(0)
    };
    let batches = tx.list_readable::<Batch>("by_deadline", &["running"], limit)?.into_iter();
    let call = |batch: Batch| object! { "op" => "end_batch", "batch_id" => batch.batch_id };
    Ok(batches.filter(over).map(call).collect())
}

fn take_up(tx: &mut Transaction<'_>, limit: usize) -> Run<Vec<Object>> {
    let heads = tx.list_readable::<Head>("by_status", &["suspended"], limit)?.into_iter();
    let waiting = heads.filter(|head| head.waiting_tool_count > 0);
    let call = |head: Head| object! { "op" => "take_up_results", "agent_id" => head.agent_id };
    Ok(waiting.map(call).collect())
}
