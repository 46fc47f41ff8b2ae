//! Packing, handovers and turn views.

mod authority;
mod handover;
mod merge;
pub mod oracle;
mod packing;
mod preview;
mod recipe_errors;
mod turn_views;
pub mod world;
