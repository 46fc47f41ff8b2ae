//! Messages to agents: enqueue, report and cancel, the promotion of queued turns, and the roster.

pub(super) mod answer;
pub(super) mod boxes;
pub(super) mod cancel;
mod conversation;
pub(super) mod dispatch;
pub(super) mod edge;
pub(super) mod enqueue;
pub(super) mod identity;
pub(super) mod inbox;
pub(super) mod lease;
pub(super) mod promote;
pub(super) mod report;
pub(super) mod roster;
pub(super) mod send;
pub(super) mod wakeup;
