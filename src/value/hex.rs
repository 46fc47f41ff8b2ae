//! Hexadecimal text of bytes, and hashing of long byte slices.

use sha2::{Digest, Sha256};

/// Adds bytes to a hash in pieces of 16 KiB.
///
/// WebAssembly runtimes switch to optimized code only between two calls. Pieces let them switch
/// while they hash a long slice.
pub(crate) fn feed(hash: &mut Sha256, bytes: &[u8]) {
    bytes.chunks(1 << 14).for_each(|piece| hash.update(piece));
}

/// Returns bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| if half < 10 { b'0' + half } else { b'a' - 10 + half };
    let mut digits = Vec::with_capacity(2 * bytes.len());
    for byte in bytes {
        digits.push(digit(byte >> 4));
        digits.push(digit(byte & 15));
    }
    String::from_utf8(digits).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_byte_becomes_two_digits() {
        let all: Vec<u8> = (0..=255).collect();
        let formatted: String = all.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(super::hex(&all), formatted);
    }
}
