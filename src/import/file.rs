//! Files as they come in: what their bytes are, told by the bytes alone.

use super::model::{Note, Origin};
use super::sqlite::{self, Table};
use crate::import::lint::ImportLint;
use crate::value::json::{Json, ParseLimits};

/// A file to import.
#[derive(Clone, Copy, Debug)]
pub struct SourceFile<'a> {
    /// Its path, for the report; nothing is decided by it alone.
    pub name: &'a str,
    /// What is in it.
    pub bytes: &'a [u8],
}

/// One value of a file and its line.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The line, from 1; nothing when the file is one value.
    pub line: Option<usize>,
    /// The value.
    pub value: Json,
}

/// A file that was opened.
#[derive(Clone, Debug)]
pub struct Doc {
    /// The position of the file in the list of files.
    pub file: usize,
    /// Its name.
    pub name: String,
    /// What it is.
    pub body: Body,
}

/// What a file is.
#[derive(Clone, Debug)]
pub enum Body {
    /// One JSON value, or one a line.
    Rows(Vec<Row>),
    /// A SQLite database.
    Tables(Vec<Table>),
    /// Text that is not JSON.
    Text(String),
    /// Nothing that can be read.
    Other,
}

impl Doc {
    /// The values of a JSON file.
    pub fn rows(&self) -> &[Row] {
        match &self.body {
            Body::Rows(rows) => rows,
            Body::Tables(_) | Body::Text(_) | Body::Other => &[],
        }
    }

    /// The value, when the file holds one only.
    pub fn value(&self) -> Option<&Json> {
        match self.rows() {
            [one] => Some(&one.value),
            _ => None,
        }
    }

    /// The text of a file that is not JSON.
    pub fn text(&self) -> Option<&str> {
        match &self.body {
            Body::Text(text) => Some(text),
            Body::Rows(_) | Body::Tables(_) | Body::Other => None,
        }
    }

    /// The tables of a database.
    pub fn tables(&self) -> &[Table] {
        match &self.body {
            Body::Tables(tables) => tables,
            Body::Rows(_) | Body::Text(_) | Body::Other => &[],
        }
    }

    /// The place of a row.
    pub fn origin(&self, row: &Row) -> Origin {
        Origin { file: self.file, line: row.line, pointer: String::new() }
    }

    /// The place of the whole file.
    pub fn whole(&self) -> Origin {
        Origin { file: self.file, line: None, pointer: String::new() }
    }
}

/// Opens a file. What cannot be read is noted with its line.
pub fn open(file: usize, source: &SourceFile<'_>, notes: &mut Vec<Note>) -> Doc {
    let doc = |body| Doc { file, name: source.name.to_owned(), body };
    let whole = Origin { file, ..Origin::default() };
    let mut note =
        |code, origin: Origin, message: String| notes.push(Note { code, origin, message });
    if source.bytes.starts_with(sqlite::MAGIC) {
        return match sqlite::tables(source.bytes) {
            Ok(tables) => doc(Body::Tables(tables)),
            Err(why) => {
                note(
                    ImportLint::UnreadableDatabase,
                    whole,
                    format!("the database cannot be read: {why}"),
                );
                doc(Body::Other)
            }
        };
    }
    let bytes = source.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(source.bytes);
    let Ok(text) = std::str::from_utf8(bytes) else {
        note(ImportLint::NotText, whole, "the file is neither text nor a database".to_owned());
        return doc(Body::Other);
    };
    if text.trim().is_empty() {
        return doc(Body::Text(String::new()));
    }
    let limits = ParseLimits::default();
    let first = text.trim_start().chars().next().unwrap_or(' ');
    if first != '{' && first != '[' {
        return doc(Body::Text(text.to_owned()));
    }
    let whole_error = match Json::parse_bytes(text.as_bytes(), &limits) {
        Ok(value) => return doc(Body::Rows(vec![Row { line: None, value }])),
        Err(error) => error,
    };
    let mut rows = Vec::new();
    let mut bad = Vec::new();
    for (at, line) in text.split('\n').enumerate() {
        let line = line.trim_end_matches('\r');
        if line.trim().is_empty() {
            continue;
        }
        match Json::parse_bytes(line.as_bytes(), &limits) {
            Ok(value) => rows.push(Row { line: Some(at + 1), value }),
            Err(error) => bad.push((at + 1, error)),
        }
    }
    if rows.is_empty() || bad.len() > rows.len().max(4) * 4 {
        // one value that broke off, or no JSON at all
        if bad.len() <= 1 || first == '{' && text.contains("\":") {
            note(
                ImportLint::BrokenJson,
                whole,
                format!("the file is not whole JSON: {whole_error}"),
            );
        }
        return doc(Body::Text(text.to_owned()));
    }
    for (line, error) in bad {
        let origin = Origin { file, line: Some(line), pointer: String::new() };
        note(ImportLint::BrokenLine, origin, format!("line {line} is not JSON: {error}"));
    }
    doc(Body::Rows(rows))
}
