//! Imports of logs in chunks.

use crate::error::work;
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};
use tuckbox::Error;
use tuckbox::call::import_stream;
use tuckbox::import::Streaming;

/// An import of one file after another, each in chunks.
#[pyclass(frozen, module = "tuckbox._native")]
pub struct ImportStream(Mutex<Box<dyn Streaming + Send>>);

impl ImportStream {
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        of: impl FnOnce(&mut dyn Streaming) -> tuckbox::Result<T> + Send,
    ) -> PyResult<T> {
        work(py, || of(&mut **self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[pymethods]
impl ImportStream {
    /// Creates an empty import. `entropy` is 32 random bytes, `models` the host's own table of models as
    /// JSON text.
    #[new]
    #[pyo3(signature = (entropy, models=None))]
    fn new(py: Python<'_>, entropy: &[u8], models: Option<&str>) -> PyResult<Self> {
        work(py, || {
            let Ok(entropy) = entropy.try_into() else {
                return Err(Error::bad_request("`entropy` must be 32 bytes long"));
            };
            tuckbox::value::seed_hashing(&entropy);
            let stream = import_stream(models)?;
            let stream = stream.ok_or_else(|| Error::bad_request("imports are not available"))?;
            Ok(Self(Mutex::new(stream)))
        })
    }

    /// Begins a file. `size` is its approximate size and only affects speed.
    fn begin(&self, py: Python<'_>, name: &str, size: usize) -> PyResult<()> {
        self.with(py, |stream| {
            stream.begin(name, size);
            Ok(())
        })
    }

    /// Adds the next bytes of the file. Returns the number of requests found so far.
    fn push(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<usize> {
        self.with(py, |stream| {
            stream.push(bytes)?;
            Ok(stream.counts().1)
        })
    }

    /// Ends the file. Returns the number of requests found so far.
    fn end(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |stream| {
            stream.end();
            Ok(stream.counts().1)
        })
    }

    /// Ends the import. Returns the report without its sessions, and its lints, each as JSON text.
    fn finish(&self, py: Python<'_>) -> PyResult<[String; 2]> {
        self.with(py, |stream| Ok(stream.finish()))
    }

    /// Returns the JSON text of the next part of the report: a session, or more of its requests.
    fn piece(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.with(py, |stream| Ok(stream.piece()))
    }
}
