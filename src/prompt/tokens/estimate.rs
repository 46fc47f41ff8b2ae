//! An estimate without a vocabulary: text is split as encoders split it, and each piece has the average
//! cost of such pieces in OpenAI's `o200k_base`.
//!
//! The averages are of prose, programs, JSON and Chinese text outside of this repository. `cargo xtask
//! tokens` prints the error over `tests/corpus`. Its README lists the texts for tuning and those that
//! are held out. Half of all estimates are within 8 % of the exact count, and 95 % are within 20 %. Each
//! of 22 other kinds of text (scripts, data, layouts) is within 20 %.

use super::pretokens::{Before, Kind, Piece, Script, Shape, first_piece};
use super::{Counter, TokenCount};
use super::{automaton, han};
use crate::value::arguments::arguments;
use crate::value::message::SharedText;

/// An estimate of `o200k_base` tokens from the shape of the text alone.
///
/// ```
/// use tuckbox::prompt::tokens::{Counter, Estimate};
///
/// assert_eq!(Estimate.count("hello, world"), 3);
/// assert_eq!(Estimate.count("请假申请"), 3);
/// assert_eq!(Estimate.count(r#"{"total": 1234567}"#), 8);
/// assert!(!Estimate.exact());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Estimate;

impl Counter for Estimate {
    fn count(&self, text: &str) -> u64 {
        tokens(text, pieces(text, Foreign::of(text)))
    }

    fn exact(&self) -> bool {
        false
    }

    fn recall(&self, words: &SharedText) -> Option<TokenCount> {
        Some(TokenCount::estimated(words.estimate(|text| self.count(text))))
    }
}

/// Estimates by a table, for megabytes of text. The code is too large to load for each request.
pub(crate) fn estimate_by_table(text: &str) -> u64 {
    let foreign = Foreign::of(text);
    let hundredths = automaton::hundredths(text, foreign).unwrap_or_else(|| pieces(text, foreign));
    tokens(text, hundredths)
}

/// Returns whole tokens: a string that is not empty has at least one.
fn tokens(text: &str, hundredths: u64) -> u64 {
    ((hundredths + 50) / 100).max(u64::from(!text.is_empty()))
}

/// Returns the cost of a string in hundredths of a token, piece by piece.
pub(super) fn pieces(text: &str, foreign: Foreign) -> u64 {
    let mut hundredths = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let (cost, tail) = piece_cost(rest, foreign);
        hundredths += cost;
        rest = tail;
    }
    hundredths
}

/// Returns the cost of the first piece of a string, and the rest.
pub(super) fn piece_cost(text: &str, foreign: Foreign) -> (u64, &str) {
    let Some((piece, tail)) = first_piece(text) else { return (0, "") };
    let own = text.get(..text.len() - tail.len()).unwrap_or_default();
    let more = match piece.kind {
        Kind::Word(_, shape) => foreign.more(shape, piece.length),
        Kind::Digits
        | Kind::Charset
        | Kind::Rule
        | Kind::Emoji
        | Kind::Space
        | Kind::Break
        | Kind::Script(_)
        | Kind::Blob => 0,
    };
    (cost(piece, own) + more, tail)
}

arguments! {
    /// A scale for estimates: the count of a provider for a request, and the estimate for it.
    ///
    /// ```
    /// use tuckbox::prompt::tokens::{Counter, Estimate, Scaled};
    ///
    /// let scaled = Scaled { counted: 1_200, estimated: 1_000 };
    /// let text = "The otters are hungry again this morning, all ten of them.";
    /// assert_eq!(scaled.count(text), (Estimate.count(text) * 12).div_ceil(10));
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Scaled {
        /// The count of the provider: the `usage` of the answer.
        pub counted: u64,
        /// The estimate for the same request.
        pub estimated: u64,
    }
}

