//! Rows of stores as JSON text: in memory, or looked up by a Python object.

use crate::error::{caused, raised, work};
use pyo3::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tuckbox::store::shelves::{ShelfChange, Shelves, commit_text, place, read_text};
use tuckbox::value::json::Json;
use tuckbox::{Error, Result};

/// A change to a shelf: the shelf, the key, and the text; without a text the row is deleted.
type Change = (String, String, Option<String>);

/// Rows by shelf and key.
#[derive(Default)]
struct Project(BTreeMap<String, BTreeMap<String, String>>);

impl Project {
    fn put(&mut self, change: ShelfChange) {
        let ShelfChange { shelf, key, text } = change;
        let shelf = self.0.entry(shelf).or_default();
        match text {
            Some(text) => _ = shelf.insert(key, text),
            None => _ = shelf.remove(&key),
        }
    }
}

impl Shelves for Project {
    fn find(&self, shelf: &str, key: &str) -> Result<Option<String>> {
        Ok(self.0.get(shelf).and_then(|rows| rows.get(key)).cloned())
    }

    fn all(&self, shelf: &str) -> Result<Vec<String>> {
        Ok(self.0.get(shelf).into_iter().flat_map(BTreeMap::values).cloned().collect())
    }

    fn paths(&self) -> Result<Vec<String>> {
        Ok(self.0.get("files").into_iter().flat_map(BTreeMap::keys).cloned().collect())
    }
}

/// The rows of a store in memory, by project. Threads can share it.
#[pyclass(frozen, module = "tuckbox._native")]
pub struct MemoryRows(Mutex<BTreeMap<String, Project>>);

impl MemoryRows {
    fn locked(&self) -> MutexGuard<'_, BTreeMap<String, Project>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the project of the JSON text of reads or writes.
fn project_of(text: &[u8]) -> Result<String> {
    let json = Json::parse_bytes(text, &tuckbox::value::json::ParseLimits::default())?;
    let id = json.get("project_id").and_then(Json::as_str);
    id.map(str::to_owned).ok_or_else(|| Error::store("the project is missing"))
}

#[pymethods]
impl MemoryRows {
    /// Creates an empty store.
    #[new]
    fn new() -> Self {
        Self(Mutex::default())
    }

    /// Answers the JSON text of reads.
    fn read(&self, py: Python<'_>, reads: &str) -> PyResult<String> {
        work(py, || {
            let project_id = project_of(reads.as_bytes())?;
            let projects = self.locked();
            let none = Project::default();
            read_text(reads.as_bytes(), projects.get(&project_id).unwrap_or(&none))
        })
    }

    /// Applies the JSON text of a batch, or nothing. Returns the receipt.
    fn commit(&self, py: Python<'_>, batch: &str) -> PyResult<String> {
        work(py, || {
            let project_id = project_of(batch.as_bytes())?;
            let mut projects = self.locked();
            let project = projects.entry(project_id).or_default();
            let decided = commit_text(batch.as_bytes(), project)?;
            decided.changes.into_iter().for_each(|change| project.put(change));
            Ok(decided.receipt)
        })
    }

    /// Puts a row verbatim.
    fn put(
        &self,
        py: Python<'_>,
        project_id: &str,
        shelf: &str,
        row: &str,
        version: &str,
    ) -> PyResult<()> {
        work(py, || {
            let change = place(shelf, row.as_bytes(), version)?;
            self.locked().entry(project_id.to_owned()).or_default().put(change);
            Ok(())
        })
    }
}

/// Rows that a Python object looks up, with the exception of its last method.
struct Looked<'a, 'py> {
    object: &'a Bound<'py, PyAny>,
    failed: RefCell<Option<PyErr>>,
}

impl Looked<'_, '_> {
    fn noted<T>(&self, found: PyResult<T>) -> Result<T> {
        found.map_err(|error| {
            let message = format!("the store cannot read its rows: {error}");
            self.failed.replace(Some(error));
            Error::store(message)
        })
    }

    /// Returns the exception of a method as the cause of an error.
    fn raised<T>(self, done: Result<T>) -> PyResult<T> {
        let py = self.object.py();
        done.map_err(|error| match self.failed.into_inner() {
            Some(cause) => caused(py, &error, cause),
            None => raised(py, &error),
        })
    }
}

impl Shelves for Looked<'_, '_> {
    fn find(&self, shelf: &str, key: &str) -> Result<Option<String>> {
        self.noted(self.object.call_method1("find", (shelf, key)).and_then(|row| row.extract()))
    }

    fn all(&self, shelf: &str) -> Result<Vec<String>> {
        self.noted(self.object.call_method1("all", (shelf,)).and_then(|rows| rows.extract()))
    }

    fn paths(&self) -> Result<Vec<String>> {
        self.noted(self.object.call_method0("paths").and_then(|paths| paths.extract()))
    }
}

/// Answers the JSON text of reads from rows that `shelves` looks up with `find`, `all` and `paths`.
#[pyfunction]
pub fn read_rows(shelves: &Bound<'_, PyAny>, reads: &str) -> PyResult<String> {
    let looked = Looked { object: shelves, failed: RefCell::new(None) };
    let done = read_text(reads.as_bytes(), &looked);
    looked.raised(done)
}

/// Decides the JSON text of a batch on rows that `shelves` looks up. Returns the receipt and the
/// changes to write.
#[pyfunction]
pub fn commit_rows(shelves: &Bound<'_, PyAny>, batch: &str) -> PyResult<(String, Vec<Change>)> {
    let looked = Looked { object: shelves, failed: RefCell::new(None) };
    let done = commit_text(batch.as_bytes(), &looked);
    let decided = looked.raised(done)?;
    Ok((decided.receipt, decided.changes.into_iter().map(change).collect()))
}

/// Returns the change that puts a row verbatim.
#[pyfunction]
pub fn place_row(py: Python<'_>, shelf: &str, row: &str, version: &str) -> PyResult<Change> {
    work(py, || place(shelf, row.as_bytes(), version)).map(change)
}

fn change(of: ShelfChange) -> Change {
    (of.shelf, of.key, of.text)
}
