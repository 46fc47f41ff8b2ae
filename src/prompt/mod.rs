//! From layers and cards to the exact request of a provider, with every token counted.
//!
//! - [`collect`] makes the named blocks of context
//! - [`compose`] puts the layers in their fixed order
//! - [`memory`] stores and summarizes a conversation
//! - [`provider`] makes the request and reports each change of the conversion
//! - [`tokens`] counts a request, and [`budget`] fits it into a window
//! - [`request`] makes the request of a turn, as its profile sets it
//! - [`diff`] compares two requests
//! - [`cache`] explains what a provider's cache reads
//!
//! ```
//! use tuckbox::prompt::compose::{ComposeInput, Process, Query, compose};
//! use tuckbox::prompt::provider::{Options, Prompt, Provider, payload};
//! use tuckbox::prompt::tokens::{Estimate, account};
//!
//! let input = ComposeInput::new(Process::React, "You review.", Query::Runtime("Is clause 9 fine?".into()))
//!     .with_context("knowledge__context", "Notice periods are in calendar days.");
//! let prompt = Prompt::from(compose(&input)?);
//! let request = payload(&prompt, Provider::OpenaiChat, &Options::model("some-model"))?;
//! assert!(request.losses().is_empty());
//! assert!(account(&request, &Estimate).tokens > 10);
//! # Ok::<(), tuckbox::Error>(())
//! ```

pub mod budget;
pub mod cache;
pub mod collect;
pub mod compose;
pub mod diff;
mod lint;
pub mod memory;
pub mod provider;
pub mod request;
pub mod tokens;

#[cfg(test)]
mod tests;

pub use lint::PromptLint;
