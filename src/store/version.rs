//! Versions of rows whose store has none.

use crate::value::hex::hex;
use crate::value::json::Json;
use sha2::{Digest, Sha256};

/// Returns the version of a row whose store has none: a hash of the row.
pub(super) fn implied_version(row: &Json) -> String {
    // the text of `jsonb`, so that a database can compute the same hash
    let text = row.jsonb_text().unwrap_or_else(|_| row.to_string());
    hex(Sha256::digest(text).get(..16).unwrap_or_default())
}
