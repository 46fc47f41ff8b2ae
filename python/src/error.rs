//! Errors of the core as `tuckbox.TuckboxError`, and work without the interpreter's lock.

use crate::fork;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tuckbox::{Error, Json};

/// The code of an error of the core itself.
const TRAP: &str = "trap";

static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Returns an error of the core as an exception.
pub fn raised(py: Python<'_>, error: &Error) -> PyErr {
    let details = Json::Object(error.details().clone()).to_string();
    let path = error.path().to_string();
    exception(py, error.code().as_str(), error.message(), &path, &details)
}

/// Returns an error of the core as an exception that another one caused.
pub fn caused(py: Python<'_>, error: &Error, cause: PyErr) -> PyErr {
    let exception = raised(py, error);
    exception.set_cause(py, Some(cause));
    exception
}

fn exception(py: Python<'_>, code: &str, message: &str, path: &str, details: &str) -> PyErr {
    match CLASS.import(py, "tuckbox._error", "TuckboxError") {
        Ok(class) => match class.call_method1("_of", (code, message, path, details)) {
            Ok(value) => PyErr::from_value(value),
            Err(error) => error,
        },
        Err(error) => error,
    }
}

/// Runs work of the core without the interpreter's lock. A panic becomes an exception.
pub fn work<T: Send>(
    py: Python<'_>,
    of: impl FnOnce() -> tuckbox::Result<T> + Send,
) -> PyResult<T> {
    let working = || {
        let _delayed = fork::delayed();
        catch_unwind(AssertUnwindSafe(of))
    };
    match py.detach(working) {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(raised(py, &error)),
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            Err(exception(py, TRAP, &format!("the core stopped: {text}"), "", "{}"))
        }
    }
}
