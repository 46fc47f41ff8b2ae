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
//! use tuckbox::{Env, Json, PackContext, Timestamp, rule};
//!
//! // a project with a profile and a box of two cards
//! let mut store = MemoryStore::new();
//! store.project("demo").add_profile(Profile::new("Writer", "pb_writer")).add_box("notes", ["n1", "n2"]);
//!
//! // hand the notes and an instruction to a writer
//! let call = PackContext::new(
//!     "delegate",
//!     "agent_a",
//!     Json::parse(r#"{"profile_name": "writer", "instruction": "Draft it.", "boxes": ["notes"]}"#)?,
//!     Json::parse(r#"{"context_packing_config": {
//!         "pack_arguments": [{"arg_key": "instruction"}],
//!         "inherit_context": {"include_boxes_from_args": ["boxes"], "include_parent": true}}}"#)?,
//! );
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
//! The groups, in the order in which they build on each other; a lower one never imports a higher:
//! - [`value`]: JSON, errors, ids, time, cards, boxes, messages
//! - [`store`]: what a host provides: reads, answers, one atomic batch of writes
//! - [`rule`]: the spine: a rule, its outcome, ledger, audit, warnings, hashes, the merge
//! - [`cards`] and [`pack`]: cards and boxes, and packing a context
//! - [`render`]: a card as a message
//! - [`agents`]: recipes and turns
//! - [`prompt`]: from layers and cards to a provider's request, its tokens and its budget
//! - [`handoff`]: packages of paths instead of content
//! - [`inspect`]: looking at it all
//! - [`call`]: every operation as JSON, and the resident workspace of a binding
#![forbid(unsafe_code)]

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
pub mod store;
pub mod value;

pub use call::settings::Settings;
pub use call::workspace::Workspace;
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
