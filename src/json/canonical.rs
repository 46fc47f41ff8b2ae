//! The one canonical form of a JSON value: what PostgreSQL's `jsonb` would give back.

use super::{Json, Object};
use crate::{Path, Result};

impl Json {
    /// The value with object keys in `jsonb` order (shorter first, then bytewise) and numbers
    /// without exponent, at every depth.
    ///
    /// # Errors
    /// `invalid_content` for U+0000 in a string or key, `limit` for a number that no store can
    /// keep; both with the path of the value.
    pub fn canonical(&self) -> Result<Self> {
        canonical(self)
    }

    /// The canonical bytes.
    ///
    /// # Errors
    /// As [`Json::canonical`].
    pub fn canonical_text(&self) -> Result<String> {
        Ok(self.canonical()?.to_string())
    }
}

fn canonical(value: &Json) -> Result<Json> {
    Ok(match value {
        Json::Null => Json::Null,
        Json::Bool(value) => Json::Bool(*value),
        Json::Number(number) => Json::Number(number.canonical()?),
        Json::String(text) => {
            storable(text, &Path::root())?;
            Json::String(text.clone())
        }
        Json::Array(items) => {
            let item = |(index, item)| {
                // the path is put together on the way out, so that it costs only the unlucky
                canonical(item).map_err(|error| error.within(&Path::root().index(index)))
            };
            Json::Array(items.iter().enumerate().map(item).collect::<Result<_>>()?)
        }
        Json::Object(object) => Json::Object(canonical_object(object)?),
    })
}

fn canonical_object(object: &Object) -> Result<Object> {
    let mut sorted = Object::with_capacity(object.len());
    for (key, value) in object {
        storable(key, &Path::root())?;
        let value = canonical(value).map_err(|error| error.within(&Path::root().key(key)))?;
        sorted.insert(key.clone(), value);
    }
    sort_keys(&mut sorted);
    Ok(sorted)
}

/// Puts the keys of one object, not of what it holds, into `jsonb` order.
pub(crate) fn sort_keys(object: &mut Object) {
    object.sort_by(|a, _, b, _| a.len().cmp(&b.len()).then_with(|| a.as_bytes().cmp(b.as_bytes())));
}

/// Refuses what `jsonb` cannot hold, instead of dropping it.
pub(crate) fn storable(text: &str, path: &Path) -> Result<()> {
    if text.contains('\0') {
        return Err(crate::Error::invalid_content(
            "the text holds U+0000, which no store can keep; remove it before packing",
        )
        .at(path.clone()));
    }
    Ok(())
}
