//! What calls on batches and tasks read, requested together.

use crate::run::queue::boxes::{free_targets, want_free};
use crate::run::queue::promote::{FRONT, want_promotion};
use crate::run::rows::{Batch, Edge, Inbox, Roster, Row, Task};
use crate::run::transaction::Transaction;
use crate::run::turn::reads::{start_targets, want_start};
use crate::run::values::present;
use crate::store::FollowTarget;
use crate::store::KeyPart::{self, Column, Text};
use crate::store::table::{
    AGENT_QUEUES, BATCH_TASKS, BATCHES, EXECUTION_EDGES, HEADS, INBOX, PROJECT_AGENTS, STEPS, Table,
};

/// A limit above the number of tasks of any batch.
pub(crate) const TASKS_OF_A_BATCH: usize = 100_000;

/// The number of steps of a turn that a batch reads.
pub(super) const STEPS_OF_A_TURN: usize = 64;

/// The tasks that the end of a batch can stop.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Stops {
    /// None: every task ended.
    None,
    /// Tasks that still run.
    Others,
    /// Tasks that still run, after those that ended before.
    Ordered,
}

const AGENT: KeyPart = Column("agent_id");
const TURN: KeyPart = Column("current_agent_turn_id");

fn lists<const N: usize>(
    lists: [(&'static Table, &str, &[KeyPart], usize); N],
) -> Vec<FollowTarget> {
    lists
        .into_iter()
        .filter_map(|(table, index, of, limit)| FollowTarget::list(table, index, of, limit))
        .collect()
}

/// Returns what the dispatch of a task reads.
pub(crate) fn dispatch_targets(reference_behavior: bool) -> Vec<FollowTarget> {
    let mut targets = lists([(&INBOX, "queue", &[AGENT, Text("queued"), Text("turn")], FRONT)]);
    targets.push(FollowTarget::row(&BATCHES, &[Column("batch_id")]));
    let rows = [&HEADS, &AGENT_QUEUES, &PROJECT_AGENTS];
    targets.extend(rows.map(|table| FollowTarget::row(table, &[AGENT])));
    let (output, context) = (Column("output_box_id"), Column("context_box_id"));
    targets.extend([output, context].map(FollowTarget::Box));
    targets.extend(free_targets(reference_behavior, [context, output]));
    targets
}

/// Returns what the reconciliation of a task reads, without the end of its batch.
pub(super) fn reconcile_targets(reference_behavior: bool) -> Vec<FollowTarget> {
    let mut targets = dispatch_targets(reference_behavior);
    targets.extend(lists([
        (&BATCH_TASKS, "by_turn", &[TURN], 1),
        (&STEPS, "by_turn", &[AGENT, TURN], STEPS_OF_A_TURN),
    ]));
    targets.extend(start_targets(TURN));
    targets
}

fn stop_targets() -> Vec<FollowTarget> {
    let mut targets = lists([
        (&EXECUTION_EDGES, "by_correlation", &[TURN, Text("request")], 1),
        (&EXECUTION_EDGES, "by_primitive", &[TURN, Text("report"), Text("response")], 1),
        (&INBOX, "by_correlation", &[Text("stop"), TURN], 1),
    ]);
    targets.extend(start_targets(TURN));
    targets.push(FollowTarget::row(&PROJECT_AGENTS, &[AGENT]));
    targets
}

/// Returns what shows the end of a task: the head of its agent, the steps of its turn, and its output.
fn end_targets() -> Vec<FollowTarget> {
    let mut targets = stop_targets();
    targets.extend(lists([(&STEPS, "by_turn", &[AGENT, TURN], STEPS_OF_A_TURN)]));
    targets.push(FollowTarget::row(&HEADS, &[AGENT]));
    targets.push(FollowTarget::Box(Column("output_box_id")));
    targets
}

/// Requests the task of a turn, and its batch.
pub(super) fn want_task_of(tx: &mut Transaction<'_>, turn: &str) {
    let batch = || vec![FollowTarget::row(Batch::TABLE, &[Column("batch_id")])];
    tx.want_list_with::<Task>("by_turn", &[turn], 1, batch);
}

/// Requests everything that stopping a task reads.
pub(super) fn want_stop(tx: &mut Transaction<'_>, task: &Task) {
    let Some(turn) = task.current_agent_turn_id.as_deref() else { return };
    want_start(tx, turn);
    tx.want_list::<Edge>("by_correlation", &[turn, "request"], 1);
    tx.want_list::<Edge>("by_primitive", &[turn, "report", "response"], 1);
    tx.want_list::<Inbox>("by_correlation", &["stop", turn], 1);
    tx.want::<Roster>(&[&task.agent_id]);
}

/// Requests the tasks of a batch, and what stopping them reads.
pub(super) fn want_tasks_of(tx: &mut Transaction<'_>, batch_id: &str, stops: Stops) {
    tx.want_list_with::<Task>("by_batch", &[batch_id], TASKS_OF_A_BATCH, || match stops {
        Stops::None => Vec::new(),
        Stops::Others => stop_targets(),
        Stops::Ordered => end_targets(),
    });
}

/// Requests everything that the end of a batch reads.
pub(super) fn want_ending(tx: &mut Transaction<'_>, batch: &Batch, stops: Stops) {
    want_tasks_of(tx, &batch.batch_id, stops);
    for phase in ["request", "response"] {
        tx.want_list::<Edge>("by_primitive", &[&batch.batch_id, "join", phase], 1);
    }
    tx.want_list::<Edge>("by_correlation", &[&batch.batch_id, "request"], 1);
    want_answer(tx, &batch.parent_agent_id, &batch.parent_tool_call_id);
}

/// Requests everything that the answer to a parent reads.
pub(super) fn want_answer(tx: &mut Transaction<'_>, parent: &str, call: &str) {
    tx.want::<Roster>(&[parent]);
    tx.want_list::<Edge>("by_correlation", &[call, "request"], 1);
    tx.want_list::<Edge>("by_primitive", &[call, "tool_call", "request"], 1);
    tx.want_list::<Edge>("by_primitive", &[call, "report", "response"], 1);
    tx.want_list::<Inbox>("by_correlation", &["tool_result", call], 1);
}

/// Requests everything that the dispatch of these tasks reads.
pub(crate) fn want_tasks(tx: &mut Transaction<'_>, tasks: &[Task]) {
    for task in tasks {
        want_task(tx, Some(&task.agent_id), [&task.output_box_id, &task.context_box_id]);
    }
}

pub(super) fn want_task(
    tx: &mut Transaction<'_>,
    agent_id: Option<&str>,
    boxes: [&Option<String>; 2],
) {
    for box_id in boxes {
        tx.want_box(box_id.as_deref());
    }
    let [output, context] = boxes;
    want_free(tx, context.as_deref(), output.as_deref());
    if let Some(agent_id) = present(agent_id) {
        want_promotion(tx, agent_id);
    }
}
