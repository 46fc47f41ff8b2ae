//! Conversions of the reference systems: text form, truth value and trimming.

use super::Json;

impl Json {
    /// Returns the text form of a value that becomes a text card.
    ///
    /// - Strings stay verbatim.
    /// - `null` is `None`, booleans are `True` and `False`.
    /// - Numbers are in their [text form](super::Number::text_form).
    /// - Lists and objects are JSON text.
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

    /// Returns false for `null`, `false`, zero and empty values.
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

/// Trims white space like the reference systems: Unicode white space and U+001C to U+001F.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
}
