//! One JSON value a line. Lines are read when they are asked for, or as they come in, so a long log
//! costs its own length and one line, or one line alone.

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

/// Reads one line after the other, and remembers those that are not JSON, each once, however often they
/// are come across.
#[derive(Clone, Debug, Default)]
struct Parsing {
    file: usize,
    allowance: Allowance,
    told: Vec<(usize, String)>,
    /// The first line that is not told, and how many are not.
    untold: Option<(usize, usize)>,
    last: usize,
    /// Where texts are put together.
    room: String,
}

/// So many lines of a file that are not JSON are told one by one.
const MOST_TOLD: usize = HEAD * 5;

impl Parsing {
    fn new(file: usize, allowance: Allowance) -> Self {
        Self { file, allowance, ..Self::default() }
    }

    /// The value of a line; one that is not JSON is noted.
    fn read(&mut self, line: usize, words: &[u8]) -> Option<Row> {
        let fault = match std::str::from_utf8(words) {
            Ok(words) => match self.allowance.parse(self.file, words, &BESIDE, &mut self.room)? {
                Ok(value) => return Some(Row { line: Some(line), value }),
                Err(error) => Fault::NotJson(error),
            },
            Err(error) => Fault::NotText(error.valid_up_to()),
        };
        if line > self.last {
            self.last = line;
            self.tell(line, &fault);
        }
        None
    }

    fn tell(&mut self, line: usize, fault: &Fault) {
        if self.told.len() >= MOST_TOLD {
            let (_, count) = self.untold.get_or_insert((line, 0));
            *count += 1;
            return;
        }
        let why = match fault {
            Fault::NotJson(error) => error.to_string(),
            Fault::NotText(at) => format!("byte {at} is not UTF-8"),
        };
        self.told.push((line, format!("line {line} is not JSON: {why}")));
    }

    fn take_broken(&mut self) -> Vec<Note> {
        let file = self.file;
        let untold = self.untold.take().map(|(line, count)| {
            (line, format!("{count} lines from line {line} on are not JSON either"))
        });
        let note = |(line, message)| Note {
            code: ImportLint::BrokenLine,
            origin: Origin { file, line: Some(line), pointer: String::new() },
            message,
        };
        self.told.drain(..).chain(untold).map(note).collect()
    }
}

/// What is wrong with a line.
enum Fault {
    NotJson(Error),
    /// The position of the first byte that is no text.
    NotText(usize),
}

impl Lines {
    /// The lines of a file, the first of which are read at once.
    pub fn new(file: usize, bytes: Vec<u8>, allowance: &Allowance) -> Self {
        let mut parsing = Parsing::new(file, allowance.clone());
        let mut head = Head::default();
        let mut walk = Walk { rest: &bytes, line: 0 };
        // broken lines count too: a text that is no log is soon known as such
        head.is_full = loop {
            if head.rows.len() >= HEAD || parsing.told.len() >= MOST_TOLD {
                break true;
            }
            let Some((line, words)) = walk.next() else { break false };
            head.rows.extend(parsing.read(line, words));
        };
        (head.lines, head.end) = (walk.line, bytes.len() - walk.rest.len());
        Self { bytes, head, all: OnceCell::new(), parsing: RefCell::new(parsing) }
    }

    /// How many of the first lines are JSON, and how many are not.
    pub fn tally(&self) -> (usize, usize) {
        (self.head.rows.len(), self.parsing.borrow().told.len())
    }

    /// True for a log, and not for a text in which some line happens to be JSON.
    pub fn are_a_log(&self) -> bool {
        let (good, bad) = self.tally();
        good > 0 && bad <= good.max(4) * 4
    }

    /// True when the first line is a value by itself: the file is no single value, whatever follows.
    pub fn starts_whole(&self) -> bool {
        let parsing = self.parsing.borrow();
        let first = parsing.told.first().map_or(usize::MAX, |(line, _)| *line);
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
            self.parsing.borrow_mut().read(line, words).map(Cow::Owned)
        });
        self.head.rows.iter().map(Cow::Borrowed).chain(later)
    }

    /// What comes after the first values.
    fn behind(&self) -> Walk<'_> {
        let rest = self.bytes.get(self.head.end..).unwrap_or_default();
        Walk { rest, line: self.head.lines }
    }

    /// The lines that are not JSON, with what is wrong with each.
    pub fn take_broken(&self) -> Vec<Note> {
        self.parsing.borrow_mut().take_broken()
    }

    /// Goes on with lines that come in pieces, the first of them directly behind these.
    pub fn go_on(&self) -> Feed {
        let mut behind = self.behind();
        behind.by_ref().for_each(drop);
        let Parsing { file, allowance, .. } = &*self.parsing.borrow();
        let parsing = Parsing::new(*file, allowance.clone());
        Feed { line: behind.line, part: Vec::new(), parsing }
    }
}

/// Lines that come in pieces, which end anywhere.
#[derive(Debug)]
pub struct Feed {
    line: usize,
    /// The beginning of a line that is not whole yet.
    part: Vec<u8>,
    parsing: Parsing,
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
    pub fn end(mut self, mut each: impl FnMut(Row)) -> Vec<Note> {
        self.read_part(&mut each);
        self.parsing.take_broken()
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
            && let Some(row) = self.parsing.read(self.line, words)
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
