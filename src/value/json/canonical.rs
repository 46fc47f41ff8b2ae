//! The canonical form of a JSON value: the form that PostgreSQL's `jsonb` returns.

use super::scan::find_byte;
use super::{Json, Number, Object};
use crate::value::sort::sort_by;
use crate::{Path, Result};

impl Json {
    /// Returns the canonical value.
    ///
    /// At every depth, object keys are in `jsonb` order (shorter first, then bytewise) and numbers
    /// have no exponent.
    ///
    /// # Errors
    /// Returns `invalid_content` for U+0000 in a string or key.
    /// Returns `limit` for a number with too many digits for a store.
    /// Both errors have the path of the value.
    pub fn canonical(&self) -> Result<Self> {
        self.clone().into_canonical()
    }

    /// Converts the value to [canonical](Json::canonical) form without a copy.
    ///
    /// # Errors
    /// Returns the errors of [`Json::canonical`].
    pub fn into_canonical(mut self) -> Result<Self> {
        canonicalize(&mut self)?;
        Ok(self)
    }

    /// Returns the canonical form as text.
    ///
    /// # Errors
    /// Returns the errors of [`Json::canonical`].
    pub fn canonical_text(&self) -> Result<String> {
        Ok(self.canonical()?.to_string())
    }
}

impl Number {
    /// Returns the form that PostgreSQL's `jsonb` returns: no exponent, no negative zero.
    ///
    /// # Errors
    /// Returns `limit` if the number has more digits than `jsonb` supports.
    pub fn canonical(&self) -> Result<Self> {
        self.to_canonical().ok_or_else(|| {
            let start = self.as_str().get(..24).unwrap_or(self.as_str());
            let message = format!("the number `{start}` has more digits than stores support");
            crate::Error::limit(message)
        })
    }
}

/// Converts a value to canonical form in place.
///
/// An error collects its path while it propagates, so valid values pay nothing for it.
fn canonicalize(value: &mut Json) -> Result<()> {
    match value {
        Json::Null | Json::Bool(_) => Ok(()),
        Json::Number(number) => {
            if !number.is_canonical() {
                *number = number.canonical()?;
            }
            Ok(())
        }
        Json::String(text) => check_storable(text, &Path::root()),
        Json::Array(items) => items.iter_mut().enumerate().try_for_each(|(index, item)| {
            canonicalize(item).map_err(|error| error.within(&Path::root().index(index)))
        }),
        Json::Object(object) => {
            for (key, item) in object.iter_mut() {
                check_storable(key, &Path::root())?;
                canonicalize(item).map_err(|error| error.within(&Path::root().key(key)))?;
            }
            sort_keys(object);
            Ok(())
        }
    }
}

/// Sorts the keys of one object in `jsonb` order; nested objects stay as they are.
pub(crate) fn sort_keys(object: &mut Object) {
    let order =
        |a: &str, b: &str| a.len().cmp(&b.len()).then_with(|| a.as_bytes().cmp(b.as_bytes()));
    if !object.keys().is_sorted_by(|a, b| order(a, b).is_le()) {
        object.reorder(|pairs| sort_by(pairs, |(a, _), (b, _)| order(a, b)));
    }
}

/// Returns an error for text that `jsonb` cannot store.
pub(crate) fn check_storable(text: &str, path: &Path) -> Result<()> {
    if find_byte(text.as_bytes(), 0).is_some() {
        return Err(crate::Error::invalid_content(
            "the text contains U+0000, which stores do not support; remove it",
        )
        .at(path.clone()));
    }
    Ok(())
}
