//! A serializer from any serializable value to JSON text.
//!
//! There is only one serializer, and it writes text, because the core returns text. A second one
//! would double the code of every result.

use super::write::{COLON, COMMA, QUOTE, write_string};
use super::{Json, Number, ParseLimits};
use serde::ser::{self, Serialize};
use std::fmt;

/// The newtype name under which JSON text passes through serde verbatim. No type has this name.
const RAW: &str = "$";
/// The newtype name of a string without escapes; see [`RAW`].
const PLAIN: &str = "$plain";

/// Serializes JSON text: verbatim with our own serializer, as its value with any other.
pub(crate) fn raw<S: ser::Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() {
        return read_back(text).map_err(ser::Error::custom)?.serialize(serializer);
    }
    serializer.serialize_newtype_struct(RAW, text)
}

/// Serializes a string without escapes; our own serializer does not scan it again.
pub(crate) fn plain<S: ser::Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_newtype_struct(PLAIN, text)
}

/// JSON text as a serializable value; see [`raw`].
pub(crate) struct Raw<'a>(pub &'a str);

impl Serialize for Raw<'_> {
    fn serialize<S: ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        raw(self.0, serializer)
    }
}

/// Returns the JSON text of a serializable value; numbers inside [`Json`] values keep their digits.
///
/// ```
/// use tuckbox::value::json::to_text;
/// assert_eq!(to_text(&vec![Some("a"), None])?, r#"["a",null]"#);
/// # Ok::<(), tuckbox::Error>(())
/// ```
///
/// # Errors
/// Returns `invalid_content` if a map key is not a string or a float is not finite.
pub fn to_text<T: Serialize + ?Sized>(value: &T) -> crate::Result<String> {
    let mut out = String::new();
    write_text(value, &mut out)?;
    Ok(out)
}

/// Appends the JSON text of a value to `out`; see [`to_text`].
///
/// Callers that write many values share one buffer.
///
/// # Errors
/// Returns the errors of [`to_text`]; `out` keeps the text up to the error.
///
/// ```
/// use tuckbox::value::json::write_text;
///
/// let mut lines = String::new();
/// for row in [["a", "b"], ["c", "d"]] {
///     write_text(&row, &mut lines)?;
///     lines.push('\n');
/// }
/// assert_eq!(lines, "[\"a\",\"b\"]\n[\"c\",\"d\"]\n");
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn write_text<T: Serialize + ?Sized>(value: &T, out: &mut String) -> crate::Result<()> {
    write_text_within(value, out, usize::MAX)
}

/// Appends the JSON text of a value to `out`, up to a length of `max_bytes`.
///
/// # Errors
/// Returns the errors of [`write_text`], and `limit`.
pub(crate) fn write_text_within<T: Serialize + ?Sized>(
    value: &T,
    out: &mut String,
    max_bytes: usize,
) -> crate::Result<()> {
    let mut bounded = Out { text: std::mem::take(out), max_bytes };
    let written = value.serialize(Text::to(&mut bounded));
    *out = bounded.text;
    written.map_err(|error| to_error(error, max_bytes))
}

/// Converts a write error to an [`Error`](crate::Error).
#[cold]
fn to_error(WriteError(message): WriteError, max_bytes: usize) -> crate::Error {
    if !message.is_empty() {
        return crate::Error::invalid_content(message);
    }
    crate::Error::limit("the answer is longer than `max_answer_bytes` allows")
        .detail("max_answer_bytes", max_bytes)
}

/// A growing text with a maximum length.
struct Out {
    text: String,
    max_bytes: usize,
}

/// Converts a serializable value to [`Json`], by way of its [text](to_text).
///
/// # Errors
/// Returns the errors of [`to_text`], and the errors of the parser.
///
/// ```
/// use tuckbox::value::json::to_json;
/// use tuckbox::{Message, json};
///
/// assert_eq!(to_json(&Message::user("Hi"))?, json!({"role": "user", "content": "Hi"}));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn to_json<T: Serialize + ?Sized>(value: &T) -> crate::Result<Json> {
    read_back(&to_text(value)?)
}

/// Parses text that this crate wrote.
///
/// There are no limits, because the text is as deep and as long as the value it comes from.
pub(crate) fn read_back(text: &str) -> crate::Result<Json> {
    let limits =
        ParseLimits { max_bytes: usize::MAX, max_depth: usize::MAX, max_values: usize::MAX };
    Json::parse_bytes(text.as_bytes(), &limits)
}

impl Serialize for Json {
    fn serialize<S: ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => serializer.collect_seq(items),
            Self::Object(object) => serializer.collect_map(object),
        }
    }
}

impl Serialize for Number {
    /// Writes a number, or its digits as a string.
    ///
    /// Textual serializers receive a number if their data model has it.
    ///
    /// Other serializers, [`to_json`] included, receive the digits as a string.
    fn serialize<S: ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return serializer.serialize_newtype_struct(RAW, self.as_str());
        }
        if let Some(value) = self.as_i64() {
            serializer.serialize_i64(value)
        } else if let Some(value) = self.as_u64() {
            serializer.serialize_u64(value)
        } else if let Some(back) = Self::from_f64(self.as_f64())
            && back.same_value(self)
        {
            serializer.serialize_f64(self.as_f64())
        } else {
            serializer.serialize_str(self.as_str())
        }
    }
}

