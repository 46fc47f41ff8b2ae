//! Base64, with or without padding.

/// Returns the bytes of a base64 string, or `None`.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut bits = 0_u32;
    let mut held = 0_u32;
    for sign in text.bytes() {
        let value = match sign {
            b'A'..=b'Z' => sign - b'A',
            b'a'..=b'z' => sign - b'a' + 26,
            b'0'..=b'9' => sign - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => continue,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push(((bits >> held) & 255) as u8);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    #[test]
    fn bytes_come_back() {
        assert_eq!(super::decode("AAH/").as_deref(), Some(&[0, 1, 255][..]));
        assert_eq!(super::decode("YQ==").as_deref(), Some(&b"a"[..]));
        assert_eq!(super::decode("a b"), None);
    }
}
