//! Watchdogs: what is due, and what to do about it, one agent at a time.

pub(super) mod due;
pub(super) mod prune;
pub(super) mod reclaim;
pub(super) mod recover;
pub(super) mod timeouts;
pub(super) mod wakeups;
