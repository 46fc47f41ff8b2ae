//! JSON text out: compact for the wire, spaced for what a model reads.

use super::Json;
use std::fmt::{self, Write};

impl fmt::Display for Json {
    /// Compact JSON, numbers digit for digit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self, f, &COMPACT)
    }
}

impl Json {
    /// JSON text with `", "` and `": "`, non-ASCII kept, numbers in their usual short form: what
    /// a model is shown.
    ///
    /// ```
    /// use tuckbox::json::Json;
    /// assert_eq!(Json::parse(r#"{"城市":["北京",1e2]}"#)?.spaced(), r#"{"城市": ["北京", 100.0]}"#);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    pub fn spaced(&self) -> String {
        let mut out = String::new();
        // writing to a string cannot fail
        let _ = write(self, &mut out, &SPACED);
        out
    }
}

struct Layout {
    comma: &'static str,
    colon: &'static str,
    short_numbers: bool,
}

const COMPACT: Layout = Layout { comma: ",", colon: ":", short_numbers: false };
const SPACED: Layout = Layout { comma: ", ", colon: ": ", short_numbers: true };

fn write(value: &Json, out: &mut dyn Write, layout: &Layout) -> fmt::Result {
    match value {
        Json::Null => out.write_str("null"),
        Json::Bool(true) => out.write_str("true"),
        Json::Bool(false) => out.write_str("false"),
        Json::Number(number) if layout.short_numbers => out.write_str(&number.json_form()),
        Json::Number(number) => out.write_str(number.as_str()),
        Json::String(text) => write_string(text, out),
        Json::Array(items) => {
            out.write_char('[')?;
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.write_str(layout.comma)?;
                }
                write(item, out, layout)?;
            }
            out.write_char(']')
        }
        Json::Object(object) => {
            out.write_char('{')?;
            for (index, (key, item)) in object.iter().enumerate() {
                if index > 0 {
                    out.write_str(layout.comma)?;
                }
                write_string(key, out)?;
                out.write_str(layout.colon)?;
                write(item, out, layout)?;
            }
            out.write_char('}')
        }
    }
}

/// Writes one JSON string, escaping only what must be escaped.
pub(crate) fn write_string(text: &str, out: &mut dyn Write) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    let is_special = |byte: &u8| *byte < b' ' || *byte == b'"' || *byte == b'\\';
    while let Some(at) = rest.as_bytes().iter().position(is_special) {
        let (plain, special) = rest.split_at(at);
        out.write_str(plain)?;
        let mut chars = special.chars();
        match chars.next() {
            Some('"') => out.write_str("\\\"")?,
            Some('\\') => out.write_str("\\\\")?,
            Some('\n') => out.write_str("\\n")?,
            Some('\r') => out.write_str("\\r")?,
            Some('\t') => out.write_str("\\t")?,
            Some('\u{8}') => out.write_str("\\b")?,
            Some('\u{c}') => out.write_str("\\f")?,
            Some(c) => write!(out, "\\u{:04x}", u32::from(c))?,
            None => {}
        }
        rest = chars.as_str();
    }
    out.write_str(rest)?;
    out.write_char('"')
}
