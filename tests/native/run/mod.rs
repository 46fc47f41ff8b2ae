//! Orchestration.

mod limits;
mod reads;
mod recipes;
mod registry;
mod rules;
mod simulator;
mod simulator_progress;