#[derive(Debug)]
struct WriteError(String);

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WriteError {}

impl ser::Error for WriteError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

type WriteResult = Result<(), WriteError>;

/// The serializer of one value.
struct Text<'a> {
    out: &'a mut Out,
    /// The interpretation of strings.
    form: Form,
}

#[derive(Clone, Copy)]
enum Form {
    /// A string that can need escapes.
    Escape,
    /// A string without escapes.
    Plain,
    /// JSON text.
    Raw,
}

/// The serializer of the items of a list or the members of an object.
struct Parts<'a> {
    out: &'a mut Out,
    is_first: bool,
    close: &'static [char],
}

impl<'a> Text<'a> {
    fn to(out: &'a mut Out) -> Self {
        Self { out, form: Form::Escape }
    }

    /// Returns an error without a message if the text would be too long with `more` bytes.
    fn within(&self, more: usize) -> WriteResult {
        if self.out.text.len().saturating_add(more) > self.out.max_bytes {
            return Err(WriteError(String::new()));
        }
        Ok(())
    }

    fn string(self, text: &str) -> WriteResult {
        self.within(text.len())?;
        write_string(text, &mut self.out.text);
        Ok(())
    }

    fn raw(self, text: &str) -> WriteResult {
        self.within(text.len())?;
        self.out.text.push_str(text);
        Ok(())
    }

    fn open(self, open: char, close: &'static [char]) -> Result<Parts<'a>, WriteError> {
        self.out.text.push(open);
        Ok(Parts { out: self.out, is_first: true, close })
    }

    /// Opens the object of a variant with content: the name is its only key.
    fn variant(&mut self, name: &str) {
        self.out.text.push('{');
        write_name(name, &mut self.out.text);
        self.out.text.push(COLON);
    }
}

/// Writes an integer.
pub(crate) fn write_whole(value: impl itoa::Integer, out: &mut String) {
    out.push_str(itoa::Buffer::new().format(value));
}

/// Writes a string without escapes, such as the name of a field or a variant.
fn write_name(name: &str, out: &mut String) {
    out.push(QUOTE);
    out.push_str(name);
    out.push(QUOTE);
}

impl Parts<'_> {
    fn next(&mut self) {
        if !std::mem::take(&mut self.is_first) {
            self.out.text.push(COMMA);
        }
    }

    fn field(&mut self, name: &str) {
        self.next();
        write_name(name, &mut self.out.text);
        self.out.text.push(COLON);
    }

    fn done(self) -> WriteResult {
        for mark in self.close {
            self.out.text.push(*mark);
        }
        Ok(())
    }
}

macro_rules! integers {
    ($($method:ident: $type:ty),*) => {$(
        fn $method(self, value: $type) -> WriteResult {
            write_whole(value, &mut self.out.text);
            Ok(())
        }
    )*};
}

impl<'a> ser::Serializer for Text<'a> {
    type Ok = ();
    type Error = WriteError;
    type SerializeSeq = Parts<'a>;
    type SerializeTuple = Parts<'a>;
    type SerializeTupleStruct = Parts<'a>;
    type SerializeTupleVariant = Parts<'a>;
    type SerializeMap = Parts<'a>;
    type SerializeStruct = Parts<'a>;
    type SerializeStructVariant = Parts<'a>;

    integers!(serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64);

