//! The states of the automaton within a piece, and their transitions.

use super::super::estimate::{Foreign, SIGNS, word_row};
use super::super::pretokens::{Before, Shape};

/// The class of a byte in a table.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub(super) enum Class {
    Lower,
    Upper,
    Digit,
    Newline,
    Return,
    Space,
    Tab,
    /// A symbol of JSON.
    Mark,
    Sign,
    /// Part of a character that is not ASCII.
    Other,
    /// The end of the text.
    End,
}

impl Class {
    pub(super) const ALL: [Self; 11] = [
        Self::Lower,
        Self::Upper,
        Self::Digit,
        Self::Newline,
        Self::Return,
        Self::Space,
        Self::Tab,
        Self::Mark,
        Self::Sign,
        Self::Other,
        Self::End,
    ];
}

/// Returns the class of a byte.
pub(super) const fn class(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' => Class::Lower,
        b'A'..=b'Z' => Class::Upper,
        b'0'..=b'9' => Class::Digit,
        b'\n' => Class::Newline,
        b'\r' => Class::Return,
        b' ' => Class::Space,
        b'\t' => Class::Tab,
        b'{' | b'}' | b'[' | b']' | b'"' | b':' | b',' | b'\\' => Class::Mark,
        0..=0x7f => Class::Sign,
        0x80.. => Class::Other,
    }
}

/// The state within a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Start,
    /// This number of letters, at most [`LONGEST`].
    Word(Before, Shape, usize),
    Digits(usize),
    Signs(Run, usize),
    /// Line breaks after symbols: they cost nothing.
    Absorbed,
    /// Spaces and tabs. The last one belongs to the next piece.
    White {
        count: usize,
        tab_last: bool,
        after_break: bool,
    },
    Breaks(usize),
    /// The piece began this number of bytes earlier and is read as a whole.
    Back(usize),
    /// The same, for white space with line breaks.
    BackWhite,
    /// The same, for a word with the character before it.
    BackWord(Before),
}

/// The kind of a run of symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Run {
    Marks,
    Signs,
    /// With a space before it.
    Spaced,
}

/// From this length on, each letter has the same cost.
const LONGEST: usize = 13;
/// The table covers words in capitals, digits and symbols up to this length.
const FEW: usize = 3;
/// The table covers white space up to this length.
const MOST: usize = 16;

impl State {
    /// Returns its row of the table.
    pub(super) const fn row(self) -> usize {
        match self {
            Self::Start | Self::Back(_) | Self::BackWhite | Self::BackWord(_) => 0,
            Self::Word(before, shape, length) => {
                (before as usize * 3 + shape as usize) * LONGEST + length
            }
            Self::Digits(count) => 117 + count,
            Self::Signs(run, count) => 120 + run as usize * FEW + count,
            Self::Absorbed => 130,
            Self::White { count, tab_last, after_break } => {
                130 + (tab_last as usize * 2 + after_break as usize) * MOST + count
            }
            Self::Breaks(count) => 194 + count,
        }
    }

