//! When a turn ends if no worker acts on it.
//!
//! A watchdog can look late. So the time at which a turn was due to end counts for its batch, not the
//! time at which a watchdog ends it.

use super::release::{attempt_of, released_at};
use crate::Timestamp;
use crate::run::rows::status::{HeadStatus, InboxStatus, TaskStatus};
use crate::run::rows::{Head, Inbox, StepRow};
use crate::run::transaction::Transaction;
use crate::run::values::text_of;

/// The error of a turn that no worker started.
pub(crate) const DISPATCH_TIMEOUT: &str = "dispatch_timeout";
/// The error of a turn without progress.
pub(crate) const NO_PROGRESS: &str = "timeout_reaped_by_watchdog";
/// The error of a turn that lost its last worker.
pub(crate) const WORKER_LOST: &str = "worker_lost";
/// The key of the time at which a turn was due to end, in the metadata of its last step.
const DUE_AT: &str = "due_at";

/// How and when a turn ends if no worker acts on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expiry {
    pub at: Timestamp,
    pub status: TaskStatus,
    pub error: &'static str,
}

/// Returns the time at which the lease of a turn expires; `None` if no worker has the turn. `message` is
/// the one that started it.
pub(crate) fn lease_end(
    tx: &Transaction<'_>,
    head: &Head,
    message: Option<&Inbox>,
) -> Option<Timestamp> {
    let seconds = tx.settings.lease_seconds;
    let is_claimed = match head.status {
        HeadStatus::Running => true,
        HeadStatus::Dispatched => {
            message.is_some_and(|message| message.status == InboxStatus::Processing)
        }
        HeadStatus::Idle | HeadStatus::Suspended => false,
    };
    // the reference systems fail such a turn after a longer time
    let expires = !tx.reference_behavior && seconds > 0 && is_claimed;
    expires.then(|| head.updated_at.plus_seconds(seconds))
}

/// Returns the end of a turn that no worker acts on; `None` if it waits without a limit.
pub(crate) fn expiry(tx: &Transaction<'_>, head: &Head, message: Option<&Inbox>) -> Option<Expiry> {
    let settings = tx.settings;
    let unstarted = |since: Timestamp| {
        let seconds = settings.dispatched_timeout_seconds;
        (seconds > 0).then(|| Expiry {
            at: since.plus_seconds(seconds),
            status: TaskStatus::Timeout,
            error: DISPATCH_TIMEOUT,
        })
    };
    let lost = lease_end(tx, head, message).zip(message);
    if let Some((at, message)) = lost {
        if attempt_of(message) >= settings.max_attempts {
            return Some(Expiry { at, status: TaskStatus::Failed, error: WORKER_LOST });
        }
        // the turn then waits for another worker
        return unstarted(at);
    }
    match head.status {
        HeadStatus::Idle => None,
        HeadStatus::Dispatched => {
            unstarted(message.and_then(released_at).unwrap_or(head.updated_at))
        }
        HeadStatus::Running | HeadStatus::Suspended => {
            let seconds = settings.active_timeout_seconds;
            let at = progress(head).plus_seconds(seconds);
            (seconds > 0).then_some(Expiry { at, status: TaskStatus::Failed, error: NO_PROGRESS })
        }
    }
}

/// Returns the time of the last progress of an active turn. A suspended one has until its deadline.
pub(crate) fn progress(head: &Head) -> Timestamp {
    let deadline = head.resume_deadline.filter(|_| head.status == HeadStatus::Suspended);
    deadline.map_or(head.updated_at, |deadline| deadline.max(head.updated_at))
}

/// Notes in the last step of a turn when the turn was due to end.
pub(crate) fn note_due(step: &mut StepRow, at: Timestamp) {
    step.metadata.insert(DUE_AT.into(), at.into());
}

/// Returns the step that ended its turn, and the time of that end; `None` if no step shows it.
pub(crate) fn last_step(steps: &[StepRow]) -> Option<(&StepRow, Timestamp)> {
    let step = steps.iter().rfind(|step| step.outcome.is_some())?;
    let due = text_of(&step.metadata, DUE_AT).and_then(|at| Timestamp::parse(&at));
    Some((step, due.or(step.ended_at)?))
}
