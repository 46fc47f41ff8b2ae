//! The one canonical form of a JSON value: what PostgreSQL's `jsonb` would give back.

use super::scan::find_byte;
use super::{Json, Number, Object};
use crate::value::sort::sort_by;
use crate::{Path, Result};

impl Json {
    /// The value with object keys in `jsonb` order (shorter first, then bytewise) and numbers
    /// without exponent, at every depth.
    ///
    /// # Errors
    /// `invalid_content` for U+0000 in a string or key, `limit` for a number that no store can
    /// keep; both with the path of the value.
    pub fn canonical(&self) -> Result<Self> {
        self.clone().into_canonical()
    }

    /// As [`Json::canonical`], without a copy.
    ///
    /// # Errors
    /// As [`Json::canonical`].
    pub fn into_canonical(mut self) -> Result<Self> {
        settle(&mut self)?;
        Ok(self)
    }

    /// The canonical bytes.
    ///
    /// # Errors
    /// As [`Json::canonical`].
    pub fn canonical_text(&self) -> Result<String> {
        Ok(self.canonical()?.to_string())
    }
}

impl Number {
    /// The form that PostgreSQL's `jsonb` gives back: no exponent, no negative zero.
    ///
    /// # Errors
    /// `limit` when the number has more digits than `jsonb` can keep.
    pub fn canonical(&self) -> Result<Self> {
        self.kept().ok_or_else(|| {
            let start = self.as_str().get(..24).unwrap_or(self.as_str());
            let message = format!("the number `{start}` has more digits than a store can keep");
            crate::Error::limit(message)
        })
    }
}

/// Brings a value into canonical form where it stands. The path of an error is put together on the
/// way out, so that it costs only the unlucky.
fn settle(value: &mut Json) -> Result<()> {
    match value {
        Json::Null | Json::Bool(_) => Ok(()),
        Json::Number(number) => {
            if !number.is_canonical() {
                *number = number.canonical()?;
            }
            Ok(())
        }
        Json::String(text) => storable(text, &Path::root()),
        Json::Array(items) => items.iter_mut().enumerate().try_for_each(|(index, item)| {
            settle(item).map_err(|error| error.within(&Path::root().index(index)))
        }),
        Json::Object(object) => {
            for (key, item) in object.iter_mut() {
                storable(key, &Path::root())?;
                settle(item).map_err(|error| error.within(&Path::root().key(key)))?;
            }
            sort_keys(object);
            Ok(())
        }
    }
}

/// Puts the keys of one object, not of what it holds, into `jsonb` order.
pub(crate) fn sort_keys(object: &mut Object) {
    let order =
        |a: &str, b: &str| a.len().cmp(&b.len()).then_with(|| a.as_bytes().cmp(b.as_bytes()));
    if !object.keys().is_sorted_by(|a, b| order(a, b).is_le()) {
        object.reorder(|pairs| sort_by(pairs, |(a, _), (b, _)| order(a, b)));
    }
}

/// Refuses what `jsonb` cannot hold, instead of dropping it.
pub(crate) fn storable(text: &str, path: &Path) -> Result<()> {
    if find_byte(text.as_bytes(), 0).is_some() {
        return Err(crate::Error::invalid_content(
            "the text holds U+0000, which no store can keep; remove it before packing",
        )
        .at(path.clone()));
    }
    Ok(())
}
