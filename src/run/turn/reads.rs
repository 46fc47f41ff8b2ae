//! What calls on a turn read, requested together.

use crate::run::queue::promote::want_promotion;
use crate::run::rows::{Head, Inbox, Pointers, Queue, Resumption, Waiting};
use crate::run::transaction::{Run, Transaction};
use crate::store::FollowTarget;
use crate::store::KeyPart::{self, Column};
use crate::store::table::{INBOX, RESUME_LEDGER, STEP_CARDS, STEPS, WAITING_TOOLS};

/// A limit above the number of rows of any turn.
pub(crate) const ROWS_OF_A_TURN: usize = 1000;

const OUTPUT: KeyPart = Column("output_box_id");

/// Returns the output box of a turn, its open calls and their results.
fn turn(active: &'static str, epoch: &'static str) -> Vec<FollowTarget> {
    let of = [Column("agent_id"), Column(active), Column(epoch)];
    let lists = [&WAITING_TOOLS, &RESUME_LEDGER].into_iter();
    let lists = lists.filter_map(|table| FollowTarget::list(table, "by_turn", &of, ROWS_OF_A_TURN));
    lists.chain([FollowTarget::Box(OUTPUT)]).collect()
}

/// Requests the head of an agent, and its turn.
pub(crate) fn want_turn(tx: &mut Transaction<'_>, agent: &str) {
    tx.want_with::<Head>(&[agent], || turn("active_agent_turn_id", "turn_epoch"));
}

/// Returns what [`turn`] does, the message that started the turn, and its steps.
fn whole_turn(epoch: &'static str) -> Vec<FollowTarget> {
    let of = Column("active_agent_turn_id");
    let steps = FollowTarget::list(&STEPS, "by_turn", &[Column("agent_id"), of], 64);
    let rows = turn("active_agent_turn_id", epoch).into_iter();
    rows.chain(start_targets(of)).chain(steps).collect()
}

/// The number of messages to search for the one that started a turn.
const FIRST_MESSAGES: usize = 4;

/// Returns the messages that [`start_of`] reads, of the turn in a column.
pub(crate) fn start_targets(turn: KeyPart) -> Vec<FollowTarget> {
    let first = FollowTarget::list(&INBOX, "of_turn", &[turn], FIRST_MESSAGES);
    [FollowTarget::row(&INBOX, &[turn])].into_iter().chain(first).collect()
}

/// Requests the messages that [`start_of`] reads.
pub(crate) fn want_start(tx: &mut Transaction<'_>, turn: &str) {
    tx.want::<Inbox>(&[turn]);
    tx.want_list::<Inbox>("of_turn", &[turn], FIRST_MESSAGES);
}

/// Returns the message that started a turn. It mostly has the id of the turn. Another one is among the
/// first messages of the turn if the clocks of hosts agree.
pub(crate) fn start_of(tx: &mut Transaction<'_>, turn: &str) -> Run<Option<Inbox>> {
    let starts = |row: &Inbox| {
        let is_own = row.agent_turn_id.as_deref().is_none_or(|own| own == turn);
        is_own && matches!(row.message_type.as_str(), "turn" | "ui_action")
    };
    if let Some(row) = tx.get::<Inbox>(&[turn])?.filter(starts) {
        return Ok(Some(row));
    }
    let rows = tx.list::<Inbox>("of_turn", &[turn], FIRST_MESSAGES)?;
    Ok(rows.into_iter().find(starts))
}

/// Requests the queue of an agent, and the turn that is active there.
pub(crate) fn want_lost_turn(tx: &mut Transaction<'_>, agent: &str) {
    tx.want_with::<Queue>(&[agent], || whole_turn("last_epoch"));
}

/// Requests the head of an agent, its turn, the message that started it, and its steps.
pub(crate) fn want_whole_turn(tx: &mut Transaction<'_>, agent: &str) {
    tx.want_with::<Head>(&[agent], || whole_turn("turn_epoch"));
}

/// Requests the head of an agent, and the output box of its turn.
pub(crate) fn want_output(tx: &mut Transaction<'_>, agent: &str) {
    tx.want_with::<Head>(&[agent], || vec![FollowTarget::Box(OUTPUT)]);
}

/// Requests a call that a turn waits for, and the cards of its step.
pub(crate) fn want_call(tx: &mut Transaction<'_>, key: &[&str; 4]) {
    tx.want_with::<Waiting>(key, || {
        let cards = FollowTarget::list(&STEP_CARDS, "by_step", &[Column("step_id")], 64);
        cards.into_iter().collect()
    });
}

/// Requests the open calls of a turn, and their results.
pub(crate) fn want_open_calls(tx: &mut Transaction<'_>, agent: &str, turn: &str, epoch: i64) {
    let epoch = epoch.to_string();
    tx.want_list::<Waiting>("by_turn", &[agent, turn, &epoch], ROWS_OF_A_TURN);
    tx.want_list::<Resumption>("by_turn", &[agent, turn, &epoch], ROWS_OF_A_TURN);
}

/// Requests everything that the end of a turn reads.
pub(crate) fn want_finish(
    tx: &mut Transaction<'_>,
    agent: &str,
    turn: &str,
    epoch: i64,
    output: Option<&str>,
) {
    want_promotion(tx, agent);
    tx.want::<Pointers>(&[agent]);
    want_open_calls(tx, agent, turn, epoch);
    tx.want_box(output);
}
