//! What each provider accepts, written from its documentation and without a line of the core: a
//! body goes in, the first broken rule comes out.

mod anthropic;
mod cost;
mod gemini;
mod openai;

pub use cost::{Letters, called, said, walked, written};

use tuckbox::Json;
use tuckbox::prompt::provider::Provider;

pub type Check<T = ()> = Result<T, String>;

/// Checks a request body.
pub fn check(provider: Provider, body: &Json) -> Check {
    match provider {
        Provider::Neutral => Ok(()),
        Provider::OpenaiChat => openai::chat(body),
        Provider::OpenaiResponses => openai::responses(body),
        Provider::Anthropic => anthropic::messages(body),
        Provider::Gemini => gemini::generate_content(body),
    }
}

pub fn demand(holds: bool, rule: &str, at: &Json) -> Check {
    if holds { Ok(()) } else { Err(format!("{rule}: {at}")) }
}

pub fn text<'a>(value: &'a Json, key: &str) -> Check<&'a str> {
    value.get(key).and_then(Json::as_str).ok_or_else(|| format!("`{key}` is no text: {value}"))
}

pub fn list<'a>(value: &'a Json, key: &str) -> Check<&'a [Json]> {
    let items = value.get(key).and_then(Json::as_array);
    let items = items.ok_or_else(|| format!("`{key}` is no list: {value}"))?;
    if items.is_empty() { Err(format!("`{key}` is empty: {value}")) } else { Ok(items) }
}

pub fn only(value: &Json, keys: &[&str]) -> Check {
    let object = value.as_object().ok_or_else(|| format!("no object: {value}"))?;
    match object.keys().find(|key| !keys.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(format!("`{key}` does not belong here: {value}")),
    }
}

pub fn word(text: &str, most: usize, more: &str) -> bool {
    !text.is_empty()
        && text.len() <= most
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c) || more.contains(c))
}

/// The schema of an object, without alternatives at the top.
pub fn schema(value: &Json) -> Check {
    demand(value.get("type").and_then(Json::as_str) == Some("object"), "not an object's", value)?;
    let alternatives = ["anyOf", "oneOf", "allOf", "enum", "not"];
    demand(alternatives.iter().all(|key| value.get(key).is_none()), "alternatives on top", value)
}

pub fn unique<T: PartialEq>(items: &[T]) -> bool {
    items.iter().enumerate().all(|(at, item)| !items[..at].contains(item))
}

pub fn picture_address(url: &str) -> bool {
    let types = ["image/png", "image/jpeg", "image/gif", "image/webp"];
    url.starts_with("http://")
        || url.starts_with("https://")
        || types.iter().any(|mime| url.starts_with(&format!("data:{mime};base64,")))
}
