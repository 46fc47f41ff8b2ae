//! Files with one JSON value on each line. Lines are read on demand or as they arrive, so memory
//! holds the file and one line, or only one line.

use super::allowance::Allowance;
use super::file::{HEAD, Row};
use super::model::{Note, Origin};
use crate::Error;
use crate::import::lint::ImportLint;
use crate::value::json::find_byte;
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};

/// The lines of a file.
#[derive(Clone, Debug)]
pub struct Lines {
    bytes: Vec<u8>,
    head: Head,
    all: OnceCell<Vec<Row>>,
    parsing: RefCell<Parsing>,
}

/// The first values, which decide the format.
#[derive(Clone, Debug, Default)]
struct Head {
    rows: Vec<Row>,
    /// The number of checked lines, and the offset after them.
    lines: usize,
    end: usize,
    /// True if the maximum number of lines was checked.
    is_full: bool,
}

/// Reads lines and records each line that is not JSON once, even if it is read again.
#[derive(Clone, Debug, Default)]
struct Parsing {
    file: usize,
    allowance: Allowance,
    notes: Vec<(usize, String)>,
    /// The first line that has no note, and the number of such lines.
    rest: Option<(usize, usize)>,
    last: usize,
    /// A buffer for joined strings.
    room: String,
}

/// The maximum number of notes about lines that are not JSON.
const MAX_NOTES: usize = HEAD * 5;

impl Parsing {
    fn new(file: usize, allowance: Allowance) -> Self {
        Self { file, allowance, ..Self::default() }
    }

    /// Returns the value of a line. A line that is not JSON gets a note.
    fn read(&mut self, line: usize, words: &[u8]) -> Option<Row> {
        let error = match std::str::from_utf8(words) {
            Ok(words) => {
                match self.allowance.parse(self.file, words, &UNREAD_KEYS, &mut self.room)? {
                    Ok(value) => return Some(Row { line: Some(line), value }),
                    Err(error) => LineError::NotJson(error),
                }
            }
            Err(error) => LineError::NotText(error.valid_up_to()),
        };
        if line > self.last {
            self.last = line;
            self.add_note(line, &error);
        }
        None
    }

    fn add_note(&mut self, line: usize, error: &LineError) {
        if self.notes.len() >= MAX_NOTES {
            let (_, count) = self.rest.get_or_insert((line, 0));
            *count += 1;
            return;
        }
        let why = match error {
            LineError::NotJson(error) => error.to_string(),
            LineError::NotText(at) => format!("byte {at} is not UTF-8"),
        };
        self.notes.push((line, format!("line {line} is not JSON: {why}")));
    }

    fn take_broken(&mut self) -> Vec<Note> {
        let file = self.file;
        let rest = self.rest.take().map(|(line, count)| {
            (line, format!("{count} more lines from line {line} are not JSON"))
        });
        let note = |(line, message)| Note {
            code: ImportLint::BrokenLine,
            origin: Origin { file, line: Some(line), pointer: String::new() },
            message,
        };
        self.notes.drain(..).chain(rest).map(note).collect()
    }
}

/// Why a line is not a JSON value.
enum LineError {
    NotJson(Error),
    /// The index of the first byte that is not valid UTF-8.
    NotText(usize),
}

impl Lines {
    /// Opens the lines of a file and reads the first ones.
    pub fn new(file: usize, bytes: Vec<u8>, allowance: &Allowance) -> Self {
        let mut parsing = Parsing::new(file, allowance.clone());
        let mut head = Head::default();
        let mut walk = Walk { rest: &bytes, line: 0 };
        // broken lines count too, so that a text that is not a log is detected early
        head.is_full = loop {
            if head.rows.len() >= HEAD || parsing.notes.len() >= MAX_NOTES {
                break true;
            }
            let Some((line, words)) = walk.next() else { break false };
            head.rows.extend(parsing.read(line, words));
        };
        (head.lines, head.end) = (walk.line, bytes.len() - walk.rest.len());
        Self { bytes, head, all: OnceCell::new(), parsing: RefCell::new(parsing) }
    }

    /// Returns how many of the first lines are JSON, and how many are not.
    pub fn tally(&self) -> (usize, usize) {
        (self.head.rows.len(), self.parsing.borrow().notes.len())
    }

    /// Returns true for a log, and false for a text with some JSON lines.
    pub fn are_a_log(&self) -> bool {
        let (good, bad) = self.tally();
        good > 0 && bad <= good.max(4) * 4
    }

