//! Deletes rows of work that ended long ago.

use crate::run::rows::status::{InboxStatus, LedgerStatus, TaskStatus, WaitStatus};
use crate::run::rows::{Head, Inbox, Resumption, Row, StepCard, StepRow, Task, View, Waiting};
use crate::run::settings::older;
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::turn::reads::ROWS_OF_A_TURN;
use crate::store::FollowTarget;
use crate::store::KeyPart::{self, Column};
use crate::value::arguments::arguments;
use crate::value::time::Timestamp;
use serde::Serialize;

arguments! {
    /// Deletes rows of work that ended long ago: processed messages of agents, and the steps, calls,
    /// results and recorded views of turns.
    ///
    /// Boxes, batches, the audit, and cards other than those of views stay. So do the turn that an agent
    /// works on and the turns of open tasks. Call it again while `more` is true.
    ///
    /// ```
    /// use tuckbox::run::Prune;
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let call = Prune::from_json(&json!({"older_than_seconds": 604_800}))?;
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// let pruned = rule::preview(&call, &mut snapshot, &env, &MemoryStore::new())?.value;
    /// assert_eq!((pruned.messages, pruned.more), (0, false));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct Prune {
        /// The age of the deleted rows: what ended later stays. 30 days by default.
        pub older_than_seconds: u64 [3_600..=3_153_600_000] = 2_592_000,
        /// The number of rows of each kind and status that a call looks at, the oldest first.
        pub limit: usize [1..=1_000] = 100,
        shared terms: RunTerms,
    }
}

/// What was deleted.
///
/// The example of [`Prune`] shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pruned {
    /// The processed messages of agents.
    pub messages: usize,
    /// The steps of turns.
    pub steps: usize,
    /// The tool calls that turns waited for, and their results.
    pub calls: usize,
    /// The recorded views.
    pub views: usize,
    /// True if older rows can be left.
    pub more: bool,
}

perform! {
    Prune -> Pruned { |call, tx| prune(tx, call) }
}

/// The statuses of messages that no worker claims again.
const ENDED: [InboxStatus; 3] = [InboxStatus::Consumed, InboxStatus::Error, InboxStatus::Skipped];

/// The statuses of calls that no turn waits for.
const SETTLED: [WaitStatus; 3] = [WaitStatus::Applied, WaitStatus::Expired, WaitStatus::Dropped];

/// The statuses of results that no worker claims again.
const USED: [LedgerStatus; 2] = [LedgerStatus::Applied, LedgerStatus::Dropped];

/// A limit above the number of cards of any step.
const CARDS_OF_A_STEP: usize = 1000;

const AGENT: KeyPart = Column("agent_id");

/// Returns the head that decides about a row of an agent.
fn head() -> Vec<FollowTarget> {
    vec![FollowTarget::row(Head::TABLE, &[AGENT])]
}

/// Returns what decides about a message, and the steps of its turn.
fn of_message() -> Vec<FollowTarget> {
    let turn = Column("agent_turn_id");
    let tasks = FollowTarget::list(Task::TABLE, "by_turn", &[turn], ROWS_OF_A_TURN);
    let steps = FollowTarget::list(StepRow::TABLE, "by_turn", &[AGENT, turn], ROWS_OF_A_TURN);
    tasks.into_iter().chain(steps).chain(head()).collect()
}

/// The rows of one call, and the age from which they are deleted.
struct Old {
    limit: usize,
    now: Timestamp,
    seconds: i64,
    /// True if a list has as many rows as were requested.
    is_full: bool,
}

