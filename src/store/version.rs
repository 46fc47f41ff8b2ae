//! Hashes as text: the version of a row whose store keeps none, the hash of a batch.

use crate::value::json::Json;
use sha2::{Digest, Sha256};

/// The version of a row whose store keeps none: a hash of what can be seen of it.
pub(super) fn implied_version(row: &Json) -> String {
    // the text of `jsonb`, so that a database can work it out as well
    let text = row.jsonb_text().unwrap_or_else(|_| row.to_string());
    hex(Sha256::digest(text).get(..16).unwrap_or_default())
}

/// Bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