    /// Returns all states with a row.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let befores = [Before::Nothing, Before::Space, Before::Sign];
        let shapes = [Shape::Lower, Shape::Title, Shape::Upper];
        let words = befores.into_iter().flat_map(move |before| {
            shapes.into_iter().flat_map(move |shape| {
                (1..=LONGEST).map(move |length| Self::Word(before, shape, length))
            })
        });
        let signs = (1..=FEW).flat_map(|count| {
            let runs = [Run::Marks, Run::Signs, Run::Spaced];
            let runs = runs.into_iter().map(move |run| Self::Signs(run, count));
            runs.chain([Self::Digits(count)])
        });
        let white = (1..=MOST).flat_map(|count| {
            let kinds = [(false, false), (false, true), (true, false), (true, true)];
            let kinds = kinds.into_iter();
            kinds
                .map(move |(tab_last, after_break)| Self::White { count, tab_last, after_break })
                .chain([Self::Breaks(count)])
        });
        [Self::Start, Self::Absorbed].into_iter().chain(words).chain(signs).chain(white)
    }

    /// Returns the cost of the piece if it ends here. White space is counted at its end.
    fn cost(self, foreign: Foreign) -> i64 {
        let cost = match self {
            Self::Word(before, shape, length) => {
                word_row(before, shape).at(length) + foreign.more(shape, length)
            }
            Self::Digits(_) | Self::Breaks(_) => 100,
            Self::Signs(Run::Marks, _) => 100,
            Self::Signs(Run::Signs | Run::Spaced, count) => SIGNS.at(count),
            Self::Start
            | Self::Absorbed
            | Self::White { .. }
            | Self::Back(_)
            | Self::BackWhite
            | Self::BackWord(_) => 0,
        };
        i64::try_from(cost).unwrap_or(i64::MAX)
    }

    /// Returns the state after the first byte of a piece.
    const fn first(class: Class) -> Self {
        match class {
            Class::Lower => Self::Word(Before::Nothing, Shape::Lower, 1),
            Class::Upper => Self::Word(Before::Nothing, Shape::Upper, 1),
            Class::Digit => Self::Digits(1),
            Class::Newline => Self::Breaks(1),
            Class::Return | Class::Other => Self::Back(0),
            Class::Space | Class::Tab => Self::white(1, class, false),
            Class::Mark => Self::Signs(Run::Marks, 1),
            Class::Sign => Self::Signs(Run::Signs, 1),
            Class::End => Self::Start,
        }
    }

    const fn white(count: usize, last: Class, after_break: bool) -> Self {
        Self::White { count, tab_last: matches!(last, Class::Tab), after_break }
    }

    /// Returns the state after one more byte, and its cost.
    pub(super) fn after(self, class: Class, foreign: Foreign) -> (Self, i64) {
        use Class as C;
        let paid = self.cost(foreign);
        let goes_on = |next: Self| (next, next.cost(foreign) - paid);
        let ends = |cost: i64, next: Self| (next, cost - paid + next.cost(foreign));
        let letter = |before| match class {
            C::Upper => Self::Word(before, Shape::Upper, 1),
            _ => Self::Word(before, Shape::Lower, 1),
        };
        match (self, class) {
            (Self::Word(before, _, _), C::Other) => goes_on(Self::BackWord(before)),
            // the word may be one token
            (Self::Word(before, Shape::Upper, FEW..), C::Upper) => goes_on(Self::BackWord(before)),
            (Self::Word(before, Shape::Upper, length), C::Upper) if length + 1 == FEW => {
                goes_on(Self::BackWord(before))
            }
            (Self::Word(before, Shape::Upper, length), C::Upper) => {
                goes_on(Self::Word(before, Shape::Upper, length + 1))
            }
            (Self::Word(before, shape, LONGEST), C::Lower) => {
                (self, one_more(before, shape, foreign))
            }
            (Self::Word(before, Shape::Upper, length), C::Lower) => {
                goes_on(Self::Word(before, Shape::Title, length + 1))
            }
            (Self::Word(before, shape, length), C::Lower) => {
                goes_on(Self::Word(before, shape, length + 1))
            }
            (Self::Digits(count), C::Digit) if count < FEW => goes_on(Self::Digits(count + 1)),
            (Self::Digits(count), C::Other) => goes_on(Self::Back(count)),
            (Self::Signs(run, count), C::Other) => goes_on(Self::Back(run.bytes(count))),
            (Self::Signs(run, FEW), C::Mark | C::Sign) => goes_on(Self::Back(run.bytes(FEW))),
            (Self::Signs(Run::Marks, count), C::Sign) => {
                goes_on(Self::Signs(Run::Signs, count + 1))
            }
            (Self::Signs(run, count), C::Mark | C::Sign) => goes_on(Self::Signs(run, count + 1)),
            // marks before a line break are not JSON
            (Self::Signs(_, count), C::Newline | C::Return) => {
                (Self::Absorbed, Self::Signs(Run::Signs, count).cost(foreign) - paid)
            }
            (Self::Signs(Run::Marks | Run::Signs, 1), C::Lower | C::Upper) => {
                goes_on(letter(Before::Sign))
            }
            (Self::Absorbed, C::Newline | C::Return) => (self, 0),
            (Self::Breaks(count), C::Newline) if count < MOST => goes_on(Self::Breaks(count + 1)),
            (Self::Breaks(count), C::Newline | C::Return | C::Other) => goes_on(Self::Back(count)),
            (Self::Breaks(_), C::Space | C::Tab) => ends(paid, Self::white(1, class, true)),
            // the line breaks before it are part of it and are already counted
            (Self::White { after_break: true, .. }, C::Newline | C::Return | C::Other)
            | (Self::White { count: MOST, after_break: true, .. }, C::Space | C::Tab) => {
                (Self::BackWhite, -100)
            }
            (Self::White { count, .. }, C::Newline | C::Return | C::Other) => {
                goes_on(Self::Back(count))
            }
            (Self::White { count: MOST, .. }, C::Space | C::Tab) => goes_on(Self::Back(MOST)),
            (Self::White { count, after_break, .. }, C::Space | C::Tab) => {
                goes_on(Self::white(count + 1, class, after_break))
            }
            (Self::White { count, tab_last, .. }, C::Lower | C::Upper) => {
                ends(space_cost(count), letter(if tab_last { Before::Sign } else { Before::Space }))
            }
            (Self::White { count, tab_last: false, .. }, C::Mark | C::Sign) => {
                ends(space_cost(count), Self::Signs(Run::Spaced, 1))
            }
            // a tab before symbols is a piece
            (Self::White { count, tab_last: true, .. }, C::Mark | C::Sign) => {
                ends(space_cost(count) + 100, Self::first(class))
            }
            (Self::White { .. }, C::Digit | C::End) => ends(100, Self::first(class)),
            (_, _) => ends(paid, Self::first(class)),
        }
    }
}

/// Returns the cost of each letter of a word from [`LONGEST`] on.
fn one_more(before: Before, shape: Shape, foreign: Foreign) -> i64 {
    let cost = |length| State::Word(before, shape, length).cost(foreign);
    cost(LONGEST + 1) - cost(LONGEST)
}

/// Returns the cost of letters that a state no longer counts: those beyond the longest word of the
/// states.
pub(super) fn beyond(before: Before, word: &[u8], foreign: Foreign) -> i64 {
    let shape = match word.first() {
        Some(b'A'..=b'Z') => Shape::Title,
        Some(_) | None => Shape::Lower,
    };
    let letters = i64::try_from(word.len().saturating_sub(LONGEST)).unwrap_or(i64::MAX);
    letters.saturating_mul(one_more(before, shape, foreign))
}

/// Returns the cost of white space without its last character.
const fn space_cost(count: usize) -> i64 {
    if count > 1 { 100 } else { 0 }
}

impl Run {
    /// Returns the length of a run of this number of symbols, with the space before it.
    const fn bytes(self, count: usize) -> usize {
        count + matches!(self, Self::Spaced) as usize
    }
}