impl Old {
    /// Returns the old rows of a list.
    fn rows<R: Row>(
        &mut self,
        tx: &mut Transaction<'_>,
        (index, of): (&'static str, &[&str]),
        at: fn(&R) -> Timestamp,
    ) -> Run<Vec<R>> {
        let mut rows = tx.list_readable::<R>(index, of, self.limit)?;
        self.is_full |= rows.len() >= self.limit;
        rows.retain(|row| older(at(row), self.now, self.seconds));
        Ok(rows)
    }
}

fn prune(tx: &mut Transaction<'_>, call: &Prune) -> Run<Pruned> {
    let limit = call.limit.min(tx.row_limit());
    for status in ENDED {
        tx.want_list_with::<Inbox>("by_processed", &[status.as_str()], limit, of_message);
    }
    for status in SETTLED {
        tx.want_list_with::<Waiting>("by_status", &[status.as_str()], limit, head);
    }
    for status in USED {
        tx.want_list_with::<Resumption>("by_status", &[status.as_str()], limit, head);
    }
    tx.want_list::<View>("all", &[], limit);
    let seconds = i64::try_from(call.older_than_seconds).unwrap_or(i64::MAX);
    let mut old = Old { limit, now: tx.now(), seconds, is_full: false };
    let mut pruned = Pruned::default();
    prune_messages(tx, &mut old, &mut pruned)?;
    prune_calls(tx, &mut old, &mut pruned)?;
    for view in old.rows(tx, ("all", &[]), |view: &View| view.at)? {
        tx.delete(&view, "prune", "recorded long ago")?;
        tx.delete_cards([&view.prompt_card_id, &view.tools_card_id].into_iter().flatten());
        pruned.views += 1;
    }
    // rows that stay can fill a list, so a call that deletes nothing ends the repetition
    pruned.more = old.is_full && pruned != Pruned::default();
    Ok(pruned)
}

/// Deletes the messages of agents, and the steps of turns.
fn prune_messages(tx: &mut Transaction<'_>, old: &mut Old, pruned: &mut Pruned) -> Run<()> {
    let mut messages = Vec::new();
    for status in ENDED {
        let of: [&str; 1] = [status.as_str()];
        messages.extend(old.rows(tx, ("by_processed", &of), |row: &Inbox| {
            row.processed_at.unwrap_or(row.created_at)
        })?);
    }
    let mut steps = Vec::new();
    for message in &messages {
        let turn = message.agent_turn_id.as_deref().unwrap_or_default();
        if is_active(tx, &message.agent_id, turn)? || has_open_task(tx, turn)? {
            continue;
        }
        if matches!(message.message_type.as_str(), "turn" | "ui_action") && !turn.is_empty() {
            steps.extend(tx.list::<StepRow>(
                "by_turn",
                &[&message.agent_id, turn],
                ROWS_OF_A_TURN,
            )?);
        }
        tx.delete(message, "prune", "processed long ago")?;
        pruned.messages += 1;
    }
    for step in &steps {
        tx.want_list::<StepCard>("by_step", &[&step.step_id], CARDS_OF_A_STEP);
    }
    for step in &steps {
        for card in tx.list::<StepCard>("by_step", &[&step.step_id], CARDS_OF_A_STEP)? {
            tx.delete(&card, "prune", "of a step of an old turn")?;
        }
        tx.delete(step, "prune", "of an old turn")?;
        pruned.steps += 1;
    }
    Ok(())
}

/// Deletes the calls that turns waited for, and their results.
fn prune_calls(tx: &mut Transaction<'_>, old: &mut Old, pruned: &mut Pruned) -> Run<()> {
    for status in SETTLED {
        let of: [&str; 1] = [status.as_str()];
        for row in old.rows(tx, ("by_status", &of), |row: &Waiting| row.updated_at)? {
            if !is_active(tx, &row.agent_id, &row.agent_turn_id)? {
                tx.delete(&row, "prune", "settled long ago")?;
                pruned.calls += 1;
            }
        }
    }
    for status in USED {
        let of: [&str; 1] = [status.as_str()];
        for row in old.rows(tx, ("by_status", &of), |row: &Resumption| row.updated_at)? {
            if !is_active(tx, &row.agent_id, &row.agent_turn_id)? {
                tx.delete(&row, "prune", "used long ago")?;
                pruned.calls += 1;
            }
        }
    }
    Ok(())
}

/// Returns true for the turn that its agent works on.
fn is_active(tx: &mut Transaction<'_>, agent: &str, turn: &str) -> Run<bool> {
    let head = tx.get::<Head>(&[agent])?;
    Ok(head.and_then(|head| head.active_agent_turn_id).is_some_and(|active| active == turn))
}

/// Returns true for the turn of a task whose batch waits for it.
fn has_open_task(tx: &mut Transaction<'_>, turn: &str) -> Run<bool> {
    if turn.is_empty() {
        return Ok(false);
    }
    let tasks = tx.list::<Task>("by_turn", &[turn], ROWS_OF_A_TURN)?;
    Ok(tasks.iter().any(|task| matches!(task.status, TaskStatus::Pending | TaskStatus::Dispatched)))
}
