//! `turn_view`: the two boxes of a turn, and the view of its model, through the JSON caller.

use super::Outcome;
use super::world::{self, drive};
use tuckbox::store::{MemoryStore, Snapshot};
use tuckbox::value::json::{Field, Object};
use tuckbox::{Card, Dialect, Json, Result};

pub fn run(input: &Json, _worlds: &Json) -> Vec<Outcome> {
    let merges = input.get("op").and_then(Json::as_str) == Some("merge");
    Dialect::REFERENCE
        .into_iter()
        .map(|dialect| {
            let actual = if merges { merge(input, dialect) } else { assemble(input) };
            Outcome { label: dialect.name, actual }
        })
        .collect()
}

fn merge(input: &Json, dialect: Dialect) -> Result<Json> {
    let mut store = MemoryStore::new();
    world::add_boxes(store.project("p1"), input);
    let call = Json::from([
        ("op", Json::from("turn_boxes")),
        ("context_box_id", member(input, "context_box_id")),
        ("output_box_id", member(input, "output_box_id")),
        ("dialect", dialect.name.into()),
    ]);
    let outcome = drive(&call, &mut Snapshot::new("p1".into()), &store)?;
    Ok(Json::from([("card_ids", member(&outcome.value.to_json()?, "card_ids"))]))
}

/// Assembles the view of a list of cards. It is the same in every dialect.
fn assemble(input: &Json) -> Result<Json> {
    let mut store = MemoryStore::new();
    let tables = store.project("p1");
    for (card_id, card) in member(input, "cards").as_object().into_iter().flatten() {
        let mut row = card.as_object().cloned().unwrap_or_default();
        row.insert("card_id".into(), card_id.as_str().into());
        tables.add_card(Card::from_row(&Field::root(&Json::Object(row)))?);
    }
    let context = member(input, "context_card_ids");
    let context = context.as_array().unwrap_or_default().iter().filter_map(Json::as_str);
    tables.add_box("context", context);
    tables.add_card(Card::from_row(&Field::root(&profile_card(input)))?);
    tables.add_box("profile", ["profile-card"]);

    let profile = member(input, "profile");
    let mut call = Object::default();
    for (key, value) in [
        ("op", Json::from("turn_view")),
        ("context_box_id", "context".into()),
        ("profile_box_id", "profile".into()),
        ("display_name", member(&profile, "display_name")),
        ("downstream_desc", member(&profile, "downstream_desc")),
        ("tools", member(input, "tool_specs")),
        ("system_append", member(input, "system_append")),
        ("record", true.into()),
    ] {
        call.insert(key.to_owned(), value);
    }
    let outcome = drive(&Json::Object(call), &mut Snapshot::new("p1".into()), &store)?;
    let turn = outcome.value.to_json()?;
    Ok(Json::from([
        ("card_ids", member(&turn, "source_card_ids")),
        ("request", member(&turn, "request")),
        ("source_card_ids", member(&turn, "source_card_ids")),
    ]))
}

fn profile_card(input: &Json) -> Json {
    let profile = member(input, "profile");
    let data = Json::from([
        ("name", member(&profile, "name")),
        ("system_prompt_template", member(input, "system_prompt_template")),
    ]);
    Json::from([
        ("card_id", Json::from("profile-card")),
        ("content", Json::from([("__type__", Json::from("JsonContent")), ("data", data)])),
        ("metadata", Json::from([("type", "sys.profile")])),
    ])
}

fn member(value: &Json, key: &str) -> Json {
    value.get(key).cloned().unwrap_or_default()
}
