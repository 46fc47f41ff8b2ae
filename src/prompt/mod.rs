//! From layers and cards to the exact request of a provider, with every token counted.
//!
//! [`collect`] gathers named context, [`compose`] puts the layers in their fixed order, [`memory`]
//! keeps what outlives a call, [`provider`] makes the request and reports what had to change,
//! [`tokens`] counts it, [`budget`] fits it into a window and [`diff`] compares two requests.

pub mod budget;
pub mod collect;
pub mod compose;
pub mod diff;
mod lint;
pub mod memory;
pub mod provider;
pub mod tokens;

#[cfg(test)]
mod tests;

pub use lint::PromptLint;
