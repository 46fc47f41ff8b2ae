//! Bytes as text.

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from(if half < 10 { b'0' + half } else { b'a' - 10 + half });
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_byte_is_two_digits() {
        let all: Vec<u8> = (0..=255).collect();
        let formatted: String = all.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(super::hex(&all), formatted);
    }
}
