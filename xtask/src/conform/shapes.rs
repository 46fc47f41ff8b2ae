//! Every answer of the native core to a recorded call looks as its shape says, and so as the types of
//! the package say.

use crate::check::results::{self, Results};
use std::panic::resume_unwind;
use std::sync::OnceLock;
use tuckbox::Json;

/// Holds an answer against the shape of its operation. One that differs fails the case, whatever the
/// case expects.
pub fn hold(operation: &str, answer: &Json) {
    static SHAPES: OnceLock<Result<Results, String>> = OnceLock::new();
    let shapes = SHAPES.get_or_init(|| results::read().map_err(|fault| format!("{fault:#}")));
    let fault = match shapes {
        Ok(shapes) => shapes.misfit(operation, answer),
        Err(fault) => Some(fault.clone()),
    };
    if let Some(fault) = fault {
        let told = format!("the answer is not what its shape says: {fault}");
        resume_unwind(Box::new(told));
    }
}

/// As [`hold`], for a call that names its operation.
pub fn hold_call(call: &Json, answer: &Json) {
    hold(call.get("op").and_then(Json::as_str).unwrap_or_default(), answer);
}
