//! An import of more than fits into memory: one file after the other, each forgotten once it is told.

use super::model::Findings;
use super::reading::{Rank, Reading};
use super::report::{Told, assemble};
use crate::Lint;
use crate::value::json::Json;
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
}

impl Stream {
    /// Nothing read yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a file.
    pub fn file(&mut self, name: &str, bytes: Vec<u8>) {
        self.reading.file(name, Cow::Owned(bytes));
        self.tell();
    }

    fn tell(&mut self) {
        for (rank, session) in self.reading.take() {
            self.told.push((rank, Told::of(self.reading.findings(), &session)));
        }
    }

    /// How many sessions and requests were told so far.
    pub fn counts(&self) -> (usize, usize) {
        (self.told.len(), self.told.iter().map(|(_, told)| told.requests()).sum())
    }

    /// The [report](super::report::report) as JSON text, and what should be known about it.
    pub fn finish(mut self) -> (String, Vec<Lint>) {
        self.reading.end();
        self.tell();
        self.told.sort_by_key(|(rank, _)| *rank);
        let told: Vec<Told> = self.told.into_iter().map(|(_, told)| told).collect();
        let findings: Findings = self.reading.finish();
        let lints = super::report::lints_of(&findings, &told);
        (assemble(&findings, &told), lints)
    }
}

/// A [`Stream`] for hosts, which know nothing of what is in it.
pub trait Streaming {
    /// Reads a file.
    fn file(&mut self, name: &str, bytes: Vec<u8>);
    /// How many sessions and requests were found so far.
    fn counts(&self) -> (usize, usize);
    /// The JSON text of `{"value", "lints"}`.
    fn finish(self: Box<Self>) -> String;
}

impl Streaming for Stream {
    fn file(&mut self, name: &str, bytes: Vec<u8>) {
        Self::file(self, name, bytes);
    }

    fn counts(&self) -> (usize, usize) {
        Self::counts(self)
    }

    fn finish(self: Box<Self>) -> String {
        let (value, lints) = Self::finish(*self);
        let lints = crate::value::json::to_json(&lints).unwrap_or_else(|_| Json::Array(Vec::new()));
        format!(r#"{{"value":{value},"lints":{lints}}}"#)
    }
}
