//! Tuckbox: what exactly will the model see, and why?
#![forbid(unsafe_code)]

pub mod boxes;
pub mod card;
pub mod cardstore;
pub mod collect;
pub mod compose;
pub mod door;
pub mod env;
pub mod error;
pub mod handoff;
pub mod hash;
pub mod id;
pub mod ids;
pub mod inspect;
pub mod json;
pub mod ledger;
pub mod limits;
pub mod lint;
pub mod merge;
pub mod message;
pub mod pack;
pub mod rule;
pub mod store;
pub mod time;
pub mod tokens;
pub mod workspace;

pub use boxes::CardBox;
pub use card::{Card, Content, Liveness, NewCard};
pub use env::{Env, Minter};
pub use error::{Code, Error, Path, Result};
pub use id::{AgentId, BatchId, BoxId, CardId, OperationId, ProjectId, TurnId};
pub use json::Json;
pub use limits::Limits;
pub use lint::Lint;
pub use message::Message;
pub use pack::{Dialect, PackContext, Packed};
pub use rule::{Outcome, Rule, Step};
pub use store::{MemoryStore, Reads, Snapshot, Store, Writes};
pub use time::Timestamp;
pub use workspace::Workspace;
