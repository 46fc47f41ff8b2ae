//! Reads typed results from the JSON of a value.

use tuckbox::Result;
use tuckbox::value::json::Fields;

/// Returns a string.
pub fn text(of: &Fields<'_>, key: &str) -> Result<String> {
    Ok(of.required(key)?.string()?.to_owned())
}

/// Returns a string that can be missing or null.
pub fn maybe_text(of: &Fields<'_>, key: &str) -> Result<Option<String>> {
    of.optional(key).map(|field| Ok(field.string()?.to_owned())).transpose()
}

/// Returns a list of strings.
pub fn texts(of: &Fields<'_>, key: &str) -> Result<Vec<String>> {
    Ok(of.required(key)?.strings()?.into_iter().map(str::to_owned).collect())
}

/// Returns a value as JSON text.
pub fn json(of: &Fields<'_>, key: &str) -> Result<String> {
    Ok(of.required(key)?.json().to_string())
}

/// Returns a value that can be missing or null, as JSON text.
pub fn maybe_json(of: &Fields<'_>, key: &str) -> Option<String> {
    of.optional(key).map(|field| field.json().to_string())
}

/// Returns an integer that can be missing or null.
pub fn maybe_integer(of: &Fields<'_>, key: &str) -> Option<i64> {
    of.optional(key)?.json().as_number()?.as_i64()
}

/// Returns a list of objects.
pub fn list<T>(of: &Fields<'_>, key: &str, read: fn(&Fields<'_>) -> Result<T>) -> Result<Vec<T>> {
    of.required(key)?.list()?.iter().map(|field| read(&field.object()?)).collect()
}
