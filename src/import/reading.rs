//! Reads files one after the other. A file whose sessions are complete is read at once; the others
//! wait for the last file.

use super::allowance::Allowance;
use super::file::{self, Body, Doc};
use super::formats::{FORMATS, Format, How, LineReader};
use super::lines::Feed;
use super::lint::ImportLint;
use super::model::{FileFinding, Findings, Note, Session};
use crate::value::json::Json;
use crate::value::str_map::StrMap;
use std::borrow::Cow;
use std::sync::Arc;

/// The order of sessions: newest request, format, arrival.
pub type Rank = (Option<i64>, usize, usize);

/// Everything that was read so far.
#[derive(Debug, Default)]
pub struct Reading {
    findings: Findings,
    sessions: Vec<(Rank, Session)>,
    came: usize,
    /// The number of sessions of each source and id.
    names: StrMap<usize>,
    waiting: Vec<(usize, Doc)>,
    allowance: Allowance,
    /// The host's own table of models.
    models: Arc<Json>,
}

impl Reading {
    /// Sets the host's own table of models.
    pub fn set_models(&mut self, models: Arc<Json>) {
        self.models = models;
    }

    /// Starts with an allowance.
    pub fn within(allowance: Allowance) -> Self {
        Self { allowance, ..Self::default() }
    }

    /// Returns the allowance.
    pub fn allowance(&self) -> &Allowance {
        &self.allowance
    }

    /// Reads the next file.
    pub fn file(&mut self, name: &str, bytes: Cow<'_, [u8]>) {
        let (at, notes) = (self.next_file(), &mut self.findings.notes);
        let doc = file::open(at, name, bytes, &self.allowance, notes);
        let Some((at, format)) = claimed(&doc) else { return self.unknown(&doc) };
        self.set_format(name, format.name);
        match format.how {
            How::Together(_) => self.waiting.push((at, doc)),
            How::Whole(read) => self.read(at, read, &[&doc]),
            How::Lines(begin) => {
                let mut reader = begin(doc.file, name);
                self.feed(&mut *reader, &doc);
                self.end_reader(at, reader);
            }
        }
    }

    /// Returns the index of the next file.
    pub fn next_file(&self) -> usize {
        self.findings.files.len()
    }

    /// Records the format of the next file.
    pub fn set_format(&mut self, name: &str, format: &'static str) {
        self.findings.files.push(FileFinding { name: name.to_owned(), format: Some(format) });
    }

    /// Records a file of an unknown format.
    fn unknown(&mut self, doc: &Doc) {
        self.findings.files.push(FileFinding { name: doc.name.clone(), format: None });
        let silent = matches!(&doc.body, Body::Other)
            || matches!(&doc.body, Body::Text(text) if text.is_empty());
        if !silent {
            let message = "the format of the file is unknown".to_owned();
            let code = ImportLint::NotRecognised;
            self.findings.notes.push(Note { code, origin: doc.whole(), message });
        }
        doc.each().for_each(drop);
        self.findings.notes.extend(doc.broken_lines());
    }

    fn read(&mut self, format: usize, read: fn(&[&Doc], &mut Findings), docs: &[&Doc]) {
        read(docs, &mut self.findings);
        for doc in docs {
            self.findings.notes.extend(doc.broken_lines());
        }
        self.settle(format);
    }

    /// Passes the values of a file to a reader.
    pub fn feed(&mut self, reader: &mut dyn LineReader, doc: &Doc) {
        for row in doc.each() {
            reader.line(row.into_owned(), &mut self.findings);
        }
        self.findings.notes.extend(doc.broken_lines());
    }

    /// Passes the lines of a chunk to a reader.
    pub fn feed_piece(&mut self, reader: &mut dyn LineReader, feed: &mut Feed, bytes: &[u8]) {
        feed.push(bytes, |row| reader.line(row, &mut self.findings));
    }

    /// Passes the last line to a reader.
    pub fn feed_rest(&mut self, reader: &mut dyn LineReader, feed: Feed) {
        let broken = feed.end(|row| reader.line(row, &mut self.findings));
        self.findings.notes.extend(broken);
    }

    /// Ends a reader after the last line of a file.
    pub fn end_reader(&mut self, format: usize, reader: Box<dyn LineReader>) {
        reader.end(&mut self.findings);
        self.settle(format);
    }

    /// Adds the sessions of a file with their rank.
    fn settle(&mut self, format: usize) {
        for mut session in self.findings.sessions.drain(..) {
            if !session.requests.is_empty() {
                let name = format!("{}\n{}", session.source, session.id);
                session.copy = self.names.get(&name).copied().unwrap_or(0);
                self.names.insert(name.as_str(), session.copy + 1);
                self.sessions.push(((newest(&session), format, self.came), session));
                self.came += 1;
            }
        }
    }

    /// Ends the input: reads the files that waited.
    pub fn end(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        for (at, format) in FORMATS.iter().enumerate() {
            let How::Together(read) = format.how else { continue };
            let mine: Vec<&Doc> =
                waiting.iter().filter(|(format, _)| *format == at).map(|(_, doc)| doc).collect();
            if !mine.is_empty() {
                self.read(at, read, &mine);
            }
        }
    }

    /// Returns and removes the sessions that were read so far.
    pub fn take(&mut self) -> Vec<(Rank, Session)> {
        let mut taken = std::mem::take(&mut self.sessions);
        for (_, session) in &mut taken {
            session.own_models = self.models.clone();
        }
        taken
    }

    /// Returns everything that was not taken, in order.
    pub fn finish(mut self) -> Findings {
        self.end();
        let mut sessions = self.take();
        let mut findings = self.findings;
        sessions.sort_by_key(|(rank, _)| *rank);
        findings.sessions = sessions.into_iter().map(|(_, session)| session).collect();
        findings.notes.sort_by_key(|note| (note.origin.file, note.origin.line));
        findings
    }
}

/// Returns the format that accepts a file, and its index.
pub fn claimed(doc: &Doc) -> Option<(usize, &'static Format)> {
    FORMATS.iter().enumerate().find(|(_, format)| (format.claims)(doc))
}

/// Returns the time of the newest request of a session.
fn newest(session: &Session) -> Option<i64> {
    session.requests.iter().filter_map(|request| request.at).max()
}
