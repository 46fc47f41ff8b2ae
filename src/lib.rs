//! Assembles, previews and explains the context that a model receives.
//!
//! Agents pass work to each other by packing context. All information is in immutable
//! [cards](Card). A [box](CardBox) is an ordered list of card ids. A turn of an agent sees one context
//! box and its own output box. Agents share cards only by packing a new box under explicit rules.
//!
//! This crate is the pure core: it performs no IO and uses no clock and no randomness. A [rule] is
//! a function that returns either an outcome or the reads that it still needs. A preview is an
//! uncommitted outcome. A [ledger](rule::ledger) has the reason for each card.
//!
//! # Quick start
//! ```
//! use tuckbox::store::{MemoryStore, Profile, Snapshot, Store};
//! use tuckbox::{Env, Handover, PackContext, Timestamp, json, rule};
//!
//! // a project with a profile and a box of two cards
//! let mut store = MemoryStore::new();
//! store.project("demo").add_profile(Profile::new("Writer", "pb_writer")).add_box("notes", ["n1", "n2"]);
//!
//! // pack the notes and an instruction for a writer
//! let handover =
//!     Handover::builder().argument("instruction").inherit("boxes").include_parent().build();
//! let arguments = json!({"profile_name": "writer", "instruction": "Draft it.", "boxes": ["notes"]});
//! let call = PackContext::new("delegate", "agent_a", arguments, handover);
//! let env = Env::new(Timestamp::from_millis(1_767_522_600_000), [7; 32]);
//! let preview = rule::preview(&call, &mut Snapshot::new("demo".into()), &env, &store)?;
//!
//! // the reason for each card that the writer will see
//! let entries = preview.ledger.boxes[0].entries(0..4);
//! assert_eq!(entries[1].card_id, "n1");
//! assert_eq!(tuckbox::value::json::to_json(&entries[1].cause)?.to_string(),
//!     r#"{"kind":"inherited","box_id":"notes","position":0,"path":"arguments.boxes[0]"}"#);
//!
//! // one atomic batch
//! store.commit(&preview.writes)?;
//! # Ok::<(), tuckbox::Error>(())
//! ```
//!
//! # Modules
//! The modules are ordered groups: a lower one never imports a higher one.
//! - [`value`]: JSON, errors with paths, ids, time, cards, boxes, messages
//! - [`store`]: the rows that a host reads and writes, the [`Store`] trait, [`MemoryStore`]
//! - [`rule`]: steps, outcomes, ledger, lints, merge, hashes, dialects
//! - [`cards`]: operations on cards and boxes
//! - [`pack`]: `pack_context`, and [`Handover`]s built in Rust
//! - [`render`]: one card as one message
//! - [`agents`]: recipes that delegate work, turn views, the registry
//! - [`prompt`]: layers, memory, requests to providers, tokens, budgets
//! - [`handoff`]: packages of paths instead of content
//! - [`run`]: orchestration: queues, turns, batches
//! - [`import`]: logs of other tools
//! - [`inspect`]: views for people
//! - [`lock`]: lockfiles of contexts
//! - [`call`]: calls as JSON, for bindings; [`Settings`] and [`Workspace`]
#![forbid(unsafe_code)]

/// Declares the JSON of a value that does not derive `Serialize`, and the arguments and answers of
/// operations. It expands to nothing. `cargo xtask test --only schema` reads it, generates the
/// TypeScript types and the schema, and checks real answers against them.
///
/// It contains structs and enums in the form of serde, and `fn operation(arguments: Arguments) ->
/// Answer;`, where either can be missing. `Maybe<T>` is a member that can be missing. `Word<"a",
/// "b">` is one of some words. `OrText<T>` is also accepted as JSON text. `Loose<T>` is coerced.
macro_rules! shape {
    ($($body:tt)*) => {};
}

pub mod agents;
pub mod call;
pub mod cards;
pub mod handoff;
pub mod import;
pub mod inspect;
pub mod lock;
pub mod pack;
pub mod prompt;
pub mod render;
pub mod rule;
pub mod run;
pub mod store;
pub mod value;

pub use call::settings::Settings;
pub use call::workspace::Workspace;
pub use pack::builder::{Handover, HandoverBuilder};
pub use pack::{PackContext, Packed};
pub use rule::lint::Lint;
pub use rule::{Dialect, Outcome, Rule, Step};
pub use store::{MemoryStore, Reads, Snapshot, Store, Writes};
pub use value::boxes::CardBox;
pub use value::card::{Card, Content, Liveness, NewCard};
pub use value::env::{Env, Minter};
pub use value::error::{Code, Error, Path, Result};
pub use value::id::{AgentId, BatchId, BoxId, CardId, OperationId, ProjectId, TurnId};
pub use value::json::Json;
pub use value::limits::Limits;
pub use value::message::Message;
pub use value::time::Timestamp;

/// Runs the Rust examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;

/// Runs the Rust examples of the how-to pages.
#[cfg(doctest)]
mod how_to {
    #[doc = include_str!("../docs/how-to/delegate.md")]
    struct Delegate;
    #[doc = include_str!("../docs/how-to/cards-to-request.md")]
    struct CardsToRequest;
    #[doc = include_str!("../docs/how-to/memory.md")]
    struct Memory;
}
