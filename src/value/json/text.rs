//! What the recorded systems make of a value: its text form, its truth, its trimmed text.

use super::Json;

impl Json {
    /// The text form of a value that becomes a text card: strings as they are, `null` as `None`,
    /// booleans as `True` and `False`, numbers as [`Number::text_form`](super::Number::text_form),
    /// lists and objects as JSON text.
    ///
    /// ```
    /// use tuckbox::value::json::Json;
    /// assert_eq!(Json::parse("1e16")?.text_form(), "1e+16");
    /// assert_eq!(Json::Null.text_form(), "None");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    pub fn text_form(&self) -> String {
        match self {
            Self::Null => "None".to_owned(),
            Self::Bool(true) => "True".to_owned(),
            Self::Bool(false) => "False".to_owned(),
            Self::Number(number) => number.text_form().into_owned(),
            Self::String(text) => text.clone(),
            Self::Array(_) | Self::Object(_) => self.spaced(),
        }
    }

    /// True unless the value is `null`, `false`, zero, or empty.
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(value) => *value,
            Self::Number(number) => !number.is_zero(),
            Self::String(text) => !text.is_empty(),
            Self::Array(items) => !items.is_empty(),
            Self::Object(object) => !object.is_empty(),
        }
    }
}

/// Trims white space as the recorded systems do: Unicode white space and the four information
/// separators U+001C to U+001F.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
}
