//! Turns whose worker did not renew its lease.
//!
//! A worker renews the lease of a turn while it works on it. A turn without a renewal within
//! `lease_seconds` waits for another worker, at the step that was not finished. After `max_attempts`
//! it fails.

use super::timeouts::force_end;
use crate::Timestamp;
use crate::run::queue::promote::want_promotion;
use crate::run::rows::status::{StepStatus, TaskStatus};
use crate::run::rows::{Head, Inbox, Queue, StepRow};
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::turn::expiry::{Expiry, WORKER_LOST, lease_end};
use crate::run::turn::reads::{want_finish, want_whole_turn};
use crate::run::turn::release::{Cause, attempt_of, message_of, release};
use crate::run::turn::work::TurnWork;
use crate::run::wire::trace;
use crate::value::arguments::arguments;

arguments! {
    /// Releases a turn whose worker did not renew its lease. After `max_attempts` the turn fails.
    ///
    /// The example of [`ListDue`](crate::run::ListDue) shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct RecoverTurn {
        /// The agent.
        pub agent_id: String,
        shared terms: RunTerms,
    }
}

perform! {
    RecoverTurn -> bool { |call, tx| recover(tx, &call.agent_id) }
}

/// Returns the time at which the lease of a turn expired; `None` if it did not. `message` is the one that
/// started the turn.
pub(super) fn lost_at(
    tx: &Transaction<'_>,
    head: &Head,
    message: Option<&Inbox>,
) -> Option<Timestamp> {
    lease_end(tx, head, message).filter(|end| *end < tx.now())
}

/// Returns a turn whose worker is lost to its inbox, or fails it.
fn recover(tx: &mut Transaction<'_>, agent: &str) -> Run<bool> {
    want_whole_turn(tx, agent);
    want_promotion(tx, agent);
    tx.want::<Queue>(&[agent]);
    let Some(head) = tx.get::<Head>(&[agent])? else { return Ok(false) };
    let turn = head.active_agent_turn_id.clone().unwrap_or_default();
    want_finish(tx, agent, &turn, head.turn_epoch, head.output_box_id.as_deref());
    let Some(message) = message_of(tx, agent, &turn)? else { return Ok(false) };
    let Some(at) = lost_at(tx, &head, Some(&message)) else { return Ok(false) };
    let attempt = attempt_of(&message);
    if attempt >= tx.settings.max_attempts {
        force_end(tx, &head, Expiry { at, status: TaskStatus::Failed, error: WORKER_LOST })?;
        return Ok(true);
    }
    let steps = tx.list::<StepRow>("by_turn", &[agent, &turn], 64)?;
    let work = work_of(tx, &head, &steps);
    Ok(release(tx, &work, Cause::LeaseExpired(attempt.saturating_add(1), at))?.given_back)
}

/// Returns the work that the lost worker did.
fn work_of(tx: &mut Transaction<'_>, head: &Head, steps: &[StepRow]) -> TurnWork {
    let is_open =
        |step: &&StepRow| matches!(step.status, StepStatus::Started | StepStatus::ToolDispatched);
    let is_done = |step: &&StepRow| {
        let is_step =
            ["step_res_", "step_reap_"].iter().all(|stem| !step.step_id.starts_with(stem));
        is_step && matches!(step.status, StepStatus::Completed | StepStatus::Suspended)
    };
    let headers =
        trace::watchdog_headers(tx, head.trace_id.as_deref(), head.active_recursion_depth);
    TurnWork {
        step_id: steps.iter().rfind(is_open).map(|step| step.step_id.clone()),
        step_count: i64::try_from(steps.iter().filter(is_done).count()).unwrap_or(0),
        headers: headers.into(),
        ..TurnWork::of(head)
    }
}