    /// Returns false, so that [`Number`] passes all of its digits.
    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_bool(self, value: bool) -> WriteResult {
        self.raw(if value { "true" } else { "false" })
    }
    fn serialize_f32(self, value: f32) -> WriteResult {
        self.serialize_f64(f64::from(value))
    }
    fn serialize_f64(self, value: f64) -> WriteResult {
        match Number::from_f64(value) {
            Some(number) => self.raw(number.as_str()),
            None => {
                let name = if value.is_nan() { "NaN" } else { "inf" };
                let sign = if value == f64::NEG_INFINITY { "-" } else { "" };
                Err(WriteError(format!("`{sign}{name}` is not a JSON number")))
            }
        }
    }
    fn serialize_char(self, value: char) -> WriteResult {
        self.string(value.encode_utf8(&mut [0; 4]))
    }
    fn serialize_str(self, value: &str) -> WriteResult {
        match self.form {
            Form::Escape => self.string(value),
            Form::Plain => {
                self.within(value.len())?;
                write_name(value, &mut self.out.text);
                Ok(())
            }
            Form::Raw => self.raw(value),
        }
    }
    fn serialize_bytes(self, value: &[u8]) -> WriteResult {
        self.collect_seq(value)
    }
    fn serialize_none(self) -> WriteResult {
        self.raw("null")
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> WriteResult {
        value.serialize(self)
    }
    fn serialize_unit(self) -> WriteResult {
        self.raw("null")
    }
    fn serialize_unit_struct(self, _: &'static str) -> WriteResult {
        self.raw("null")
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> WriteResult {
        write_name(variant, &mut self.out.text);
        Ok(())
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> WriteResult {
        let form = match name {
            RAW => Form::Raw,
            PLAIN => Form::Plain,
            _ => Form::Escape,
        };
        value.serialize(Text { form, ..self })
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> WriteResult {
        self.variant(variant);
        value.serialize(Text::to(self.out))?;
        self.raw("}")
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Parts<'a>, WriteError> {
        self.open('[', &[']'])
    }
    fn serialize_tuple(self, _: usize) -> Result<Parts<'a>, WriteError> {
        self.open('[', &[']'])
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, WriteError> {
        self.open('[', &[']'])
    }
    fn serialize_tuple_variant(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts<'a>, WriteError> {
        self.variant(variant);
        self.open('[', &[']', '}'])
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Parts<'a>, WriteError> {
        self.open('{', &['}'])
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, WriteError> {
        self.open('{', &['}'])
    }
    fn serialize_struct_variant(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts<'a>, WriteError> {
        self.variant(variant);
        self.open('{', &['}', '}'])
    }
}

macro_rules! writes_items {
    ($($trait:ident :: $method:ident),*) => {$(
        impl ser::$trait for Parts<'_> {
            type Ok = ();
            type Error = WriteError;
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> WriteResult {
                self.next();
                value.serialize(Text::to(self.out))
            }
            fn end(self) -> WriteResult {
                self.done()
            }
        }
    )*};
}

writes_items!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

macro_rules! writes_fields {
    ($($trait:ident),*) => {$(
        impl ser::$trait for Parts<'_> {
            type Ok = ();
            type Error = WriteError;
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> WriteResult {
                self.field(key);
                value.serialize(Text::to(self.out))
            }
            fn end(self) -> WriteResult {
                self.done()
            }
        }
    )*};
}

writes_fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Parts<'_> {
    type Ok = ();
    type Error = WriteError;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> WriteResult {
        self.next();
        let start = self.out.text.len();
        key.serialize(Text::to(self.out))?;
        match self.out.text.as_bytes().get(start) {
            Some(b'"') => Ok(()),
            Some(_) | None => Err(WriteError("a key must be a string".to_owned())),
        }
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> WriteResult {
        self.out.text.push(COLON);
        value.serialize(Text::to(self.out))
    }
    fn end(self) -> WriteResult {
        self.done()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_inside_json_keep_their_digits() {
        let text = r#"{"n":123456789012345678901234567890,"d":0.1000000000000000055,"f":1.50,"e":100000000000000000000,"i":-3}"#;
        let value = Json::parse(text).unwrap();
        let back = to_json(&value).unwrap();
        assert_eq!(back, value);
        assert_eq!(back.get("n").unwrap().to_string(), "123456789012345678901234567890");
    }

    #[test]
    fn a_value_of_maximum_depth_can_be_written() {
        let depth = crate::Limits::MAX_DEPTH;
        let limits = ParseLimits { max_depth: depth, ..ParseLimits::default() };
        let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let value = Json::parse_bytes(text.as_bytes(), &limits).unwrap();
        assert_eq!(to_json(&value).unwrap(), value);
    }

    #[test]
    fn structs_and_enums_have_their_usual_form() {
        #[derive(serde::Serialize)]
        #[serde(tag = "kind", rename_all = "snake_case")]
        enum Shape {
            Round { r: u32 },
            Flat,
        }
        #[derive(serde::Serialize)]
        enum Plain {
            Unit,
            New(u8),
            Pair(i8, char),
            Named { a: Option<bool> },
        }
        let plain = [Plain::Unit, Plain::New(1), Plain::Pair(-1, '"'), Plain::Named { a: None }];
        assert_eq!(
            to_text(&plain).unwrap(),
            r#"["Unit",{"New":1},{"Pair":[-1,"\""]},{"Named":{"a":null}}]"#
        );
        let shapes = vec![Shape::Round { r: 2 }, Shape::Flat];
        assert_eq!(
            to_json(&shapes).unwrap().to_string(),
            r#"[{"kind":"round","r":2},{"kind":"flat"}]"#
        );
        assert!(to_json(&f64::NAN).is_err());
        assert!(to_json(&std::collections::BTreeMap::from([(1, 2)])).is_err());
    }

    #[test]
    fn errors_have_messages_and_rare_types_have_a_form() {
        struct Bytes;
        impl Serialize for Bytes {
            fn serialize<S: ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_bytes(&[1, 2])
            }
        }
        struct Fails;
        impl Serialize for Fails {
            fn serialize<S: ser::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
                Err(ser::Error::custom("not today"))
            }
        }
        #[derive(serde::Serialize)]
        struct Unit;
        #[derive(serde::Serialize)]
        struct Pair(Unit, f32);
        assert_eq!(to_text(&(Pair(Unit, 0.5), Bytes)).unwrap(), "[[null,0.5],[1,2]]");
        let error = to_text(&[Fails]).unwrap_err();
        assert_eq!(error.code(), crate::Code::InvalidContent);
        assert!(error.message().contains("not today"), "{}", error.message());
    }
}
