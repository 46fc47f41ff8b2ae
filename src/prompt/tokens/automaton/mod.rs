//! The estimate for text in the Latin alphabet, by a table. It returns the same numbers as
//! [`piece_cost`] for each piece.
//!
//! A branch at the end of a word is mispredicted for nearly every word, which takes most of the time.
//! A table needs no branches: a state and the class of a byte give the next state and its cost. A long
//! text is read at four positions at once. Pieces that the table does not cover (long runs of symbols,
//! words in capitals, other scripts) use [`piece_cost`].

mod state;

use super::estimate::{Foreign, piece_cost};
use super::pretokens::{Before, is_data, may_be_blob};
use state::{Class, State, beyond, class};
use std::sync::OnceLock;

/// The number of columns of a row, and of entries.
const COLUMNS: usize = 16;
const ENTRIES: usize = 256 * COLUMNS;

/// Marks a next state that reads a piece as a whole: the number of bytes to go back, or one of the
/// next two constants.
const LOOK: u16 = 1 << 15;
const LOOK_WHITE: u16 = LOOK | 100;
const LOOK_WORD: u16 = LOOK | 101;
const LOOK_BEFORE_WORD: u16 = LOOK | 102;

struct Table {
    next: [u16; ENTRIES],
    cost: [i16; ENTRIES],
}

impl Table {
    fn of(foreign: Foreign) -> &'static Self {
        static TABLES: [OnceLock<Box<Table>>; 3] = [const { OnceLock::new() }; 3];
        let [near, compound, far] = &TABLES;
        let table = match foreign {
            Foreign::Near => near,
            Foreign::Compound => compound,
            Foreign::Far => far,
        };
        table.get_or_init(|| Self::new(foreign))
    }

    fn new(foreign: Foreign) -> Box<Self> {
        let mut table = Box::new(Self { next: [0; ENTRIES], cost: [0; ENTRIES] });
        for (state, class) in State::all().flat_map(|state| Class::ALL.map(|class| (state, class)))
        {
            let at = state.row() * COLUMNS + class as usize;
            let (next, cost) = state.after(class, foreign);
            let next = match next {
                State::Back(bytes) => LOOK | bytes as u16,
                State::BackWhite => LOOK_WHITE,
                State::BackWord(Before::Nothing) => LOOK_WORD,
                State::BackWord(Before::Space | Before::Sign) => LOOK_BEFORE_WORD,
                State::Start
                | State::Word(..)
                | State::Digits(_)
                | State::Signs(..)
                | State::Absorbed
                | State::White { .. }
                | State::Breaks(_) => (next.row() * COLUMNS) as u16,
            };
            if let (Some(to), Some(paid)) = (table.next.get_mut(at), table.cost.get_mut(at)) {
                *to = next;
                *paid = i16::try_from(cost).unwrap_or(i16::MAX);
            }
        }
        table
    }

    /// Reads one byte and returns its cost.
    #[inline(always)]
    fn advance(&self, state: &mut u16, byte: u8) -> i64 {
        let at = usize::from(*state | column(byte));
        // the index is always within the table, so the compiler omits the check
        *state = self.next.get(at % ENTRIES).copied().unwrap_or_default();
        i64::from(self.cost.get(at % ENTRIES).copied().unwrap_or_default())
    }

    /// Returns the cost of the end of the text.
    fn end(&self, state: u16) -> i64 {
        let at = usize::from(state | Class::End as u16);
        i64::from(self.cost.get(at).copied().unwrap_or_default())
    }
}

/// Returns the column of a byte.
#[inline(always)]
fn column(byte: u8) -> u16 {
    const COLUMN: [u16; 256] = {
        let mut table = [0; 256];
        let mut rest: &mut [u16] = &mut table;
        let mut byte = 0_u8;
        while let [first, more @ ..] = rest {
            *first = class(byte) as u16;
            byte = byte.wrapping_add(1);
            rest = more;
        }
        table
    };
    COLUMN.get(usize::from(byte)).copied().unwrap_or_default()
}

/// One of the positions at which a text is read.
struct Reader<'a> {
    /// The text, from the beginning of a piece to the end of one.
    text: &'a str,
    at: usize,
    state: u16,
}

