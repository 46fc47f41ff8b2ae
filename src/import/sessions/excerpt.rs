//! Excerpts of untrusted text.

/// The maximum number of characters of a name.
const MAX_NAME: usize = 120;

/// The maximum number of characters of an excerpt.
const MAX_EXCERPT: usize = 300;

/// The maximum number of characters of a chunk of a whole text.
const MAX_CHUNK: usize = 1_200;

/// Returns a name, cut after [`MAX_NAME`] characters.
pub(super) fn short(name: &str) -> String {
    match name.char_indices().nth(MAX_NAME) {
        Some((at, _)) => format!("{}…", name.get(..at).unwrap_or_default()),
        None => name.to_owned(),
    }
}

/// Returns the start of a text with single spaces. It ends after a word.
pub(crate) fn excerpt(text: &str) -> String {
    let mut out = String::new();
    let mut count = 0;
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        let length = word.chars().count();
        if count + length > MAX_EXCERPT {
            let rest = length + words.map(|word| word.chars().count() + 1).sum::<usize>();
            out.push_str(&format!("{}… {rest} more characters", if count == 0 { "" } else { " " }));
            return out;
        }
        if count > 0 {
            out.push(' ');
        }
        out.push_str(word);
        count += length + 1;
    }
    out
}

/// Splits a text into chunks that end at white space. A longer word is replaced by its length.
pub(super) fn chunks(text: &str) -> Vec<String> {
    let mut chunks = Vec::new();
    let mut chunk = String::new();
    let mut count = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let length = word.chars().count();
        if count + length > MAX_CHUNK && count > 0 {
            chunks.push(std::mem::take(&mut chunk));
            count = 0;
        }
        if length > MAX_CHUNK {
            chunk.push_str(&format!("[{length} characters without a space] "));
        } else {
            chunk.push_str(word);
        }
        count += length.min(MAX_CHUNK);
    }
    if !chunk.is_empty() {
        chunks.push(chunk);
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_never_ends_inside_of_a_word() {
        let secret = "k".repeat(200);
        assert_eq!(excerpt("a  b\n c"), "a b c");
        let text = excerpt(&format!("{} {secret} {secret}", "word ".repeat(30)));
        assert!(!text.contains("kkk"), "{text}");
        assert!(text.ends_with("… 401 more characters"), "{text}");
        assert_eq!(excerpt(&"x".repeat(400)), "… 400 more characters");
    }

    #[test]
    fn chunks_have_the_whole_text() {
        let text = "word next\n".repeat(500);
        let found = chunks(&text);
        assert!(found.len() > 3);
        assert_eq!(found.concat(), text);
        assert!(found.iter().all(|chunk| chunk.chars().count() <= MAX_CHUNK));
        assert_eq!(chunks(&"x".repeat(5_000)), ["[5000 characters without a space] "]);
    }
}
