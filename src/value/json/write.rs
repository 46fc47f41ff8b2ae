//! JSON text: compact for the wire, spaced for models.

use super::Json;
use super::scan::{plain_length, plain_length_of_eight};
use std::fmt;

impl fmt::Display for Json {
    /// Writes compact JSON; numbers keep their digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        write(self, &mut out, &COMPACT);
        f.write_str(&out)
    }
}

impl Json {
    /// Returns JSON text for a model, with `", "` and `": "`.
    ///
    /// Non-ASCII characters stay, and numbers are in their short form.
    ///
    /// ```
    /// use tuckbox::value::json::Json;
    /// assert_eq!(Json::parse(r#"{"城市":["北京",1e2]}"#)?.spaced(), r#"{"城市": ["北京", 100.0]}"#);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    pub fn spaced(&self) -> String {
        let mut out = String::new();
        write(self, &mut out, &SPACED);
        out
    }

    /// Returns the text that PostgreSQL prints for this value as `jsonb`.
    ///
    /// ```
    /// use tuckbox::value::json::Json;
    /// assert_eq!(Json::parse(r#"{"bb":1e2,"a":[1.50]}"#)?.jsonb_text()?, r#"{"a": [1.50], "bb": 100}"#);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Json::canonical`].
    pub fn jsonb_text(&self) -> crate::Result<String> {
        let mut out = String::new();
        write(&self.canonical()?, &mut out, &JSONB);
        Ok(out)
    }
}

// Marks are `char`: pushing one is a single store. Pushing a string calls the host to copy bytes.
pub(crate) const QUOTE: char = '"';
pub(super) const COMMA: char = ',';
pub(super) const COLON: char = ':';
pub(crate) const CLOSE: char = '}';

struct Layout {
    /// Whether a space follows each comma and colon.
    is_spaced: bool,
    short_numbers: bool,
}

impl Layout {
    fn mark(&self, mark: char, out: &mut String) {
        out.push(mark);
        if self.is_spaced {
            out.push(' ');
        }
    }
}

const COMPACT: Layout = Layout { is_spaced: false, short_numbers: false };
const JSONB: Layout = Layout { is_spaced: true, short_numbers: false };
const SPACED: Layout = Layout { is_spaced: true, short_numbers: true };

fn write(value: &Json, out: &mut String, layout: &Layout) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(true) => out.push_str("true"),
        Json::Bool(false) => out.push_str("false"),
        Json::Number(number) if layout.short_numbers => out.push_str(&number.json_form()),
        Json::Number(number) => out.push_str(number.as_str()),
        Json::String(text) => write_string(text, out),
        Json::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    layout.mark(COMMA, out);
                }
                write(item, out, layout);
            }
            out.push(']');
        }
        Json::Object(object) => {
            out.push('{');
            for (index, (key, item)) in object.iter().enumerate() {
                if index > 0 {
                    layout.mark(COMMA, out);
                }
                write_string(key, out);
                layout.mark(COLON, out);
                write(item, out, layout);
            }
            out.push('}');
        }
    }
}

/// Writes one JSON string with the required escapes only.
pub(crate) fn write_string(text: &str, out: &mut String) {
    out.push(QUOTE);
    write_inside(text, out);
    out.push(QUOTE);
}

/// Writes the text of a JSON string without its quotes.
pub(crate) fn write_inside(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some((plain, special)) = rest.split_at_checked(plain_length(rest.as_bytes())) {
        out.push_str(plain);
        if special.is_empty() {
            break;
        }
        rest = write_crowded(special, out);
    }
}

/// Writes escapes and the short text between them; returns the rest.
///
/// JSON inside a string has many escapes. A call of the host per few bytes is slower than copying 8
/// bytes and truncating.
fn write_crowded<'a>(special: &'a str, out: &mut String) -> &'a str {
    let mut rest = special;
    loop {
        let Some((byte, after)) = rest.as_bytes().first().zip(rest.get(1..)) else { return rest };
        write_escape(*byte, out);
        rest = after;
        let Some(eight) = rest.get(..8) else { return rest };
        let Some(bytes) = eight.as_bytes().first_chunk() else { return rest };
        let plain = plain_length_of_eight(*bytes);
        let Some(next) = rest.get(plain..).filter(|_| plain < 8) else { return rest };
        out.push_str(eight);
        out.truncate(out.len() - (8 - plain));
        rest = next;
    }
}

fn write_escape(byte: u8, out: &mut String) {
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        8 => b'b',
        12 => b'f',
        _ => b'u',
    };
    out.push('\\');
    out.push(char::from(short));
    if short == b'u' {
        out.push_str(&format!("{byte:04x}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped_at_every_position() {
        let pieces = ["a", "\"", "\\", "\n", "\u{1}", "é", "😀", "1234567", "12345678"];
        let escaped = |c: char| match c {
            '"' => "\\\"".to_owned(),
            '\\' => "\\\\".to_owned(),
            '\n' => "\\n".to_owned(),
            '\u{1}' => "\\u0001".to_owned(),
            c => c.to_string(),
        };
        for number in 0..pieces.len().pow(4) {
            let digits = (0..4).map(|place| number / pieces.len().pow(place) % pieces.len());
            let text: String = digits.map(|digit| pieces[digit]).collect();
            let expected: String = text.chars().map(escaped).collect();
            assert_eq!(Json::from(text).to_string(), format!("\"{expected}\""));
        }
    }
}
