//! A text of one JSON value a line. Lines are read when they are asked for, so a long log costs its
//! own length and one line.

use super::file::{HEAD, Row};
use crate::value::json::parse_without;
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};

/// The lines of a text.
#[derive(Clone, Debug)]
pub struct Lines {
    text: String,
    head: Head,
    all: OnceCell<Vec<Row>>,
    broken: RefCell<Broken>,
}

/// The first values, which tell what the file is.
#[derive(Clone, Debug, Default)]
struct Head {
    rows: Vec<Row>,
    /// How many lines were looked at, and where the text goes on behind them.
    lines: usize,
    end: usize,
}

/// Lines that are not JSON, each once, however often they are come across.
#[derive(Clone, Debug, Default)]
struct Broken {
    told: Vec<(usize, String)>,
    last: usize,
}

impl Lines {
    /// The lines of `text`, the first of which are read at once.
    pub fn new(text: String) -> Self {
        let mut broken = Broken::default();
        let mut head = Head::default();
        let mut walk = Walk { rest: &text, line: 0 };
        // broken lines count too: a text that is no log is soon known as such
        while head.rows.len() < HEAD
            && broken.told.len() < HEAD * 5
            && let Some((line, words)) = walk.next()
        {
            head.rows.extend(read(line, words, &mut broken));
        }
        (head.lines, head.end) = (walk.line, text.len() - walk.rest.len());
        Self { text, head, all: OnceCell::new(), broken: RefCell::new(broken) }
    }

    /// How many of the first lines are JSON, and how many are not.
    pub fn tally(&self) -> (usize, usize) {
        (self.head.rows.len(), self.broken.borrow().told.len())
    }

    /// The text again.
    pub fn into_text(self) -> String {
        self.text
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
        let rest = self.text.get(self.head.end..).unwrap_or_default();
        let behind = Walk { rest, line: self.head.lines };
        let later = behind.filter_map(|(line, words)| {
            read(line, words, &mut self.broken.borrow_mut()).map(Cow::Owned)
        });
        self.head.rows.iter().map(Cow::Borrowed).chain(later)
    }

    /// The lines that are not JSON, with what is wrong with each.
    pub fn take_broken(&self) -> Vec<(usize, String)> {
        std::mem::take(&mut self.broken.borrow_mut().told)
    }
}

/// What an agent keeps beside a message for itself, and no reader asks for: results of tools once
/// more, in a form of its own.
const BESIDE: [&str; 1] = ["toolUseResult"];

/// The value of a line; one that is not JSON is noted.
fn read(line: usize, words: &str, broken: &mut Broken) -> Option<Row> {
    match parse_without(words, &BESIDE) {
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
    rest: &'a str,
    line: usize,
}

impl<'a> Iterator for Walk<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        while !self.rest.is_empty() {
            let (words, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
            self.rest = rest;
            self.line += 1;
            let words = words.trim_end_matches('\r');
            if !words.trim().is_empty() {
                return Some((self.line, words));
            }
        }
        None
    }
}
