//! An import of more than fits into memory: one file after the other, each forgotten once it is told.

use super::arriving::Arriving;
use super::model::Findings;
use super::reading::{Rank, Reading};
use super::report::{Pieces, Told};
use crate::value::json::Json;
use crate::{Error, Lint, Result};
use std::borrow::Cow;

/// Reads files one after the other and keeps what the report says about them.
///
/// The report is that of all files together, whatever the order they are given in does to others.
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
    told: Vec<(Rank, Told)>,
    requests: usize,
    arriving: Option<Arriving>,
    finished: Option<Pieces>,
}

impl Stream {
    /// Nothing read yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a file.
    pub fn file(&mut self, name: &str, bytes: Vec<u8>) {
        self.end();
        self.reading.file(name, Cow::Owned(bytes));
        self.tell();
    }

    /// Begins a file of about so many bytes, which come in pieces. A wrong figure does no harm.
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

    /// The next bytes of the file that was begun.
    ///
    /// # Errors
    /// `limit` when there is no memory for them; `bad_request` when no file was begun.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.arriving {
            Some(arriving) => arriving.push(&mut self.reading, bytes),
            None => Err(Error::bad_request("no file was begun")),
        }
    }

    /// The file that was begun is whole.
    pub fn end(&mut self) {
        if let Some(arriving) = self.arriving.take() {
            arriving.end(&mut self.reading);
            self.tell();
        }
    }

    fn tell(&mut self) {
        for (rank, session) in self.reading.take() {
            let told = Told::of(&session);
            self.requests += told.requests();
            self.told.push((rank, told));
        }
    }

    /// How many sessions and requests were found so far; those of a file that is not whole yet only
    /// where its lines can be read one by one.
    pub fn counts(&self) -> (usize, usize) {
        let arriving = self.arriving.as_ref().map_or(0, Arriving::requests);
        (self.told.len(), self.requests + arriving)
    }

    /// The [report](super::report::report) as JSON text, and what should be known about it.
    pub fn finish(mut self) -> (String, Vec<Lint>) {
        let (pieces, lints) = self.pieces();
        (pieces.whole(), lints)
    }

    fn pieces(&mut self) -> (Pieces, Vec<Lint>) {
        self.end();
        self.reading.end();
        self.tell();
        let mut told = std::mem::take(&mut self.told);
        told.sort_by_key(|(rank, _)| *rank);
        let told: Vec<Told> = told.into_iter().map(|(_, told)| told).collect();
        let findings: Findings = std::mem::take(&mut self.reading).finish();
        let lints = super::report::lints_of(&findings, &told);
        (Pieces::new(findings, told), lints)
    }
}

/// A [`Stream`] for hosts, which know nothing of what is in it.
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
    /// Begins a file of about so many bytes.
    fn begin(&mut self, name: &str, size: usize);
    /// The next bytes of the file.
    ///
    /// # Errors
    /// As [`Stream::push`].
    fn push(&mut self, bytes: &[u8]) -> Result<()>;
    /// The file is whole.
    fn end(&mut self);
    /// How many sessions and requests were found so far.
    fn counts(&self) -> (usize, usize);
    /// There are no more files. Answers the report without its sessions, and its lints, each as JSON
    /// text.
    fn finish(&mut self) -> [String; 2];
    /// The JSON text of the next piece of the report: a session with its first requests, or a list of
    /// more requests of it. Where of a request the same is unknown as of the one before, it is
    /// `null`.
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
