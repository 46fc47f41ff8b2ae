//! Opened files. The bytes alone decide the kind of a file.

use super::allowance::Allowance;
use super::flows;
use super::lines::Lines;
use super::model::{Note, Origin};
use super::sqlite::{self, Table};
use crate::import::lint::ImportLint;
use crate::value::json::{Json, values_in, values_in_texts};
use std::borrow::Cow;

/// A file to import.
///
/// Shown by the example of [`import`](super::import()).
#[derive(Clone, Copy, Debug)]
pub struct SourceFile<'a> {
    /// The path, for the report. It never decides the format alone.
    pub name: &'a str,
    /// The content.
    pub bytes: &'a [u8],
}

/// The number of values that are checked to detect the format.
pub(super) const HEAD: usize = 400;

/// A value of a file and its line.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The line, from 1. `None` if the file is one value.
    pub line: Option<usize>,
    /// The value.
    pub value: Json,
}

/// An opened file.
#[derive(Clone, Debug)]
pub struct Doc {
    /// The index of the file in the list of files.
    pub file: usize,
    /// The name.
    pub name: String,
    /// The content.
    pub body: Body,
    /// The number of values that can still be read, shared by all files.
    pub allowance: Allowance,
}

/// The content of a file.
#[derive(Clone, Debug)]
pub enum Body {
    /// One JSON value.
    Value(Row),
    /// One JSON value on each line.
    Lines(Lines),
    /// A SQLite database.
    Tables(Vec<Table>),
    /// Text that is not JSON.
    Text(String),
    /// Content that cannot be read.
    Other,
}

impl Doc {
    /// Returns all values of a JSON file at once, for readers that need random access.
    pub fn rows(&self) -> &[Row] {
        match &self.body {
            Body::Value(row) => std::slice::from_ref(row),
            Body::Lines(lines) => lines.all(),
            Body::Tables(_) | Body::Text(_) | Body::Other => &[],
        }
    }

    /// Iterates over the values of a JSON file. Only one line is in memory at a time.
    pub fn each(&self) -> impl Iterator<Item = Cow<'_, Row>> {
        let (one, many) = match &self.body {
            Body::Value(row) => (Some(Cow::Borrowed(row)), None),
            Body::Lines(lines) => (None, Some(lines.each())),
            Body::Tables(_) | Body::Text(_) | Body::Other => (None, None),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }

    /// Returns the first values of a JSON file.
    pub fn head(&self) -> &[Row] {
        match &self.body {
            Body::Value(row) => std::slice::from_ref(row),
            Body::Lines(lines) => lines.head(),
            Body::Tables(_) | Body::Text(_) | Body::Other => &[],
        }
    }

    /// Returns the value of a file that has only one.
    pub fn value(&self) -> Option<&Json> {
        match self.head() {
            [one] => Some(&one.value),
            _ => None,
        }
    }

    /// Returns a note for each line that is not JSON.
    pub fn broken_lines(&self) -> Vec<Note> {
        match &self.body {
            Body::Lines(lines) => lines.take_broken(),
            Body::Value(_) | Body::Tables(_) | Body::Text(_) | Body::Other => Vec::new(),
        }
    }

    /// Returns the text of a file that is not JSON.
    pub fn text(&self) -> Option<&str> {
        match &self.body {
            Body::Text(text) => Some(text),
            Body::Value(_) | Body::Lines(_) | Body::Tables(_) | Body::Other => None,
        }
    }

    /// Returns the tables of a database.
    pub fn tables(&self) -> &[Table] {
        match &self.body {
            Body::Tables(tables) => tables,
            Body::Value(_) | Body::Lines(_) | Body::Text(_) | Body::Other => &[],
        }
    }

    /// Takes more values: lines of text, or entries that are stored several times. Returns false if
    /// there are too many.
    pub fn allows(&self, count: usize) -> bool {
        self.allowance.take(self.file, count)
    }

    /// Returns the origin of a row.
    pub fn origin(&self, row: &Row) -> Origin {
        row.origin(self.file)
    }

    /// Returns the origin of the whole file.
    pub fn whole(&self) -> Origin {
        Origin { file: self.file, line: None, pointer: String::new() }
    }
}

impl Row {
    /// Returns the origin of a row in a file.
    pub fn origin(&self, file: usize) -> Origin {
        Origin { file, line: self.line, pointer: String::new() }
    }
}

