use super::{
    CardKind, Change, Fate, Inspect, InspectRequest, Level, Presence, RequestView, SearchCards,
    Source, View,
};
use crate::agents::Setup;
use crate::prompt::tokens::SectionKind;
use crate::rule::preview;
use crate::store::{MemoryStore, Profile, Snapshot};
use crate::value::json::{Field, Object};
use crate::{Card, Content, Env, Json, Limits, NewCard, Result, Timestamp};

fn env() -> Env {
    Env::new(Timestamp::from_millis(1_767_522_600_000), [7; 32])
}

fn card(id: &str, card_type: &str, text: &str, ttl_seconds: Option<i64>) -> Card {
    let new = NewCard { ttl_seconds, ..NewCard::new(card_type, "a", Content::text(text)) };
    let before = Timestamp::from_millis(1_767_000_000_000);
    Card::make(new, &"p1".into(), id.into(), before, &Limits::default()).unwrap()
}

fn store() -> MemoryStore {
    let mut store = MemoryStore::new();
    store
        .project("p1")
        .add_profile(Profile::new("Writer", "pb_writer"))
        .add_card(card("c1", "agent.thought", "one two", None))
        .add_card(card("c2", "task.deliverable", "  a\n\n b ", None))
        .add_card(card("c3", "agent.thought", "over", Some(60)))
        .add_box("b1", ["c1", "c2"])
        .add_box("b2", ["c2", "c3", "nowhere"])
        .add_card(picture())
        .add_box("pictures", ["picture"])
        .add_box("empty", [])
        .add_card(summary())
        .add_box("b3", ["sum", "c2"]);
    store
}

fn picture() -> Card {
    let row = r#"{"card_id": "picture", "metadata": {"type": "note", "role": "user"}, "content":
        {"__type__": "ImageFileContent", "uri": "https://example.org/a.png", "checksum": "x",
        "content_type": "image/png"}}"#;
    Card::from_row(&Field::root(&Json::parse(row).unwrap())).unwrap()
}

fn summary() -> Card {
    let mut metadata = Object::default();
    metadata.insert("covers".into(), vec!["c1", "before"].into());
    let new = NewCard { metadata, ..NewCard::new("memory.summary", "a", Content::text("so far")) };
    let before = Timestamp::from_millis(1_767_000_000_000);
    Card::make(new, &"p1".into(), "sum".into(), before, &Limits::default()).unwrap()
}

fn look(call: &str) -> Result<View> {
    let look = Inspect::from_json(&Json::parse(call).unwrap())?;
    Ok(preview(&look, &mut Snapshot::new("p1".into()), &env(), &store())?.value)
}

const PACK: &str = r#"{"op": "pack_context", "tool_suffix": "demo", "source_agent_id": "agent_a",
    "check_liveness": true,
    "arguments": {"profile_name": "writer", "instruction": "go on", "fields": [{"name": "f"}], "boxes": ["b1", "b2"]},
    "handover": {"context_packing_config": {
        "pack_arguments": [{"arg_key": "instruction"}, {"arg_key": "fields", "as_card_type": "task.result_fields"}, {"arg_key": "absent"}],
        "inherit_context": {"include_boxes_from_args": ["boxes"], "include_parent": true}}}}"#;

