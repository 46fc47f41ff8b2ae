//! The lease of an agent by a turn.

use crate::run::rows::status::HeadStatus;
use crate::run::rows::{Head, Queue};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::present;

/// Returns the queue row of an agent, or a new one.
pub(crate) fn queue_row(tx: &mut Transaction<'_>, agent_id: &str) -> Run<Queue> {
    let queue = tx.get::<Queue>(&[agent_id])?;
    Ok(queue.unwrap_or_else(|| Queue { agent_id: agent_id.to_owned(), ..Queue::default() }))
}

/// Raises the epoch of a head, so that a holder of the old epoch can no longer write.
pub(crate) fn raise_epoch(tx: &mut Transaction<'_>, head: &mut Head) -> Run<()> {
    head.turn_epoch = head.turn_epoch.saturating_add(1);
    let mut queue = queue_row(tx, &head.agent_id)?;
    if queue.last_epoch < head.turn_epoch {
        queue.last_epoch = head.turn_epoch;
        tx.put(&queue, "epoch", "above every one seen")?;
    }
    Ok(())
}

/// The turn that leases an agent.
pub(crate) struct Lease {
    pub agent_id: String,
    pub agent_turn_id: String,
    pub channel_id: Option<String>,
    pub profile_box_id: Option<String>,
    pub context_box_id: Option<String>,
    pub output_box_id: Option<String>,
    pub parent_step_id: Option<String>,
    pub trace_id: Option<String>,
    pub depth: i64,
}

/// Leases an idle agent, and returns the new epoch; `None` if the agent has a turn.
pub(crate) fn lease(tx: &mut Transaction<'_>, lease: &Lease) -> Run<Option<i64>> {
    tx.want::<Queue>(&[&lease.agent_id]);
    let head = tx.get::<Head>(&[&lease.agent_id])?;
    let mut queue = queue_row(tx, &lease.agent_id)?;
    if head.is_none() && queue.status.is_some() {
        // the head is lost, but its turn is active: a watchdog ends the turn first
        return Ok(None);
    }
    let mut head =
        head.unwrap_or_else(|| Head { agent_id: lease.agent_id.clone(), ..Head::default() });
    if head.status != HeadStatus::Idle {
        return Ok(None);
    }
    let epoch = head.turn_epoch.max(queue.last_epoch).saturating_add(1);
    head.status = HeadStatus::Dispatched;
    head.turn_epoch = epoch;
    head.active_agent_turn_id = Some(lease.agent_turn_id.clone());
    head.active_recursion_depth = lease.depth;
    head.parent_step_id = lease.parent_step_id.clone();
    head.trace_id = lease.trace_id.clone();
    for (to, from) in [
        (&mut head.active_channel_id, &lease.channel_id),
        (&mut head.profile_box_id, &lease.profile_box_id),
        (&mut head.context_box_id, &lease.context_box_id),
        (&mut head.output_box_id, &lease.output_box_id),
    ] {
        if present(from.as_deref()).is_some() {
            to.clone_from(from);
        }
    }
    head.waiting_tool_count = 0;
    head.resume_deadline = None;
    head.rung_at = None;
    head.updated_at = tx.now();
    tx.put(&head, "lease", "status = idle")?;
    queue.last_epoch = queue.last_epoch.max(epoch);
    queue.active_agent_turn_id.clone_from(&head.active_agent_turn_id);
    queue.output_box_id.clone_from(&head.output_box_id);
    queue.channel_id.clone_from(&head.active_channel_id);
    queue.status = Some("active".into());
    tx.put(&queue, "lease", "epoch above every one seen")?;
    Ok(Some(epoch))
}
