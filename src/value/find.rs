//! A short text inside another one.
//!
//! For texts of a few bytes in places that are no loop over much: the standard library's search is
//! quicker on long ones, and brings tables that are a twentieth of the core module.

/// Whether `text` holds `part`.
pub(crate) fn holds(text: &str, part: &str) -> bool {
    text.as_bytes().windows(part.len()).any(|some| some == part.as_bytes())
}

/// `text` with `to` in every place of `from`.
pub(crate) fn replaced(text: &str, from: &str, to: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        rest = match rest.strip_prefix(from) {
            Some(behind) => {
                made.push_str(to);
                behind
            }
            None => {
                made.push(letter);
                rest.get(letter.len_utf8()..).unwrap_or_default()
            }
        };
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_and_replaced_as_the_standard_library_does() {
        for text in ["", "~1", "a~1~1b", "~~11", "ü~1ü", "x"] {
            assert_eq!(holds(text, "~1"), text.contains("~1"), "{text}");
            assert_eq!(replaced(text, "~1", "/"), text.replace("~1", "/"), "{text}");
        }
    }
}
