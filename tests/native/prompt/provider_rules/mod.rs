//! The rules of each provider, written from its documentation without code of the core. `check`
//! returns the first broken rule of a body. Every rule names its source.

mod anthropic;
mod cost;
mod gemini;
mod openai;
mod others;
mod schemas;

pub use cost::{Characters, called, said, walked, written};
pub use schemas::{Dialect, schema, strict};

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
        Provider::Bedrock => others::converse(body),
        Provider::Mistral => others::mistral(body),
        Provider::OpenaiCompatible => others::compatible(body),
        Provider::AiSdk => others::ai_sdk(body),
        other => Err(format!("`{}` has no rules", other.as_str())),
    }
}

pub fn demand(holds: bool, rule: &str, at: &Json) -> Check {
    if holds { Ok(()) } else { Err(format!("{rule}: {at}")) }
}

pub fn text<'a>(value: &'a Json, key: &str) -> Check<&'a str> {
    value.get(key).and_then(Json::as_str).ok_or_else(|| format!("`{key}` is not a string: {value}"))
}

pub fn object<'a>(value: &'a Json, key: &str) -> Check<&'a Json> {
    let inner = value.get(key).filter(|inner| inner.as_object().is_some());
    inner.ok_or_else(|| format!("`{key}` is not an object: {value}"))
}

pub fn list<'a>(value: &'a Json, key: &str) -> Check<&'a [Json]> {
    let items = value.get(key).and_then(Json::as_array);
    let items = items.ok_or_else(|| format!("`{key}` is not a list: {value}"))?;
    if items.is_empty() { Err(format!("`{key}` is empty: {value}")) } else { Ok(items) }
}

pub fn only(value: &Json, keys: &[&str]) -> Check {
    let object = value.as_object().ok_or_else(|| format!("a value is not an object: {value}"))?;
    match object.keys().find(|key| !keys.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(format!("unknown key `{key}`: {value}")),
    }
}

pub fn number(body: &Json, key: &str, least: f64, most: f64) -> Check {
    let Some(value) = body.get(key) else { return Ok(()) };
    let number = value.as_number().map(tuckbox::value::json::Number::as_f64);
    demand(number.is_some_and(|n| (least..=most).contains(&n)), key, value)
}

pub fn word(text: &str, most: usize, more: &str) -> bool {
    !text.is_empty()
        && text.len() <= most
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c) || more.contains(c))
}

pub fn unique<T: PartialEq>(items: &[T]) -> bool {
    items.iter().enumerate().all(|(at, item)| !items[..at].contains(item))
}

/// Returns true for standard base64 with padding (RFC 4648).
pub fn base64(data: &str) -> bool {
    let body = data.trim_end_matches('=');
    let letters = body.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'+' || c == b'/');
    !data.is_empty() && data.len().is_multiple_of(4) && data.len() - body.len() <= 2 && letters
}

pub const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Returns true for a web URL, or a data URL of an image.
pub fn picture_address(url: &str) -> bool {
    let data = |mime: &&str| url.strip_prefix(&format!("data:{mime};base64,")).is_some_and(base64);
    url.starts_with("http://") || url.starts_with("https://") || PICTURES.iter().any(data)
}

/// Checks the schema of a response. OpenAI's guide to structured outputs on `strict`: "all fields
/// must be required" and "additionalProperties: false must always be set".
pub fn response_schema(name: &Json, schema: &Json, is_strict: Option<&Json>) -> Check {
    demand(
        name.as_str().is_some_and(|name| word(name, 64, "")),
        "the name of a schema is invalid",
        name,
    )?;
    if is_strict == Some(&Json::Bool(true)) { strict(schema, true) } else { Ok(()) }
}
