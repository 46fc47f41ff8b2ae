//! A workspace, and one call with its outcome.

use crate::error::work;
use crate::objects;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tuckbox::call::workspace::Run as StartedRun;
use tuckbox::rule::AnyOutcome;
use tuckbox::value::json::{Field, Json, to_text};
use tuckbox::{Env, Error, Result, Settings, Timestamp};

/// Locks without poisoning: after a panic the next call reads its rows again.
fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The rows of one project that were read so far. Threads can share it; calls run one at a time.
#[pyclass(frozen, module = "tuckbox._native")]
pub struct Workspace(Mutex<tuckbox::Workspace>);

#[pymethods]
impl Workspace {
    /// Creates an empty workspace with settings as JSON text.
    #[new]
    fn new(py: Python<'_>, settings: &str) -> PyResult<Self> {
        work(py, || {
            let settings = Json::parse(settings)?;
            let settings = Settings::from_json(&Field::root(&settings))?;
            Ok(Self(Mutex::new(tuckbox::Workspace::with_settings(settings))))
        })
    }

    /// Starts a call. Returns the run, and the reads that it needs as JSON text; `None` when it is
    /// done. `op` is the operation, or empty if the arguments contain it.
    fn start(
        &self,
        py: Python<'_>,
        op: &str,
        call: &str,
        now_ms: i64,
        entropy: &[u8],
    ) -> PyResult<(Run, Option<String>)> {
        work(py, || {
            let Ok(entropy) = entropy.try_into() else {
                return Err(Error::bad_request("`entropy` must be 32 bytes long"));
            };
            // seed the hash maps before any untrusted input is read
            tuckbox::value::seed_hashing(&entropy);
            let mut workspace = locked(&self.0);
            let mut call = workspace.read_call(call.as_bytes())?;
            if let (false, Json::Object(fields)) = (op.is_empty(), &mut call) {
                fields.insert("op".to_owned(), op.into());
            }
            let env = Env::new(Timestamp::from_millis(now_ms), entropy);
            let mut run = workspace.begin(call, env)?;
            let reads = workspace.step(&mut run)?.map(to_text).transpose()?;
            Ok((Run(Mutex::new(run)), reads))
        })
    }

    /// Adds the answers of a store. Returns the next reads, or `None` when the run is done.
    fn answer(&self, py: Python<'_>, run: &Run, answers: &[u8]) -> PyResult<Option<String>> {
        work(py, || {
            let (mut workspace, mut run) = (locked(&self.0), locked(&run.0));
            workspace.answer_text(&mut run, answers)?;
            workspace.step(&mut run)?.map(to_text).transpose()
        })
    }

    /// Records that the writes of a run were committed. Returns the receipt.
    fn committed(&self, py: Python<'_>, run: &Run, receipt: &str) -> PyResult<String> {
        work(py, || {
            let (mut workspace, run) = (locked(&self.0), locked(&run.0));
            to_text(&workspace.committed_text(&run, receipt.as_bytes())?)
        })
    }

    /// Records that the writes of a run were not committed, or that the result is unknown.
    fn refused(&self, py: Python<'_>, run: &Run) -> PyResult<()> {
        work(py, || locked(&self.0).refused(&locked(&run.0)))
    }

    /// Returns a workspace that sees the project as if the writes of a run were committed.
    fn after(&self, py: Python<'_>, run: &Run) -> PyResult<Self> {
        work(py, || Ok(Self(Mutex::new(locked(&self.0).after(&locked(&run.0))?))))
    }

    /// Discards all rows that can change.
    fn refresh(&self, py: Python<'_>) -> PyResult<()> {
        work(py, || {
            locked(&self.0).refresh();
            Ok(())
        })
    }

    /// Returns the number of rows in memory as JSON text.
    fn stats(&self, py: Python<'_>) -> PyResult<String> {
        work(py, || to_text(&locked(&self.0).snapshot().counts()))
    }
}

/// One call, and its outcome when it is done.
#[pyclass(frozen, module = "tuckbox._native")]
pub struct Run(Mutex<StartedRun>);

impl Run {
    fn of<T: Send>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&AnyOutcome) -> Result<T> + Send,
    ) -> PyResult<T> {
        work(py, || read(locked(&self.0).outcome()?))
    }
}

#[pymethods]
impl Run {
    /// Returns the value of the outcome as JSON text.
    fn value(&self, py: Python<'_>) -> PyResult<String> {
        work(py, || {
            let mut out = String::new();
            locked(&self.0).write_value(&mut out)?;
            Ok(out)
        })
    }

    /// Returns the batch that a commit sends, as JSON text.
    fn writes(&self, py: Python<'_>) -> PyResult<String> {
        work(py, || {
            let mut out = String::new();
            locked(&self.0).write_writes(&mut out)?;
            Ok(out)
        })
    }

    /// Returns the id of the batch. A store commits a batch with the same id once.
    fn operation_id(&self, py: Python<'_>) -> PyResult<String> {
        self.of(py, |outcome| Ok(outcome.writes.operation_id.as_str().to_owned()))
    }

    /// Returns true when there is nothing to commit.
    fn writes_nothing(&self, py: Python<'_>) -> PyResult<bool> {
        self.of(py, |outcome| Ok(outcome.writes.is_empty()))
    }

    /// Returns the hash of the cards and boxes that a commit creates.
    fn content_hash(&self, py: Python<'_>) -> PyResult<String> {
        self.of(py, |outcome| Ok(outcome.content_hash()?.to_string()))
    }

    /// Returns a part of the outcome as JSON text: `lints`, `dropped`, `audit` or `transitions`.
    fn part(&self, py: Python<'_>, name: &str) -> PyResult<String> {
        self.of(py, |outcome| match name {
            "lints" => to_text(&outcome.lints),
            "dropped" => to_text(&outcome.ledger.dropped),
            "audit" => to_text(&outcome.ledger.audit),
            "transitions" => to_text(&outcome.ledger.transitions),
            _ => Err(Error::bad_request(format!("an outcome has no part `{name}`"))),
        })
    }

    /// Returns the id, the length and the number of duplicates of each box of the ledger.
    fn accounts(&self, py: Python<'_>) -> PyResult<Vec<(String, usize, usize)>> {
        self.of(py, |outcome| {
            let boxes = outcome.ledger.boxes.iter();
            let account = |of: &tuckbox::rule::ledger::BoxLedger| {
                (of.box_id().as_str().to_owned(), of.len(), of.swallowed())
            };
            Ok(boxes.map(account).collect())
        })
    }

    /// Returns the entries of a range of positions in one box of the ledger.
    fn entries<'py>(
        &self,
        py: Python<'py>,
        index: usize,
        from: usize,
        to: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let entries = self.of(py, |outcome| match outcome.ledger.boxes.get(index) {
            Some(account) => Ok(account.entries(from..to)),
            None => Err(Error::not_found(format!("the ledger has no box {index}"))),
        })?;
        objects::list(py, entries)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        match self.operation_id(py) {
            Ok(id) => format!("<Run {id}>"),
            Err(error) => error.to_string(),
        }
    }
}
