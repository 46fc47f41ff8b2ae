//! How far a text stands for itself: the one loop that reading and writing strings share.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// How many bytes from the start need no escape inside a JSON string: no quote, no backslash, no
/// control character.
///
/// Eight bytes are looked at together; most text has nothing to escape.
pub(crate) fn plain_length(bytes: &[u8]) -> usize {
    let special = |word: u64| {
        let control = below(word, 0x20);
        let quote = below(word ^ (ONES * 0x22), 1);
        let backslash = below(word ^ (ONES * 0x5c), 1);
        control | quote | backslash
    };
    first(bytes, special).unwrap_or(bytes.len())
}

/// Where a byte stands first.
pub(crate) fn find_byte(bytes: &[u8], byte: u8) -> Option<usize> {
    first(bytes, |word| below(word ^ (ONES * u64::from(byte)), 1))
}

/// Where the first byte stands that is marked in its word. Marks above it may be wrong: a byte that
/// is below a limit borrows from the one after it.
#[inline(always)]
fn first(bytes: &[u8], marks: impl Fn(u64) -> u64) -> Option<usize> {
    let last = bytes.len().saturating_sub(8);
    let mut at = 0;
    loop {
        let word = bytes.get(at..).and_then(<[u8]>::first_chunk).copied();
        let word = word.unwrap_or_else(|| {
            // a short text, with bytes behind it that are never marked
            let mut word = [b'a'; 8];
            word.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
            word
        });
        let marked = marks(u64::from_le_bytes(word)) & HIGHS;
        if marked != 0 {
            return Some(at + (marked.trailing_zeros() / 8) as usize);
        }
        if at == last {
            return None;
        }
        // the last eight bytes are looked at together, some of them for the second time
        at = last.min(at + 8);
    }
}

/// The highest bit of every byte that is below a limit, as far as [`first`] needs it.
#[inline(always)]
const fn below(word: u64, limit: u64) -> u64 {
    word.wrapping_sub(ONES * limit) & !word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_at_every_place_is_seen() {
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
