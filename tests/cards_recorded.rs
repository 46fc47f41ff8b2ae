//! Every recorded case of content, cards, boxes and scalar text.

#![expect(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

use tuckbox::json::{Field, Object};
use tuckbox::{
    Card, CardId, Code, Content, Env, Error, Json, Limits, NewCard, Path, ProjectId, Result,
    Timestamp,
};

fn cases(text: &str) -> Vec<Json> {
    Json::parse(text).unwrap().get("cases").unwrap().as_array().unwrap().to_vec()
}

fn at<'a>(input: &'a Json, key: &str) -> Field<'a> {
    Field::new(input.get(key).unwrap(), Path::root(), Code::InvalidContent)
}

fn env() -> Env {
    Env::new(Timestamp::from_millis(0), [3; 32])
}

fn content(input: &Json) -> Result<Json> {
    let limits = Limits::default();
    let content = Content::from_wire(&at(input, "wire"))?.made(&limits, &Path::root())?;
    let wire = content.to_wire();
    let again = Content::from_wire(&Field::root(&wire))?.made(&limits, &Path::root())?;
    assert_eq!(wire.canonical()?, wire, "what is made is canonical");
    Ok(Json::from([
        ("class", Json::from(content.type_name())),
        ("round_trip_stable", Json::from(again.to_wire() == wire)),
        ("wire", wire),
    ]))
}

fn card(input: &Json) -> Result<Json> {
    let card = Card::from_wire(&at(input, "card"), &mut env().minter())?;
    Ok(Json::from([("text", Json::from(card.content.text_view())), ("card", card.to_wire())]))
}

fn schema_card(input: &Json) -> Result<Json> {
    let field = at(input, "card");
    let fields = field.object()?;
    let new = NewCard::from_wire(&field)?;
    let project = ProjectId::from(fields.required("project_id")?.string()?);
    let id = CardId::from(fields.required("card_id")?.string()?);
    let made = Card::make(new, &project, id, env().now, &Limits::default())?;
    let row = made.row();
    let card = Card::from_row(&Field::root(&row))?;
    assert_eq!(card, made);
    let mut metadata = card.metadata.clone();
    metadata.insert("created_at".into(), "$now".into());
    let mut stored = card.to_wire();
    if let Json::Object(stored) = &mut stored {
        stored.insert("metadata".into(), metadata.clone().into());
    }
    let reloaded = Json::from([
        ("type", Json::from(card.card_type())),
        (
            "author_id",
            Json::from(card.author_id().filter(|id| !id.is_empty()).unwrap_or("unknown")),
        ),
        ("project_id", Json::from(card.metadata.get("project_id").cloned())),
        ("metadata", metadata.into()),
    ]);
    Ok(Json::from([("stored", stored), ("reloaded", reloaded)]))
}

fn boxes(input: &Json) -> Result<Json> {
    Ok(Json::from([("box", tuckbox::boxes::WireBox::from_wire(&at(input, "box"))?.to_wire())]))
}

fn check(case: &Json, actual: Result<Json, Error>) -> Option<String> {
    let expect = case.get("expect").unwrap();
    let kind = expect.get("error").and_then(|error| error.get("kind")).and_then(Json::as_str);
    let good = match (&actual, expect.get("ok"), kind) {
        (Ok(actual), Some(expected), _) => actual.same_value(expected),
        (Err(_), None, Some("internal")) => true,
        (Err(error), None, Some(kind)) => error.code().as_str() == kind,
        _ => false,
    };
    (!good).then(|| format!("{}\n  {actual:?}\n  {expect}", case.get("name").unwrap()))
}

#[test]
fn content_cards_and_boxes_are_as_recorded() {
    let mut failed = Vec::new();
    for case in cases(include_str!("vectors/cards.json")) {
        let input = case.get("input").unwrap();
        let actual = match input.get("op").and_then(Json::as_str).unwrap() {
            "content" => content(input),
            "card" => card(input),
            "schema_card" => schema_card(input),
            "box" => boxes(input),
            other => panic!("unknown op {other}"),
        };
        failed.extend(check(&case, actual));
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn scalar_text_is_as_recorded() {
    let mut failed = Vec::new();
    for case in cases(include_str!("vectors/scalar_text.json")) {
        let value = case.get("input").and_then(|input| input.get("value")).unwrap();
        let actual = Object::from_iter([
            ("python_str".to_owned(), Json::from(value.text_form())),
            ("python_json_dumps".to_owned(), Json::from(value.spaced())),
        ]);
        let expect = case.get("expect").unwrap();
        if !Json::Object(actual.clone()).same_value(expect) {
            failed.push(format!("{} {:?} {expect}", case.get("name").unwrap(), actual));
        }
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}
