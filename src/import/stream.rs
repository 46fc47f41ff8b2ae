//! An import of files that do not fit into memory: each file is discarded after it is reported.

use super::arriving::Arriving;
use super::model::Findings;
use super::reading::{Rank, Reading};
use super::report::{Pieces, SessionReport};
use crate::value::json::Json;
use crate::{Error, Lint, Result};
use std::borrow::Cow;
use std::sync::Arc;

/// Reads files one after the other and keeps only their reports.
///
/// The report is the same as for all files together.
///
/// ```
/// use tuckbox::import::{Stream, SourceFile, import, report};
///
/// let log = br#"{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}"#;
/// let mut stream = Stream::new();
/// stream.file("a.json", log.to_vec());
/// stream.file("b.json", log.to_vec());
/// let files = ["a.json", "b.json"].map(|name| SourceFile { name, bytes: log });
/// assert_eq!(stream.finish().0, report::report(&import(&files)).to_string());
/// ```
#[derive(Debug, Default)]
pub struct Stream {
    reading: Reading,
    sessions: Vec<(Rank, SessionReport)>,
    requests: usize,
    arriving: Option<Arriving>,
    finished: Option<Pieces>,
}

impl Stream {
    /// Starts an import.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the host's own table of models, whose facts replace those of the shared table.
    #[must_use]
    pub fn with_models(mut self, models: Json) -> Self {
        self.reading.set_models(Arc::new(models));
        self
    }

    /// Reads a file.
    pub fn file(&mut self, name: &str, bytes: Vec<u8>) {
        self.end();
        self.reading.file(name, Cow::Owned(bytes));
        self.report_sessions();
    }

    /// Starts a file of about this many bytes, which arrives in chunks. A wrong size only costs
    /// time.
    ///
    /// ```
    /// use tuckbox::import::Stream;
    ///
    /// let mut stream = Stream::new();
    /// stream.begin("a.json", 62);
    /// stream.push(br#"{"model":"gpt-5","messages":["#)?;
    /// stream.push(br#"{"role":"user","content":"Hi"}]}"#)?;
    /// stream.end();
    /// assert_eq!(stream.counts(), (1, 1));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    pub fn begin(&mut self, name: &str, size: usize) {
        self.end();
        self.arriving = Some(Arriving::new(name, size));
    }

    /// Takes the next bytes of the file.
    ///
    /// # Errors
    /// `limit` if there is not enough memory; `bad_request` if no file was started.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.arriving {
            Some(arriving) => arriving.push(&mut self.reading, bytes),
            None => Err(Error::bad_request("no file was started")),
        }
    }

    /// Ends the file.
    pub fn end(&mut self) {
        if let Some(arriving) = self.arriving.take() {
            arriving.end(&mut self.reading);
            self.report_sessions();
        }
    }

    fn report_sessions(&mut self) {
        for (rank, session) in self.reading.take() {
            let report = SessionReport::of(&session);
            self.requests += report.requests();
            self.sessions.push((rank, report));
        }
    }

    /// Returns the number of sessions and requests so far. The requests of an unfinished file are
    /// counted if its lines can be read one by one.
    pub fn counts(&self) -> (usize, usize) {
        let arriving = self.arriving.as_ref().map_or(0, Arriving::requests);
        (self.sessions.len(), self.requests + arriving)
    }

    /// Returns the [report](super::report::report) as JSON text, and its lints.
    pub fn finish(mut self) -> (String, Vec<Lint>) {
        let (pieces, lints) = self.pieces();
        (pieces.whole(), lints)
    }

    fn pieces(&mut self) -> (Pieces, Vec<Lint>) {
        self.end();
        self.reading.end();
        self.report_sessions();
        let mut sessions = std::mem::take(&mut self.sessions);
        sessions.sort_by_key(|(rank, _)| *rank);
        let sessions: Vec<SessionReport> =
            sessions.into_iter().map(|(_, session)| session).collect();
        let findings: Findings = std::mem::take(&mut self.reading).finish();
        let lints = super::report::lints_of(&findings, &sessions);
        (Pieces::new(findings, sessions), lints)
    }
}

/// The interface of a [`Stream`] for hosts, without its type.
///
/// ```
/// use tuckbox::import::{Stream, Streaming};
///
/// /// What a host does with a file that arrives in pieces.
/// fn read(stream: &mut dyn Streaming, name: &str, pieces: &[&[u8]]) -> tuckbox::Result<()> {
///     stream.begin(name, pieces.iter().map(|piece| piece.len()).sum());
///     for piece in pieces {
///         stream.push(piece)?;
///     }
///     stream.end();
///     Ok(())
/// }
/// let mut stream = Stream::new();
/// read(&mut stream, "a.json", &[br#"{"model":"gpt-5","messages":["#, br#"{"role":"user","content":"Hi"}]}"#])?;
/// assert_eq!(Streaming::counts(&stream), (1, 1));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub trait Streaming {
    /// Starts a file of about this many bytes.
    fn begin(&mut self, name: &str, size: usize);
    /// Takes the next bytes of the file.
    ///
    /// # Errors
    /// As [`Stream::push`].
    fn push(&mut self, bytes: &[u8]) -> Result<()>;
    /// Ends the file.
    fn end(&mut self);
    /// Returns the number of sessions and requests so far.
    fn counts(&self) -> (usize, usize);
    /// Ends the input. Returns the report without its sessions, and its lints, both as JSON text.
    fn finish(&mut self) -> [String; 2];
    /// Returns the JSON text of the next piece of the report: a session with its first requests, or
    /// a list of its next requests. `unknown` is `null` if it equals that of the previous request.
    fn piece(&mut self) -> Option<String>;
}

impl Streaming for Stream {
    fn begin(&mut self, name: &str, size: usize) {
        Self::begin(self, name, size);
    }

    fn push(&mut self, bytes: &[u8]) -> Result<()> {
        Self::push(self, bytes)
    }

    fn end(&mut self) {
        Self::end(self);
    }

    fn counts(&self) -> (usize, usize) {
        Self::counts(self)
    }

    fn finish(&mut self) -> [String; 2] {
        let (pieces, lints) = self.pieces();
        let lints = crate::value::json::to_json(&lints).unwrap_or_else(|_| Json::Array(Vec::new()));
        let around = pieces.around();
        self.finished = Some(pieces);
        [around, lints.to_string()]
    }

    fn piece(&mut self) -> Option<String> {
        self.finished.as_mut()?.piece()
    }
}
