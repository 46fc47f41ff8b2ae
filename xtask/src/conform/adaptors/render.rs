//! `render`: cards as messages.

use super::Outcome;
use super::world::env;
use crate::conform::shapes;
use tuckbox::render::Render;
use tuckbox::store::{MemoryStore, Snapshot};
use tuckbox::value::json::{Object, to_json};
use tuckbox::{Json, Result, rule};

pub fn run(input: &Json, _worlds: &Json) -> Vec<Outcome> {
    Outcome::only(render(input))
}

fn render(input: &Json) -> Result<Json> {
    let call = Render::from_json(input)?;
    let mut snapshot = Snapshot::new("p1".into());
    let rendered = rule::preview(&call, &mut snapshot, &env(), &MemoryStore::new())?.value;
    shapes::check("render", &to_json(&rendered)?);
    let mut request = Object::default();
    request.insert("messages".into(), to_json(&rendered.messages)?);
    if !rendered.tools.is_empty() {
        request.insert("tools".into(), to_json(&rendered.tools)?);
    }
    let card_ids = rendered.entries.iter().map(|entry| Json::from(&entry.card_id));
    let source_card_ids: Json = card_ids.collect();
    Ok(Json::from([("request", Json::Object(request)), ("source_card_ids", source_card_ids)]))
}
