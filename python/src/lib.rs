//! The native module of the Python package `tuckbox`. It contains no rules.
//!
//! A Python host drives a [`Run`](run::Run) with the loop of [`rule`](tuckbox::rule). Values cross as
//! JSON text, which keeps every digit and the order of keys. [`json`] writes the text of Python
//! values. [`objects`] creates the entries of ledgers, of which a call can have many. The interpreter's
//! lock is released while the core works. A panic of the core is an error, so the build must not abort on
//! panics.

#![forbid(unsafe_code)]

mod contract;
mod error;
mod fork;
mod import;
mod json;
mod objects;
mod run;
mod shelves;

use pyo3::prelude::*;

/// The native module of `tuckbox`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::contract::{contract_cases, run_contract_case};
    #[pymodule_export]
    use super::fork::{after_fork, before_fork};
    #[pymodule_export]
    use super::import::ImportStream;
    #[pymodule_export]
    use super::json::to_json;
    #[pymodule_export]
    use super::operations;
    #[pymodule_export]
    use super::run::{Run, Workspace};
    #[pymodule_export]
    use super::shelves::{MemoryRows, commit_rows, place_row, read_rows};
}

/// Returns the names of all operations.
#[pyfunction]
fn operations() -> Vec<&'static str> {
    tuckbox::call::operations().collect()
}
