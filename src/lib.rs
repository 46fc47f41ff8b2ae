//! Tuckbox: what exactly will the model see, and why?
#![forbid(unsafe_code)]

pub mod boxes;
pub mod card;
pub mod collect;
pub mod compose;
pub mod env;
pub mod error;
pub mod handoff;
pub mod id;
pub mod json;
pub mod limits;
pub mod lint;
pub mod message;
pub mod time;
pub mod tokens;

pub use boxes::CardBox;
pub use card::{Card, Content, Liveness, NewCard};
pub use env::{Env, Minter};
pub use error::{Code, Error, Path, Result};
pub use id::{AgentId, BatchId, BoxId, CardId, OperationId, ProjectId, TurnId};
pub use json::Json;
pub use limits::Limits;
pub use lint::Lint;
pub use message::Message;
pub use time::Timestamp;
