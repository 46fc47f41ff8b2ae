//! Search for a text, ignoring case.

/// Longer needles are searched by the standard library, whose time does not depend on their length.
const LONG: usize = 64;

/// A text to find. Every text contains the empty text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Needle {
    lower: String,
}

impl Needle {
    pub fn new(text: &str) -> Self {
        Self { lower: text.to_lowercase() }
    }

    /// Returns the text in lower case.
    pub fn as_str(&self) -> &str {
        &self.lower
    }

    /// Returns true if a text contains it.
    pub fn is_in(&self, text: &str) -> bool {
        match self.lower.as_bytes() {
            [] => true,
            // ASCII text, the common case, is searched in place
            [first, rest @ ..] if text.is_ascii() && rest.len() < LONG => {
                has(text.as_bytes(), *first, rest)
            }
            _ => text.to_lowercase().contains(&self.lower),
        }
    }
}

/// Returns true if ASCII text contains a lower-case byte followed by others, ignoring case.
fn has(text: &[u8], first: u8, rest: &[u8]) -> bool {
    let upper = first.to_ascii_uppercase();
    let starts = text.len().saturating_sub(rest.len());
    let starts = text.get(..starts).unwrap_or_default().iter().enumerate();
    let mut starts = starts.filter(|(_, byte)| **byte == first || **byte == upper);
    starts.any(|(at, _)| {
        let tail = text.get(at + 1..at + 1 + rest.len());
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_in_any_case_as_in_its_lower_case() {
        let texts = [
            "",
            "a",
            "The Gate closed",
            "GATE",
            "ga",
            "tegate",
            "K Å İ",
            "\u{212a}ilo",
            "ÄRGER im Gate",
        ];
        for text in texts {
            for looked in ["", "g", "GATE", "te", "gate c", "k", "i", "ä", "å", "the gate closed!"]
            {
                let plain = text.to_lowercase().contains(&looked.to_lowercase());
                assert_eq!(Needle::new(looked).is_in(text), plain, "`{looked}` in `{text}`");
            }
        }
    }
}
