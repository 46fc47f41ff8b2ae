//! The lease of an agent by a turn.

use super::boxes::are_free;
use crate::run::rows::status::HeadStatus;
use crate::run::rows::{Head, Queue};
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::present;
use crate::value::arguments::arguments;
use serde::Serialize;

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

arguments! {
    /// The turn that leases an agent.
    ///
    /// The example of [`Lease`] shows it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct LeaseRequest {
        /// The agent.
        pub agent_id: String,
        /// The turn.
        pub agent_turn_id: String,
        /// The channel of the turn.
        pub active_channel_id: Option<String>,
        /// The box of the profile.
        pub profile_box_id: Option<String>,
        /// The box of the context.
        pub context_box_id: Option<String>,
        /// The box for the output.
        pub output_box_id: Option<String>,
        /// The step that the turn belongs to.
        pub parent_step_id: Option<String>,
        /// The trace of the turn.
        pub trace_id: Option<String>,
        /// The depth of the turn below the first one.
        pub active_recursion_depth: i64 = 0,
    }

    /// Gives an idle agent a turn.
    ///
    /// ```
    /// use tuckbox::run::Lease;
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let call = Lease::from_json(&json!({"agent_id": "ann", "agent_turn_id": "t1"}))?;
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// let leased = rule::preview(&call, &mut snapshot, &env, &MemoryStore::new())?.value;
    /// assert_eq!(leased.turn_epoch, Some(1));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct Lease {
        shared request: LeaseRequest,
        shared terms: RunTerms,
    }
}

/// The turn of an agent.
///
/// The example of [`Lease`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Leased {
    /// The epoch of the turn; `None` if the agent has another turn.
    pub turn_epoch: Option<i64>,
}

perform! {
    Lease -> Leased { |call, tx| Ok(Leased { turn_epoch: lease(tx, &call.request)? }) }
}

/// Leases an idle agent, and returns the new epoch; `None` if the agent has a turn, or if a turn of
/// another agent uses one of the boxes.
pub(crate) fn lease(tx: &mut Transaction<'_>, lease: &LeaseRequest) -> Run<Option<i64>> {
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
    let (context, output) = (lease.context_box_id.as_deref(), lease.output_box_id.as_deref());
    if !are_free(tx, &lease.agent_id, context, output)? {
        return Ok(None);
    }
    let epoch = head.turn_epoch.max(queue.last_epoch).saturating_add(1);
    head.status = HeadStatus::Dispatched;
    head.turn_epoch = epoch;
    head.active_agent_turn_id = Some(lease.agent_turn_id.clone());
    head.active_recursion_depth = lease.active_recursion_depth;
    head.parent_step_id = lease.parent_step_id.clone();
    head.trace_id = lease.trace_id.clone();
    for (to, from) in [
        (&mut head.active_channel_id, &lease.active_channel_id),
        (&mut head.profile_box_id, &lease.profile_box_id),
        (&mut head.context_box_id, &lease.context_box_id),
        (&mut head.output_box_id, &lease.output_box_id),
    ] {
        if present(from.as_deref()).is_some() {
            to.clone_from(from);
        }
    }
    head.expecting_correlation_id = None;
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
