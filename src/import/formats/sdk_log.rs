//! Debug logs of the Python SDKs: the options of each request as a printed dictionary.

use crate::import::body;
use crate::import::file::Doc;
use crate::import::lint::ImportLint;
use crate::import::model::{Draft, Findings, Note, Origin, Session, UnknownSubject};
use crate::import::pick::some;
use crate::import::{repr, requests};

const OPTIONS: &str = "Request options: ";

pub fn claims(doc: &Doc) -> bool {
    doc.text().is_some_and(|text| {
        text.contains(OPTIONS)
            || text.contains("HTTP Request: POST ")
            || text.contains("HTTP Response: POST ")
    })
}

pub fn read(docs: &[&Doc], findings: &mut Findings) {
    for doc in docs {
        let Some(text) = doc.text() else { continue };
        let mut session = Session::new("sdk-debug-log", doc.name.clone());
        let mut drafts: Vec<Draft> = Vec::new();
        let mut bare: Vec<Draft> = Vec::new();
        let lines = text.split('\n').take_while(|_| doc.allows(1));
        for (at, line) in lines.enumerate() {
            let origin = Origin { file: doc.file, line: Some(at + 1), pointer: String::new() };
            if let Some(found) = line.find(OPTIONS) {
                // line breaks inside strings are escaped, so a value is on one line
                let options = line.get(found + OPTIONS.len()..).and_then(repr::read);
                match options.as_ref().and_then(|options| some(options, "json_data")) {
                    Some(sent) if body::api(sent).is_some() => {
                        let mut draft = body::draft(sent, &origin);
                        draft.at = stamp(line);
                        drafts.push(draft);
                    }
                    Some(_) | None => {
                        let message = "the options have no readable body".to_owned();
                        findings.notes.push(Note { code: ImportLint::BrokenLine, origin, message });
                    }
                }
            } else if line.contains("HTTP Request: POST ") || line.contains("HTTP Response: POST ")
            {
                let why = "this version of the SDK logs only that a request was made";
                let mut draft =
                    Draft { origin, at: stamp(line), tools: Some(Vec::new()), ..Draft::default() };
                for what in [
                    UnknownSubject::System,
                    UnknownSubject::Messages,
                    UnknownSubject::Tools,
                    UnknownSubject::Params,
                ] {
                    draft.lacks(what, why);
                }
                if line.contains("HTTP Response: POST ") == bare.is_empty()
                    || line.contains(" 200 ")
                {
                    bare.push(draft);
                }
            }
        }
        requests::add(&mut session, if drafts.is_empty() { bare } else { drafts });
        findings.sessions.push(session);
    }
}

/// The time at the start of a line, in brackets.
fn stamp(line: &str) -> Option<i64> {
    let inside = line.strip_prefix('[')?;
    crate::value::time::read_micros(inside.get(..19)?)
}
