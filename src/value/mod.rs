//! Values that everything rests on: JSON, errors with paths, ids, time, cards, boxes, messages.
//!
//! Nothing here knows a store, a rule or a host. [`env`](mod@env) brings time and randomness in as
//! arguments.

pub mod boxes;
mod cached_message;
pub mod card;
pub(crate) mod code;
pub mod env;
pub mod error;
pub(crate) mod find;
pub(crate) mod hex;
pub mod id;
pub mod ids;
pub mod json;
pub mod limits;
pub(crate) mod lower;
pub mod message;
mod shared_text;
pub(crate) mod sort;
pub(crate) mod str_map;
pub mod time;

pub use cached_message::CachedMessage;
pub use shared_text::SharedText;
pub use str_map::{Map, Set, seed as seed_hashing};
