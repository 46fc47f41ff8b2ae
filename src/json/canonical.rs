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
        canonical(self, &Path::root())
    }

    /// The canonical bytes.
    ///
    /// # Errors
    /// As [`Json::canonical`].
    pub fn canonical_text(&self) -> Result<String> {
        Ok(self.canonical()?.to_string())
    }
}

fn canonical(value: &Json, path: &Path) -> Result<Json> {
    Ok(match value {
        Json::Null => Json::Null,
        Json::Bool(value) => Json::Bool(*value),
        Json::Number(number) => {
            Json::Number(number.canonical().map_err(|error| error.at(path.clone()))?)
        }
        Json::String(text) => {
            storable(text, path)?;
            Json::String(text.clone())
        }
        Json::Array(items) => Json::Array(
            items
                .iter()
                .enumerate()
                .map(|(index, item)| canonical(item, &path.index(index)))
                .collect::<Result<_>>()?,
        ),
        Json::Object(object) => Json::Object(canonical_object(object, path)?),
    })
}

fn canonical_object(object: &Object, path: &Path) -> Result<Object> {
    let mut sorted = Object::with_capacity(object.len());
    for (key, value) in object {
        storable(key, path)?;
        sorted.insert(key.clone(), canonical(value, &path.key(key))?);
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
