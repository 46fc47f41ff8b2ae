//! The boxes of a turn: no running turn of another agent writes to what a turn reads.

use crate::rule::box_turns::{ALL, FIRST};
use crate::run::rows::status::HeadStatus;
use crate::run::rows::{BoxTurn, Head, Row};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::present;
use crate::store::{FollowTarget, KeyPart};

/// The heads that exclude a turn with these boxes: the index and the box.
fn selections<'a>(
    context: Option<&'a str>,
    output: Option<&'a str>,
) -> impl Iterator<Item = (&'static str, &'a str)> {
    let (context, output) = (present(context), present(output));
    let lists = [("by_output", context), ("by_context", output), ("by_output", output)];
    lists.into_iter().filter_map(|(index, box_id)| Some((index, box_id?)))
}

/// Requests what [`are_free`] reads.
pub(crate) fn want_free(tx: &mut Transaction<'_>, context: Option<&str>, output: Option<&str>) {
    if tx.reference_behavior {
        return;
    }
    for (index, box_id) in selections(context, output) {
        tx.want::<BoxTurn>(&[box_id]);
        tx.want_list::<Head>(index, &[box_id], FIRST);
    }
}

/// Returns what [`are_free`] reads of a row that names the boxes. The reference systems read none of
/// it, and a batch must not depend on what a store follows.
pub(crate) fn free_targets(
    reference_behavior: bool,
    [context, output]: [KeyPart; 2],
) -> Vec<FollowTarget> {
    if reference_behavior {
        return Vec::new();
    }
    let lists = [("by_output", context), ("by_context", output), ("by_output", output)];
    let lists = lists.into_iter();
    lists
        .filter_map(|(index, part)| FollowTarget::list(Head::TABLE, index, &[part], FIRST))
        .chain([context, output].map(|part| FollowTarget::row(BoxTurn::TABLE, &[part])))
        .collect()
}

/// Returns true if an agent can have a turn with these boxes now. The commit depends on it: it fails if
/// another turn takes one of the boxes meanwhile.
pub(crate) fn are_free(
    tx: &mut Transaction<'_>,
    agent_id: &str,
    context: Option<&str>,
    output: Option<&str>,
) -> Run<bool> {
    if tx.reference_behavior {
        return Ok(true);
    }
    want_free(tx, context, output);
    for (index, box_id) in selections(context, output) {
        tx.peek::<BoxTurn>(&[box_id])?;
        let mut heads = tx.list::<Head>(index, &[box_id], FIRST)?;
        if heads.len() >= FIRST {
            heads = tx.list::<Head>(index, &[box_id], ALL)?;
        }
        let runs = |head: &Head| head.status != HeadStatus::Idle && head.agent_id != agent_id;
        if heads.iter().any(runs) {
            return Ok(false);
        }
    }
    Ok(true)
}