fn packed(more: &str) -> View {
    look(&format!(r#"{{"call": {PACK}{more}}}"#)).unwrap()
}

#[test]
fn a_call_is_shown_position_by_position_with_its_cause() {
    let view = packed("");
    let kinds: Vec<_> = view.rows.iter().map(|row| (row.kind, row.presence)).collect();
    assert_eq!(
        kinds,
        [
            (CardKind::Instruction, Presence::New),
            (CardKind::Contract, Presence::New),
            (CardKind::Thought, Presence::Live),
            (CardKind::Deliverable, Presence::Live),
            (CardKind::Missing, Presence::Expired),
            (CardKind::Missing, Presence::Absent),
            (CardKind::Pointer, Presence::New),
        ]
    );
    let deliverable = &view.rows[3];
    assert_eq!((deliverable.excerpt.as_str(), deliverable.swallowed.len()), ("a b", 1));
    assert_eq!(view.dropped[0].reason.as_str(), "argument_absent");
    assert!(view.content_hash.is_some());
}

fn request(call: &str) -> Result<RequestView> {
    let rule =
        InspectRequest::from_json(&Json::parse(call).unwrap())?.with_setup(&Setup::default())?;
    Ok(preview(&rule, &mut Snapshot::new("p1".into()), &env(), &store())?.value)
}

#[test]
fn parts_add_up_to_the_request_and_the_window_says_how_full_it_is() {
    let view = request(&format!(r#"{{"call": {PACK}, "window": 60, "max_output_tokens": 9}}"#));
    let view = view.unwrap();
    let cards: usize = view.parts.iter().map(|part| part.cards).sum();
    assert_eq!((cards, view.cards.len(), view.never_sent), (7, 7, 2));
    assert_eq!(view.parts.iter().map(|part| part.tokens).sum::<u64>(), view.tokens);
    assert_eq!(view.sections.iter().map(|section| section.tokens).sum::<u64>(), view.tokens);
    let sources: Vec<_> = view.parts.iter().map(|part| &part.source).collect();
    assert_eq!(sources[..2], [&Source::SystemPrompt, &Source::Argument]);
    assert_eq!(sources[3], &Source::Inherited { box_id: "b1".into() });
    assert_eq!(*sources.last().unwrap(), &Source::Framing);
    let window = view.window.unwrap();
    assert_eq!((view.reserve, window.free + view.tokens + 9), (9, 60 + window.over));
    assert!(!view.exact);
}

#[test]
fn a_card_that_the_model_never_gets_costs_nothing_and_says_why() {
    let view = request(&format!(r#"{{"call": {PACK}}}"#)).unwrap();
    let fates: Vec<_> = view.cards.iter().map(|card| card.fate).collect();
    assert_eq!(fates[0], Fate::Message { position: 1 });
    assert_eq!(fates[1], Fate::SystemPrompt);
    assert_eq!(fates[4], Fate::Nothing { reason: "expired" });
    assert_eq!(fates[5], Fate::Nothing { reason: "absent" });
    assert_eq!([view.cards[1].tokens, view.cards[4].tokens, view.cards[5].tokens], [0; 3]);
    assert_eq!(view.turn.profile_box_id, Some("pb_writer".into()));
}

#[test]
fn an_image_counts_as_media() {
    let view = request(r#"{"box_id": "pictures", "provider": "openai_chat"}"#).unwrap();
    let media = view.sections.iter().find(|one| one.section == SectionKind::Media).unwrap();
    assert!(media.tokens > 0 && !media.exact);
    assert_eq!(view.parts[0].tokens, media.tokens);
}

#[test]
fn a_request_that_says_nothing_costs_nothing() {
    let view = request(r#"{"box_id": "empty", "provider": "anthropic", "window": 10}"#).unwrap();
    assert_eq!((view.tokens, view.parts.len(), view.window.unwrap().free), (0, 0, 10));
}

#[test]
fn a_lint_knows_the_card_it_is_about() {
    let view = packed("");
    let placed: Vec<_> = view
        .lints
        .iter()
        .map(|placed| (placed.lint.code.as_str(), placed.place.map(|place| place.position)))
        .collect();
    assert_eq!(
        placed,
        [
            ("field_without_description", Some(1)),
            ("inherited_card_expired", Some(4)),
            ("inherited_card_absent", Some(5)),
        ]
    );
}

#[test]
fn a_range_of_rows_needs_only_its_own_cards() {
    let all = packed("");
    let some = packed(r#", "from": 2, "to": 4"#);
    assert_eq!(some.rows, all.rows[2..4]);
    assert_eq!(packed(r#", "from": 6, "to": 900"#).rows, all.rows[6..]);
    assert!(packed(r#", "from": 70"#).rows.is_empty());
    assert!(packed(r#", "shown": 3"#).rows.is_empty());
}

#[test]
fn a_stored_box_is_shown_without_causes() {
    let view = look(r#"{"box_id": "b1"}"#).unwrap();
    assert_eq!(view.rows.len(), 2);
    assert!(view.rows.iter().all(|row| row.cause.is_none()));
    let tokens = request(r#"{"box_id": "b1"}"#).unwrap().tokens;
    let view = request(&format!(r#"{{"box_id": "b1", "window": {tokens}}}"#)).unwrap();
    assert_eq!(view.parts[0].source, Source::Stored);
    assert_eq!(view.window.unwrap().level, Level::Full);
}

#[test]
fn faults_have_their_path() {
    let refused = |call: &str| look(call).unwrap_err().to_string();
    assert_eq!(refused("{}"), "bad_request at `box_id`: `call`, `box_id` or `turn` is missing");
    assert_eq!(
        refused(r#"{"box_id": "b9"}"#),
        "not_found at `box_id`: no box `b9` in project `p1`"
    );
    assert!(refused(r#"{"call": {"op": "nothing"}}"#).starts_with("bad_request at `call.op`"));
    assert!(
        refused(r#"{"call": {"op": "get_cards"}, "box_id": "b1"}"#)
            .starts_with("bad_request at `box_id`: only one of")
    );
}

fn compare(left: &str, right: &str) -> super::Comparison {
    let call = format!(r#"{{"left": {left}, "right": {right}}}"#);
    let rule = super::Compare::from_json(&Json::parse(&call).unwrap()).unwrap();
    let rule = rule.with_setup(&Setup::default()).unwrap();
    let mut snapshot = Snapshot::new("p1".into());
    preview(&rule, &mut snapshot, &env(), &store()).unwrap().value
}

fn changes(comparison: &super::Comparison) -> Vec<(Change, Option<usize>, Option<usize>, usize)> {
    let run = |run: &super::Run| (run.change, run.left, run.right, run.cards);
    comparison.runs.iter().map(run).collect()
}

#[test]
fn a_context_compared_with_itself_is_one_run() {
    let same = compare(&format!(r#"{{"call": {PACK}}}"#), &format!(r#"{{"call": {PACK}}}"#));
    assert_eq!(changes(&same), [(Change::Kept, Some(0), Some(0), 7)]);
    assert_eq!(same.same_prefix.cards, 7);
    assert_eq!(same.left, same.right);
}

#[test]
fn two_dialects_move_the_inherited_cards() {
    let hotfix = PACK
        .replace(r#""op": "pack_context","#, r#""op": "pack_context", "dialect": "v1r4_hotfix","#);
    let hotfix = hotfix.replace(
        r#""handover": {"#,
        r#""handover": {"authorized_inherit_box_ids": ["b1", "b2"], "#,
    );
    let moved = compare(&format!(r#"{{"call": {PACK}}}"#), &format!(r#"{{"call": {hotfix}}}"#));
    assert_eq!(
        changes(&moved),
        [
            (Change::MovedAway, Some(0), None, 2),
            (Change::Kept, Some(2), Some(0), 4),
            (Change::MovedHere, None, Some(4), 2),
            (Change::Kept, Some(6), Some(6), 1),
        ]
    );
    assert_eq!(moved.same_prefix.cards, 0);
    assert_eq!(moved.left.tokens, moved.right.tokens);
}

#[test]
fn boxes_are_compared_by_what_came_and_went() {
    let found = compare(r#"{"box_id": "b1"}"#, r#"{"box_id": "b2"}"#);
    assert_eq!(
        changes(&found),
        [
            (Change::Removed, Some(0), None, 1),
            (Change::Kept, Some(1), Some(0), 1),
            (Change::Added, None, Some(1), 2),
        ]
    );
    assert_eq!((found.growth[0].left_cards, found.growth[0].right_cards), (2, 3));
}

#[test]
fn a_new_card_is_the_same_when_it_says_the_same() {
    let other = PACK.replace("go on", "stop");
    let found = compare(&format!(r#"{{"call": {PACK}}}"#), &format!(r#"{{"call": {other}}}"#));
    assert_eq!(
        changes(&found)[..2],
        [(Change::Removed, Some(0), None, 1), (Change::Added, None, Some(0), 1)]
    );
    assert_eq!(changes(&found)[2], (Change::Kept, Some(1), Some(1), 6));
}

#[test]
fn a_card_is_found_in_every_box_it_stands_in() {
    let call =
        Json::parse(r#"{"card_id": "c2", "box_ids": ["b2", "nowhere", "b1", "b2"]}"#).unwrap();
    let rule = super::FindCards::from_json(&call).unwrap();
    let found = preview(&rule, &mut Snapshot::new("p1".into()), &env(), &store()).unwrap().value;
    let places: Vec<_> =
        found.iter().map(|found| (found.box_id.as_str(), found.positions.as_slice())).collect();
    assert_eq!(places, [("b2", &[0][..]), ("b1", &[1][..])]);
}

#[test]
fn a_text_is_found_in_content_type_and_id_ignoring_case() {
    let found = |text: &str| packed(&format!(r#", "find": "{text}""#)).matches.unwrap();
    assert_eq!(found("ONE t"), [2]);
    assert_eq!(found("task."), [0, 1, 3]);
    assert_eq!(found("nowhere"), [5]);
    assert_eq!(found("not there"), []);
    assert_eq!(packed(r#", "find": """#).matches, None);
}

#[test]
fn a_summary_says_what_it_covers_of_the_other_side() {
    let found = compare(r#"{"box_id": "b1"}"#, r#"{"box_id": "b3"}"#);
    let summary = &found.summaries[0];
    assert_eq!((summary.right, &summary.covers[..], summary.elsewhere), (0, &[0][..], 1));
    assert!(summary.covered_tokens > 0);
    assert!(compare(r#"{"box_id": "b3"}"#, r#"{"box_id": "b1"}"#).summaries.is_empty());
}

#[test]
fn a_turn_is_shown_as_the_cards_of_its_two_boxes() {
    let view = look(r#"{"turn": {"context_box_id": "b1", "output_box_id": "b2"}}"#).unwrap();
    let ids: Vec<_> = view.rows.iter().map(|row| row.card_id.as_str()).collect();
    assert_eq!(ids, ["c1", "c2", "c3", "nowhere"]);
    let view = request(r#"{"turn": {"context_box_id": "b1", "output_box_id": "b2"}}"#).unwrap();
    assert_eq!(view.parts[0].source, Source::Inherited { box_id: "b1".into() });
    assert_eq!(view.parts[2].source, Source::Inherited { box_id: "b2".into() });
    assert_eq!(view.cards.len(), 4);
}

#[test]
fn imported_cards_have_the_kind_and_the_text_of_their_part() {
    let row = |id: &str, card_type: &str, role: &str, text: &str, more: &str| {
        let row = format!(
            r#"{{"card_id": "{id}", "metadata": {{"type": "import.{card_type}", "role": "{role}"{}}},
                "content": {{"__type__": "TextContent", "text": "{text}"}}{}}}"#,
            if role == "assistant" {
                r#", "reasoning_content": "Ünless it is late.""#
            } else {
                ""
            },
            more
        );
        Card::from_row(&Field::root(&Json::parse(&row).unwrap())).unwrap()
    };
    let calls = r#", "tool_calls": [{"id": "c1", "type": "function", "function":
        {"name": "Edit", "arguments": "{\"n\": 1, \"path\": \"src/retry.ts\", \"new\": \"lantern\"}"}}]"#;
    let cards = [
        row("s", "system", "system", "Be brief.", ""),
        row("u", "message", "user", "Go on.", ""),
        row("t", "message", "assistant", "", ""),
        row("c", "message", "assistant", "", calls),
        row("r", "result", "tool", "Changed.", r#", "tool_call_id": "c1""#),
        row("a", "message", "assistant", "Done.", ""),
    ];
    let mut store = MemoryStore::new();
    for card in &cards {
        store.project("p1").add_card(card.clone());
    }
    store.project("p1").add_box("log", cards.iter().map(|card| card.card_id.as_str()));
    let mut snapshot = Snapshot::new("p1".into());
    let view = Inspect::from_json(&crate::json!({"box_id": "log"})).unwrap();
    let view = preview(&view, &mut snapshot, &env(), &store).unwrap().value;
    let rows: Vec<_> = view.rows.iter().map(|row| (row.kind, row.excerpt.as_str())).collect();
    assert_eq!(
        rows,
        [
            (CardKind::System, "Be brief."),
            (CardKind::User, "Go on."),
            (CardKind::Thought, "Ünless it is late."),
            (CardKind::ToolCall, "Edit src/retry.ts"),
            (CardKind::ToolResult, "Changed."),
            (CardKind::Assistant, "Done."),
        ]
    );
    let mut hits = |text: &str| {
        let call = crate::json!({"text": text, "box_ids": ["log"]});
        let search = SearchCards::from_json(&call).unwrap();
        let found = preview(&search, &mut snapshot, &env(), &store).unwrap().value;
        let hits = found.hits.iter().map(|hit| hit.card_id.clone());
        hits.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(hits("lantern"), "c", "arguments of a call");
    assert_eq!(hits("ünless"), "t c a", "reasoning");
    assert_eq!(hits("changed"), "r");
}
