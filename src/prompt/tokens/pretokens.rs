//! Splits text as byte-pair encoders do first: words with the character before them, groups of
//! digits, runs of symbols, runs of white space.

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub kind: Kind,
    /// The number of characters, without a leading space or symbol of a word.
    pub length: usize,
}

/// The content of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Letters of the Latin alphabet.
    Word(Before, Shape),
    /// At most three digits.
    Digits,
    /// Symbols, with the line breaks directly after them.
    Charset,
    /// At least four of one symbol.
    Rule,
    /// Emoji and other pictures.
    Emoji,
    /// Spaces and tabs.
    Space,
    /// Line breaks, with the white space before them.
    Break,
    /// Letters of one other script.
    Script(Script),
    /// Base64 data: letters of both cases and digits without order.
    Blob,
}

/// The character before a word that is encoded with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    Nothing,
    Space,
    Sign,
}

/// How a word is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Lower,
    Title,
    Upper,
    Accented,
}

/// Scripts with different costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Script {
    Han,
    Kana,
    Hangul,
    Cyrillic,
    Greek,
    Arabic,
    Devanagari,
    Thai,
    Other,
}

/// The class of one character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Accented,
    Script(Script),
    Digit,
    Break,
    Space,
    Sign,
    Emoji,
}

fn class(c: char) -> Class {
    match c {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Digit,
        '\n' | '\r' => Class::Break,
        ' ' | '\t' => Class::Space,
        '\0'..='\u{7f}' => Class::Sign,
        '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' if c.is_alphabetic() => Class::Accented,
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' if c.is_alphabetic() => {
            Class::Script(Script::Greek)
        }
        '\u{400}'..='\u{52f}' => Class::Script(Script::Cyrillic),
        // combining marks are encoded with their letters
        '\u{600}'..='\u{6ff}' if c.is_alphabetic() || matches!(c, '\u{64b}'..='\u{65f}') => {
            Class::Script(Script::Arabic)
        }
        '\u{900}'..='\u{963}' | '\u{970}'..='\u{97f}' => Class::Script(Script::Devanagari),
        '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}' => Class::Script(Script::Thai),
        '\u{3040}'..='\u{30ff}' => Class::Script(Script::Kana),
        '\u{ac00}'..='\u{d7a3}' => Class::Script(Script::Hangul),
        '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => {
            Class::Script(Script::Han)
        }
        c if c.is_numeric() => Class::Digit,
        c if c.is_alphabetic() => Class::Script(Script::Other),
        c if c.is_whitespace() => Class::Space,
        '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}' => Class::Emoji,
        _ => Class::Sign,
    }
}

const fn is_letter(class: Class) -> bool {
    match class {
        Class::Lower | Class::Upper | Class::Accented | Class::Script(_) => true,
        Class::Digit | Class::Break | Class::Space | Class::Sign | Class::Emoji => false,
    }
}

/// Returns the first piece of a text, and the rest.
pub(super) fn first_piece(text: &str) -> Option<(Piece, &str)> {
    let first = text.chars().next()?;
    Some(blob(text, first).unwrap_or_else(|| piece(text, first)))
}

/// The minimum length of a run without order that counts as data.
const BLOB: usize = 24;

/// The rule for data: a long run of letters of both cases and digits in which every second character
/// is of another kind. Languages and programs do not have such runs.
fn blob(text: &str, first: char) -> Option<(Piece, &str)> {
    if !first.is_ascii_alphanumeric() {
        return None;
    }
    let length = is_blob(text.as_bytes())?;
    Some((Piece { kind: Kind::Blob, length }, text.get(length..).unwrap_or_default()))
}

/// Returns the length of the data that a text begins with, if any.
fn is_blob(text: &[u8]) -> Option<usize> {
    // nearly every word is shorter
    if !text.get(BLOB - 1).is_some_and(is_data) {
        return None;
    }
    let length = text.iter().take_while(|c| is_data(c)).count();
    if length < BLOB {
        return None;
    }
    let run = text.get(..length).unwrap_or_default();
    (has_both_cases(run) && changes(run) * 2 > length).then_some(length)
}

