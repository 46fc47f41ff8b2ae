//! Files one after the other: each is told by what is in it and read at once, where its sessions
//! stand in it alone; the others wait for the last file.

use super::file::{self, Body, Doc};
use super::formats::FORMATS;
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
}

impl Reading {
    /// Reads the next file.
    pub fn file(&mut self, name: &str, bytes: Cow<'_, [u8]>) {
        let doc = file::open(self.findings.files.len(), name, bytes, &mut self.findings.notes);
        let claimed = FORMATS.iter().position(|format| (format.claims)(&doc));
        let known = claimed.and_then(|at| FORMATS.get(at).map(|format| (at, format)));
        let format = known.map(|(_, format)| format.name);
        self.findings.files.push(FileFinding { name: doc.name.clone(), format });
        match known {
            Some((at, format)) if format.together => self.waiting.push((at, doc)),
            Some((at, _)) => self.read(at, &[&doc]),
            None => self.unknown(&doc),
        }
    }

    /// A file that nobody reads.
    fn unknown(&mut self, doc: &Doc) {
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

    fn read(&mut self, format: usize, docs: &[&Doc]) {
        if let Some(format) = FORMATS.get(format) {
            (format.read)(docs, &mut self.findings);
        }
        for doc in docs {
            self.findings.notes.extend(doc.broken_lines());
        }
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
        for at in 0..FORMATS.len() {
            let mine: Vec<&Doc> =
                waiting.iter().filter(|(format, _)| *format == at).map(|(_, doc)| doc).collect();
            if !mine.is_empty() {
                self.read(at, &mine);
            }
        }
    }

    /// What is known about the files.
    pub fn findings(&self) -> &Findings {
        &self.findings
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

/// When the newest request of a session was sent.
fn newest(session: &Session) -> Option<i64> {
    session.requests.iter().filter_map(|request| request.at).max()
}
