//! Failures of a store.

use crate::{Code, Error, Path};

/// The failure of a text that a store gave us: whatever is wrong with it is the store's fault.
pub(crate) fn store_fault(error: Error, name: &str) -> Error {
    error.as_code(Code::Store).within(&Path::root().key(name))
}
