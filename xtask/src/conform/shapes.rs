//! Checks every native answer to a recorded call against its shape, and so against the types of the
//! package.

use crate::check::schema::{self, Results};
use std::panic::resume_unwind;
use std::sync::OnceLock;
use tuckbox::Json;

/// Checks an answer against the shape of its operation. A mismatch fails the case.
pub fn check(operation: &str, answer: &Json) {
    static SHAPES: OnceLock<Result<Results, String>> = OnceLock::new();
    let shapes = SHAPES.get_or_init(|| schema::read().map_err(|error| format!("{error:#}")));
    let error = match shapes {
        Ok(shapes) => shapes.misfit(operation, answer),
        Err(error) => Some(error.clone()),
    };
    if let Some(error) = error {
        let message = format!("the answer does not match its shape: {error}");
        resume_unwind(Box::new(message));
    }
}

/// Does the same as [`check`], for a call that names its operation.
pub fn check_call(call: &Json, answer: &Json) {
    check(call.get("op").and_then(Json::as_str).unwrap_or_default(), answer);
}
