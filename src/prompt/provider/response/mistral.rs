//! Answers of Mistral: chat completions, with the keys of the API or of Mistral's library.

use super::Delta;
use super::answer::{Answer, Joined, Reader, Texts};
use super::chat::READER as CHAT;
use crate::Result;
use crate::value::json::{Field, Json, Object};

pub(in crate::prompt::provider) const READER: Reader = Reader { whole, join, deltas };

fn whole(body: &Json, answer: &mut Answer) -> Option<()> {
    (CHAT.whole)(&snake(body), answer)
}

fn join(events: &[Field<'_>], texts: &Texts) -> Result<Joined> {
    let chunks = events.iter().map(|event| snake(chunk(event.json()))).collect();
    let call = Json::from([("events", Json::Array(chunks))]);
    (CHAT.join)(&Field::root(&call).object()?.required("events")?.list()?, texts)
}

fn deltas(event: &Json, out: &mut Vec<Delta>) {
    (CHAT.deltas)(&snake(chunk(event)), out);
}

/// Returns the chunk of an event. Those of the library have it under `data`.
fn chunk(event: &Json) -> &Json {
    event.get("data").filter(|_| event.get("choices").is_none()).unwrap_or(event)
}

/// Returns the value with the keys of the API. The keys of arguments belong to the tool.
fn snake(value: &Json) -> Json {
    match value {
        Json::Array(items) => items.iter().map(snake).collect(),
        Json::Object(members) => {
            let member = |(key, value): (&String, &Json)| match key.as_str() {
                "arguments" => (key.clone(), value.clone()),
                _ => (snake_key(key), snake(value)),
            };
            Json::Object(members.iter().map(member).collect::<Object>())
        }
        other => other.clone(),
    }
}

fn snake_key(key: &str) -> String {
    let mut out = String::with_capacity(key.len() + 2);
    for character in key.chars() {
        if character.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(character.to_ascii_lowercase());
    }
    out
}
