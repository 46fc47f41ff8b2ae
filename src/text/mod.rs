//! Text in small letters, and text inside text, by small means.
//!
//! What the standard library has for both is faster on the rarest of texts, and as large as a tenth
//! of the module.

mod cases;

use cases::{CAPITALS, CASED, PASSED_OVER};

/// The text in small letters, as Unicode says and as the recorded systems do: one letter for one,
/// but `i̇` for `İ`, and `ς` for a `Σ` that ends a word.
pub(crate) fn lower(text: &str) -> String {
    let plain = text.bytes().take_while(u8::is_ascii).count();
    let (head, tail) = text.split_at_checked(plain).unwrap_or((text, ""));
    let mut out = head.to_ascii_lowercase();
    out.reserve(tail.len());
    for (at, c) in tail.char_indices() {
        match c {
            'İ' => out.push_str("i\u{307}"),
            'Σ' if ends_word(text, plain + at) => out.push('ς'),
            'Σ' => out.push('σ'),
            c if c.is_ascii() => out.push(c.to_ascii_lowercase()),
            c => out.push(small(c)),
        }
    }
    out
}

/// The small letter of one beyond ASCII, or itself.
fn small(c: char) -> char {
    let code = u32::from(c);
    let at = CAPITALS.partition_point(|(_, last, _, _)| *last < code);
    match CAPITALS.get(at) {
        Some(&(first, _, step, shift)) if first <= code && (code - first) % step == 0 => {
            code.checked_add_signed(shift).and_then(char::from_u32).unwrap_or(c)
        }
        Some(_) | None => c,
    }
}

/// True when a letter stands before the `Σ` at `at`, and none behind it.
fn ends_word(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let behind = text.get(at + 'Σ'.len_utf8()..).unwrap_or_default();
    let is_letter = |c: Option<char>| c.is_some_and(|c| lists(&CASED, c));
    let counts = |c: &char| !lists(&PASSED_OVER, *c);
    is_letter(before.chars().rev().find(counts)) && !is_letter(behind.chars().find(counts))
}

/// True when a table of lengths, in turn of what is not and of what is in it, has the character.
fn lists(table: &[u8], c: char) -> bool {
    let (mut end, mut inside, mut length, mut bits) = (0, true, 0, 0);
    for byte in table {
        length |= u32::from(byte & 0x7f) << bits;
        bits += 7;
        if byte & 0x80 == 0 {
            end += length;
            inside = !inside;
            if u32::from(c) < end {
                return inside;
            }
            (length, bits) = (0, 0);
        }
    }
    false
}

/// True when `part` stands somewhere in `text`.
pub(crate) fn holds(text: &str, part: &str) -> bool {
    let Some((first, rest)) = part.as_bytes().split_first() else { return true };
    let mut left = text.as_bytes();
    while let Some(at) = left.iter().position(|byte| byte == first) {
        left = left.get(at + 1..).unwrap_or_default();
        if left.starts_with(rest) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The planes that have letters; a standard library of another Unicode has others.
    fn characters() -> impl Iterator<Item = char> {
        let codes = (0..0x2_0000).chain(0xe_0000..0xe_1000).filter_map(char::from_u32);
        codes.filter(|_| char::UNICODE_VERSION.0 == cases::UNICODE)
    }

    #[test]
    fn every_letter_is_made_small_as_by_the_standard_library() {
        for c in characters() {
            for text in [format!("{c}"), format!("É{c}Σ"), format!("{c}Σ"), format!("aΣ{c}b")] {
                assert_eq!(lower(&text), text.to_lowercase(), "{text:?}");
            }
        }
        for text in ["", "ABC", "ΑΣ", "ΑΣ.", "Α.Σ", "ΑΣΑ", "Σ", "ΣΣΣ", "A'Σ'", "İÀ", "xΣİ Σ1Σ"]
        {
            assert_eq!(lower(text), text.to_lowercase(), "{text:?}");
        }
    }

    #[test]
    fn a_part_is_found_wherever_it_stands() {
        for text in ["", "a", "aab", "abab", "aaabaaab", "ééa", "xéy"] {
            for part in ["", "a", "ab", "aab", "aaab", "é", "éa", "b", "y", "abc"] {
                assert_eq!(holds(text, part), text.contains(part), "`{part}` in `{text}`");
            }
        }
    }
}
