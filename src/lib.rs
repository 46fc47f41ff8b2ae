//! Tuckbox: what exactly will the model see, and why?
#![forbid(unsafe_code)]

pub mod error;
pub mod json;

pub use error::{Code, Error, Path, Result};
pub use json::Json;
