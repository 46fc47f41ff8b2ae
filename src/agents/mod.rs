//! Agents: how one hands work to another, and what the next turn of each sees.
//!
//! [`registry`] says who is there; [`recipe`] packs a context for somebody else under explicit rules;
//! [`turn`] reads the context that an agent's next turn gets.

mod lint;
mod profile;
pub mod recipe;
pub mod registry;
mod setup;
pub mod turn;

pub use lint::AgentLint;
pub(crate) use setup::Operations;
pub use setup::Setup;
