//! The estimate for text in ASCII, which nearly all text is: the same figures as piece by piece, over
//! bytes.

use super::estimate::{CAPITALS, SIGNS, is_json, word_row};
use super::pretokens::{BLOB, Before, Shape, is_blob};

/// What a byte is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Break,
    Space,
    Sign,
}

const CLASSES: [Class; 256] = {
    let mut table = [Class::Sign; 256];
    let mut rest: &mut [Class] = &mut table;
    let mut byte = 0_u8;
    while let [first, more @ ..] = rest {
        *first = match byte {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            b'\n' | b'\r' => Class::Break,
            b' ' | b'\t' => Class::Space,
            _ => Class::Sign,
        };
        byte = byte.wrapping_add(1);
        rest = more;
    }
    table
};

fn class(byte: u8) -> Class {
    // there are as many as bytes
    CLASSES.get(usize::from(byte)).copied().unwrap_or(Class::Sign)
}

const fn is_letter(class: Class) -> bool {
    matches!(class, Class::Lower | Class::Upper)
}

/// The hundredths of a token that a text in ASCII costs.
pub(super) fn hundredths(text: &[u8]) -> u64 {
    let mut sum = 0;
    let mut rest = text;
    while let [first, behind @ ..] = rest {
        let next = behind.first().map(|byte| class(*byte));
        let (cost, after) = match class(*first) {
            Class::Lower | Class::Upper => match blob(rest) {
                Some(found) => found,
                None => word(rest, rest, Before::Nothing),
            },
            Class::Digit => match blob(rest) {
                Some(found) => found,
                None => digits(rest),
            },
            // few words are one token with a tab before them
            Class::Space if next.is_some_and(is_letter) => {
                word(rest, behind, if *first == b'\t' { Before::Sign } else { Before::Space })
            }
            Class::Sign if next.is_some_and(is_letter) => word(rest, behind, Before::Sign),
            Class::Space if *first == b' ' && next == Some(Class::Sign) => signs(rest, behind),
            Class::Sign => signs(rest, rest),
            Class::Space | Class::Break => white(rest),
        };
        sum += cost;
        rest = after;
    }
    sum
}

/// The first bytes, as many as are of the kind, and the others.
fn run(text: &[u8], of: impl Fn(Class) -> bool) -> (&[u8], &[u8]) {
    let length = text.iter().position(|byte| !of(class(*byte))).unwrap_or(text.len());
    text.split_at_checked(length).unwrap_or((text, &[]))
}

fn blob(text: &[u8]) -> Option<(u64, &[u8])> {
    // nearly every word ends long before
    text.get(BLOB - 1)?;
    let length = is_blob(text)?;
    Some((68 * length as u64, text.get(length..).unwrap_or_default()))
}

fn digits(text: &[u8]) -> (u64, &[u8]) {
    let most = text.get(..3).unwrap_or(text);
    let (found, _) = run(most, |class| class == Class::Digit);
    (100, text.get(found.len()..).unwrap_or_default())
}

/// A word, which stands at the beginning of `text` or behind one sign of `whole`.
fn word<'a>(whole: &'a [u8], text: &'a [u8], before: Before) -> (u64, &'a [u8]) {
    let (upper, behind) = run(text, |class| class == Class::Upper);
    let (lower, end) = run(behind, |class| class == Class::Lower);
    let shape = match (upper.len(), lower.len()) {
        (0, _) => Shape::Lower,
        (_, 0) => Shape::Upper,
        (_, _) => Shape::Title,
    };
    let length = upper.len() + lower.len();
    if shape == Shape::Upper && (3..=7).contains(&length) {
        // a sign before it makes it another word, white space does not
        let white = matches!(whole.first(), Some(b' ' | b'\t' | 0x0b | 0x0c));
        let plain = white || whole.len() == text.len();
        if plain && CAPITALS.iter().any(|known| known.as_bytes() == upper) {
            return (100, end);
        }
    }
    (word_row(before, shape).at(length), end)
}

fn signs<'a>(whole: &'a [u8], text: &'a [u8]) -> (u64, &'a [u8]) {
    let (signs, behind) = run(text, |class| class == Class::Sign);
    let (_, end) = run(behind, |class| class == Class::Break);
    let length = signs.len();
    if length > 3 && signs.iter().all(|sign| Some(sign) == signs.first()) {
        return ((100 + 5 * length as u64).min(300), end);
    }
    let piece = whole.get(..whole.len() - end.len()).unwrap_or_default();
    if is_json(piece) {
        return (100 + 22 * (length as u64).saturating_sub(3), end);
    }
    (SIGNS.at(length), end)
}

fn white(text: &[u8]) -> (u64, &[u8]) {
    let (spaces, behind) = run(text, |class| matches!(class, Class::Space | Class::Break));
    if let Some(at) = spaces.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')) {
        let breaks = spaces.get(..=at).unwrap_or_default();
        return (super::estimate::break_cost(breaks), text.get(at + 1..).unwrap_or_default());
    }
    let followed = behind.first().is_some_and(|byte| class(*byte) != Class::Digit);
    let length = if spaces.len() > 1 && followed { spaces.len() - 1 } else { spaces.len() };
    let each = if text.first() == Some(&b'\t') { 17 } else { 110 };
    (100 + 100 * (length as u64 / each), text.get(length..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::estimate::pieces;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn text_in_ascii_costs_what_its_pieces_cost(
            text in prop_oneof![
                "[\\x00-\\x7f]{0,80}",
                "[ -~\\n\\r\\t]{0,80}",
                "([a-z]{1,14}|[A-Z]{1,9}|[A-Z][a-z]{1,9}|[0-9]{1,5}|[ \\t\\n\\r\\x0b\\x0c]{1,4}|[-=*_/.,:{}\"\\[\\]\\\\]{1,6}|SELECT|URL|[A-Za-z0-9+/]{20,40}){0,16}",
            ]
        ) {
            prop_assert_eq!(hundredths(text.as_bytes()), pieces(&text), "{:?}", text);
        }
    }
}
