//! Hashes of content without marks.

use super::body::text;
use crate::prompt::tokens::{Counter, Estimate};
use crate::value::json::{Hashing, Json, Object};
use std::hash::{BuildHasher, Hasher};

/// The content of a unit.
#[derive(Clone, Copy)]
pub(crate) enum Content<'a> {
    Text(&'a str),
    Block(&'a Object),
    Value(&'a Json),
}

/// Keys that mark a position for the cache.
const MARKS: [&str; 2] = ["cache_control", "prompt_cache_breakpoint"];
/// Keys of items that no model sees.
const ITEM_IDS: [&str; 2] = ["id", "status"];
/// The tokens of a picture or a file.
const MEDIA_TOKENS: u64 = 1_500;
/// Longer strings without a space are data of a file.
const MAX_WORD: usize = 2_000;

impl<'a> Content<'a> {
    /// A block that has only text is the same as its text.
    pub fn of(json: &'a Json) -> Self {
        match json {
            Json::String(text) => Self::Text(text),
            Json::Object(block) => match only_text(block) {
                Some(text) => Self::Text(text),
                None => Self::Block(block),
            },
            other => Self::Value(other),
        }
    }

    pub fn text(&self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Block(block) => block.get("text").and_then(Json::as_str),
            Self::Value(_) => None,
        }
    }

    pub fn write(&self, hash: &mut Hash) {
        match self {
            Self::Text(text) => hash.text(text),
            Self::Block(block) => hash.block(block),
            Self::Value(value) => hash.json(value),
        }
    }

    /// Estimates the tokens.
    pub fn tokens(&self) -> u64 {
        match self {
            Self::Text(text) => Estimate.count(text),
            Self::Block(block) => object_tokens(block),
            Self::Value(value) => tokens(value),
        }
    }
}

fn only_text(block: &Object) -> Option<&str> {
    let plain = |key: &String| {
        matches!(key.as_str(), "type" | "text" | "annotations" | "logprobs")
            || MARKS.contains(&key.as_str())
    };
    let kind = block.get("type").and_then(Json::as_str);
    let is_text = matches!(kind, None | Some("text" | "input_text" | "output_text"));
    if !is_text || !block.keys().all(plain) {
        return None;
    }
    block.get("text")?.as_str()
}

fn object_tokens(object: &Object) -> u64 {
    let pairs = object.iter().filter(|(key, _)| !MARKS.contains(&key.as_str()));
    pairs.map(|(key, value)| 2 + Estimate.count(key) + tokens(value)).sum()
}

fn tokens(json: &Json) -> u64 {
    match json {
        Json::Null | Json::Bool(_) => 1,
        Json::Number(number) => number.as_str().len().div_ceil(3) as u64,
        Json::String(text) if is_data(text) => MEDIA_TOKENS,
        Json::String(text) => Estimate.count(text),
        Json::Array(items) => items.iter().map(|item| 1 + tokens(item)).sum(),
        Json::Object(object) => object_tokens(object),
    }
}

/// Returns true for an encoded file.
fn is_data(text: &str) -> bool {
    text.starts_with("data:")
        || text.len() > MAX_WORD && !text.bytes().take(MAX_WORD).any(|byte| byte == b' ')
}

/// A hash of content that is the same in every process.
pub(crate) struct Hash(<Hashing as BuildHasher>::Hasher);

impl Hash {
    pub fn new() -> Self {
        Self(Hashing::fixed().build_hasher())
    }

    /// Returns the hash of a value; never 0.
    pub fn of(json: &Json) -> u64 {
        let mut hash = Self::new();
        hash.json(json);
        hash.finish()
    }

    /// Returns the hash of several values; nothing without one that is not null.
    pub fn of_all<'j>(values: impl Iterator<Item = &'j Json>) -> Option<u64> {
        values.filter(|value| !value.is_null()).map(Self::of).reduce(Self::join)
    }

    /// Returns the hash of a prefix and what follows.
    pub fn join(prefix: u64, next: u64) -> u64 {
        let mut hash = Self::new();
        hash.number(prefix);
        hash.number(next);
        hash.finish()
    }

    pub fn finish(&self) -> u64 {
        self.0.finish().max(1)
    }

    pub fn text(&mut self, text: &str) {
        self.0.write_usize(text.len());
        self.0.write(text.as_bytes());
    }

    pub fn number(&mut self, number: u64) {
        self.0.write_u64(number);
    }

    /// Hashes a block without its marks.
    fn block(&mut self, block: &Object) {
        let kind = block.get("type").and_then(Json::as_str);
        let is_item = matches!(kind, Some("function_call" | "message"));
        for (key, value) in block {
            let key = key.as_str();
            if MARKS.contains(&key) || is_item && ITEM_IDS.contains(&key) {
                continue;
            }
            self.text(key);
            match value {
                Json::Array(items) if key == "content" => {
                    self.number(items.len() as u64);
                    items.iter().for_each(|item| Content::of(item).write(self));
                }
                value => self.json(value),
            }
        }
    }

    fn json(&mut self, json: &Json) {
        match json {
            Json::Null => self.number(0),
            Json::Bool(value) => self.number(1 + u64::from(*value)),
            Json::Number(number) => self.text(number.as_str()),
            Json::String(text) => self.text(text),
            Json::Array(items) => {
                self.number(3 + items.len() as u64);
                items.iter().for_each(|item| self.json(item));
            }
            Json::Object(object) => {
                self.number(4);
                for (key, value) in object {
                    self.text(key);
                    self.json(value);
                }
                self.number(5);
            }
        }
    }
}

/// Returns the name of a tool.
pub(crate) fn tool_name(content: &Content<'_>) -> Option<String> {
    let block = match content {
        Content::Block(block) => *block,
        Content::Text(_) | Content::Value(_) => return None,
    };
    let inner = ["function", "toolSpec"].iter().find_map(|key| block.get(key));
    let name = match inner {
        Some(inner) => text(inner, "name"),
        None => block.get("name").and_then(Json::as_str),
    };
    let own = || block.get("type").and_then(Json::as_str);
    let first = || block.first().map(|(key, _)| key.as_str());
    name.or_else(own).or_else(first).map(str::to_owned)
}
