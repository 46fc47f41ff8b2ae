//! Tuckbox: what exactly will the model see, and why?
#![forbid(unsafe_code)]

pub mod error;
pub mod json;
pub mod lint;
pub mod message;

pub use error::{Code, Error, Path, Result};
pub use json::Json;
pub use lint::Lint;
pub use message::Message;
