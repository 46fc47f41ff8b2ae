//! Scanning of text for bytes that JSON strings escape, 8 bytes at a time.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Returns the number of leading bytes that need no escape inside a JSON string.
///
/// Quotes, backslashes and control characters need an escape. The loop tests 8 bytes at a time,
/// because most text needs none.
pub(crate) fn plain_length(bytes: &[u8]) -> usize {
    first(bytes, special).unwrap_or(bytes.len())
}

/// Returns the [plain length](plain_length) of 8 bytes.
#[inline(always)]
pub(super) fn plain_length_of_eight(bytes: [u8; 8]) -> usize {
    place(special(u64::from_le_bytes(bytes)) & HIGHS)
}

#[inline(always)]
const fn special(word: u64) -> u64 {
    let control = below(word, 0x20);
    let quote = below(word ^ (ONES * 0x22), 1);
    let backslash = below(word ^ (ONES * 0x5c), 1);
    control | quote | backslash
}

/// Returns the position of the first `byte`.
pub(crate) fn find_byte(bytes: &[u8], byte: u8) -> Option<usize> {
    first(bytes, |word| below(word ^ (ONES * u64::from(byte)), 1))
}

/// Returns the position of the first byte that `marks` marks.
///
/// Higher marks of the same word can be wrong, because a byte below a limit borrows from the next
/// one.
#[inline(always)]
fn first(bytes: &[u8], marks: impl Fn(u64) -> u64) -> Option<usize> {
    let Some(last) = bytes.len().checked_sub(8) else {
        // pad a short text with bytes that are never marked
        let filled =
            bytes.iter().rev().fold(ONES * 0x61, |word, byte| word << 8 | u64::from(*byte));
        let marked = marks(filled) & HIGHS;
        return (marked != 0).then(|| place(marked));
    };
    let mut at = 0;
    while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let marked = marks(u64::from_le_bytes(*word)) & HIGHS;
        if marked != 0 {
            return Some(at + place(marked));
        }
        if at == last {
            break;
        }
        // the last word can overlap the previous one
        at = last.min(at + 8);
    }
    None
}

/// Returns the index of the first marked byte of a word, or 8.
#[inline(always)]
const fn place(marked: u64) -> usize {
    (marked.trailing_zeros() / 8) as usize
}

/// Sets the highest bit of each byte below a limit, as far as [`first`] needs it.
#[inline(always)]
const fn below(word: u64, limit: u64) -> u64 {
    word.wrapping_sub(ONES * limit) & !word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_found_at_every_position() {
        for length in 0..20 {
            for at in 0..length {
                for byte in 0..=255 {
                    let mut bytes = vec![b'a'; length];
                    bytes[at] = byte;
                    let special = byte < b' ' || byte == b'"' || byte == b'\\';
                    let expected = if special { at } else { length };
                    assert_eq!(plain_length(&bytes), expected, "{byte} at {at} of {length}");
                }
            }
        }
        for length in 0..20 {
            for at in 0..length {
                for other in [0, 9, 11, b'a', 0x8a, 255] {
                    let mut bytes = vec![other; length];
                    assert_eq!(find_byte(&bytes, b'\n'), None);
                    bytes[at..].fill(b'\n');
                    assert_eq!(find_byte(&bytes, b'\n'), Some(at), "{other} of {length}");
                }
            }
        }
        assert_eq!(plain_length("é😀 \u{7f}\u{80}x".repeat(9).as_bytes()), 9 * 11);
    }
}
