//! Orchestration.

mod limits;
mod reads;
mod recipes;
mod registry;
mod simulator;
mod simulator_progress;
