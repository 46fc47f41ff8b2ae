//! Values in payloads, headers and metadata.

use crate::CardId;
use crate::value::json::{Json, Object};

/// Makes an object from pairs.
macro_rules! object {
    ($($key:literal => $value:expr),* $(,)?) => {{
        #[allow(unused_mut)]
        let mut object = $crate::value::json::Object::default();
        $(object.insert($key.to_owned(), $crate::value::json::Json::from($value));)*
        object
    }};
}
pub(crate) use object;

/// Returns text that is not empty.
pub(crate) fn present(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

/// Returns the text of a value as a key holds it.
pub(crate) fn key_text(json: &Json) -> String {
    json.as_str().map_or_else(|| json.text_form(), str::to_owned)
}

/// Returns the text of a value as a column holds it; `None` for `null`.
pub(crate) fn any_text(json: &Json) -> Option<String> {
    if json.is_null() { None } else { Some(key_text(json)) }
}

/// Returns the text under a key of an object, if it is not empty.
pub(crate) fn text_of(object: &Object, key: &str) -> Option<String> {
    any_text(object.get(key)?).filter(|text| !text.is_empty())
}

/// Returns the whole number under a key of an object, also if it is written as text.
pub(crate) fn number_of(object: &Object, key: &str) -> Option<i64> {
    match object.get(key)? {
        Json::Number(number) => number.whole(),
        Json::String(text) => text.trim().parse().ok(),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

/// Returns the text of a card id.
pub(crate) fn card_text(card_id: &CardId) -> String {
    card_id.as_str().to_owned()
}
