//! Search for a short string inside another one.
//!
//! Use it for patterns of a few bytes outside of hot loops. The search of the standard library is
//! faster on long text. Its tables take 5% of the core WebAssembly module.

/// Returns whether `text` contains `part`.
pub(crate) fn contains(text: &str, part: &str) -> bool {
    let first = part.as_bytes().first();
    text.as_bytes().windows(part.len()).any(|some| some.first() == first && some == part.as_bytes())
}

/// Replaces every occurrence of `from` in `text` with `to`.
pub(crate) fn replace(text: &str, from: &str, to: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        rest = match rest.strip_prefix(from) {
            Some(after) => {
                made.push_str(to);
                after
            }
            None => {
                made.push(character);
                rest.get(character.len_utf8()..).unwrap_or_default()
            }
        };
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_and_replace_match_the_standard_library() {
        for text in ["", "~1", "a~1~1b", "~~11", "ü~1ü", "x"] {
            assert_eq!(contains(text, "~1"), text.contains("~1"), "{text}");
            assert_eq!(replace(text, "~1", "/"), text.replace("~1", "/"), "{text}");
        }
    }
}
