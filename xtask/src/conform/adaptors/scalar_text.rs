//! `scalar_text`: the text form of values, and their JSON text for a model.

use super::Outcome;
use tuckbox::{Json, value::json::Object};

pub fn run(input: &Json, _worlds: &Json) -> Vec<Outcome> {
    let Some(value) = input.get("value") else { return Vec::new() };
    let mut texts = Object::default();
    texts.insert("python_str".into(), value.text_form().into());
    texts.insert("python_json_dumps".into(), value.spaced().into());
    Outcome::only(Ok(Json::Object(texts)))
}
