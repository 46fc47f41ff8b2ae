//! A stored row that is invalid is reported by itself. All other rows are still answered.
use tuckbox::call::workspace::Workspace;
use tuckbox::render::render_cards;
use tuckbox::rule::lint::Lint;
use tuckbox::store::{Answers, Kind, Reads};
use tuckbox::value::env::Env;
use tuckbox::value::json::Field;
use tuckbox::value::time::Timestamp;
use tuckbox::{Card, Code, Json, Result};

/// Invalid stored cards: id, columns and a word of the error.
const BROKEN: [(&str, &str, &str); 8] = [
    ("null", r#""content": null"#, "content"),
    ("unknown", r#""content": {"__type__": "Hologram", "text": "x"}"#, "Hologram"),
    ("number", r#""content": 7"#, "content"),
    ("list", r#""content": [1, 2]"#, "content"),
    ("extra", r#""content": {"__type__": "TextContent", "text": "x", "colour": "red"}"#, "colour"),
    (
        "metadata",
        r#""content": {"__type__": "TextContent", "text": "x"}, "metadata": "odd""#,
        "metadata",
    ),
    (
        "calls",
        r#""content": {"__type__": "TextContent", "text": "x"}, "tool_calls": "odd""#,
        "tool_calls",
    ),
    (
        "moment",
        r#""content": {"__type__": "TextContent", "text": "x"}, "expires_at": "soon""#,
        "expires_at",
    ),
];

fn env() -> Env {
    Env { now: Timestamp::from_millis(1_767_522_600_000), entropy: [7; 32] }
}

/// Answers any reads. Every box except `odd` has the same cards.
fn answer(reads: &Reads) -> Json {
    let card = |card_id: &str| match BROKEN.iter().find(|(name, ..)| *name == card_id) {
        Some((_, columns, _)) => format!(r#"{{"card_id": "{card_id}", {columns}}}"#),
        None => format!(
            r#"{{"card_id": "{card_id}", "content": {{"__type__": "TextContent", "text": "{card_id}"}},
                "metadata": {{"type": "task.instruction", "role": "user"}}}}"#
        ),
    };
    let card_box = |box_id: &str| match box_id {
        "odd" => r#"{"box_id": "odd", "card_ids": {"not": "a list"}}"#.to_owned(),
        other => format!(r#"{{"box_id": "{other}", "card_ids": {}}}"#, ids()),
    };
    let cards: Vec<String> = reads.of(Kind::Cards).map(card).collect();
    let boxes: Vec<String> = reads.of(Kind::Boxes).map(card_box).collect();
    let profile = |name: &str| format!(r#"{{"name": "{name}", "profile_box_id": "pb"}}"#);
    let profiles: Vec<String> = reads.of(Kind::Profiles).map(profile).collect();
    let lists = [("cards", cards), ("boxes", boxes), ("profiles", profiles)];
    let members = lists.map(|(kind, rows)| format!(r#""{kind}": [{}]"#, rows.join(",")));
    Json::parse(&format!("{{{}}}", members.join(","))).unwrap()
}

/// Returns the ids of valid and invalid cards in turn.
fn ids() -> Json {
    BROKEN.iter().flat_map(|(name, ..)| [format!("good_{name}"), (*name).to_owned()]).collect()
}

/// Runs a call on that store. Returns its value and lints.
fn run(call: &str) -> Result<(Json, Vec<Lint>)> {
    let mut workspace = Workspace::new("p1".into());
    let mut run = workspace.begin_text(call.as_bytes(), env())?;
    while let Some(reads) = workspace.step(&mut run)? {
        let answers = answer(reads);
        workspace.answer_text(&mut run, answers.to_string().as_bytes())?;
    }
    let outcome = run.outcome()?;
    Ok((Json::parse(&outcome.value.to_text()?).unwrap(), outcome.lints.clone()))
}

fn named<'a>(list: &'a Json, column: &str) -> Vec<&'a str> {
    let rows = list.as_array().unwrap();
    rows.iter().map(|row| row.get(column).and_then(Json::as_str).unwrap()).collect()
}

#[test]
fn valid_cards_are_returned_and_invalid_cards_are_listed_with_their_reason() {
    let (value, _) = run(r#"{"op": "get_box_cards", "box_id": "b1"}"#).unwrap();
    assert_eq!(value.get("cards").unwrap().as_array().unwrap().len(), BROKEN.len());
    let missing = value.get("missing_cards").unwrap();
    assert_eq!(named(missing, "id"), BROKEN.map(|(name, ..)| name));
    assert_eq!(named(missing, "reason"), ["unreadable"; BROKEN.len()]);
    for (why, (name, _, said)) in named(missing, "why").iter().zip(BROKEN) {
        assert!(why.starts_with(&format!("card `{name}` cannot be read")), "{why}");
        assert!(why.contains(said), "{name}: {why}");
    }
}

#[test]
fn turn_views_and_messages_show_valid_cards_and_report_invalid_cards() {
    for call in [
        r#"{"op": "turn_view", "context_box_id": "b1"}"#,
        r#"{"op": "render", "box_id": "b1"}"#,
        r#"{"op": "payload", "provider": "anthropic", "model": "m", "max_output_tokens": 9,
            "box_id": "b1"}"#,
    ] {
        let (value, lints) = run(call).unwrap();
        let text = value.to_string();
        for (name, ..) in BROKEN {
            assert!(text.contains(&format!(r#"good_{name}"#)), "{call}: {name} in {text}");
        }
        let reported: Vec<_> = lints.iter().filter(|lint| lint.code == "unreadable_card").collect();
        let ids: Vec<_> = reported.iter().filter_map(|lint| lint.card_id.as_deref()).collect();
        assert_eq!(ids, BROKEN.map(|(name, ..)| name), "{call}");
    }
}

#[test]
fn invalid_cards_of_an_inherited_box_keep_their_ids() {
    let (value, lints) = run(r#"{"op": "pack_context", "tool_suffix": "t", "source_agent_id": "a",
        "check_liveness": true, "arguments": {"profile_name": "writer", "boxes": ["b1"]},
        "handover": {"context_packing_config": {
            "inherit_context": {"include_boxes_from_args": ["boxes"]}}}}"#)
    .unwrap();
    assert_eq!(value.get("attached_card_ids").unwrap(), &ids());
    let unreadable = lints.iter().filter(|lint| lint.code == "inherited_card_unreadable");
    assert_eq!(unreadable.count(), BROKEN.len());
}

#[test]
fn an_invalid_box_is_reported_and_other_boxes_are_returned() {
    let (value, _) = run(r#"{"op": "get_boxes", "box_ids": ["b1", "odd", "b2"]}"#).unwrap();
    assert_eq!(named(value.get("boxes").unwrap(), "box_id"), ["b1", "b2"]);
    let missing = value.get("missing_boxes").unwrap();
    assert_eq!((named(missing, "id"), named(missing, "reason")), (vec!["odd"], vec!["unreadable"]));
    let error = run(r#"{"op": "get_box_cards", "box_id": "odd"}"#).unwrap_err();
    assert_eq!(
        (error.code(), error.path().to_string()),
        (Code::Store, "answers.boxes[0].card_ids".into())
    );
}

#[test]
fn a_row_without_a_key_makes_the_whole_answer_invalid() {
    let mut reads = Reads::new("p1".into());
    reads.add(Kind::Cards, "c1");
    let answer = Json::parse(r#"{"cards": [{"content": null}]}"#).unwrap();
    assert_eq!(Answers::from_json(&answer, &reads).unwrap_err().code(), Code::Store);
}

#[test]
fn content_of_other_software_is_read_with_a_lint() {
    for (content, shown) in [
        (r#""Draft it.""#, "TextContent"),
        (r#"{"text": "Draft it."}"#, "TextContent"),
        (r#"{"status": "success", "result": {"rows": 3}}"#, "ToolResultContent"),
    ] {
        let row =
            format!(r#"{{"card_id": "n1", "content": {content}, "metadata": {{"role": "user"}}}}"#);
        let row = Json::parse(&row).unwrap();
        let card = Card::from_row(&Field::root(&row)).unwrap();
        assert_eq!(card.content.type_name(), shown, "{content}");
        let rendered = render_cards([&card]);
        assert_eq!(rendered.messages.len(), 1);
        assert!(rendered.lints.iter().any(|lint| lint.code == "untyped_content"), "{content}");
    }
    let call = r#"{"card_id": "n1", "content": {"tool_name": "search"}}"#;
    let card = Card::from_row(&Field::root(&Json::parse(call).unwrap())).unwrap();
    assert_eq!(card.content.type_name(), "ToolCallContent");
    let row = Json::parse(r#"{"card_id": "n1", "content": {"total": 3}}"#).unwrap();
    assert_eq!(
        Card::from_row(&Field::root(&row)).unwrap_err().path().to_string(),
        "content.__type__"
    );
}
