//! The component: the exports of `wit/tuckbox.wit`. It contains no rules.
//!
//! - `steps` is the loop of [`rule`](tuckbox::rule) for hosts that do their own IO.
//! - `project` drives the same loop and calls the imported `store`.
//! - `operations` converts typed records to calls, and results to records.
//!
//! Values cross as JSON text, which keeps every digit and the order of keys. No function holds a
//! borrow while the host runs.

#![cfg(target_arch = "wasm32")]

mod arguments;
mod operations;
mod project;
mod results;
mod steps;

use bindings::tuckbox::core::types;
use tuckbox::{Code, Env, Error, Json, Result, Timestamp};
use tuckbox_allocator as _;

/// The generated bindings.
#[allow(missing_docs, clippy::all, clippy::restriction, unsafe_op_in_unsafe_fn)]
mod bindings {
    wit_bindgen::generate!({ path: "../wit", world: "core" });
}

/// The exports.
struct Component;

bindings::export!(Component with_types_in bindings);

/// The result of an export.
type Exported<T> = std::result::Result<T, types::Error>;

impl From<Error> for types::Error {
    fn from(error: Error) -> Self {
        Self {
            code: match error.code() {
                Code::BadRequest => types::Code::BadRequest,
                Code::NotFound => types::Code::NotFound,
                Code::InvalidContent => types::Code::InvalidContent,
                Code::AuthFailed => types::Code::AuthFailed,
                Code::Conflict => types::Code::Conflict,
                Code::Limit => types::Code::Limit,
                _ => types::Code::Store,
            },
            path: error.path().to_string(),
            message: error.message().to_owned(),
            details: Json::Object(error.details().clone()).to_string(),
        }
    }
}

/// Reads the environment of a call and seeds the hash maps, before any untrusted input is read.
fn env(of: types::Env) -> Result<Env> {
    let Ok(entropy) = of.entropy.as_slice().try_into() else {
        return Err(Error::bad_request("`entropy` must be 32 bytes long"));
    };
    tuckbox::value::seed_hashing(&entropy);
    Ok(Env::new(Timestamp::from_millis(of.now_ms), entropy))
}
