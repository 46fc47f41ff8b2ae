//! A body during writing. Strings and values are borrowed from the draft until a caller needs the body
//! itself. Most bodies are serialized at once.

use super::part::Arguments;
use crate::Error;
use crate::value::json::{Json, Number, Object, write_text};
use crate::value::message::SharedText;
use serde::ser::{Serialize, Serializer};

/// One value of a body.
pub(crate) enum Body<'a> {
    /// A string of the draft.
    Text(&'a str),
    /// The text of a message.
    Shared(&'a SharedText),
    /// A value of the draft.
    Value(&'a Json),
    /// A value that was made for the body.
    Made(Json),
    List(Vec<Body<'a>>),
    Object(Out<'a>),
}

/// An object of a body. Absent values are omitted.
pub(crate) struct Out<'a>(Vec<(&'a str, Body<'a>)>);

/// Some members of an object.
pub(crate) type Members<'m, 'a> = &'m [(&'a str, Body<'a>)];

impl<'a> Out<'a> {
    pub fn new() -> Self {
        Self(Vec::new())
    }

    pub fn put(&mut self, key: &'a str, value: Option<impl Into<Body<'a>>>) {
        if let Some(value) = value {
            self.set(key, value.into());
        }
    }

    fn set(&mut self, key: &'a str, value: Body<'a>) {
        match self.get_mut(key) {
            Some(there) => *there = value,
            None => self.0.push((key, value)),
        }
    }

    /// Inserts an object, unless it is empty.
    pub fn put_object(&mut self, key: &'a str, value: Self) {
        if !value.0.is_empty() {
            self.set(key, value.into());
        }
    }

    /// Returns the value under `key` for changes.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Body<'a>> {
        self.0.iter_mut().find(|(known, _)| *known == key).map(|(_, value)| value)
    }

    /// Returns a list as JSON values for changes. Another value is not a list.
    pub fn list_mut(&mut self, key: &str) -> Option<&mut Vec<Json>> {
        let value = self.get_mut(key)?;
        if let Body::List(items) = value {
            let items = std::mem::take(items).into_iter().map(Body::into_json).collect();
            *value = Body::Made(Json::Array(items));
        }
        match value {
            Body::Made(Json::Array(items)) => Some(items),
            Body::Text(_)
            | Body::Shared(_)
            | Body::Value(_)
            | Body::Made(_)
            | Body::List(_)
            | Body::Object(_) => None,
        }
    }

    /// Returns the list under one of `keys`, with the members before and after it.
    pub fn around(&self, keys: &[&str]) -> Option<(Members<'_, 'a>, &Body<'a>, Members<'_, 'a>)> {
        let place = self.0.iter().position(|(key, _)| keys.contains(key))?;
        let (before, rest) = self.0.split_at_checked(place)?;
        let ((_, list), after) = rest.split_first()?;
        Some((before, list, after))
    }

    /// Returns the key at `place`.
    pub fn key(&self, place: usize) -> Option<&'a str> {
        self.0.get(place).map(|(key, _)| *key)
    }

    /// Returns the object as JSON.
    pub fn into_object(self) -> Object {
        self.0.into_iter().map(|(key, value)| (key.to_owned(), value.into_json())).collect()
    }
}

impl<'a> Body<'a> {
    /// Appends the items of a list to `out`, with commas between them. Returns their number; nothing
    /// for another value.
    pub fn write_items(&self, out: &mut String) -> Result<Option<usize>, Error> {
        let mut count = 0;
        let mut comma = |out: &mut String| {
            if count > 0 {
                out.push(',');
            }
            count += 1;
        };
        match self {
            Self::List(items) => {
                for item in items {
                    comma(out);
                    write_text(item, out)?;
                }
            }
            Self::Made(Json::Array(items)) | Self::Value(Json::Array(items)) => {
                for item in items {
                    comma(out);
                    write_text(item, out)?;
                }
            }
            Self::Text(_) | Self::Shared(_) | Self::Value(_) | Self::Made(_) | Self::Object(_) => {
                return Ok(None);
            }
        }
        Ok(Some(count))
    }

    /// Returns the value as JSON.
    pub fn into_json(self) -> Json {
        match self {
            Self::Text(text) => text.into(),
            Self::Shared(text) => text.as_str().into(),
            Self::Value(value) => value.clone(),
            Self::Made(value) => value,
            Self::List(items) => items.into_iter().map(Self::into_json).collect(),
            Self::Object(out) => Json::Object(out.into_object()),
        }
    }

    /// Creates an object with these entries.
    pub fn object<const N: usize>(entries: [(&'a str, Self); N]) -> Self {
        Self::Object(Out(entries.into()))
    }

    /// Inserts a value into an object. Other values do not change.
    pub fn put(&mut self, key: &'a str, value: Self) {
        if let Self::Value(whole) = self {
            *self = Self::Made(whole.clone());
        }
        match self {
            Self::Object(out) => out.set(key, value),
            Self::Made(Json::Object(object)) => {
                object.insert(key.to_owned(), value.into_json());
            }
            Self::Text(_) | Self::Shared(_) | Self::Value(_) | Self::Made(_) | Self::List(_) => {}
        }
    }
}

impl<'a> From<&'a str> for Body<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a SharedText> for Body<'a> {
    fn from(text: &'a SharedText) -> Self {
        Self::Shared(text)
    }
}

impl<'a> From<&'a Json> for Body<'a> {
    fn from(value: &'a Json) -> Self {
        Self::Value(value)
    }
}

impl<'a> From<&'a Arguments> for Body<'a> {
    /// Returns the arguments as an object.
    fn from(arguments: &'a Arguments) -> Self {
        match arguments {
            Arguments::Value(value) => Self::Value(value),
            Arguments::Text(_) => Self::Made(arguments.object()),
        }
    }
}

impl<'a> From<Out<'a>> for Body<'a> {
    fn from(out: Out<'a>) -> Self {
        Self::Object(out)
    }
}

impl<'a> FromIterator<Body<'a>> for Body<'a> {
    fn from_iter<I: IntoIterator<Item = Body<'a>>>(items: I) -> Self {
        Self::List(items.into_iter().collect())
    }
}

macro_rules! made {
    ($($type:ty),*) => {$(
        impl From<$type> for Body<'_> {
            fn from(value: $type) -> Self {
                Self::Made(value.into())
            }
        }
    )*};
}

made!(Json, Number, Object, String, Vec<String>, bool, u64);

impl Serialize for Out<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Shared(text) => text.serialize(serializer),
            Self::Value(value) => value.serialize(serializer),
            Self::Made(value) => value.serialize(serializer),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(out) => out.serialize(serializer),
        }
    }
}
