use super::*;
use crate::rule;
use crate::store::{MemoryStore, Snapshot};
use crate::value::json::{Field, Json, to_json};
use crate::{Env, Timestamp};

fn card(wire: &str) -> Card {
    let wire = Json::parse(wire).unwrap();
    Card::from_row(&Field::root(&wire)).unwrap()
}

fn message(wire: &str) -> String {
    match render_card(&card(wire)) {
        Piece::Message(message) => to_json(&message).unwrap().to_string(),
        other => panic!("{other:?}"),
    }
}

fn codes(wire: &str) -> Vec<&'static str> {
    render_cards([&card(wire)]).lints.iter().map(|lint| lint.code).collect()
}

fn run(call: &str, store: &MemoryStore) -> crate::Result<crate::Outcome<Rendered>> {
    let call = Render::from_json(&Json::parse(call).unwrap())?;
    let env = Env::new(Timestamp::from_millis(1_767_522_600_000), [7; 32]);
    rule::preview(&call, &mut Snapshot::new("p1".into()), &env, store)
}

#[test]
fn an_assistant_that_calls_needs_no_role() {
    let wire = r#"{"card_id":"c","content":{"__type__":"TextContent","text":"x"},"metadata":{},
        "tool_calls":[{"id":"k"}]}"#;
    assert_eq!(message(wire), r#"{"role":"assistant","content":"x","tool_calls":[{"id":"k"}]}"#);
}

#[test]
fn every_value_a_tool_returns_is_json_text_but_text_is_itself() {
    let result = |value: &str| {
        message(&format!(
            r#"{{"card_id":"c","tool_call_id":"k","metadata":{{}},"content":{{"__type__":
            "ToolResultContent","status":"success","after_execution":"suspend","result":{value}}}}}"#
        ))
    };
    let shown = |text: &str| format!(r#"{{"role":"tool","tool_call_id":"k","content":{text}}}"#);
    assert_eq!(result("true"), shown(r#""true""#));
    assert_eq!(result("[null, 1e2]"), shown(r#""[null, 100.0]""#));
    assert_eq!(result("null"), shown(r#""""#));
    assert_eq!(result(r#""true""#), shown(r#""true""#));
}

#[test]
fn media_needs_both_its_type_and_its_encoding() {
    let media = |metadata: &str| {
        message(&format!(
            r#"{{"card_id":"c","content":{{"__type__":"TextContent","text":"AA"}},"metadata":{{{metadata}}}}}"#
        ))
    };
    assert!(media(r#""mime_type":"image/png","encoding":"base64""#).contains("media_placeholder"));
    assert_eq!(media(r#""mime_type":"image/png""#), r#"{"role":"user","content":"AA"}"#);
    assert_eq!(media(r#""encoding":"base64""#), r#"{"role":"user","content":"AA"}"#);
}

#[test]
fn what_is_followed_but_doubtful_is_said() {
    let text = r#""card_id":"c","content":{"__type__":"TextContent","text":"x"}"#;
    assert_eq!(codes(&format!(r#"{{{text},"metadata":{{"role":"wizard"}}}}"#)), ["unknown_role"]);
    assert_eq!(codes(&format!(r#"{{{text},"metadata":{{}}}}"#)), ["default_role"]);
    assert_eq!(
        codes(&format!(
            r#"{{{text},"metadata":{{}},"tool_call_id":"k","tool_calls":[{{"id":"k"}}]}}"#
        )),
        ["two_call_roles"]
    );
    let result = r#""content":{"__type__":"ToolResultContent","status":"success","after_execution":"suspend"}"#;
    assert_eq!(
        codes(&format!(r#"{{"card_id":"c",{result},"metadata":{{"role":"tool"}}}}"#)),
        ["result_without_call"]
    );
    assert_eq!(
        codes(&format!(
            r#"{{"card_id":"c",{result},"tool_call_id":"k",
            "metadata":{{"role":"assistant","reasoning_content":"r"}}}}"#
        )),
        ["reasoning_hidden"]
    );
    let call = r#"{"card_id":"c","content":{"__type__":"ToolCallContent","tool_name":"t",
        "arguments":{},"status":"called"},"tool_calls":[{"id":"k"}]}"#;
    assert_eq!(codes(call), ["tool_calls_hidden"]);
}

#[test]
fn every_card_of_a_box_has_an_entry_and_missing_ones_a_lint() {
    let mut store = MemoryStore::new();
    let tables = store.project("p1");
    tables.add_box("b", ["c1", "gone", "c2", "c1"]);
    tables.add_card(card(
        r#"{"card_id":"c1","content":{"__type__":"TextContent","text":"x"},"metadata":{"role":"user"}}"#,
    ));
    tables.add_card(card(
        r#"{"card_id":"c2","content":{"__type__":"ToolContent","tools":[{"type":"function"}]}}"#,
    ));
    let outcome = run(r#"{"box_id":"b"}"#, &store).unwrap();
    let became: Vec<_> = outcome.value.entries.iter().map(|entry| entry.became).collect();
    assert_eq!(
        became,
        [
            Became::Message { position: 0 },
            Became::Nothing { reason: Hidden::Absent },
            Became::Tools { first: 0, count: 1 },
            Became::Message { position: 1 },
        ]
    );
    assert_eq!(outcome.value.message_card_ids().collect::<Vec<_>>(), ["c1", "c1"]);
    assert_eq!(
        outcome.lints[0].to_string(),
        "missing_card at `card_ids[1]`: card `gone` is not in this project and the model will not see it"
    );
    assert!(outcome.writes.is_empty());
    assert_eq!(
        to_json(&outcome.value.entries[2]).unwrap().to_string(),
        r#"{"card_id":"c2","became":"tools","first":0,"count":1}"#
    );
}

#[test]
fn a_call_names_one_source() {
    let store = MemoryStore::new();
    let error = |call: &str| run(call, &store).unwrap_err().to_string();
    assert_eq!(
        error(r#"{"box_id":"nope"}"#),
        "not_found at `box_id`: no box `nope` in project `p1`"
    );
    assert_eq!(
        error(r#"{"box_id":"b","card_ids":[]}"#),
        "bad_request at `box_id`: `box_id` excludes `card_ids` and `cards`"
    );
    assert_eq!(error("{}"), "bad_request: nothing to render: give `box_id`, `card_ids` or `cards`");
}
