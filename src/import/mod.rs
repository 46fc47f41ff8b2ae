//! Imports logs of other tools as sessions of requests.
//!
//! **The import reads only the bytes that it gets, and invents nothing.** The content of a file
//! decides its format, never its name alone. Unreadable content becomes a note with file and line.
//! Every request lists what its log does not have.
//!
//! ```
//! use tuckbox::import::{self, SourceFile};
//!
//! let body = br#"{"model":"gpt-5","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]}"#;
//! let found = import::import(&[SourceFile { name: "request.json", bytes: body }]);
//! let shape = import::neutral::shape(&found, false);
//! assert_eq!(shape.get("system").unwrap().to_string(), r#"["Be brief."]"#);
//! ```

mod allowance;
mod arriving;
mod base64;
mod body;
mod conversations;
mod cost;
mod explain;
mod file;
mod flows;
mod formats;
mod history;
mod lines;
mod lint;
mod message;
pub mod model;
mod msgpack;
pub mod neutral;
mod otlp;
mod parts;
mod pick;
pub mod project;
mod reading;
pub mod report;
mod repr;
mod requests;
mod rule;
pub mod sessions;
mod sqlite;
mod stream;
mod sums;
pub mod timeline;
mod tools;
mod trace;

pub use file::SourceFile;
pub use lint::ImportLint;
pub use rule::{Answer, FileImport, Import, ImportFile, RequestChoice, Shape};
pub use stream::{Stream, Streaming};

use allowance::Allowance;
use model::Findings;
use reading::Reading;
use std::borrow::Cow;

/// Reads files of any known format together.
///
/// ```
/// use tuckbox::import::{ImportLint, SourceFile, import};
///
/// let found = import(&[SourceFile { name: "shopping.txt", bytes: b"milk, eggs" }]);
/// assert!(found.sessions.is_empty());
/// assert_eq!(found.files[0].format, None);
/// assert_eq!(found.notes[0].code, ImportLint::NotRecognised);
/// ```
pub fn import(files: &[SourceFile<'_>]) -> Findings {
    import_within(files, Allowance::default())
}

/// As [`import`], within an allowance.
fn import_within(files: &[SourceFile<'_>], allowance: Allowance) -> Findings {
    let mut reading = Reading::within(allowance);
    for source in files {
        reading.file(source.name, Cow::Borrowed(source.bytes));
    }
    reading.finish()
}
