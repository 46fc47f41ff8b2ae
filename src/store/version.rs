//! The version of a row whose store keeps none.

use crate::value::hex::hex;
use crate::value::json::Json;
use sha2::{Digest, Sha256};

/// The version of a row whose store keeps none: a hash of what can be seen of it.
pub(super) fn implied_version(row: &Json) -> String {
    // the text of `jsonb`, so that a database can work it out as well
    let text = row.jsonb_text().unwrap_or_else(|_| row.to_string());
    hex(Sha256::digest(text).get(..16).unwrap_or_default())
}
