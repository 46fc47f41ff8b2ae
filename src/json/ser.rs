//! Any serialisable value as [`Json`], so that every result has one JSON shape.

use super::{Json, Number, Object};
use serde::ser::{self, Serialize};
use std::fmt;

/// The private name under which a number crosses serde digit for digit.
const NUMBER: &str = "$tuckbox::Number";

/// Turns a serialisable value into [`Json`]; numbers inside [`Json`] values keep their digits.
///
/// # Errors
/// `invalid_content` when a map key is not a string or a float is not finite.
pub fn to_json<T: Serialize + ?Sized>(value: &T) -> crate::Result<Json> {
    value.serialize(ToJson).map_err(|Failed(message)| crate::Error::invalid_content(message))
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
    /// A number for every textual serializer, as far as its data model reaches, and digits as text
    /// beyond; digits as text for the others, [`to_json`] among them.
    fn serialize<S: ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return serializer.serialize_newtype_struct(NUMBER, self.as_str());
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
struct Failed(String);

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failed {}

impl ser::Error for Failed {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

type Out = Result<Json, Failed>;

struct ToJson;

/// Collects the fields of a struct, map or variant; `variant` wraps the result.
struct Entries {
    object: Object,
    key: Option<String>,
    variant: Option<&'static str>,
}

/// Collects the items of a list or tuple.
struct Items {
    items: Vec<Json>,
    variant: Option<&'static str>,
}

fn wrap(variant: Option<&'static str>, value: Json) -> Json {
    match variant {
        Some(name) => Json::from([(name, value)]),
        None => value,
    }
}

impl Entries {
    fn new(variant: Option<&'static str>) -> Self {
        Self { object: Object::new(), key: None, variant }
    }

    fn put<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<(), Failed> {
        self.object.insert(key.to_owned(), value.serialize(ToJson)?);
        Ok(())
    }

    fn done(self) -> Out {
        Ok(wrap(self.variant, Json::Object(self.object)))
    }
}

impl Items {
    fn new(variant: Option<&'static str>) -> Self {
        Self { items: Vec::new(), variant }
    }

    fn put<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failed> {
        self.items.push(value.serialize(ToJson)?);
        Ok(())
    }

    fn done(self) -> Out {
        Ok(wrap(self.variant, Json::Array(self.items)))
    }
}

macro_rules! integers {
    ($($method:ident: $type:ty as $wide:ty),*) => {$(
        fn $method(self, value: $type) -> Out {
            Ok(Json::from(<$wide>::from(value)))
        }
    )*};
}

impl ser::Serializer for ToJson {
    type Ok = Json;
    type Error = Failed;
    type SerializeSeq = Items;
    type SerializeTuple = Items;
    type SerializeTupleStruct = Items;
    type SerializeTupleVariant = Items;
    type SerializeMap = Entries;
    type SerializeStruct = Entries;
    type SerializeStructVariant = Entries;

    integers!(serialize_i8: i8 as i64, serialize_i16: i16 as i64, serialize_i32: i32 as i64,
        serialize_i64: i64 as i64, serialize_u8: u8 as u64, serialize_u16: u16 as u64,
        serialize_u32: u32 as u64, serialize_u64: u64 as u64);

    /// A tree of values, not a text: numbers come with all their digits.
    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_bool(self, value: bool) -> Out {
        Ok(Json::Bool(value))
    }
    fn serialize_f32(self, value: f32) -> Out {
        self.serialize_f64(f64::from(value))
    }
    fn serialize_f64(self, value: f64) -> Out {
        Number::from_f64(value)
            .map(Json::Number)
            .ok_or_else(|| Failed(format!("`{value}` is not a JSON number")))
    }
    fn serialize_char(self, value: char) -> Out {
        Ok(Json::String(value.into()))
    }
    fn serialize_str(self, value: &str) -> Out {
        Ok(Json::from(value))
    }
    fn serialize_bytes(self, value: &[u8]) -> Out {
        Ok(Json::Array(value.iter().map(|&byte| Json::from(u64::from(byte))).collect()))
    }
    fn serialize_none(self) -> Out {
        Ok(Json::Null)
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Out {
        value.serialize(self)
    }
    fn serialize_unit(self) -> Out {
        Ok(Json::Null)
    }
    fn serialize_unit_struct(self, _: &'static str) -> Out {
        Ok(Json::Null)
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Out {
        Ok(Json::from(variant))
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Out {
        let json = value.serialize(self)?;
        match json {
            Json::String(digits) if name == NUMBER => {
                Ok(Json::Number(Number::from_grammar(&digits)))
            }
            other => Ok(other),
        }
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Out {
        Ok(wrap(Some(variant), value.serialize(self)?))
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Items, Failed> {
        Ok(Items::new(None))
    }
    fn serialize_tuple(self, _: usize) -> Result<Items, Failed> {
        Ok(Items::new(None))
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Items, Failed> {
        Ok(Items::new(None))
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Items, Failed> {
        Ok(Items::new(Some(variant)))
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Entries, Failed> {
        Ok(Entries::new(None))
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Entries, Failed> {
        Ok(Entries::new(None))
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Entries, Failed> {
        Ok(Entries::new(Some(variant)))
    }
}

macro_rules! collects_items {
    ($($trait:ident :: $method:ident),*) => {$(
        impl ser::$trait for Items {
            type Ok = Json;
            type Error = Failed;
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failed> {
                self.put(value)
            }
            fn end(self) -> Out {
                self.done()
            }
        }
    )*};
}

collects_items!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

macro_rules! collects_fields {
    ($($trait:ident),*) => {$(
        impl ser::$trait for Entries {
            type Ok = Json;
            type Error = Failed;
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), Failed> {
                self.put(key, value)
            }
            fn end(self) -> Out {
                self.done()
            }
        }
    )*};
}

collects_fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Entries {
    type Ok = Json;
    type Error = Failed;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Failed> {
        match key.serialize(ToJson)? {
            Json::String(key) => {
                self.key = Some(key);
                Ok(())
            }
            other => Err(Failed(format!("a key must be a string, found {}", other.kind()))),
        }
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failed> {
        let key = self.key.take().unwrap_or_default();
        self.put(&key, value)
    }
    fn end(self) -> Out {
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
    fn structs_and_enums_take_their_usual_shape() {
        #[derive(serde::Serialize)]
        #[serde(tag = "kind", rename_all = "snake_case")]
        enum Shape {
            Round { r: u32 },
            Flat,
        }
        let shapes = vec![Shape::Round { r: 2 }, Shape::Flat];
        assert_eq!(
            to_json(&shapes).unwrap().to_string(),
            r#"[{"kind":"round","r":2},{"kind":"flat"}]"#
        );
        assert!(to_json(&f64::NAN).is_err());
    }
}