impl<'a> Reader<'a> {
    const fn new(text: &'a str) -> Self {
        Self { text, at: 0, state: 0 }
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// Reads a piece as a whole if the state requires it.
    fn look(&mut self, foreign: Foreign) -> i64 {
        if self.state & LOOK == 0 {
            return 0;
        }
        let here = self.at.saturating_sub(1);
        let before = self.text.as_bytes().get(..here).unwrap_or_default();
        let back = |of: fn(&u8) -> bool, end: usize| {
            let bytes = before.get(..end).unwrap_or_default();
            bytes.iter().rposition(|byte| !of(byte)).map_or(0, |at| at + 1)
        };
        let word = back(u8::is_ascii_uppercase, back(u8::is_ascii_lowercase, here));
        let letters = before.get(word..).unwrap_or_default();
        let (start, paid) = match self.state {
            LOOK_WHITE => (back(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'), here), 0),
            LOOK_WORD => (word, beyond(Before::Nothing, letters, foreign)),
            LOOK_BEFORE_WORD => {
                let start = word.saturating_sub(1);
                let is_space = before.get(start) == Some(&b' ');
                let before = if is_space { Before::Space } else { Before::Sign };
                (start, beyond(before, letters, foreign))
            }
            bytes => (here.saturating_sub(usize::from(bytes & !LOOK)), 0),
        };
        let rest = self.text.get(start..).unwrap_or_default();
        let (cost, tail) = piece_cost(rest, foreign);
        self.at = self.text.len() - tail.len();
        self.state = 0;
        i64::try_from(cost).unwrap_or(i64::MAX) - paid
    }

    /// Reads the rest.
    fn finish(mut self, table: &Table, foreign: Foreign) -> i64 {
        let mut sum = 0;
        while self.at < self.text.len() {
            for byte in self.rest() {
                sum += table.advance(&mut self.state, *byte);
                self.at += 1;
                if self.state & LOOK != 0 {
                    break;
                }
            }
            sum += self.look(foreign);
        }
        sum + table.end(self.state)
    }
}

/// Reads at four positions at once while all of them have a rest.
fn together(readers: &mut [Reader<'_>; 4], table: &Table, foreign: Foreign) -> i64 {
    let mut sum = 0;
    loop {
        let [a, b, c, d] = &*readers;
        let (mut sa, mut sb, mut sc, mut sd) = (a.state, b.state, c.state, d.state);
        let mut steps = 0;
        let bytes = a.rest().iter().zip(b.rest()).zip(c.rest()).zip(d.rest());
        for (((a, b), c), d) in bytes {
            sum += table.advance(&mut sa, *a) + table.advance(&mut sb, *b);
            sum += table.advance(&mut sc, *c) + table.advance(&mut sd, *d);
            steps += 1;
            if (sa | sb | sc | sd) & LOOK != 0 {
                break;
            }
        }
        if steps == 0 {
            return sum;
        }
        for (reader, state) in readers.iter_mut().zip([sa, sb, sc, sd]) {
            reader.state = state;
            reader.at += steps;
            sum += reader.look(foreign);
        }
    }
}

/// Returns the cost of a text in hundredths of a token; nothing if it may contain base64 data, which the
/// table does not cover.
pub(super) fn hundredths(text: &str, foreign: Foreign) -> Option<u64> {
    if may_hold_blob(text.as_bytes()) {
        return None;
    }
    let table = Table::of(foreign);
    let sum = match quarters(text) {
        Some(quarters) => {
            let mut readers = quarters.map(Reader::new);
            let sum = together(&mut readers, table, foreign);
            sum + readers.map(|reader| reader.finish(table, foreign)).iter().sum::<i64>()
        }
        None => Reader::new(text).finish(table, foreign),
    };
    u64::try_from(sum).ok()
}

/// A shorter text is read at one position.
const LONG: usize = 1024;
/// The maximum distance to search for a position to split at.
const NEAR: usize = 256;

/// Splits a long text into four parts. A space between two lowercase letters always separates two
/// pieces.
fn quarters(text: &str) -> Option<[&str; 4]> {
    if text.len() < LONG {
        return None;
    }
    let cut = |text: &'_ str, at: usize| {
        let near = text.as_bytes().get(at..text.len().min(at + NEAR))?;
        let letters = |three: &[u8]| matches!(three, [b'a'..=b'z', b' ', b'a'..=b'z']);
        Some(at + 1 + near.windows(3).position(letters)?)
    };
    let quarter = text.len() / 4;
    let (a, rest) = text.split_at_checked(cut(text, quarter)?)?;
    let (b, rest) = rest.split_at_checked(cut(rest, quarter)?)?;
    let (c, d) = rest.split_at_checked(cut(rest, rest.len() / 2)?)?;
    Some([a, b, c, d])
}

/// Returns false if no run of letters and digits is data.
fn may_hold_blob(text: &[u8]) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // no byte of data is below `+`, and each run that is long enough contains two whole words
    let is_dense = |word: u64| word.wrapping_sub(ONES * 0x2b) & !word & (ONES * 0x80) == 0;
    let (words, _) = text.as_chunks::<8>();
    let mut known = 0;
    let mut was_dense = false;
    for (at, word) in words.iter().enumerate() {
        let dense = is_dense(u64::from_le_bytes(*word));
        if dense && was_dense && at * 8 >= known {
            let (before, tail) = text.split_at_checked(at * 8).unwrap_or((text, &[]));
            let start = before.iter().rposition(|byte| !is_data(byte)).map_or(0, |at| at + 1);
            let length = tail.iter().position(|byte| !is_data(byte)).unwrap_or(tail.len());
            known = at * 8 + length;
            if text.get(start..known).is_some_and(may_be_blob) {
                return true;
            }
        }
        was_dense = dense;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::estimate::pieces;
    use super::super::pretokens::{Kind, first_piece};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_state_has_a_row_of_its_own() {
        let mut rows: Vec<usize> = State::all().map(State::row).collect();
        rows.sort_unstable();
        assert_eq!(rows, (0..rows.len()).collect::<Vec<_>>());
        assert!(rows.len() * COLUMNS <= ENTRIES);
    }

    fn texts() -> impl Strategy<Value = String> {
        prop_oneof![
            "[\\x00-\\x7f]{0,80}",
            "[ -~\\n\\r\\t]{0,80}",
            "([a-z]{1,14}|[A-Z]{1,9}|[A-Z][a-z]{1,19}|[0-9]{1,5}|[ \\t\\n\\r\\x0b\\x0c]{1,4}|[ \\t]{15,20}|\n{15,19}|[-=*_/.,:{}\"\\[\\]\\\\]{1,6}|SELECT|URL|[A-Za-z0-9+/]{20,40}|[a-z/]{30}){0,16}",
            "([a-zA-Z]{1,9}|[A-Z]?[a-z]{10,24}|[äöüéøłß]|[ \\t\\n]{1,3}|\u{a0}|[—“,.]{1,4}|[0-9²]{1,4}|中文|привет|😀){0,24}",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn a_text_costs_what_its_pieces_cost(text in texts()) {
            for foreign in [Foreign::Near, Foreign::Compound, Foreign::Far] {
                if let Some(cost) = hundredths(&text, foreign) {
                    prop_assert_eq!(cost, pieces(&text, foreign), "{:?}", &text);
                }
            }
        }

        #[test]
        fn data_is_never_overlooked(text in "[a-zA-Z0-9+/ .]{0,60}") {
            let mut has_blob = false;
            let mut rest = text.as_str();
            while let Some((piece, tail)) = first_piece(rest) {
                has_blob |= piece.kind == Kind::Blob;
                rest = tail;
            }
            prop_assert!(!has_blob || may_hold_blob(text.as_bytes()), "{:?}", text);
        }
    }

    proptest! {
        // texts of thousands of characters
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn a_long_text_costs_what_its_pieces_cost(parts in prop::collection::vec(texts(), 4)) {
            let text = parts.join(" a b ").repeat(9);
            let quarters = quarters(&text).map(|quarters| quarters.concat());
            prop_assert!(quarters.is_none_or(|whole| whole == text));
            if let Some(cost) = hundredths(&text, Foreign::Near) {
                prop_assert_eq!(cost, pieces(&text, Foreign::Near), "{:?}", &text);
            }
        }
    }
}