/// The cost of pieces of one kind in hundredths of a token: by length from 1 to 12, and for each further
/// character.
pub(super) struct Row([u16; 12], u16);

impl Row {
    pub(super) fn at(&self, length: usize) -> u64 {
        let Self(short, more) = self;
        let index = length.clamp(1, short.len()) - 1;
        let known = short.get(index).copied().unwrap_or_default();
        u64::from(known) + length.saturating_sub(short.len()) as u64 * u64::from(*more)
    }
}

pub(super) const fn word_row(before: Before, shape: Shape) -> &'static Row {
    match (before, shape) {
        (Before::Space, Shape::Lower) => {
            &Row([100, 100, 100, 101, 102, 102, 103, 107, 110, 112, 116, 122], 15)
        }
        (Before::Space, Shape::Title) => {
            &Row([100, 101, 105, 105, 108, 111, 115, 124, 134, 150, 155, 165], 20)
        }
        (Before::Space, Shape::Upper) => {
            &Row([100, 101, 125, 136, 180, 192, 195, 205, 270, 280, 300, 320], 30)
        }
        (Before::Nothing, Shape::Lower) => {
            &Row([100, 100, 118, 112, 115, 121, 131, 152, 158, 168, 172, 178], 20)
        }
        (Before::Nothing, Shape::Title) => {
            &Row([100, 108, 118, 121, 121, 121, 122, 126, 138, 148, 152, 160], 25)
        }
        (Before::Nothing, Shape::Upper) => {
            &Row([100, 103, 141, 162, 187, 195, 205, 255, 300, 330, 350, 370], 30)
        }
        (Before::Sign, Shape::Lower) => {
            &Row([101, 107, 120, 122, 132, 143, 150, 170, 190, 200, 205, 212], 25)
        }
        (Before::Sign, Shape::Title) => {
            &Row([110, 160, 158, 150, 155, 165, 178, 180, 191, 220, 235, 245], 25)
        }
        (Before::Sign, Shape::Upper) => {
            &Row([109, 136, 151, 155, 165, 185, 195, 235, 255, 265, 280, 300], 30)
        }
        (Before::Space | Before::Nothing | Before::Sign, Shape::Accented) => {
            &Row([100, 105, 110, 120, 140, 160, 180, 200, 215, 230, 245, 260], 20)
        }
    }
}

pub(super) const SIGNS: Row = Row([100, 106, 132, 187, 256, 310, 350, 410, 470, 520, 570, 620], 45);

/// Words in capitals that are one token, from query languages, logs and protocols.
const CAPITALS: [&str; 40] = [
    "SELECT", "FROM", "WHERE", "ORDER", "GROUP", "LIMIT", "INSERT", "UPDATE", "DELETE", "CREATE",
    "TABLE", "INDEX", "VALUES", "COUNT", "NULL", "NOT", "AND", "JOIN", "LEFT", "INNER", "DESC",
    "ASC", "INTO", "SET", "PRIMARY", "KEY", "GET", "POST", "PUT", "HTTP", "JSON", "TRUE", "FALSE",
    "ERROR", "INFO", "WARN", "DEBUG", "TODO", "API", "URL",
];

/// How much text in the Latin alphabet differs from the languages that the encoding covers best. It
/// depends on the share of characters that only other languages use.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Foreign {
    /// English, French, Spanish and similar languages.
    Near,
    /// German: long words.
    Compound,
    /// Polish, Czech, Turkish, Danish and similar languages.
    Far,
}

impl Foreign {
    fn of(text: &str) -> Self {
        if text.is_ascii() {
            return Self::Near;
        }
        let (mut far, mut compound, mut letters) = (0_usize, 0_usize, 0_usize);
        for c in text.chars() {
            match c {
                'a'..='z' | 'A'..='Z' => letters += 1,
                '\u{100}'..='\u{17f}' | 'ø' | 'å' | 'æ' | 'Ø' | 'Å' | 'ț' | 'ș' => far += 1,
                'ä' | 'ö' | 'ü' | 'ß' => compound += 1,
                // Vietnamese has short words
                '\u{1ea0}'..='\u{1eff}' => return Self::Near,
                _ => {}
            }
        }
        if far * 90 > letters {
            Self::Far
        } else if compound * 90 > letters {
            Self::Compound
        } else {
            Self::Near
        }
    }

