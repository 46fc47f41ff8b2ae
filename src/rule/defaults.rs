//! What a call gets where it does not say otherwise.

use super::{Composer, Dialect};
use crate::value::limits::Limits;

/// What a call gets where it does not say otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Defaults {
    /// The rule dialect of calls that name none.
    pub dialect: Dialect,
    /// What new cards may hold.
    pub limits: Limits,
    /// How prompts are composed. No call can say otherwise.
    pub composer: Composer,
}
