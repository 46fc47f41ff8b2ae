//! Basic values: JSON, errors with paths, ids, time, cards, boxes and messages.
//!
//! These modules do not depend on a store, a rule or a host. Callers pass time and random bytes in
//! an [`Env`](env::Env).
//!
//! ```
//! use tuckbox::{CardBox, Code, json};
//! use tuckbox::value::json::Field;
//!
//! // errors of a `Field` have the exact path
//! let row = json!({"box_id": "notes", "card_ids": ["n1", 2]});
//! let error = CardBox::from_row(&Field::new(&row, Code::Store)).unwrap_err();
//! assert_eq!(error.to_string(), "store at `card_ids[1]`: expected a string, found a number");
//! ```

pub mod arguments;
pub mod boxes;
mod cached_message;
pub mod card;
pub(crate) mod code;
pub mod env;
pub mod error;
pub(crate) mod find;
mod framework_messages;
pub(crate) mod hex;
pub mod id;
pub mod ids;
pub mod json;
pub mod limits;
pub mod message;
mod shared_text;
pub(crate) mod sort;
pub(crate) mod str_map;
pub mod time;
pub(crate) mod tool_blocks;

pub use cached_message::CachedMessage;
pub use shared_text::SharedText;
pub use str_map::{Map, Set, seed as seed_hashing};
