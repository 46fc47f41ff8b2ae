//! Accessors for foreign JSON. A missing value is `None`, never an error.

use super::model::Usage;
use crate::value::json::{Json, read_double};
use crate::value::time::read_micros;
use std::borrow::Cow;

/// Returns the string of a key.
pub fn text<'a>(value: &'a Json, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Json::as_str)
}

/// Returns the string of the first key that has one.
pub fn first_text<'a>(value: &'a Json, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| text(value, key))
}

/// Returns the list of a key, or an empty list.
pub fn list<'a>(value: &'a Json, key: &str) -> &'a [Json] {
    value.get(key).and_then(Json::as_array).unwrap_or(&[])
}

/// Returns the value of a key, unless it is `null`.
pub fn some<'a>(value: &'a Json, key: &str) -> Option<&'a Json> {
    value.get(key).filter(|value| !value.is_null())
}

/// Returns the value at a path of keys.
pub fn deep<'a>(value: &'a Json, keys: &[&str]) -> Option<&'a Json> {
    keys.iter().try_fold(value, |value, key| value.get(key)).filter(|value| !value.is_null())
}

/// Returns the string at a path of keys.
pub fn deep_text<'a>(value: &'a Json, keys: &[&str]) -> Option<&'a str> {
    deep(value, keys).and_then(Json::as_str)
}

/// Returns true if the value of a key is `true`.
pub fn yes(value: &Json, key: &str) -> bool {
    value.get(key).and_then(Json::as_bool) == Some(true)
}

/// Returns a count: a whole number, or its string as in OTLP.
pub fn count(value: &Json) -> Option<u64> {
    match value {
        Json::Number(number) => number.whole().and_then(|whole| u64::try_from(whole).ok()),
        Json::String(text) => text.parse().ok(),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

/// Returns the count of the first key that has one.
pub fn first_count(value: &Json, keys: &[&str]) -> Option<u64> {
    keys.iter().find_map(|key| value.get(key).and_then(count))
}

/// Returns the value, parsed if it is the JSON text of a list or an object.
pub fn opened(value: &Json) -> Cow<'_, Json> {
    match value.as_str() {
        Some(text) => open(text).map_or(Cow::Borrowed(value), Cow::Owned),
        None => Cow::Borrowed(value),
    }
}

/// Parses the JSON text of a list or an object.
pub fn open(text: &str) -> Option<Json> {
    let start = text.trim_start();
    if !(start.starts_with('{') || start.starts_with('[')) {
        return None;
    }
    Json::parse(text).ok().filter(|value| matches!(value, Json::Array(_) | Json::Object(_)))
}

/// Returns the arguments of a call: JSON text is parsed, a missing value is an empty object.
pub fn arguments(value: Option<&Json>) -> Json {
    match value {
        None | Some(Json::Null) => Json::Object(Default::default()),
        Some(Json::String(text)) if text.trim().is_empty() => Json::Object(Default::default()),
        Some(value) => opened(value).into_owned(),
    }
}

/// Reads the tokens of a request, with the names of any provider or framework.
pub fn usage(value: &Json) -> Usage {
    let created = first_count(value, &["cache_creation_input_tokens", "cacheWrite"])
        .or_else(|| inside(value, &["cache"], &["write"]));
    // Anthropic, pi and opencode count cached tokens in addition to the input, the others as part of
    // it
    let extra = first_count(value, &["cache_read_input_tokens", "cacheRead"])
        .or_else(|| inside(value, &["cache"], &["read"]))
        .unwrap_or(0)
        + created.unwrap_or(0);
    Usage {
        input: input_tokens(value).map(|input| input + extra),
        output: output_tokens(value),
        cached: cached_tokens(value),
        written: created.or_else(|| written_tokens(value)),
    }
}

/// Returns the first of the `names` in the objects that `value` has under `keys`.
fn inside(value: &Json, keys: &[&str], names: &[&str]) -> Option<u64> {
    keys.iter().filter_map(|key| value.get(key)).find_map(|details| first_count(details, names))
}

fn input_tokens(value: &Json) -> Option<u64> {
    let names = [
        "input_tokens",
        "prompt_tokens",
        "promptTokenCount",
        "inputTokens",
        "input",
        "request_tokens",
    ];
    first_count(value, &names).or_else(|| inside(value, &["inputTokens"], &["total"]))
}

fn output_tokens(value: &Json) -> Option<u64> {
    let names = [
        "output_tokens",
        "completion_tokens",
        "candidatesTokenCount",
        "outputTokens",
        "output",
        "response_tokens",
    ];
    first_count(value, &names).or_else(|| inside(value, &["outputTokens"], &["total"]))
}

/// Returns the tokens that were read from the cache.
fn cached_tokens(value: &Json) -> Option<u64> {
    let names = [
        "cache_read_input_tokens",
        "cacheRead",
        "cachedContentTokenCount",
        "cached",
        "cachedInputTokens",
        "cached_input_tokens",
        // Pydantic AI
        "cache_read_tokens",
    ];
    let details = [
        "input_tokens_details",
        "prompt_tokens_details",
        "input_token_details",
        "inputTokens",
        "cache",
    ];
    first_count(value, &names)
        .or_else(|| inside(value, &details, &["cached_tokens", "cache_read", "cacheRead", "read"]))
}

/// Returns the tokens that were written to the cache and are part of the input.
fn written_tokens(value: &Json) -> Option<u64> {
    let details = ["input_tokens_details", "prompt_tokens_details", "inputTokens"];
    first_count(value, &["cache_write_tokens"])
        .or_else(|| inside(value, &details, &["cache_write_tokens", "cacheWrite"]))
}

/// Returns a time in microseconds: RFC 3339, or a number of seconds, milliseconds, microseconds or
/// nanoseconds, depending on its size.
pub fn time(value: &Json) -> Option<i64> {
    let whole = match value {
        Json::String(text) => text.parse::<i64>().ok(),
        Json::Number(number) => number.as_i64(),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    };
    if let Some(nanos) = whole.filter(|whole| *whole > 100_000_000_000_000_000) {
        return Some(nanos / 1000);
    }
    let number = match value {
        Json::String(text) => match read_double(text) {
            Some(number) => number,
            None => return read_micros(text.trim()),
        },
        Json::Number(number) => number.as_f64(),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => return None,
    };
    let micros = if number > 1e14 {
        number
    } else if number > 1e11 {
        number * 1e3
    } else {
        number * 1e6
    };
    (number > 0.0).then_some(micros as i64)
}

/// Returns the time of the first key that has one.
pub fn first_time(value: &Json, keys: &[&str]) -> Option<i64> {
    keys.iter().find_map(|key| value.get(key).and_then(time))
}
