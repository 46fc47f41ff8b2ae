//! How far a text stands for itself: the one loop that reading and writing strings share.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// How many bytes from the start need no escape inside a JSON string: no quote, no backslash, no
/// control character.
///
/// Eight bytes are looked at together; most text has nothing to escape.
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    let (words, _) = bytes.as_chunks::<8>();
    let plain =
        words.iter().take_while(|word| !has_special(u64::from_le_bytes(**word))).count() * 8;
    let rest = bytes.get(plain..).unwrap_or_default();
    let special = |&byte: &u8| byte < b' ' || byte == b'"' || byte == b'\\';
    plain + rest.iter().position(special).unwrap_or(rest.len())
}

/// True when some byte of the word is special; a carry between bytes can say so too early, never
/// too late.
fn has_special(word: u64) -> bool {
    let is_below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word;
    let control = is_below(word, 0x20);
    let quote = is_below(word ^ (ONES * 0x22), 1);
    let backslash = is_below(word ^ (ONES * 0x5c), 1);
    (control | quote | backslash) & HIGHS != 0
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
        assert_eq!(plain_length("é😀 \u{7f}\u{80}x".repeat(9).as_bytes()), 9 * 11);
    }
}
