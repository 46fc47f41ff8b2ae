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
    render_cards([&card(wire)]).lints.iter().map(|lint| lint.code.as_str()).collect()
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
fn media_has_a_type_and_an_encoding_that_hosts_know() {
    let media = |content: &str, metadata: &str| {
        let text = format!(r#"{{"card_id":"c","content":{content},"metadata":{{{metadata}}}}}"#);
        to_json(&render_cards([&card(&text)]).messages[0]).unwrap().to_string()
    };
    let text = r#"{"__type__":"TextContent","text":"AA"}"#;
    for encoding in ["base64", "uri"] {
        let metadata = format!(r#""mime_type":"image/png","encoding":"{encoding}""#);
        assert!(media(text, &metadata).contains("media_placeholder"), "{encoding}");
    }
    for metadata in [
        r#""mime_type":"image/png","encoding":"url""#,
        r#""mime_type":"image/png","encoding":"BASE64""#,
        r#""mime_type":"image/png","encoding":["uri"]"#,
        r#""mime_type":"image/png","encoding":true"#,
        r#""mime_type":"image/png""#,
        r#""mime_type":"","encoding":"uri""#,
        r#""encoding":"base64""#,
    ] {
        assert_eq!(media(text, metadata), r#"{"role":"user","content":"AA"}"#, "{metadata}");
    }
}

#[test]
fn media_of_data_is_its_json_text_and_a_caption_may_have_any_type() {
    let rendered = |caption: &str| {
        let text = format!(
            r#"{{"card_id":"c","content":{{"__type__":"JsonContent","data":{{"a":[1,2.50]}}}},
                "metadata":{{"mime_type":"application/json","encoding":"uri","text":{caption}}}}}"#
        );
        to_json(&render_cards([&card(&text)]).messages[0]).unwrap().to_string()
    };
    let media = r#"{"type":"media_placeholder","media_info":{"mime_type":"application/json","encoding":"uri","content":"{\"a\": [1, 2.5]}"}}"#;
    for (caption, shown) in [
        (r#""look""#, "look"),
        ("5", "5"),
        ("1.50", "1.5"),
        ("true", "True"),
        (r#"["a", 1]"#, r#"[\"a\", 1]"#),
        (r#"{"b": null}"#, r#"{\"b\": null}"#),
    ] {
        let expected =
            format!(r#"{{"role":"user","content":[{{"type":"text","text":"{shown}"}},{media}]}}"#);
        assert_eq!(rendered(caption), expected);
    }
    for nothing in ["null", "false", "0", r#""""#, "[]", "{}"] {
        assert_eq!(rendered(nothing), format!(r#"{{"role":"user","content":[{media}]}}"#));
    }
}

#[test]
fn a_card_with_calls_is_a_message_also_where_it_records_a_call() {
    let record = r#"{"card_id":"c","content":{"__type__":"ToolCallContent","tool_name":"t",
        "arguments":{},"status":"called"},"tool_calls":[{"id":"k"}],"metadata":{"role":"assistant"}}"#;
    let rendered = render_cards([&card(record)]);
    assert_eq!(rendered.entries[0].became, Became::Message { position: 0 });
    assert_eq!(
        rendered.messages[0].tool_calls.as_deref(),
        Some(&[Json::parse(r#"{"id":"k"}"#).unwrap()][..])
    );
    assert!(rendered.lints.is_empty(), "{:?}", rendered.lints);
    for calls in ["[]", "null"] {
        let without = record.replace(r#"[{"id":"k"}]"#, calls);
        let became = render_cards([&card(&without)]).entries[0].became;
        assert_eq!(became, Became::Nothing { reason: Hidden::CallRecord });
    }
}

#[test]
fn doubtful_values_are_followed_with_a_lint() {
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
    assert_eq!(
        codes(&format!(
            r#"{{"card_id":"c",{result},"tool_call_id":"k",
            "metadata":{{"role":"assistant","thinking_blocks":[{{"type":"thinking"}}]}}}}"#
        )),
        ["reasoning_hidden"]
    );
    let tools = r#"{"card_id":"c","content":{"__type__":"ToolContent","tools":[]},"tool_calls":[{"id":"k"}]}"#;
    assert_eq!(codes(tools), ["tool_calls_hidden"]);
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
        "bad_request at `box_id`: `box_id` excludes `card_ids` and `cards`; pass one of them"
    );
    assert_eq!(
        error("{}"),
        "bad_request at `box_id`: no cards to render; pass `box_id`, `card_ids` or `cards`"
    );
}
