//! Files one after the other: each is told by what is in it and read at once, where its sessions
//! stand in it alone; the others wait for the last file.

use super::allowance::Allowance;
use super::file::{self, Body, Doc};
use super::formats::{FORMATS, Format, How, LineReader};
use super::lines::Feed;
use super::lint::ImportLint;
use super::model::{FileFinding, Findings, Note, Session};
use crate::value::str_map::StrMap;
use std::borrow::Cow;

/// Where a session stands among all: by its newest request, its format, and as it came.
pub type Rank = (Option<i64>, usize, usize);

/// What was read so far.
#[derive(Debug, Default)]
pub struct Reading {
    findings: Findings,
    sessions: Vec<(Rank, Session)>,
    came: usize,
    /// How many sessions there are of every source and id.
    names: StrMap<usize>,
    waiting: Vec<(usize, Doc)>,
    allowance: Allowance,
}

impl Reading {
    /// Nothing read yet, and so much may be.
    pub fn within(allowance: Allowance) -> Self {
        Self { allowance, ..Self::default() }
    }

    /// How much may still be read.
    pub fn allowance(&self) -> &Allowance {
        &self.allowance
    }

    /// Reads the next file.
    pub fn file(&mut self, name: &str, bytes: Cow<'_, [u8]>) {
        let (at, notes) = (self.next_file(), &mut self.findings.notes);
        let doc = file::open(at, name, bytes, &self.allowance, notes);
        let Some((at, format)) = claimed(&doc) else { return self.unknown(&doc) };
        self.is_of(name, format.name);
        match format.how {
            How::Together(_) => self.waiting.push((at, doc)),
            How::Whole(read) => self.read(at, read, &[&doc]),
            How::Lines(begin) => {
                let mut reader = begin(doc.file, name);
                self.feed(&mut *reader, &doc);
                self.told(at, reader);
            }
        }
    }

    /// The position of the file that is read next.
    pub fn next_file(&self) -> usize {
        self.findings.files.len()
    }

    /// Says what the next file is.
    pub fn is_of(&mut self, name: &str, format: &'static str) {
        self.findings.files.push(FileFinding { name: name.to_owned(), format: Some(format) });
    }

    /// A file that nobody reads.
    fn unknown(&mut self, doc: &Doc) {
        self.findings.files.push(FileFinding { name: doc.name.clone(), format: None });
        let silent = matches!(&doc.body, Body::Other)
            || matches!(&doc.body, Body::Text(text) if text.is_empty());
        if !silent {
            let message = "the file is no log of a known kind".to_owned();
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

    /// Hands the values of a file to a reader.
    pub fn feed(&mut self, reader: &mut dyn LineReader, doc: &Doc) {
        for row in doc.each() {
            reader.line(row.into_owned(), &mut self.findings);
        }
        self.findings.notes.extend(doc.broken_lines());
    }

    /// Hands the lines of one more piece to a reader.
    pub fn feed_piece(&mut self, reader: &mut dyn LineReader, feed: &mut Feed, bytes: &[u8]) {
        feed.push(bytes, |row| reader.line(row, &mut self.findings));
    }

    /// Hands the last line to a reader.
    pub fn feed_rest(&mut self, reader: &mut dyn LineReader, feed: Feed) {
        let broken = feed.end(|row| reader.line(row, &mut self.findings));
        self.findings.notes.extend(broken);
    }

    /// A reader has read all of a file.
    pub fn told(&mut self, format: usize, reader: Box<dyn LineReader>) {
        reader.end(&mut self.findings);
        self.settle(format);
    }

    /// Gives the sessions that were just found their places.
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

    /// There are no more files: reads those that waited for each other.
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

    /// Takes away the sessions that were read so far.
    pub fn take(&mut self) -> Vec<(Rank, Session)> {
        std::mem::take(&mut self.sessions)
    }

    /// Everything that was read and not taken away, in order.
    pub fn finish(mut self) -> Findings {
        self.end();
        let mut findings = self.findings;
        self.sessions.sort_by_key(|(rank, _)| *rank);
        findings.sessions = self.sessions.into_iter().map(|(_, session)| session).collect();
        findings.notes.sort_by_key(|note| (note.origin.file, note.origin.line));
        findings
    }
}

/// The format that claims a file, and its position.
pub fn claimed(doc: &Doc) -> Option<(usize, &'static Format)> {
    FORMATS.iter().enumerate().find(|(_, format)| (format.claims)(doc))
}

/// When the newest request of a session was sent.
fn newest(session: &Session) -> Option<i64> {
    session.requests.iter().filter_map(|request| request.at).max()
}
