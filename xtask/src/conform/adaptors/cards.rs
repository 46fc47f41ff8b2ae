//! `cards`: reads content, cards and boxes and writes them back, through the JSON caller.

use super::Outcome;
use super::world::drive;
use tuckbox::store::{MemoryStore, Snapshot, Store};
use tuckbox::value::json::Field;
use tuckbox::{Card, Json, Result};

pub fn run(input: &Json, _worlds: &Json) -> Vec<Outcome> {
    match input.get("op").and_then(Json::as_str) {
        Some("content") => Outcome::only(content(input)),
        Some("card") => Outcome::only(card(input)),
        Some("schema_card") => Outcome::only(made_card(input)),
        Some("box") => Outcome::only(card_box(input)),
        _ => Vec::new(),
    }
}

fn content(input: &Json) -> Result<Json> {
    let read = |wire: Json| value("read_content", "content", wire);
    let once = read(member(input, "wire"))?;
    let twice = read(member(&once, "content"))?;
    Ok(Json::from([
        ("class", member(&once, "type")),
        ("round_trip_stable", Json::from(once == twice)),
        ("wire", member(&once, "content")),
    ]))
}

fn card(input: &Json) -> Result<Json> {
    let read = value("read_card", "card", member(input, "card"))?;
    Ok(Json::from([("text", member(&read, "text")), ("card", member(&read, "card"))]))
}

fn card_box(input: &Json) -> Result<Json> {
    value("read_box", "box", member(input, "box"))
}

/// Puts a card and reads it back from a store.
fn made_card(input: &Json) -> Result<Json> {
    let given = member(input, "card");
    let project = given.get("project_id").and_then(Json::as_str).unwrap_or_default();
    if project.is_empty() {
        return without_project(given);
    }
    let mut store = MemoryStore::new();
    let put =
        Json::from([("op", Json::from("put_cards")), ("cards", Json::from(vec![given.clone()]))]);
    let outcome = drive(&put, &mut Snapshot::new(project.into()), &store)?;
    store.commit(&outcome.writes)?;
    let stored = outcome.writes.cards.first().map(Card::to_wire).unwrap_or_default();

    let ids = Json::from(vec![member(&given, "card_id")]);
    let get = Json::from([("op", Json::from("get_cards")), ("card_ids", ids)]);
    let got = drive(&get, &mut Snapshot::new(project.into()), &store)?.value.to_json()?;
    let row =
        member(&got, "cards").as_array().and_then(<[Json]>::first).cloned().unwrap_or_default();
    let reloaded = Card::from_row(&Field::root(&row))?;
    Ok(Json::from([
        ("stored", stored),
        (
            "reloaded",
            Json::from([
                ("type", Json::from(reloaded.card_type())),
                ("author_id", Json::from(reloaded.author())),
                ("project_id", Json::from(reloaded.project())),
                ("metadata", Json::from(reloaded.metadata)),
            ]),
        ),
    ]))
}

/// Reads a card of a project without a name. A store cannot keep such a project.
fn without_project(given: Json) -> Result<Json> {
    let read = value("read_new_card", "card", given)?;
    let reloaded = Json::from([
        ("type", member(&read, "type")),
        ("author_id", member(&read, "author_id")),
        ("project_id", member(&read, "project_id")),
        ("metadata", member(&member(&read, "stored"), "metadata")),
    ]);
    Ok(Json::from([("stored", member(&read, "stored")), ("reloaded", reloaded)]))
}

fn value(op: &str, name: &str, given: Json) -> Result<Json> {
    let call = Json::from([("op", Json::from(op)), (name, given)]);
    drive(&call, &mut Snapshot::new("p1".into()), &MemoryStore::new())?.value.to_json()
}

fn member(value: &Json, key: &str) -> Json {
    value.get(key).cloned().unwrap_or_default()
}
