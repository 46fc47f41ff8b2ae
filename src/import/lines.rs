//! One JSON value a line. Lines are read when they are asked for, or as they come in, so a long log
//! costs its own length and one line, or one line alone.

use super::file::{HEAD, Row};
use super::model::{Note, Origin};
use crate::import::lint::ImportLint;
use crate::value::json::{find_byte, parse_without};
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};

/// The lines of a file.
#[derive(Clone, Debug)]
pub struct Lines {
    bytes: Vec<u8>,
    head: Head,
    all: OnceCell<Vec<Row>>,
    broken: RefCell<Broken>,
}

/// The first values, which tell what the file is.
#[derive(Clone, Debug, Default)]
struct Head {
    rows: Vec<Row>,
    /// How many lines were looked at, and where the file goes on behind them.
    lines: usize,
    end: usize,
    /// Whether as many were looked at as ever are.
    is_full: bool,
}

/// Lines that are not JSON, each once, however often they are come across.
#[derive(Clone, Debug, Default)]
struct Broken {
    told: Vec<(usize, String)>,
    last: usize,
    /// Where texts are put together.
    room: String,
}

impl Broken {
    fn take(&mut self, file: usize) -> Vec<Note> {
        let note = |(line, message)| Note {
            code: ImportLint::BrokenLine,
            origin: Origin { file, line: Some(line), pointer: String::new() },
            message,
        };
        self.told.drain(..).map(note).collect()
    }
}

impl Lines {
    /// The lines of a file, the first of which are read at once.
    pub fn new(bytes: Vec<u8>) -> Self {
        let mut broken = Broken::default();
        let mut head = Head::default();
        let mut walk = Walk { rest: &bytes, line: 0 };
        // broken lines count too: a text that is no log is soon known as such
        head.is_full = loop {
            if head.rows.len() >= HEAD || broken.told.len() >= HEAD * 5 {
                break true;
            }
            let Some((line, words)) = walk.next() else { break false };
            head.rows.extend(read(line, words, &mut broken));
        };
        (head.lines, head.end) = (walk.line, bytes.len() - walk.rest.len());
        Self { bytes, head, all: OnceCell::new(), broken: RefCell::new(broken) }
    }

    /// How many of the first lines are JSON, and how many are not.
    pub fn tally(&self) -> (usize, usize) {
        (self.head.rows.len(), self.broken.borrow().told.len())
    }

    /// True for a log, and not for a text in which some line happens to be JSON.
    pub fn are_a_log(&self) -> bool {
        let (good, bad) = self.tally();
        good > 0 && bad <= good.max(4) * 4
    }

    /// True when the first line is a value by itself: the file is no single value, whatever follows.
    pub fn starts_whole(&self) -> bool {
        let broken = self.broken.borrow();
        let first = broken.told.first().map_or(usize::MAX, |(line, _)| *line);
        self.head.rows.first().is_some_and(|row| row.line < Some(first))
    }

    /// Whether more lines behind these would tell nothing new about what the file is.
    pub fn tell_enough(&self) -> bool {
        self.head.is_full
    }

    /// The file again.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The first values.
    pub fn head(&self) -> &[Row] {
        self.all.get().map_or(&self.head.rows, |all| all.get(..HEAD).unwrap_or(all))
    }

    /// All values at once.
    pub fn all(&self) -> &[Row] {
        self.all.get_or_init(|| self.each().map(Cow::into_owned).collect())
    }

    /// The values one after the other.
    pub fn each(&self) -> impl Iterator<Item = Cow<'_, Row>> {
        let later = self.behind().filter_map(|(line, words)| {
            read(line, words, &mut self.broken.borrow_mut()).map(Cow::Owned)
        });
        self.head.rows.iter().map(Cow::Borrowed).chain(later)
    }

    /// What comes after the first values.
    fn behind(&self) -> Walk<'_> {
        let rest = self.bytes.get(self.head.end..).unwrap_or_default();
        Walk { rest, line: self.head.lines }
    }

    /// The lines that are not JSON, with what is wrong with each.
    pub fn take_broken(&self, file: usize) -> Vec<Note> {
        self.broken.borrow_mut().take(file)
    }

    /// Goes on with lines that come in pieces, the first of them directly behind these.
    pub fn go_on(&self) -> Feed {
        let mut behind = self.behind();
        behind.by_ref().for_each(drop);
        Feed { line: behind.line, part: Vec::new(), broken: Broken::default() }
    }
}

/// Lines that come in pieces, which end anywhere.
#[derive(Debug)]
pub struct Feed {
    line: usize,
    /// The beginning of a line that is not whole yet.
    part: Vec<u8>,
    broken: Broken,
}

impl Feed {
    /// Takes in the next bytes and hands out every value that is whole.
    pub fn push(&mut self, bytes: &[u8], mut each: impl FnMut(Row)) {
        let mut rest = bytes;
        while let Some((words, behind)) = cut(rest) {
            rest = behind;
            if self.part.is_empty() {
                self.read(words, &mut each);
            } else {
                self.part.extend_from_slice(words);
                self.read_part(&mut each);
            }
        }
        self.part.extend_from_slice(rest);
    }

    /// There are no more bytes. Answers the lines that are not JSON.
    pub fn end(mut self, file: usize, mut each: impl FnMut(Row)) -> Vec<Note> {
        self.read_part(&mut each);
        self.broken.take(file)
    }

    fn read_part(&mut self, each: &mut impl FnMut(Row)) {
        let mut part = std::mem::take(&mut self.part);
        self.read(&part, each);
        // a line that is longer than others is no reason to keep its room
        part.clear();
        part.shrink_to(MOST_ROOM);
        self.part = part;
    }

    fn read(&mut self, words: &[u8], each: &mut impl FnMut(Row)) {
        self.line += 1;
        if let Some(words) = said(words)
            && let Some(row) = read(self.line, words, &mut self.broken)
        {
            each(row);
        }
    }
}

/// How much room is kept for the next line that comes in two pieces.
const MOST_ROOM: usize = 1 << 20;

/// What an agent keeps beside a message for itself, and no reader asks for: results of tools once
/// more, in a form of its own.
const BESIDE: [&str; 1] = ["toolUseResult"];

/// The value of a line; one that is not JSON is noted.
fn read(line: usize, words: &[u8], broken: &mut Broken) -> Option<Row> {
    let value = match std::str::from_utf8(words) {
        Ok(words) => {
            parse_without(words, &BESIDE, &mut broken.room).map_err(|error| error.to_string())
        }
        Err(error) => Err(format!("byte {} is not UTF-8", error.valid_up_to())),
    };
    match value {
        Ok(value) => Some(Row { line: Some(line), value }),
        Err(error) => {
            if line > broken.last {
                broken.last = line;
                broken.told.push((line, format!("line {line} is not JSON: {error}")));
            }
            None
        }
    }
}

/// Goes through the lines that are not empty, with their numbers.
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
            if let Some(words) = said(words) {
                return Some((self.line, words));
            }
        }
        None
    }
}

/// The first line, without its end, and what is behind it; nothing where no line ends.
fn cut(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (words, behind) = bytes.split_at_checked(find_byte(bytes, b'\n')?)?;
    Some((words, behind.get(1..).unwrap_or_default()))
}

/// A line that is not empty.
fn said(words: &[u8]) -> Option<&[u8]> {
    let words = words.strip_suffix(b"\r").unwrap_or(words);
    (!words.trim_ascii().is_empty()).then_some(words)
}
