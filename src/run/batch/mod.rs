//! Batches: tasks that are dispatched together and joined.

pub(super) mod answer;
pub(super) mod child_event;
pub(super) mod create;
pub(super) mod dispatch;
pub(super) mod end;
pub(super) mod reads;
pub(super) mod recipe;
pub(super) mod reconcile;
pub(super) mod result;
mod settle;
