//! Errors of a store.

use crate::{Code, Error, Path};

/// Converts an error about text from a store to a `store` error at `name`.
pub(crate) fn store_error(error: Error, name: &str) -> Error {
    error.as_code(Code::Store).within(&Path::root().key(name))
}
