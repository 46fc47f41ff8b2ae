//! A message that a call sends.

use crate::value::json::{Json, Object};
use serde::Serialize;

/// A message that the host sends after the commit.
///
/// The example of [`Enqueue`](crate::run::Enqueue) shows a call that sends one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Message {
    /// The subject.
    pub subject: String,
    /// The payload.
    pub payload: Json,
    /// The headers; absent if it has none.
    pub headers: Option<Object>,
    /// True for a message that no transport stores.
    pub core: bool,
}
