//! Handoff packages.

mod flow;
pub mod properties;
mod refusals;
