//! JSON text out: compact for the wire, spaced for what a model reads.

use super::Json;
use super::scan::plain_length;
use std::fmt;

impl fmt::Display for Json {
    /// Compact JSON, numbers digit for digit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        write(self, &mut out, &COMPACT);
        f.write_str(&out)
    }
}

impl Json {
    /// JSON text with `", "` and `": "`, non-ASCII kept, numbers in their usual short form: what
    /// a model is shown.
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

    /// The text that PostgreSQL gives for this value as `jsonb`.
    ///
    /// ```
    /// use tuckbox::value::json::Json;
    /// assert_eq!(Json::parse(r#"{"bb":1e2,"a":[1.50]}"#)?.jsonb_text()?, r#"{"a": [1.50], "bb": 100}"#);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Json::canonical`].
    pub fn jsonb_text(&self) -> crate::Result<String> {
        let mut out = String::new();
        write(&self.canonical()?, &mut out, &JSONB);
        Ok(out)
    }
}

// Marks are characters: one is stored in a step, while a text is copied by a call of the host.
pub(crate) const QUOTE: char = '"';
pub(super) const COMMA: char = ',';
pub(super) const COLON: char = ':';
pub(crate) const CLOSE: char = '}';

struct Layout {
    /// A space after every comma and colon.
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

/// Writes one JSON string, escaping only what must be escaped.
pub(crate) fn write_string(text: &str, out: &mut String) {
    out.push(QUOTE);
    write_inside(text, out);
    out.push(QUOTE);
}

/// What stands between the quotes of a string.
pub(crate) fn write_inside(text: &str, out: &mut String) {
    let mut rest = text;
    loop {
        let length = plain_length(rest.as_bytes());
        if length == rest.len() {
            break;
        }
        let Some((plain, special)) = rest.split_at_checked(length) else { break };
        out.push_str(plain);
        let mut chars = special.chars();
        let Some(c) = chars.next() else { break };
        let short = match c {
            '"' | '\\' => c,
            '\n' => 'n',
            '\r' => 'r',
            '\t' => 't',
            '\u{8}' => 'b',
            '\u{c}' => 'f',
            _ => 'u',
        };
        out.push('\\');
        out.push(short);
        if short == 'u' {
            out.push_str(&format!("{:04x}", u32::from(c)));
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
}
