//! **What exactly will the model see, and why?**
//!
//! Agents hand work to each other by packing context. In the systems Tuckbox serves, everything
//! is an immutable [card](Card); an ordered list of card ids is a [box](CardBox); a turn of an
//! agent sees one context box and its own output box and nothing else; sharing happens only by
//! packing a new box under explicit rules.
//!
//! This crate is the pure core of that: **it never reads, writes, asks for the time or rolls
//! dice.** A [rule] is a function from what is known to an answer, or to what it still
//! needs to know. A preview *is* the commit that has not happened yet, and a [ledger](rule::ledger) says of
//! every card why it is there.
//!
//! # A first example
//! ```
//! use tuckbox::store::{MemoryStore, Profile, Snapshot, Store};
//! use tuckbox::{Env, Handover, PackContext, Timestamp, json, rule};
//!
//! // a project with a profile and a box of two cards
//! let mut store = MemoryStore::new();
//! store.project("demo").add_profile(Profile::new("Writer", "pb_writer")).add_box("notes", ["n1", "n2"]);
//!
//! // hand the notes and an instruction to a writer
//! let handover =
//!     Handover::builder().argument("instruction").inherit("boxes").include_parent().build();
//! let arguments = json!({"profile_name": "writer", "instruction": "Draft it.", "boxes": ["notes"]});
//! let call = PackContext::new("delegate", "agent_a", arguments, handover);
//! let env = Env::new(Timestamp::from_millis(1_767_522_600_000), [7; 32]);
//! let preview = rule::preview(&call, &mut Snapshot::new("demo".into()), &env, &store)?;
//!
//! // what the writer will see, and why
//! let entries = preview.ledger.boxes[0].entries(0..4);
//! assert_eq!(entries[1].card_id, "n1");
//! assert_eq!(tuckbox::value::json::to_json(&entries[1].cause)?.to_string(),
//!     r#"{"kind":"inherited","box_id":"notes","position":0,"path":"arguments.boxes[0]"}"#);
//!
//! // make it real
//! store.commit(&preview.writes)?;
//! # Ok::<(), tuckbox::Error>(())
//! ```
//!
//! # Where to look
//! The modules are groups in an order: a lower one knows nothing of a higher one.
//! - [`value`]: JSON, errors with paths, ids, time, cards, boxes, messages
//! - [`store`]: what a host provides, and what is read and written
//! - [`rule`]: the spine: steps, outcomes, ledger, lints, merge, hashes, dialects
//! - [`cards`]: operations on cards and boxes
//! - [`pack`]: `pack_context`, and [`Handover`]s made in Rust
//! - [`render`]: one card as one message
//! - [`agents`]: recipes that hand work over, and the turn of each agent
//! - [`prompt`]: layers, memory, the request of each provider, tokens, budgets
//! - [`handoff`]: packages of paths instead of content
//! - [`import`]: records of other tools
//! - [`inspect`]: views for people
//! - [`call`]: calls as JSON, for bindings; [`Settings`] and [`Workspace`]
#![forbid(unsafe_code)]

/// Says what a value looks like that does not derive `Serialize`, and what an operation answers that
/// writes JSON. It compiles to nothing: `cargo xtask test --only results` reads it, as it reads what
/// derives, makes the TypeScript types of both, and holds real answers against them.
///
/// Inside stand structs and enums as serde would write them, and `fn operation() -> Answer;`.
/// `Maybe<T>` is a field that may be absent, `Word<"a", "b">` is one of some words.
macro_rules! shape {
    ($($said:tt)*) => {};
}

pub mod agents;
pub mod call;
pub mod cards;
pub mod handoff;
pub mod import;
pub mod inspect;
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

/// The example of the README, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;

/// The examples of the how-to pages, run as tests.
#[cfg(doctest)]
mod how_to {
    #[doc = include_str!("../docs/how-to/delegate.md")]
    struct Delegate;
    #[doc = include_str!("../docs/how-to/cards-to-request.md")]
    struct CardsToRequest;
    #[doc = include_str!("../docs/how-to/memory.md")]
    struct Memory;
}
