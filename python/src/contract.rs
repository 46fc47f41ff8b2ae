//! The contract of a store, run on a Python store.

use crate::json::to_json;
use pyo3::prelude::*;
use std::cell::RefCell;
use tuckbox::store::{Answers, Reads, Receipt, Store, Writes, testing};
use tuckbox::value::json::{Json, Object, to_text};
use tuckbox::{Error, Result};

/// A Python store, with the exception of its last method.
struct PythonStore<'a, 'py> {
    object: &'a Bound<'py, PyAny>,
    failed: RefCell<Option<PyErr>>,
}

impl PythonStore<'_, '_> {
    /// Calls a method with a value from JSON text. Returns the JSON of the answer.
    fn ask(&self, method: &str, subject: &str) -> Result<Json> {
        let py = self.object.py();
        let asked = || -> PyResult<String> {
            let value = py.import("tuckbox._json")?.call_method1("loads", (subject,))?;
            let answer = self.object.call_method1(method, (value,))?;
            match answer.extract::<String>() {
                Ok(text) => Ok(text),
                Err(_) => to_json(&answer, "store", method),
            }
        };
        match asked() {
            Ok(text) => Json::parse(&text),
            Err(error) => Err(self.noted(py, error)),
        }
    }

    /// Returns the error of an exception. Any other one than `conflict` is kept.
    fn noted(&self, py: Python<'_>, error: PyErr) -> Error {
        let value = error.value(py).clone();
        let message = error.to_string();
        let code = value.getattr("code").and_then(|code| code.extract::<String>());
        if !code.is_ok_and(|code| code == "conflict") {
            self.failed.replace(Some(error));
            return Error::store(message);
        }
        let details = value.getattr("details").and_then(|of| to_json(&of, "store", "details"));
        let details = details.ok().and_then(|text| Json::parse(&text).ok());
        let details = details.as_ref().and_then(Json::as_object).into_iter().flat_map(Object::iter);
        details.fold(Error::conflict(message), |conflict, (name, value)| {
            conflict.detail(name, value.clone())
        })
    }
}

impl Store for PythonStore<'_, '_> {
    fn read(&self, reads: &Reads) -> Result<Answers> {
        Answers::from_json(&self.ask("read", &to_text(reads)?)?, reads)
    }

    fn commit(&mut self, writes: &Writes) -> Result<Receipt> {
        Receipt::from_json(&self.ask("commit", &to_text(writes)?)?, writes)
    }
}

/// Returns the group and the name of each case of the contract.
#[pyfunction]
pub fn contract_cases() -> Vec<(&'static str, &'static str)> {
    testing::CASES.iter().map(|case| (case.group, case.name)).collect()
}

/// Runs a case of the contract in an empty project of a store. Returns how the store breaks it.
#[pyfunction]
pub fn run_contract_case(
    name: &str,
    store: &Bound<'_, PyAny>,
    project_id: &str,
) -> PyResult<Option<String>> {
    let mut store = PythonStore { object: store, failed: RefCell::new(None) };
    let case = testing::CASES.iter().find(|case| case.name == name);
    let outcome = case.map_or_else(
        || Err(format!("the contract has no case `{name}`")),
        |case| case.run(&mut store, project_id),
    );
    match (outcome, store.failed.into_inner()) {
        (Ok(()), _) => Ok(None),
        // a store that raises another error than `conflict` is broken
        (Err(problem), Some(error)) => Ok(Some(format!("{problem} ({error})"))),
        (Err(problem), None) => Ok(Some(problem)),
    }
}
