//! Lossless JSON: numbers keep their digits, objects their key order.
//!
//! A general JSON library reads `123456789012345678901234567890` as a float, or wraps it in a magic
//! key that untrusted input can forge. Cards must survive any store byte for byte. So this module
//! has its own value type, text and canonical form.
//!
//! ```
//! use tuckbox::value::json::Json;
//!
//! let value = Json::parse(r#"{"total": 123456789012345678901234567890, "a": [1.0, "é"]}"#)?;
//! assert_eq!(value.to_string(), r#"{"total":123456789012345678901234567890,"a":[1.0,"é"]}"#);
//! // jsonb order: shorter keys first
//! assert_eq!(value.canonical()?.to_string(), r#"{"a":[1.0,"é"],"total":123456789012345678901234567890}"#);
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod canonical;
mod decimal;
mod double;
mod lift;
mod macros;
mod nearest;
mod number;
mod object;
mod parse;
mod read;
mod scan;
mod ser;
mod text;
mod write;

pub(crate) use canonical::{check_storable, sort_keys};
pub(crate) use decimal::{plain_double, read_double};
pub(crate) use lift::Lift;
pub use number::Number;
pub use object::Object;
pub use parse::ParseLimits;
pub(crate) use parse::{is_too_many, parse_counted, parse_lifting, parse_without, string_at};
pub(crate) use read::listed;
pub use read::{Field, Fields};
pub(crate) use scan::{find_byte, plain_length};
pub(crate) use ser::write_text_within;
pub(crate) use ser::{Raw, plain, raw, read_back, write_whole};
pub use ser::{to_json, to_text, write_text};
pub(crate) use text::trim;
pub(crate) use write::{CLOSE, QUOTE, write_inside, write_string};

pub use crate::value::str_map::Hashing;

/// Estimates the number of values in text that can be a JSON list or object.
///
/// It counts commas and opening brackets outside of strings.
pub(crate) fn values_in(text: &str) -> usize {
    if !text.trim_start().starts_with(['{', '[']) {
        return 0;
    }
    let (mut count, mut in_string, mut is_escaped) = (0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_string,
            b'"' => in_string = !in_string,
            b',' | b'[' | b'{' if !in_string => count += 1,
            _ => {}
        }
    }
    count
}

/// Estimates the number of values in all strings of a value; see [`values_in`].
pub(crate) fn values_in_texts(value: &Json) -> usize {
    match value {
        Json::Null | Json::Bool(_) | Json::Number(_) => 0,
        Json::String(text) => values_in(text),
        Json::Array(items) => items.iter().map(values_in_texts).sum(),
        Json::Object(object) => object.values().map(values_in_texts).sum(),
    }
}

/// Minimum number of bytes that a value counts.
pub(crate) const VALUE_BYTES: usize = 16;

/// Returns the approximate size of a value in bytes: its strings, and [`VALUE_BYTES`] per value.
pub(crate) fn weight(value: &Json) -> usize {
    let inside = match value {
        Json::Null | Json::Bool(_) => 0,
        Json::Number(number) => number.as_str().len(),
        Json::String(text) => text.len(),
        Json::Array(items) => items.iter().map(weight).sum(),
        Json::Object(object) => object.iter().map(|(key, item)| key.len() + weight(item)).sum(),
    };
    VALUE_BYTES + inside
}

/// Any JSON value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Json {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number with all its digits.
    Number(Number),
    /// A string of valid Unicode.
    String(String),
    /// A list.
    Array(Vec<Json>),
    /// An object in its own key order.
    Object(Object),
}

impl Json {
    /// Returns the JSON type of the value, for messages.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "a list",
            Self::Object(_) => "an object",
        }
    }

    /// Returns the value of `key`, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_object().and_then(|object| object.get(key))
    }

    /// Returns the value of `key` for changes.
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        if let Self::Object(object) = self { object.get_mut(key) } else { None }
    }

    /// Returns the text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// Returns the items, if this is a list.
    pub fn as_array(&self) -> Option<&[Self]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// Returns the object, if this is one.
    pub fn as_object(&self) -> Option<&Object> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// Returns the number, if this is one.
    pub fn as_number(&self) -> Option<&Number> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    /// Returns the boolean, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// Returns whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns whether both are the same JSON value.
    ///
    /// Key order does not count, and `1.0` equals `1`.
    ///
    /// ```
    /// use tuckbox::value::json::Json;
    /// let a = Json::parse(r#"{"a":1e2,"b":2}"#)?;
    /// let b = Json::parse(r#"{"b":2.0,"a":100}"#)?;
    /// assert!(a.same_value(&b) && a != b);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    pub fn same_value(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.same_value(b),
            (Self::Array(a), Self::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_value(b))
            }
            (Self::Object(a), Self::Object(b)) => {
                a.len() == b.len()
                    && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| a.same_value(b)))
            }
            (a, b) => a == b,
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i32> for Json {
    fn from(value: i32) -> Self {
        Self::from(i64::from(value))
    }
}

impl From<f64> for Json {
    /// Returns `null` for infinities and NaN, which JSON does not have.
    fn from(value: f64) -> Self {
        Number::from_f64(value).map_or(Self::Null, Self::Number)
    }
}

impl From<i64> for Json {
    fn from(value: i64) -> Self {
        Self::Number(value.into())
    }
}

impl From<u64> for Json {
    fn from(value: u64) -> Self {
        Self::Number(value.into())
    }
}

impl From<u32> for Json {
    fn from(value: u32) -> Self {
        Self::from(u64::from(value))
    }
}

impl From<usize> for Json {
    fn from(value: usize) -> Self {
        Self::from(value as u64)
    }
}

impl From<Number> for Json {
    fn from(value: Number) -> Self {
        Self::Number(value)
    }
}

impl From<Object> for Json {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<K: Into<String>, V: Into<Json>, const N: usize> From<[(K, V); N]> for Json {
    fn from(entries: [(K, V); N]) -> Self {
        Self::Object(entries.into_iter().map(|(k, v)| (k.into(), v.into())).collect())
    }
}

impl<T: Into<Json>> FromIterator<T> for Json {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}
