//! Orchestration.

mod limits;
mod pinned;
mod prune;
mod reads;
mod recipes;
mod registry;
mod rules;
mod simulator;
mod simulator_progress;
mod tool_results;
mod turn_result;