    /// Returns the additional cost of a word of this length.
    pub(super) fn more(self, shape: Shape, length: usize) -> u64 {
        let length = length as u64;
        match (self, shape) {
            (Self::Near, _) => 0,
            (Self::Compound, _) => 9 * length.saturating_sub(6),
            (Self::Far, Shape::Lower | Shape::Title | Shape::Accented) => {
                18 * length.saturating_sub(3).min(8)
            }
            (Self::Far, Shape::Upper) => 0,
        }
    }
}

fn cost(piece: Piece, text: &str) -> u64 {
    let length = piece.length as u64;
    match piece.kind {
        Kind::Word(_, Shape::Upper) if CAPITALS.contains(&text.trim_start()) => 100,
        Kind::Word(before, shape) => word_row(before, shape).at(piece.length),
        Kind::Digits => 100,
        Kind::Space if text.starts_with('\t') => 100 + 100 * (length / 17),
        Kind::Space => 100 + 100 * (length / 110),
        Kind::Break => break_cost(text.as_bytes()),
        Kind::Blob => 68 * length,
        Kind::Charset if is_json(text.as_bytes()) => 100 + 22 * length.saturating_sub(3),
        Kind::Charset => SIGNS.at(piece.length),
        Kind::Rule => (100 + 5 * length).min(300),
        Kind::Emoji => 150 * length - 40,
        Kind::Script(Script::Han) => han_cost(text),
        Kind::Script(Script::Kana) => 45 + 50 * length,
        Kind::Script(Script::Hangul) => 62 + 48 * length,
        Kind::Script(Script::Cyrillic) => {
            let ukrainian = if text.contains(['і', 'ї', 'є', 'ґ']) { 58 } else { 0 };
            58 + 19 * length + ukrainian
        }
        Kind::Script(Script::Greek) => 45 + 30 * length,
        Kind::Script(Script::Arabic) => 48 + 23 * length,
        Kind::Script(Script::Devanagari) => 64 + 17 * length,
        Kind::Script(Script::Thai) => 30 + 41 * length,
        Kind::Script(Script::Other) => 50 + 35 * length,
    }
}

/// The symbols of JSON and similar data between names and values.
fn is_json(text: &[u8]) -> bool {
    text.iter().all(|c| matches!(c, b'{' | b'}' | b'[' | b']' | b'"' | b':' | b',' | b'\\'))
}

/// Several line breaks share a token, fewer if other white space is between them.
fn break_cost(text: &[u8]) -> u64 {
    let length = text.len() as u64;
    if text.iter().all(|c| *c == b'\n') {
        return 100 + 100 * (length / 17);
    }
    let breaks = text.iter().filter(|c| **c == b'\n').count() as u64;
    let mixed = if text.contains(&b'\r') { 25 } else { 50 };
    (mixed * breaks).max(100)
}

/// A common word of two characters is one token. A common character is nearly one, because it can be
/// part of a longer word. A rare character is two or three.
fn han_cost(text: &str) -> u64 {
    let mut cost = 0;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let tail = rest.get(first.len_utf8()..).unwrap_or_default();
        if han::is_pair(rest) {
            cost += 100;
            rest = tail.strip_prefix(|_: char| true).unwrap_or_default();
        } else {
            cost += match first {
                // the character before the word
                '\0'..='\u{33ff}' | '\u{fe00}'..='\u{ffff}' => 100,
                _ if han::is_single(first) => 90,
                _ => 210,
            };
            rest = tail;
        }
    }
    cost
}