/// Opens a file. Unreadable content becomes a note with its line. Nothing over the allowance is
/// read.
pub fn open(
    file: usize,
    name: &str,
    bytes: Cow<'_, [u8]>,
    allowance: &Allowance,
    notes: &mut Vec<Note>,
) -> Doc {
    let mut note = |code, message: String| {
        notes.push(Note { code, origin: Origin { file, ..Origin::default() }, message });
    };
    let body = match binary(file, &bytes, allowance, &mut note) {
        Some(body) => body,
        None => text(file, bytes.into_owned(), allowance, &mut note),
    };
    Doc { file, name: name.to_owned(), body, allowance: allowance.clone() }
}

/// Opens a database, a packed file, or flows of mitmproxy; returns `None` for other files.
fn binary(
    file: usize,
    bytes: &[u8],
    allowance: &Allowance,
    note: &mut dyn FnMut(ImportLint, String),
) -> Option<Body> {
    if bytes.starts_with(sqlite::MAGIC) {
        let tables = match sqlite::tables(bytes) {
            Ok(tables) => tables,
            Err(why) => {
                let message = format!("the database cannot be read: {why}");
                note(ImportLint::UnreadableDatabase, message);
                return Some(Body::Other);
            }
        };
        let values = |cell: &sqlite::Cell| cell.text().map_or(0, values_in);
        let cells = tables.iter().map(|table| {
            let held: usize = table.rows.iter().flatten().map(values).sum();
            table.rows.len() * table.columns.len().max(1) + held
        });
        let is_allowed = allowance.take(file, cells.sum());
        return Some(if is_allowed { Body::Tables(tables) } else { Body::Other });
    }
    if PACKED.iter().any(|magic| bytes.starts_with(magic)) {
        let why = "it is damaged, encrypted, too large or nested too deeply";
        note(ImportLint::NotText, format!("the packed file was not opened: {why}"));
        return Some(Body::Other);
    }
    let (flows, is_whole) = flows::read(bytes)?;
    if !is_whole {
        let why = "the flows are truncated, or of an unknown version";
        note(ImportLint::NotText, why.to_owned());
    }
    let value = Json::Array(flows);
    let is_allowed = allowance.take(file, values_in(&value.to_string()) + values_in_texts(&value));
    Some(if is_allowed { Body::Value(Row { line: None, value }) } else { Body::Other })
}

/// Opens a file of text: JSON, lines of JSON, or any other text.
fn text(
    file: usize,
    mut bytes: Vec<u8>,
    allowance: &Allowance,
    note: &mut dyn FnMut(ImportLint, String),
) -> Body {
    if bytes.starts_with(MARK) {
        bytes.drain(..MARK.len());
    }
    let first = bytes.trim_ascii_start().first().copied();
    let may_be_json = matches!(first, Some(b'{' | b'['));
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            // one bad line does not affect the others
            let lines = may_be_json.then(|| Lines::new(file, error.into_bytes(), allowance));
            if let Some(lines) = lines.filter(|lines| lines.starts_whole() && lines.are_a_log()) {
                return Body::Lines(lines);
            }
            note(ImportLint::NotText, "the file is neither text nor a database".to_owned());
            return Body::Other;
        }
    };
    if text.trim().is_empty() {
        return Body::Text(String::new());
    }
    if !may_be_json {
        return Body::Text(text);
    }
    let whole_error = match allowance.parse(file, &text, &[], &mut String::new()) {
        Some(Ok(value)) => return Body::Value(Row { line: None, value }),
        Some(Err(error)) => error,
        None => return Body::Other,
    };
    let lines = Lines::new(file, text.into_bytes(), allowance);
    if lines.are_a_log() {
        return Body::Lines(lines);
    }
    // one value that is truncated, or not JSON at all
    let (_, bad) = lines.tally();
    let text = String::from_utf8_lossy(&lines.into_bytes()).into_owned();
    if bad <= 1 || first == Some(b'{') && text.contains("\":") {
        note(ImportLint::BrokenJson, format!("the file is not valid JSON: {whole_error}"));
    }
    Body::Text(text)
}

/// The first bytes of gzip and zip files. The host opens those that it can.
const PACKED: [&[u8]; 2] = [b"\x1f\x8b", b"PK\x03\x04"];

/// The byte order mark that some editors write.
pub(super) const MARK: &[u8] = b"\xef\xbb\xbf";
