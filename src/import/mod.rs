//! Bring your own context: logs of other tools in, sessions of requests out.
//!
//! **Nothing is read here but bytes that are handed in, and nothing is made up.** Files are told
//! by what is in them, never by their names alone; what cannot be read is noted with its file and
//! line; what a source never holds is said with every request.
//!
//! ```
//! use tuckbox::import::{self, SourceFile};
//!
//! let body = br#"{"model":"gpt-5","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]}"#;
//! let found = import::import(&[SourceFile { name: "request.json", bytes: body }]);
//! let shape = import::neutral::shape(&found, false);
//! assert_eq!(shape.get("system").unwrap().to_string(), r#"["Be brief."]"#);
//! ```

mod base64;
mod body;
mod file;
mod formats;
mod history;
mod lint;
mod message;
pub mod model;
mod msgpack;
pub mod neutral;
mod otlp;
mod parts;
mod pick;
pub mod project;
pub mod report;
mod repr;
mod requests;
mod rule;
mod sqlite;
mod tools;
mod trace;

pub use file::SourceFile;
pub use lint::ImportLint;
pub use rule::{Import, Shape, Wanted};

use file::{Body, Doc};
use formats::FORMATS;
use model::{FileFinding, Findings, Note};

/// Reads files of any known format together.
pub fn import(files: &[SourceFile<'_>]) -> Findings {
    let mut findings = Findings::default();
    let mut docs: Vec<Doc> = Vec::with_capacity(files.len());
    for (at, source) in files.iter().enumerate() {
        docs.push(file::open(at, source, &mut findings.notes));
    }
    let claimed: Vec<Option<usize>> =
        docs.iter().map(|doc| FORMATS.iter().position(|format| (format.claims)(doc))).collect();
    for (doc, format) in docs.iter().zip(&claimed) {
        let format = format.and_then(|at| FORMATS.get(at));
        findings
            .files
            .push(FileFinding { name: doc.name.clone(), format: format.map(|format| format.name) });
        let silent = matches!(&doc.body, Body::Other)
            || matches!(&doc.body, Body::Text(text) if text.is_empty());
        if format.is_none() && !silent {
            let message = "the file is no log of a known kind".to_owned();
            findings.notes.push(Note {
                code: ImportLint::NotRecognised,
                origin: doc.whole(),
                message,
            });
        }
    }
    for (at, format) in FORMATS.iter().enumerate() {
        let mine: Vec<&Doc> = docs
            .iter()
            .zip(&claimed)
            .filter(|(_, claimed)| **claimed == Some(at))
            .map(|(doc, _)| doc)
            .collect();
        if !mine.is_empty() {
            (format.read)(&mine, &mut findings);
        }
    }
    findings.sessions.retain(|session| !session.requests.is_empty());
    findings
        .sessions
        .sort_by_key(|session| session.requests.iter().filter_map(|request| request.at).max());
    findings
}
