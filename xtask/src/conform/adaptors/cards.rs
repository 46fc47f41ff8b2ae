//! `cards`: content, cards and boxes, read from the wire and written back.

use super::Outcome;
use tuckbox::boxes::WireBox;
use tuckbox::json::Field;
use tuckbox::{
    Card, CardId, Code, Content, Env, Json, Limits, NewCard, Path, ProjectId, Result, Timestamp,
};

pub fn run(input: &Json, _worlds: &Json) -> Vec<Outcome> {
    let input = Field::new(input, Path::root(), Code::InvalidContent);
    match input.json().get("op").and_then(Json::as_str) {
        Some("content") => Outcome::only(content(&input)),
        Some("card") => Outcome::only(card(&input)),
        Some("schema_card") => Outcome::only(made_card(&input)),
        Some("box") => Outcome::only(card_box(&input)),
        _ => Vec::new(),
    }
}

fn env() -> Env {
    Env::new(Timestamp::from_millis(1_767_522_600_000), [0; 32])
}

fn content(input: &Field<'_>) -> Result<Json> {
    let made = |field: &Field<'_>| {
        Content::from_wire(field)?.made(&Limits::default(), field.path()).map(|made| made.to_wire())
    };
    let given = input.object()?.required("wire")?;
    let content = Content::from_wire(&given)?;
    let wire = made(&given)?;
    let again = made(&Field::root(&wire))?;
    Ok(Json::from([
        ("class", Json::from(content.type_name())),
        ("round_trip_stable", Json::from(again == wire)),
        ("wire", wire),
    ]))
}

fn card(input: &Field<'_>) -> Result<Json> {
    let card = Card::from_wire(&input.object()?.required("card")?, &mut env().minter())?;
    Ok(Json::from([("text", Json::from(card.content.text_view())), ("card", card.to_wire())]))
}

fn made_card(input: &Field<'_>) -> Result<Json> {
    let given = input.object()?.required("card")?;
    let new = NewCard::from_wire(&given)?;
    let project = ProjectId::parse(&given.object()?.required("project_id")?)?;
    let id = CardId::parse(&given.object()?.required("card_id")?)?;
    let card = Card::make(new, &project, id, env().now, &Limits::default())?;
    let row = card.row();
    let reloaded = Card::from_row(&Field::root(&row))?;
    Ok(Json::from([
        ("stored", card.to_wire()),
        (
            "reloaded",
            Json::from([
                ("type", Json::from(reloaded.card_type())),
                ("author_id", Json::from(reloaded.author())),
                ("project_id", Json::from(reloaded.tenant_id)),
                ("metadata", Json::from(reloaded.metadata)),
            ]),
        ),
    ]))
}

fn card_box(input: &Field<'_>) -> Result<Json> {
    let given = WireBox::from_wire(&input.object()?.required("box")?)?;
    Ok(Json::from([("box", given.to_wire())]))
}