    /// Returns true if the first line is a whole value, so the file is not a single value.
    pub fn starts_whole(&self) -> bool {
        let parsing = self.parsing.borrow();
        let first = parsing.notes.first().map_or(usize::MAX, |(line, _)| *line);
        self.head.rows.first().is_some_and(|row| row.line < Some(first))
    }

    /// Returns true if further lines cannot change the detected format.
    pub fn tell_enough(&self) -> bool {
        self.head.is_full
    }

    /// Returns the whole file.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns the first values.
    pub fn head(&self) -> &[Row] {
        self.all.get().map_or(&self.head.rows, |all| all.get(..HEAD).unwrap_or(all))
    }

    /// Returns all values at once.
    pub fn all(&self) -> &[Row] {
        self.all.get_or_init(|| self.each().map(Cow::into_owned).collect())
    }

    /// Iterates over the values.
    pub fn each(&self) -> impl Iterator<Item = Cow<'_, Row>> {
        let later = self.tail().filter_map(|(line, words)| {
            self.parsing.borrow_mut().read(line, words).map(Cow::Owned)
        });
        self.head.rows.iter().map(Cow::Borrowed).chain(later)
    }

    /// Iterates over the values after the first ones.
    fn tail(&self) -> Walk<'_> {
        let rest = self.bytes.get(self.head.end..).unwrap_or_default();
        Walk { rest, line: self.head.lines }
    }

    /// Returns a note for each line that is not JSON.
    pub fn take_broken(&self) -> Vec<Note> {
        self.parsing.borrow_mut().take_broken()
    }

    /// Continues with lines that arrive in chunks, directly after these.
    pub fn go_on(&self) -> Feed {
        let mut tail = self.tail();
        tail.by_ref().for_each(drop);
        let Parsing { file, allowance, .. } = &*self.parsing.borrow();
        let parsing = Parsing::new(*file, allowance.clone());
        Feed { line: tail.line, part: Vec::new(), parsing }
    }
}

/// Lines that arrive in chunks. A chunk can end inside a line.
#[derive(Debug)]
pub struct Feed {
    line: usize,
    /// The start of an unfinished line.
    part: Vec<u8>,
    parsing: Parsing,
}

impl Feed {
    /// Takes the next bytes and passes on every complete value.
    pub fn push(&mut self, bytes: &[u8], mut each: impl FnMut(Row)) {
        let mut rest = bytes;
        while let Some((words, tail)) = cut(rest) {
            rest = tail;
            if self.part.is_empty() {
                self.read(words, &mut each);
            } else {
                self.part.extend_from_slice(words);
                self.read_part(&mut each);
            }
        }
        self.part.extend_from_slice(rest);
    }

    /// Ends the input. Returns the notes about lines that are not JSON.
    pub fn end(mut self, mut each: impl FnMut(Row)) -> Vec<Note> {
        self.read_part(&mut each);
        self.parsing.take_broken()
    }

    fn read_part(&mut self, each: &mut impl FnMut(Row)) {
        let mut part = std::mem::take(&mut self.part);
        self.read(&part, each);
        // a long line must not keep its buffer allocated
        part.clear();
        part.shrink_to(MAX_BUFFER);
        self.part = part;
    }

    fn read(&mut self, words: &[u8], each: &mut impl FnMut(Row)) {
        self.line += 1;
        if let Some(words) = not_empty(words)
            && let Some(row) = self.parsing.read(self.line, words)
        {
            each(row);
        }
    }
}

/// The buffer that is kept for a line in two chunks.
const MAX_BUFFER: usize = 1 << 20;

/// Keys that agents write for themselves and no reader needs: copies of tool results in their own
/// form.
const UNREAD_KEYS: [&str; 1] = ["toolUseResult"];

/// Iterates over the lines that are not empty, with their numbers.
struct Walk<'a> {
    rest: &'a [u8],
    line: usize,
}

impl<'a> Iterator for Walk<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        while !self.rest.is_empty() {
            let (words, rest) = cut(self.rest).unwrap_or((self.rest, &[]));
            self.rest = rest;
            self.line += 1;
            if let Some(words) = not_empty(words) {
                return Some((self.line, words));
            }
        }
        None
    }
}

/// Returns the first line without its end, and the rest. `None` if no line ends.
fn cut(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (words, tail) = bytes.split_at_checked(find_byte(bytes, b'\n')?)?;
    Some((words, tail.get(1..).unwrap_or_default()))
}

/// Returns a line, if it is not empty.
fn not_empty(words: &[u8]) -> Option<&[u8]> {
    let words = words.strip_suffix(b"\r").unwrap_or(words);
    (!words.trim_ascii().is_empty()).then_some(words)
}
