//! What rows name, so that it is read in the same round as they are: a call reads at most twice.

use super::desk::Desk;
use super::rows::{Batch, Head, Queue, Row, Task, Waiting};
use crate::store::Part::{self, Column, Inside, Text};
use crate::store::table::{
    AGENT_QUEUES, BATCH_TASKS, BATCHES, EXECUTION_EDGES, HEADS, INBOX, POINTERS, PROJECT_AGENTS,
    PROJECT_PROFILES, RESUME_LEDGER, STEP_CARDS, STEPS, Table, WAITING_TOOLS,
};
use crate::store::{Follow, Named, Reads, RowKey, Source};

/// More tasks of one batch than there ever are.
pub(crate) const TASKS_OF_A_BATCH: usize = 100_000;

/// More rows of one turn than there ever are.
pub(crate) const ROWS_OF_A_TURN: usize = 1000;

/// How many messages of a queue are read at first: nearly always the first one can run.
pub(crate) const FRONT: usize = 2;

/// Whom the end of a batch may have to stop.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Stops {
    /// Every task has ended.
    Nobody,
    /// Tasks that still run.
    Others,
}

const AGENT: Part = Column("agent_id");
const OUTPUT: Part = Column("output_box_id");

fn rows<const N: usize>(lists: [(&'static Table, &str, &[Part], usize); N]) -> Vec<Named> {
    lists
        .into_iter()
        .filter_map(|(table, index, of, limit)| Named::list(table, index, of, limit))
        .collect()
}

/// The output of a turn, its open calls and their results.
fn turn(active: &'static str, epoch: &'static str) -> Vec<Named> {
    let of = [AGENT, Column(active), Column(epoch)];
    let mut names = rows([
        (&WAITING_TOOLS, "by_turn", &of, ROWS_OF_A_TURN),
        (&RESUME_LEDGER, "by_turn", &of, ROWS_OF_A_TURN),
    ]);
    names.push(Named::Box(OUTPUT));
    names
}

/// Asks for the head of an agent, and the turn that it holds.
pub(super) fn want_turn(desk: &mut Desk<'_>, agent: &str) {
    desk.want_with::<Head>(&[agent], || turn("active_agent_turn_id", "turn_epoch"));
}

/// Asks for the queue of an agent, and the turn that it says is active.
pub(super) fn want_lost_turn(desk: &mut Desk<'_>, agent: &str) {
    desk.want_with::<Queue>(&[agent], || turn("active_agent_turn_id", "last_epoch"));
}

/// Asks for the head of an agent, and the box that its turn writes to.
pub(super) fn want_output(desk: &mut Desk<'_>, agent: &str) {
    desk.want_with::<Head>(&[agent], || vec![Named::Box(OUTPUT)]);
}

/// Adds an agent that takes part in a recipe: its rows, its boxes and its profile. What it does and did
/// may stand in its row of the roster too.
pub(super) fn add_party(reads: &mut Reads, agent: &str) {
    let profile = Column("profile_box_id");
    let boxes = |columns: &[Part]| columns.iter().copied().map(Named::Box).collect::<Vec<_>>();
    let turn = ["profile_box_id", "context_box_id", "output_box_id"];
    let kept = ["last_output_box_id", "memory_context_box_id"];
    let mut roster = rows([(&PROJECT_PROFILES, "by_box", &[profile], 1)]);
    roster.extend(boxes(&[profile]));
    roster.extend(boxes(&turn.map(|name| Inside("state", name))));
    roster.extend(boxes(&kept.map(|name| Inside("pointers", name))));
    let head = boxes(&turn.map(Column));
    let pointers = boxes(&kept.map(Column));
    for (table, to) in [(&PROJECT_AGENTS, roster), (&HEADS, head), (&POINTERS, pointers)] {
        let of = RowKey::new(table, [agent]);
        reads.add_row(of.clone());
        reads.add_follow(Follow { from: Source::Row(of), to });
    }
}

/// What looking after a task looks at, besides the end of its batch.
pub(super) fn task() -> Vec<Named> {
    let turn = Column("current_agent_turn_id");
    let mut names = handed_out();
    names.extend(rows([
        (&INBOX, "of_turn", &[turn], 4),
        (&BATCH_TASKS, "by_turn", &[turn], 1),
        (&STEPS, "by_turn", &[AGENT, turn], 64),
    ]));
    names.push(Named::row(&INBOX, &[turn]));
    names
}

/// Asks for a call that a turn waits for, and the cards of its step.
pub(super) fn want_call(desk: &mut Desk<'_>, key: &[&str; 4]) {
    let cards = || rows([(&STEP_CARDS, "by_step", &[Column("step_id")], 64)]);
    desk.want_with::<Waiting>(key, cards);
}

/// What handing out a task looks at.
pub(super) fn handed_out() -> Vec<Named> {
    let mut names = rows([(&INBOX, "queue", &[AGENT, Text("queued"), Text("turn")], FRONT)]);
    names.push(Named::row(&BATCHES, &[Column("batch_id")]));
    names.extend([&HEADS, &AGENT_QUEUES, &PROJECT_AGENTS].map(|table| Named::row(table, &[AGENT])));
    names.extend([OUTPUT, Column("context_box_id")].map(Named::Box));
    names
}

/// Asks for the task of a turn, and its batch.
pub(super) fn want_task_of(desk: &mut Desk<'_>, turn: &str) {
    let batch = || vec![Named::row(Batch::TABLE, &[Column("batch_id")])];
    desk.want_list_with::<Task>("by_turn", &[turn], 1, batch);
}

/// Asks for the tasks of a batch; where some may have to be stopped, for what stopping looks at.
pub(super) fn want_tasks_of(desk: &mut Desk<'_>, batch_id: &str, stops: Stops) {
    desk.want_list_with::<Task>("by_batch", &[batch_id], TASKS_OF_A_BATCH, || match stops {
        Stops::Nobody => Vec::new(),
        Stops::Others => stopped(),
    });
}

fn stopped() -> Vec<Named> {
    let turn = Column("current_agent_turn_id");
    let mut names = rows([
        (&INBOX, "of_turn", &[turn], 4),
        (&EXECUTION_EDGES, "by_correlation", &[turn, Text("request")], 1),
        (&EXECUTION_EDGES, "by_primitive", &[turn, Text("report"), Text("response")], 1),
        (&INBOX, "by_correlation", &[Text("stop"), turn], 1),
    ]);
    names.push(Named::row(&INBOX, &[turn]));
    names.push(Named::row(&PROJECT_AGENTS, &[AGENT]));
    names
}