/// Returns whether a byte can be part of data.
pub(super) const fn is_data(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// Returns false for a run without data at any position.
pub(super) fn may_be_blob(run: &[u8]) -> bool {
    run.len() >= BLOB && has_both_cases(run) && changes(run) * 2 > BLOB
}

fn has_both_cases(run: &[u8]) -> bool {
    run.iter().any(u8::is_ascii_lowercase) && run.iter().any(u8::is_ascii_uppercase)
}

/// Returns how often the kind of character changes in a run.
fn changes(run: &[u8]) -> usize {
    let kind = |c: u8| match c {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    run.iter().zip(run.iter().skip(1)).filter(|(a, b)| kind(**a) != kind(**b)).count()
}

fn piece(text: &str, first: char) -> (Piece, &str) {
    match class(first) {
        own @ (Class::Lower | Class::Upper | Class::Accented | Class::Script(_)) => {
            word(text, own, Before::Nothing)
        }
        Class::Digit => {
            let (length, tail) = run(text, 3, |class| class == Class::Digit);
            (Piece { kind: Kind::Digits, length }, tail)
        }
        Class::Emoji => {
            let (length, tail) = run(text, usize::MAX, |class| class == Class::Emoji);
            (Piece { kind: Kind::Emoji, length }, tail)
        }
        own @ (Class::Space | Class::Sign) => with_next(text, first, own == Class::Space),
        Class::Break => white(text),
    }
}

/// Returns the piece of white space or of a symbol: what follows can be part of it.
fn with_next(text: &str, first: char, is_space: bool) -> (Piece, &str) {
    let tail = text.get(first.len_utf8()..).unwrap_or_default();
    match tail.chars().next().map(class) {
        Some(letter) if is_letter(letter) => {
            // few words are one token with the tab before them
            let is_own = is_space && first != '\t';
            word(tail, letter, if is_own { Before::Space } else { Before::Sign })
        }
        Some(Class::Sign) if first == ' ' => signs(tail),
        Some(_) | None => {
            if is_space {
                white(text)
            } else {
                signs(text)
            }
        }
    }
}

/// Returns the number of leading characters of this kind, at most `most`, and the rest.
fn run(text: &str, most: usize, of: impl Fn(Class) -> bool) -> (usize, &str) {
    let mut chars = text.chars();
    let mut length = 0;
    let mut tail = text;
    while length < most && chars.next().is_some_and(|c| of(class(c))) {
        length += 1;
        tail = chars.as_str();
    }
    (length, tail)
}

/// Returns the word at the start of a text; `first` is the class of its first character.
fn word(text: &str, first: Class, before: Before) -> (Piece, &str) {
    if let Class::Script(script) = first {
        let (length, tail) = run(text, usize::MAX, |class| class == first);
        return (Piece { kind: Kind::Script(script), length }, tail);
    }
    // nearly all letters have one byte, and reading bytes is faster than reading characters
    let upper = text.bytes().take_while(u8::is_ascii_uppercase).count();
    let tail = text.get(upper..).unwrap_or_default();
    let plain = tail.bytes().take_while(u8::is_ascii_lowercase).count();
    let rest = tail.get(plain..).unwrap_or_default();
    let (others, end) = match rest.bytes().next() {
        Some(0x80..) => {
            run(rest, usize::MAX, |class| matches!(class, Class::Lower | Class::Accented))
        }
        Some(_) | None => (0, rest),
    };
    let lower = plain + others;
    let shape = match (others > 0, upper, lower) {
        (true, _, _) => Shape::Accented,
        (false, 0, _) => Shape::Lower,
        (false, _, 0) => Shape::Upper,
        (false, _, _) => Shape::Title,
    };
    (Piece { kind: Kind::Word(before, shape), length: upper + lower }, end)
}

fn signs(text: &str) -> (Piece, &str) {
    let (length, tail) = run(text, usize::MAX, |class| class == Class::Sign);
    let (_, tail) = run(tail, usize::MAX, |class| class == Class::Break);
    let mut signs = text.chars().take(length);
    let first = signs.next();
    let is_rule = length > 3 && signs.all(|c| Some(c) == first);
    (Piece { kind: if is_rule { Kind::Rule } else { Kind::Charset }, length }, tail)
}

/// Returns white space up to its last line break. Without a line break it is all but the last space,
/// which belongs to the next piece.
fn white(text: &str) -> (Piece, &str) {
    let is_white = |class| matches!(class, Class::Space | Class::Break);
    let (length, tail) = run(text, usize::MAX, is_white);
    let whole = text.len() - tail.len();
    let spaces = text.get(..whole).unwrap_or_default();
    if let Some(at) = spaces.rfind(['\n', '\r']) {
        let length = spaces.get(..=at).unwrap_or_default().chars().count();
        return (Piece { kind: Kind::Break, length }, text.get(at + 1..).unwrap_or_default());
    }
    let followed = tail.chars().next().is_some_and(|c| class(c) != Class::Digit);
    if length > 1 && followed {
        let last = spaces.chars().next_back().map_or(0, char::len_utf8);
        let tail = text.get(whole - last..).unwrap_or_default();
        return (Piece { kind: Kind::Space, length: length - 1 }, tail);
    }
    (Piece { kind: Kind::Space, length }, tail)
}
